package neodp.ledger;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import neodp.Json;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Level;
import neodp.store.GraphInfo;
import neodp.store.Statements;
import org.neo4j.graphdb.Transaction;

/**
 * An answer that was given, with what was asked and what it cost: the twin of {@code Release} in {@code neodp/ledger/release.py}.
 *
 * <p>Client and plugin keep and serve each other's releases, so that every text here is that of the client to the last
 * byte. What was asked is JSON as Python's {@code json.dumps} writes it, with its facts in order.
 */
public record Release(
        String graph,
        String name,
        String answer,
        String time,
        String key,
        String population,
        String asked,
        List<Level> levels,
        String command) {
    /** What {@code neodp.answer} asks about a graph that is certified. */
    public static String asked(GraphInfo info) {
        Map<String, Object> facts = new TreeMap<>();
        facts.put("colors", info.colors());
        facts.put("fingerprint", info.certificate().fingerprint());
        facts.put("graph", info.name());
        facts.put("population", info.population());
        return Json.dumps(facts);
    }

    // --- in the database ------------------------------------------------------------------------------------------

    /** The release of a name about a subject; null where there is none. */
    public static Release find(Transaction tx, String graph, String name) {
        Object row = Statements.row(tx, "find_release", Map.of("graph", graph, "release", name))
                .get("release");
        return row == null ? null : of((Map<?, ?>) row);
    }

    /** A release from its properties; refused if it was altered. */
    public static Release of(Map<?, ?> row) {
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
            columns.add(column == null ? List.of() : Text.elements(column));
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
    public Release create(Transaction tx) {
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
                levels.stream().map(x -> x.name() == null ? "" : x.name()).toList());
        row.put("level_epsilons", levels.stream().map(Level::epsilon).toList());
        row.put("level_deltas", levels.stream().map(Level::delta).toList());
        row.put(
                "level_people",
                levels.stream().map(x -> x.people() == null ? -1L : x.people()).toList());
        row.put("level_times", levels.stream().map(Level::times).toList());
        row.put("digest", digest());
        String kept = (String) Statements.row(tx, "create_release", row).get("time");
        return new Release(graph, name, answer, kept, key, population, asked, levels, command);
    }

    /** A digest of everything but the time, which shows whether any of it was damaged. */
    public String digest() {
        List<Object> kept = new ArrayList<>(Arrays.asList(graph, name, answer, key, population, asked, command));
        for (Level level : levels) {
            String[] numbers = {Text.hex(level.epsilon()), Text.hex(level.delta())};
            kept.add(Arrays.asList(numbers[0], numbers[1], level.name(), level.people(), level.times()));
        }
        return Text.sha256(Json.dumps(kept));
    }

    // --- one name, one question -----------------------------------------------------------------------------------

    /** Refuse to answer a question that is not the one that was asked under this name. */
    public void require(String question) {
        if (asked.equals(question)) {
            return;
        }
        Map<String, String> then = Json.fields(asked);
        Map<String, String> now = Json.fields(question);
        TreeSet<String> every = new TreeSet<>(Text::compare);
        every.addAll(then.keySet());
        every.addAll(now.keySet());
        for (String fact : every) {
            String before = then.getOrDefault(fact, "null");
            String after = now.getOrDefault(fact, "null");
            if (!Json.same(before, after)) {
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
        return "`CALL neodp.releases(" + Text.cypher(population) + ")`";
    }

    private static String shown(String json) {
        if (json.equals("null")) {
            return "none";
        }
        if (!json.startsWith("\"")) {
            return Text.first(json, 120);
        }
        String text = Json.text(json);
        return Text.repr(text.codePointCount(0, text.length()) <= 60 ? text : Text.first(text, 57) + "…");
    }
}
