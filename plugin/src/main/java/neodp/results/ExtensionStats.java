package neodp.results;

import java.util.Map;
import neodp.algorithm.Mechanism;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A mechanism, summed up. */
public record ExtensionStats(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("The number of datasets on the boundary.") long boundaryCount,
        @Description("The least chance of a true answer.") double minPTrue,
        @Description("The mean chance of a true answer, every dataset alike.") double meanPTrue,
        @Description("The number of values of alpha that were lowered to correct a rounding error.") long rounded,
        @Description("The number of boundary datasets without alpha that took the alpha of their order of the colours.")
                long filled,
        @Description("The method: labels with two colours; table, prefix or line with more.") String method,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for finding the mechanism.") long computeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** The summary of a mechanism. */
    public static ExtensionStats of(Job job, Mechanism mechanism, Map<String, Object> configuration) {
        return new ExtensionStats(
                mechanism.graph.size(),
                mechanism.graph.edges(),
                mechanism.graph.boundarySize(job.workers),
                mechanism.leastTruth(job.workers),
                mechanism.meanTruth(job.workers),
                mechanism.fit.rounded(),
                mechanism.fit.filled(),
                mechanism.method,
                job.readMillis,
                job.computeMillis,
                configuration);
    }
}
