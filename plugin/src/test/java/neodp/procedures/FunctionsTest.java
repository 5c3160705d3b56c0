package neodp.procedures;

import static neodp.Database.refusal;
import static neodp.Database.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** {@code neodp.version and neodp.bound}. */
final class FunctionsTest {
    @Test
    void theVersionOfTheClient() {
        assertTrue(((String) row("RETURN neodp.version() AS v").get("v")).matches("\\d+\\.\\d+\\.\\d+.*"));
    }

    @Test
    void theBoundOfOneEdge() {
        assertEquals(0.25, row("RETURN neodp.bound(0.25, 0.0) AS b").get("b"));
        assertEquals(
                0.25 * Math.E,
                (double) row("RETURN neodp.bound(0.25, 1.0) AS b").get("b"),
                1e-15);
        assertEquals(1.0, row("RETURN neodp.bound(0.5, 0.0, 0.5) AS b").get("b"));
        assertNull(row("RETURN neodp.bound(null, 0.0) AS b").get("b"));
        assertTrue(
                refusal("RETURN neodp.bound(1.5, 0.0)").startsWith("graph: p is 1.5; hint: give a number from 0 to 1"));
        assertTrue(refusal("RETURN neodp.bound(0.5, 700.0)").startsWith("graph: epsilon is 700.0; "));
    }
}
