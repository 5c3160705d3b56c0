package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.call.Workers;

/**
 * The table, where one (epsilon, delta) holds on every edge: the map U applied to every prefix sum, once for every edge of
 * the distance; step by step within blocks, and from block to block at once. The twin of
 * {@code neodp/core/rainbow/table.py}, which proves that it is private and the best.
 */
final class Steps implements Curve {
    private static final int BLOCK = 1024; // rows that are computed at once
    private static final long PER_ROW = 40; // bytes, without its chances
    private static final BigDecimal SHORT = new BigDecimal("1e-20");
    private static final BigDecimal ZERO = BigDecimal.ZERO;
    private static final BigDecimal ONE = BigDecimal.ONE;

    private final double[] alpha;
    private final int k;
    private final long length;
    private final Workers workers;
    private final Decimals in;
    private final BigDecimal[] start;
    private final BigDecimal grow;
    private final BigDecimal delta;
    private final BigDecimal bend; // where the slope of U changes
    private final List<BigDecimal[]> begins = new ArrayList<>();
    private final Map<Integer, double[][]> blocks = new HashMap<>();

    /**
     * The table of one order.
     *
     * @param alpha by rank
     * @param exact the same as exact numbers
     */
    Steps(double[] alpha, BigDecimal[] exact, long length, double delta, Workers workers) {
        this.alpha = alpha;
        this.k = alpha.length;
        this.length = length;
        this.workers = workers;
        BigDecimal smallest = delta >= Units.FAINT ? new BigDecimal(delta).min(ONE) : ONE;
        for (BigDecimal x : exact) {
            smallest = x.signum() > 0 ? smallest.min(x) : smallest;
        }
        in = new Decimals(Units.DIGITS + Units.zeros(smallest));
        start = Arrays.stream(exact).map(x -> x.round(in.context)).toArray(BigDecimal[]::new);
        grow = in.exp(length);
        this.delta = Units.lowered(delta, k, length > 0, in);
        bend = in.over(in.minus(ONE, this.delta), in.plus(grow, ONE));
        begins.add(start);
    }

    @Override
    public double[] row(long at) {
        if (at == 0) {
            return alpha;
        }
        int number = (int) (at / BLOCK);
        double[][] block = blocks.get(number);
        if (block == null) {
            block = block(number);
            blocks.put(number, block);
        }
        return block[(int) Math.min(at % BLOCK, block.length - 1)];
    }

    /** The rows of a block, up to one after which nothing changes. */
    private double[][] block(int number) {
        BigDecimal[] chances = begin(number);
        List<double[]> rows = new ArrayList<>(List.of(rounded(chances)));
        while (rows.size() < BLOCK) {
            workers.check();
            BigDecimal[] next = mapped(chances);
            if (same(next, chances)) { // all but the best output are as small as can be
                break;
            }
            chances = next;
            rows.add(rounded(chances));
        }
        workers.memory.take(rows.size() * (PER_ROW + 8L * k));
        return rows.toArray(double[][]::new);
    }

    private static double[] rounded(BigDecimal[] chances) {
        return Arrays.stream(chances).mapToDouble(Units::rounded).toArray();
    }

    private static boolean same(BigDecimal[] one, BigDecimal[] two) {
        boolean same = true;
        for (int j = 0; j < one.length; j++) {
            same &= one[j].compareTo(two[j]) == 0;
        }
        return same;
    }

    /** The distribution at which a block begins. */
    private BigDecimal[] begin(int number) {
        if (delta.signum() == 0) {
            return leap((long) number * BLOCK);
        }
        while (begins.size() <= number) {
            BigDecimal[] chances = begins.get(begins.size() - 1);
            for (int i = 0; i < BLOCK; i++) {
                workers.check();
                chances = mapped(chances);
            }
            begins.add(chances);
        }
        return begins.get(number);
    }

    /** Every output's interval mapped by U, piece by piece. */
    private BigDecimal[] mapped(BigDecimal[] chances) {
        BigDecimal[] worse = new BigDecimal[k];
        worse[k - 1] = ZERO;
        for (int j = k - 1; j > 0; j--) {
            worse[j - 1] = in.plus(worse[j], chances[j]);
        }
        BigDecimal better = ZERO;
        BigDecimal[] out = new BigDecimal[k];
        for (int j = 0; j < k; j++) {
            BigDecimal p = chances[j];
            BigDecimal steep = in.minus(bend, better).max(ZERO).min(p);
            BigDecimal flat = in.minus(delta, worse[j]).max(ZERO).min(in.minus(p, steep));
            BigDecimal rest = in.minus(in.minus(p, steep), flat);
            out[j] = atLeast(in.plus(in.times(grow, steep), in.over(rest, grow)));
            better = in.plus(better, p);
        }
        out[0] = in.plus(out[0], delta);
        return out;
    }

    private static BigDecimal atLeast(BigDecimal p) {
        return p.signum() == 0 ? p : p.max(Units.TINY);
    }

    /**
     * The distribution after many steps, with delta = 0: outputs below the bend grow by e^eps a step, those above shrink by
     * it, and the one across it takes the rest; this continues until those below reach the bend.
     */
    private BigDecimal[] leap(long all) {
        BigDecimal[] chances = start;
        long steps = all;
        while (steps > 0 && length > 0) {
            workers.check();
            BigDecimal sum = ZERO; // of the outputs below
            int below = 0;
            for (BigDecimal next = in.plus(sum, chances[0]); next.compareTo(bend) <= 0; ) {
                sum = next;
                next = in.plus(sum, chances[++below]);
            }
            if (chances[below].compareTo(SHORT) < 0) { // the one across is too short for the rest to be exact
                chances = mapped(chances);
                steps--;
                continue;
            }
            long leap = steps;
            if (sum.signum() != 0) {
                BigDecimal room = in.over(in.times(in.ln(in.over(bend, sum)), Units.ONE), BigDecimal.valueOf(length));
                leap = Math.min(steps, room.longValue() + 1);
            }
            chances = leapt(chances, below, leap);
            steps -= leap;
        }
        return chances;
    }

    private BigDecimal[] leapt(BigDecimal[] chances, int below, long leap) {
        // beyond LONGEST every chance that shrinks is as small as can be, and there is none that grows
        long units = leap > Units.LONGEST / length ? Units.LONGEST : leap * length;
        BigDecimal factor = in.exp(units);
        BigDecimal[] out = new BigDecimal[k];
        BigDecimal grown = ZERO;
        BigDecimal shrunk = ZERO;
        for (int j = 0; j < below; j++) {
            out[j] = in.times(chances[j], factor);
            grown = in.plus(grown, out[j]);
        }
        for (int j = below + 1; j < k; j++) {
            BigDecimal p = in.over(chances[j], factor);
            shrunk = in.plus(shrunk, p);
            out[j] = atLeast(p);
        }
        out[below] = in.minus(in.minus(ONE, grown), shrunk);
        return out;
    }
}
