package neodp.results;

import neodp.Text;

/** The sentence about an epsilon above 10, which is used all the same: that of {@code neodp/data/validation.py}. */
public final class Caution {
    private static final double LARGE = 10.0;

    private Caution() {}

    /** The sentence about a public epsilon; null where there is none, or it is not large. */
    public static String of(Number epsilon) {
        return epsilon == null || !(epsilon.doubleValue() > LARGE)
                ? null
                : "epsilon " + Text.general(epsilon.doubleValue())
                        + " hardly protects anybody: it can make a guess of 50:50 about a person nearly certain; 10 is much "
                        + "already";
    }
}
