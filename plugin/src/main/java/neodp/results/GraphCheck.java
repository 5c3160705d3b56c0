package neodp.results;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Mechanism;
import neodp.algorithm.Witness;
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

    /** A graph, checked. */
    public static GraphCheck of(DatasetGraph graph, Workers workers) {
        GraphCheck out = new GraphCheck();
        int edge = graph.unhitEdge(workers);
        out.components = graph.components(workers);
        out.connected = out.components == 1;
        out.boundary = graph.boundarySize(workers);
        out.boundary_hit = edge < 0;
        if (edge >= 0) {
            out.unhit = List.of(graph.keys[graph.source[edge]], graph.keys[graph.target[edge]]);
            return out;
        }
        try {
            out.rounded = Mechanism.solve(graph, workers).rounded;
            out.compatible = true;
        } catch (Incompatible refusal) {
            out.compatible = false;
            out.witness = map(refusal.witness);
        }
        return out;
    }

    private static Map<String, Object> map(Witness found) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("dataset", found.dataset());
        out.put("color", found.color());
        out.put("value", found.value());
        out.put("bound", found.bound());
        out.put("origin", found.origin());
        out.put("origin_value", found.originValue());
        out.put("path", found.path());
        out.put("epsilon", found.epsilon());
        out.put("delta", found.delta());
        out.put("sentence", found.sentence());
        return out;
    }
}
