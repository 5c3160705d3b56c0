package neodp.algorithm;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Probabilities as integer labels, and what one edge does to them.
 *
 * <p>A probability p is one 64-bit integer: the bits of the smaller of p and 1 - p, and a sign for the side it is on. It
 * orders like p, and the label of 1 - p is minus the label of p. {@code relax} is the largest label that an edge allows
 * at its other end; it is safe, monotone and self-adjoint. The proof is in {@code neodp/compiled/kernel.py}, whose twin this is:
 * both compute the same bits, since both use nothing but + - * / on doubles in their IEEE meaning.
 */
public final class Labels {
    /** The bits of 1/2: the label of certainty. */
    public static final long HALF = 0x3FE0000000000000L;

    /** The smallest positive probability: the smallest normal double. */
    public static final double TINY = Double.MIN_NORMAL;

    /** The largest epsilon: e^690 and its products still fit a double. */
    public static final double MAX_EPSILON = 690.0;

    private static final MathContext DIGITS = new MathContext(80, RoundingMode.HALF_EVEN);
    private static final double C1;
    private static final double C2;
    private static final double C3;
    private static final double PER_STEP;
    private static final double[] POWER = new double[64]; // 2^(j/64) and, as a double, what is left of it
    private static final double[] POWER_LOW = new double[64];
    private static final double[] TAYLOR = new double[12]; // 1/n!
    private static final double[] TAYLOR_LOW = new double[12];

    static {
        BigDecimal ln2 = BigDecimal.ZERO; // the sum of 1 / (k 2^k)
        for (int k = 1; k < 280; k++) {
            BigInteger divisor = BigInteger.TWO.pow(k).multiply(BigInteger.valueOf(k));
            ln2 = ln2.add(BigDecimal.ONE.divide(new BigDecimal(divisor), DIGITS));
        }
        // ln 2 / 64 in three parts; the first two have 37 bits, so that their products with j < 2^16 are exact
        BigDecimal step = ln2.divide(BigDecimal.valueOf(64), DIGITS);
        C1 = scaled(step, 43);
        BigDecimal rest = step.subtract(new BigDecimal(C1));
        C2 = scaled(rest, 80);
        C3 = rest.subtract(new BigDecimal(C2)).doubleValue();
        PER_STEP = BigDecimal.ONE.divide(step, DIGITS).doubleValue();
        BigDecimal inverse = BigDecimal.ONE;
        for (int n = 0; n < TAYLOR.length; n++) {
            inverse = n == 0 ? inverse : inverse.divide(BigDecimal.valueOf(n), DIGITS);
            TAYLOR[n] = inverse.doubleValue();
            TAYLOR_LOW[n] = inverse.subtract(new BigDecimal(TAYLOR[n])).doubleValue();
        }
        for (int j = 0; j < POWER.length; j++) {
            BigDecimal power = series(step.multiply(BigDecimal.valueOf(j)));
            POWER[j] = power.doubleValue();
            POWER_LOW[j] = power.subtract(new BigDecimal(POWER[j])).doubleValue();
        }
    }

    private Labels() {}

    private static double scaled(BigDecimal x, int bits) {
        BigDecimal unit = new BigDecimal(BigInteger.TWO.pow(bits));
        return x.multiply(unit).toBigInteger().doubleValue() / unit.doubleValue();
    }

    /** e^x for 0 <= x < 1, to 70 digits. */
    private static BigDecimal series(BigDecimal x) {
        BigDecimal term = BigDecimal.ONE;
        BigDecimal sum = BigDecimal.ONE;
        for (int n = 1; n < 80; n++) {
            term = term.multiply(x).divide(BigDecimal.valueOf(n), DIGITS);
            sum = sum.add(term);
        }
        return sum;
    }

    /** The label of a probability p, where q = 1 - p; the smaller of both is exact. */
    public static long encode(double p, double q) {
        return p <= q ? bits(p) - HALF : HALF - bits(q);
    }

    /** The probability p of a label. */
    public static double decode(long label) {
        return label <= 0 ? value(HALF + label) : 1.0 - value(HALF - label);
    }

    /** A number of two doubles: their unevaluated sum. */
    public record Sum(double high, double low) {}

    public static Sum twoSum(double a, double b) {
        double s = a + b;
        return new Sum(s, error(a, b, s));
    }

    /** The exact error of s = a + b. */
    public static double error(double a, double b, double s) {
        double t = s - a;
        return (a - (s - t)) + (b - t);
    }

    /** The exact error of p = a b, for |a|, |b| < 2^996 and a b = 0 or above 2^-968. */
    public static double productError(double a, double b, double p) {
        double t = 134217729.0 * a;
        double ah = t - (t - a);
        double al = a - ah;
        t = 134217729.0 * b;
        double bh = t - (t - b);
        double bl = b - bh;
        return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    }

    /** The product of two numbers of two doubles, with a relative error below 2^-102. */
    public static Sum product(double ah, double al, double bh, double bl) {
        double p = ah * bh;
        double e = productError(ah, bh, p) + (ah * bl + al * bh);
        double s = p + e;
        return new Sum(s, e - (s - p));
    }

    /** e^x for 0 <= x <= 690, with a relative error below 2^-96. */
    public static Sum exp(double x) {
        int j = (int) (x * PER_STEP + 0.5);
        double a = x - j * C1; // exact: both lie within a factor of two of each other, or j is 0
        Sum r = twoSum(a, -(j * C2));
        r = twoSum(r.high, r.low - j * C3);
        double w = TAYLOR[11];
        for (int n = 10; n > 6; n--) {
            w = TAYLOR[n] + r.high * w;
        }
        Sum y = new Sum(w, 0.0);
        for (int n = 6; n >= 0; n--) {
            y = product(y.high, y.low, r.high, r.low);
            Sum s = twoSum(TAYLOR[n], y.high);
            y = twoSum(s.high, s.low + (y.low + TAYLOR_LOW[n]));
        }
        y = product(y.high, y.low, POWER[j & 63], POWER_LOW[j & 63]);
        double scale = value((long) ((j >> 6) + 1023) << 52);
        return new Sum(y.high * scale, y.low * scale);
    }

    /** The f of an edge: at least 1, at most three units below e^epsilon, so that fl(f x) <= e^epsilon x. */
    public static double factor(double epsilon) {
        // in doubles first, as in exp: l is within 2^-58 h of e^epsilon - h, which mostly tells its sign
        int j = (int) (epsilon * PER_STEP + 0.5);
        double r = (epsilon - j * C1) - j * C2;
        double w = TAYLOR[8];
        for (int n = 7; n > 1; n--) {
            w = TAYLOR[n] + r * w;
        }
        double power = POWER[j & 63];
        double c = POWER_LOW[j & 63] + power * (r + r * r * w);
        double h = power + c;
        double l = c - (h - power);
        double scale = value((long) ((j >> 6) + 1023) << 52);
        h *= scale;
        l *= scale;
        if (Math.abs(l) <= 0x1p-57 * h) {
            Sum e = exp(epsilon);
            h = e.high;
            l = e.low;
        }
        if (l <= 0x1p-90 * h) {
            h = down(h); // h is now at most e^epsilon, and one more step makes room for the product's rounding
        }
        return Math.max(1.0, down(h));
    }

    /** The largest p' that p' <= e^epsilon p + delta allows beside p = x, rounded down. */
    private static double grow(double x, double f, double delta) {
        double h = f * x;
        if (delta == 0.0) {
            return h;
        }
        double s = h + delta;
        return error(h, delta, s) < 0.0 ? down(s) : s;
    }

    /** The smallest value x with grow(x) >= r, for 0 <= r <= 1. */
    private static double shrink(double r, double f, double delta) {
        if (r <= delta) {
            return 0.0;
        }
        double rest = r;
        if (delta > 0.0) {
            rest = r - delta;
            if (error(r, -delta, rest) > 0.0) {
                rest = up(rest);
            }
        }
        double x = Math.max(rest / f, TINY);
        while (f * x < rest) {
            x = up(x);
        }
        while (x > TINY && f * down(x) >= rest) {
            x = down(x);
        }
        return x;
    }

    /** U on labels: the largest label that an edge with this f and delta allows beside a label. */
    public static long relax(long label, double f, double delta) {
        if (label >= 0) { // then (b) of kernel.py implies (a)
            return HALF - bits(shrink(value(HALF - label), f, delta));
        }
        double x = value(HALF + label);
        double t = grow(x, f, delta);
        if (t <= 0.5) { // then (a) implies (b)
            return bits(t) - HALF;
        }
        double r = 1.0 - x;
        if (1.0 - r > x) { // r must not lie below 1 - x
            r = up(r);
        }
        return HALF - bits(Math.max(1.0 - t, shrink(r, f, delta)));
    }

    /** The greatest label K with K <= relax(-K): both ends of an edge tell the truth equally often. */
    public static long balance(double f, double delta) {
        if (delta >= 1.0) {
            return HALF;
        }
        long most = HALF - bits(TINY);
        // widen from the real solution, a few units off at most, to low (which is even) < high (which is not)
        long guess = HALF - bits(Math.max((1.0 - delta) / (f + 1.0), TINY));
        long low = guess;
        long high = guess;
        long step = 1;
        while (low > 0 && !even(low, f, delta)) {
            high = low;
            low = Math.max(0, low - step);
            step *= 2;
        }
        while (high == low || even(high, f, delta)) {
            low = high;
            if (high == most) {
                high++;
                break;
            }
            high = Math.min(most, high + step);
            step *= 2;
        }
        while (high - low > 1) {
            long middle = (low + high) / 2;
            if (even(middle, f, delta)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean even(long k, double f, double delta) {
        return k <= relax(-k, f, delta);
    }

    private static long bits(double x) {
        return Double.doubleToRawLongBits(x);
    }

    private static double value(long bits) {
        return Double.longBitsToDouble(bits);
    }

    private static double up(double x) {
        return value(bits(x) + 1);
    }

    private static double down(double x) {
        return value(bits(x) - 1);
    }
}
