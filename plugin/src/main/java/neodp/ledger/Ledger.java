package neodp.ledger;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import neodp.Fraction;
import neodp.Json;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Level;
import neodp.call.Workers;
import neodp.store.PropertyValues;
import neodp.store.Statements;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;

/**
 * What was answered about a population in sum, and how much may be: the twin of {@code Account} in {@code neodp/ledger/release.py}.
 *
 * <p>It is decided by the sum that is kept beside the limit, without reading all releases; only where none was ever kept,
 * the releases are summed up. What several answers cost together is their sum, in exact arithmetic. At a delta above 0 there are better bounds
 * ({@code neodp/ledger/composition.py}), which only the client knows.
 *
 * @param most how many releases there may be; null where their number is not limited
 * @param epsilon what all of them may cost a person; null where that is not limited
 * @param delta at which delta that is meant
 * @param used how many releases there are
 * @param prices how many of them cost what
 * @param seal the sum of their digests, modulo 2^256
 */
public record Ledger(
        String population,
        Long most,
        Double epsilon,
        double delta,
        long used,
        Map<List<Level>, Long> prices,
        BigInteger seal) {
    /** The constraints without which two could keep an answer at the same time, by their label. */
    private static final Map<String, String> CONSTRAINTS = new TreeMap<>(Map.of(
            "NeodpLedger", "neodp_ledger_population",
            "NeodpRelease", "neodp_release_name",
            "NeodpProtection", "neodp_protection_population"));

    public static Ledger of(Transaction tx, String population, Workers workers) {
        Map<String, Object> row = Statements.row(tx, "account", Map.of("population", population));
        for (String number : List.of("max_releases", "epsilon", "delta")) {
            if (row.get(number) != null && !(row.get(number) instanceof Number)) {
                throw Refusal.damagedLimit(population);
            }
        }
        Long most = row.get("max_releases") instanceof Number x ? (Long) x.longValue() : null;
        Double epsilon = row.get("epsilon") instanceof Number x ? (Double) x.doubleValue() : null;
        boolean limited = (boolean) row.get("known") && (most != null || epsilon != null);
        Ledger empty = limited
                ? new Ledger(
                        population,
                        most,
                        epsilon,
                        PropertyValues.number(row.get("delta")),
                        0,
                        Map.of(),
                        BigInteger.ZERO)
                : new Ledger(population, 1L, null, 0.0, 0, Map.of(), BigInteger.ZERO);
        if (row.get("account") instanceof String text) {
            return empty.read(text);
        }
        if (row.get("account") != null) {
            throw Refusal.damagedAccount(population);
        }
        Ledger sum = empty;
        Map<String, Object> all = Statements.row(tx, "ledger", Map.of("population", population));
        for (Object release : Text.elements(all.get("releases"))) {
            workers.check();
            sum = sum.plus(Release.of((Map<?, ?>) release));
        }
        return sum;
    }

    /**
     * Set how much may be answered about a population: parts that are not named stay, and null takes one away. Where nothing
     * was set, or everything is taken away, one release is free; the first epsilon replaces that.
     *
     * @param changes some of releases, epsilon and delta
     */
    public static Ledger allow(Transaction tx, String population, Map<String, Object> changes, Workers workers) {
        requireSchema(tx);
        boolean releases = changes.containsKey("releases");
        boolean costs = changes.containsKey("epsilon");
        boolean risk = changes.containsKey("delta");
        boolean said = releases && costs && (changes.get("epsilon") == null || risk); // the old limit may be damaged
        Ledger old = said ? null : of(tx, population, workers);
        Number epsilon = costs || old == null ? (Number) changes.get("epsilon") : old.epsilon;
        if (epsilon == null && risk) {
            throw Refusal.graph("a delta is given without an epsilon", "give `{epsilon: ...}` as well");
        }
        double delta = risk ? ((Number) changes.get("delta")).doubleValue() : old == null ? 0.0 : old.delta;
        boolean unset = old != null && old.isUsual() && epsilon != null;
        Long most = releases || old == null ? (Long) changes.get("releases") : unset ? null : old.most;
        if (most == null && epsilon == null) {
            most = 1L;
        }
        requireLimit(most, epsilon, delta);
        Map<String, Object> row = new HashMap<>();
        row.put("population", population);
        row.put("releases", most);
        row.put("epsilon", epsilon == null ? null : (Double) epsilon.doubleValue());
        row.put("delta", epsilon == null ? 0.0 : delta);
        Statements.row(tx, "allow", row);
        return of(tx, population, workers);
    }

    private static void requireLimit(Long most, Number epsilon, double delta) {
        if (most != null && most < 0) {
            throw Refusal.graph("the limit is " + most + " releases", "give a whole number of at least 0, below 2^63");
        }
        if (epsilon != null && !(epsilon.doubleValue() >= 0.0 && epsilon.doubleValue() < Double.POSITIVE_INFINITY)) {
            throw Refusal.graph(
                    "the limit is epsilon " + Text.repr(epsilon.doubleValue()), "give a number of at least 0");
        }
        if (!(delta >= 0.0 && delta <= 1.0)) {
            throw Refusal.graph("the limit has delta " + Text.repr(delta), "give a number from 0 to 1");
        }
    }

    /** The populations that something was answered about or allowed for, or that a graph belongs to. */
    public static List<String> populations(Transaction tx) {
        return Statements.rows(tx, "populations", Map.of()).stream()
                .map(row -> String.valueOf(row.get("population")))
                .toList();
    }

    /** How many releases there may be; null where their number is not limited, or where they spend shares up to 1. */
    public Long mostReleases() {
        return !prices.isEmpty() && onlyShares(prices) ? null : most;
    }

    /** Whether nothing limits the number of releases, since each of them spends a share of everybody's epsilon. */
    private boolean onlyShares(Map<List<Level>, Long> costs) {
        return isUsual()
                && costs.keySet().stream().allMatch(price -> !price.isEmpty() && Shares.of(price.get(0)) != null);
    }

    /** Whether one release is free, since nothing else was set. */
    private boolean isUsual() {
        return most != null && most == 1 && epsilon == null && delta == 0.0;
    }

    /** The same after one more release. */
    public Ledger plus(Release release) {
        Map<List<Level>, Long> more = new LinkedHashMap<>(prices);
        more.merge(price(release.levels()), 1L, Long::sum);
        BigInteger sum = seal.add(new BigInteger(release.digest(), 16)).mod(BigInteger.TWO.pow(256));
        return new Ledger(population, most, epsilon, delta, used + 1, more, sum);
    }

    /** Keep the sum. */
    public void write(Transaction tx) {
        Statements.row(tx, "set_account", Map.of("population", population, "account", text()));
    }

    /** The sum as it is kept: {@code Account.text} in {@code neodp/ledger/release.py} says how. */
    private String text() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%d\t%064x", used, seal));
        prices.forEach((price, n) -> {
            List<String> words = new ArrayList<>(List.of(String.valueOf(n)));
            for (Level level : price) {
                words.addAll(List.of(
                        Text.hex(level.epsilon()),
                        Text.hex(level.delta()),
                        String.valueOf(level.times()),
                        Json.dumps(level.name())));
            }
            lines.add(String.join("\t", words));
        });
        String body = String.join("\n", lines);
        return Text.sha256(population + "\n" + body) + "\n" + body;
    }

    private Ledger read(String text) {
        int end = text.indexOf('\n');
        String body = text.substring(end + 1);
        if (end < 0 || !text.substring(0, end).equals(Text.sha256(population + "\n" + body))) {
            throw Refusal.damagedAccount(population);
        }
        String[] lines = body.split("\n", -1);
        String[] first = lines[0].split("\t", -1);
        Map<List<Level>, Long> found = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split("\t", -1);
            List<Level> price = new ArrayList<>();
            for (int j = 1; j < words.length; j += 4) {
                String name = Json.text(words[j + 3]);
                price.add(new Level(
                        Double.parseDouble(words[j]),
                        Double.parseDouble(words[j + 1]),
                        name,
                        null,
                        Long.parseLong(words[j + 2])));
            }
            found.put(price, Long.valueOf(words[0]));
        }
        return new Ledger(
                population, most, epsilon, delta, Long.parseLong(first[0]), found, new BigInteger(first[1], 16));
    }

    private static List<Level> price(List<Level> levels) {
        return levels.stream()
                .map(x -> new Level(x.epsilon(), x.delta(), x.name(), null, x.times()))
                .toList();
    }

    /** Lock a population's ledger until the transaction ends: releases about the same people are kept one by one. */
    public static void lock(Transaction tx, String population) {
        Statements.row(tx, "lock_ledger", Map.of("population", population));
    }

    /** Whether a node keeps an account or an answer. */
    public static boolean keeps(Node node) {
        return node.hasLabel(Label.label("NeodpLedger")) || node.hasLabel(Label.label("NeodpRelease"));
    }

    /** Without the constraints, two could keep an answer at the same time. */
    public static void requireSchema(Transaction tx) {
        List<String> missing = CONSTRAINTS.keySet().stream()
                .filter(label -> !tx.schema()
                        .getConstraints(Label.label(label))
                        .iterator()
                        .hasNext())
                .toList();
        if (!missing.isEmpty()) {
            throw Refusal.client(
                    "the database has no constraint on (:" + missing.get(0) + "), so answers cannot be kept safely",
                    "run "
                            + missing.stream()
                                    .map(label -> "`" + Statements.text(CONSTRAINTS.get(label)) + "`")
                                    .collect(Collectors.joining(" and "))
                            + ", or 'neodp init'");
        }
    }

    /** Keep a release unless there is one by its name; the one that is kept. */
    public static Release keep(Transaction tx, Release drawn, Workers workers) {
        lock(tx, drawn.population());
        Release there = Release.find(tx, drawn.graph(), drawn.name());
        if (there != null) {
            return there;
        }
        Ledger ledger = of(tx, drawn.population(), workers);
        ledger.spend(drawn.name(), drawn.levels(), workers);
        ledger.plus(drawn).write(tx);
        return drawn.create(tx);
    }

    /** Refuse a new release that the limit does not leave room for. */
    public void spend(String name, List<Level> levels, Workers workers) {
        String asked =
                "release " + Text.quoted(name) + " about population " + Text.quoted(population) + " is refused: ";
        String hint = "`CALL neodp.budget(" + Text.cypher(population)
                + ")` shows what was spent, and `CALL neodp.budget.set(" + Text.cypher(population) + ", ";
        Map<List<Level>, Long> costs = new LinkedHashMap<>(prices);
        costs.merge(price(levels), 1L, Long::sum);
        Fraction had = Shares.in(prices);
        Fraction wouldHave = Shares.in(costs);
        if (wouldHave.compareTo(Fraction.ONE) > 0 && wouldHave.compareTo(had) > 0) {
            throw Refusal.budgetSpent(
                    asked + had + " of everybody's own epsilon is spent, and it would be " + wouldHave,
                    "people give their epsilon once: a smaller share may be left");
        }
        if (most != null && used >= most && !onlyShares(costs)) {
            throw Refusal.budgetSpent(
                    asked + used + (used == 1 ? " answer" : " answers") + " given, " + most + " allowed",
                    hint + "{releases: N})` allows more");
        }
        if (epsilon == null) {
            return;
        }
        if (delta > 0.0) {
            throw Refusal.client(
                    "population " + Text.quoted(population) + " has a limit at delta " + Text.general(delta)
                            + ", and the plugin adds up costs only at delta 0",
                    "use the client");
        }
        costs.remove(List.of()); // kept before there were prices
        List<Level> known = levels(costs.keySet());
        for (Level own : known) {
            Sum sum = sum(own, costs, workers);
            if (sum.epsilon > epsilon || sum.delta > delta) {
                throw Refusal.budgetSpent(
                        asked + "people of " + label(own, known) + " would have spent epsilon " + inWords(sum.epsilon)
                                + " at delta " + Text.general(sum.delta, 3) + ", allowed is " + limit(),
                        hint + "{epsilon: E})` allows more");
            }
        }
    }

    /** What people have spent: the plain sum, rounded up. */
    public record Sum(double epsilon, double delta) {}

    /** What the people of the dearest level have spent. */
    public Sum spent(Workers workers) {
        Map<List<Level>, Long> costs = new LinkedHashMap<>(prices);
        costs.remove(List.of());
        Sum most = new Sum(0.0, 0.0);
        for (Level own : levels(costs.keySet())) {
            Sum sum = sum(own, costs, workers);
            most = new Sum(Math.max(most.epsilon, sum.epsilon), Math.max(most.delta, sum.delta));
        }
        return most;
    }

    private static Sum sum(Level own, Map<List<Level>, Long> costs, Workers workers) {
        BigDecimal epsilons = BigDecimal.ZERO;
        BigDecimal deltas = BigDecimal.ZERO;
        for (Map.Entry<List<Level>, Long> cost : costs.entrySet()) {
            workers.check();
            Level worst = cost.getKey().contains(own) ? own : dearest(cost.getKey());
            BigDecimal times = BigDecimal.valueOf(worst.times()).multiply(BigDecimal.valueOf(cost.getValue()));
            epsilons = epsilons.add(new BigDecimal(worst.epsilon()).multiply(times));
            deltas = deltas.add(new BigDecimal(worst.delta()).multiply(times));
        }
        return new Sum(above(epsilons), Math.min(1.0, above(deltas)));
    }

    /** All levels, by their epsilon. */
    private static List<Level> levels(Set<List<Level>> costs) {
        Comparator<Level> byEpsilon = Comparator.comparingDouble(Level::epsilon);
        return costs.stream()
                .flatMap(List::stream)
                .distinct()
                .sorted(byEpsilon
                        .thenComparing(Level::label, Text::compare)
                        .thenComparingLong(Level::times)
                        .thenComparingDouble(Level::delta))
                .toList();
    }

    /** The name of a level, with its epsilon if another level of that name has a different one. */
    private static String label(Level level, List<Level> levels) {
        boolean alike = levels.stream()
                .anyMatch(other -> Objects.equals(other.name(), level.name()) && other.epsilon() != level.epsilon());
        return level.name() != null && alike
                ? level.name() + " (epsilon " + Text.general(level.epsilon()) + ")"
                : level.label();
    }

    /** What a release cost somebody whose level is not known: never below any of its levels. */
    private static Level dearest(List<Level> cost) {
        Level worst = cost.get(0);
        for (Level level : cost) {
            int more = Double.compare(level.epsilon() * level.times(), worst.epsilon() * worst.times());
            if (more > 0 || (more == 0 && level.delta() > worst.delta())) {
                worst = level;
            }
        }
        double risk = cost.stream().mapToDouble(Level::delta).max().orElseThrow();
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
        return number + "epsilon " + Text.general(epsilon) + " in total for each person";
    }
}
