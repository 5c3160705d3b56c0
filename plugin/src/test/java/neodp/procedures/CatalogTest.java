package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code neodp.list}, {@code neodp.graph.list}, {@code neodp.graph.drop}, {@code neodp.releases} and {@code neodp.budget}. */
final class CatalogTest {
    @Test
    void proceduresAndFunctions() {
        List<Object> names =
                rows("CALL neodp.list()").stream().map(x -> x.get("name")).toList();
        assertTrue(names.containsAll(List.of("neodp.extend.write.estimate", "neodp.list", "neodp.version")));
        Map<String, Object> one = row("CALL neodp.list('graph.drop')");
        assertEquals("procedure", one.get("type"));
        assertTrue(((String) one.get("signature")).startsWith("neodp.graph.drop(graphName :: STRING"));
    }

    @Test
    void aGraphIsListedAndDropped() {
        path("drop%d", 5, 0.5);
        path("drop-not", 3, 0.5);
        Map<String, Object> found = row("CALL neodp.graph.list('drop%d')");
        assertEquals(
                List.of("drop%d", 5L, 4L, List.of("yes", "no"), "ready"),
                List.of(
                        found.get("graphName"),
                        found.get("nodeCount"),
                        found.get("relationshipCount"),
                        found.get("colors"),
                        found.get("state")));
        assertNull(found.get("meanPTrue"));
        assertEquals(5L, row("CALL neodp.graph.drop('drop%d')").get("nodeCount"));
        assertEquals(
                0L,
                row("MATCH (d) WHERE d.graph = 'drop%d' OR d.name = 'drop%d' RETURN count(d) AS n")
                        .get("n"));
        assertEquals(
                3L,
                row("MATCH (d:Dataset {graph: 'drop-not'}) RETURN count(d) AS n")
                        .get("n"));
        assertTrue(refusal("CALL neodp.graph.drop('drop%d')").startsWith("unknown_graph: there is no graph 'drop%d' "));
        assertEquals(List.of(), rows("CALL neodp.graph.drop('drop%d', false)"));
    }

    @Test
    void whatWasAnsweredAndWhatItCost() {
        path("ledger", 4, 0.5);
        assertEquals(1L, row("CALL neodp.budget('ledger')").get("releasesLeft"));
        Map<String, Object> given = row("CALL neodp.answer('ledger', 'k0', 'spring')");
        Map<String, Object> listed = row("CALL neodp.releases('ledger')");
        for (String field : List.of("answer", "time", "population", "graphName", "release")) {
            assertEquals(given.get(field), listed.get(field));
        }
        assertEquals(List.of(0.5), listed.get("epsilons"));
        Map<String, Object> left = row("CALL neodp.budget('ledger')");
        assertEquals(
                List.of(1L, 1L, 0L, 0.5),
                List.of(
                        left.get("releaseCount"),
                        left.get("maxReleases"),
                        left.get("releasesLeft"),
                        left.get("spentEpsilon")));
        rows("MATCH (r:NeodpRelease {graph: 'ledger'}) SET r.answer = 'maybe'");
        assertTrue(refusal("CALL neodp.releases('ledger')").startsWith("damaged_release: "));
        rows("MATCH (r:NeodpRelease {graph: 'ledger'}) DELETE r");
    }
}
