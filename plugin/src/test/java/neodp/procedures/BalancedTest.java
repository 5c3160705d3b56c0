package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code neodp.boundary.balanced}. */
final class BalancedTest {
    @Test
    void bothEndsAlike() {
        path("balanced", 4, 1.0);
        List<Map<String, Object>> found = rows("CALL neodp.boundary.balanced.stream('balanced')");
        assertEquals(List.of("k1", "k2"), found.stream().map(x -> x.get("key")).toList());
        List<?> yes = (List<?>) found.get(0).get("alpha");
        List<?> no = (List<?>) found.get(1).get("alpha");
        assertEquals(yes.get(0), no.get(1));
        assertTrue((double) yes.get(0) > 0.5);
        Map<String, Object> stats = row("CALL neodp.boundary.balanced.stats('balanced')");
        assertEquals(
                List.of(4L, 3L, 2L, yes.get(0)),
                List.of(
                        stats.get("nodeCount"),
                        stats.get("relationshipCount"),
                        stats.get("boundaryCount"),
                        stats.get("minPTrue")));
        assertEquals(
                0.5,
                row("MATCH (d:Dataset {graph: 'balanced', key: 'k1'}) RETURN d.alpha AS a")
                        .get("a"));
    }

    @Test
    void written() {
        path("balanced-write", 4, 1.0);
        rows("CALL neodp.extend.write('balanced-write')");
        Map<String, Object> found = row("CALL neodp.boundary.balanced.write('balanced-write')");
        assertEquals(2L, found.get("nodePropertiesWritten"));
        assertEquals(
                2L,
                row("MATCH (d:Dataset {graph: 'balanced-write'}) WHERE d.alpha IS NOT NULL RETURN count(d) AS n")
                        .get("n"));
        assertEquals(true, row("CALL neodp.check('balanced-write')").get("compatible"));
        assertTrue(refusal("CALL neodp.audit('balanced-write')").startsWith("no_mechanism: "));
    }
}
