package neodp.procedures;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.ledger.Release;
import neodp.results.ReleaseRow;
import neodp.store.Statements;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.releases}. */
public final class Releases extends Call {
    /** One row per release. */
    @Procedure(name = "neodp.releases", mode = Mode.READ)
    @Description("Lists the answers about a population, oldest first; refused if a stored answer was altered.")
    public Stream<ReleaseRow> releases(
            @Name(value = "population", defaultValue = "", description = "Whose data it is; by default, everybody's.")
                    String population) {
        if (population == null) {
            throw Refusal.graph("the population is null", "give a text, or leave it out");
        }
        List<String> names = population.isEmpty()
                ? Statements.rows(tx, "ledgers", Map.of()).stream()
                        .map(row -> String.valueOf(row.get("population")))
                        .toList()
                : List.of(population);
        return names.stream()
                .flatMap(name ->
                        Text.elements(Statements.row(tx, "ledger", Map.of("population", name))
                                        .get("releases"))
                                .stream()
                                .peek(release -> guard.check())
                                .map(release -> ReleaseRow.of(Release.of((Map<?, ?>) release))));
    }
}
