package neodp.procedures;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import neodp.Text;
import neodp.algorithm.Fingerprint;
import neodp.algorithm.Mechanism;
import neodp.results.ExtensionWritten;
import neodp.results.MemoryEstimate;
import neodp.store.Job;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.extend.write}. */
public final class ExtendWrite extends Call {
    private static final String NAME = "neodp.extend.write";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description("Finds the optimal mechanism of a graph of datasets and writes it to the datasets as properties, in "
            + "transactions of its own: all or nothing for every reader.")
    public Stream<ExtensionWritten> write(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration);
        return onGraphToWrite(graphName, options.manner(NAME), job -> {
            StoredGraph stored = job.read(false);
            Supplier<String> fingerprint = job.workers.begin(
                    () -> Fingerprint.of(stored.graph(), job.workers)); // beside the rest: the end needs it
            Mechanism mechanism = job.extend(stored.graph());
            long began = System.nanoTime();
            long properties = job.writer.write(stored, mechanism, fingerprint);
            ExtensionWritten row =
                    ExtensionWritten.of(job, mechanism, properties, Job.millis(began), options.effective());
            note(
                    "%s(%s): %,d datasets and %,d edges; read %,d ms, compute %,d ms, write %,d ms",
                    NAME,
                    Text.quoted(graphName),
                    row.nodeCount(),
                    row.relationshipCount(),
                    row.preProcessingMillis(),
                    row.computeMillis(),
                    row.writeMillis());
            return Stream.of(row);
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
