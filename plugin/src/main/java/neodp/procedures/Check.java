package neodp.procedures;

import java.util.stream.Stream;
import neodp.results.GraphCheck;
import neodp.store.Job;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.check}. */
public final class Check extends Call {
    /** One row. */
    @Procedure(name = "neodp.check", mode = Mode.READ)
    @Description("Is the graph connected, its boundary hit, its alpha compatible? With a witness where not.")
    public Stream<GraphCheck> check(@Name(value = "graph", description = "The graph's name.") String graph) {
        return onGraph(
                graph,
                Job.Threads.USUALLY,
                job -> rows(job, Stream.of(GraphCheck.of(job.read(false).graph(), job.workers))));
    }
}
