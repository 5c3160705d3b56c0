package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code neodp.check}. */
final class CheckTest {
    @Test
    void fine() {
        path("check", 4, 0.1);
        Map<String, Object> found = row("CALL neodp.check('check')");
        assertEquals(
                List.of(true, true, true, 1L, 2L),
                List.of(
                        found.get("connected"),
                        found.get("boundaryHit"),
                        found.get("compatible"),
                        found.get("componentCount"),
                        found.get("boundaryCount")));
        assertNull(found.get("witness"));
        assertNull(found.get("unhit"));
    }

    @Test
    void notHit() {
        path("check-unhit", 4, 0.1);
        rows("MATCH (d:Dataset {graph: 'check-unhit'}) REMOVE d.alpha");
        Map<String, Object> found = row("CALL neodp.check('check-unhit')");
        assertEquals(false, found.get("boundaryHit"));
        assertEquals(List.of("k1", "k2"), found.get("unhit"));
        assertNull(found.get("compatible"));
    }

    @Test
    void notCompatible() {
        path("check-conflict", 4, 0.1);
        rows("MATCH (d:Dataset {graph: 'check-conflict', key: 'k0'}) SET d.alpha = 0.9");
        Map<String, Object> found = row("CALL neodp.check('check-conflict')");
        assertEquals(false, found.get("compatible"));
        Map<?, ?> witness = (Map<?, ?>) found.get("witness");
        assertEquals("k0", witness.get("dataset"));
        assertEquals(List.of("k1", "k0"), witness.get("path"));
    }

    @Test
    void inTwoParts() {
        path("check-parts", 4, 0.1);
        rows("MATCH (:Dataset {graph: 'check-parts', key: 'k0'})-[r:NEIGHBOR]->() DELETE r");
        Map<String, Object> found = row("CALL neodp.check('check-parts')");
        assertFalse((boolean) found.get("connected"));
        assertEquals(2L, found.get("componentCount"));
    }
}
