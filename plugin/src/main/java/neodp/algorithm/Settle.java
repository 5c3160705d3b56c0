package neodp.algorithm;

/**
 * The whole extension: label-setting (Dijkstra) from every source at once, with a radix heap.
 *
 * <p>Start each source with its own label, take the datasets by ascending label, and lower each neighbour to what the
 * edge between them allows. The twin of {@code settle} in {@code neodp/compiled/kernel.py}, where it is proved; the least
 * labels are unique, so that the order of work changes nothing.
 */
public final class Settle {
    private static final int PATIENCE = 1 << 16; // how many edges to follow before looking whether to go on

    private final int[] start;
    private final int[] neighbor;
    private final int[] edge;
    private final double[] factor; // per edge, or of length one
    private final double[] delta;
    private final int shift;
    private final byte[] color;
    private final Runnable check;

    /**
     * Labels along the edges of a graph.
     *
     * @param color keep to edges between equal ones; null: take all
     */
    public Settle(Adjacency adjacency, Rule rule, byte[] color, Runnable check) {
        this.start = adjacency.start();
        this.neighbor = adjacency.neighbor();
        this.edge = adjacency.edge();
        this.factor = rule.factor;
        this.delta = rule.delta;
        this.shift = rule.shift;
        this.color = color;
        this.check = check;
    }

    /** Lower every label, in place, to the least that any path from any seed allows. */
    public void run(long[] label, int[] seeds) {
        if (seeds.length == 0) {
            return;
        }
        boolean uniform = factor.length == 1 && delta.length == 1;
        long base = Long.MAX_VALUE;
        for (int v : seeds) {
            base = Math.min(base, label[v] >> shift);
        }
        RadixHeap heap = new RadixHeap(base, shift, seeds.length);
        for (int v : seeds) {
            heap.add(v, label[v]);
        }
        int patience = PATIENCE;
        while (heap.take()) {
            int u = heap.vertex;
            long k = heap.label;
            patience -= 1 + start[u + 1] - start[u];
            if (patience <= 0) {
                patience = PATIENCE;
                check.run();
            }
            if (k != label[u]) { // lowered since
                continue;
            }
            long bound = uniform ? Labels.relax(k, factor[0], delta[0]) : k;
            for (int h = start[u]; h < start[u + 1]; h++) {
                int v = neighbor[h];
                if (label[v] <= bound || (color != null && color[v] != color[u])) {
                    continue;
                }
                long lower = bound;
                if (!uniform) {
                    int e = edge[h];
                    lower = Labels.relax(k, factor[factor.length > 1 ? e : 0], delta[delta.length > 1 ? e : 0]);
                    if (lower >= label[v]) {
                        continue;
                    }
                }
                label[v] = lower;
                heap.add(v, lower);
            }
        }
    }
}
