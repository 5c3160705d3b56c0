package neodp.results;

import java.util.Map;
import neodp.algorithm.Mechanism;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A mechanism that was written, summed up. */
public record ExtensionWritten(
        @Description("How many datasets the graph has.") long nodeCount,
        @Description("How many edges it has.") long relationshipCount,
        @Description("How many datasets lie on the boundary.") long boundaryCount,
        @Description("The least chance of a true answer.") double minPTrue,
        @Description("The mean chance of a true answer, every dataset alike.") double meanPTrue,
        @Description("How many alpha were rounded in.") long rounded,
        @Description("How many boundary datasets had no alpha and took that of their order of the colours.")
                long filled,
        @Description("How it was found: labels with two colours; table, prefix or line with more.") String method,
        @Description("How many properties of datasets were written.") long nodePropertiesWritten,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for finding the mechanism.") long computeMillis,
        @Description("Milliseconds for writing the mechanism.") long writeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** The summary of a mechanism, and of writing it. */
    public static ExtensionWritten of(
            Job job, Mechanism mechanism, long properties, long millis, Map<String, Object> configuration) {
        ExtensionStats stats = ExtensionStats.of(job, mechanism, configuration);
        return new ExtensionWritten(
                stats.nodeCount(),
                stats.relationshipCount(),
                stats.boundaryCount(),
                stats.minPTrue(),
                stats.meanPTrue(),
                stats.rounded(),
                stats.filled(),
                stats.method(),
                properties,
                stats.preProcessingMillis(),
                stats.computeMillis(),
                millis,
                configuration);
    }
}
