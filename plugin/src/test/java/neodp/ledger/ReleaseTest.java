package neodp.ledger;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.algorithm.Level;
import org.junit.jupiter.api.Test;

/** A release answers one question, and shows whether somebody has changed it. */
final class ReleaseTest {
    private static final String ASKED = "{\"colors\": [\"yes\", \"no\"], \"graph\": \"g\"}";

    private static Release release(String answer) {
        return new Release(
                "g",
                "spring",
                answer,
                null,
                null,
                "default",
                ASKED,
                List.of(new Level(0.1, 0.0)),
                "neodp answer g KEY");
    }

    /** Computed by {@code Release.digest} of the client, Python 3.11. */
    @Test
    void theDigestIsTheClients() {
        assertEquals(
                "c87f32691d199e4ce64a7440b6c62a3e5f7ba5b8fdd547833f038b22b6a76738",
                release("yes").digest());
        assertNotEquals(release("no").digest(), release("yes").digest());
    }

    @Test
    void whatWasChangedIsRefused() {
        Map<String, Object> row = new HashMap<>(Map.of(
                "graph",
                "g",
                "name",
                "spring",
                "answer",
                "yes",
                "population",
                "default",
                "asked",
                ASKED,
                "command",
                "neodp answer g KEY",
                "digest",
                release("yes").digest()));
        row.put("level_epsilons", new double[] {0.1});
        row.put("level_deltas", new double[] {0.0});
        row.put("level_names", new String[] {""});
        row.put("level_people", new long[] {-1});
        row.put("level_times", new long[] {1});
        assertEquals(release("yes"), Release.of(row));
        row.put("answer", "no");
        assertTrue(assertThrows(Refusal.class, () -> Release.of(row)).is("damaged_release"));
        row.put("answer", 1L);
        assertTrue(assertThrows(Refusal.class, () -> Release.of(row)).is("damaged_release"));
    }

    @Test
    void anotherQuestionIsRefusedWithItsDifference() {
        assertDoesNotThrow(() -> release("yes").require(ASKED));
        Refusal refusal = assertThrows(Refusal.class, () -> release("yes").require(ASKED.replace("\"g\"", "\"h\"")));
        assertTrue(refusal.is("other_question"));
        assertTrue(refusal.getMessage().contains("was asked with graph 'g', and is now asked with graph 'h'"));
    }

    @Test
    void drawsAreExact() {
        BigInteger all = BigInteger.TWO.pow(1074);
        double[] quarter = {0.25, 0.75};
        BigInteger end = all.shiftRight(2);
        assertEquals(0, Answers.choose(quarter, BigInteger.ZERO));
        assertEquals(0, Answers.choose(quarter, end.subtract(BigInteger.ONE)));
        assertEquals(1, Answers.choose(quarter, end));
        assertEquals(1, Answers.choose(new double[] {0.0, 1.0}, BigInteger.ZERO));
        double[] tiny = {1.0, Double.MIN_VALUE};
        assertEquals(1, Answers.choose(tiny, BigInteger.ZERO));
        assertEquals(0, Answers.choose(tiny, BigInteger.ONE));
    }
}
