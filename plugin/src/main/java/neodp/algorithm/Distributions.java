package neodp.algorithm;

/**
 * Distributions over the colours: the twin of {@code neodp/data/distributions.py}. Every entry but the largest is exact; the
 * largest stands for one minus the rest.
 */
public final class Distributions {
    private Distributions() {}

    /** Whether a row adds up to 1, nearly. */
    public static boolean whole(double[] row) {
        return Math.abs(sum(row) - 1.0) <= 1e-9;
    }

    /** The row with its largest entry set to one minus the rest; with more than two, only if it is off by more than rounding. */
    public static double[] corrected(double[] row) {
        int k = row.length;
        int largest = Inequalities.largest(row);
        double[] out = row.clone();
        out[largest] = 0.0;
        double rest = 1.0 - sum(out);
        out[largest] = k == 2 || Math.abs(row[largest] - rest) > k * 0x1p-52 ? rest : row[largest];
        for (int j = 0; j < k; j++) {
            out[j] += 0.0; // no negative zero
        }
        return out;
    }

    private static double sum(double[] row) {
        return Mechanism.sum(j -> row[j], 0, row.length, null); // so short that nobody waits
    }
}
