package neodp.results;

import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A choice of alpha that was written. */
public record BoundaryWritten(
        @Description("How many datasets the graph has.") long nodeCount,
        @Description("How many edges it has.") long relationshipCount,
        @Description("How many datasets lie on the boundary.") long boundaryCount,
        @Description("How many properties of datasets were written.") long nodePropertiesWritten,
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
