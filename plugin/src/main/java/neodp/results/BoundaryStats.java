package neodp.results;

import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.solvers.Solver;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A choice of alpha on the boundary, summed up. */
public record BoundaryStats(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("The number of datasets on the boundary.") long boundaryCount,
        @Description("The least chance of a true answer among them; null where there is none.") Double minPTrue,
        @Description("Milliseconds for reading the graph.") long preProcessingMillis,
        @Description("Milliseconds for finding alpha.") long computeMillis,
        @Description("The configuration that was used.") Map<String, Object> configuration) {

    /** The summary of a choice. */
    public static BoundaryStats of(Job job, DatasetGraph graph, Solver.Alpha alpha, Map<String, Object> configuration) {
        int[] boundary = graph.boundaryDatasets(job.workers);
        Double least = null;
        for (int i = 0; i < boundary.length; i++) {
            job.workers.check(i);
            double own = alpha.at(boundary[i])[graph.color[boundary[i]]];
            least = least == null ? own : Math.min(least, own);
        }
        return new BoundaryStats(
                graph.size(), graph.edges(), boundary.length, least, job.readMillis, job.computeMillis, configuration);
    }
}
