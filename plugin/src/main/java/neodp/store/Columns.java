package neodp.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Memory;
import neodp.call.Workers;

/** The properties of datasets, in the order they are read. */
public final class Columns {
    public final GraphInfo info;
    public final String[] keys;
    public final byte[] color;
    public final double[][] alpha; // per colour
    public final double[][] chances; // per colour; null where they were not asked for
    public final byte[][] preference;
    private volatile boolean ordered;

    public Columns(GraphInfo info, int n, boolean probabilities) {
        this.info = info;
        int k = info.colors().size();
        keys = new String[n];
        color = new byte[n];
        alpha = new double[k][n];
        chances = probabilities ? new double[k][n] : null;
        preference = new byte[n][];
    }

    /** What to read of a dataset. */
    public String[] names() {
        Naming naming = info.naming();
        List<String> names =
                new ArrayList<>(List.of(naming.key(), naming.color(), naming.alpha(), naming.preference()));
        if (chances != null) {
            names.addAll(List.of(chances.length == 2 ? naming.written("p", "q") : naming.written("probabilities")));
        }
        return names.toArray(String[]::new);
    }

    /** Take the properties of a dataset; the bytes that its key takes beyond what every key does. */
    public long set(int i, Cursors node) {
        String key = info.naming().keyOf(node.value(0));
        if (key == null) {
            return 0; // which is noticed when all are read
        }
        keys[i] = key;
        color[i] = PropertyValues.colorOf(info.colors(), key, node.value(1));
        put(alpha, i, PropertyValues.alpha(info.colors(), key, node.value(2)));
        preference[i] = PropertyValues.preferenceOf(info.colors(), key, color[i], node.value(3));
        if (preference[i] != null) {
            ordered = true;
        }
        if (chances != null) {
            double[] row = chances.length == 2
                    ? new double[] {node.number(4), node.number(5)}
                    : PropertyValues.probabilities(chances.length, node.value(4));
            for (double x : row) {
                if (Double.isNaN(x)) {
                    throw Refusal.noMechanism(
                            "dataset " + Text.quoted(key) + " of graph " + Text.quoted(info.name())
                                    + " has no probabilities: it came after the mechanism was written",
                            "run " + Refusal.extend(info.name()) + " again"
                                    + (info.naming().own() ? "" : ", with the same names"));
                }
            }
            put(chances, i, PropertyValues.distribution(key, row));
        }
        return Memory.ofKey(key);
    }

    private static void put(double[][] columns, int i, double[] row) {
        for (int c = 0; c < row.length; c++) {
            columns[c][i] = row[c];
        }
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
        int k = alpha.length;
        byte[] out = new byte[k * from.length];
        Arrays.fill(out, (byte) -1);
        for (int v = 0; v < from.length; v++) {
            workers.check(v);
            byte[] row = preference[from[v]];
            if (row != null) {
                System.arraycopy(row, 0, out, k * v, k);
            }
        }
        return out;
    }
}
