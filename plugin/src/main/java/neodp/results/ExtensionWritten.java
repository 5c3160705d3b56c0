package neodp.results;

import java.util.Map;
import neodp.algorithm.Mechanism;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A mechanism that was written, summed up. */
public record ExtensionWritten(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("The number of datasets on the boundary.") long boundaryCount,
        @Description("The least chance of a true answer.") double minPTrue,
        @Description("The mean chance of a true answer, every dataset alike.") double meanPTrue,
        @Description("The number of values of alpha that were lowered to correct a rounding error.") long rounded,
        @Description("The number of boundary datasets without alpha that took the alpha of their order of the colours.")
                long filled,
        @Description("The method: labels with two colours; table, prefix or line with more.") String method,
        @Description("The number of properties of datasets that were written.") long nodePropertiesWritten,
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
