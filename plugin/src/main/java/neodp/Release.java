package neodp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.neo4j.graphdb.Transaction;

/**
 * An answer that was given, with what was asked and what it cost: the twin of {@code Release} in {@code neodp/ledger/release.py}.
 *
 * <p>Client and plugin keep and serve each other's releases, so that every text here is that of the client to the last
 * byte. What was asked is JSON as Python's {@code json.dumps} writes it, with its facts in order.
 */
record Release(
        String graph,
        String name,
        String answer,
        String time,
        String key,
        String population,
        String asked,
        List<Level> levels,
        String command) {
    private static final int MOST_LEVELS = 64; // beyond that, they are rounded up to so many
    private static final long PER_EPSILON = 120; // bytes, in a table of epsilons

    /** What one answer costs the people of one privacy level; without a name, and of unknown size, for a graph. */
    record Level(double epsilon, double delta, String name, Long people, long times) {
        Level(double epsilon, double delta) {
            this(epsilon, delta, null, null, 1);
        }

        /** What tells the level from others. */
        String label() {
            return name != null ? name : "epsilon " + Text.general(epsilon);
        }
    }

    /** The levels of a graph's edges by ascending epsilon, each with the greatest delta of its edges. */
    static List<Level> levels(DatasetGraph graph, Workers workers) {
        TreeMap<Double, Double> most = new TreeMap<>();
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            int before = most.size();
            most.merge(graph.epsilon[e], graph.delta[e], Math::max);
            workers.memory.take(PER_EPSILON * (most.size() - before));
        }
        List<Double> known = List.copyOf(most.keySet());
        int n = known.size();
        TreeSet<Double> ends = new TreeSet<>(n > MOST_LEVELS ? List.of() : known);
        for (int i = 0; n > MOST_LEVELS && i < MOST_LEVELS; i++) {
            ends.add(known.get(n - 1 - (int) ((long) n * i / MOST_LEVELS)));
        }
        List<Level> out = new ArrayList<>();
        double delta = 0.0;
        for (double epsilon : known) {
            workers.check();
            delta = Math.max(delta, most.get(epsilon));
            if (ends.contains(epsilon)) {
                out.add(new Level(epsilon, delta));
                delta = 0.0;
            }
        }
        return out;
    }

    /** What {@code neodp.answer} asks about a graph that is certified. */
    static String asked(Store.Info info) {
        String colors = info.colors().stream().map(Text::json).collect(Collectors.joining(", ", "[", "]"));
        return "{\"colors\": " + colors + ", \"fingerprint\": "
                + Text.json(info.certificate().fingerprint()) + ", \"graph\": " + Text.json(info.name())
                + ", \"population\": " + Text.json(info.population()) + "}";
    }

    // --- in the database ------------------------------------------------------------------------------------------

    /** The release of a name about a subject; null where there is none. */
    static Release find(Transaction tx, String graph, String name) {
        Object row = Statements.row(tx, "find_release", Map.of("graph", graph, "release", name))
                .get("release");
        return row == null ? null : of((Map<?, ?>) row);
    }

    /** A release from its properties; refused if it was altered. */
    static Release of(Map<?, ?> row) {
        try {
            Release found = read(row);
            if (found.digest().equals(row.get("digest"))) {
                return found;
            }
        } catch (ClassCastException | NullPointerException e) { // a property is gone, or is of another type
        }
        throw Refusal.damagedRelease(row.get("name"), row.get("graph"));
    }

    private static Release read(Map<?, ?> row) {
        List<List<?>> columns = new ArrayList<>();
        for (String name : List.of("epsilons", "deltas", "names", "people", "times")) {
            Object column = row.get("level_" + name);
            columns.add(column == null ? List.of() : Store.elements(column));
        }
        List<Level> levels = new ArrayList<>();
        for (int i = 0; i < columns.stream().mapToInt(List::size).min().orElse(0); i++) {
            String name = (String) columns.get(2).get(i);
            long people = (Long) columns.get(3).get(i);
            levels.add(new Level(
                    (Double) columns.get(0).get(i),
                    (Double) columns.get(1).get(i),
                    name.isEmpty() ? null : name,
                    people < 0 ? null : people,
                    (Long) columns.get(4).get(i)));
        }
        return new Release(
                (String) row.get("graph"),
                (String) row.get("name"),
                (String) row.get("answer"),
                (String) row.get("time"),
                (String) row.get("key"),
                row.get("population") == null ? "default" : (String) row.get("population"),
                or(row.get("asked"), "{}"),
                levels,
                or(row.get("command"), ""));
    }

    private static String or(Object value, String otherwise) {
        return value == null || value.equals("") ? otherwise : (String) value;
    }

    /** Keep this release, not yet kept; the same with its time. */
    Release create(Transaction tx) {
        Map<String, Object> row = new HashMap<>();
        row.put("graph", graph);
        row.put("release", name);
        row.put("answer", answer);
        row.put("key", key);
        row.put("population", population);
        row.put("asked", asked);
        row.put("command", command);
        row.put(
                "level_names",
                levels.stream().map(x -> x.name == null ? "" : x.name).toList());
        row.put("level_epsilons", levels.stream().map(Level::epsilon).toList());
        row.put("level_deltas", levels.stream().map(Level::delta).toList());
        row.put(
                "level_people",
                levels.stream().map(x -> x.people == null ? -1L : x.people).toList());
        row.put("level_times", levels.stream().map(Level::times).toList());
        row.put("digest", digest());
        String kept = (String) Statements.row(tx, "create_release", row).get("time");
        return new Release(graph, name, answer, kept, key, population, asked, levels, command);
    }

    /** A digest of everything but the time, which shows whether any of it was damaged. */
    String digest() {
        List<String> kept = new ArrayList<>();
        for (String text : new String[] {graph, name, answer, key, population, asked, command}) {
            kept.add(Text.json(text));
        }
        for (Level level : levels) {
            List<String> values = List.of(
                    Text.json(Text.hex(level.epsilon)),
                    Text.json(Text.hex(level.delta)),
                    Text.json(level.name),
                    String.valueOf(level.people),
                    String.valueOf(level.times));
            kept.add("[" + String.join(", ", values) + "]");
        }
        return sha256("[" + String.join(", ", kept) + "]");
    }

    /** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
    static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    // --- one name, one question -----------------------------------------------------------------------------------

    /** Refuse to answer a question that is not the one that was asked under this name. */
    void require(String question) {
        if (asked.equals(question)) {
            return;
        }
        Map<String, String> then = facts(asked);
        Map<String, String> now = facts(question);
        TreeSet<String> every = new TreeSet<>(Text::compare);
        every.addAll(then.keySet());
        every.addAll(now.keySet());
        for (String fact : every) {
            String before = then.getOrDefault(fact, "null");
            String after = now.getOrDefault(fact, "null");
            if (!before.equals(after)) {
                throw Refusal.otherQuestion(
                        "release " + Text.quoted(name) + " of " + Text.quoted(graph) + " was asked with " + fact + " "
                                + shown(before) + ", and is now asked with " + fact + " " + shown(after),
                        "ask the same question again, or give this one another name; " + all()
                                + " shows what was asked");
            }
        }
    }

    /** What to type for all releases about the same people. */
    private String all() {
        return "`MATCH (r:NeodpRelease {population: " + Text.cypher(population) + "}) RETURN r`";
    }

    private static String shown(String json) {
        if (json.equals("null")) {
            return "none";
        }
        if (!json.startsWith("\"")) {
            return Text.first(json, 120);
        }
        String text = Text.ofJson(json);
        return Text.repr(text.codePointCount(0, text.length()) <= 60 ? text : Text.first(text, 57) + "…");
    }

    /** The facts of a question, each as JSON; none where it is no JSON object. */
    static Map<String, String> facts(String json) {
        Map<String, String> out = new HashMap<>();
        int depth = 0;
        boolean quoted = false;
        int begin = 1;
        String fact = null;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (quoted) {
                i += c == '\\' ? 1 : 0;
                quoted = c != '"';
            } else if (c == '"') {
                quoted = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (depth == 1 && fact == null && c == ':') {
                fact = Text.ofJson(json.substring(begin, i).strip());
                begin = i + 1;
            } else if (depth == 1 && fact != null && (c == ',' || c == '}')) {
                out.put(fact, json.substring(begin, i).strip());
                fact = null;
                begin = i + 1;
                depth -= c == '}' ? 1 : 0;
            } else if (c == '}' || c == ']') {
                depth--;
            }
        }
        return out;
    }
}
