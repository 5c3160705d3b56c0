package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@code neodp.extend.stream}. */
final class ExtendStreamTest {
    @Test
    void oneRowPerDatasetInTheOrderOfKeys() {
        path("stream", 4, 0.0);
        List<Map<String, Object>> found = rows("CALL neodp.extend.stream('stream')");
        assertEquals(
                List.of("k0", "k1", "k2", "k3"),
                found.stream().map(x -> x.get("key")).toList());
        assertEquals(
                List.of("yes", "yes", "no", "no"),
                found.stream().map(x -> x.get("color")).toList());
        assertEquals(
                List.of(1L, 0L, 0L, 1L),
                found.stream().map(x -> x.get("distance")).toList());
        for (Map<String, Object> x : found) { // epsilon 0: everybody answers alike
            assertEquals(Map.of("yes", 0.5, "no", 0.5), x.get("probabilities"));
        }
        assertEquals(
                Set.of("key", "color", "probabilities", "pTrue", "distance"),
                found.get(0).keySet());
    }

    @Test
    void theBoundIsMetOnEveryEdge() {
        path("stream-bound", 6, 0.5);
        List<Map<String, Object>> found =
                rows("CALL neodp.extend.stream('stream-bound', {concurrency: 1, batchSize: 1})");
        for (int i = 2; i > 0; i--) {
            double bound = (double) row("RETURN neodp.bound(" + found.get(i).get("pTrue") + ", 0.5) AS b")
                    .get("b");
            assertEquals(bound, found.get(i - 1).get("pTrue"));
        }
    }

    @Test
    void refusals() {
        assertTrue(refusal("CALL neodp.extend.stream('nothing')")
                .startsWith("unknown_graph: there is no graph 'nothing'"));
        assertTrue(refusal("CALL neodp.extend.stream(null)").startsWith("graph: the graph's name is null"));
    }
}
