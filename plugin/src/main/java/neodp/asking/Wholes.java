package neodp.asking;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/**
 * A column of whole numbers from 0 on, of any size: 64 bits each, and those that need more apart.
 *
 * <p>Nearly all are small, and only those are quick.
 */
final class Wholes {
    private static final long LARGE = Long.MIN_VALUE; // the number itself is among the large ones

    private final long[] small;
    private final Map<Integer, BigInteger> large = new HashMap<>();

    Wholes(int size) {
        small = new long[size];
    }

    boolean isZero(int i) {
        return small[i] == 0;
    }

    BigInteger get(int i) {
        return small[i] == LARGE ? large.get(i) : BigInteger.valueOf(small[i]);
    }

    void set(int i, BigInteger value) {
        if (value.bitLength() < 64) {
            if (small[i] == LARGE) {
                large.remove(i);
            }
            small[i] = value.longValue();
        } else {
            small[i] = LARGE;
            large.put(i, value);
        }
    }

    /** Set one to the sum of two products of numbers from 0 on. */
    void set(int i, long a, long b, long c, long d) {
        if (Math.multiplyHigh(a, b) == 0 && Math.multiplyHigh(c, d) == 0) {
            long one = a * b;
            long other = c * d;
            if (one >= 0 && other >= 0 && one + other >= 0) {
                small[i] = one + other;
                return;
            }
        }
        BigInteger one = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
        set(i, one.add(BigInteger.valueOf(c).multiply(BigInteger.valueOf(d))));
    }

    /** Add a number of another column to one of this. */
    void add(int i, Wholes other, int j) {
        long sum = small[i] + other.small[j];
        if (small[i] != LARGE && other.small[j] != LARGE && sum >= 0) {
            small[i] = sum;
        } else {
            set(i, get(i).add(other.get(j)));
        }
    }

    boolean less(int i, int j) {
        return small[i] != LARGE && small[j] != LARGE ? small[i] < small[j] : get(i).compareTo(get(j)) < 0;
    }

    /** Take one amount, which each has, from the first numbers that are named, and give it to their pairs. */
    void move(int amount, int[] from, int count, int[] pair) {
        long least = small[amount];
        BigInteger all = least == LARGE ? get(amount) : null;
        for (int n = 0; n < count; n++) {
            int i = from[n];
            int j = pair[i];
            long sum = small[j] + least;
            if (all == null && small[i] != LARGE && small[j] != LARGE && sum >= 0) {
                small[i] -= least;
                small[j] = sum;
            } else {
                BigInteger moved = all == null ? BigInteger.valueOf(least) : all;
                set(i, get(i).subtract(moved));
                set(j, get(j).add(moved));
            }
        }
    }

    /** Whether one is at most the product of two numbers from 0 on. */
    boolean atMost(int i, long factor, long bound) {
        long low = factor * bound;
        if (small[i] != LARGE && Math.multiplyHigh(factor, bound) == 0 && low >= 0) {
            return small[i] <= low;
        }
        return get(i).compareTo(BigInteger.valueOf(factor).multiply(BigInteger.valueOf(bound))) <= 0;
    }

    int size() {
        return small.length;
    }
}
