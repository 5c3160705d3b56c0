package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code neodp.extend.stats}. */
final class ExtendStatsTest {
    @Test
    void aSummary() {
        path("stats", 5, 1.0);
        Map<String, Object> found = row("CALL neodp.extend.stats('stats')");
        assertEquals(5L, found.get("nodeCount"));
        assertEquals(4L, found.get("relationshipCount"));
        assertEquals(2L, found.get("boundaryCount"));
        assertEquals(0.5, found.get("minPTrue"));
        assertNull(found.get("writeMillis"));
        double mean = rows("CALL neodp.extend.stream('stats')").stream()
                .collect(Collectors.averagingDouble(x -> (double) x.get("pTrue")));
        assertEquals(mean, (double) found.get("meanPTrue"), 1e-15);
        assertNull(row("MATCH (d:Dataset {graph: 'stats', key: 'k0'}) RETURN d.p AS p")
                .get("p"));
    }
}
