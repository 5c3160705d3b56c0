package neodp.results;

import java.util.List;
import neodp.algorithm.Balanced;
import neodp.algorithm.DatasetGraph;
import org.neo4j.procedure.Description;

/** The chosen alpha of a boundary dataset. */
public final class BoundaryAlpha {
    @Description("The dataset.")
    public String key;

    @Description("Its true answer.")
    public String color;

    @Description("Pr[first colour] and Pr[second colour].")
    public List<Double> alpha;

    @Description("Whether it was kept.")
    public boolean written;

    /** The alpha of one dataset. */
    public static BoundaryAlpha of(DatasetGraph graph, long[] label, int v, boolean written) {
        BoundaryAlpha row = new BoundaryAlpha();
        double[] alpha = Balanced.alpha(graph, label, v);
        row.key = graph.keys[v];
        row.color = graph.colorOf(v);
        row.alpha = List.of(alpha[0], alpha[1]);
        row.written = written;
        return row;
    }
}
