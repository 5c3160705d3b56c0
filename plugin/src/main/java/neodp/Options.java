package neodp;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The configuration map of a procedure, validated. */
final class Options {
    /** None given. */
    static final Options NONE = new Options(Map.of());

    private static final int MOST = 64;
    private static final int USUAL = 4;
    private static final int BATCH = 20_000;

    private final Map<String, Object> given;

    Options(Map<String, Object> given, String... known) {
        if (given == null) {
            throw Refusal.graph(
                    "the configuration is null", "give a map, as in {" + known[0] + ": ...}, or leave it out");
        }
        this.given = given;
        for (String name : given.keySet()) {
            if (!List.of(known).contains(name)) {
                throw Refusal.graph(
                        "there is no option " + Text.quoted(name), "the options are " + String.join(", ", known));
            }
        }
    }

    /** How many threads work; by default one per processor, and four at most. */
    int concurrency() {
        return number("concurrency", Math.min(USUAL, Runtime.getRuntime().availableProcessors()), 1, MOST);
    }

    /** How many datasets a transaction reads or writes. */
    int batch() {
        return number("batch", BATCH, 1, 1_000_000);
    }

    int number(String name, int otherwise, int least, int most) {
        Object value = given.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Long number) || number < least || number > most) {
            throw refused(name, value, "give a whole number from " + least + " to " + most);
        }
        return number.intValue();
    }

    boolean yes(String name) {
        Object value = given.getOrDefault(name, false);
        if (!(value instanceof Boolean truth)) {
            throw refused(name, value, "give true or false");
        }
        return truth;
    }

    /** One of some words, by default the first. */
    String choice(String name, String... words) {
        Object value = given.getOrDefault(name, words[0]);
        if (!Arrays.asList(words).contains(value)) { // value may be null
            throw refused(name, value, "give one of " + String.join(", ", words));
        }
        return (String) value;
    }

    private static Refusal refused(String name, Object value, String hint) {
        return Refusal.graph(name + " is " + (value == null ? "null" : Store.described(value)), hint);
    }
}
