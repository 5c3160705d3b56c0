package neodp.store;

import java.util.Map;
import neodp.Refusal;
import neodp.algorithm.Edges;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;

/**
 * The data model: labels, types and single datasets.
 *
 * <p>Ids are numbers, not element ids, which are texts of fifty letters: they only join edges to datasets within a call.
 */
public final class Model {
    public static final String EPSILON_DELTA = "epsilon-delta";
    public static final Label DATASET_GRAPH = Label.label("DatasetGraph");
    public static final Label DATASET = Label.label("Dataset");
    public static final RelationshipType NEIGHBOR = RelationshipType.withName("NEIGHBOR");

    private Model() {}

    /** A dataset by its key. */
    public static Node find(Transaction tx, String graph, String key) {
        try (ResourceIterator<Node> found = tx.findNodes(DATASET, "graph", graph, "key", key)) {
            if (!found.hasNext()) {
                throw Refusal.unknownKey(graph, key);
            }
            return found.next();
        }
    }

    public static boolean belongs(Node node, String graph) {
        return node.hasLabel(DATASET) && graph.equals(node.getProperty("graph", null));
    }

    public static void add(Edges edges, int source, int target, Entity link) {
        Map<String, Object> values = link.getProperties("epsilon", "delta");
        edges.add(
                source,
                target,
                PropertyValues.number(values.get("epsilon")),
                PropertyValues.number(values.getOrDefault("delta", 0.0)));
    }

    /** A node by its id. */
    @SuppressWarnings("removal")
    public static Node node(Transaction tx, long id) {
        return tx.getNodeById(id);
    }

    @SuppressWarnings("removal")
    public static long id(Entity entity) {
        return entity.getId();
    }
}
