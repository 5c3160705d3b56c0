package neodp.algorithm;

import java.util.Arrays;
import neodp.call.Workers;

/**
 * What an edge allows, for all edges: (epsilon, delta) as the factor and delta of {@link Labels}; arrays of length
 * one where all edges are alike.
 */
public final class Rule {
    public final double[] factor;
    public final double[] delta;

    /** How many low bits of a label no edge leaves in place. */
    public final int shift;

    public Rule(DatasetGraph graph, Workers workers) {
        factor = factors(alike(graph.epsilon, workers), workers);
        double[] allowed = graph.delta.clone();
        for (int e = 0; e < allowed.length; e++) {
            workers.check(e);
            allowed[e] = allowed[e] < Labels.TINY ? 0.0 : allowed[e];
        }
        delta = alike(allowed, workers);
        double smallest = factor[0];
        for (int e = 0; e < factor.length; e++) {
            workers.check(e);
            smallest = Math.min(smallest, factor[e]);
        }
        long least = Double.doubleToRawLongBits(smallest) - Double.doubleToRawLongBits(1.0) - 2;
        shift = least > 0 ? Math.min(52, 63 - Long.numberOfLeadingZeros(least)) : 0;
    }

    public long relax(long label, int e) {
        return Labels.relax(label, factor[factor.length > 1 ? e : 0], delta[delta.length > 1 ? e : 0]);
    }

    public long balance(int e) {
        return Labels.balance(factor[factor.length > 1 ? e : 0], delta[delta.length > 1 ? e : 0]);
    }

    private static double[] alike(double[] column, Workers workers) {
        for (int e = 0; e < column.length; e++) {
            workers.check(e);
            if (column[e] != column[0]) {
                return column;
            }
        }
        return column.length == 0 ? new double[1] : Arrays.copyOf(column, 1);
    }

    private static double[] factors(double[] epsilon, Workers workers) {
        double[] out = new double[epsilon.length];
        for (int e = 0; e < out.length; e++) {
            workers.check(e);
            out[e] = e > 0 && epsilon[e] == epsilon[e - 1] ? out[e - 1] : Labels.factor(epsilon[e]);
        }
        return out;
    }
}
