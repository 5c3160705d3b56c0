package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.results.MemoryEstimate;
import neodp.store.GraphInfo;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.estimate}. */
public final class ExtendEstimate extends Call {
    /** One row. */
    @Procedure(name = "neodp.extend.estimate", mode = Mode.READ)
    @Description(
            "The memory of the server that neodp.extend takes at least and at most, and whether it would be tried. "
                    + "Options: concurrency, batch, which change nothing.")
    public Stream<MemoryEstimate> estimate(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        new Configuration(configuration, "concurrency", "batch").threads();
        return Stream.of(MemoryEstimate.of(GraphInfo.of(tx, graph)));
    }
}
