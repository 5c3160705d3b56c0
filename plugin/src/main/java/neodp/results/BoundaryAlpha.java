package neodp.results;

import java.util.List;
import neodp.algorithm.Balanced;
import neodp.algorithm.DatasetGraph;
import org.neo4j.procedure.Description;

/** The chosen alpha of a boundary dataset. */
public record BoundaryAlpha(
        @Description("The dataset.") String key,
        @Description("Its true answer.") String color,
        @Description("The chance of each answer, in the order of the colours.") List<Double> alpha) {

    /** The alpha of one dataset. */
    public static BoundaryAlpha of(DatasetGraph graph, long[] label, int v) {
        double[] alpha = Balanced.alpha(graph, label, v);
        return new BoundaryAlpha(graph.keys[v], graph.colorOf(v), List.of(alpha[0], alpha[1]));
    }
}
