package neodp.procedures;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import neodp.algorithm.Audit;
import neodp.algorithm.Fingerprint;
import neodp.results.AuditReport;
import neodp.results.MemoryEstimate;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.audit}. */
public final class AuditMechanism extends Call {
    private static final String NAME = "neodp.audit";
    private static final int WORST = 5;
    private static final String OPTIONS = "worst (the number of worst edges to name), " + WHOLE;

    /** One row. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description("Checks the stored probabilities on every edge, exactly, and whether the graph has changed since they "
            + "were written.")
    public Stream<AuditReport> audit(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = OPTIONS)
                    Map<String, Object> configuration) {
        Configuration options = options(configuration);
        int count = options.number("worst", WORST, 0, 1_000_000);
        return onGraph(graphName, options.manner(NAME), job -> {
            job.info.requireMechanism();
            StoredGraph stored = job.read(true);
            job.reader.info(graphName, job.info.naming()).requireMechanism(job.info);
            Supplier<String> fingerprint = job.workers.begin(() -> Fingerprint.of(stored.graph(), job.workers));
            Audit found = job.computed(() -> new Audit(stored.graph(), stored.chances(), count, job.workers));
            Boolean stale = !job.info.naming().own()
                    ? null
                    : (Boolean) (job.info.stale() || !fingerprint.get().equals(job.info.fingerprint()));
            return rows(job, Stream.of(AuditReport.of(job, found, stored.graph(), stale, options.effective())));
        });
    }

    /** One row. */
    @Procedure(name = NAME + ".estimate", mode = Mode.READ)
    @Description(ESTIMATE)
    public Stream<MemoryEstimate> estimate(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "configuration", defaultValue = "{}", description = OPTIONS)
                    Map<String, Object> configuration) {
        return estimated(graphName, options(configuration), NAME);
    }

    private static Configuration options(Map<String, Object> configuration) {
        return Configuration.ofWhole(configuration, "worst");
    }
}
