package neodp.algorithm.rainbow;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Inequalities;
import neodp.algorithm.Labels;
import neodp.algorithm.Mechanism;
import neodp.algorithm.Orders;
import neodp.algorithm.Witness;
import neodp.call.Workers;

/**
 * Alpha on the boundary of every order: read from a graph, completed, and checked. The twin of
 * {@code neodp/core/rainbow/alpha.py}.
 */
final class AlphaByOrder {
    private static final int LEAST_HALVINGS = 31; // of the share by which alpha is rounded in, up to
    private static final int MOST_HALVINGS = 53;
    private static final int FEW = 1024; // verdicts that are kept: most boundary edges between two orders are alike
    private static final MathContext LONG = new MathContext(800, RoundingMode.DOWN); // longer than half-way doubles

    /** Per order its distribution; null where it has no boundary. */
    final double[][] rows;

    /** The datasets on the boundary. */
    final int[] boundary;

    /** How it was made to fit. */
    final Mechanism.Fit fit;

    private final DatasetGraph graph;
    private final Workers workers;
    private final int k;

    AlphaByOrder(DatasetGraph graph, Workers workers) {
        this.graph = graph;
        this.workers = workers;
        this.k = graph.colors.size();
        requireOrders(graph, workers);
        boundary = graph.boundaryDatasets(workers);
        requireOnBoundary();
        int edge = unhitEdge(graph, workers);
        if (edge >= 0) {
            throw unhit(edge);
        }
        rows = new double[graph.orders.size()][];
        int apart = given();
        boolean[] moved = compatible();
        int rounded = moved == null
                ? apart
                : Mechanism.where(boundary.length, i -> moved[order(graph, boundary[i])], workers).length;
        int filled = Mechanism.where(boundary.length, i -> !graph.given(boundary[i]), workers).length;
        fit = new Mechanism.Fit(rounded, filled);
    }

    /** Refuse datasets that leave open which colour comes after their own. */
    static void requireOrders(DatasetGraph graph, Workers workers) {
        boolean[] tied = new boolean[graph.orders.size()];
        for (int c = 0; c < tied.length; c++) {
            workers.check(c);
            for (byte color : graph.orders.rows[c]) {
                tied[c] |= color < 0;
            }
        }
        for (int v = 0; v < graph.size(); v++) {
            workers.check(v);
            if (tied[graph.orders.of[v]]) {
                throw Refusal.graph(
                        "dataset " + Text.quoted(graph.keys[v]) + " of " + Text.quoted(graph.name)
                                + " has no preference: which of " + Orders.rest(graph.colors, graph.color[v])
                                + " comes after " + graph.colorOf(v) + " is open",
                        "give every dataset a preference, all colours from best to worst");
            }
        }
    }

    private void requireOnBoundary() {
        boolean[] on = new boolean[graph.size()];
        for (int v : boundary) {
            on[v] = true;
        }
        for (int v = 0; v < on.length; v++) {
            workers.check(v);
            if (graph.given(v) && !on[v]) {
                throw Refusal.graph(
                        "alpha is given at " + Text.quoted(graph.keys[v]) + ", whose neighbours all have its order",
                        "with more than two colours, give it on the boundary only");
            }
        }
    }

    /** A boundary edge at an order that has no alpha on its boundary, or -1. */
    static int unhitEdge(DatasetGraph graph, Workers workers) {
        boolean[] hit = new boolean[graph.orders.size()];
        for (int v : graph.boundaryDatasets(workers)) {
            hit[graph.orders.of[v]] |= graph.given(v);
        }
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e) && !(hit[order(graph, graph.source[e])] && hit[order(graph, graph.target[e])])) {
                return e;
            }
        }
        return -1;
    }

    private static int order(DatasetGraph graph, int v) {
        return graph.orders.of[v];
    }

    private Refusal unhit(int edge) {
        boolean[] hit = new boolean[graph.orders.size()];
        for (int v = 0; v < graph.size(); v++) {
            workers.check(v);
            hit[order(graph, v)] |= graph.given(v);
        }
        int order = order(graph, graph.source[edge]);
        order = hit[order] ? order(graph, graph.target[edge]) : order;
        return Refusal.unhitOrder(
                graph.name,
                "no boundary dataset of the order " + graph.orders.name(order, graph.colors)
                        + " has alpha, as on the edge " + graph.edgeName(edge));
    }

    private double[] alpha(int v) {
        double[] out = new double[k];
        for (int c = 0; c < k; c++) {
            out[c] = graph.alpha[c][v];
        }
        return out;
    }

    /** Find the alpha of every order; how many datasets have one that differs from it, by a rounding error. */
    private int given() {
        int[] first = new int[rows.length];
        int apart = 0;
        int worst = -1;
        int color = 0;
        double most = 0.0;
        for (int i = 0; i < boundary.length; i++) {
            workers.check(i);
            int v = boundary[i];
            if (!graph.given(v)) {
                continue;
            }
            int order = order(graph, v);
            double[] mine = alpha(v);
            if (rows[order] == null) {
                rows[order] = mine;
                first[order] = v;
                continue;
            }
            boolean differs = false;
            for (int c = 0; c < k; c++) {
                double gap = Math.abs(mine[c] - rows[order][c]);
                differs |= gap > 0.0;
                if (gap > Witness.ROUNDING * rows[order][c] && gap > most) {
                    most = gap;
                    worst = v;
                    color = c;
                }
            }
            apart += differs ? 1 : 0;
        }
        if (worst >= 0) {
            int order = order(graph, worst);
            throw new Incompatible(
                    new OrderConflict(
                            graph.orders.name(order, graph.colors),
                            graph.keys[worst],
                            graph.colors.get(color),
                            graph.alpha[color][worst],
                            graph.keys[first[order]],
                            rows[order][color]),
                    "give all boundary datasets of an order the same alpha");
        }
        return apart;
    }

    // --- between orders -------------------------------------------------------------------------------------------

    /** Two orders, and what a boundary edge between them allows. */
    private record Meeting(int one, int two, double epsilon, double delta) {}

    private record Verdict(boolean holds, double tightness) {}

    /** The boundary edge that is broken worst with some alpha per order, or -1. */
    private int worst(double[][] alpha) {
        Inequalities between = new Inequalities(k, workers);
        Map<Meeting, Verdict> known = new HashMap<>();
        int worst = -1;
        double most = -1.0;
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (!graph.crossing(e)) {
                continue;
            }
            Meeting meeting = new Meeting(
                    order(graph, graph.source[e]), order(graph, graph.target[e]), graph.epsilon[e], graph.delta[e]);
            Verdict verdict = known.get(meeting);
            if (verdict == null) {
                between.take(0, alpha[meeting.one]);
                between.take(1, alpha[meeting.two]);
                boolean holds = between.judge(meeting.epsilon, meeting.delta);
                verdict = new Verdict(holds, between.tightness);
                if (known.size() == FEW) {
                    known.clear();
                }
                known.put(meeting, verdict);
            }
            if (!verdict.holds && verdict.tightness > most) {
                most = verdict.tightness;
                worst = e;
            }
        }
        return worst;
    }

    /** Make alpha compatible if it is off by a rounding error: the orders where it was moved, null where it was not. */
    private boolean[] compatible() {
        int worst = worst(rows);
        if (worst < 0) {
            return null;
        }
        int[] group = groups();
        boolean[] part = broken(group);
        double least = 1.0;
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            least = graph.crossing(e) ? Math.min(least, graph.delta[e]) : least;
        }
        for (int halvings = MOST_HALVINGS; halvings >= LEAST_HALVINGS; halvings--) {
            double[][] moved = mixed(part, group, halvings);
            if (tooFar(moved, part, least)) {
                break;
            }
            if (worst(moved) < 0) {
                System.arraycopy(moved, 0, rows, 0, rows.length);
                return part;
            }
        }
        throw Incompatible.of(graph.name, witness(worst), "bring the two closer");
    }

    /** Per order, the least of those that boundary edges join it with, directly or not. */
    private int[] groups() {
        int[] parent = new int[rows.length];
        Arrays.setAll(parent, c -> c);
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            int one = DatasetGraph.root(parent, order(graph, graph.source[e]));
            int two = DatasetGraph.root(parent, order(graph, graph.target[e]));
            parent[Math.max(one, two)] = Math.min(one, two);
        }
        for (int c = 0; c < parent.length; c++) {
            workers.check(c);
            parent[c] = DatasetGraph.root(parent, c);
        }
        return parent;
    }

    /** The orders in a group in which something is broken. */
    private boolean[] broken(int[] group) {
        boolean[] affected = new boolean[rows.length];
        Inequalities between = new Inequalities(k, workers);
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            int one = order(graph, graph.source[e]);
            if (graph.crossing(e) && !affected[group[one]]) {
                between.take(0, rows[one]);
                between.take(1, rows[order(graph, graph.target[e])]);
                affected[group[one]] = !between.judge(graph.epsilon[e], graph.delta[e]);
            }
        }
        boolean[] part = new boolean[rows.length];
        for (int c = 0; c < part.length; c++) {
            part[c] = affected[group[c]] && rows[c] != null;
        }
        return part;
    }

    /** Rows moved towards the mean of their group by a share of 2^-halvings: all inequalities gain the same room. */
    private double[][] mixed(boolean[] part, int[] group, int halvings) {
        Map<Integer, List<BigDecimal[]>> members = new HashMap<>();
        for (int c = 0; c < part.length; c++) {
            workers.check(c);
            if (part[c]) {
                members.computeIfAbsent(group[c], g -> new ArrayList<>()).add(Inequalities.exact(rows[c]));
            }
        }
        Map<Integer, BigDecimal[]> sums = new HashMap<>();
        members.forEach((g, each) -> {
            BigDecimal[] sum = new BigDecimal[k];
            Arrays.fill(sum, BigDecimal.ZERO);
            for (BigDecimal[] row : each) {
                workers.check();
                Arrays.setAll(sum, j -> sum[j].add(row[j]));
            }
            sums.put(g, sum);
        });
        double[][] out = new double[rows.length][];
        BigDecimal all = new BigDecimal(BigInteger.TWO.pow(halvings));
        for (int c = 0; c < out.length; c++) {
            workers.check(c);
            if (!part[c]) {
                out[c] = rows[c];
                continue;
            }
            BigDecimal[] exact = Inequalities.exact(rows[c]);
            BigDecimal[] sum = sums.get(group[c]);
            BigDecimal count = BigDecimal.valueOf(members.get(group[c]).size());
            double[] row = new double[k];
            Arrays.setAll(
                    row,
                    j -> nearest(
                            all.subtract(BigDecimal.ONE)
                                    .multiply(exact[j])
                                    .multiply(count)
                                    .add(sum[j]),
                            all.multiply(count)));
            out[c] = row;
        }
        return out;
    }

    /** The double nearest to a quotient. */
    private static double nearest(BigDecimal dividend, BigDecimal divisor) {
        BigDecimal down = dividend.divide(divisor, LONG);
        boolean exact = down.multiply(divisor).compareTo(dividend) == 0;
        return (exact ? down : down.add(down.ulp().movePointLeft(1))).doubleValue(); // a digit that tells it from a tie
    }

    private boolean tooFar(double[][] moved, boolean[] part, double delta) {
        for (int c = 0; c < part.length; c++) {
            workers.check(c);
            int largest = part[c] ? Inequalities.largest(moved[c]) : 0;
            for (int j = 0; part[c] && j < k; j++) {
                double room = j == largest ? Witness.ROUNDING : Witness.ROUNDING * (rows[c][j] + delta);
                if (Math.abs(moved[c][j] - rows[c][j]) > room) {
                    return true;
                }
            }
        }
        return false;
    }

    private Witness witness(int e) {
        Inequalities between = new Inequalities(k, workers);
        between.take(0, rows[order(graph, graph.source[e])]);
        between.take(1, rows[order(graph, graph.target[e])]);
        double epsilon = graph.epsilon[e];
        double delta = graph.delta[e];
        between.judge(epsilon, delta);
        Inequalities.Worst found = between.firstBroken(epsilon, delta, graph.colors);
        String one = graph.keys[found.side() == 0 ? graph.source[e] : graph.target[e]];
        String two = graph.keys[found.side() == 0 ? graph.target[e] : graph.source[e]];
        return new Witness(
                one,
                found.named(),
                found.left(),
                Math.min(1.0, Labels.exp(epsilon).high() * found.right() + delta),
                two,
                found.right(),
                List.of(two, one),
                epsilon,
                delta);
    }
}
