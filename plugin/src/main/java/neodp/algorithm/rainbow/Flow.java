package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.math.BigInteger;
import neodp.algorithm.Labels;
import neodp.algorithm.Labels.Sum;

/**
 * The line, for epsilons that differ between edges: every prefix sum S follows dS/dt = min(S, 1 - S), where t is the
 * epsilon-distance from the boundary of the order. The twin of {@code neodp/core/rainbow/flow.py}, which proves that it is
 * private, and of {@code flow} in {@code neodp/compiled/kernel.py}: both compute the same bits, since both use nothing but
 * + - * / on doubles in their IEEE meaning, and powers of two.
 */
final class Flow implements Curve {
    private static final Sum NOTHING = new Sum(0.0, 0.0);
    private static final Sum ALL = new Sum(1.0, 0.0);
    private static final Sum HALF = new Sum(0.5, 0.0);
    private static final int FRACTION = 50; // bits of a distance below 1
    private static final Scaled[] ONES = new Scaled[64]; // e^j
    private static final Scaled[] SIXTY_FOURS = new Scaled[24]; // e^(64 j)

    static {
        Decimals in = new Decimals(80);
        for (int j = 0; j < ONES.length; j++) {
            ONES[j] = scaled(in.exp(j * Units.UNIT), j, in);
        }
        for (int j = 0; j < SIXTY_FOURS.length; j++) {
            SIXTY_FOURS[j] = scaled(in.exp(64L * j * Units.UNIT), 64 * j, in);
        }
    }

    private final double[] alpha;
    private final Sum[] start;

    /**
     * The line of one order.
     *
     * @param alpha by rank
     * @param exact the same as exact numbers
     */
    Flow(double[] alpha, BigDecimal[] exact) {
        this.alpha = alpha;
        Decimals in = new Decimals(Units.DIGITS);
        start = new Sum[exact.length];
        for (int j = 0; j < start.length; j++) {
            BigDecimal p = exact[j].round(in.context);
            double high = p.doubleValue();
            start[j] = new Sum(high, in.minus(p, new BigDecimal(high)).doubleValue());
        }
    }

    /** A number of two doubles from 1 to 2, and a power of two. */
    private record Scaled(Sum value, int power) {}

    /** x = e^j. */
    private static Scaled scaled(BigDecimal x, int j, Decimals in) {
        int power = (int) (j / Math.log(2.0)); // no whole number is near, but for 0
        BigDecimal value = in.over(x, new BigDecimal(BigInteger.TWO.pow(power)));
        double high = value.doubleValue();
        return new Scaled(new Sum(high, value.subtract(new BigDecimal(high)).doubleValue()), power);
    }

    /** e^(units 2^-50). */
    private static Scaled exp(long units) {
        int whole = (int) (units >> FRACTION);
        Sum grow = Labels.exp((units & (1L << FRACTION) - 1) * 0x1p-50);
        Scaled one = ONES[whole & 63];
        Scaled many = SIXTY_FOURS[whole >> 6];
        grow = times(times(grow, one.value), many.value);
        return new Scaled(grow, one.power + many.power);
    }

    private static Sum times(Sum a, Sum b) {
        return Labels.product(a.high(), a.low(), b.high(), b.low());
    }

    private static Sum plus(Sum a, Sum b) {
        Sum s = Labels.twoSum(a.high(), b.high());
        return Labels.twoSum(s.high(), s.low() + (a.low() + b.low()));
    }

    private static Sum minus(Sum a, Sum b) {
        return plus(a, new Sum(-b.high(), -b.low()));
    }

    /** The quotient of two numbers near 1, with a relative error below 2^-100. */
    private static Sum over(Sum a, Sum b) {
        double q = a.high() / b.high();
        Sum rest = minus(a, times(new Sum(q, 0.0), b));
        return Labels.twoSum(q, (rest.high() + rest.low()) / b.high());
    }

    /** A number as one from 1/2 to 1, and a power of two. */
    private static Scaled nearOne(Sum x) {
        boolean faint = x.high() < Double.MIN_NORMAL;
        double normal = faint ? x.high() * 0x1p54 : x.high();
        int power = Math.getExponent(normal) + 1 - (faint ? 54 : 0);
        return new Scaled(new Sum(Math.scalb(x.high(), -power), Math.scalb(x.low(), -power)), power);
    }

    /** p g, or p / g, for p >= 0. */
    private static Sum mapped(Sum p, Scaled g, boolean divide) {
        if (p.high() <= 0.0) {
            return NOTHING;
        }
        Scaled near = nearOne(p);
        Sum out = divide ? over(near.value, g.value) : times(near.value, g.value);
        int power = divide ? near.power - g.power : near.power + g.power;
        return new Sum(Math.scalb(out.high(), power), Math.scalb(out.low(), power));
    }

    /** p / (4 g low high), where low and high are not 0. */
    private static Sum middle(Sum p, Scaled g, Sum low, Sum high) {
        Scaled a = nearOne(low);
        Scaled b = nearOne(high);
        return mapped(p, new Scaled(times(times(g.value, a.value), b.value), g.power + a.power + b.power + 2), true);
    }

    /** A number, clipped to at least 0 and at most another one. */
    private static Sum between(Sum x, Sum most) {
        if (x.high() <= 0.0) {
            return NOTHING;
        }
        return x.high() > most.high() || (x.high() == most.high() && x.low() > most.low()) ? most : x;
    }

    @Override
    public double[] row(long at) {
        if (at == 0) {
            return alpha;
        }
        Scaled grow = exp(at);
        Sum bend = mapped(HALF, grow, true);
        double[] out = new double[start.length];
        Sum high = NOTHING;
        for (int j = 0; j < out.length; j++) {
            Sum p = start[j];
            Sum low = high;
            high = plus(low, p);
            if (p.high() > 0.0) {
                out[j] = Math.max(mapped(p, low, high, grow, bend).high(), Double.MIN_NORMAL);
            }
        }
        return out;
    }

    /** What the flow makes of an output that takes the interval from low to high of the prefix sums. */
    private static Sum mapped(Sum p, Sum low, Sum high, Scaled grow, Sum bend) {
        Sum steep = between(minus(bend, low), p);
        Sum rest = minus(p, steep);
        Sum slow = between(minus(high, HALF), rest);
        rest = minus(rest, slow);
        if (steep.high() == p.high()) {
            return mapped(p, grow, false);
        }
        if (low.high() == 0.0) { // all of the first piece: 1 minus what the flow leaves above
            Sum above = minus(ALL, high);
            return minus(ALL, slow.high() > 0.0 ? mapped(above, grow, true) : middle(ALL, grow, high, ALL));
        }
        if (slow.high() == p.high()) {
            return mapped(p, grow, true);
        }
        Sum one = low.high() < bend.high() ? bend : low;
        Sum two = high.high() > 0.5 ? HALF : high;
        Sum between = rest.high() > 0.0 ? middle(rest, grow, one, two) : NOTHING;
        return plus(plus(mapped(steep, grow, false), mapped(slow, grow, true)), between);
    }
}
