package neodp.results;

import java.util.LinkedHashMap;
import java.util.Map;
import neodp.algorithm.Mechanism;
import org.neo4j.procedure.Description;

/** The mechanism at one dataset. */
public record ExtensionRow(
        @Description("The dataset.") String key,
        @Description("Its true answer.") String color,
        @Description("The chance of each answer.") Map<String, Object> probabilities,
        @Description("The chance of the true answer.") double pTrue,
        @Description("Its distance from the boundary in edges; -1 if no boundary can be reached.") long distance) {

    /** The row of one dataset. */
    public static ExtensionRow of(Mechanism mechanism, int v, long distance) {
        Map<String, Object> probabilities = new LinkedHashMap<>();
        for (int c = 0; c < mechanism.graph.colors.size(); c++) {
            probabilities.put(mechanism.graph.colors.get(c), mechanism.chance(v, c));
        }
        return new ExtensionRow(
                mechanism.graph.keys[v], mechanism.graph.colorOf(v), probabilities, mechanism.truth(v), distance);
    }
}
