package neodp.procedures;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Workers;
import neodp.results.GraphEntry;
import neodp.store.GraphInfo;
import neodp.store.Job;
import neodp.store.Statements;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.graph.drop}. */
public final class GraphDrop extends Call {
    private static final String NAME = "neodp.graph.drop";
    private static final long BATCH = 20_000; // datasets in a transaction

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description("Deletes a graph with its datasets, in transactions of its own. Answers about it stay.")
    public Stream<GraphEntry> drop(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(
                            value = "failIfMissing",
                            defaultValue = "true",
                            description = "Whether it is an error if there is no such graph.")
                    Boolean failIfMissing) {
        if (graphName == null || failIfMissing == null) {
            throw Refusal.graph("an argument is null", "give the graph's name, and true or false");
        }
        requireCommitted(NAME, "graph " + Text.quoted(graphName), node -> isNodeOf(node, graphName));
        try (Workers workers = new Workers(host(), 1)) {
            List<Map<String, Object>> found =
                    workers.read(graphName, tx -> Statements.rows(tx, "graphs", Map.of()).stream()
                            .filter(row -> graphName.equals(row.get("name")))
                            .toList());
            if (found.isEmpty()) {
                if (failIfMissing) {
                    Refusal missing = workers.read(graphName, own -> GraphInfo.missing(own, graphName));
                    throw orUnseen(missing, graphName, Job.Manner.usual(NAME));
                }
                return Stream.empty();
            }
            String writer = UUID.randomUUID().toString().replace("-", "");
            Map<String, Object> owner =
                    Map.of("graph", graphName, "writer", writer, "state", "dropping", "batch", BATCH);
            workers.write(graphName, tx -> Statements.row(tx, "claim_graph", owner));
            long deleted = 0;
            for (long some = -1; some != 0; deleted += some) {
                workers.check();
                some = (long) workers.write(graphName, tx -> Statements.row(tx, "delete_datasets", owner))
                        .getOrDefault("deleted", 0L);
            }
            Map<String, Object> end = workers.write(graphName, tx -> Statements.row(tx, "delete_graph", owner));
            if (!end.containsValue(1L)) {
                throw Refusal.overtaken(graphName);
            }
            note("neodp.graph.drop(%s): %,d datasets deleted", Text.quoted(graphName), deleted);
            return Stream.of(GraphEntry.of(found.get(0), db.databaseName()));
        }
    }
}
