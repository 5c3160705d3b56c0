package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.results.GraphCheck;
import neodp.results.MemoryEstimate;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.check}. */
public final class Check extends Call {
    private static final String NAME = "neodp.check";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description(
            "Checks whether a graph of datasets is connected, its boundary is hit and its alpha is compatible, and "
                    + "returns a witness where not.")
    public Stream<GraphCheck> check(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraph(
                graphName,
                options.manner(NAME),
                job -> rows(job, Stream.of(GraphCheck.of(job, job.read(false).graph(), options.effective()))));
    }

    /** One row. */
    @Procedure(name = NAME + ".estimate", mode = Mode.READ)
    @Description(ESTIMATE)
    public Stream<MemoryEstimate> estimate(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        return estimated(graphName, Configuration.ofWhole(configuration), NAME);
    }
}
