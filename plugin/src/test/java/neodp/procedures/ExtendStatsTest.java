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
        assertEquals(5L, found.get("vertices"));
        assertEquals(4L, found.get("edges"));
        assertEquals(2L, found.get("boundary"));
        assertEquals(0.5, found.get("min_p_true"));
        assertEquals(0L, found.get("written"));
        double mean = rows("CALL neodp.extend.stream('stats')").stream()
                .collect(Collectors.averagingDouble(x -> (double) x.get("p_true")));
        assertEquals(mean, (double) found.get("mean_p_true"), 1e-15);
        assertNull(row("MATCH (d:Dataset {graph: 'stats', key: 'k0'}) RETURN d.p AS p")
                .get("p"));
    }
}
