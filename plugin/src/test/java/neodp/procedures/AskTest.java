package neodp.procedures;

import static neodp.Database.db;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.neo4j.graphdb.Transaction;

/** {@code neodp.protect} and {@code neodp.ask}; each test has people of a label of its own. */
final class AskTest {
    /** A ring of people, all of them ill, with epsilon 1. */
    private static void ring(String label, int n) {
        rows("UNWIND range(0, $n - 1) AS i CREATE (:" + label + " {id: i, ill: true, epsilon: 1.0})", Map.of("n", (long)
                n));
        rows(
                "UNWIND range(0, $n - 1) AS i MATCH (a:" + label + " {id: i}), (b:" + label + " {id: (i + 1) % $n}) "
                        + "CREATE (a)-[:KNOWS]->(b)",
                Map.of("n", (long) n));
        row("CALL neodp.protect('" + label + "', {people: '" + label + "', epsilon: 'epsilon', properties: ['ill']})");
    }

    private static String call(String procedure, String label, String options) {
        return "CALL " + procedure + "('" + label + "', 'MATCH (a:" + label + ")-[:KNOWS]-(b:" + label
                + ") WHERE a.ill', {" + options + "})";
    }

    /** Of a ring of eight, half of everybody leaves before no pair is left. */
    @Test
    void theDistanceOfARing() {
        ring("Ring", 8);
        Map<String, Object> found = row(call("neodp.ask.reveal", "Ring", "atLeast: 1, share: 1"));
        assertEquals(8L, found.get("matches"));
        assertEquals(4.0, found.get("distance"));
        found = row(call("neodp.ask.reveal", "Ring", "atLeast: 9, falseAlarm: 0.25"));
        assertEquals(Map.of("yes", 0.25, "no", 0.75), found.get("probabilities"));
        assertEquals(0.0, found.get("distance"));
    }

    @Test
    void drawnOnceAndKept() {
        ring("Kept", 6);
        Map<String, Object> first = row(call("neodp.ask", "Kept", "atLeast: 3, release: 'spring'"));
        assertTrue(Set.of("yes", "no").contains(first.get("answer")));
        rows("MATCH (p:Kept) DETACH DELETE p");
        assertEquals(first, row(call("neodp.ask", "Kept", "atLeast: 3, release: 'spring'")));
        assertEquals(
                1L,
                row("MATCH (r:NeodpRelease {graph: 'ask Kept'}) RETURN count(r) AS n")
                        .get("n"));
        assertTrue(refusal(call("neodp.ask", "Kept", "atLeast: 4, release: 'spring'"))
                .contains("at_least 3"));
        assertEquals(
                0.8,
                rows("CALL neodp.protect.list() YIELD population, left WHERE population = 'Kept' RETURN left")
                        .get(0)
                        .get("left"));
    }

    @Test
    void aPreviewKeepsNothing() {
        ring("Preview", 4);
        Map<String, Object> found = row(call("neodp.ask", "Preview", "count: true, share: 0.5"));
        assertNotNull(found.get("slack"));
        assertNull(found.get("answer"));
        assertEquals(
                List.of(),
                rows(
                        "MATCH (r:NeodpRelease {graph: 'ask Preview'}) RETURN r UNION MATCH (r:NeodpLedger {population: '(:Preview)'}) RETURN r"));
    }

    /** Answers are kept by themselves; who is protected is part of the caller's transaction. */
    @Test
    void rollingBack() {
        ring("Back", 4);
        try (Transaction tx = db().beginTx()) {
            tx.execute(call("neodp.ask", "Back", "atLeast: 2, release: 'spring'"))
                    .close();
            tx.execute("CALL neodp.protect('Back2', {people: 'Back', epsilon: 'epsilon'})")
                    .close();
            tx.rollback();
        }
        assertEquals(
                1L,
                row("MATCH (r:NeodpRelease {graph: 'ask Back'}) RETURN count(r) AS n")
                        .get("n"));
        assertEquals(
                0L,
                row("MATCH (p:NeodpProtection {population: 'Back2'}) RETURN count(p) AS n")
                        .get("n"));
    }

    @Test
    void refused() {
        ring("Refused", 4);
        assertTrue(refusal(call("neodp.ask", "Refused", "atLest: 3")).contains("atLeast"));
        assertTrue(refusal("CALL neodp.ask('Refused', 'MATCH (a:Refused) RETURN a', {atLeast: 1})")
                .contains("say what is asked: `{atLeast: 500}` or `{count: true}`"));
        assertTrue(refusal("CALL neodp.ask('Refused', 'MATCH (a:Refused)--(b:Refused)--(c:Refused)', {atLeast: 1})")
                .contains("can have 3 people"));
    }
}
