package neodp.results;

import java.util.Map;
import neodp.algorithm.Mechanism;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A mechanism, summed up. */
public record ExtensionStats(
        @Description("How many datasets the graph has.") long nodeCount,
        @Description("How many edges it has.") long relationshipCount,
        @Description("How many datasets lie on the boundary.") long boundaryCount,
        @Description("The least chance of a true answer.") double minPTrue,
        @Description("The mean chance of a true answer, every dataset alike.") double meanPTrue,
        @Description("How many alpha were rounded in.") long rounded,
        @Description("How many boundary datasets had no alpha and took that of their order of the colours.")
                long filled,
        @Description("How it was found: labels with two colours; table, prefix or line with more.") String method,
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
