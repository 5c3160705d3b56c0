package neodp.asking;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import neodp.Fraction;
import neodp.asking.Cover.Dual;
import neodp.asking.Cover.Primal;
import neodp.call.Workers;

/**
 * Distances by least cuts, exact: the twin of {@code neodp/asking/cuts.py}, which has the proof.
 *
 * <p>Every cut is a line A + B mu in the price mu. The search starts from the two lines that meet lowest, cuts where they
 * meet, and replaces one of both by the new line, until the cut lies where they meet.
 */
final class Cuts {
    private final Cover cover;
    private final Network net;
    private final Flow flow;
    private final Workers workers;
    private final List<Line> lines = new ArrayList<>();

    Cuts(Cover cover, Network net, Workers workers) {
        this.cover = cover;
        this.net = net;
        this.workers = workers;
        int n = cover.weight().length;
        flow = new Flow(net, workers);
        byte[] everybody = new byte[n];
        Arrays.fill(everybody, (byte) 2);
        lines.add(new Line(0, Math.multiplyExact(2, cover.total()), new byte[n]));
        lines.add(new Line(Math.multiplyExact(2, cover.weightOfAll()), 0, everybody));
    }

    /** A cut as a line, with twice the x of its people. */
    private record Line(long start, long slope, byte[] twice) {
        BigInteger at(long p, long q) {
            return product(start, q).add(product(slope, p));
        }
    }

    /** A lower and an upper bound of the distance, both proven. */
    record Bounds(Fraction lower, Fraction upper) {}

    /** The bounds for an amount that may remain, from 0 to below the total amount. */
    Bounds solve(long most) {
        Line[] ends = ends(most);
        Line steep = ends[0];
        Line flat = ends[1];
        while (true) {
            long p = flat.start - steep.start;
            long q = steep.slope - flat.slope;
            long common = BigInteger.valueOf(p).gcd(BigInteger.valueOf(q)).longValueExact();
            p /= common;
            q /= common;
            flow.push(p, q);
            Line line = line();
            if (!line.at(p, q).equals(flow.value())) {
                throw new ArithmeticException("a cut is not as great as its flow");
            }
            workers.memory.take(cover.weight().length);
            lines.add(line);
            Dual dual = new Dual(flow.prices(cover.group().length), 2 * p, 2 * q);
            if (line.slope == 2 * most) {
                return bounds(most, new Primal(widened(line.twice), 2), dual);
            }
            if (line.at(p, q).equals(steep.at(p, q))) {
                return bounds(most, between(steep, flat, most), dual);
            }
            if (line.slope > 2 * most) {
                steep = line;
            } else {
                flat = line;
            }
        }
    }

    private Bounds bounds(long most, Primal primal, Dual dual) {
        return new Bounds(cover.lower(most, dual, workers), cover.upper(most, primal, workers));
    }

    private static BigInteger product(long a, long b) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    }

    /** The line with slope above 2T and the one with slope at most 2T that meet lowest, seen from T. */
    private Line[] ends(long most) {
        Line[] best = null;
        Fraction lowest = null;
        for (Line steep : lines) {
            for (Line flat : lines) {
                workers.check();
                if (steep.slope > 2 * most && flat.slope <= 2 * most) {
                    long more = 2 * most - flat.slope;
                    long less = steep.slope - 2 * most;
                    BigInteger meet = product(more, steep.start).add(product(less, flat.start));
                    Fraction height = new Fraction(meet, BigInteger.valueOf(more + less));
                    if (lowest == null || height.compareTo(lowest) < 0) {
                        lowest = height;
                        best = new Line[] {steep, flat};
                    }
                }
            }
        }
        return best;
    }

    /** The line of the least cut that the flow has found. */
    private Line line() {
        int n = cover.weight().length;
        long start = 0;
        long slope = 0;
        for (int a = 0; a < net.arcs; a++) {
            workers.check(a);
            if (flow.cut(a)) {
                start += net.weight[a];
                slope = Math.addExact(slope, net.amount[a]);
            }
        }
        byte[] twice = new byte[n];
        for (int i = 0; i < n; i++) {
            workers.check(i);
            twice[i] = (byte) ((flow.inside(2 + i) ? 0 : 1) + (flow.inside(2 + n + i) ? 1 : 0));
        }
        return new Line(start, slope, twice);
    }

    /** The mixture of two cuts that leaves exactly the amount that may remain. */
    private static Primal between(Line steep, Line flat, long most) {
        long more = 2 * most - flat.slope;
        long less = steep.slope - 2 * most;
        long[] part = new long[steep.twice.length];
        for (int i = 0; i < part.length; i++) {
            part[i] = more * steep.twice[i] + less * flat.twice[i];
        }
        return new Primal(part, 2 * (more + less));
    }

    private static long[] widened(byte[] twice) {
        long[] out = new long[twice.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = twice[i];
        }
        return out;
    }
}
