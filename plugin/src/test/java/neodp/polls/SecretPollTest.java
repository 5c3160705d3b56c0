package neodp.polls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.algorithm.rainbow.Decimals;
import org.junit.jupiter.api.Test;

/** Scores, chances and draws of polls with secret levels. */
final class SecretPollTest {
    /** The documented chances: at score 0 a coin, at an epsilon of 1 what 1 - e^-1/2 is. */
    @Test
    void closedForm() {
        assertArrayEquals(new double[] {0.5, 0.5}, SecretPoll.at(0));
        double[] one = SecretPoll.at(1 << 11);
        assertEquals(1.0 - Math.exp(-1.0) / 2.0, one[0], 1e-12);
        assertArrayEquals(new double[] {one[1], one[0]}, SecretPoll.at(-(1 << 11)));
        assertEquals(Double.MIN_NORMAL, SecretPoll.at(Long.MAX_VALUE)[1]);
        assertEquals(Double.MIN_NORMAL, SecretPoll.at(Long.MIN_VALUE + 1)[0]);
    }

    /** Between neighbouring scores, every answer keeps e^(2^-11), decided with 60 digits. */
    @Test
    void privateStepByStep() {
        BigDecimal most = new Decimals(60).exp(BigInteger.TWO.pow(39));
        for (long score = -3000; score < 3000; score += 1 + Math.abs(score) / 50) {
            double[] here = SecretPoll.at(score);
            double[] next = SecretPoll.at(score + 1);
            for (int answer = 0; answer < 2; answer++) {
                BigDecimal p = exact(here, answer);
                BigDecimal q = exact(next, answer);
                assertTrue(p.compareTo(most.multiply(q)) <= 0 && q.compareTo(most.multiply(p)) <= 0, "at " + score);
            }
        }
    }

    /** The smaller chance is stored exactly, the larger is one minus it. */
    private static BigDecimal exact(double[] chances, int answer) {
        BigDecimal small = new BigDecimal(Math.min(chances[0], chances[1]));
        return chances[answer] <= chances[1 - answer] ? small : BigDecimal.ONE.subtract(small);
    }

    @Test
    void heardByTheirLevel() {
        SecretPoll.Count count = SecretPoll.of(null, null, null, null).count();
        for (int i = 0; i < 60; i++) {
            count.add("Nein", 0.1);
        }
        for (int i = 0; i < 40; i++) {
            count.add(i % 2 == 0 ? "YES" : true, i % 3 == 0 ? (Object) "2" : (Object) 5L);
        }
        count.add("perhaps", 1.0);
        count.add("yes", null);
        assertEquals(Map.of("yes", 40L, "no", 60L), count.votes());
        assertEquals(2, count.notCounted());
        assertEquals("yes", count.draw()); // e^-37 is no chance to meet
    }

    /** Three options that are 0, 1 and 2 epsilon behind come as often as the integral says. */
    @Test
    void permuteAndFlip() {
        SecretPoll.Count count =
                SecretPoll.of("plurality", List.of("a", "b", "c"), 100.0, null).count();
        count.add("a", 2.0);
        count.add("b", 1.0);
        Map<String, Integer> seen = new HashMap<>();
        int draws = 40_000;
        for (int i = 0; i < draws; i++) {
            seen.merge(count.draw(), 1, Integer::sum);
        }
        double[] expected = {0.587, 0.266, 0.147}; // outcome_chances([0, 1, 2], 0.5)
        List<String> options = List.of("a", "b", "c");
        for (int i = 0; i < 3; i++) {
            assertEquals(expected[i], seen.get(options.get(i)) / (double) draws, 0.015); // six standard deviations
        }
    }

    @Test
    void sharesInWords() {
        assertEquals("1/3", SecretPoll.fraction(" 1/3 ").toString());
        assertEquals("1/4", SecretPoll.fraction("0.25").toString());
        assertEquals(null, SecretPoll.fraction("1/0"));
        assertEquals(null, SecretPoll.fraction("-1"));
    }
}
