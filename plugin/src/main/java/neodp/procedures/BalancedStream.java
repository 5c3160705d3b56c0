package neodp.procedures;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.solvers.Solver;
import neodp.results.BoundaryAlpha;
import neodp.results.MemoryEstimate;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.boundary.balanced.stream}. */
public final class BalancedStream extends Call {
    private static final String NAME = "neodp.boundary.balanced.stream";

    /** One row per boundary dataset. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description(
            "Finds the alpha that shares every boundary edge evenly between its two ends and streams it, one row per "
                    + "boundary dataset.")
    public Stream<BoundaryAlpha> stream(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraph(graphName, options.manner(NAME), job -> {
            DatasetGraph graph = job.read(false).graph();
            Solver.Alpha alpha = job.balanced(graph);
            int[] boundary = graph.boundaryDatasets(job.workers);
            return rows(job, Arrays.stream(boundary).mapToObj(v -> BoundaryAlpha.of(graph, alpha, v)));
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
