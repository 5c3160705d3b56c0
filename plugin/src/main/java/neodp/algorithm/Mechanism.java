package neodp.algorithm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Memory;
import neodp.call.Workers;

/**
 * The optimal extension of alpha to a whole graph of two colours, on labels of each dataset's own colour.
 *
 * <p>For a dataset v of colour c, Pr[M(v) = c] is the minimum, over all datasets u with alpha and all paths from u to v,
 * of U along the path applied to Pr[M(u) = c] (paper 000, Theorem 1; paper 002, Theorems 1 and 2). A source bounds its
 * neighbours of the other colour by its complement; beyond that, no path need leave a colour. The twin of
 * {@code neodp/core/binary/labeling.py}.
 */
public final class Mechanism {
    /** An alpha that exceeds its bound by no more than this part of itself is taken for a rounding error. */
    public static final double ROUNDING = 1e-12;

    private static final int WORTH_A_THREAD = 20_000; // datasets
    private static final long PER_STEP = 120; // bytes, of a dataset that the search for a path has met

    public final DatasetGraph graph;
    public final Rule rule;

    /** Labels of alpha; certainty where it is not given. */
    public final long[] own;

    /** What all paths allow. */
    public final long[] label;

    /** How many alpha were rounded in. */
    public final int rounded;

    private final Adjacency links;

    private Mechanism(DatasetGraph graph, Rule rule, long[] own, int rounded, Workers workers) {
        this.graph = graph;
        this.rule = rule;
        this.own = own;
        this.rounded = rounded;
        this.label = settled(graph, rule, own, workers);
        this.links = graph.adjacency(workers);
    }

    /** A path: datasets one after another, and the edges between them. */
    public record Path(List<Integer> datasets, List<Integer> edges) {}

    /** The optimal mechanism; refused where the boundary is not hit or alpha is not compatible. */
    public static Mechanism extend(DatasetGraph graph, Workers workers) {
        int unhit = graph.unhitEdge(workers);
        if (unhit >= 0) {
            throw Refusal.unhit(graph.name, unhitSentence(graph, unhit, component(graph, unhit, workers)));
        }
        return solve(graph, workers);
    }

    /** The labels of a graph whose boundary is hit. */
    public static Mechanism solve(DatasetGraph graph, Workers workers) {
        Supplier<Adjacency> links = graph.size() < WORTH_A_THREAD
                ? () -> graph.adjacency(workers)
                : workers.begin(() -> graph.adjacency(workers)); // beside what comes first
        Rule rule = new Rule(graph, workers);
        long[] own = new long[graph.size()];
        for (int v = 0; v < own.length; v++) {
            workers.check(v);
            long alpha = graph.given(v) ? Labels.encode(graph.first[v], graph.second[v]) : 0;
            own[v] = !graph.given(v) ? Labels.HALF : graph.color[v] == 0 ? alpha : -alpha;
        }
        links.get(); // not in a lock, where nobody would look whether to go on
        Mechanism found = new Mechanism(graph, rule, own, 0, workers);
        return found.conflict(workers) == null ? found : found.roundedIn(workers);
    }

    private static long[] settled(DatasetGraph graph, Rule rule, long[] own, Workers workers) {
        long[] label = own.clone();
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e)) {
                int u = graph.source[e];
                int v = graph.target[e];
                if (graph.given(u)) {
                    label[v] = Math.min(label[v], rule.relax(-own[u], e));
                }
                if (graph.given(v)) {
                    label[u] = Math.min(label[u], rule.relax(-own[v], e));
                }
            }
        }
        workers.check();
        Settle settle = new Settle(graph.adjacency(workers), rule, graph.color, workers::check);
        List<int[]> parts = IntStream.range(0, 2)
                .mapToObj(c -> where(graph.size(), v -> label[v] < Labels.HALF && graph.color[v] == c, workers))
                .toList();
        if (graph.size() < WORTH_A_THREAD) {
            parts.forEach(seeds -> settle.run(label, seeds));
        } else {
            workers.all(parts.stream()
                    .<Workers.Job<Void>>map(seeds -> () -> {
                        settle.run(label, seeds);
                        return null;
                    })
                    .toList());
        }
        return label;
    }

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

    /** Pr[first colour]. */
    public double first(int v) {
        return Labels.decode(graph.color[v] == 0 ? label[v] : -label[v]);
    }

    /** Pr[second colour]. */
    public double second(int v) {
        return Labels.decode(graph.color[v] == 0 ? -label[v] : label[v]);
    }

    /** The chance of the own colour. */
    public double truth(int v) {
        return Labels.decode(label[v]);
    }

    /** A source whose alpha cannot be kept, and the boundary edge over which it lies too low, or -1. */
    private record Conflict(int dataset, int over) {}

    private Conflict conflict(Workers workers) {
        int worst = -1;
        for (int v = 0; v < own.length; v++) {
            workers.check(v);
            if (graph.given(v) && label[v] < own[v] && (worst < 0 || own[v] - label[v] > own[worst] - label[worst])) {
                worst = v;
            }
        }
        if (worst >= 0) {
            return new Conflict(worst, -1);
        }
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e)) {
                int u = graph.source[e];
                int v = graph.target[e];
                if (graph.given(u) && -label[u] > rule.relax(label[v], e)) {
                    return new Conflict(u, e);
                }
                if (graph.given(v) && -label[v] > rule.relax(label[u], e)) {
                    return new Conflict(v, e);
                }
            }
        }
        return null;
    }

    /**
     * Alpha lowered, in Pr[first colour], until it is compatible; refused beyond a rounding error. Lowering in one
     * colour settles both, since U on labels is self-adjoint.
     */
    private Mechanism roundedIn(Workers workers) {
        int n = graph.size();
        long[] before = new long[n];
        Arrays.setAll(before, v -> graph.given(v) ? sign(v) * own[v] : Labels.HALF);
        long[] after = before.clone();
        new Settle(links, rule, null, workers::check).run(after, where(n, graph::given, workers));
        int moved = 0;
        boolean off = false;
        for (int v = 0; v < n; v++) {
            workers.check(v);
            if (graph.given(v) && after[v] < before[v]) {
                moved++;
                double p = Labels.decode(before[v]);
                double change =
                        p <= 0.5 ? p - Labels.decode(after[v]) : Labels.decode(-after[v]) - Labels.decode(-before[v]);
                off |= change > ROUNDING * p;
            }
        }
        if (moved == 0 || off) {
            throw new Incompatible(graph.name, witness(conflict(workers), workers));
        }
        long[] lowered = own.clone();
        for (int v = 0; v < n; v++) {
            workers.check(v);
            if (graph.given(v)) {
                lowered[v] = sign(v) * after[v];
            }
        }
        return new Mechanism(graph, rule, lowered, moved, workers);
    }

    private int sign(int v) {
        return graph.color[v] == 0 ? 1 : -1;
    }

    /** Why the alpha of a dataset cannot be kept. */
    private Witness witness(Conflict conflict, Workers workers) {
        int v = conflict.dataset;
        int c = graph.color[v];
        long value = own[v];
        long bound = label[v];
        Path path;
        if (conflict.over < 0) {
            path = path(v, workers::check, workers.memory);
        } else { // v is too likely to answer as its neighbour over that edge does
            int w = graph.source[conflict.over] + graph.target[conflict.over] - v;
            c = graph.color[w];
            value = -own[v];
            bound = rule.relax(label[w], conflict.over);
            path = path(w, workers::check, workers.memory);
            path.datasets.add(v);
            path.edges.add(conflict.over);
        }
        int origin = path.datasets.get(0);
        return new Witness(
                graph.keys[v],
                graph.colors.get(c),
                Labels.decode(value),
                Labels.decode(bound),
                graph.keys[origin],
                c == 0 ? graph.first[origin] : graph.second[origin],
                path.datasets.stream().map(w -> graph.keys[w]).toList(),
                path.edges.stream().mapToDouble(e -> graph.epsilon[e]).sum(),
                path.edges.stream().mapToDouble(e -> graph.delta[e]).sum());
    }

    /** The path from the dataset that decides a label to the one that has it. */
    public Path path(int v, Runnable check, Memory memory) {
        Map<Integer, int[]> onward = new HashMap<>();
        ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(v));
        int w;
        while (true) { // backwards over edges that are tight; a source of the other colour ends it too
            w = queue.remove();
            check.run();
            int met = onward.size();
            if (graph.color[w] != graph.color[v] || (graph.given(w) && label[w] == own[w])) {
                break;
            }
            for (int h = links.start()[w]; h < links.start()[w + 1]; h++) {
                int u = links.neighbor()[h];
                int e = links.edge()[h];
                boolean same = graph.color[u] == graph.color[w];
                boolean tight = (same || graph.given(u)) && rule.relax(same ? label[u] : -own[u], e) == label[w];
                if (tight && u != v && onward.putIfAbsent(u, new int[] {w, e}) == null) {
                    queue.add(u);
                }
            }
            memory.take(PER_STEP * (onward.size() - met));
        }
        Path path = new Path(new ArrayList<>(Collections.singletonList(w)), new ArrayList<>());
        while (w != v) {
            int[] step = onward.get(w);
            w = step[0];
            path.datasets.add(w);
            path.edges.add(step[1]);
        }
        memory.give(PER_STEP * onward.size());
        return path;
    }

    /** What to say of a boundary edge without alpha. */
    public static String unhitSentence(DatasetGraph graph, int e, String where) {
        return "the boundary edge " + graph.edgeName(e) + " (" + graph.colorOf(graph.source[e]) + ", "
                + graph.colorOf(graph.target[e]) + ") has alpha at neither end" + where;
    }

    /** In which component an edge lies, where there are several. */
    private static String component(DatasetGraph graph, int e, Workers workers) {
        int[] hops = graph.hops(new int[] {graph.source[e]}, workers);
        int[] members = where(graph.size(), v -> hops[v] >= 0, workers);
        return members.length == graph.size()
                ? ""
                : ", in the component of " + Text.quoted(graph.keys[members[0]]) + " (" + members.length + " datasets)";
    }

    /** The least chance of a true answer. */
    public double leastTruth(Workers workers) {
        long least = label[0];
        for (int v = 0; v < label.length; v++) {
            workers.check(v);
            least = Math.min(least, label[v]);
        }
        return Labels.decode(least);
    }

    /** The mean of what numpy's pairwise summation adds up, in that order: the same bits. */
    public double meanTruth(Workers workers) {
        return pairwise(0, graph.size(), workers) / graph.size();
    }

    private double pairwise(int from, int n, Workers workers) {
        if (n < 8) {
            double sum = n > 0 ? -0.0 : 0.0;
            for (int i = 0; i < n; i++) {
                sum += truth(from + i);
            }
            return sum;
        }
        if (n <= 128) {
            double[] r = new double[8];
            Arrays.setAll(r, j -> truth(from + j));
            int i = 8;
            for (; i < n - n % 8; i += 8) {
                for (int j = 0; j < 8; j++) {
                    r[j] += truth(from + i + j);
                }
            }
            double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
            for (; i < n; i++) {
                sum += truth(from + i);
            }
            return sum;
        }
        workers.check();
        int half = n / 2 - n / 2 % 8;
        return pairwise(from, half, workers) + pairwise(from + half, n - half, workers);
    }
}
