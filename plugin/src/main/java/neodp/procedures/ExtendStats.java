package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.results.ExtensionStats;
import neodp.results.MemoryEstimate;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.stats}. */
public final class ExtendStats extends Call {
    private static final String NAME = "neodp.extend.stats";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description("Finds the optimal mechanism of a graph of datasets and returns its statistics.")
    public Stream<ExtensionStats> stats(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraph(
                graphName,
                options.manner(NAME),
                job -> Stream.of(ExtensionStats.of(job, job.extended(), options.effective())));
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
