package neodp.algorithm.solvers;

import neodp.algorithm.Balanced;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Labeling;
import neodp.algorithm.Mechanism;
import neodp.algorithm.rainbow.Choices;
import neodp.algorithm.rainbow.Rainbow;
import neodp.call.Workers;

/** What differs between two colours and more: nothing else chooses. */
public final class Solver {
    private Solver() {}

    /**
     * The best mechanism that agrees with a graph's alpha; refused where there is none.
     *
     * @param method null, or "line" or "prefix" for more than two colours
     */
    public static Mechanism extend(DatasetGraph graph, String method, Workers workers) {
        return graph.binary() ? Labeling.extend(graph, workers) : Rainbow.extend(graph, method, workers);
    }

    /** A boundary edge at which alpha is missing, or -1; refused where a dataset leaves open how it orders the colours. */
    public static int unhitEdge(DatasetGraph graph, Workers workers) {
        return graph.binary() ? graph.unhitEdge(workers) : Rainbow.unhitEdge(graph, workers);
    }

    /** Whether a private mechanism agrees with a graph's alpha; refused where none does. */
    public static Mechanism.Fit check(DatasetGraph graph, Workers workers) {
        return graph.binary() ? Labeling.extend(graph, workers).fit : Rainbow.check(graph, workers);
    }

    /** Alpha at a dataset of the boundary. */
    public interface Alpha {
        double[] at(int v);
    }

    /** The alpha that favours no colour, on the boundary. */
    public static Alpha balanced(DatasetGraph graph, Workers workers) {
        if (graph.binary()) {
            long[] label = Balanced.labels(graph, workers);
            return v -> Balanced.alpha(graph, label, v);
        }
        double[] ranked = Choices.balanced(graph, workers);
        return v -> Choices.at(graph, ranked, v);
    }
}
