package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Text;
import neodp.algorithm.solvers.Solver;
import neodp.results.BoundaryWritten;
import neodp.results.MemoryEstimate;
import neodp.store.Job;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.boundary.balanced.write}. */
public final class BalancedWrite extends Call {
    private static final String NAME = "neodp.boundary.balanced.write";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description("Finds the alpha that shares every boundary edge evenly between its two ends and writes it instead of "
            + "the alpha there is; the stored mechanism is then void.")
    public Stream<BoundaryWritten> write(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraphToWrite(graphName, options.manner(NAME), job -> {
            StoredGraph stored = job.read(false);
            Solver.Alpha alpha = job.balanced(stored.graph());
            long began = System.nanoTime();
            long properties =
                    job.writer.writeAlpha(stored, alpha, stored.graph().boundary(job.workers));
            note("%s(%s): alpha written on %,d datasets", NAME, Text.quoted(graphName), properties);
            return Stream.of(
                    BoundaryWritten.of(job, stored.graph(), properties, Job.millis(began), options.effective()));
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
