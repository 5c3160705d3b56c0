package neodp.polls;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import neodp.Json;
import neodp.Refusal;
import neodp.Text;

/**
 * Values of a property as votes and epsilons, compared as {@code neodp/polls/cells.py} compares cells: without regard to
 * capitals, surrounding blanks and ways to write the same letter.
 *
 * <p>Java cannot fold capitals as Unicode says and Python does; the table for it was written by Python.
 */
public final class Cells {
    private static final String INVISIBLE = "\u200b\u2060\ufeff";
    private static final double GREATEST = 690.0;
    private static final Pattern NUMBER = Pattern.compile("[-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?");
    private static final Map<Integer, String> FOLDED = folded();
    private static final Map<?, ?> WORDS = (Map<?, ?>) Json.read(resource("/neodp/polls/words.json"));

    private final Map<String, Integer> chosen = new HashMap<>();

    /**
     * The cells of a poll.
     *
     * @param usual whether the options are yes and no in their usual words
     */
    Cells(List<String> options, boolean usual) {
        for (int i = 0; i < options.size(); i++) {
            Integer twin = chosen.putIfAbsent(key(options.get(i)), i);
            if (twin != null) {
                throw Refusal.graph(
                        "the options " + Text.repr(options.get(twin)) + " and " + Text.repr(options.get(i))
                                + " are the same",
                        "name it once");
            }
        }
        if (usual) {
            for (int i = 0; i < options.size(); i++) {
                for (Object word : (List<?>) WORDS.get(options.get(i))) {
                    chosen.put(key((String) word), i);
                }
            }
        }
    }

    /** The options of a question that names none. */
    static List<String> usual() {
        return WORDS.keySet().stream().map(String.class::cast).toList();
    }

    /** The position of the option that a value stands for; -1 where it is none. */
    public int choice(Object value) {
        return chosen.getOrDefault(key(text(value)), -1);
    }

    /** The epsilon that a value states; 0 where it states none, and says nothing. */
    public static double epsilon(Object value) {
        String written = stripped(text(value).replace(',', '.'), "");
        double number = NUMBER.matcher(written).matches() ? Double.parseDouble(written) : 0.0;
        return number > 0.0 && number <= GREATEST ? number : 0.0;
    }

    /** A value as people write it: nothing for null, 1 for 1.0. */
    static String text(Object value) {
        if (value instanceof Double x) {
            boolean whole = !x.isNaN() && !x.isInfinite() && x == Math.rint(x);
            return x.isNaN() ? "" : whole ? new BigDecimal(x).toBigInteger().toString() : Text.repr(x);
        }
        if (value instanceof Float x) {
            return text((double) x);
        }
        if (value instanceof List || value != null && value.getClass().isArray()) {
            return Text.described(value); // as Python writes it
        }
        boolean plain = value instanceof String
                || value instanceof Boolean
                || value instanceof Number
                || value instanceof LocalDate;
        return plain ? value.toString() : "";
    }

    /** The form in which texts are compared. */
    static String key(String text) {
        String bare = stripped(stripped(stripped(text, ""), INVISIBLE), "");
        StringBuilder out = new StringBuilder();
        Normalizer.normalize(bare, Normalizer.Form.NFC)
                .codePoints()
                .forEach(c -> out.append(FOLDED.containsKey(c) ? FOLDED.get(c) : Character.toString(c)));
        return out.toString();
    }

    /** A text without some characters around it; without blanks, if none are named. */
    private static String stripped(String text, String characters) {
        int begin = 0;
        int end = text.length();
        while (begin < end && outside(text.charAt(begin), characters)) {
            begin++;
        }
        while (begin < end && outside(text.charAt(end - 1), characters)) {
            end--;
        }
        return text.substring(begin, end);
    }

    private static boolean outside(char c, String characters) {
        return characters.isEmpty() ? Text.space(c) : characters.indexOf(c) >= 0;
    }

    private static Map<Integer, String> folded() {
        Map<Integer, String> out = new HashMap<>();
        for (String line : resource("/neodp/casefold.txt").split("\n")) {
            String[] codes = line.split(" ");
            StringBuilder text = new StringBuilder();
            for (int i = 1; i < codes.length; i++) {
                text.appendCodePoint(Integer.parseInt(codes[i], 16));
            }
            out.put(Integer.parseInt(codes[0], 16), text.toString());
        }
        return out;
    }

    private static String resource(String file) {
        try (InputStream stream = Cells.class.getResourceAsStream(file)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no " + file, e);
        }
    }
}
