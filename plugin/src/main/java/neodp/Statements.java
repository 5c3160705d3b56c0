package neodp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/** The Cypher statements that the client runs too, by name: states and tokens are written once for both. */
final class Statements {
    private static final Map<String, String> TEXT = new ConcurrentHashMap<>();

    private Statements() {}

    /** The one row of a statement; empty where there is none. */
    static Map<String, Object> row(Transaction tx, String name, Map<String, Object> parameters) {
        try (Result result = tx.execute(TEXT.computeIfAbsent(name, Statements::text), parameters)) {
            return result.hasNext() ? result.next() : Map.of();
        }
    }

    private static String text(String name) {
        try (InputStream stream = Statements.class.getResourceAsStream("cypher/" + name + ".cypher")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no statement " + name, e);
        }
    }
}
