package neodp.procedures;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import neodp.Text;
import neodp.algorithm.Fingerprint;
import neodp.algorithm.Mechanism;
import neodp.results.ExtensionStats;
import neodp.store.Job;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.write}. */
public final class ExtendWrite extends Call {
    /** One row. */
    @Procedure(name = "neodp.extend.write", mode = Mode.WRITE)
    @Description(
            "Finds the optimal mechanism and keeps it on the datasets, as p, q, p_true and distance: all or nothing "
                    + "for every reader. Commits in transactions of its own. Options: concurrency, batch.")
    public Stream<ExtensionStats> write(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "concurrency", "batch");
        return onGraph(graph, options.threads(), job -> {
            StoredGraph stored = job.read(false);
            Supplier<String> fingerprint = job.workers.begin(
                    () -> Fingerprint.of(stored.graph(), job.workers)); // beside the rest: the end needs it
            Mechanism mechanism = job.extend(stored.graph());
            long began = System.nanoTime();
            job.writer.write(stored, mechanism, fingerprint);
            ExtensionStats stats = ExtensionStats.of(job, mechanism);
            stats.written = stats.vertices;
            stats.write_millis = Job.millis(began);
            note(
                    "neodp.extend.write(%s): %,d datasets and %,d edges; read %,d ms, compute %,d ms, write %,d ms",
                    Text.quoted(graph),
                    stats.vertices,
                    stats.edges,
                    stats.read_millis,
                    stats.compute_millis,
                    stats.write_millis);
            return Stream.of(stats);
        });
    }
}
