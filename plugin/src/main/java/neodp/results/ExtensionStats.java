package neodp.results;

import neodp.algorithm.Mechanism;
import neodp.store.Job;
import org.neo4j.procedure.Description;

/** A mechanism, summed up. */
public final class ExtensionStats {
    @Description("The graph.")
    public String graph;

    @Description("How many datasets it has.")
    public long vertices;

    @Description("How many edges it has.")
    public long edges;

    @Description("How many datasets lie on the boundary.")
    public long boundary;

    @Description("The least chance of a true answer.")
    public double min_p_true;

    @Description("The mean chance of a true answer, every dataset alike.")
    public double mean_p_true;

    @Description("How many alpha were rounded in.")
    public long rounded;

    @Description("How many boundary datasets had no alpha and took that of their order.")
    public long filled;

    @Description("How it was found: labels with two colours; table, prefix or line with more.")
    public String method;

    @Description("On how many datasets it was kept.")
    public long written;

    @Description("How long reading took.")
    public long read_millis;

    @Description("How long the mathematics took.")
    public long compute_millis;

    @Description("How long writing took.")
    public long write_millis;

    /** The summary of a mechanism that is not written yet. */
    public static ExtensionStats of(Job job, Mechanism mechanism) {
        ExtensionStats out = new ExtensionStats();
        out.graph = job.info.name();
        out.vertices = mechanism.graph.size();
        out.edges = mechanism.graph.edges();
        out.boundary = mechanism.graph.boundarySize(job.workers);
        out.min_p_true = mechanism.leastTruth(job.workers);
        out.mean_p_true = mechanism.meanTruth(job.workers);
        out.rounded = mechanism.fit.rounded();
        out.filled = mechanism.fit.filled();
        out.method = mechanism.method;
        out.read_millis = job.readMillis;
        out.compute_millis = job.computeMillis;
        return out;
    }
}
