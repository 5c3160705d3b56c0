package neodp.algorithm;

import java.util.Arrays;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Workers;

/** Edges in the order of their lower, then of their higher end. */
public final class EdgeOrder {
    /** Per edge, its higher end above its position. */
    public final long[] entry;

    private static final int PART = 1 << 17; // what is worth a thread

    private final String[] keys;
    private final Edges edges;

    public EdgeOrder(String[] keys, Edges edges, Workers workers) {
        this.keys = keys;
        this.edges = edges;
        int n = keys.length;
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
        for (int e = 0; e < edges.count; e++) { // start[v + 1] moves from where the row of v begins to where it ends
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
    public int distinct(Workers workers) {
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
                    place(keys, edges, f) + " stands twice, with (epsilon, delta) " + pair(edges, e) + " and "
                            + pair(edges, f),
                    "keep one of them");
        }
        return same;
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

    /** An edge by its ends, for a message. */
    public static String place(String[] keys, Edges edges, int e) {
        return "edge " + Text.edge(keys[edges.source[e]], keys[edges.target[e]]);
    }
}
