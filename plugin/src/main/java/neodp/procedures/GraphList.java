package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.results.GraphEntry;
import neodp.store.Statements;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.graph.list}. */
public final class GraphList extends Call {
    /** One row per graph. */
    @Procedure(name = "neodp.graph.list", mode = Mode.READ)
    @Description("Lists the graphs of datasets in this database.")
    public Stream<GraphEntry> list(
            @Name(value = "graphName", defaultValue = "", description = "A graph's name; by default, all of them.")
                    String graphName) {
        if (graphName == null) {
            throw Refusal.graph("the graph's name is null", "give a text, or leave it out");
        }
        return Statements.rows(tx, "graphs", Map.of()).stream()
                .filter(row -> graphName.isEmpty() || graphName.equals(row.get("name")))
                .map(row -> GraphEntry.of(row, db.databaseName()));
    }
}
