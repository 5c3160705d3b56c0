package neodp.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/** The Cypher statements that the client runs too, by name: states and tokens are written once for both. */
public final class Statements {
    private static final Map<String, String> TEXT = all();

    private Statements() {}

    /** A statement itself, without its comment. */
    public static String text(String name) {
        return TEXT.get(name).replaceAll("(?m)^//.*\\n", "");
    }

    /** The one row of a statement; empty where there is none. */
    public static Map<String, Object> row(Transaction tx, String name, Map<String, Object> parameters) {
        try (Result result = tx.execute(TEXT.get(name), parameters)) {
            return result.hasNext() ? result.next() : Map.of();
        }
    }

    /** All rows of a statement, which has few. */
    public static List<Map<String, Object>> rows(Transaction tx, String name, Map<String, Object> parameters) {
        try (Result result = tx.execute(TEXT.get(name), parameters)) {
            return result.stream().toList();
        }
    }

    /** All statements, by the name in the line that begins each; as in {@code neodp/store/cypher.py}. */
    private static Map<String, String> all() {
        Map<String, String> out = new HashMap<>();
        for (String file : List.of("graphs", "mechanisms", "releases", "schema")) {
            for (String part : read("/neodp/cypher/" + file + ".cypher").split("(?m)^// name: ")) {
                int end = part.indexOf('\n');
                out.put(
                        part.substring(0, end).strip(),
                        part.substring(end).strip().replaceFirst(";$", ""));
            }
        }
        return Map.copyOf(out);
    }

    private static String read(String file) {
        try (InputStream stream = Statements.class.getResourceAsStream(file)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no statements", e);
        }
    }
}
