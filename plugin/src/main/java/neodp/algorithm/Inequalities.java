package neodp.algorithm;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Text;
import neodp.call.Workers;

/**
 * The privacy conditions between two distributions P and Q, decided without a tolerance: the twin of
 * {@code neodp/core/inequalities.py}.
 *
 * <p>P(A) <= e^eps Q(A) + delta must hold for every set A of answers and both ways, for the numbers as they are stored:
 * every entry is the rational number it is, but the largest of a distribution is one minus the rest. With two answers, or
 * delta = 0, single answers are enough. Otherwise one sum decides about all sets: that of max(0, P_j - e^eps Q_j) must not
 * exceed delta. Double-double arithmetic with a proven error decides all that is clear; the rest is decided with decimal
 * numbers of any length and an enclosure of e^eps that is narrowed until it tells. That ends: for a rational eps other than
 * 0, e^eps is irrational (Lindemann), so no two sides are equal unless both are 0.
 *
 * <p>One of these looks at one pair of distributions after another, in one thread.
 */
public final class Inequalities {
    private static final int FEW = 64;
    private static final String EITHER = " or ";

    /** How many inequalities of the last pair are broken. */
    public int violations;

    /** The greatest share of what one of them allows that is used. */
    public double tightness;

    /** How many were too close for double-double arithmetic, of all pairs so far. */
    public long undecided;

    private final int k;
    private final Workers workers;
    private final double[][] row; // the two distributions as they are stored,
    private final double[][] high; // and in double-double
    private final double[][] low;
    private final boolean[][] broken; // per side, which is on the left, and answer
    private final Integer[] order;
    private final double[] ratio;
    private final Map<Double, Labels.Sum> exponentials = new HashMap<>(); // most graphs have few different epsilons

    /** Inequalities between distributions over k answers. */
    public Inequalities(int k, Workers workers) {
        this.k = k;
        this.workers = workers;
        row = new double[2][k];
        high = new double[2][k];
        low = new double[2][k];
        broken = new boolean[2][k];
        order = new Integer[k];
        ratio = new double[k];
    }

    /** Take a distribution, from columns, for one of the two sides. */
    public void take(int side, double[][] chances, int v) {
        for (int c = 0; c < k; c++) {
            row[side][c] = chances[c][v];
        }
        spellOut(side);
    }

    /** Take a distribution for one of the two sides. */
    public void take(int side, double[] distribution) {
        System.arraycopy(distribution, 0, row[side], 0, k);
        spellOut(side);
    }

    private void spellOut(int side) {
        double[] value = row[side];
        int largest = largest(value);
        double h = 1.0;
        double l = 0.0;
        for (int j = 0; j < k; j++) {
            high[side][j] = value[j];
            low[side][j] = 0.0;
            if (j != largest) {
                double s = h - value[j];
                l += Labels.error(h, -value[j], s);
                h = s;
            }
        }
        double s = h + l;
        high[side][largest] = s;
        low[side][largest] = Labels.error(h, l, s);
    }

    /** The position of the largest entry, the first of equal ones. */
    public static int largest(double[] row) {
        int largest = 0;
        for (int j = 1; j < row.length; j++) {
            largest = row[j] > row[largest] ? j : largest;
        }
        return largest;
    }

    /** Decide all inequalities between the two distributions; whether none is broken. */
    public boolean judge(double epsilon, double delta) {
        if (exponentials.size() > FEW) {
            exponentials.clear();
        }
        Labels.Sum grow = exponentials.computeIfAbsent(epsilon, Labels::exp);
        violations = 0;
        tightness = 0.0;
        boolean sets = delta > 0.0 && k > 2;
        for (int side = 0; side < 2; side++) {
            for (int j = 0; j < k; j++) {
                broken[side][j] = false;
            }
            if (sets) {
                decide(side, 0, surplus(side, grow, delta), true, epsilon, delta);
                tightness = Math.max(tightness, fullest(side, grow.high(), delta));
                continue;
            }
            for (int j = 0; j < k; j++) {
                double a = high[side][j];
                double b = high[1 - side][j];
                decide(side, j, exceeds(a, low[side][j], b, low[1 - side][j], grow, delta), false, epsilon, delta);
                double right = grow.high() * b + delta;
                if (a > 0.0) {
                    tightness = Math.max(tightness, right > 0.0 ? a / right : Double.POSITIVE_INFINITY);
                }
            }
        }
        return violations == 0;
    }

    private void decide(int side, int j, int verdict, boolean sets, double epsilon, double delta) {
        boolean is = verdict == 1;
        if (verdict == 2) {
            undecided++;
            workers.check(); // this takes as long as many others
            BigDecimal[] left = exact(row[side]);
            BigDecimal[] right = exact(row[1 - side]);
            is = sets ? !holdsForAll(left, right, epsilon, delta) : !holds(left[j], right[j], epsilon, delta);
        }
        broken[side][j] = is;
        violations += is ? 1 : 0;
    }

    /** The inequalities of the last pair that do not hold, with their figures: the datasets are those at its ends. */
    public List<String> sentences(DatasetGraph graph, int u, int v, double epsilon, double delta) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < 2 * k; i++) { // with two answers, both ways of one come together
            int side = k == 2 ? i % 2 : i / k;
            int j = k == 2 ? i / 2 : i % k;
            if (broken[side][j]) {
                Worst found = worst(side, j, epsilon, delta, graph.colors);
                out.add("Pr[" + found.named + "] is " + Text.repr(found.left) + " at "
                        + Text.quoted(graph.keys[side == 0 ? u : v]) + " and " + Text.repr(found.right) + " at "
                        + Text.quoted(graph.keys[side == 0 ? v : u]) + ", beyond epsilon " + Text.repr(epsilon)
                        + " and delta " + Text.repr(delta));
            }
        }
        return out;
    }

    /**
     * The first broken inequality of the last pair.
     *
     * @param side which of the two is on the left
     * @param named the answers that it is about
     * @param left their chance on the left
     * @param right their chance on the right
     */
    public record Worst(int side, String named, double left, double right) {}

    /** The first broken inequality of the last pair; one is. */
    public Worst firstBroken(double epsilon, double delta, List<String> colors) {
        int i = 0;
        while (!broken[i / k][i % k]) {
            i++;
        }
        return worst(i / k, i % k, epsilon, delta, colors);
    }

    private Worst worst(int side, int j, double epsilon, double delta, List<String> colors) {
        BigDecimal[] left = exact(row[side]);
        BigDecimal[] right = exact(row[1 - side]);
        StringBuilder named = new StringBuilder();
        BigDecimal p = BigDecimal.ZERO;
        BigDecimal q = BigDecimal.ZERO;
        for (int c = 0; c < k; c++) {
            boolean beyond = delta > 0.0 && k > 2 ? !holds(left[c], right[c], epsilon, 0.0) : c == j;
            if (beyond) {
                named.append(named.length() == 0 ? "" : EITHER).append(colors.get(c));
                p = p.add(left[c]);
                q = q.add(right[c]);
            }
        }
        return new Worst(side, named.toString(), p.doubleValue(), q.doubleValue());
    }

    /** A stored distribution as rational numbers: the entries as they are, but the largest as one minus the rest. */
    public static BigDecimal[] exact(double[] row) {
        BigDecimal[] out = new BigDecimal[row.length];
        int largest = largest(row);
        BigDecimal rest = BigDecimal.ONE;
        for (int j = 0; j < row.length; j++) {
            out[j] = new BigDecimal(row[j]);
            rest = j == largest ? rest : rest.subtract(out[j]);
        }
        out[largest] = rest;
        return out;
    }

    /** Whether the sum of max(0, P_j - grow Q_j) exceeds delta: 0 no, 1 yes, 2 too close to tell here. */
    private int surplus(int side, Labels.Sum grow, double delta) {
        double sum = 0.0;
        double sumLow = 0.0;
        double mass = 0.0;
        for (int j = 0; j < k; j++) {
            double a = high[side][j];
            double b = high[1 - side][j];
            double p = grow.high() * b;
            double e = Labels.productError(grow.high(), b, p) + (grow.high() * low[1 - side][j] + grow.low() * b);
            Labels.Sum first = Labels.twoSum(a, -p);
            Labels.Sum rest = Labels.twoSum(first.high(), first.low() - e + low[side][j]);
            if (rest.high() > -0x1p-80 * a) {
                mass += a;
            }
            if (rest.high() > 0.0) {
                Labels.Sum more = Labels.twoSum(sum, rest.high());
                sum = more.high();
                sumLow += more.low() + rest.low();
            }
        }
        Labels.Sum over = Labels.twoSum(sum, -delta);
        double d = over.high() + (over.low() + sumLow);
        if (Math.abs(d) <= 0x1p-80 * mass + 0x1p-900) {
            return 2;
        }
        return d > 0.0 ? 1 : 0;
    }

    /** The greatest ratio of P(A) to grow Q(A) + delta: of the answers with the greatest ratios of their own. */
    private double fullest(int side, double grow, double delta) {
        for (int j = 0; j < k; j++) {
            ratio[j] = high[side][j] / Math.max(high[1 - side][j], Double.MIN_VALUE);
            order[j] = j;
        }
        Arrays.sort(order, (i, j) -> Double.compare(ratio[j], ratio[i])); // equal ones stay in order
        double best = 0.0;
        double left = 0.0;
        double right = delta;
        for (int j : order) {
            left += high[side][j];
            right += grow * high[1 - side][j];
            if (left > 0.0) {
                best = Math.max(best, right > 0.0 ? left / right : Double.POSITIVE_INFINITY);
            }
        }
        return best;
    }

    /** Whether left(A) <= e^epsilon right(A) + delta for every set A of answers, in exact arithmetic. */
    public static boolean holdsForAll(BigDecimal[] left, BigDecimal[] right, double epsilon, double delta) {
        BigDecimal allowed = new BigDecimal(delta);
        for (int digits = 40; ; digits *= 2) { // the sum of surpluses falls as e^epsilon grows
            BigDecimal least = epsilon == 0.0 ? BigDecimal.ONE : exp(epsilon, digits, RoundingMode.DOWN);
            if (surplus(left, right, least).compareTo(allowed) <= 0) {
                return true;
            }
            BigDecimal most = epsilon == 0.0 ? BigDecimal.ONE : exp(epsilon, digits, RoundingMode.UP);
            if (surplus(left, right, most).compareTo(allowed) > 0) {
                return false;
            }
        }
    }

    private static BigDecimal surplus(BigDecimal[] left, BigDecimal[] right, BigDecimal grow) {
        BigDecimal sum = BigDecimal.ZERO;
        for (int j = 0; j < left.length; j++) {
            sum = sum.add(left[j].subtract(grow.multiply(right[j])).max(BigDecimal.ZERO));
        }
        return sum;
    }

    /** Whether a + aLow > grow (b + bLow) + delta: 0 no, 1 yes, 2 too close to tell here. */
    private static int exceeds(double a, double aLow, double b, double bLow, Labels.Sum grow, double delta) {
        if (a <= 0.0 || (a == b && aLow == bLow)) {
            return 0;
        }
        double rough = grow.high() * b + delta;
        double scale = 1.0;
        if (a < 0x1p-500) {
            if (rough > 0x1p-490) {
                return 0;
            }
            scale = 0x1p540;
            rough = grow.high() * (b * scale) + delta * scale;
        }
        double left = a * scale;
        double right = b * scale;
        if (left * (1.0 + 0x1p-40) < rough) {
            return 0;
        }
        if (left > rough * (1.0 + 0x1p-40)) {
            return 1;
        }
        double product = grow.high() * right;
        double e =
                Labels.productError(grow.high(), right, product) + (grow.high() * (bLow * scale) + grow.low() * right);
        Labels.Sum sum = Labels.twoSum(product, delta * scale);
        Labels.Sum rest = Labels.twoSum(sum.high(), -left);
        double d = rest.high() + (rest.low() + (sum.low() + (e - aLow * scale)));
        if (Math.abs(d) <= 0x1p-90 * left) {
            return 2;
        }
        return d < 0.0 ? 1 : 0;
    }

    /** Whether left <= e^epsilon right + delta, in exact arithmetic. */
    public static boolean holds(BigDecimal left, BigDecimal right, double epsilon, double delta) {
        BigDecimal excess = left.subtract(new BigDecimal(delta));
        if (epsilon == 0.0 || right.signum() == 0 || excess.compareTo(right) <= 0) {
            return excess.compareTo(right) <= 0;
        }
        for (int digits = 40; ; digits *= 2) {
            if (excess.compareTo(exp(epsilon, digits, RoundingMode.DOWN).multiply(right)) <= 0) {
                return true;
            }
            if (excess.compareTo(exp(epsilon, digits, RoundingMode.UP).multiply(right)) > 0) {
                return false;
            }
        }
    }

    /**
     * A number below or above e^x, for a double x > 0: the Taylor sum of e^(x / 2^k), squared k times. All terms are
     * positive, so that it lies below where every rounding goes down, and above where every rounding goes up and the
     * rest of the sum, at most the last term, is added.
     */
    static BigDecimal exp(double x, int digits, RoundingMode way) {
        int halvings = Math.max(0, Math.getExponent(x) + 1) + 8;
        MathContext context = new MathContext(digits + halvings, way);
        BigDecimal y = new BigDecimal(x).divide(new BigDecimal(BigInteger.TWO.pow(halvings)), context);
        BigDecimal term = BigDecimal.ONE;
        BigDecimal sum = BigDecimal.ONE;
        BigDecimal enough = BigDecimal.ONE.movePointLeft(digits + halvings);
        for (int n = 1; term.compareTo(enough) > 0; n++) {
            term = term.multiply(y, context).divide(BigDecimal.valueOf(n), context);
            sum = sum.add(term, context);
        }
        if (way == RoundingMode.UP) {
            sum = sum.add(term, context);
        }
        for (int k = 0; k < halvings; k++) {
            sum = sum.multiply(sum, context);
        }
        return sum;
    }
}
