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
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("Whether the graph is connected.") boolean connected,
        @Description("The number of its connected parts.") long componentCount,
        @Description("The number of datasets on the boundary.") long boundaryCount,
        @Description("Whether every boundary edge has alpha at one end; with more than two colours, every order.")
                boolean boundaryHit,
        @Description("A boundary edge with alpha at neither end: two keys, or null.") List<String> unhit,
        @Description("Whether some private mechanism has this alpha; null if the boundary is not hit.")
                Boolean compatible,
        @Description("Two datasets whose alphas contradict each other, or null.") Map<String, Object> witness,
        @Description("The number of values of alpha that would be lowered to correct a rounding error.") long rounded,
        @Description("The number of boundary datasets that would take the alpha of their order of the colours.")
                long filled,
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
