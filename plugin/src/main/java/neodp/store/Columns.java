package neodp.store;

import neodp.Refusal;
import neodp.Text;
import neodp.call.Memory;
import neodp.call.Workers;

/** The properties of datasets, in the order they are read. */
public final class Columns {
    public final GraphInfo info;
    public final String[] keys;
    public final byte[] color;
    public final double[] first;
    public final double[] second;
    public final double[] p;
    public final double[] q;
    public final byte[][] preference;
    private volatile boolean ordered;

    public Columns(GraphInfo info, int n, boolean probabilities) {
        this.info = info;
        keys = new String[n];
        color = new byte[n];
        first = new double[n];
        second = new double[n];
        p = probabilities ? new double[n] : null;
        q = probabilities ? new double[n] : null;
        preference = new byte[n][];
    }

    /** What to read of a dataset. */
    public String[] names() {
        return p == null
                ? new String[] {"key", "color", "alpha", "preference"}
                : new String[] {"key", "color", "alpha", "preference", "p", "q"};
    }

    /** Take the properties of a dataset; the bytes that its key takes beyond what every key does. */
    public long set(int i, Cursors node) {
        if (!(node.value(0) instanceof String key)) {
            return 0; // which is noticed when all are read
        }
        keys[i] = key;
        color[i] = PropertyValues.colorOf(info.colors(), key, node.value(1));
        double[] alpha = PropertyValues.alpha(key, node.value(2));
        first[i] = alpha[0];
        second[i] = alpha[1];
        preference[i] = PropertyValues.preferenceOf(info.colors(), key, color[i], node.value(3));
        if (preference[i] != null) {
            ordered = true;
        }
        if (p != null) {
            double[] row = {node.number(4), node.number(5)};
            if (Double.isNaN(row[0]) || Double.isNaN(row[1])) {
                throw Refusal.noMechanism(
                        "dataset " + Text.quoted(key) + " of graph " + Text.quoted(info.name())
                                + " has no probabilities: it came after the mechanism was written",
                        "run " + Refusal.extend(info.name()) + " again");
            }
            row = PropertyValues.distribution(key, row);
            p[i] = row[0];
            q[i] = row[1];
        }
        return Memory.ofKey(key);
    }

    public byte[] colors(int[] from, Workers workers) {
        byte[] out = new byte[from.length];
        for (int v = 0; v < out.length; v++) {
            workers.check(v);
            out[v] = color[from[v]];
        }
        return out;
    }

    public byte[] preferences(int[] from, Workers workers) {
        if (!ordered) {
            return null;
        }
        byte[] out = new byte[2 * from.length];
        for (int v = 0; v < from.length; v++) {
            workers.check(v);
            byte[] row = preference[from[v]];
            out[2 * v] = row == null ? -1 : row[0];
            out[2 * v + 1] = row == null ? -1 : row[1];
        }
        return out;
    }
}
