package neodp;

import java.math.BigDecimal;
import java.math.BigInteger;

/** An exact fraction in lowest terms, written as Python's {@code Fraction} writes it. */
public record Fraction(BigInteger over, BigInteger under) implements Comparable<Fraction> {
    public static final Fraction ZERO = new Fraction(BigInteger.ZERO, BigInteger.ONE);
    public static final Fraction ONE = new Fraction(BigInteger.ONE, BigInteger.ONE);

    public Fraction {
        BigInteger common = over.gcd(under).multiply(BigInteger.valueOf(under.signum()));
        over = over.divide(common);
        under = under.divide(common);
    }

    public static Fraction of(BigDecimal x) {
        return x.scale() <= 0
                ? new Fraction(x.toBigIntegerExact(), BigInteger.ONE)
                : new Fraction(x.unscaledValue(), BigInteger.TEN.pow(x.scale()));
    }

    /** A fraction as it is written: 3, or 3/4. */
    public static Fraction parse(String text) {
        String[] parts = text.split("/");
        return new Fraction(new BigInteger(parts[0]), parts.length == 1 ? BigInteger.ONE : new BigInteger(parts[1]));
    }

    public Fraction plus(Fraction other) {
        return new Fraction(over.multiply(other.under).add(other.over.multiply(under)), under.multiply(other.under));
    }

    public Fraction minus(Fraction other) {
        return plus(new Fraction(other.over.negate(), other.under));
    }

    public Fraction times(Fraction other) {
        return new Fraction(over.multiply(other.over), under.multiply(other.under));
    }

    public BigInteger floor() {
        return ceilingOf(over.negate()).negate();
    }

    public BigInteger ceiling() {
        return ceilingOf(over);
    }

    private BigInteger ceilingOf(BigInteger number) {
        BigInteger[] parts = number.divideAndRemainder(under);
        return parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
    }

    /** The least double that is not below it. */
    public double above() {
        double near = nearest();
        return Fraction.of(new BigDecimal(near)).compareTo(this) >= 0 ? near : Math.nextUp(near);
    }

    /** A double beside it: one of the two nearest. */
    public double nearest() {
        return new BigDecimal(over)
                .divide(new BigDecimal(under), new java.math.MathContext(40))
                .doubleValue();
    }

    @Override
    public int compareTo(Fraction other) {
        return over.multiply(other.under).compareTo(other.over.multiply(under));
    }

    @Override
    public String toString() {
        return under.equals(BigInteger.ONE) ? over.toString() : over + "/" + under;
    }
}
