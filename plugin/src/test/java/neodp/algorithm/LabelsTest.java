package neodp.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The properties from which everything follows: ARCHITECTURE.md, "Why it is exact". */
final class LabelsTest {
    private static final int TIMES = 20_000;
    private static final long TINIEST = Double.doubleToRawLongBits(Labels.TINY); // 0 is below, and nothing between
    private final Random random = new Random(1);

    /** A probability from 0 to 1/2, often tiny. */
    private double small() {
        double x = Math.scalb(random.nextDouble(), -random.nextInt(random.nextBoolean() ? 4 : 1000));
        return x < Labels.TINY ? 0.0 : Math.min(x, 0.5);
    }

    private long label() {
        double p = small();
        long label = Labels.encode(p, 1.0 - p);
        return random.nextBoolean() ? label : -label;
    }

    private double epsilon() {
        return switch (random.nextInt(4)) {
            case 0 -> 0.0;
            case 1 -> random.nextDouble() * Labels.MAX_EPSILON;
            default -> Math.scalb(random.nextDouble(), 1 - random.nextInt(40));
        };
    }

    private double delta() {
        return random.nextBoolean() ? 0.0 : Math.scalb(random.nextDouble(), -random.nextInt(60));
    }

    @Test
    void certaintyAndItsComplement() {
        assertEquals(Labels.HALF, Labels.encode(1.0, 0.0));
        assertEquals(-Labels.HALF, Labels.encode(0.0, 1.0));
        assertEquals(1.0, Labels.decode(Labels.HALF));
        assertEquals(0, Labels.encode(0.5, 0.5));
    }

    @Test
    void theSmallerChanceIsExact() {
        for (int i = 0; i < TIMES; i++) {
            double p = small();
            long label = Labels.encode(p, 1.0 - p);
            assertEquals(p, Labels.decode(label));
            assertEquals(-label, Labels.encode(1.0 - p, p));
        }
    }

    @Test
    void anEdgeNeverLowersAndKeepsTheOrder() {
        for (int i = 0; i < TIMES; i++) {
            double f = Labels.factor(epsilon());
            double d = delta();
            long a = label();
            long b = label();
            assertTrue(Labels.relax(a, f, d) >= a);
            assertEquals(a <= b, Labels.relax(Math.min(a, b), f, d) <= Labels.relax(Math.max(a, b), f, d) && a <= b);
        }
    }

    @Test
    void anEdgeIsSelfAdjoint() {
        for (int i = 0; i < TIMES; i++) {
            double f = Labels.factor(epsilon());
            double d = delta();
            long a = label();
            long near = Labels.relax(a, f, d) + random.nextInt(3) - 1;
            long b = Math.abs(near) <= Labels.HALF - TINIEST ? near : label();
            assertEquals(b <= Labels.relax(a, f, d), -a <= Labels.relax(-b, f, d));
        }
    }

    @Test
    void anEdgeAllowsNoMoreThanTheDefinition() {
        for (int i = 0; i < TIMES / 10; i++) {
            double epsilon = epsilon();
            double d = delta();
            double p = small();
            long label = Labels.relax(Labels.encode(p, 1.0 - p), Labels.factor(epsilon), d < Labels.TINY ? 0.0 : d);
            BigDecimal allowed = label <= 0
                    ? new BigDecimal(Labels.decode(label))
                    : BigDecimal.ONE.subtract(new BigDecimal(Labels.decode(-label)));
            assertTrue(Inequalities.holds(allowed, new BigDecimal(p), epsilon, d));
        }
    }

    @Test
    void whatBreaksTheInequalityIsSeenInTheLastDigit() {
        BigDecimal half = new BigDecimal(0.5);
        assertTrue(Inequalities.holds(half, half, 0.0, 0.0));
        assertFalse(Inequalities.holds(half.add(BigDecimal.ONE.movePointLeft(300)), half, 0.0, 0.0));
        assertTrue(Inequalities.holds(new BigDecimal("0.2718281828459045235360287"), new BigDecimal("0.1"), 1.0, 0.0));
        assertFalse(Inequalities.holds(new BigDecimal("0.2718281828459045235360288"), new BigDecimal("0.1"), 1.0, 0.0));
    }
}
