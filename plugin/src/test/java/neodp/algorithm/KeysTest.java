package neodp.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import neodp.Alone;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** Keys are in the order of their code points, which is that of their UTF-8 bytes. */
final class KeysTest {
    private static final String[] LETTERS = {"a", "b", "\u0000", "\u007f", "é", "\uFFFD", "\uD83D\uDE00", "\uD83D\uDE01"
    };

    @Test
    void anyTexts() {
        Random random = new Random(5);
        Comparator<String> bytes = (a, b) ->
                Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 300; i++) {
                String common = word(random, random.nextInt(5));
                String[] keys = IntStream.range(0, 1 + random.nextInt(50))
                        .mapToObj(j -> common + word(random, random.nextInt(20)))
                        .toArray(String[]::new);
                int[] order = Keys.order(keys, 7, workers);
                String[] expected = keys.clone();
                Arrays.sort(expected, bytes);
                assertArrayEquals(
                        expected, Arrays.stream(order).mapToObj(v -> keys[v]).toArray(String[]::new));
                assertEquals(keys.length, Arrays.stream(order).distinct().count());
            }
        }
    }

    private static String word(Random random, int length) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < length; i++) {
            out.append(LETTERS[random.nextInt(LETTERS.length)]);
        }
        return out.toString();
    }

    @Test
    void eachKeyIsLookedUpOnceAndTheTableIsGivenBack() {
        Alone alone = new Alone();
        try (Workers workers = alone.workers()) {
            Set<String> asked = new HashSet<>();
            int[] found = Keys.places(
                    List.of("b", "a", "b"),
                    key -> {
                        assertEquals(true, asked.add(key));
                        return key.charAt(0) - 'a';
                    },
                    workers);
            assertArrayEquals(new int[] {1, 0, 1}, found);
            assertEquals(4L * found.length, alone.bytes);
        }
    }
}
