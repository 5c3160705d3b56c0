package neodp.algorithm;

/**
 * Where a search looks: single datasets of a graph, and the edges at them.
 *
 * @param <N> what stands for a dataset
 */
public interface Neighborhood<N> {
    /** A dataset by its key; refused where there is none. */
    N find(String key);

    /** What tells datasets apart. */
    long id(N node);

    /** The properties of a dataset. */
    Dataset dataset(N node);

    /** The edges at a dataset, also those that lead out of the graph. */
    Iterable<Link<N>> links(N node);

    /** A dataset: alpha as Pr[first colour] and Pr[second colour], NaN where it is not given. */
    record Dataset(String key, byte color, double[] alpha) {}

    /** An edge from one of its ends. */
    interface Link<N> {
        /** The other end. */
        N end();

        /** Whether that is a dataset of the same graph. */
        boolean inside();

        /** Add the edge to others, between these positions. */
        void add(Edges edges, int source, int target);
    }
}
