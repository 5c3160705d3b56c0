package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.algorithm.DatasetGraph;
import neodp.results.BoundaryStats;
import neodp.results.MemoryEstimate;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.boundary.balanced.stats}. */
public final class BalancedStats extends Call {
    private static final String NAME = "neodp.boundary.balanced.stats";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description(
            "Finds the alpha that shares every boundary edge evenly between its two ends and returns statistics of "
                    + "the boundary.")
    public Stream<BoundaryStats> stats(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraph(graphName, options.manner(NAME), job -> {
            DatasetGraph graph = job.read(false).graph();
            return Stream.of(BoundaryStats.of(job, graph, job.balanced(graph), options.effective()));
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
