package neodp.algorithm;

import java.util.Arrays;
import java.util.List;
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
public final class Labeling extends Mechanism {
    private static final int WORTH_A_THREAD = 20_000; // datasets

    public final Rule rule;

    /** Labels of alpha; certainty where it is not given. */
    public final long[] own;

    /** What all paths allow. */
    public final long[] label;

    private final Adjacency links;

    private Labeling(DatasetGraph graph, Rule rule, long[] own, int rounded, Workers workers) {
        super(graph, "labels", new Fit(rounded, 0));
        this.rule = rule;
        this.own = own;
        this.label = settled(graph, rule, own, workers);
        this.links = graph.adjacency(workers);
    }

    /** The optimal mechanism; refused where the boundary is not hit or alpha is not compatible. */
    public static Labeling extend(DatasetGraph graph, Workers workers) {
        int unhit = graph.unhitEdge(workers);
        if (unhit >= 0) {
            throw Refusal.unhit(graph.name, unhitSentence(graph, unhit, component(graph, unhit, workers)));
        }
        return solve(graph, workers);
    }

    /** The labels of a graph whose boundary is hit. */
    public static Labeling solve(DatasetGraph graph, Workers workers) {
        Supplier<Adjacency> links = graph.size() < WORTH_A_THREAD
                ? () -> graph.adjacency(workers)
                : workers.begin(() -> graph.adjacency(workers)); // beside what comes first
        Rule rule = new Rule(graph, workers);
        long[] own = new long[graph.size()];
        for (int v = 0; v < own.length; v++) {
            workers.check(v);
            long alpha = graph.given(v) ? Labels.encode(graph.alpha[0][v], graph.alpha[1][v]) : 0;
            own[v] = !graph.given(v) ? Labels.HALF : graph.color[v] == 0 ? alpha : -alpha;
        }
        links.get(); // not in a lock, where nobody would look whether to go on
        Labeling found = new Labeling(graph, rule, own, 0, workers);
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

    @Override
    public double chance(int v, int c) {
        return Labels.decode(graph.color[v] == c ? label[v] : -label[v]);
    }

    @Override
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
    private Labeling roundedIn(Workers workers) {
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
                off |= change > Witness.ROUNDING * p;
            }
        }
        if (moved == 0 || off) {
            throw Incompatible.of(
                    graph.name, witness(conflict(workers), workers), "lower the first or raise the second");
        }
        long[] lowered = own.clone();
        for (int v = 0; v < n; v++) {
            workers.check(v);
            if (graph.given(v)) {
                lowered[v] = sign(v) * after[v];
            }
        }
        return new Labeling(graph, rule, lowered, moved, workers);
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
            path.datasets().add(v);
            path.edges().add(conflict.over);
        }
        int origin = path.datasets().get(0);
        return new Witness(
                graph.keys[v],
                graph.colors.get(c),
                Labels.decode(value),
                Labels.decode(bound),
                graph.keys[origin],
                graph.alpha[c][origin],
                path.datasets().stream().map(w -> graph.keys[w]).toList(),
                path.edges().stream().mapToDouble(e -> graph.epsilon[e]).sum(),
                path.edges().stream().mapToDouble(e -> graph.delta[e]).sum());
    }

    @Override
    public Path path(int v, Runnable check, Memory memory) {
        if (label[v] >= Labels.HALF) {
            return Path.NONE;
        }
        // backwards over edges that are tight; a source of the other colour ends it too
        return Path.trace(
                v,
                w -> graph.color[w] != graph.color[v] || (graph.given(w) && label[w] == own[w]),
                (w, u, e) -> {
                    boolean same = graph.color[u] == graph.color[w];
                    return (same || graph.given(u)) && rule.relax(same ? label[u] : -own[u], e) == label[w];
                },
                links,
                check,
                memory);
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
}
