package neodp.store;

import neodp.call.Workers;

/** From a node's id to its position among some: a table with open addressing. */
public final class Positions {
    private final long[] ids;
    private final int[] table;
    private final int mask;

    public Positions(long[] ids, Workers workers) {
        this.ids = ids;
        mask = (Integer.highestOneBit(Math.max(1, (int) Math.min(ids.length, 1L << 28))) << 2) - 1;
        table = new int[mask + 1];
        for (int i = 0; i < ids.length; i++) {
            workers.check(i);
            int slot = slot(ids[i]);
            while (table[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            table[slot] = i + 1;
        }
    }

    private int slot(long id) {
        return (int) (id ^ id >>> 30) & mask; // neighbouring ids lie side by side
    }

    /** -1 where it is none of them. */
    public int of(long id) {
        int slot = slot(id);
        while (table[slot] != 0) {
            if (ids[table[slot] - 1] == id) {
                return table[slot] - 1;
            }
            slot = (slot + 1) & mask;
        }
        return -1;
    }
}
