package neodp.results;

import java.util.Arrays;
import java.util.List;
import neodp.algorithm.Mechanism;
import org.neo4j.procedure.Description;

/** The mechanism at one dataset. */
public final class ExtensionRow {
    @Description("The dataset.")
    public String key;

    @Description("Its true answer.")
    public String color;

    @Description("Pr[first colour]; null with more than two colours.")
    public Double p;

    @Description("Pr[second colour]; null with more than two colours.")
    public Double q;

    @Description("The chance of each colour, the first colour first.")
    public List<Double> probabilities;

    @Description("The chance of the true answer.")
    public double p_true;

    @Description("How many edges it is away from the boundary; -1 where none can be reached.")
    public long distance;

    /** The row of one dataset. */
    public static ExtensionRow of(Mechanism mechanism, int v, long distance) {
        ExtensionRow row = new ExtensionRow();
        row.key = mechanism.graph.keys[v];
        row.color = mechanism.graph.colorOf(v);
        row.probabilities = Arrays.stream(mechanism.row(v)).boxed().toList();
        row.p = mechanism.graph.binary() ? row.probabilities.get(0) : null;
        row.q = mechanism.graph.binary() ? row.probabilities.get(1) : null;
        row.p_true = mechanism.truth(v);
        row.distance = distance;
        return row;
    }
}
