package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Adjacency;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Inequalities;
import neodp.call.Workers;

/**
 * The largest prefix sums, each on its own, for epsilons that differ between edges: the twin of
 * {@code neodp/core/rainbow/prefix.py}.
 *
 * <p>The chance of a dataset's best j outputs is at most the least that U along any path from the boundary allows. Together
 * these can break privacy, so that they are checked on every edge in exact arithmetic. U rounds to the nearest decimal,
 * which is monotone, so that the least bounds do not depend on the order of work.
 */
final class PrefixSums {
    private static final int WORTH_A_THREAD = 1 << 12; // datasets or edges
    private static final long PER_NUMBER = 120; // bytes, without its digits
    private static final BigDecimal ONE = BigDecimal.ONE;

    /** Per colour and dataset. */
    final double[][] chances;

    private final DatasetGraph graph;
    private final AlphaByOrder alpha;
    private final Workers workers;
    private final int k;
    private final Decimals in;
    private final long bytes; // of a number
    private final BigDecimal[] factor; // per edge
    private final BigDecimal[] delta;

    PrefixSums(DatasetGraph graph, AlphaByOrder alpha, Distances distances, Workers workers) {
        this.graph = graph;
        this.alpha = alpha;
        this.workers = workers;
        this.k = graph.colors.size();
        BigDecimal smallest = ONE;
        for (double[] row : alpha.rows) {
            workers.check();
            for (int c = 0; row != null && c < k; c++) {
                smallest = row[c] > 0.0 ? smallest.min(new BigDecimal(row[c])) : smallest;
            }
        }
        long far = distances.greatest(workers) / (2 * Units.UNIT); // a distance t takes t / log 10 digits
        int digits = Units.DIGITS + Units.zeros(smallest) + (int) far;
        in = new Decimals(digits);
        bytes = PER_NUMBER + digits / 2;
        workers.memory.take(16L * graph.edges());
        factor = new BigDecimal[graph.edges()];
        delta = new BigDecimal[graph.edges()];
        parameters(distances.length);
        workers.memory.take(bytes * (k + 1) * graph.size());
        chances = ranked(sums());
        workers.memory.give(bytes * (k + 1) * graph.size());
    }

    /** What every edge allows; the same numbers for edges that are alike. */
    private void parameters(long[] length) {
        Map<Long, BigDecimal> grow = new HashMap<>();
        Map<List<Object>, BigDecimal> lowered = new HashMap<>();
        for (int e = 0; e < length.length; e++) {
            workers.check(e);
            long units = length[e];
            factor[e] = grow.get(units);
            if (factor[e] == null) {
                workers.memory.take(bytes);
                workers.check();
                factor[e] = in.exp(units);
                grow.put(units, factor[e]);
            }
            List<Object> kind = List.of(graph.delta[e], units > 0);
            delta[e] = lowered.get(kind);
            if (delta[e] == null) {
                workers.memory.take(bytes);
                delta[e] = Units.lowered(graph.delta[e], k, units > 0, in);
                lowered.put(kind, delta[e]);
            }
        }
    }

    private List<BigDecimal[]> sums() {
        List<Workers.Job<BigDecimal[]>> jobs = new ArrayList<>();
        for (int j = 1; j < k; j++) {
            int best = j;
            jobs.add(() -> largest(best));
        }
        return graph.size() < WORTH_A_THREAD
                ? jobs.stream().map(Workers.Job::run).toList()
                : workers.all(jobs);
    }

    private record Bound(BigDecimal chance, int dataset) {}

    /** Per dataset, the least bound that any path from the boundary puts on the best j outputs; 1 without a boundary. */
    private BigDecimal[] largest(int j) {
        BigDecimal[] start = new BigDecimal[alpha.rows.length];
        for (int c = 0; c < start.length; c++) {
            workers.check(c);
            if (alpha.rows[c] != null) {
                BigDecimal[] exact = Inequalities.exact(alpha.rows[c]);
                BigDecimal sum = BigDecimal.ZERO;
                for (int r = 0; r < j; r++) {
                    sum = sum.add(exact[graph.orders.rows[c][r]]);
                }
                start[c] = sum.round(in.context);
            }
        }
        BigDecimal[] bound = new BigDecimal[graph.size()];
        Arrays.fill(bound, ONE);
        PriorityQueue<Bound> queue = new PriorityQueue<>((a, b) -> a.chance.compareTo(b.chance));
        for (int v : alpha.boundary) {
            bound[v] = start[graph.orders.of[v]];
            queue.add(new Bound(bound[v], v));
        }
        workers.memory.take(bytes * queue.size());
        Adjacency links = graph.adjacency(workers);
        int met = 0;
        while (!queue.isEmpty()) {
            Bound least = queue.remove();
            workers.memory.give(bytes);
            int u = least.dataset;
            if (least.chance != bound[u]) { // lowered since
                continue;
            }
            for (int h = links.start()[u]; h < links.start()[u + 1]; h++) {
                workers.check(met++);
                int v = links.neighbor()[h];
                int e = links.edge()[h];
                if (graph.crossing(e)) {
                    continue;
                }
                BigDecimal allowed = allowed(least.chance, e);
                if (allowed.compareTo(bound[v]) < 0) {
                    bound[v] = allowed;
                    queue.add(new Bound(allowed, v));
                    workers.memory.take(bytes);
                }
            }
        }
        return bound;
    }

    /** U of an edge. */
    private BigDecimal allowed(BigDecimal s, int e) {
        BigDecimal steep = in.plus(in.times(factor[e], s), delta[e]);
        BigDecimal rest = in.over(in.minus(in.minus(ONE, s), delta[e]), factor[e]);
        return steep.min(in.minus(ONE, rest));
    }

    /** The chances between the sums, in the order of the colours; on the boundary, alpha. */
    private double[][] ranked(List<BigDecimal[]> sums) {
        int n = graph.size();
        double[][] out = new double[k][n];
        boolean[] given = new boolean[n];
        for (int v : alpha.boundary) {
            given[v] = true;
        }
        workers.ranges(n, WORTH_A_THREAD, (from, to) -> {
            for (int v = from; v < to; v++) {
                workers.check(v);
                int order = graph.orders.of[v];
                BigDecimal below = BigDecimal.ZERO;
                for (int r = 0; r < k; r++) {
                    BigDecimal above = r < k - 1 ? sums.get(r)[v] : ONE;
                    int c = graph.orders.rows[order][r];
                    out[c][v] = given[v] ? alpha.rows[order][c] : Units.rounded(in.minus(above, below));
                    below = above;
                }
            }
            return null;
        });
        return out;
    }

    /** The broken edges of a part: how many, and the worst of them. */
    private record Broken(int count, int worst, double tightness) {}

    /** Why they are not private together; null where they are. */
    Refusal refusal() {
        List<Broken> parts = workers.ranges(graph.edges(), WORTH_A_THREAD, this::broken);
        int count = 0;
        Broken worst = new Broken(0, -1, -1.0);
        for (Broken part : parts) {
            count += part.count;
            worst = part.tightness > worst.tightness ? part : worst;
        }
        if (count == 0) {
            return null;
        }
        int e = worst.worst;
        Inequalities between = new Inequalities(k, workers);
        judge(between, e);
        List<String> lines =
                between.sentences(graph, graph.source[e], graph.target[e], graph.epsilon[e], graph.delta[e]);
        return Refusal.notPrivate(
                String.format(
                        Locale.ROOT,
                        "the largest prefix sums are not private together on %,d of %,d edges, such as %s: %s",
                        count,
                        graph.edges(),
                        Text.edge(graph.keys[graph.source[e]], graph.keys[graph.target[e]]),
                        String.join("; ", lines)),
                "leave the method to neodp: the line is private for any mixture of epsilons");
    }

    private Broken broken(int from, int to) {
        Inequalities between = new Inequalities(k, workers);
        int count = 0;
        int worst = -1;
        double most = -1.0;
        for (int e = from; e < to; e++) {
            workers.check(e);
            if (!judge(between, e)) {
                count++;
                if (between.tightness > most) {
                    most = between.tightness;
                    worst = e;
                }
            }
        }
        return new Broken(count, worst, most);
    }

    private boolean judge(Inequalities between, int e) {
        between.take(0, chances, graph.source[e]);
        between.take(1, chances, graph.target[e]);
        return between.judge(graph.epsilon[e], graph.delta[e]);
    }
}
