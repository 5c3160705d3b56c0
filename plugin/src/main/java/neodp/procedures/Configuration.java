package neodp.procedures;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Words;
import neodp.store.Job;
import neodp.store.Naming;

/** The configuration map of a procedure, validated; what is not given has its default once it was asked for. */
public final class Configuration {
    /** What every procedure takes that works on a whole graph. */
    private static final List<String> COMMON = List.of(
            "concurrency",
            "batchSize",
            "logProgress",
            "jobId",
            "nodeLabel",
            "relationshipType",
            "keyProperty",
            "colorProperty",
            "alphaProperty",
            "preferenceProperty",
            "epsilonProperty",
            "deltaProperty",
            "writeProperty",
            "colors");

    private static final int MANNERS = 4; // of these; the others are names

    private static final String PREFIX = "neodp_";

    private final Map<String, Object> given;
    private final Map<String, Object> effective = new LinkedHashMap<>();

    /** A configuration with some keys, and no others. */
    public Configuration(Map<String, Object> given, String... known) {
        this(given, List.of(known));
    }

    private Configuration(Map<String, Object> given, List<String> known) {
        this.given = new LinkedHashMap<>(given == null ? Map.of() : given);
        for (String name : this.given.keySet()) {
            if (!known.contains(name)) {
                String like = Similar.to(name, known);
                throw Refusal.graph(
                        "the configuration has the unknown key " + Text.quoted(name),
                        (like == null ? "" : "did you mean `{" + like + ": ...}`? ") + "the keys are "
                                + String.join(", ", known));
            }
        }
        this.given.values().removeIf(Objects::isNull); // as if it was not given: so it is in GDS
    }

    /** What was given, without what is null. */
    Map<String, Object> given() {
        return given;
    }

    /** The configuration of a procedure that works on a whole graph: some keys, and those that all of these take. */
    public static Configuration ofWhole(Map<String, Object> given, String... own) {
        return new Configuration(
                given, Stream.concat(Stream.of(own), COMMON.stream()).toList());
    }

    /** How a procedure works on a whole graph. */
    public Job.Manner manner(String procedure) {
        Job.Manner usual = Job.Manner.usual(procedure);
        return new Job.Manner(
                procedure,
                number("concurrency", usual.concurrency(), 1, 64),
                number("batchSize", usual.batchSize(), 1, 1_000_000),
                yes("logProgress", usual.logProgress()),
                text("jobId", usual.jobId()),
                naming());
    }

    /** The names that the graph goes by: neodp's own, unless one of them is given. */
    private Naming naming() {
        if (COMMON.subList(MANNERS, COMMON.size()).stream().noneMatch(given::containsKey)) {
            return Naming.OWN;
        }
        Naming usual = Naming.OWN;
        return new Naming(
                false,
                word("nodeLabel", usual.label()),
                word("relationshipType", usual.type()),
                word("keyProperty", usual.key()),
                word("colorProperty", usual.color()),
                word("alphaProperty", usual.alpha()),
                word("preferenceProperty", usual.preference()),
                word("epsilonProperty", usual.epsilon()),
                word("deltaProperty", usual.delta()),
                word("writeProperty", PREFIX),
                colors(),
                null);
    }

    private String word(String name, String otherwise) {
        return Words.require(name, text(name, otherwise));
    }

    private List<String> colors() {
        Object value = given.get("colors");
        if (value == null) {
            return null;
        }
        if (!(value instanceof List<?> list) || !list.stream().allMatch(String.class::isInstance)) {
            throw refused("colors", value, "give a list of texts, as in `{colors: ['no', 'yes']}`");
        }
        effective.put("colors", list);
        return list.stream().map(String.class::cast).toList();
    }

    public int number(String name, int otherwise, int least, int most) {
        Object value = given.getOrDefault(name, (long) otherwise);
        if (!(value instanceof Long number) || number < least || number > most) {
            throw refused(name, value, "give a whole number from " + least + " to " + most);
        }
        effective.put(name, number);
        return number.intValue();
    }

    public boolean yes(String name) {
        return yes(name, false);
    }

    private boolean yes(String name, boolean otherwise) {
        Object value = given.getOrDefault(name, otherwise);
        if (!(value instanceof Boolean truth)) {
            throw refused(name, value, "give true or false");
        }
        effective.put(name, truth);
        return truth;
    }

    /** Some text that is not empty. */
    public String text(String name, String otherwise) {
        Object value = given.getOrDefault(name, otherwise);
        if (!(value instanceof String text) || text.isEmpty()) {
            throw refused(name, value, "give a text");
        }
        effective.put(name, text);
        return text;
    }

    /** One of some words, by default the first. */
    public String choice(String name, String... words) {
        Object value = given.getOrDefault(name, words[0]);
        if (!List.of(words).contains(value)) {
            throw refused(name, value, "give one of " + String.join(", ", words));
        }
        effective.put(name, value);
        return (String) value;
    }

    /** All that was asked for, with its value: what was given, or the default. */
    public Map<String, Object> effective() {
        return Collections.unmodifiableMap(effective);
    }

    private static Refusal refused(String name, Object value, String hint) {
        return Refusal.graph(name + " is " + Text.described(value), hint);
    }
}
