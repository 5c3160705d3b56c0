package neodp.algorithm;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import neodp.call.Memory;
import neodp.call.Workers;

/** A random answer for every dataset of a graph, and how it was found: the twin of {@code neodp/core/mechanism.py}. */
public abstract class Mechanism {
    public final DatasetGraph graph;

    /** How it was found: labels with two colours; table, line or prefix with more. */
    public final String method;

    /** How alpha was made to fit. */
    public final Fit fit;

    protected Mechanism(DatasetGraph graph, String method, Fit fit) {
        this.graph = graph;
        this.method = method;
        this.fit = fit;
    }

    /**
     * How alpha is made to fit.
     *
     * @param rounded how many alpha were rounded in
     * @param filled how many boundary datasets had none and took that of their order
     */
    public record Fit(int rounded, int filled) {}

    /** The chance that a dataset answers a colour. */
    public abstract double chance(int v, int c);

    /** The path from the dataset whose alpha decides to this one; empty where none does. */
    public abstract Path path(int v, Runnable check, Memory memory);

    /** Compute what {@code path} needs, as long as the call that made this still works. */
    public void measure() {}

    /** The chances of all colours at a dataset. */
    public double[] row(int v) {
        double[] out = new double[graph.colors.size()];
        for (int c = 0; c < out.length; c++) {
            out[c] = chance(v, c);
        }
        return out;
    }

    /** The chance of the own colour. */
    public double truth(int v) {
        return chance(v, graph.color[v]);
    }

    /** The least chance of a true answer. */
    public double leastTruth(Workers workers) {
        double least = truth(0);
        for (int v = 0; v < graph.size(); v++) {
            workers.check(v);
            least = Math.min(least, truth(v));
        }
        return least;
    }

    /** The mean chance of a true answer: the same bits as numpy's. */
    public double meanTruth(Workers workers) {
        return sum(this::truth, 0, graph.size(), workers) / graph.size();
    }

    /** What numpy's pairwise summation adds up, in that order: the same bits. */
    public static double sum(IntToDoubleFunction value, int from, int n, Workers workers) {
        if (n < 8) {
            double sum = n > 0 ? -0.0 : 0.0;
            for (int i = 0; i < n; i++) {
                sum += value.applyAsDouble(from + i);
            }
            return sum;
        }
        if (n <= 128) {
            double[] r = new double[8];
            Arrays.setAll(r, j -> value.applyAsDouble(from + j));
            int i = 8;
            for (; i < n - n % 8; i += 8) {
                for (int j = 0; j < 8; j++) {
                    r[j] += value.applyAsDouble(from + i + j);
                }
            }
            double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
            for (; i < n; i++) {
                sum += value.applyAsDouble(from + i);
            }
            return sum;
        }
        workers.check();
        int half = n / 2 - n / 2 % 8;
        return sum(value, from, half, workers) + sum(value, from + half, n - half, workers);
    }

    /** The positions below n that pass a test. */
    public static int[] where(int n, IntPredicate test, Workers workers) {
        int count = 0;
        for (int v = 0; v < n; v++) {
            workers.check(v);
            count += test.test(v) ? 1 : 0;
        }
        int[] out = new int[count];
        for (int v = 0, i = 0; i < count; v++) {
            workers.check(v);
            if (test.test(v)) {
                out[i++] = v;
            }
        }
        return out;
    }
}
