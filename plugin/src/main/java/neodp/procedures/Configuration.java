package neodp.procedures;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.Text;
import neodp.store.Job;

/** The configuration map of a procedure, validated. */
public final class Configuration {
    private final Map<String, Object> given;

    public Configuration(Map<String, Object> given, String... known) {
        if (given == null) {
            throw Refusal.graph(
                    "the configuration is null", "give a map, as in {" + known[0] + ": ...}, or leave it out");
        }
        this.given = given;
        for (String name : given.keySet()) {
            if (!List.of(known).contains(name)) {
                String like = Similar.to(name, List.of(known));
                throw Refusal.graph(
                        "there is no option " + Text.quoted(name),
                        (like == null ? "" : "did you mean " + like + "? ") + "the options are "
                                + String.join(", ", known));
            }
        }
    }

    /** How the work is shared between threads and transactions. */
    public Job.Threads threads() {
        Job.Threads usual = Job.Threads.USUALLY;
        return new Job.Threads(
                number("concurrency", usual.concurrency(), 1, 64), number("batch", usual.batch(), 1, 1_000_000));
    }

    public int number(String name, int otherwise, int least, int most) {
        Object value = given.get(name);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Long number) || number < least || number > most) {
            throw refused(name, value, "give a whole number from " + least + " to " + most);
        }
        return number.intValue();
    }

    public boolean yes(String name) {
        Object value = given.getOrDefault(name, false);
        if (!(value instanceof Boolean truth)) {
            throw refused(name, value, "give true or false");
        }
        return truth;
    }

    /** One of some words, by default the first. */
    public String choice(String name, String... words) {
        Object value = given.getOrDefault(name, words[0]);
        if (!Arrays.asList(words).contains(value)) { // value may be null
            throw refused(name, value, "give one of " + String.join(", ", words));
        }
        return (String) value;
    }

    private static Refusal refused(String name, Object value, String hint) {
        return Refusal.graph(name + " is " + (value == null ? "null" : Text.described(value)), hint);
    }
}
