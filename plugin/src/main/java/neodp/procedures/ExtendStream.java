package neodp.procedures;

import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import neodp.algorithm.Mechanism;
import neodp.results.ExtensionRow;
import neodp.results.MemoryEstimate;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.stream}. */
public final class ExtendStream extends Call {
    private static final String NAME = "neodp.extend.stream";

    /** One row per dataset. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description("Finds the optimal mechanism of a graph of datasets and streams it, one row per dataset.")
    public Stream<ExtensionRow> stream(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraph(graphName, options.manner(NAME), job -> {
            Mechanism mechanism = job.extended();
            int[] distance = mechanism.graph.hops(mechanism.graph.boundaryDatasets(job.workers), job.workers);
            return rows(
                    job, IntStream.range(0, distance.length).mapToObj(v -> ExtensionRow.of(mechanism, v, distance[v])));
        });
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
