package neodp.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import neodp.Alone;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** Distances of small graphs of people: what is known by hand, and what must hold for all of them. */
final class DistancesTest {
    private static final Workers WORKERS = new Alone().workers();

    /** A program of pairs, each with an amount. */
    private static Cover pairs(long[] weight, long factor, int[][] pairs) {
        int n = pairs.length;
        long[] amount = new long[n];
        Arrays.fill(amount, factor);
        return new Cover(
                weight,
                amount,
                IntStream.range(0, n).toArray(),
                Arrays.stream(pairs).mapToInt(pair -> pair[0]).toArray(),
                Arrays.stream(pairs).mapToInt(pair -> pair[1]).toArray(),
                0);
    }

    private static long at(Cover cover, long t) {
        return new Distances(cover, WORKERS).at(t);
    }

    @Test
    void aStar() {
        Cover star = pairs(new long[] {1, 1, 1, 1}, 1, new int[][] {{0, 1}, {0, 2}, {0, 3}});
        List<Long> found = new ArrayList<>();
        for (long t = 0; t < 5; t++) {
            found.add(at(star, t));
        }
        assertEquals(List.of(Distances.INFINITE, 1L, 1L, 1L, 0L), found);
    }

    /** Three people who all know each other: half of everybody leaves, and no pair is left. */
    @Test
    void aTriangle() {
        Cover triangle = pairs(new long[] {4, 4, 4}, 1, new int[][] {{0, 1}, {1, 2}, {0, 2}});
        assertEquals(6, at(triangle, 1));
        assertEquals(4, at(triangle, 2));
        assertEquals(2, at(triangle, 3));
    }

    /** When a person leaves with all their pairs, the distance falls by 0 to their weight. */
    @Test
    void oneLess() {
        Random chance = new Random(28);
        for (int round = 0; round < 300; round++) {
            int n = 2 + chance.nextInt(6);
            long[] weight = chance.longs(n, 1, 7).toArray();
            List<int[]> pairs = new ArrayList<>();
            for (int a = 0; a < n; a++) {
                if (chance.nextInt(4) == 0) {
                    pairs.add(new int[] {a, -1});
                }
                for (int b = a + 1; b < n; b++) {
                    if (chance.nextInt(2) == 0) {
                        pairs.add(new int[] {a, b});
                    }
                }
            }
            int gone = chance.nextInt(n);
            Cover before = pairs(weight, 1, pairs.toArray(int[][]::new));
            Cover after = pairs(
                    weight,
                    1,
                    pairs.stream()
                            .filter(pair -> pair[0] != gone && pair[1] != gone)
                            .toArray(int[][]::new));
            for (long t = 1; t <= pairs.size(); t++) {
                long fall = at(before, t) - at(after, t);
                assertTrue(fall >= 0 && fall <= weight[gone], "fell by " + fall);
            }
        }
    }

    /** Amounts of any size: numbers beyond 64 bits are as exact. */
    @Test
    void largeAmounts() {
        Random chance = new Random(3);
        for (int round = 0; round < 40; round++) {
            int n = 3 + chance.nextInt(5);
            long[] weight = chance.longs(n, 1, 100_000).toArray();
            int[][] pairs = IntStream.range(0, 2 * n)
                    .mapToObj(i -> chance.ints(0, n).distinct().limit(2).toArray())
                    .toArray(int[][]::new);
            long factor = 1L << 50;
            for (long t = 1; t <= 2 * n; t++) {
                long small = at(pairs(weight, 1, pairs), t);
                assertEquals(small, at(pairs(weight, factor, pairs), (t - 1) * factor + 1));
            }
        }
    }

    /** A certificate that proves nothing is noticed. */
    @Test
    void wrongCertificates() {
        Cover star = pairs(new long[] {1, 1, 1, 1}, 1, new int[][] {{0, 1}, {0, 2}, {0, 3}});
        Cover.Primal nobody = new Cover.Primal(new long[4], 2);
        assertThrows(ArithmeticException.class, () -> star.upper(0, nobody, WORKERS));
        Wholes prices = new Wholes(3);
        prices.set(0, 2, 1, 0, 0);
        assertThrows(ArithmeticException.class, () -> star.lower(0, new Cover.Dual(prices, 2, 1), WORKERS));
        assertThrows(ArithmeticException.class, () -> star.lower(0, new Cover.Dual(prices, 1, 2), WORKERS));
    }

    @Test
    void theChancesOfYes() {
        AtLeast question = new AtLeast(500, 0.05);
        assertEquals(0.05, question.chances(0)[0]);
        assertEquals(1.0, question.chances(Distances.INFINITE)[0]);
        double before = 0.05;
        for (long units = 1; units < 4000; units += 37) {
            double yes = question.chances(units)[0];
            assertTrue(yes > before && question.chances(units)[1] > 0.0);
            before = yes;
        }
        long needed = question.needed(0.9);
        assertTrue(question.chances(needed)[0] >= 0.9 && question.chances(needed - 1)[0] < 0.9);
    }

    /** With 95 %, a count is not above the true number's range, and not below what is left without a few people. */
    @Test
    void theRangeOfAClearCount() {
        Counting ranges = new Counting(List.of(0L, 10L, 100L), true);
        Map<String, LongUnaryOperator> distances = Map.of(
                "0 to 9", t -> 0, "10 to 99", t -> t <= 10 ? 1L << 40 : 0, "100 or more", t -> Distances.INFINITE);
        distances.forEach((answer, distance) -> {
            int right = 0;
            for (int i = 0; i < 600; i++) {
                right += ranges.draw(distance).equals(answer) ? 1 : 0;
            }
            assertTrue(right > 520, answer + ": " + right); // nine standard deviations below 570
        });
    }

    /** Of two ranges, the one that is off by n is the answer with e^(-n u / 2) / 2; here n is the shift itself. */
    @Test
    void theChancesOfTwoRanges() {
        Map<String, Object> found = new Counting(List.of(0L, 10L), true).chances(t -> 0);
        assertEquals(0.0125, (double) found.get("10 or more"), 1e-5);
        assertEquals(1.0, (double) found.get("10 or more") + (double) found.get("0 to 9"));
    }

    /** The steward of a count is shown likely answers alone: here the end of the range of 5,000. A clear number needs few programs. */
    @Test
    void theChancesOfACount() {
        int[] asked = {0};
        Map<String, Object> found = Counting.to(1_000_000).chances(t -> {
            asked[0]++;
            return t <= 5000 ? Distances.INFINITE : 0;
        });
        assertTrue(asked[0] < 30, asked[0] + " programs");
        assertEquals(
                Set.of("5024"),
                found.entrySet().stream()
                        .filter(each -> (double) each.getValue() > 0.5)
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toSet()));
        assertTrue(found.values().stream().allMatch(p -> (double) p >= 1e-4));
    }
}
