package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.results.ExtensionStats;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.stats}. */
public final class ExtendStats extends Call {
    /** One row. */
    @Procedure(name = "neodp.extend.stats", mode = Mode.READ)
    @Description("The optimal mechanism, summed up; nothing is written. Options: concurrency, batch.")
    public Stream<ExtensionStats> stats(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "concurrency", "batch");
        return onGraph(graph, options.threads(), job -> Stream.of(ExtensionStats.of(job, job.extended())));
    }
}
