package neodp.procedures;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.Text;

/** The values of a configuration map about people, each of its kind; null where nothing is given. */
final class Values {
    private final Map<String, Object> given;

    Values(Map<String, Object> given, String... known) {
        this.given = new Configuration(given, known).given(); // refuses other keys
    }

    private static Refusal refused(String name, Object value, String hint) {
        return Refusal.graph(name + " is " + Text.described(value), hint);
    }

    String text(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof String)) {
            throw refused(name, value, "give a text");
        }
        return (String) value;
    }

    boolean given(String name) {
        return given.get(name) != null;
    }

    /** A text or a number; null where nothing is given. */
    Object textOrNumber(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof String) && !(value instanceof Number)) {
            throw refused(name, value, "give a number, or a text such as '1/3'");
        }
        return value;
    }

    Long whole(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof Long)) {
            throw refused(name, value, "give a whole number");
        }
        return (Long) value;
    }

    long whole(String name, long otherwise) {
        Long value = whole(name);
        return value == null ? otherwise : value;
    }

    Double number(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof Number)) {
            throw refused(name, value, "give a number");
        }
        return value == null ? null : (Double) ((Number) value).doubleValue();
    }

    double number(String name, double otherwise) {
        Double value = number(name);
        return value == null ? otherwise : value;
    }

    boolean yes(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof Boolean)) {
            throw refused(name, value, "give true or false");
        }
        return Boolean.TRUE.equals(value);
    }

    /** A list of texts, or one text; empty where nothing is given. */
    List<String> texts(String name) {
        List<String> out = new ArrayList<>();
        Object value = given.get(name);
        for (Object each : value == null ? List.of() : Text.elements(value)) {
            if (!(each instanceof String text)) {
                throw refused(name, value, "give a list of texts");
            }
            out.add(text);
        }
        return out;
    }

    /** A list of whole numbers. */
    List<Long> wholes(String name) {
        Object value = given.get(name);
        if (value == null) {
            return null;
        }
        List<Long> out = new ArrayList<>();
        for (Object each : Text.elements(value)) {
            if (!(each instanceof Long number)) {
                throw refused(name, value, "give a list of whole numbers, as in `{ranges: [0, 10, 100]}`");
            }
            out.add(number);
        }
        return out;
    }

    /** A map of texts, by name. */
    Map<String, Object> map(String name) {
        Object value = given.get(name);
        if (value != null && !(value instanceof Map)) {
            throw refused(name, value, "give a map, as in `{owned: {Account: 'OWNS'}}`");
        }
        @SuppressWarnings("unchecked") // the keys of a map in Cypher are texts
        Map<String, Object> map = (Map<String, Object>) value;
        return map == null ? Map.of() : map;
    }
}
