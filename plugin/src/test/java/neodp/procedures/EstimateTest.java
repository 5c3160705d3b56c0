package neodp.procedures;

import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code .estimate} of every mode. */
final class EstimateTest {
    @Test
    void moreDatasetsTakeMore() {
        rows("CREATE (:DatasetGraph {name: 'small', colors: ['yes', 'no'], datasets: 10, edges: 9}), "
                + "(:DatasetGraph {name: 'huge', colors: ['yes', 'no'], datasets: 1000000000000, edges: 0})");
        Map<String, Object> small = row("CALL neodp.extend.write.estimate('small')");
        Map<String, Object> huge = row("CALL neodp.extend.write.estimate('huge', {concurrency: 2})");
        assertEquals(true, small.get("fits"));
        assertEquals(false, huge.get("fits"));
        assertEquals(List.of(10L, 9L), List.of(small.get("nodeCount"), small.get("relationshipCount")));
        assertTrue((long) small.get("bytesMin") <= (long) small.get("bytesMax"));
        assertTrue((long) small.get("bytesMax") < (long) huge.get("bytesMax"));
        assertTrue(refusal("CALL neodp.extend.stats('huge')").startsWith("memory: graph 'huge' may take "));
        assertEquals("[3.5 KiB ... 4.1 KiB]", small.get("requiredMemory"));
        assertEquals(
                "graph: [3.5 KiB ... 4.1 KiB]\n|-- datasets: 2.7 KiB\n|-- edges: [810 Bytes ... 1.3 KiB]\n",
                small.get("treeView"));
        for (String call : List.of(
                "check",
                "audit",
                "extend.stream",
                "extend.stats",
                "boundary.balanced.stream",
                "boundary.balanced.stats",
                "boundary.balanced.write")) {
            Map<String, Object> same = row("CALL neodp." + call + ".estimate('small')");
            assertEquals(small.get("bytesMax"), same.get("bytesMax"), call);
        }
    }
}
