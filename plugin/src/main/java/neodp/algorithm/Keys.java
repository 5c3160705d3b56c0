package neodp.algorithm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import neodp.Text;
import neodp.call.Workers;

/**
 * Keys in the order of their code points, as Python has them.
 *
 * <p>UTF-8 keeps that order. So the keys are sorted by eight of their bytes, those after what all keys begin with, as one
 * number in four counting passes; only keys that agree there are compared as texts.
 */
public final class Keys {
    private static final int BYTES = 8;
    private static final int DIGIT = 16; // bits
    private static final long PER_KEY = 100; // bytes, in a table of keys
    private static final long PER_POSITION = 40; // bytes, while it is sorted

    private Keys() {}

    /** The positions of keys, in the order of the keys. */
    public static int[] order(String[] keys, int batch, Workers workers) {
        int n = keys.length;
        int same = common(keys, workers);
        long[] number = new long[n];
        workers.ranges(n, batch, (from, to) -> {
            for (int i = from; i < to; i++) {
                workers.check(i);
                number[i] = number(keys[i], same);
            }
            return null;
        });
        int[] order = new int[n];
        Arrays.setAll(order, i -> i);
        for (int shift = 0; shift < Long.SIZE; shift += DIGIT) {
            workers.check();
            order = pass(number, order, shift, workers);
        }
        for (int from = 0, to; from < n; from = to) {
            to = from + 1;
            workers.check(from);
            while (to < n && number[order[to]] == number[order[from]]) {
                workers.check(to++);
            }
            if (to - from > 1) {
                compare(keys, order, from, to, workers);
            }
        }
        return order;
    }

    /**
     * The places of keys that somebody asks for, in their order.
     *
     * @param place finds a key; it is asked once for each, however often the key stands there
     */
    public static int[] places(List<String> keys, ToIntFunction<String> place, Workers workers) {
        workers.memory.take(4L * keys.size());
        int[] out = new int[keys.size()];
        Map<String, Integer> known = new HashMap<>();
        long bytes = 0; // of that table, which ends here
        int i = 0;
        for (String key : keys) {
            workers.check();
            Integer found = known.get(key);
            if (found == null) {
                long more = PER_KEY + 2L * key.length();
                workers.memory.take(more);
                bytes += more;
                found = place.applyAsInt(key);
                known.put(key, found);
            }
            out[i++] = found;
        }
        workers.memory.give(bytes);
        return out;
    }

    /** How many characters all keys have in common at their beginning. */
    private static int common(String[] keys, Workers workers) {
        int same = keys[0].length();
        for (String key : keys) {
            workers.check();
            same = Math.min(same, key.length());
            for (int i = 0; i < same; i++) {
                if (key.charAt(i) != keys[0].charAt(i)) {
                    same = i;
                }
            }
        }
        return same > 0 && Character.isHighSurrogate(keys[0].charAt(same - 1)) ? same - 1 : same;
    }

    private static long number(String key, int from) {
        long out = 0;
        int to = Math.min(key.length(), from + BYTES);
        for (int i = from; i < to; i++) {
            char c = key.charAt(i);
            if (c >= 0x80) {
                return number(
                        key.substring(from, Math.min(key.length(), to + 1)).getBytes(StandardCharsets.UTF_8));
            }
            out = out << 8 | c;
        }
        return to == from ? 0 : out << 8 * (BYTES - (to - from));
    }

    private static long number(byte[] text) {
        long out = 0;
        for (int i = 0; i < BYTES; i++) {
            out = out << 8 | (i < text.length ? text[i] & 255 : 0);
        }
        return out;
    }

    /** The same positions, ordered by one digit of their numbers; those that agree there stay as they are. */
    private static int[] pass(long[] number, int[] order, int shift, Workers workers) {
        int[] place = new int[(1 << DIGIT) + 1];
        int mask = (1 << DIGIT) - 1;
        for (int i = 0; i < number.length; i++) {
            workers.check(i);
            place[(int) (number[i] >>> shift & mask) + 1]++;
        }
        if (place[(int) (number[0] >>> shift & mask) + 1] == number.length) {
            return order; // all agree
        }
        for (int d = 0; d < mask; d++) {
            place[d + 1] += place[d];
        }
        int[] out = new int[order.length];
        for (int i : order) {
            workers.check(i);
            out[place[(int) (number[i] >>> shift & mask)]++] = i;
        }
        return out;
    }

    private static void compare(String[] keys, int[] order, int from, int to, Workers workers) {
        long bytes = PER_POSITION * (to - from);
        workers.memory.take(bytes);
        Integer[] part = new Integer[to - from];
        Arrays.setAll(part, i -> order[from + i]);
        Arrays.sort(part, (a, b) -> {
            workers.check();
            return Text.compare(keys[a], keys[b]);
        });
        for (int i = 0; i < part.length; i++) {
            order[from + i] = part[i];
        }
        workers.memory.give(bytes);
    }
}
