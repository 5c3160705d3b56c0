package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Decimal arithmetic of some digits, every result rounded as Python's {@code decimal} rounds it: to the nearest, ties to
 * even.
 *
 * <p>{@link BigDecimal} rounds sums, products and quotients so. The exponential and the logarithm are computed here as whole
 * numbers of 2^-bits, between two bounds; where the two do not round to the same decimal, with more bits. That ends:
 * neither is ever a decimal, nor half-way between two, but for e^0 and ln 1 (Lindemann).
 *
 * <p>The bounds: with x = m ln 2 + 256 r, the Taylor sum of e^r has at most 2^11 terms of an error below 2 units each, eight
 * squarings make it at most 2^20, and m ln 2 is off by |m| < 2^20 units: together below 2^24. Five steps of Halley's method
 * from a double bring the logarithm as near as the exponential is.
 */
public final class Decimals {
    private static final int ERROR = 24; // bits of a result that may be wrong
    private static final int GUARD = 64; // bits beyond the digits
    private static final int HALVINGS = 8;
    private static final int STEPS = 5;
    private static final int UNIT = 50; // an exponent is a whole number of 2^-50

    /** The rounding of every operation. */
    final MathContext context;

    private BigInteger ln2;
    private int bits; // of ln2

    public Decimals(int digits) {
        context = new MathContext(digits, RoundingMode.HALF_EVEN);
    }

    /** e^(units 2^-50). */
    public BigDecimal exp(BigInteger units) {
        if (units.signum() == 0) {
            return BigDecimal.ONE;
        }
        for (int guard = GUARD; ; guard *= 2) {
            int size = size(guard);
            Power power = power(units.shiftLeft(size - UNIT), size);
            BigDecimal least = decimal(power.value.subtract(error(ERROR)), power.shift - size);
            BigDecimal most = decimal(power.value.add(error(ERROR)), power.shift - size);
            if (least.compareTo(most) == 0) {
                return least;
            }
        }
    }

    BigDecimal exp(long units) {
        return exp(BigInteger.valueOf(units));
    }

    /** ln x, for x >= 1. */
    BigDecimal ln(BigDecimal x) {
        if (x.compareTo(BigDecimal.ONE) == 0) {
            return BigDecimal.ZERO;
        }
        for (int guard = GUARD; ; guard *= 2) {
            int size = size(guard);
            BigInteger value =
                    x.multiply(new BigDecimal(BigInteger.TWO.pow(size))).toBigInteger();
            BigInteger y = logarithm(value, size);
            BigDecimal least = decimal(y.subtract(error(ERROR + 2)), -size);
            BigDecimal most = decimal(y.add(error(ERROR + 2)), -size);
            if (least.compareTo(most) == 0) {
                return least;
            }
        }
    }

    private int size(int guard) {
        return (int) Math.ceil(context.getPrecision() * 3.33) + guard;
    }

    private static BigInteger error(int size) {
        return BigInteger.ONE.shiftLeft(size);
    }

    /** A whole number times a power of two, rounded. */
    private BigDecimal decimal(BigInteger value, int power) {
        return power >= 0
                ? new BigDecimal(value.shiftLeft(power)).round(context)
                : new BigDecimal(value.multiply(BigInteger.valueOf(5).pow(-power)), -power).round(context);
    }

    /** The number value 2^(shift - bits). */
    private record Power(BigInteger value, int shift) {}

    /** e^(x 2^-size) with a value from 1 to 2. */
    private Power power(BigInteger x, int size) {
        BigInteger ln = ln2(size);
        BigInteger[] parts = x.divideAndRemainder(ln);
        boolean below = parts[1].signum() < 0;
        BigInteger rest = (below ? parts[1].add(ln) : parts[1]).shiftRight(HALVINGS);
        BigInteger sum = BigInteger.ONE.shiftLeft(size);
        BigInteger term = sum;
        for (int n = 1; term.signum() > 0; n++) {
            term = term.multiply(rest).shiftRight(size).divide(BigInteger.valueOf(n));
            sum = sum.add(term);
        }
        for (int i = 0; i < HALVINGS; i++) {
            sum = sum.multiply(sum).shiftRight(size);
        }
        return new Power(sum, parts[0].intValueExact() - (below ? 1 : 0));
    }

    private BigInteger logarithm(BigInteger x, int size) {
        int more = x.bitLength() - 53;
        double near = Math.log(x.shiftRight(more).doubleValue()) + (more - size) * Math.log(2.0);
        BigInteger y = new BigDecimal(near)
                .multiply(new BigDecimal(BigInteger.TWO.pow(size)))
                .toBigInteger();
        for (int i = 0; i < STEPS; i++) {
            Power power = power(y, size);
            BigInteger found =
                    power.shift >= 0 ? power.value.shiftLeft(power.shift) : power.value.shiftRight(-power.shift);
            y = y.add(x.subtract(found).shiftLeft(size + 1).divide(x.add(found)));
        }
        return y;
    }

    /** ln 2 in units of 2^-size, rounded down: the sum of 1 / (k 2^k). */
    private synchronized BigInteger ln2(int size) {
        if (bits != size) {
            int more = 32;
            BigInteger sum = BigInteger.ZERO;
            for (int k = 1; k <= size + more; k++) {
                sum = sum.add(BigInteger.ONE.shiftLeft(size + more - k).divide(BigInteger.valueOf(k)));
            }
            ln2 = sum.shiftRight(more);
            bits = size;
        }
        return ln2;
    }

    BigDecimal plus(BigDecimal a, BigDecimal b) {
        return a.add(b, context);
    }

    BigDecimal minus(BigDecimal a, BigDecimal b) {
        return a.subtract(b, context);
    }

    BigDecimal times(BigDecimal a, BigDecimal b) {
        return a.multiply(b, context);
    }

    BigDecimal over(BigDecimal a, BigDecimal b) {
        return a.divide(b, context);
    }
}
