package neodp.store;

import java.util.Map;
import java.util.stream.StreamSupport;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Ball;
import neodp.algorithm.Edges;
import neodp.algorithm.Neighborhood;
import neodp.call.Workers;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;

/** The datasets around those that a search asks for, in one transaction. */
public final class NodeNeighborhood implements Neighborhood<Node> {
    private final Transaction tx;
    private final GraphInfo info;

    private NodeNeighborhood(Transaction tx, GraphInfo info) {
        this.tx = tx;
        this.info = info;
    }

    /** A search in a stored graph. */
    public static Ball<Node> ball(Transaction tx, GraphInfo info, Workers workers) {
        return new Ball<>(info.name(), info.colors(), info.least(), new NodeNeighborhood(tx, info), workers);
    }

    @Override
    public Node find(String key) {
        return Model.find(tx, info.name(), key);
    }

    @Override
    public long id(Node node) {
        return Model.id(node);
    }

    @Override
    public Dataset dataset(Node node) {
        Map<String, Object> values = node.getProperties("key", "color", "alpha");
        if (!(values.get("key") instanceof String key)) {
            throw Refusal.graph("a dataset of graph " + Text.quoted(info.name()) + " has no text as key", "correct it");
        }
        return new Dataset(
                key,
                PropertyValues.colorOf(info.colors(), key, values.get("color")),
                PropertyValues.alpha(info.colors(), key, values.get("alpha")));
    }

    @Override
    public Iterable<Link<Node>> links(Node node) {
        Iterable<Relationship> every = node.getRelationships(Model.NEIGHBOR);
        return () -> StreamSupport.stream(every.spliterator(), false)
                .<Link<Node>>map(link -> new Found(link, link.getOtherNode(node)))
                .iterator();
    }

    private final class Found implements Link<Node> {
        private final Relationship link;
        private final Node end;

        Found(Relationship link, Node end) {
            this.link = link;
            this.end = end;
        }

        @Override
        public Node end() {
            return end;
        }

        @Override
        public boolean inside() {
            return Model.belongs(end, info.name());
        }

        @Override
        public void add(Edges edges, int source, int target) {
            Model.add(edges, source, target, link);
        }
    }
}
