package neodp.asking;

import java.math.BigInteger;
import neodp.Fraction;
import neodp.call.Workers;

/**
 * The program behind every answer: the twin of {@code neodp/asking/cover.py}, which states it and proves what it
 * promises, for witnesses of one or two people.
 *
 * @param weight the weight of each person, at least 1
 * @param amount the amount of each group, at least 1
 * @param group the group of each witness
 * @param one a person of each witness
 * @param other the other person of each witness; -1 where there is none
 * @param fixed the amount that is there without any people
 */
public record Cover(long[] weight, long[] amount, int[] group, int[] one, int[] other, long fixed) {
    /** People who leave: x is a part of the whole for each. */
    record Primal(long[] part, long whole) {}

    /** Prices of witnesses, and the most that an amount of 1 costs, over a common denominator. */
    record Dual(Wholes price, long most, long whole) {}

    /** The amount of all groups, without the fixed one. */
    public long total() {
        return sum(amount);
    }

    /** The true amount. It is secret. */
    public long count() {
        return total() + fixed;
    }

    long weightOfAll() {
        return sum(weight);
    }

    private static long sum(long[] column) {
        long out = 0;
        for (long each : column) {
            out = Math.addExact(out, each);
        }
        return out;
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new ArithmeticException("a certificate of a distance is wrong");
        }
    }

    /** An upper bound of the distance to an amount, after checking the solution that proves it. */
    Fraction upper(long most, Primal primal, Workers workers) {
        require(primal.whole > 0);
        for (int i = 0; i < weight.length; i++) {
            workers.check(i);
            require(primal.part[i] >= 0);
        }
        long[] left = new long[amount.length];
        for (int m = 0; m < group.length; m++) {
            workers.check(m);
            long gone = Math.addExact(primal.part[one[m]], other[m] < 0 ? 0 : primal.part[other[m]]);
            left[group[m]] = Math.max(left[group[m]], primal.whole - gone);
        }
        BigInteger whole = BigInteger.valueOf(primal.whole);
        require(dot(amount, left, workers).compareTo(whole.multiply(BigInteger.valueOf(most))) <= 0);
        return new Fraction(dot(weight, primal.part, workers), whole);
    }

    /** A lower bound of the distance to an amount, after checking the solution that proves it. */
    Fraction lower(long most, Dual dual, Workers workers) {
        require(dual.whole > 0 && dual.most >= 0);
        Wholes spent = new Wholes(weight.length);
        Wholes each = new Wholes(amount.length);
        BigInteger total = BigInteger.ZERO;
        for (int m = 0; m < group.length; m++) {
            workers.check(m);
            require(dual.price.get(m).signum() >= 0);
            spent.add(one[m], dual.price, m);
            if (other[m] >= 0) {
                spent.add(other[m], dual.price, m);
            }
            each.add(group[m], dual.price, m);
            total = total.add(dual.price.get(m));
        }
        for (int i = 0; i < weight.length; i++) {
            workers.check(i);
            require(spent.atMost(i, weight[i], dual.whole));
        }
        for (int g = 0; g < amount.length; g++) {
            workers.check(g);
            require(each.atMost(g, amount[g], dual.most));
        }
        BigInteger kept = BigInteger.valueOf(dual.most).multiply(BigInteger.valueOf(most));
        return new Fraction(total.subtract(kept), BigInteger.valueOf(dual.whole));
    }

    private static BigInteger dot(long[] a, long[] b, Workers workers) {
        Tally sum = new Tally();
        for (int i = 0; i < a.length; i++) {
            workers.check(i);
            sum.add(a[i], b[i]);
        }
        return sum.value();
    }
}
