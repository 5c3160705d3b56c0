package neodp.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import neodp.algorithm.Audit;
import neodp.algorithm.DatasetGraph;
import neodp.call.Workers;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** The result of an audit. */
public record AuditReport(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of edges checked.") long relationshipCount,
        @Description("The number of inequalities checked.") long checks,
        @Description("The number of violated inequalities.") long violations,
        @Description("The number of those too close for double-double arithmetic.") long undecided,
        @Description(
                        "Whether the graph has changed since the mechanism was written; null where that is not recorded, as for graphs "
                                + "under other names.")
                Boolean stale,
        @Description("When that was.") String written,
        @Description("The edges closest to their limit or beyond it, worst first.") List<Map<String, Object>> worst,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for checking it.") long computeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {
    private static final long PER_WORST = 700; // bytes, of an edge among the worst

    /** What was found in a graph. */
    public static AuditReport of(
            Job job, Audit found, DatasetGraph graph, Boolean stale, Map<String, Object> configuration) {
        return new AuditReport(
                graph.size(),
                found.edges,
                found.checks,
                found.violations,
                found.undecided,
                stale,
                job.info.written(),
                worst(found, graph, job.workers),
                job.readMillis,
                job.computeMillis,
                configuration);
    }

    /** The worst edges as maps: each counts in the memory of its call. */
    private static List<Map<String, Object>> worst(Audit found, DatasetGraph graph, Workers workers) {
        List<Map<String, Object>> out = new ArrayList<>();
        for (Audit.Edge edge : found.worst) {
            workers.check();
            int e = edge.position();
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("source", graph.keys[graph.source[e]]);
            row.put("target", graph.keys[graph.target[e]]);
            row.put("epsilon", graph.epsilon[e]);
            row.put("delta", graph.delta[e]);
            row.put("tightness", edge.tightness());
            List<String> broken = found.sentences(edge, workers);
            row.put("broken", broken);
            workers.memory.take(
                    PER_WORST + 2L * broken.stream().mapToInt(String::length).sum());
            out.add(row);
        }
        return out;
    }
}
