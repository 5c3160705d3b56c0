package neodp.algorithm.rainbow;

/** The distributions of one order along whole numbers, by rank: the twin of {@code neodp/core/rainbow/curves.py}. */
interface Curve {
    /** The chances at a distance from the boundary of the order, best output first. */
    double[] row(long at);
}
