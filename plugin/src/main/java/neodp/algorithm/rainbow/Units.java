package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Whole numbers and rounding: the twin of {@code neodp/core/rainbow/units.py}, which says why this much is enough. */
final class Units {
    /** How many units epsilon 1 has, and that as a decimal. */
    static final long UNIT = 1L << 50;

    static final BigDecimal ONE = BigDecimal.valueOf(UNIT);

    /** 1500 in units: over such an epsilon-distance a chance can grow from 2^-1022 to 1 - 2^-1022. */
    static final long LONGEST = 1500L << 50;

    /** A delta below this counts as 0: its rounding errors would not be normal doubles. */
    static final double FAINT = 0x1p-900;

    /** The least probability other than 0. */
    static final BigDecimal TINY = new BigDecimal(Double.MIN_NORMAL);

    /** The number of digits of decimals, in addition to the zeros of the smallest number that is added. */
    static final int DIGITS = 60;

    private Units() {}

    /** An epsilon in units, rounded down and lowered to leave room for rounding k outputs; at least 0. */
    static long length(double epsilon, int k) {
        long whole = (long) Math.floor(epsilon * UNIT) - units(k);
        double near = whole; // as the client's search takes it; beyond 2^53 some lie between two doubles
        return Math.max((long) ((long) near > whole ? Math.nextDown(near) : near), 0);
    }

    /** How many units an epsilon is lowered by if there are k outputs. */
    private static int units(int k) {
        return k / 4 + 2;
    }

    /** A delta lowered by the same units: by a share of itself, or absolutely if epsilon is too small for that. */
    static BigDecimal lowered(double delta, int k, boolean byShare, Decimals in) {
        BigDecimal less = in.over(BigDecimal.valueOf(units(k)), ONE);
        BigDecimal exact = delta < FAINT ? BigDecimal.ZERO : new BigDecimal(delta);
        return byShare
                ? in.times(exact, in.minus(BigDecimal.ONE, less))
                : in.minus(exact, less).max(BigDecimal.ZERO);
    }

    /** A decimal as a double; a probability other than 0 stays at least {@code TINY}. */
    static double rounded(BigDecimal chance) {
        return chance.signum() == 0 ? 0.0 : chance.max(TINY).doubleValue();
    }

    /** The number of zeros after the point of a part above 0, or one more: sums must have room for them. */
    static int zeros(BigDecimal smallest) {
        BigInteger inverse = BigDecimal.ONE
                .divide(smallest, new MathContext(smallest.precision() + smallest.scale() + 2, RoundingMode.DOWN))
                .toBigInteger();
        return inverse.toString().length();
    }
}
