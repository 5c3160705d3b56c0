package neodp.store;

import java.util.List;
import neodp.Refusal;
import neodp.Text;
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

    /** Alpha as a property has it, as Pr[first colour] and Pr[second colour]; NaN where it is not given. */
    public static double[] alpha(String key, Object value) {
        if (value == null) {
            return new double[] {Double.NaN, Double.NaN};
        }
        boolean list = value.getClass().isArray() || value instanceof List;
        List<?> values = list ? Text.elements(value) : List.of(value);
        if (values.stream().anyMatch(x -> !(x instanceof Number || x instanceof Boolean))) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + Text.described(value),
                    "give a number or a list of numbers");
        }
        if (list && values.size() != 2) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + Text.described(value),
                    "give a number, or one for each of the 2 colours");
        }
        double p = number(values.get(0));
        double[] row = {p, list ? number(values.get(1)) : 1.0 - p};
        return Double.isNaN(row[0]) && Double.isNaN(row[1]) ? row : distribution(key, row);
    }

    /** A distribution, checked; the larger entry is one minus the other. */
    public static double[] distribution(String key, double[] row) {
        for (double x : row) {
            if (!(x >= 0.0 && x <= 1.0)) {
                throw Refusal.graph(place(key, row), "give probabilities from 0 to 1");
            }
            if (x > 0.0 && x < Labels.TINY) {
                throw Refusal.graph(place(key, row), "give 0 or at least " + Text.repr(Labels.TINY));
            }
        }
        if (Math.abs(row[0] + row[1] - 1.0) > 1e-9) {
            throw Refusal.graph(place(key, row) + " and does not add up to 1", "correct it");
        }
        return row[0] >= row[1]
                ? new double[] {1.0 - row[1] + 0.0, row[1] + 0.0}
                : new double[] {row[0] + 0.0, 1.0 - row[0] + 0.0};
    }

    private static String place(String key, double[] row) {
        return "dataset " + Text.quoted(key) + ": alpha is " + Text.repr(row[0]) + ", " + Text.repr(row[1]);
    }

    public static byte[] preferenceOf(List<String> colors, String key, byte color, Object value) {
        if (value == null || Text.elements(value).isEmpty()) {
            return null;
        }
        List<String> names = Text.elements(value).stream().map(String::valueOf).toList();
        if (names.size() != 2 || !names.containsAll(colors)) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": the preference is " + Text.listed(names),
                    "name each of " + Text.listed(colors) + " once, best first");
        }
        byte best = (byte) colors.indexOf(names.get(0));
        if (best != color) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + " has the colour " + colors.get(color) + " and prefers "
                            + colors.get(best),
                    "name its colour first");
        }
        return new byte[] {best, (byte) (1 - best)};
    }

    /** A property as a double; NaN where it is no number. */
    public static double number(Object value) {
        if (value instanceof Boolean truth) { // as Python takes it
            return truth ? 1.0 : 0.0;
        }
        return value instanceof Number x ? x.doubleValue() : Double.NaN;
    }
}
