package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Inequalities;
import neodp.algorithm.Mechanism;
import neodp.algorithm.Path;
import neodp.call.Memory;
import neodp.call.Workers;

/**
 * The best mechanism for every dataset's order, on a whole graph: the twin of {@code neodp/core/rainbow/methods.py}.
 *
 * <p>With one epsilon on all edges it is the table; if epsilon differs, the largest prefix sums if these are private
 * together; otherwise, on small graphs, what a linear program finds, which is left to the client, and on others the line.
 * Which of them depends on the graph with its alpha alone, never on the dataset that is asked for.
 */
public final class Rainbow extends Mechanism {
    private static final int MOST_FOR_PREFIX = 100_000; // datasets
    private static final int MOST_FOR_OPTIMAL = 10_000; // datasets times colours
    private static final int PART = 1 << 14; // what is worth a thread
    private static final String LINE = "line";
    private static final String PREFIX = "prefix";

    private final double[][] chances;
    private final int[] boundary;
    private final Workers workers;
    private Distances distances;

    private Rainbow(
            DatasetGraph graph,
            String method,
            AlphaByOrder alpha,
            double[][] chances,
            Distances distances,
            Workers workers) {
        super(graph, method, alpha.fit);
        this.chances = chances;
        this.boundary = alpha.boundary;
        this.distances = distances;
        this.workers = workers;
    }

    /**
     * The best mechanism that agrees with a graph's alpha; refused where there is none.
     *
     * @param method null, or "line" or "prefix" for epsilons that differ
     */
    public static Rainbow extend(DatasetGraph graph, String method, Workers workers) {
        AlphaByOrder alpha = new AlphaByOrder(graph, workers);
        if (!LINE.equals(method) && alike(graph, workers)) {
            return new Rainbow(graph, "table", alpha, table(graph, alpha, workers), null, workers);
        }
        workers.memory.take(8L * (graph.size() + graph.edges()));
        Distances distances = new Distances(graph, alpha.boundary, workers);
        if (!LINE.equals(method) && (PREFIX.equals(method) || graph.size() <= MOST_FOR_PREFIX)) {
            PrefixSums sums = new PrefixSums(graph, alpha, distances, workers);
            Refusal refusal = sums.refusal();
            if (refusal == null) {
                return new Rainbow(graph, PREFIX, alpha, sums.chances, distances, workers);
            }
            if (PREFIX.equals(method)) {
                throw refusal;
            }
        }
        if (method == null && (long) graph.size() * graph.colors.size() <= MOST_FOR_OPTIMAL) {
            throw Refusal.client(
                    "the epsilons of " + Text.quoted(graph.name)
                            + " differ, and its largest prefix sums are not private "
                            + "together, so a linear program finds its mechanism, which the plugin does not have",
                    "use the client");
        }
        double[][] line = line(graph, alpha, distances, workers);
        return new Rainbow(graph, LINE, alpha, line, distances, workers);
    }

    /** How alpha is made to fit; refused where it cannot. */
    public static Fit check(DatasetGraph graph, Workers workers) {
        return new AlphaByOrder(graph, workers).fit;
    }

    /** A boundary edge at an order that has no alpha on its boundary, or -1; refused where a dataset has no order. */
    public static int unhitEdge(DatasetGraph graph, Workers workers) {
        AlphaByOrder.requireOrders(graph, workers);
        return AlphaByOrder.unhitEdge(graph, workers);
    }

    private static boolean alike(DatasetGraph graph, Workers workers) {
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.epsilon[e] != graph.epsilon[0]) {
                return false;
            }
        }
        return true;
    }

    private static double[][] table(DatasetGraph graph, AlphaByOrder alpha, Workers workers) {
        double delta = graph.edges() == 0 ? 0.0 : graph.delta[0];
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            delta = Math.min(delta, graph.delta[e]);
        }
        double least = delta;
        long length = graph.edges() == 0 ? 0 : Units.length(graph.epsilon[0], graph.colors.size());
        Curve[] curves = curves(graph, alpha, (row, exact) -> new Steps(row, exact, length, least, workers), workers);
        int[] hops = graph.hops(alpha.boundary, workers);
        double[][] out = new double[graph.colors.size()][graph.size()];
        for (int v = 0; v < hops.length; v++) {
            workers.check(v);
            put(graph, curves, out, v, hops[v]);
        }
        return out;
    }

    private static double[][] line(DatasetGraph graph, AlphaByOrder alpha, Distances distances, Workers workers) {
        Curve[] curves = curves(graph, alpha, Flow::new, workers);
        double[][] out = new double[graph.colors.size()][graph.size()];
        workers.ranges(graph.size(), PART, (from, to) -> {
            for (int v = from; v < to; v++) {
                workers.check(v);
                put(graph, curves, out, v, distances.of[v]);
            }
            return null;
        });
        return out;
    }

    /** The curve of every order that has a boundary; orders whose alpha agrees by rank share one. */
    private static Curve[] curves(
            DatasetGraph graph, AlphaByOrder alpha, BiFunction<double[], BigDecimal[], Curve> make, Workers workers) {
        int k = graph.colors.size();
        Map<List<Object>, Curve> known = new HashMap<>();
        Curve[] out = new Curve[alpha.rows.length];
        for (int c = 0; c < out.length; c++) {
            workers.check(c);
            if (alpha.rows[c] == null) {
                continue;
            }
            byte[] order = graph.orders.rows[c];
            double[] row = new double[k];
            BigDecimal[] exact = new BigDecimal[k];
            BigDecimal[] all = Inequalities.exact(alpha.rows[c]);
            List<Object> ranked = new ArrayList<>();
            for (int r = 0; r < k; r++) {
                row[r] = alpha.rows[c][order[r]];
                exact[r] = all[order[r]];
                ranked.add(row[r]);
                ranked.add(order[r] == Inequalities.largest(alpha.rows[c])); // which stands for the rest
            }
            out[c] = known.computeIfAbsent(ranked, key -> make.apply(row, exact));
        }
        return out;
    }

    /** Set the chances of a dataset at a distance from the boundary of its order; certain where there is none. */
    private static void put(DatasetGraph graph, Curve[] curves, double[][] out, int v, long distance) {
        byte[] order = graph.orders.rows[graph.orders.of[v]];
        if (distance < 0) {
            out[order[0]][v] = 1.0;
            return;
        }
        double[] ranked = curves[graph.orders.of[v]].row(distance);
        for (int r = 0; r < ranked.length; r++) {
            out[order[r]][v] = ranked[r];
        }
    }

    @Override
    public double chance(int v, int c) {
        return chances[c][v];
    }

    @Override
    public void measure() {
        if (distances == null) {
            workers.memory.take(8L * (graph.size() + graph.edges()));
            distances = new Distances(graph, boundary, workers);
        }
    }

    /** The path, shortest in epsilon, from the boundary of the dataset's order. */
    @Override
    public Path path(int v, Runnable check, Memory memory) {
        measure(); // if nobody did
        long[] far = distances.of;
        if (far[v] < 0) {
            return Path.NONE;
        }
        return Path.trace(
                v,
                w -> Arrays.binarySearch(boundary, w) >= 0,
                (w, u, e) -> !graph.crossing(e) && far[u] + distances.length[e] == far[w],
                graph.adjacency(workers),
                check,
                memory);
    }
}
