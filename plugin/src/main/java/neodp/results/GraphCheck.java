package neodp.results;

import java.util.List;
import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.call.Workers;
import org.neo4j.procedure.Description;

/** Whether a graph can be extended. */
public final class GraphCheck {
    @Description("Whether the graph is in one piece.")
    public boolean connected;

    @Description("In how many pieces it is.")
    public long components;

    @Description("How many datasets lie on the boundary.")
    public long boundary;

    @Description("Whether every boundary edge has alpha at one end.")
    public boolean boundary_hit;

    @Description("A boundary edge with alpha at neither end: two keys, or null.")
    public List<String> unhit;

    @Description("Whether some private mechanism takes alpha; null where the boundary is not hit.")
    public Boolean compatible;

    @Description("Two datasets whose alpha cannot both be kept, or null.")
    public Map<String, Object> witness;

    @Description("How many alpha would be rounded in.")
    public long rounded;

    @Description("How many boundary datasets would take the alpha of their order.")
    public long filled;

    /** A graph, checked. */
    public static GraphCheck of(DatasetGraph graph, Workers workers) {
        GraphCheck out = new GraphCheck();
        int edge = Solver.unhitEdge(graph, workers);
        out.components = graph.components(workers);
        out.connected = out.components == 1;
        out.boundary = graph.boundarySize(workers);
        out.boundary_hit = edge < 0;
        if (edge >= 0) {
            out.unhit = List.of(graph.keys[graph.source[edge]], graph.keys[graph.target[edge]]);
            return out;
        }
        try {
            Mechanism.Fit fit = Solver.check(graph, workers);
            out.rounded = fit.rounded();
            out.filled = fit.filled();
            out.compatible = true;
        } catch (Incompatible refusal) {
            out.compatible = false;
            out.witness = refusal.witness.facts();
        }
        return out;
    }
}
