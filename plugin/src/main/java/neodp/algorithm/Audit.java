package neodp.algorithm;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import neodp.Text;
import neodp.call.Workers;

/**
 * Is a mechanism private? Decided edge by edge, without a tolerance: the twin of {@code neodp/core/auditing.py}.
 *
 * <p>For every edge (u, v) with its epsilon and delta, p_u <= e^eps p_v + delta and its three companions must hold for the
 * numbers as they are stored: the smaller of p and q is taken as the rational number it is, the larger as one minus it.
 * Double-double arithmetic with a proven error decides all that is clear; the rest is decided with decimal numbers of any
 * length and an enclosure of e^eps that is narrowed until it tells. That ends: for a rational eps other than 0, e^eps is
 * irrational (Lindemann), so no two sides are equal unless p = q = 0.
 */
public final class Audit {
    private static final int PATIENCE = 1 << 15;
    private static final int FEW = 64;
    private static final long PER_EDGE = 60; // bytes, of an edge that is kept as one of the worst

    public final int edges;
    public final long checks;
    public long violations;
    public long undecided;

    /** The edges closest to their limit or beyond it, worst first. */
    public final List<Edge> worst = new ArrayList<>();

    private final DatasetGraph graph;
    private final double[] p;
    private final double[] q;

    private static final Comparator<Edge> WORST_FIRST = Comparator.comparing((Edge edge) -> edge.broken == 0)
            .thenComparing(
                    Comparator.comparingDouble((Edge edge) -> edge.tightness).reversed())
            .thenComparingInt(edge -> edge.position);

    /** One edge: how much of what its inequalities allow is used, and which of the four are broken, as bits. */
    public record Edge(int position, double tightness, int broken) {}

    private record Part(long violations, long undecided, Collection<Edge> worst) {}

    /**
     * Check the probabilities p and q of the two colours on every edge of a graph.
     *
     * @param count how many of the worst edges to report
     */
    public Audit(DatasetGraph graph, double[] p, double[] q, int count, Workers workers) {
        this.graph = graph;
        this.p = p;
        this.q = q;
        this.edges = graph.edges();
        this.checks = 4L * edges;
        PriorityQueue<Edge> kept = new PriorityQueue<>(WORST_FIRST.reversed()); // the least bad one first
        for (Part part : workers.ranges(edges, 1 << 18, (from, to) -> audited(from, to, count, workers))) {
            violations += part.violations;
            undecided += part.undecided;
            for (Edge edge : part.worst) {
                keep(edge, kept, count, workers);
            }
        }
        while (!kept.isEmpty()) {
            workers.check();
            worst.add(kept.remove());
        }
        Collections.reverse(worst);
    }

    /** Keep an edge among the worst. */
    private static void keep(Edge edge, PriorityQueue<Edge> kept, int count, Workers workers) {
        workers.check();
        kept.add(edge);
        if (kept.size() > count) {
            kept.remove();
        } else {
            workers.memory.take(PER_EDGE);
        }
    }

    private Part audited(int from, int to, int count, Workers workers) {
        PriorityQueue<Edge> kept = new PriorityQueue<>(WORST_FIRST.reversed()); // the least bad one first
        long broken = 0;
        long close = 0;
        Map<Double, Labels.Sum> exponentials = new HashMap<>(); // most graphs have few different epsilons
        for (int e = from; e < to; e++) {
            if ((e - from) % PATIENCE == 0) {
                workers.check();
            }
            if (exponentials.size() > FEW) {
                exponentials.clear();
            }
            Labels.Sum grow = exponentials.computeIfAbsent(graph.epsilon[e], Labels::exp);
            int u = graph.source[e];
            int v = graph.target[e];
            double tightness = 0.0;
            int bits = 0;
            for (int c = 0; c < 4; c++) { // p_u, p_v, q_u, q_v on the left side
                double[] own = c < 2 ? p : q;
                double[] other = c < 2 ? q : p;
                int left = c % 2 == 0 ? u : v;
                int right = c % 2 == 0 ? v : u;
                double a = high(own[left], other[left]);
                double b = high(own[right], other[right]);
                int verdict =
                        exceeds(a, low(own[left], other[left]), b, low(own[right], other[right]), grow, graph.delta[e]);
                if (verdict == 2) {
                    close++;
                    workers.check(); // this takes as long as many others
                    boolean holds = holds(
                            exact(own[left], other[left]),
                            exact(own[right], other[right]),
                            graph.epsilon[e],
                            graph.delta[e]);
                    verdict = holds ? 0 : 1;
                }
                broken += verdict;
                bits |= verdict << c;
                double limit = grow.high() * b + graph.delta[e];
                if (a > 0.0) {
                    tightness = Math.max(tightness, limit > 0.0 ? a / limit : Double.POSITIVE_INFINITY);
                }
            }
            if (count > 0 && (bits != 0 || kept.size() < count || tightness > kept.peek().tightness)) {
                keep(new Edge(e, tightness, bits), kept, count, workers);
            }
        }
        return new Part(broken, close, kept);
    }

    /** The inequalities of an edge that do not hold, with their figures. */
    public List<String> sentences(Edge edge) {
        List<String> out = new ArrayList<>();
        int e = edge.position;
        for (int c = 0; c < 4; c++) {
            if ((edge.broken >> c & 1) == 1) {
                double[] own = c < 2 ? p : q;
                double[] other = c < 2 ? q : p;
                int left = c % 2 == 0 ? graph.source[e] : graph.target[e];
                int right = c % 2 == 0 ? graph.target[e] : graph.source[e];
                out.add("Pr[" + graph.colors.get(c / 2) + "] is "
                        + Text.repr(exact(own[left], other[left]).doubleValue()) + " at "
                        + Text.quoted(graph.keys[left])
                        + " and " + Text.repr(exact(own[right], other[right]).doubleValue()) + " at "
                        + Text.quoted(graph.keys[right]) + ", beyond epsilon " + Text.repr(graph.epsilon[e])
                        + " and delta " + Text.repr(graph.delta[e]));
            }
        }
        return out;
    }

    /** A stored probability in double-double: the smaller of both is exact, the larger is one minus it. */
    private static double high(double own, double other) {
        return own <= other ? own : 1.0 - other;
    }

    private static double low(double own, double other) {
        return own <= other ? 0.0 : Labels.error(1.0, -other, 1.0 - other);
    }

    private static BigDecimal exact(double own, double other) {
        return own <= other ? new BigDecimal(own) : BigDecimal.ONE.subtract(new BigDecimal(other));
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
    private static BigDecimal exp(double x, int digits, RoundingMode way) {
        int halvings = Math.max(0, Math.getExponent(x) + 1) + 8;
        MathContext context = new MathContext(digits + halvings, way);
        BigDecimal y = new BigDecimal(x).divide(new BigDecimal(java.math.BigInteger.TWO.pow(halvings)), context);
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
