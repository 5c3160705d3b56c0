package neodp.algorithm;

import java.util.Arrays;
import java.util.List;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Workers;

/**
 * A graph of datasets, as columns: one array per property, one entry per dataset or per edge.
 *
 * <p>The twin of {@code neodp/data/graph.py}. Edges are undirected, stand once, and are in the order of their ends.
 */
public final class DatasetGraph {
    public final String name;
    public final List<String> colors;
    public final String[] keys;
    public final byte[] color;

    /** Alpha: per colour and dataset its chance, NaN where none is given; all but the largest chance are exact. */
    public final double[][] alpha;

    /** Per dataset the positions of all {@code colors}, best first, -1 where it has no order; null where none has. */
    public final byte[] preference;

    /** The orders of the colours; null with two colours, where nothing is left to order. */
    public final Orders orders;

    public final int[] source;
    public final int[] target;
    public final double[] epsilon;
    public final double[] delta;

    private static final int PART = 1 << 17; // what is worth a thread

    private Adjacency adjacency;

    public DatasetGraph(
            String name,
            List<String> colors,
            String[] keys,
            byte[] color,
            double[][] alpha,
            byte[] preference,
            Edges edges,
            Workers workers) {
        this.name = name;
        this.colors = colors;
        this.keys = keys;
        this.color = color;
        this.alpha = alpha;
        this.preference = preference;
        this.orders = colors.size() > 2 ? new Orders(colors.size(), color, preference, workers) : null;
        checkEdges(edges, workers);
        EdgeOrder rows = new EdgeOrder(keys, edges, workers);
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

    public int size() {
        return keys.length;
    }

    public int edges() {
        return source.length;
    }

    /** The position of a dataset, where keys are in order. */
    public int index(String key) {
        int v = Arrays.binarySearch(keys, key, Text::compare);
        if (v < 0) {
            throw Refusal.unknownKey(name, key);
        }
        return v;
    }

    public boolean given(int v) {
        return !Double.isNaN(alpha[0][v]);
    }

    /** Whether there are two colours. */
    public boolean binary() {
        return orders == null;
    }

    /** Whether the ends of an edge differ in colour, or in how they order the colours: a boundary edge. */
    public boolean crossing(int e) {
        return orders == null ? color[source[e]] != color[target[e]] : orders.of[source[e]] != orders.of[target[e]];
    }

    public String colorOf(int v) {
        return colors.get(color[v]);
    }

    public String edgeName(int e) {
        return Text.edge(keys[source[e]], keys[target[e]]);
    }

    /** The datasets on the boundary. */
    public boolean[] boundary(Workers workers) {
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

    /** How many datasets lie on the boundary. */
    public long boundarySize(Workers workers) {
        return boundaryDatasets(workers).length;
    }

    /** The positions of the datasets on the boundary. */
    public int[] boundaryDatasets(Workers workers) {
        boolean[] on = boundary(workers);
        return Mechanism.where(on.length, v -> on[v], workers);
    }

    /** A boundary edge with alpha at neither end, or -1. */
    public int unhitEdge(Workers workers) {
        for (int e = 0; e < edges(); e++) {
            workers.check(e);
            if (crossing(e) && !given(source[e]) && !given(target[e])) {
                return e;
            }
        }
        return -1;
    }

    /** Every edge from both of its ends. */
    public synchronized Adjacency adjacency(Workers workers) {
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
    public int[] hops(int[] from, Workers workers) {
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
            for (int h = links.start()[u]; h < links.start()[u + 1]; h++) {
                int v = links.neighbor()[h];
                if (out[v] < 0) {
                    out[v] = out[u] + 1;
                    queue[filled++] = v;
                }
            }
        }
        return out;
    }

    /** How many components it has. */
    public int components(Workers workers) {
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

    public static int root(int[] parent, int vertex) {
        int v = vertex;
        while (parent[v] != v) {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        return v;
    }

    private void checkEdges(Edges edges, Workers workers) {
        for (int e = 0; e < edges.count; e++) {
            workers.check(e);
            checkNumber(edges, e, "epsilon", edges.epsilon[e], Labels.MAX_EPSILON);
            checkNumber(edges, e, "delta", edges.delta[e], 1.0);
            if (edges.source[e] == edges.target[e]) {
                throw Refusal.graph(EdgeOrder.place(keys, edges, e) + " joins a dataset to itself", "remove it");
            }
        }
    }

    private void checkNumber(Edges edges, int e, String what, double x, double most) {
        if (!(x >= 0.0 && x <= most)) {
            throw Refusal.graph(
                    EdgeOrder.place(keys, edges, e) + ": " + what + " is " + Text.repr(x),
                    "give a number from 0 to " + Text.general(most));
        }
    }
}
