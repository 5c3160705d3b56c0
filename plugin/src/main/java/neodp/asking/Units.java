package neodp.asking;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import neodp.Fraction;
import neodp.call.Workers;

/** The units that are protected, by their ids, with the epsilons that they have: {@code neodp/asking/matches.py}. */
public final class Units {
    /** The public cap on anybody's epsilon: a greater one counts as this one. */
    public static final double MOST_EPSILON = 100.0;

    private final Rows ids;
    private final Workers workers;
    private double[] epsilon = new double[64];

    public Units(Workers workers) {
        this.workers = workers;
        ids = new Rows(1, workers);
    }

    /** Add a unit. Everything but a finite number above 0 counts as 0, and says nothing; null is the default. */
    public void add(long id, Object value, Number otherwise) {
        int place = ids.place(id);
        if (place == epsilon.length) {
            workers.memory.take(8L * place);
            epsilon = Arrays.copyOf(epsilon, 2 * place);
        }
        double number = (value == null ? otherwise : value) instanceof Number x ? x.doubleValue() : 0.0;
        epsilon[place] = number > 0.0 && number < Double.POSITIVE_INFINITY ? number : 0.0;
    }

    int count() {
        return ids.count();
    }

    /** The number of a unit; -1 if there is none with this id. */
    int number(long id) {
        return ids.look(id);
    }

    /** The weights in whole units of epsilon: floor(share epsilon / unit), without any rounding. */
    public long[] weights(Fraction share, double unit, double ignoreBelow) {
        Map<Double, Long> levels = new HashMap<>();
        Fraction scale = share.times(inverse(unit));
        long[] out = new long[count()];
        for (int i = 0; i < out.length; i++) {
            workers.check(i);
            out[i] = levels.computeIfAbsent(
                    epsilon[i],
                    level -> level < ignoreBelow
                            ? 0L
                            : Fraction.of(new BigDecimal(Math.min(level, MOST_EPSILON)))
                                    .times(scale)
                                    .floor()
                                    .longValueExact());
        }
        return out;
    }

    private static Fraction inverse(double unit) {
        Fraction whole = Fraction.of(new BigDecimal(unit));
        return new Fraction(whole.under(), whole.over());
    }

    /** The weights of people who all weigh the same: for the true number. */
    public long[] alike() {
        long[] out = new long[count()];
        Arrays.fill(out, 1);
        return out;
    }
}
