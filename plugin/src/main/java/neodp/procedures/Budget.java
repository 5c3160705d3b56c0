package neodp.procedures;

import java.util.stream.Stream;
import neodp.Refusal;
import neodp.call.Workers;
import neodp.ledger.Ledger;
import neodp.results.BudgetRow;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.budget}. */
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
        try (Workers workers = new Workers(host(), 1)) {
            Ledger ledger = Ledger.of(tx, population, workers);
            return Stream.of(BudgetRow.of(ledger, ledger.spent(workers)));
        }
    }
}
