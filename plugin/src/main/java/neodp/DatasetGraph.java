package neodp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A graph of datasets with two colours, as columns: one array per property, one entry per dataset or per edge.
 *
 * <p>The twin of {@code neodp/data/graph.py}. Edges are undirected, stand once, and are in the order of their ends.
 */
final class DatasetGraph {
    final String name;
    final List<String> colors;
    final String[] keys;
    final byte[] color;

    /** Alpha: Pr[first colour] and Pr[second colour], NaN where none is given; the smaller one is exact. */
    final double[] first;

    final double[] second;

    /** Two positions in {@code colors} per dataset, best first, -1 where it has no order; null where none has. */
    final byte[] preference;

    final int[] source;
    final int[] target;
    final double[] epsilon;
    final double[] delta;

    private static final int PART = 1 << 17; // what is worth a thread

    private Adjacency adjacency;

    /** Edges as they are found: they may stand twice, and their values have not been looked at. */
    static final class Edges {
        /** Bytes that none take. */
        static final long EMPTY = 500;

        int count;
        int counted; // how many of them were told to somebody
        int[] source = new int[16];
        int[] target = new int[16];
        double[] epsilon = new double[16];
        double[] delta = new double[16];

        void add(int u, int v, double edgeEpsilon, double edgeDelta) {
            if (count == source.length) {
                grow(2L * count);
            }
            source[count] = u;
            target[count] = v;
            epsilon[count] = edgeEpsilon;
            delta[count++] = edgeDelta;
        }

        static Edges all(List<Edges> parts, Workers workers) {
            Edges out = new Edges();
            out.grow(parts.stream().mapToLong(part -> part.count).sum());
            for (Edges part : parts) {
                workers.check();
                System.arraycopy(part.source, 0, out.source, out.count, part.count);
                System.arraycopy(part.target, 0, out.target, out.count, part.count);
                System.arraycopy(part.epsilon, 0, out.epsilon, out.count, part.count);
                System.arraycopy(part.delta, 0, out.delta, out.count, part.count);
                out.count += part.count;
            }
            return out;
        }

        private void grow(long size) {
            if (size > Integer.MAX_VALUE / 2 - 8) { // every edge has two ends in one array
                throw Refusal.client("the graph has too many edges for the plugin", "use the client");
            }
            source = Arrays.copyOf(source, (int) size);
            target = Arrays.copyOf(target, (int) size);
            epsilon = Arrays.copyOf(epsilon, (int) size);
            delta = Arrays.copyOf(delta, (int) size);
        }
    }

    /** The edges of a graph from both of their ends (CSR): those at v stand from start[v] to before start[v + 1]. */
    record Adjacency(int[] start, int[] neighbor, int[] edge) {}

    DatasetGraph(
            String name,
            List<String> colors,
            String[] keys,
            byte[] color,
            double[] first,
            double[] second,
            byte[] preference,
            Edges edges,
            Workers workers) {
        this.name = name;
        this.colors = colors;
        this.keys = keys;
        this.color = color;
        this.first = first;
        this.second = second;
        this.preference = preference;
        checkEdges(edges, workers);
        Rows rows = new Rows(edges, keys.length, workers);
        int count = rows.distinct(workers);
        source = new int[count];
        target = new int[count];
        epsilon = new double[count];
        delta = new double[count];
        workers.ranges(count, PART, (from, to) -> {
            for (int i = from; i < to; i++) {
                workers.check(i);
                int e = (int) rows.entry[i];
                source[i] = edges.source[e];
                target[i] = edges.target[e];
                epsilon[i] = edges.epsilon[e] + 0.0;
                delta[i] = edges.delta[e] + 0.0;
            }
            return null;
        });
    }

    int size() {
        return keys.length;
    }

    int edges() {
        return source.length;
    }

    /** The position of a dataset, where keys are in order. */
    int index(String key) {
        int v = Arrays.binarySearch(keys, key, Text::compare);
        if (v < 0) {
            throw Refusal.unknownKey(name, key);
        }
        return v;
    }

    boolean given(int v) {
        return !Double.isNaN(first[v]);
    }

    /** Whether the ends of an edge differ in colour: a boundary edge. */
    boolean crossing(int e) {
        return color[source[e]] != color[target[e]];
    }

    String colorOf(int v) {
        return colors.get(color[v]);
    }

    String edgeName(int e) {
        return Text.edge(keys[source[e]], keys[target[e]]);
    }

    /** The datasets on the boundary. */
    boolean[] boundary(Workers workers) {
        boolean[] out = new boolean[size()];
        for (int e = 0; e < edges(); e++) {
            workers.check(e);
            if (crossing(e)) {
                out[source[e]] = true;
                out[target[e]] = true;
            }
        }
        return out;
    }

    /** A boundary edge with alpha at neither end, or -1. */
    int unhitEdge(Workers workers) {
        for (int e = 0; e < edges(); e++) {
            workers.check(e);
            if (crossing(e) && !given(source[e]) && !given(target[e])) {
                return e;
            }
        }
        return -1;
    }

    /** Every edge from both of its ends. */
    synchronized Adjacency adjacency(Workers workers) {
        if (adjacency == null) {
            int[] start = new int[size() + 2];
            for (int e = 0; e < edges(); e++) {
                workers.check(e);
                start[source[e] + 2]++;
                start[target[e] + 2]++;
            }
            for (int v = 0; v < size(); v++) {
                workers.check(v);
                start[v + 2] += start[v + 1];
            }
            int[] neighbor = new int[2 * edges()];
            int[] edge = new int[2 * edges()];
            for (int e = 0; e < edges(); e++) {
                workers.check(e);
                int at = start[source[e] + 1]++;
                neighbor[at] = target[e];
                edge[at] = e;
                at = start[target[e] + 1]++;
                neighbor[at] = source[e];
                edge[at] = e;
            }
            adjacency = new Adjacency(start, neighbor, edge);
        }
        return adjacency;
    }

    /** Per dataset, how many edges it is away from the nearest of some; -1 where none can be reached. */
    int[] hops(int[] from, Workers workers) {
        Adjacency links = adjacency(workers);
        int[] out = new int[size()];
        Arrays.fill(out, -1);
        int[] queue = Arrays.copyOf(from, size());
        int filled = from.length;
        for (int v : from) {
            out[v] = 0;
        }
        for (int done = 0; done < filled; done++) {
            workers.check(done);
            int u = queue[done];
            for (int h = links.start[u]; h < links.start[u + 1]; h++) {
                int v = links.neighbor[h];
                if (out[v] < 0) {
                    out[v] = out[u] + 1;
                    queue[filled++] = v;
                }
            }
        }
        return out;
    }

    /** How many components it has. */
    int components(Workers workers) {
        int[] parent = new int[size()];
        Arrays.setAll(parent, v -> v);
        int count = size();
        for (int e = 0; e < edges(); e++) {
            workers.check(e);
            int u = root(parent, source[e]);
            int v = root(parent, target[e]);
            if (u != v) {
                parent[Math.max(u, v)] = Math.min(u, v);
                count--;
            }
        }
        return count;
    }

    static int root(int[] parent, int vertex) {
        int v = vertex;
        while (parent[v] != v) {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        return v;
    }

    /**
     * A digest of keys, colours, preferences, alpha, edges, epsilons and deltas: {@code fingerprint} of
     * {@code neodp/store/records.py}, for a graph whose keys are in order.
     */
    String fingerprint(Workers workers) {
        Digest digest = new Digest(workers);
        String names = colors.stream().map(Text::repr).collect(Collectors.joining(", ", "(", ")"));
        digest.bytes(("(" + names + ", " + size() + ", " + edges() + ")").getBytes(StandardCharsets.UTF_8));
        for (String key : keys) { // twice, rather than keeping all of them
            digest.room(4).putInt(key.getBytes(StandardCharsets.UTF_8).length);
        }
        digest.bytes(color);
        for (int v = 0; v < size(); v++) {
            digest.room(16).putDouble(given(v) ? first[v] : Double.NaN).putDouble(given(v) ? second[v] : Double.NaN);
        }
        for (int e = 0; e < edges(); e++) {
            digest.room(8).putLong(Math.min(source[e], target[e]));
        }
        for (int e = 0; e < edges(); e++) {
            digest.room(8).putLong(Math.max(source[e], target[e]));
        }
        for (double x : epsilon) {
            digest.room(8).putDouble(x);
        }
        for (double x : delta) {
            digest.room(8).putDouble(x);
        }
        if (preference != null) {
            digest.bytes(preference);
        }
        for (String key : keys) {
            digest.bytes(key.getBytes(StandardCharsets.UTF_8));
        }
        return digest.hex();
    }

    /** SHA-256 of little-endian columns. */
    private static final class Digest {
        private final MessageDigest sha;
        private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
        private final Workers workers;

        Digest(Workers workers) {
            this.workers = workers;
            try {
                sha = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e); // every Java has it
            }
        }

        ByteBuffer room(int bytes) {
            if (buffer.remaining() < bytes) {
                flush();
            }
            return buffer;
        }

        void bytes(byte[] data) {
            for (int from = 0; from < data.length; from += buffer.capacity()) {
                int length = Math.min(data.length - from, buffer.capacity());
                room(length).put(data, from, length);
            }
        }

        private void flush() {
            workers.check();
            sha.update(buffer.array(), 0, buffer.position());
            buffer.clear();
        }

        String hex() {
            flush();
            return HexFormat.of().formatHex(sha.digest());
        }
    }

    private void checkEdges(Edges edges, Workers workers) {
        for (int e = 0; e < edges.count; e++) {
            workers.check(e);
            checkNumber(edges, e, "epsilon", edges.epsilon[e], Labels.MAX_EPSILON);
            checkNumber(edges, e, "delta", edges.delta[e], 1.0);
            if (edges.source[e] == edges.target[e]) {
                throw Refusal.graph(place(edges, e) + " joins a dataset to itself", "remove it");
            }
        }
    }

    private void checkNumber(Edges edges, int e, String what, double x, double most) {
        if (!(x >= 0.0 && x <= most)) {
            throw Refusal.graph(
                    place(edges, e) + ": " + what + " is " + Text.repr(x),
                    "give a number from 0 to " + Text.general(most));
        }
    }

    private String place(Edges edges, int e) {
        return "edge " + Text.edge(keys[edges.source[e]], keys[edges.target[e]]);
    }

    /** Edges in the order of their lower, then of their higher end. */
    private final class Rows {
        /** Per edge, its higher end above its position. */
        final long[] entry;

        private final Edges edges;

        Rows(Edges edges, int n, Workers workers) {
            this.edges = edges;
            int[] start = new int[n + 2];
            for (int e = 0; e < edges.count; e++) {
                workers.check(e);
                start[low(edges, e) + 2]++;
            }
            for (int v = 0; v < n; v++) {
                workers.check(v);
                start[v + 2] += start[v + 1];
            }
            entry = new long[edges.count];
            for (int e = 0;
                    e < edges.count;
                    e++) { // start[v + 1] moves from where the row of v begins to where it ends
                workers.check(e);
                entry[start[low(edges, e) + 1]++] = (long) high(edges, e) << 32 | e;
            }
            workers.ranges(n, PART, (from, to) -> {
                for (int v = from; v < to; v++) {
                    workers.check(v);
                    sort(start[v], start[v + 1], workers);
                }
                return null;
            });
        }

        /** Sort a row; a long one in parts, which are merged, since nothing stops Java's sort. */
        private void sort(int from, int to, Workers workers) {
            if (to - from <= PART) {
                Arrays.sort(entry, from, to);
                return;
            }
            int middle = from + (to - from) / 2;
            sort(from, middle, workers);
            sort(middle, to, workers);
            workers.memory.take(8L * (middle - from));
            long[] lower = Arrays.copyOfRange(entry, from, middle);
            for (int i = 0, j = middle, at = from; i < lower.length; at++) {
                workers.check(at);
                entry[at] = j == to || lower[i] <= entry[j] ? lower[i++] : entry[j++];
            }
            workers.memory.give(8L * (middle - from));
        }

        /** Move together those that differ from the one before; how many. Refused where the same two have other values. */
        int distinct(Workers workers) {
            int kept = 0;
            for (int i = 0; i < entry.length; i++) {
                workers.check(i);
                if (kept == 0 || !again((int) entry[kept - 1], (int) entry[i])) {
                    entry[kept++] = entry[i];
                }
            }
            return kept;
        }

        private boolean again(int e, int f) {
            boolean same = high(edges, e) == high(edges, f) && low(edges, e) == low(edges, f);
            if (same && (edges.epsilon[e] != edges.epsilon[f] || edges.delta[e] != edges.delta[f])) {
                throw Refusal.graph(
                        place(edges, f) + " occurs twice, with (epsilon, delta) " + pair(edges, e) + " and "
                                + pair(edges, f),
                        "keep one of them");
            }
            return same;
        }
    }

    private static String pair(Edges edges, int e) {
        return "(" + Text.general(edges.epsilon[e]) + ", " + Text.general(edges.delta[e]) + ")";
    }

    private static int low(Edges edges, int e) {
        return Math.min(edges.source[e], edges.target[e]);
    }

    private static int high(Edges edges, int e) {
        return Math.max(edges.source[e], edges.target[e]);
    }

    /**
     * What an edge allows, for all edges: (epsilon, delta) as the factor and delta of {@link Labels}; arrays of length
     * one where all edges are alike.
     */
    static final class Rule {
        final double[] factor;
        final double[] delta;

        /** How many low bits of a label no edge leaves in place. */
        final int shift;

        Rule(DatasetGraph graph, Workers workers) {
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

        long relax(long label, int e) {
            return Labels.relax(label, factor[factor.length > 1 ? e : 0], delta[delta.length > 1 ? e : 0]);
        }

        long balance(int e) {
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
}
