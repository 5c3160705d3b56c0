package neodp.procedures;

import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import neodp.algorithm.Mechanism;
import neodp.results.ExtensionRow;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.stream}. */
public final class ExtendStream extends Call {
    /** One row per dataset. */
    @Procedure(name = "neodp.extend.stream", mode = Mode.READ)
    @Description("The optimal mechanism, one row per dataset; nothing is written. Options: concurrency, batch.")
    public Stream<ExtensionRow> stream(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "concurrency", "batch");
        return onGraph(graph, options.threads(), job -> {
            Mechanism mechanism = job.extended();
            int[] distance = mechanism.graph.hops(mechanism.graph.boundaryDatasets(job.workers), job.workers);
            return rows(
                    job, IntStream.range(0, distance.length).mapToObj(v -> ExtensionRow.of(mechanism, v, distance[v])));
        });
    }
}
