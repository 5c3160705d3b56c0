package neodp.ledger;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import neodp.Fraction;
import neodp.algorithm.Level;

/**
 * Shares of everybody's own epsilon: the twin of {@code neodp/ledger/shares.py}. All shares add up to at most 1, so that
 * nothing that is kept, compared or refused depends on the people.
 */
public final class Shares {
    private static final String MARK = "= %s of everybody's own epsilon";
    private static final Pattern MARKED = Pattern.compile(String.format(MARK, "([0-9]+(?:/[1-9][0-9]*)?)"));

    private Shares() {}

    /** The cost of a question that spends a share of everybody's own epsilon, which counts up to {@code most}. */
    public static Level level(Fraction share, double most) {
        Fraction cost = share.times(Fraction.of(new BigDecimal(most)));
        return new Level(cost.above(), 0.0, String.format(MARK, share), null, 1);
    }

    /** The share that a level states; null where it states none. */
    static Fraction of(Level level) {
        Matcher found = level.name() == null ? null : MARKED.matcher(level.name());
        return found != null && found.matches() ? Fraction.parse(found.group(1)) : null;
    }

    /** The sum of all shares in some prices, each with the number of releases at that price. */
    public static Fraction in(Map<List<Level>, Long> prices) {
        Fraction total = Fraction.ZERO;
        for (Map.Entry<List<Level>, Long> price : prices.entrySet()) {
            Fraction dearest = Fraction.ZERO;
            for (Level level : price.getKey()) {
                Fraction share = of(level);
                Fraction cost =
                        share == null ? Fraction.ZERO : share.times(Fraction.of(BigDecimal.valueOf(level.times())));
                dearest = cost.compareTo(dearest) > 0 ? cost : dearest;
            }
            total = total.plus(dearest.times(Fraction.of(BigDecimal.valueOf(price.getValue()))));
        }
        return total;
    }
}
