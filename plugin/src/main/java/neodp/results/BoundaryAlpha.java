package neodp.results;

import java.util.Arrays;
import java.util.List;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.solvers.Solver;
import org.neo4j.procedure.Description;

/** The chosen alpha of a boundary dataset. */
public final class BoundaryAlpha {
    @Description("The dataset.")
    public String key;

    @Description("Its true answer.")
    public String color;

    @Description("The chance of each colour, the first colour first.")
    public List<Double> alpha;

    @Description("Whether it was kept.")
    public boolean written;

    /** The alpha of one dataset. */
    public static BoundaryAlpha of(DatasetGraph graph, Solver.Alpha alpha, int v, boolean written) {
        BoundaryAlpha row = new BoundaryAlpha();
        row.key = graph.keys[v];
        row.color = graph.colorOf(v);
        row.alpha = Arrays.stream(alpha.at(v)).boxed().toList();
        row.written = written;
        return row;
    }
}
