package neodp.results;

import java.util.Arrays;
import java.util.List;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.solvers.Solver;
import org.neo4j.procedure.Description;

/** The chosen alpha of a boundary dataset. */
public record BoundaryAlpha(
        @Description("The dataset.") String key,
        @Description("Its true answer.") String color,
        @Description("The chance of each answer, in the order of the colours.") List<Double> alpha) {

    /** The alpha of one dataset. */
    public static BoundaryAlpha of(DatasetGraph graph, Solver.Alpha alpha, int v) {
        return new BoundaryAlpha(
                graph.keys[v],
                graph.colorOf(v),
                Arrays.stream(alpha.at(v)).boxed().toList());
    }
}
