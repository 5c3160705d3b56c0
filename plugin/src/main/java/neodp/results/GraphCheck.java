package neodp.results;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Mechanism;
import neodp.algorithm.Witness;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** Whether a graph can be extended. */
public record GraphCheck(
        @Description("How many datasets the graph has.") long nodeCount,
        @Description("How many edges it has.") long relationshipCount,
        @Description("Whether the graph is in one piece.") boolean connected,
        @Description("In how many pieces it is.") long componentCount,
        @Description("How many datasets lie on the boundary.") long boundaryCount,
        @Description("Whether every boundary edge has alpha at one end.") boolean boundaryHit,
        @Description("A boundary edge with alpha at neither end: two keys, or null.") List<String> unhit,
        @Description("Whether some private mechanism takes alpha; null where the boundary is not hit.")
                Boolean compatible,
        @Description("Two datasets whose alpha cannot both be kept, or null.") Map<String, Object> witness,
        @Description("How many alpha would be rounded in.") long rounded,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for checking it.") long computeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** A graph, checked. */
    public static GraphCheck of(Job job, DatasetGraph graph, Map<String, Object> configuration) {
        int edge = graph.unhitEdge(job.workers);
        long components = graph.components(job.workers);
        Boolean compatible = null;
        Map<String, Object> witness = null;
        long rounded = 0;
        if (edge < 0) {
            try {
                rounded = job.computed(() -> Mechanism.solve(graph, job.workers)).rounded;
                compatible = true;
            } catch (Incompatible refusal) {
                compatible = false;
                witness = map(refusal.witness);
            }
        }
        return new GraphCheck(
                graph.size(),
                graph.edges(),
                components == 1,
                components,
                graph.boundarySize(job.workers),
                edge < 0,
                edge < 0 ? null : List.of(graph.keys[graph.source[edge]], graph.keys[graph.target[edge]]),
                compatible,
                witness,
                rounded,
                job.readMillis,
                job.computeMillis,
                configuration);
    }

    private static Map<String, Object> map(Witness found) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("dataset", found.dataset());
        out.put("color", found.color());
        out.put("value", found.value());
        out.put("bound", found.bound());
        out.put("origin", found.origin());
        out.put("originValue", found.originValue());
        out.put("path", found.path());
        out.put("epsilon", found.epsilon());
        out.put("delta", found.delta());
        out.put("sentence", found.sentence());
        return out;
    }
}
