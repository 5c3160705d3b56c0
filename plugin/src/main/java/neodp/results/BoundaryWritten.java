package neodp.results;

import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A choice of alpha that was written. */
public record BoundaryWritten(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("The number of datasets on the boundary.") long boundaryCount,
        @Description("The number of properties of datasets that were written.") long nodePropertiesWritten,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for finding alpha.") long computeMillis,
        @Description("Milliseconds for writing alpha.") long writeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** The summary of a choice, and of writing it. */
    public static BoundaryWritten of(
            Job job, DatasetGraph graph, long properties, long millis, Map<String, Object> configuration) {
        return new BoundaryWritten(
                graph.size(),
                graph.edges(),
                graph.boundarySize(job.workers),
                properties,
                job.readMillis,
                job.computeMillis,
                millis,
                configuration);
    }
}
