package neodp.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import neodp.algorithm.Audit;
import neodp.algorithm.DatasetGraph;
import neodp.call.Workers;
import org.neo4j.procedure.Description;

/** What an audit found. */
public final class AuditReport {
    private static final long PER_WORST = 700; // bytes, of an edge among the worst

    @Description("How many edges were looked at.")
    public long edges;

    @Description("How many inequalities were checked.")
    public long checks;

    @Description("How many are broken.")
    public long violations;

    @Description("How many were too close for double-double arithmetic.")
    public long undecided;

    @Description("Whether the graph has changed since the mechanism was written.")
    public boolean stale;

    @Description("When that was.")
    public String written;

    @Description("The edges closest to their limit or beyond it, worst first.")
    public List<Map<String, Object>> worst;

    /** What was found in a graph, as rows: each counts in the memory of its call. */
    public static AuditReport of(Audit found, DatasetGraph graph, Workers workers) {
        AuditReport out = new AuditReport();
        out.edges = found.edges;
        out.checks = found.checks;
        out.violations = found.violations;
        out.undecided = found.undecided;
        out.worst = new ArrayList<>();
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
            out.worst.add(row);
        }
        return out;
    }
}
