package neodp.ledger;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import neodp.Alone;
import neodp.Database;
import neodp.Refusal;
import neodp.algorithm.Level;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;
import org.neo4j.graphdb.Transaction;

/** What was spent is kept as a sum, is read again as it was, and limits what comes next. */
final class LedgerTest {
    private static final List<Level> COST = List.of(new Level(0.1, 0.0), new Level(0.2, 0.0, "often\t\"", 3L, 2));

    private static Release release(String population, String name) {
        return new Release("g", name, "yes", null, null, population, "{}", COST, "");
    }

    private static Ledger read(String population) {
        try (Workers workers = new Alone().workers();
                Transaction tx = Database.db().beginTx()) {
            return Ledger.of(tx, population, workers);
        }
    }

    private static void spend(Ledger ledger, double epsilon) {
        try (Workers workers = new Alone().workers()) {
            ledger.spend("next", List.of(new Level(epsilon, 0.0)), workers);
        }
    }

    private static Ledger keep(String population, String... names) {
        Ledger ledger = read(population);
        for (String name : names) {
            ledger = ledger.plus(release(population, name));
        }
        try (Transaction tx = Database.db().beginTx()) {
            Ledger.lock(tx, population);
            ledger.write(tx);
            tx.commit();
        }
        return ledger;
    }

    private static void limit(String population, String settings) {
        Database.rows("MERGE (l:NeodpLedger {population: '" + population + "'}) SET " + settings);
    }

    @Test
    void oneAnswerUnlessSomethingElseIsSet() {
        Ledger ledger = read("nobody");
        assertEquals(1L, ledger.most());
        assertDoesNotThrow(() -> spend(ledger, 1.0));
        Refusal refusal = assertThrows(Refusal.class, () -> spend(ledger.plus(release("nobody", "a")), 1.0));
        assertTrue(refusal.is("budget_spent"));
        assertTrue(refusal.getMessage().contains("requested 1, used 1, allowed 1"), refusal.getMessage());
    }

    @Test
    void theSumIsReadAsItWasKept() {
        limit("sums", "l.max_releases = 10");
        Ledger kept = keep("sums", "a", "b");
        Ledger found = read("sums");
        assertEquals(kept, found);
        assertEquals(2, found.used());
        assertEquals(1, found.prices().size());
    }

    @Test
    void epsilonAddsUpExactly() {
        limit("adds", "l.max_releases = null, l.epsilon = 1.0");
        Ledger ledger = keep("adds", "a", "b"); // 2 x 2 x 0.2 for those who are asked often
        assertDoesNotThrow(() -> spend(ledger, 0.1));
        Refusal refusal = assertThrows(Refusal.class, () -> spend(ledger, Math.nextUp(0.2)));
        assertTrue(refusal.is("budget_spent"));
    }

    @Test
    void aSumThatWasEditedIsRefused() {
        limit("edited", "l.max_releases = 10");
        keep("edited", "a");
        limit("edited", "l.account = replace(l.account, '1\\t', '0\\t')");
        Refusal refusal = assertThrows(Refusal.class, () -> read("edited"));
        assertTrue(refusal.is("damaged_release"));
        limit("edited", "l.account = null, l.max_releases = 'many'");
        assertTrue(assertThrows(Refusal.class, () -> read("edited")).is("damaged_release"));
    }

    @Test
    void aLimitAtADeltaIsLeftToTheClient() {
        limit("delta", "l.epsilon = 1.0, l.delta = 1e-6");
        Ledger ledger = read("delta");
        assertTrue(assertThrows(Refusal.class, () -> spend(ledger, 0.1)).is("client"));
    }
}
