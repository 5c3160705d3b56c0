package neodp.procedures;

import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code neodp.extend.estimate}. */
final class ExtendEstimateTest {
    @Test
    void moreDatasetsTakeMore() {
        rows("CREATE (:DatasetGraph {name: 'small', colors: ['yes', 'no'], datasets: 10, edges: 9}), "
                + "(:DatasetGraph {name: 'huge', colors: ['yes', 'no'], datasets: 1000000000000, edges: 0})");
        Map<String, Object> small = row("CALL neodp.extend.estimate('small')");
        Map<String, Object> huge = row("CALL neodp.extend.estimate('huge', {concurrency: 2})");
        assertEquals(true, small.get("fits"));
        assertEquals(false, huge.get("fits"));
        assertEquals(List.of(10L, 9L), List.of(small.get("vertices"), small.get("edges")));
        assertTrue((long) small.get("bytes_min") <= (long) small.get("bytes_max"));
        assertTrue((long) small.get("bytes_max") < (long) huge.get("bytes_max"));
        assertTrue(refusal("CALL neodp.extend.stats('huge')").startsWith("memory: graph 'huge' may take "));
    }
}
