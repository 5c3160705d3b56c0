package neodp;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import neodp.Release.Level;
import org.neo4j.graphdb.Transaction;

/**
 * What was answered about a population, and how much may be: the twin of {@code Ledger} in {@code neodp/release.py}.
 *
 * <p>What several answers cost together is their sum, in exact arithmetic. At a delta above 0 there are better bounds
 * ({@code neodp/budget.py}), which only the client knows.
 *
 * @param most how many releases there may be; null where their number is not limited
 * @param epsilon what all of them may cost a person; null where that is not limited
 * @param delta at which delta that is meant
 */
record Ledger(String population, Long most, Double epsilon, double delta, List<Release> releases) {

    static Ledger of(Transaction tx, String population) {
        Map<String, Object> row = Statements.row(tx, "ledger", Map.of("population", population));
        List<Release> releases = Store.elements(row.get("releases")).stream()
                .map(release -> Release.of((Map<?, ?>) release))
                .toList();
        Long most = row.get("max_releases") instanceof Number x ? (Long) x.longValue() : null;
        Double epsilon = row.get("epsilon") instanceof Number x ? (Double) x.doubleValue() : null;
        boolean limited = (boolean) row.get("known") && (most != null || epsilon != null);
        return limited
                ? new Ledger(population, most, epsilon, Store.number(row.get("delta")), releases)
                : new Ledger(population, 1L, null, 0.0, releases);
    }

    /** Lock a population's ledger until the transaction ends: releases about the same people are kept one by one. */
    static void lock(Transaction tx, String population) {
        Statements.row(tx, "lock_ledger", Map.of("population", population));
    }

    /** Refuse a new release that the limit does not leave room for. */
    void spend(String name, List<Level> levels) {
        String asked = "release " + Text.repr(name) + " about population " + Text.repr(population) + " is refused: ";
        String hint = "'neodp budget " + population + "' shows what was spent, and 'neodp budget " + population
                + " --releases N' allows more";
        if (most != null && releases.size() >= most) {
            throw Refusal.budgetSpent(asked + "requested 1, used " + releases.size() + ", allowed " + most, hint);
        }
        if (epsilon == null) {
            return;
        }
        if (delta > 0.0) {
            throw Refusal.client(
                    "population " + Text.repr(population) + " has a limit at delta " + Text.general(delta)
                            + ", and the plugin adds up at delta 0 only",
                    "use the client");
        }
        List<List<Level>> costs =
                new ArrayList<>(releases.stream().map(Release::levels).toList());
        costs.add(levels);
        costs.removeIf(List::isEmpty);
        for (String label : labels(costs)) {
            BigDecimal epsilons = BigDecimal.ZERO;
            BigDecimal deltas = BigDecimal.ZERO;
            for (List<Level> cost : costs) {
                Level worst = worst(cost, label);
                BigDecimal times = BigDecimal.valueOf(worst.times());
                epsilons = epsilons.add(new BigDecimal(worst.epsilon()).multiply(times));
                deltas = deltas.add(new BigDecimal(worst.delta()).multiply(times));
            }
            double total = above(epsilons);
            double risk = Math.min(1.0, above(deltas));
            if (total > epsilon || risk > delta) {
                throw Refusal.budgetSpent(
                        asked + "people of " + label + " would have spent epsilon " + inWords(total) + " at delta "
                                + Text.general(risk, 3) + ", allowed is " + limit(),
                        hint);
            }
        }
    }

    /** All labels, by their last epsilon. */
    private static List<String> labels(List<List<Level>> costs) {
        Map<String, Double> order = new HashMap<>();
        costs.forEach(cost -> cost.forEach(level -> order.put(level.label(), level.epsilon())));
        Comparator<String> byEpsilon = Comparator.comparingDouble(order::get);
        return order.keySet().stream()
                .sorted(byEpsilon.thenComparing(Text::compare))
                .toList();
    }

    /** What a release cost people of a level: where it knew no such level, its dearest one. */
    private static Level worst(List<Level> cost, String label) {
        List<Level> own =
                cost.stream().filter(level -> level.label().equals(label)).toList();
        List<Level> same = own.isEmpty() ? cost : own;
        Level worst = same.get(0);
        for (Level level : same) {
            int more = Double.compare(level.epsilon() * level.times(), worst.epsilon() * worst.times());
            if (more > 0 || (more == 0 && level.delta() > worst.delta())) {
                worst = level;
            }
        }
        double risk = same.stream().mapToDouble(Level::delta).max().orElseThrow();
        return new Level(worst.epsilon(), risk, worst.name(), worst.people(), worst.times());
    }

    /** The least double that is not below x. */
    private static double above(BigDecimal x) {
        double near = x.doubleValue();
        return new BigDecimal(near).compareTo(x) >= 0 ? near : Math.nextUp(near);
    }

    /** An epsilon for people: four digits, rounded up so that it never looks smaller than it is. */
    private static String inWords(double x) {
        if (x == 0.0) {
            return "0";
        }
        double step = Math.pow(10.0, Math.floor(Math.log10(x)) - 3);
        return Text.general(Math.ceil(x / step * (1.0 - 1e-12)) * step, 4);
    }

    private String limit() {
        String number =
                most == null ? "" : String.format(Locale.ROOT, "%,d release%s and ", most, most == 1 ? "" : "s");
        return number + "epsilon " + Text.general(epsilon) + " in all for everybody";
    }
}
