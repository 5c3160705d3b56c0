package neodp.algorithm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Memory;
import neodp.call.Workers;

/**
 * Single datasets on demand: the optimal mechanism at some datasets, from as little of the graph as proves it.
 *
 * <p>Since U on labels is self-adjoint, a pass backwards from a dataset, started with the complement of its label so far,
 * gives every dataset the back label that a source there or beyond must undercut to matter. The search asks for the edges
 * at the datasets that may matter, a layer at a time, until there is none left: that is the proof. The result is that of
 * {@link Labeling#extend} on the whole graph in every bit, unless that refuses the graph for something outside the ball.
 * The twin of {@code neodp/core/ball.py}.
 */
public final class Ball<N> {
    /** How often a search may ask before a pass over the whole graph is cheaper. */
    public static final int LAYERS = 200;

    private static final int LIMIT = 100_000;
    private static final long PER_DATASET = 600; // bytes, with its node, while it is searched
    private static final long PER_DATASET_AFTER = Memory.PER_DATASET; // of what was found
    private static final long PER_EDGE = 150;

    private final String graph;
    private final List<String> colors;
    private final Neighborhood<N> source;
    private final Workers workers;
    private final List<N> nodes = new ArrayList<>();
    private final Map<Long, Integer> positions = new HashMap<>();
    private final List<String> keys = new ArrayList<>();
    private final List<Byte> color = new ArrayList<>();
    private final List<double[]> alpha = new ArrayList<>();
    private final Edges edges = new Edges();
    private final double[][] least;

    /** What was found: the part of the graph that was seen, extended. */
    public Labeling mechanism;

    public int expanded;
    public int layers;
    public int reach;
    public String proof;

    /**
     * A search in a graph.
     *
     * @param least per colour, a lower bound of its chance at any dataset that has alpha, and the chance of the other
     * @param source where to look
     */
    public Ball(String graph, List<String> colors, double[][] least, Neighborhood<N> source, Workers workers) {
        this.graph = graph;
        this.colors = colors;
        this.least = least;
        this.source = source;
        this.workers = workers;
    }

    public int seen() {
        return keys.size();
    }

    /** How many datasets a search may see before a pass over the whole graph is cheaper, roughly. */
    public static int cheaper(long datasets) {
        return (int) Math.min(LIMIT, Math.max(1000, datasets / 8));
    }

    /** Search from some datasets; their positions in what was found. */
    public int[] search(List<String> wanted, int limit, int most) {
        int[] asked = Keys.places(wanted, key -> add(source.find(key)), workers);
        int[] start = IntStream.range(0, seen()).toArray();
        long[] limits = new long[2];
        for (int c = 0; c < 2; c++) { // what nothing bounds yet is searched until the boundary is met
            limits[c] = Math.max(-Labels.encode(least[c][0], least[c][1]), 1 - Labels.HALF);
        }
        boolean[] inner = new boolean[seen()];
        while (true) {
            workers.check();
            solve();
            inner = Arrays.copyOf(inner, seen());
            Back back = new Back(start, limits, inner);
            int[] needed = Mechanism.where(seen(), v -> back.needed[v], workers);
            if (needed.length == 0) {
                reach = Arrays.stream(mechanism.graph.hops(start, workers))
                        .max()
                        .orElse(0);
                proof = back.proof();
                workers.memory.give((PER_DATASET - PER_DATASET_AFTER) * seen());
                return asked;
            }
            if (seen() > limit || layers == most) {
                throw Refusal.ballTooLarge(graph, seen(), layers);
            }
            for (int v : needed) {
                expand(v, inner);
                inner[v] = true;
            }
            expanded += needed.length;
            layers++;
        }
    }

    private int add(N node) {
        Integer known = positions.get(source.id(node));
        if (known != null) {
            return known;
        }
        Neighborhood.Dataset dataset = source.dataset(node);
        workers.memory.take(PER_DATASET + Memory.ofKey(dataset.key()));
        positions.put(source.id(node), nodes.size());
        nodes.add(node);
        keys.add(dataset.key());
        color.add(dataset.color());
        alpha.add(dataset.alpha());
        return nodes.size() - 1;
    }

    /** Add the edges at a dataset, but for those that its neighbours have added. */
    private void expand(int v, boolean[] inner) {
        for (Neighborhood.Link<N> link : source.links(nodes.get(v))) {
            workers.check();
            N other = link.end();
            Integer known = positions.get(source.id(other));
            if (known == null ? link.inside() : known >= inner.length || !inner[known]) {
                workers.memory.take(PER_EDGE);
                link.add(edges, v, known == null ? add(other) : known);
            }
        }
    }

    private void solve() {
        DatasetGraph ball = new DatasetGraph(
                graph,
                colors,
                keys.toArray(String[]::new),
                bytes(color),
                new double[][] {
                    alpha.stream().mapToDouble(row -> row[0]).toArray(),
                    alpha.stream().mapToDouble(row -> row[1]).toArray()
                },
                null,
                edges,
                workers);
        int unhit = ball.unhitEdge(workers);
        if (unhit >= 0) {
            throw Refusal.unhit(graph, Labeling.unhitSentence(ball, unhit, ""));
        }
        mechanism = Labeling.solve(ball, workers);
    }

    private static byte[] bytes(List<Byte> values) {
        byte[] out = new byte[values.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = values.get(i);
        }
        return out;
    }

    /** The passes backwards: which of the datasets that are not expanded may still matter. */
    private final class Back {
        final boolean[] needed;
        private final DatasetGraph graph = mechanism.graph;
        private final Rule rule = mechanism.rule;
        private final int n = graph.size();
        private final int[] start;
        private final boolean[] inner;
        private final long[] label;

        Back(int[] start, long[] limits, boolean[] inner) {
            this.start = start;
            this.inner = inner;
            label = pass(0);
            needed = new boolean[n];
            for (int v = 0; v < n; v++) {
                workers.check(v);
                needed[v] = !inner[v] && label[v] < limits[graph.color[v]];
            }
            int[] deciding = deciding();
            if (deciding.length > 0) {
                long[] across = new long[n];
                Arrays.fill(across, Labels.HALF);
                for (int v : deciding) {
                    across[v] = -first(v);
                }
                new Settle(graph.adjacency(workers), rule, null, workers::check).run(across, deciding);
                for (int v = 0; v < n; v++) {
                    workers.check(v);
                    needed[v] |= !inner[v] && across[v] < limits[0];
                }
            }
        }

        /** The label of alpha, of Pr[first colour]. */
        private long first(int v) {
            return graph.color[v] == 0 ? mechanism.own[v] : -mechanism.own[v];
        }

        /** Back labels, in the colour of the datasets where they begin. */
        private long[] pass(long less) {
            long[] out = new long[n];
            Arrays.fill(out, Labels.HALF);
            for (int v : start) {
                out[v] = Math.max(-mechanism.label[v] - less, -Labels.HALF);
            }
            Settle settle = new Settle(graph.adjacency(workers), rule, graph.color, workers::check);
            for (int c = 0; c < 2; c++) {
                int own = c;
                workers.check();
                settle.run(
                        out,
                        Arrays.stream(start).filter(v -> graph.color[v] == own).toArray());
            }
            return out;
        }

        /**
         * The sources that decide, or might if their alpha were rounded in, which lowers Pr[first colour]: those that
         * would undercut the next higher label.
         */
        private int[] deciding() {
            long[] next = pass(1);
            boolean[] found = new boolean[n];
            for (int v = 0; v < n; v++) {
                workers.check(v);
                found[v] = next[v] < complement(graph.color[v], v);
            }
            for (int e = 0; e < graph.edges(); e++) {
                workers.check(e);
                if (graph.crossing(e)) { // one step across the boundary
                    step(next, e, graph.source[e], graph.target[e], found);
                    step(next, e, graph.target[e], graph.source[e], found);
                }
            }
            return Mechanism.where(n, v -> found[v] && graph.given(v), workers);
        }

        private void step(long[] next, int e, int u, int v, boolean[] found) {
            if (next[u] < Labels.HALF && rule.relax(next[u], e) < complement(graph.color[u], v)) {
                found[v] = true;
            }
        }

        /** The complement of the least chance of a colour that a source may have. */
        private long complement(int c, int v) {
            if (c == 1) {
                return first(v);
            }
            double p = Labels.decode(first(v));
            double q = Labels.decode(-first(v));
            double rounding = 2.0 * Witness.ROUNDING * p;
            return -Labels.encode(p - rounding, q + rounding);
        }

        /** Why nothing outside matters. */
        String proof() {
            List<String> reasons = new ArrayList<>();
            for (int c = 0; c < 2; c++) {
                int own = c;
                long rim = IntStream.range(0, n)
                        .filter(v -> !inner[v] && graph.color[v] == own)
                        .mapToLong(v -> label[v])
                        .min()
                        .orElse(Labels.HALF);
                if (rim < Labels.HALF) {
                    reasons.add("a dataset farther away could change the result only if its chance of "
                            + graph.colors.get(c)
                            + " were below " + Text.general(Labels.decode(-rim)) + ", and none is below "
                            + Text.general(least[c][0]));
                }
            }
            return reasons.isEmpty()
                    ? "every dataset that can be reached without changing the true answer was seen"
                    : String.join("; ", reasons);
        }
    }
}
