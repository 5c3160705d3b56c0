package neodp.procedures;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What somebody may have meant by a name that there is not. */
final class Similar {
    private static final int LONGEST = 40; // a name that is longer is no slip
    private static final int SLIPS = 2;

    private Similar() {}

    /** The nearest of some names, by letters to add, leave out or replace; null where none is near. */
    static String to(String name, List<String> known) {
        String given = name.toLowerCase(Locale.ROOT);
        if (given.length() > LONGEST) {
            return null;
        }
        return known.stream()
                .filter(other -> slips(given, other) <= Math.min(SLIPS, other.length() / 2))
                .min(Comparator.comparingInt(other -> slips(given, other)))
                .or(() -> known.stream()
                        .filter(other -> given.endsWith(other.toLowerCase(Locale.ROOT))) // such as writeConcurrency
                        .findFirst())
                .orElse(null);
    }

    private static int slips(String given, String known) {
        String other = known.toLowerCase(Locale.ROOT);
        int[] last = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= given.length(); i++) {
            int[] next = new int[last.length];
            next[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = last[j - 1] + (given.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                next[j] = Math.min(replaced, 1 + Math.min(last[j], next[j - 1]));
            }
            last = next;
        }
        return last[other.length()];
    }
}
