package neodp.procedures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.store.Job;
import org.junit.jupiter.api.Test;

/** Options are checked before anything is done, and the refusal says what is allowed. */
final class ConfigurationTest {
    private static Configuration of(String name, Object value) {
        Map<String, Object> given = new HashMap<>();
        given.put(name, value);
        return new Configuration(given, "concurrency", "batch", "write", "engine");
    }

    private static String refusal(Runnable work) {
        return assertThrows(Refusal.class, work::run).getMessage();
    }

    @Test
    void nothingGiven() {
        Configuration none = new Configuration(Map.of(), "concurrency", "batch");
        assertEquals(Job.Threads.USUALLY, none.threads());
        assertEquals(7, none.number("limit", 7, 1, 10));
        assertEquals(false, none.yes("write"));
        assertEquals("auto", none.choice("engine", "auto", "ball"));
    }

    @Test
    void given() {
        assertEquals(
                new Job.Threads(3, Job.Threads.USUALLY.batch()),
                of("concurrency", 3L).threads());
        assertEquals(true, of("write", true).yes("write"));
        assertEquals("ball", of("engine", "ball").choice("engine", "auto", "ball"));
    }

    @Test
    void unknown() {
        String known = "the options are concurrency, batch, write, engine";
        assertEquals("graph: there is no option 'color'; hint: " + known, refusal(() -> of("color", 1L)));
        for (String wrong : List.of("concurency", "concurrncy", "Concurrency", "CONCURRENCY", "concurrency_")) {
            assertEquals(
                    "graph: there is no option '" + wrong + "'; hint: did you mean concurrency? " + known,
                    refusal(() -> of(wrong, 1L)));
        }
        assertEquals(
                "graph: the configuration is null; hint: give a map, as in {batch: ...}, or leave it out",
                refusal(() -> new Configuration(null, "batch")));
    }

    @Test
    void outOfRange() {
        for (Object wrong : Arrays.asList(0L, 65L, 1.5, "2", List.of(1L), true)) {
            String message = refusal(() -> of("concurrency", wrong).threads());
            assertEquals("; hint: give a whole number from 1 to 64", message.substring(message.indexOf("; hint")));
        }
        assertEquals("graph: write is 1; hint: give true or false", refusal(() -> of("write", 1L)
                .yes("write")));
        assertEquals("graph: write is null; hint: give true or false", refusal(() -> of("write", null)
                .yes("write")));
        assertEquals("graph: engine is 'bal'; hint: give one of auto, ball", refusal(() -> of("engine", "bal")
                .choice("engine", "auto", "ball")));
    }
}
