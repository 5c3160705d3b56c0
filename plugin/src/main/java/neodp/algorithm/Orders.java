package neodp.algorithm;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import neodp.call.Workers;

/**
 * The orders of the colours that occur in a graph: the twin of {@code orders} and {@code order} in
 * {@code neodp/data/graph.py}.
 *
 * <p>An order holds the positions of all colours, best first. A dataset that does not order them has its colour first, and
 * -1 for the rest.
 */
public final class Orders {
    private static final long PER_ORDER = 200; // bytes, without its colours

    /** The different orders, in lexicographic order. */
    public final byte[][] rows;

    /** Per dataset, the position of its order among them. */
    public final int[] of;

    Orders(int k, byte[] color, byte[] preference, Workers workers) {
        Map<ByteBuffer, Integer> found = new HashMap<>();
        of = new int[color.length];
        for (int v = 0; v < of.length; v++) {
            workers.check(v);
            byte[] row = new byte[k];
            Arrays.fill(row, (byte) -1);
            if (preference != null) {
                System.arraycopy(preference, v * k, row, 0, k);
            }
            row[0] = color[v];
            Integer known = found.get(ByteBuffer.wrap(row));
            if (known == null) {
                workers.memory.take(PER_ORDER + 2L * k);
                known = found.size();
                found.put(ByteBuffer.wrap(row), known);
            }
            of[v] = known;
        }
        TreeMap<ByteBuffer, Integer> sorted = new TreeMap<>(found); // bytes are compared as signed numbers
        rows = new byte[sorted.size()][];
        int[] place = new int[sorted.size()];
        int i = 0;
        for (Map.Entry<ByteBuffer, Integer> entry : sorted.entrySet()) {
            workers.check(i);
            rows[i] = entry.getKey().array();
            place[entry.getValue()] = i++;
        }
        for (int v = 0; v < of.length; v++) {
            workers.check(v);
            of[v] = place[of[v]];
        }
    }

    /** How many there are. */
    public int size() {
        return rows.length;
    }

    /** An order in words, as in {@code a > b > c}. */
    public String name(int order, List<String> colors) {
        StringBuilder out = new StringBuilder();
        for (byte c : rows[order]) {
            out.append(out.length() == 0 || c < 0 ? "" : " > ").append(c < 0 ? "" : colors.get(c));
        }
        return out.toString();
    }

    /** The colours after that of an order that leaves them open. */
    public static String rest(List<String> colors, int color) {
        return colors.stream().filter(name -> !name.equals(colors.get(color))).collect(Collectors.joining(", "));
    }
}
