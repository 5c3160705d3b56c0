package neodp.procedures;

import static neodp.Database.path;
import static neodp.Database.refusal;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** {@code neodp.answer}. */
final class AnswerReleaseTest {
    @Test
    void drawnOnceAndKept() {
        path("answer", 4, 0.5);
        Map<String, Object> first = row("CALL neodp.answer('answer', 'k0', 'spring')");
        assertTrue(Set.of("yes", "no").contains(first.get("answer")));
        for (int i = 0; i < 5; i++) {
            assertEquals(first, row("CALL neodp.answer('answer', 'k3', 'spring', {constantWork: true})"));
        }
        Map<String, Object> kept =
                row("MATCH (r:NeodpRelease {graph: 'answer'}) RETURN r.answer AS answer, r.key AS key, r.name AS name");
        assertEquals(first.get("answer"), kept.get("answer"));
        assertNull(kept.get("key"));
        assertEquals("answer", first.get("population"));
    }

    @Test
    void theBudget() {
        path("answer-budget", 4, 0.5);
        row("CALL neodp.answer('answer-budget', 'k0', 'spring', {keepKey: true})");
        assertEquals(
                "k0",
                row("MATCH (r:NeodpRelease {graph: 'answer-budget'}) RETURN r.key AS key")
                        .get("key"));
        assertTrue(refusal("CALL neodp.answer('answer-budget', 'k0', 'autumn')").startsWith("budget_spent: "));
        rows("MATCH (l:NeodpLedger {population: 'answer-budget'}) SET l.max_releases = 2");
        assertNotNull(row("CALL neodp.answer('answer-budget', 'k0', 'autumn')").get("time"));
        assertEquals(
                2L,
                row("MATCH (r:NeodpRelease {population: 'answer-budget'}) RETURN count(r) AS n")
                        .get("n"));
    }

    @Test
    void aGraphInPartsIsNotAnswered() {
        path("answer-parts", 4, 0.5);
        rows("MATCH (:Dataset {graph: 'answer-parts', key: 'k0'})-[r:NEIGHBOR]->() DELETE r");
        assertTrue(refusal("CALL neodp.answer('answer-parts', 'k0', 'spring')").startsWith("not_certified: "));
        assertEquals(
                0L,
                row("MATCH (r:NeodpRelease {graph: 'answer-parts'}) RETURN count(r) AS n")
                        .get("n"));
    }

    @Test
    void changesByOthersAreNoticed() {
        path("answer-changed", 4, 0.5);
        rows("CREATE (:NeodpLedger {population: 'answer-changed', max_releases: 10})");
        row("CALL neodp.answer('answer-changed', 'k0', 'spring')");
        rows("MATCH (d:Dataset {graph: 'answer-changed'})-[r:NEIGHBOR]->() SET r.epsilon = 0.6");
        assertTrue(refusal("CALL neodp.answer('answer-changed', 'k0', 'spring', {verify: true})")
                .startsWith("other_question: "));
    }

    @Test
    void arguments() {
        assertTrue(refusal("CALL neodp.answer('answer', null, 'spring')").startsWith("graph: an argument is null"));
        path("answer-key", 2, 0.5);
        assertTrue(
                refusal("CALL neodp.answer('answer-key', 'nobody', 'spring')").startsWith("unknown_key: "));
    }
}
