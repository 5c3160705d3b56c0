package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code neodp.extend.write}. */
final class ExtendWriteTest {
    @Test
    void whatIsStreamedIsKept() {
        path("write", 7, 0.3);
        List<Map<String, Object>> streamed = rows("CALL neodp.extend.stream('write')");
        Map<String, Object> found = row("CALL neodp.extend.write('write', {batchSize: 2, concurrency: 3})");
        assertEquals(28L, found.get("nodePropertiesWritten"));
        assertEquals(
                streamed,
                rows(
                        "MATCH (d:Dataset {graph: 'write'}) RETURN d.key AS key, d.color AS color, "
                                + "{yes: d.p, no: d.q} AS probabilities, d.p_true AS pTrue, d.distance AS distance ORDER BY key"));
        Map<String, Object> graph =
                row("MATCH (g:DatasetGraph {name: 'write'}) RETURN g.mechanism AS m, g.writer AS w");
        assertNotNull(graph.get("m"));
        assertNull(graph.get("w"));
    }

    @Test
    void aRefusalWritesNothing() {
        path("write-not", 4, 0.3);
        rows("MATCH (d:Dataset {graph: 'write-not'}) REMOVE d.alpha");
        assertTrue(refusal("CALL neodp.extend.write('write-not')").startsWith("unhit_boundary: "));
        assertEquals(
                0L,
                row("MATCH (d:Dataset {graph: 'write-not'}) WHERE d.p IS NOT NULL RETURN count(d) AS n")
                        .get("n"));
        assertNull(row("MATCH (g:DatasetGraph {name: 'write-not'}) RETURN g.writer AS w")
                .get("w"));
    }
}
