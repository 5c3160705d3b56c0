package neodp.store;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Distributions;
import neodp.algorithm.Labels;

/**
 * The properties of a dataset as numbers: colour, alpha and preference, checked as {@code neodp/data/validation.py} does.
 */
public final class PropertyValues {
    private PropertyValues() {}

    public static byte colorOf(List<String> colors, String key, Object value) {
        if (value == null) {
            throw Refusal.graph("dataset " + Text.quoted(key) + ": a colour is missing", "give a string");
        }
        int color = colors.indexOf(value.toString());
        if (color < 0) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + " has the unknown colour " + Text.quoted(value.toString()),
                    "use one of " + Text.listed(colors));
        }
        return (byte) color;
    }

    /** Alpha as a property has it, as a chance per colour; NaN where it is not given. */
    public static double[] alpha(List<String> colors, String key, Object value) {
        int k = colors.size();
        double[] row = new double[k];
        Arrays.fill(row, Double.NaN);
        if (value == null) {
            return row;
        }
        boolean list = value.getClass().isArray() || value instanceof List;
        List<?> values = list ? Text.elements(value) : List.of(value);
        if (values.stream().anyMatch(x -> !(x instanceof Number || x instanceof Boolean))) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + Text.described(value),
                    "give a number or a list of numbers");
        }
        if (!list && k > 2 && !Double.isNaN(number(value))) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is one number",
                    "give one for each of the " + k + " colours");
        }
        if (list && values.size() != k) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + Text.described(value),
                    "give a number, or one for each of the " + k + " colours");
        }
        boolean none = true;
        for (int c = 0; c < k; c++) {
            row[c] = list ? number(values.get(c)) : c == 0 ? number(value) : 1.0 - row[0];
            none &= Double.isNaN(row[c]);
        }
        return none ? row : distribution(key, row);
    }

    /** A distribution, checked; the largest entry is one minus the rest. */
    public static double[] distribution(String key, double[] row) {
        boolean tiny = false;
        for (double x : row) {
            if (!(x >= 0.0 && x <= 1.0)) {
                throw Refusal.graph(place(key, row), "give probabilities from 0 to 1");
            }
            tiny |= x > 0.0 && x < Labels.TINY;
        }
        if (!Distributions.whole(row)) {
            throw Refusal.graph(place(key, row) + " and does not add up to 1", "correct it");
        }
        if (tiny) {
            throw Refusal.graph(place(key, row), "give 0 or at least " + Text.repr(Labels.TINY));
        }
        return Distributions.corrected(row);
    }

    private static String place(String key, double[] row) {
        return "dataset " + Text.quoted(key) + ": alpha is "
                + Arrays.stream(row).mapToObj(Text::repr).collect(Collectors.joining(", "));
    }

    /** A preference as the positions of all colours, best first; null where it is not given. */
    public static byte[] preferenceOf(List<String> colors, String key, byte color, Object value) {
        if (value == null || Text.elements(value).isEmpty()) {
            return null;
        }
        List<String> names = Text.elements(value).stream().map(String::valueOf).toList();
        if (names.size() != colors.size() || !names.containsAll(colors)) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": the preference is " + Text.listed(names),
                    "name each of " + Text.listed(colors) + " once, best first");
        }
        byte[] out = new byte[names.size()];
        for (int r = 0; r < out.length; r++) {
            out[r] = (byte) colors.indexOf(names.get(r));
        }
        if (out[0] != color) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + " has the colour " + colors.get(color) + " and prefers "
                            + colors.get(out[0]),
                    "name its colour first");
        }
        return out;
    }

    /** Stored probabilities as a chance per colour; NaN where there are none. */
    public static double[] probabilities(int k, Object value) {
        List<?> values = value == null ? List.of() : Text.elements(value);
        double[] out = new double[k];
        for (int c = 0; c < k; c++) {
            out[c] = values.size() == k ? number(values.get(c)) : Double.NaN;
        }
        return out;
    }

    /** A property as a double; NaN where it is no number. */
    public static double number(Object value) {
        if (value instanceof Boolean truth) { // as Python takes it
            return truth ? 1.0 : 0.0;
        }
        return value instanceof Number x ? x.doubleValue() : Double.NaN;
    }
}
