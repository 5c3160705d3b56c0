package neodp.algorithm.rainbow;

import java.util.Arrays;
import neodp.algorithm.Adjacency;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.RadixHeap;
import neodp.call.Workers;

/**
 * Lengths of edges, and distances from the boundary of a dataset's order: the twin of {@code distances} in
 * {@code neodp/core/rainbow/orders.py}.
 *
 * <p>A path that leaves an order passes its boundary first, so that distances within an order are distances in the graph.
 */
final class Distances {
    private static final int PATIENCE = 1 << 14; // edges to follow before looking whether to go on

    /** Per edge, its epsilon in whole numbers. */
    final long[] length;

    /** Per dataset, the least sum of lengths; -1 where there is no boundary to reach. */
    final long[] of;

    Distances(DatasetGraph graph, int[] boundary, Workers workers) {
        length = new long[graph.edges()];
        long least = Units.LONGEST;
        int k = graph.colors.size();
        for (int e = 0; e < length.length; e++) {
            workers.check(e);
            length[e] = e > 0 && graph.epsilon[e] == graph.epsilon[e - 1]
                    ? length[e - 1]
                    : Units.length(graph.epsilon[e], k);
            least = Math.min(least, length[e]);
        }
        of = new long[graph.size()];
        Arrays.fill(of, -1);
        RadixHeap heap = new RadixHeap(0, Math.max(63 - Long.numberOfLeadingZeros(least | 1), 0), boundary.length);
        for (int v : boundary) {
            of[v] = 0;
            heap.add(v, 0);
        }
        Adjacency links = graph.adjacency(workers);
        int patience = PATIENCE;
        while (heap.take()) {
            int u = heap.vertex;
            long far = heap.label;
            patience -= 1 + links.start()[u + 1] - links.start()[u];
            if (patience <= 0) {
                patience = PATIENCE;
                workers.check();
            }
            if (far != of[u]) { // lowered since
                continue;
            }
            for (int h = links.start()[u]; h < links.start()[u + 1]; h++) {
                int v = links.neighbor()[h];
                long next = Math.min(far + length[links.edge()[h]], Units.LONGEST);
                if (of[v] < 0 || next < of[v]) {
                    of[v] = next;
                    heap.add(v, next);
                }
            }
        }
    }

    /** The greatest distance. */
    long greatest(Workers workers) {
        long most = 0;
        for (int v = 0; v < of.length; v++) {
            workers.check(v);
            most = Math.max(most, of[v]);
        }
        return most;
    }
}
