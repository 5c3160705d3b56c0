package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Distributions;
import neodp.call.Workers;

/** A choice of alpha, the same by rank for all orders: the twin of {@code neodp/core/rainbow/choices.py}. */
public final class Choices {
    private Choices() {}

    /** The alpha by rank that makes the best output of every order as likely as possible: balanced. */
    public static double[] balanced(DatasetGraph graph, Workers workers) {
        AlphaByOrder.requireOrders(graph, workers);
        double delta = 1.0;
        boolean none = true;
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e)) {
                delta = Math.min(delta, graph.delta[e]);
                none = false;
            }
        }
        return Distributions.corrected(weights(rankDistances(graph, workers), none ? 0.0 : delta));
    }

    /** Chances by rank as chances by colour, at a dataset. */
    public static double[] at(DatasetGraph graph, double[] ranked, int v) {
        double[] out = new double[ranked.length];
        byte[] order = graph.orders.rows[graph.orders.of[v]];
        for (int r = 0; r < ranked.length; r++) {
            out[order[r]] = ranked[r];
        }
        return out;
    }

    /**
     * Per rank, the length of the shortest path from the best one, where a step costs the least of a boundary edge over
     * which some output changes between the two ranks, and a step to a better rank costs nothing; null if there is none.
     */
    private static BigInteger[] rankDistances(DatasetGraph graph, Workers workers) {
        int k = graph.colors.size();
        long[][] step = new long[k][k];
        for (long[] row : step) {
            Arrays.fill(row, -1);
        }
        int[] one = new int[k];
        int[] two = new int[k];
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e)) {
                ranks(graph, graph.source[e], one);
                ranks(graph, graph.target[e], two);
                long length = Units.length(graph.epsilon[e], k);
                for (int c = 0; c < k; c++) {
                    lower(step, one[c], two[c], length);
                    lower(step, two[c], one[c], length);
                }
            }
        }
        for (int r = 1; r < k; r++) {
            step[r][r - 1] = 0;
        }
        BigInteger[] distance = new BigInteger[k];
        distance[0] = BigInteger.ZERO;
        for (int round = 0; round < k; round++) {
            for (int r = 0; r < k; r++) {
                for (int s = 0; s < k && distance[r] != null; s++) {
                    if (step[r][s] >= 0) {
                        BigInteger next = distance[r].add(BigInteger.valueOf(step[r][s]));
                        distance[s] = distance[s] == null ? next : distance[s].min(next);
                    }
                }
            }
        }
        return distance;
    }

    private static void lower(long[][] step, int r, int s, long length) {
        if (r != s && (step[r][s] < 0 || length < step[r][s])) {
            step[r][s] = length;
        }
    }

    /** Per colour, its rank at a dataset. */
    private static void ranks(DatasetGraph graph, int v, int[] out) {
        byte[] order = graph.orders.rows[graph.orders.of[v]];
        for (int r = 0; r < out.length; r++) {
            out[order[r]] = r;
        }
    }

    private static double[] weights(BigInteger[] distance, double delta) {
        Decimals in = new Decimals(Units.DIGITS);
        int k = distance.length;
        BigDecimal[] weight = new BigDecimal[k];
        BigDecimal total = BigDecimal.ZERO;
        boolean byShare = true;
        for (int r = 0; r < k; r++) {
            weight[r] = distance[r] == null ? BigDecimal.ZERO : in.exp(distance[r].negate());
            total = in.plus(total, weight[r]);
            byShare &= r == 0 || distance[r] == null || distance[r].signum() != 0;
        }
        BigDecimal exact = Units.lowered(delta, k, byShare, in);
        double[] out = new double[k];
        for (int r = 0; r < k; r++) {
            BigDecimal chance = in.over(in.times(in.minus(BigDecimal.ONE, exact), weight[r]), total);
            out[r] = Units.rounded(r == 0 ? in.plus(chance, exact) : chance);
        }
        return out;
    }
}
