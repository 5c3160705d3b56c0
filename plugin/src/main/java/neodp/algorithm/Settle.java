package neodp.algorithm;

import java.util.Arrays;

/**
 * The whole extension: label-setting (Dijkstra) from every source at once, with a radix heap.
 *
 * <p>Start each source with its own label, take the datasets by ascending label, and lower each neighbour to what the
 * edge between them allows. A bucket of the heap holds the keys that first differ from the last key taken in one byte,
 * and have the same byte there. A key is a label without its lowest {@code shift} bits, which no edge leaves in place.
 * The twin of {@code settle} in {@code neodp/compiled/kernel.py}, where it is proved; the least labels are unique, so that the
 * order of work changes nothing.
 */
public final class Settle {
    private static final int LEVELS = 8; // how many bytes a key has
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
        Heap heap = new Heap(base, shift, seeds.length);
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

    /** A monotone priority queue of entries (vertex, label) in a pool, linked into buckets. */
    private static final class Heap {
        int vertex; // what was taken last
        long label;

        private final long base;
        private final int shift;
        private final int[][] head = new int[LEVELS][]; // per level and byte, one more than its first entry
        private int[] vertices;
        private long[] labels;
        private int[] link; // the entry after this one in its bucket, or -1
        private int used;
        private int free = -1;
        private long last;

        Heap(long base, int shift, int seeds) {
            this.base = base;
            this.shift = shift;
            int room = Math.max(16, seeds);
            vertices = new int[room];
            labels = new long[room];
            link = new int[room];
        }

        void add(int v, long k) {
            int i = free;
            if (i >= 0) {
                free = link[i];
            } else {
                i = used++;
                if (i == vertices.length) {
                    vertices = Arrays.copyOf(vertices, 2 * i);
                    labels = Arrays.copyOf(labels, 2 * i);
                    link = Arrays.copyOf(link, 2 * i);
                }
            }
            vertices[i] = v;
            labels[i] = k;
            file(i);
        }

        private void file(int i) {
            long key = (labels[i] >> shift) - base;
            int level = (63 - Long.numberOfLeadingZeros((key ^ last) | 1)) >> 3;
            if (head[level] == null) {
                head[level] = new int[256];
            }
            int slot = (int) (key >> (8 * level) & 255);
            link[i] = head[level][slot] - 1;
            head[level][slot] = i + 1;
        }

        /** Take an entry with the least key; false where there is none. */
        boolean take() {
            while (true) {
                int level = 0;
                int slot = (int) (last & 255);
                while (head[level] == null || head[level][slot] == 0) {
                    if (head[level] == null || ++slot == 256) {
                        if (++level == LEVELS) {
                            return false;
                        }
                        slot = (int) (last >> (8 * level) & 255);
                    }
                }
                int i = head[level][slot] - 1;
                if (level == 0) {
                    last = (last & ~255L) | slot;
                    head[0][slot] = link[i] + 1;
                    link[i] = free;
                    free = i;
                    vertex = vertices[i];
                    label = labels[i];
                    return true;
                }
                head[level][slot] = 0; // take the bucket apart: its least key is the next one
                last = Long.MAX_VALUE;
                for (int j = i; j >= 0; j = link[j]) {
                    last = Math.min(last, (labels[j] >> shift) - base);
                }
                while (i >= 0) {
                    int j = link[i];
                    file(i);
                    i = j;
                }
            }
        }
    }
}
