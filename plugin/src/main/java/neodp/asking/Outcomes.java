package neodp.asking;

import java.util.Arrays;

/**
 * The chances of permute-and-flip, to be shown to the steward: the twin of {@code outcome_chances} in
 * {@code neodp/core/permute_and_flip.py}, which has the formula.
 *
 * <p>All of it is + - * / in the order of Python, so that every bit is the same.
 */
final class Outcomes {
    private static final int NODES = 200;
    private static final int NEWTON = 6;

    private Outcomes() {}

    /** The chance of each outcome, by how much it is off; at least one is off by 0. */
    static double[] chances(long[] off, double gamma) {
        int count = off.length;
        double[] p = Arrays.stream(off).mapToDouble(n -> falling(n * gamma)).toArray();
        double[] each = new double[count];
        double[] after = new double[count];
        Quadrature rule = Quadrature.of(Math.min(NODES, count / 2 + 1));
        for (int node = 0; node < rule.at.length; node++) {
            double s = rule.at[node];
            after[count - 1] = 1.0;
            for (int j = count - 1; j > 0; j--) {
                after[j - 1] = after[j] * (1.0 - s * p[j]);
            }
            double before = 1.0;
            for (int j = 0; j < count; j++) {
                each[j] += rule.weight[node] * (before * after[j]);
                before *= 1.0 - s * p[j];
            }
        }
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            each[j] *= p[j];
            sum += each[j];
        }
        for (int j = 0; j < count; j++) {
            each[j] /= sum;
        }
        return each;
    }

    /** The exponential e^-x for a number from 0 on; e^-700 beyond 700. */
    private static double falling(double x) {
        double small = Math.min(x, 700.0) / 0x1p10;
        double found = 1.0;
        for (int n = 16; n > 0; n--) {
            found = 1.0 - small * found / n;
        }
        for (int i = 0; i < 10; i++) {
            found *= found;
        }
        return found;
    }

    /** Gauss-Legendre quadrature from 0 to 1. */
    private record Quadrature(double[] at, double[] weight) {
        /** The nodes and weights, by Newton's method from a cosine. */
        static Quadrature of(int nodes) {
            double step = Math.PI / (nodes + 0.5);
            double[] turn = turn(step);
            double[] point = turn(0.75 * step);
            double[] at = new double[nodes];
            double[] weight = new double[nodes];
            for (int i = 0; i < nodes; i++) {
                double x = point[0];
                for (int n = 0; n < NEWTON; n++) {
                    double[] found = legendre(nodes, x);
                    x -= found[0] / found[1];
                }
                double slope = legendre(nodes, x)[1];
                at[i] = (x + 1.0) / 2.0;
                weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
                point = new double[] {point[0] * turn[0] - point[1] * turn[1], point[1] * turn[0] + point[0] * turn[1]};
            }
            return new Quadrature(at, weight);
        }

        /** The cosine and the sine of an angle up to 2. */
        private static double[] turn(double angle) {
            double cosine = 1.0;
            double sine = 1.0;
            for (int n = 28; n > 1; n -= 2) {
                cosine = 1.0 - angle * angle / (n * (n - 1)) * cosine;
                sine = 1.0 - angle * angle / (n * (n + 1)) * sine;
            }
            return new double[] {cosine, angle * sine};
        }

        /** The Legendre polynomial of a degree, and its derivative. */
        private static double[] legendre(int degree, double at) {
            double before = 1.0;
            double value = at;
            for (int n = 2; n <= degree; n++) {
                double next = ((2 * n - 1) * at * value - (n - 1) * before) / n;
                before = value;
                value = next;
            }
            return new double[] {value, degree * (before - at * value) / (1.0 - at * at)};
        }
    }
}
