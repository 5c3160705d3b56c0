package neodp.asking;

import java.util.Arrays;
import neodp.call.Workers;

/** Different rows of whole numbers, each with its place in the order in which they came. */
final class Rows {
    private static final int FIRST = 64;

    private final int width;
    private final Workers workers;
    private long[] cells;
    private int[] slots = new int[2 * FIRST]; // the place of a row, plus 1; 0 where there is none
    private int count;

    Rows(int width, Workers workers) {
        this.width = width;
        this.workers = workers;
        cells = new long[FIRST * width];
    }

    int count() {
        return count;
    }

    long cell(int row, int column) {
        return cells[row * width + column];
    }

    /** The place of a row; -1 if it is not there. */
    int look(long... row) {
        return slots[slot(row)] - 1;
    }

    /** The place of a row, which is added if it is not there. */
    int place(long... row) {
        int slot = slot(row);
        if (slots[slot] > 0) {
            return slots[slot] - 1;
        }
        if ((count + 1) * 2L > slots.length) {
            grow();
            slot = slot(row);
        }
        System.arraycopy(row, 0, cells, count * width, width);
        slots[slot] = ++count;
        return count - 1;
    }

    private void grow() {
        workers.memory.take(8L * cells.length + 4L * slots.length);
        cells = Arrays.copyOf(cells, Math.multiplyExact(2, cells.length));
        slots = new int[Math.multiplyExact(2, slots.length)];
        long[] row = new long[width];
        for (int i = 0; i < count; i++) {
            workers.check(i);
            System.arraycopy(cells, i * width, row, 0, width);
            slots[slot(row)] = i + 1;
        }
    }

    private int slot(long[] row) {
        long hash = 0;
        for (long cell : row) {
            hash = (hash ^ cell) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        int mask = slots.length - 1;
        int slot = (int) hash & mask;
        while (slots[slot] > 0 && !same(slots[slot] - 1, row)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private boolean same(int place, long[] row) {
        int at = place * width;
        return Arrays.equals(cells, at, at + width, row, 0, width);
    }
}
