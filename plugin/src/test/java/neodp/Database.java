package neodp;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import neodp.procedures.AnswerRelease;
import neodp.procedures.Ask;
import neodp.procedures.AuditMechanism;
import neodp.procedures.BalancedStats;
import neodp.procedures.BalancedStream;
import neodp.procedures.BalancedWrite;
import neodp.procedures.Bound;
import neodp.procedures.Budget;
import neodp.procedures.Check;
import neodp.procedures.Eval;
import neodp.procedures.ExtendStats;
import neodp.procedures.ExtendStream;
import neodp.procedures.ExtendWrite;
import neodp.procedures.GraphDrop;
import neodp.procedures.GraphList;
import neodp.procedures.ListProcedures;
import neodp.procedures.ListProgress;
import neodp.procedures.Poll;
import neodp.procedures.Protect;
import neodp.procedures.Releases;
import neodp.procedures.Version;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.harness.Neo4j;
import org.neo4j.harness.Neo4jBuilders;

/** One server for all tests, with the plugin's procedures and the client's constraints; each test has graphs of its own name. */
public final class Database {
    private static final Pattern REFUSAL = Pattern.compile("(.*);\n(.*) \\[(\\w+)\\]", Pattern.DOTALL);
    private static final Neo4j SERVER = Neo4jBuilders.newInProcessBuilder()
            .withDisabledServer()
            .withProcedure(AnswerRelease.class)
            .withProcedure(Ask.class)
            .withProcedure(AuditMechanism.class)
            .withProcedure(BalancedStats.class)
            .withProcedure(Budget.class)
            .withProcedure(GraphDrop.class)
            .withProcedure(GraphList.class)
            .withProcedure(ListProcedures.class)
            .withProcedure(ListProgress.class)
            .withProcedure(Releases.class)
            .withProcedure(BalancedStream.class)
            .withProcedure(BalancedWrite.class)
            .withProcedure(Check.class)
            .withProcedure(Eval.class)
            .withProcedure(ExtendStats.class)
            .withProcedure(ExtendStream.class)
            .withProcedure(ExtendWrite.class)
            .withProcedure(Poll.class)
            .withProcedure(Protect.class)
            .withFunction(Bound.class)
            .withFunction(Version.class)
            .build();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
        for (String statement : schema().split(";\\s*\n")) {
            if (statement.contains("\nCREATE ")) {
                rows(statement, Map.of());
            }
        }
    }

    private Database() {}

    private static String schema() {
        try {
            return Files.readString(Path.of("..", "cypher", "neo4j", "schema.cypher"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The database itself. */
    public static GraphDatabaseService db() {
        return SERVER.defaultDatabaseService();
    }

    /** The rows of a statement. */
    public static List<Map<String, Object>> rows(String cypher, Map<String, Object> parameters) {
        return db().executeTransactionally(
                        cypher, parameters, result -> result.stream().toList());
    }

    /** The rows of a statement without parameters. */
    public static List<Map<String, Object>> rows(String cypher) {
        return rows(cypher, Map.of());
    }

    /** The one row of a statement. */
    public static Map<String, Object> row(String cypher) {
        List<Map<String, Object>> rows = rows(cypher);
        if (rows.size() != 1) {
            throw new AssertionError(rows.size() + " rows: " + cypher);
        }
        return rows.get(0);
    }

    /** What a statement is refused with: the kind, the sentence and the hint. */
    public static String refusal(String cypher) {
        String message =
                assertThrows(QueryExecutionException.class, () -> rows(cypher)).getMessage();
        Matcher found = REFUSAL.matcher(message);
        assertTrue(found.matches(), message);
        return found.group(3) + ": " + found.group(1) + "; hint: " + found.group(2);
    }

    /**
     * A path of datasets 'k0', 'k1', … : the first half yes, the second no, all edges alike, and alpha 0.5 at the last yes.
     */
    public static void path(String name, int datasets, double epsilon) {
        rows(
                "CREATE (:DatasetGraph {name: $name, colors: ['yes', 'no'], population: $name}) "
                        + "WITH 1 AS one UNWIND range(0, $n - 1) AS i "
                        + "CREATE (:Dataset {graph: $name, key: 'k' + i, color: CASE WHEN 2 * i < $n THEN 'yes' ELSE 'no' END, "
                        + "alpha: CASE WHEN i = ($n - 1) / 2 THEN 0.5 END})",
                Map.of("name", name, "n", (long) datasets));
        rows(
                "UNWIND range(1, $n - 1) AS i "
                        + "MATCH (a:Dataset {graph: $name, key: 'k' + (i - 1)}), (b:Dataset {graph: $name, key: 'k' + i}) "
                        + "CREATE (a)-[:NEIGHBOR {epsilon: $epsilon}]->(b)",
                Map.of("name", name, "n", (long) datasets, "epsilon", epsilon));
    }
}
