package neodp.store;

import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;

/** Nodes, properties and relationships by the server's public interface: for servers whose inside is not known. */
final class PublicCursors extends Cursors {
    private final Transaction tx;
    private final Naming naming;
    private final String[] names;
    private Node node;
    private Map<String, Object> values;

    PublicCursors(Transaction tx, Naming naming, String... names) {
        this.tx = tx;
        this.naming = naming;
        this.names = names;
    }

    @Override
    public void go(long id) {
        node = Model.node(tx, id);
        values = node.getProperties(names);
    }

    @Override
    public Object value(int i) {
        return values.get(names[i]);
    }

    @Override
    public double number(int i) {
        return PropertyValues.number(value(i));
    }

    @Override
    public void links(Links links) {
        for (Relationship link : node.getRelationships(Direction.OUTGOING, naming.links())) {
            Map<String, Object> found = link.getProperties(naming.epsilon(), naming.delta());
            links.add(
                    Model.id(link.getEndNode()),
                    PropertyValues.number(found.get(naming.epsilon())),
                    PropertyValues.number(found.getOrDefault(naming.delta(), 0.0)));
        }
    }

    @Override
    public void close() {
        node = null;
    }

    /** Sets properties of many nodes. */
    static final class Setter extends Cursors.Writer {
        private final Transaction tx;
        private final String[] names;

        Setter(Transaction tx, String... names) {
            this.tx = tx;
            this.names = names;
        }

        @Override
        public void set(long id, Object... values) {
            Node node = Model.node(tx, id);
            for (int i = 0; i < names.length; i++) {
                node.setProperty(names[i], values[i]);
            }
        }
    }
}
