package neodp.procedures;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.call.Workers;
import neodp.inquiry.Protections;
import neodp.ledger.Ledger;
import neodp.results.BudgetRow;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.budget} and {@code neodp.budget.set}. */
public final class Budget extends Call {
    /** One row. */
    @Procedure(name = "neodp.budget", mode = Mode.READ)
    @Description("Returns what the answers about a population have cost, and what is left.")
    public Stream<BudgetRow> budget(
            @Name(value = "population", defaultValue = "default", description = "Whose data it is.")
                    String population) {
        if (population == null) {
            throw Refusal.graph("the population is null", "give a text, or leave it out");
        }
        requireKnown(population);
        try (Workers workers = new Workers(host(), 1)) {
            Ledger ledger = Ledger.of(tx, population, workers);
            return Stream.of(BudgetRow.of(ledger, ledger.spent(workers)));
        }
    }

    /** Refuse a name that nothing was answered about, allowed for or is to be asked about. */
    private void requireKnown(String population) {
        List<Protection> people = Protections.all(tx);
        TreeSet<String> known = new TreeSet<>(Text::compare);
        known.add("default");
        known.addAll(Ledger.populations(tx));
        people.forEach(each -> known.add(each.account()));
        if (known.contains(population)) {
            return;
        }
        String hint = people.stream()
                .filter(each -> each.population().equals(population))
                .map(each -> "for what the people protected under that name have spent, see `CALL neodp.budget("
                        + Text.cypher(each.account()) + ")`")
                .findFirst()
                .orElse("there are " + Text.listed(List.copyOf(known)));
        throw Refusal.graph("there is no population " + Text.quoted(population) + " in this database", hint);
    }

    /** One row. */
    @Procedure(name = "neodp.budget.set", mode = Mode.WRITE)
    @Description(
            "Sets how much may be answered about a population, in your transaction. Parts that are not named stay, and "
                    + "null removes a part; if nothing is set, one release is free.")
    public Stream<BudgetRow> set(
            @Name(value = "population", description = "Whose data it is.") String population,
            @Name(
                            value = "configuration",
                            description =
                                    "releases (how many there may be in all), epsilon (what all of them may cost a "
                                            + "person), delta (for that limit on epsilon).")
                    Map<String, Object> configuration) {
        if (population == null) {
            throw Refusal.graph("the population is null", "give a text");
        }
        Map<String, Object> changes = configuration == null ? Map.of() : configuration; // null takes a part away
        Values values = new Values(changes, "releases", "epsilon", "delta");
        values.whole("releases"); // refused where it is of another kind
        values.number("epsilon");
        if (changes.containsKey("delta") && values.number("delta") == null) {
            throw Refusal.graph("delta is null", "give a number from 0 to 1, or leave it out");
        }
        if (changes.isEmpty()) {
            throw Refusal.graph("nothing is to be set", "give a limit, as in `{releases: 3}` or `{epsilon: 2.0}`");
        }
        try (Workers workers = new Workers(host(), 1)) {
            Ledger ledger = Ledger.allow(tx, Names.valid("population", population), changes, workers);
            note("neodp.budget.set: the limit of population %s was set", Text.quoted(population));
            return Stream.of(BudgetRow.of(ledger, ledger.spent(workers)));
        }
    }
}
