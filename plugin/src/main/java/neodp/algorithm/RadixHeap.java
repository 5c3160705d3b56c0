package neodp.algorithm;

import java.util.Arrays;

/**
 * A monotone priority queue of entries (vertex, label) in a pool, linked into buckets.
 *
 * <p>A bucket holds the keys that first differ from the last key taken in one byte, and have the same byte there. A key is a
 * label without its lowest {@code shift} bits, which no edge leaves in place.
 */
public final class RadixHeap {
    private static final int LEVELS = 8; // how many bytes a key has

    /** What was taken last. */
    public int vertex;

    public long label;

    private final long base;
    private final int shift;
    private final int[][] head = new int[LEVELS][]; // per level and byte, one more than its first entry
    private int[] vertices;
    private long[] labels;
    private int[] link; // the entry after this one in its bucket, or -1
    private int used;
    private int free = -1;
    private long last;

    public RadixHeap(long base, int shift, int seeds) {
        this.base = base;
        this.shift = shift;
        int room = Math.max(16, seeds);
        vertices = new int[room];
        labels = new long[room];
        link = new int[room];
    }

    public void add(int v, long k) {
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
    public boolean take() {
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
