package neodp.procedures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.store.Job;
import org.junit.jupiter.api.Test;

/** A configuration is checked before anything is done, and the refusal says what is allowed. */
final class ConfigurationTest {
    private static final String KEYS =
            "the keys are write, engine, concurrency, batchSize, logProgress, jobId, nodeLabel, relationshipType, "
                    + "keyProperty, colorProperty, alphaProperty, preferenceProperty, epsilonProperty, deltaProperty, "
                    + "writeProperty, colors [graph]";

    private static Configuration of(String name, Object value) {
        Map<String, Object> given = new HashMap<>();
        given.put(name, value);
        return Configuration.ofWhole(given, "write", "engine");
    }

    private static String refusal(Runnable work) {
        return assertThrows(Refusal.class, work::run).getMessage();
    }

    @Test
    void nothingGiven() {
        Configuration none = Configuration.ofWhole(Map.of());
        Job.Manner manner = none.manner("p");
        assertEquals(Job.Manner.usual("p").batchSize(), manner.batchSize());
        assertTrue(manner.logProgress());
        assertEquals(7, none.number("limit", 7, 1, 10));
        assertEquals(false, none.yes("write"));
        assertEquals("auto", none.choice("engine", "auto", "ball"));
        assertEquals(
                Map.of(
                        "concurrency",
                        (long) manner.concurrency(),
                        "batchSize",
                        20_000L,
                        "logProgress",
                        true,
                        "jobId",
                        manner.jobId(),
                        "limit",
                        7L,
                        "write",
                        false,
                        "engine",
                        "auto"),
                none.effective());
    }

    @Test
    void given() {
        assertEquals(3, of("concurrency", 3L).manner("p").concurrency());
        assertEquals("mine", of("jobId", "mine").manner("p").jobId());
        assertEquals(true, of("write", true).yes("write"));
        assertEquals("ball", of("engine", "ball").choice("engine", "auto", "ball"));
    }

    @Test
    void unknown() {
        assertEquals("the configuration has the unknown key 'weight';\n" + KEYS, refusal(() -> of("weight", 1L)));
        assertTrue(refusal(() -> of("writeConcurrency", 1L)).contains("did you mean `{concurrency: ...}`?"));
        for (String wrong : List.of("concurency", "concurrncy", "Concurrency", "CONCURRENCY", "concurrency_")) {
            assertEquals(
                    "the configuration has the unknown key '" + wrong + "';\ndid you mean `{concurrency: ...}`? "
                            + KEYS,
                    refusal(() -> of(wrong, 1L)));
        }
    }

    /** As in GDS. */
    @Test
    void nullIsAsIfNotGiven() {
        assertEquals("auto", new Configuration(null, "engine").choice("engine", "auto", "ball"));
        assertEquals("auto", of("engine", null).choice("engine", "auto", "ball"));
        assertEquals(false, of("write", null).yes("write"));
        assertEquals(
                Job.Manner.usual("p").concurrency(),
                of("concurrency", null).manner("p").concurrency());
        assertTrue(of("nodeLabel", null).manner("p").naming().own());
    }

    @Test
    void outOfRange() {
        for (Object wrong : Arrays.asList(0L, 65L, 1.5, "2", List.of(1L), true)) {
            assertTrue(refusal(() -> of("concurrency", wrong).manner("p"))
                    .endsWith(";\ngive a whole number from 1 to 64 [graph]"));
        }
        for (Object wrong : Arrays.asList(1L, "")) {
            assertTrue(refusal(() -> of("jobId", wrong).manner("p")).endsWith(";\ngive a text [graph]"));
        }
        assertEquals("write is 1;\ngive true or false [graph]", refusal(() -> of("write", 1L)
                .yes("write")));
        assertEquals("engine is 'bal';\ngive one of auto, ball [graph]", refusal(() -> of("engine", "bal")
                .choice("engine", "auto", "ball")));
    }
}
