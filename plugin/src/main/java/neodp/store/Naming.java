package neodp.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import neodp.Refusal;
import neodp.Text;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/**
 * The names that a graph of datasets goes by: its label, its type and its properties.
 *
 * <p>neodp's own graphs have a {@code (:DatasetGraph)} node, which knows what was loaded and written. A graph of somebody
 * else's has none: all nodes of its label are its datasets, nothing is recorded about it, and what is written has a prefix.
 * Where the label is neodp's and the name is that of one of its graphs, only the datasets of that one are meant.
 *
 * @param own whether it is one of neodp's own
 * @param prefix what the names of written properties begin with
 * @param colors the colours; null where they are to be read
 * @param graph the one of neodp's graphs that is meant; null: all nodes of the label
 */
public record Naming(
        boolean own,
        String label,
        String type,
        String key,
        String color,
        String alpha,
        String preference,
        String epsilon,
        String delta,
        String prefix,
        List<String> colors,
        String graph) {
    /** The names of neodp's own graphs. */
    public static final Naming OWN = new Naming(
            true,
            Model.DATASET.name(),
            Model.NEIGHBOR.name(),
            "key",
            "color",
            "alpha",
            "preference",
            "epsilon",
            "delta",
            "",
            null,
            null);

    /** How many colours there may be. */
    private static final int MOST_COLORS = 127;

    /** Whether the datasets are those of one of neodp's graphs. */
    boolean neodps() {
        return own || graph != null;
    }

    public Label nodes() {
        return Label.label(label);
    }

    public RelationshipType links() {
        return RelationshipType.withName(type);
    }

    /** The names of properties as they are written. */
    String[] written(String... names) {
        return Arrays.stream(names).map(name -> prefix + name).toArray(String[]::new);
    }

    /** A dataset's key: a text or, in a graph of somebody else's, a whole number; null where it is neither. */
    String keyOf(Object value) {
        return value instanceof String text ? text : !own && value instanceof Long number ? number.toString() : null;
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** What is known about a graph of somebody else's: its size and its colours, as they are now. */
    GraphInfo info(Transaction tx, String name) {
        if (label.equals(OWN.label) && tx.findNode(Model.DATASET_GRAPH, "name", name) != null) {
            return of(GraphInfo.of(tx, name)).counted(tx, name);
        }
        return counted(tx, name);
    }

    /** The same names for the datasets of one of neodp's graphs, with its colours in their order. */
    private Naming of(GraphInfo one) {
        return new Naming(
                own,
                label,
                type,
                key,
                color,
                alpha,
                preference,
                epsilon,
                delta,
                prefix,
                colors != null ? colors : one.colors(),
                one.name());
    }

    private GraphInfo counted(Transaction tx, String name) {
        String some = "(n:" + quoted(label) + (graph == null ? "" : " {graph: $graph}") + ")";
        long datasets = one(tx, "MATCH " + some + " RETURN count(n) AS n");
        if (datasets == 0 && graph != null) {
            throw Refusal.graph("the graph has no datasets", "give at least one");
        }
        if (datasets == 0) {
            throw Refusal.of(
                    "unknown_graph",
                    "no node has the label " + Text.quoted(label),
                    "correct the label, as in `{nodeLabel: 'Answer'}`");
        }
        requireNames(tx, some, datasets);
        long edges = one(tx, "MATCH " + some + "-[r:" + quoted(type) + "]->() RETURN count(r) AS n");
        List<String> known = colors != null ? colors : read(tx, some);
        if (known.stream().distinct().count() < Math.max(2, known.size())) {
            throw Refusal.graph(
                    "the colours are " + (known.isEmpty() ? "none" : Text.listed(known)),
                    "name at least two different ones, as in `{colors: ['no', 'yes']}`");
        }
        return new GraphInfo(
                name, known, datasets, edges, null, null, null, null, Model.EPSILON_DELTA, false, null, Map.of(), this);
    }

    /**
     * Refuse a name that nothing goes by: a slip in the type would leave no edges, and so a mechanism that protects nobody.
     */
    private void requireNames(Transaction tx, String some, long datasets) {
        String nodes = "no node with the label " + Text.quoted(label) + " has the property ";
        if (isNowhere(tx, some + " WHERE n." + quoted(key) + " IS NOT NULL")) {
            throw Refusal.graph(nodes + Text.quoted(key), "name the keys' property, as in `{keyProperty: 'id'}`");
        }
        if (isNowhere(tx, some + " WHERE n." + quoted(color) + " IS NOT NULL")) {
            throw Refusal.graph(
                    nodes + Text.quoted(color), "name the colours' property, as in `{colorProperty: 'answer'}`");
        }
        String edge = some + "-[r:" + quoted(type) + "]->(:" + quoted(label) + ")";
        String edges =
                "no relationship of type " + Text.quoted(type) + " between nodes with the label " + Text.quoted(label);
        if (datasets > 1 && isNowhere(tx, edge)) {
            throw Refusal.graph("there is " + edges, "name the type of the edges, as in `{relationshipType: 'NEAR'}`");
        }
        if (datasets > 1 && isNowhere(tx, edge + " WHERE r." + quoted(epsilon) + " IS NOT NULL")) {
            throw Refusal.graph(
                    edges + " has the property " + Text.quoted(epsilon),
                    "name the epsilons' property, as in `{epsilonProperty: 'eps'}`");
        }
    }

    private boolean isNowhere(Transaction tx, String pattern) {
        try (Result result = tx.execute("MATCH " + pattern + " RETURN 1 LIMIT 1", parameters())) {
            return !result.hasNext();
        }
    }

    private long one(Transaction tx, String cypher) {
        try (Result result = tx.execute(cypher, parameters())) {
            return (Long) result.next().get("n");
        }
    }

    private Map<String, Object> parameters() {
        return graph == null ? Map.of() : Map.of("graph", graph);
    }

    /** The colours that there are, in order. */
    private List<String> read(Transaction tx, String some) {
        TreeSet<String> found = new TreeSet<>(Text::compare);
        try (Result result = tx.execute(
                "MATCH " + some + " WITH DISTINCT n." + quoted(color)
                        + " AS color WHERE color IS NOT NULL RETURN color LIMIT " + (MOST_COLORS + 1),
                parameters())) {
            while (result.hasNext()) {
                found.add(String.valueOf(result.next().get("color")));
            }
        }
        if (found.size() > MOST_COLORS) {
            throw Refusal.graph(
                    "the property " + Text.quoted(color) + " has more than " + MOST_COLORS + " different values",
                    "name the property with the colours, as in `{colorProperty: 'answer'}`");
        }
        return new ArrayList<>(found);
    }
}
