package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code neodp.audit}. */
final class AuditMechanismTest {
    @BeforeAll
    static void graph() {
        path("audit", 6, 0.2);
        rows("CALL neodp.extend.write('audit')");
    }

    @Test
    void private_() {
        Map<String, Object> found = row("CALL neodp.audit('audit', {worst: 2})");
        assertEquals(
                List.of(5L, 20L, 0L, false),
                List.of(
                        found.get("relationshipCount"),
                        found.get("checks"),
                        found.get("violations"),
                        found.get("stale")));
        assertEquals(2, ((List<?>) found.get("worst")).size());
        assertNotNull(found.get("written"));
    }

    @Test
    void oneBitTooMuchIsSeen() {
        path("audit-bit", 2, 0.0);
        rows("CALL neodp.extend.write('audit-bit')");
        rows(
                "MATCH (d:Dataset {graph: 'audit-bit', key: 'k0'}) SET d.p = 0.5000000000000001, d.q = 0.4999999999999999");
        Map<String, Object> found = row("CALL neodp.audit('audit-bit')");
        assertEquals(2L, found.get("violations"));
        Map<?, ?> worst = (Map<?, ?>) ((List<?>) found.get("worst")).get(0);
        assertEquals(2, ((List<?>) worst.get("broken")).size());
    }

    @Test
    void whatHasChangedIsStale() {
        path("audit-stale", 4, 0.2);
        rows("CALL neodp.extend.write('audit-stale')");
        rows("MATCH (d:Dataset {graph: 'audit-stale'})-[r:NEIGHBOR]->() SET r.epsilon = 0.3");
        assertEquals(true, row("CALL neodp.audit('audit-stale')").get("stale"));
    }

    @Test
    void withoutAMechanism() {
        path("audit-none", 2, 0.2);
        assertTrue(refusal("CALL neodp.audit('audit-none')").startsWith("no_mechanism: "));
    }
}
