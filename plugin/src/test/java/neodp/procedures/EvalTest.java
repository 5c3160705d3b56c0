package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code neodp.eval}. */
final class EvalTest {
    @BeforeAll
    static void graph() {
        path("eval", 40, 0.05);
    }

    @Test
    void everyEngineGivesTheSameAsExtend() {
        Map<Object, Object> all = rows("CALL neodp.extend.stream('eval')").stream()
                .collect(Collectors.toMap(x -> x.get("key"), x -> x.get("pTrue")));
        for (String engine : List.of("auto", "ball", "whole")) {
            List<Map<String, Object>> found =
                    rows("CALL neodp.eval('eval', ['k3', 'k30', 'k3'], {engine: '" + engine + "'})");
            assertEquals(
                    List.of("k3", "k30", "k3"),
                    found.stream().map(x -> x.get("key")).toList());
            found.forEach(x -> assertEquals(all.get(x.get("key")), x.get("pTrue")));
        }
    }

    @Test
    void thePathFromWhatDecides() {
        Map<String, Object> found = row("CALL neodp.eval('eval', ['k17'])");
        assertEquals("k19", found.get("decider"));
        assertEquals(List.of("k19", "k18", "k17"), found.get("path"));
        assertEquals(List.of(0.05, 0.05), found.get("epsilons"));
        assertTrue((long) found.get("seen") <= 40);
    }

    @Test
    void refusals() {
        assertTrue(refusal("CALL neodp.eval('eval', ['nobody'])").startsWith("unknown_key: "));
        assertTrue(refusal("CALL neodp.eval('eval', null)").startsWith("graph: the list of keys is null"));
        assertTrue(refusal("CALL neodp.eval('eval', ['k0', null])").startsWith("graph: a key is null"));
        assertTrue(refusal("CALL neodp.eval('eval', ['k0'], {engine: 'ball', limit: 1})")
                .startsWith("ball_too_large: "));
    }

    @Test
    void whatIsStoredMustAgree() {
        path("eval-stored", 4, 0.5);
        rows("CALL neodp.extend.write('eval-stored')");
        rows("MATCH (d:Dataset {graph: 'eval-stored', key: 'k0'}) SET d.p = 0.1, d.q = 0.9");
        assertEquals(1, rows("CALL neodp.eval('eval-stored', ['k3'])").size());
        assertTrue(refusal("CALL neodp.eval('eval-stored', ['k0'])").startsWith("stale: "));
    }
}
