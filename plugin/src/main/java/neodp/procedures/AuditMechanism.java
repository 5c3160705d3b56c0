package neodp.procedures;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import neodp.algorithm.Audit;
import neodp.algorithm.Fingerprint;
import neodp.results.AuditReport;
import neodp.store.StoredGraph;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.audit}. */
public final class AuditMechanism extends Call {
    private static final int WORST = 5;

    /** One row. */
    @Procedure(name = "neodp.audit", mode = Mode.READ)
    @Description("Checks the stored probabilities on every edge, exactly, and whether the graph has changed since they "
            + "were written. Options: worst (how many of the worst edges to name), concurrency, batch.")
    public Stream<AuditReport> audit(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "worst, concurrency, batch.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "worst", "concurrency", "batch");
        int count = options.number("worst", WORST, 0, 1_000_000);
        return onGraph(graph, options.threads(), job -> {
            job.info.requireMechanism();
            StoredGraph stored = job.read(true);
            job.reader.info(graph).requireMechanism(job.info);
            Supplier<String> fingerprint = job.workers.begin(() -> Fingerprint.of(stored.graph(), job.workers));
            Audit found = new Audit(stored.graph(), stored.chances(), count, job.workers);
            AuditReport report = AuditReport.of(found, stored.graph(), job.workers);
            report.stale = job.info.stale() || !fingerprint.get().equals(job.info.fingerprint());
            report.written = job.info.written();
            return rows(job, Stream.of(report));
        });
    }
}
