package neodp.results;

import neodp.algorithm.Mechanism;
import org.neo4j.procedure.Description;

/** The mechanism at one dataset. */
public final class ExtensionRow {
    @Description("The dataset.")
    public String key;

    @Description("Its true answer.")
    public String color;

    @Description("Pr[first colour].")
    public double p;

    @Description("Pr[second colour].")
    public double q;

    @Description("The chance of the true answer.")
    public double p_true;

    @Description("How many edges it is away from the boundary; -1 where none can be reached.")
    public long distance;

    /** The row of one dataset. */
    public static ExtensionRow of(Mechanism mechanism, int v, long distance) {
        ExtensionRow row = new ExtensionRow();
        row.key = mechanism.graph.keys[v];
        row.color = mechanism.graph.colorOf(v);
        row.p = mechanism.first(v);
        row.q = mechanism.second(v);
        row.p_true = mechanism.truth(v);
        row.distance = distance;
        return row;
    }
}
