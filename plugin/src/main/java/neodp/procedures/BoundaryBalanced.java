package neodp.procedures;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import neodp.Text;
import neodp.algorithm.solvers.Solver;
import neodp.results.BoundaryAlpha;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.boundary.balanced}. */
public final class BoundaryBalanced extends Call {
    /** One row per boundary dataset. */
    @Procedure(name = "neodp.boundary.balanced", mode = Mode.WRITE)
    @Description("The alpha that shares every boundary edge evenly between its two ends, one row per boundary dataset. "
            + "Options: write (keep it instead of the alpha there is; the stored mechanism is then void), concurrency, "
            + "batch.")
    public Stream<BoundaryAlpha> balanced(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "write, concurrency, batch.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "write", "concurrency", "batch");
        boolean write = options.yes("write");
        return onGraph(graph, options.threads(), job -> {
            StoredGraph stored = job.read(false);
            int[] boundary = stored.graph().boundaryDatasets(job.workers);
            Solver.Alpha alpha = Solver.balanced(stored.graph(), job.workers);
            if (write) {
                job.writer.writeAlpha(stored, alpha, stored.graph().boundary(job.workers));
                note("neodp.boundary.balanced(%s): alpha written on %,d datasets", Text.quoted(graph), boundary.length);
            }
            return rows(job, Arrays.stream(boundary).mapToObj(v -> BoundaryAlpha.of(stored.graph(), alpha, v, write)));
        });
    }
}
