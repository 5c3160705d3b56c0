package neodp.asking;

import java.math.BigInteger;

/** A sum of products of 64-bit numbers, exact: all below 2^126 together. */
final class Tally {
    private long high;
    private long low;

    void add(long a, long b) {
        long product = a * b;
        long sum = low + product;
        boolean carry = Long.compareUnsigned(sum, low) < 0;
        high += Math.multiplyHigh(a, b) + (carry ? 1 : 0);
        low = sum;
    }

    BigInteger value() {
        BigInteger unsigned = new BigInteger(Long.toUnsignedString(low));
        return BigInteger.valueOf(high).shiftLeft(64).add(unsigned);
    }
}
