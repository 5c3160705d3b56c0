package neodp.results;

import java.util.List;
import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** Whether a graph can be extended. */
public record GraphCheck(
        @Description("How many datasets the graph has.") long nodeCount,
        @Description("How many edges it has.") long relationshipCount,
        @Description("Whether the graph is in one piece.") boolean connected,
        @Description("In how many pieces it is.") long componentCount,
        @Description("How many datasets lie on the boundary.") long boundaryCount,
        @Description("Whether every boundary edge has alpha at one end; with more than two colours, every order.")
                boolean boundaryHit,
        @Description("A boundary edge with alpha at neither end: two keys, or null.") List<String> unhit,
        @Description("Whether some private mechanism takes alpha; null where the boundary is not hit.")
                Boolean compatible,
        @Description("Two datasets whose alpha cannot both be kept, or null.") Map<String, Object> witness,
        @Description("How many alpha would be rounded in.") long rounded,
        @Description("How many boundary datasets would take the alpha of their order of the colours.") long filled,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for checking it.") long computeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** A graph, checked. */
    public static GraphCheck of(Job job, DatasetGraph graph, Map<String, Object> configuration) {
        int edge = Solver.unhitEdge(graph, job.workers);
        long components = graph.components(job.workers);
        Boolean compatible = null;
        Map<String, Object> witness = null;
        Mechanism.Fit fit = new Mechanism.Fit(0, 0);
        if (edge < 0) {
            try {
                fit = job.computed(() -> Solver.check(graph, job.workers));
                compatible = true;
            } catch (Incompatible refusal) {
                compatible = false;
                witness = refusal.witness.facts();
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
                fit.rounded(),
                fit.filled(),
                job.readMillis,
                job.computeMillis,
                configuration);
    }
}
