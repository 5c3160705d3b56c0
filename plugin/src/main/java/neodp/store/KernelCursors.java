package neodp.store;

import java.util.Arrays;
import org.neo4j.exceptions.KernelException;
import org.neo4j.graphdb.ConstraintViolationException;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Transaction;
import org.neo4j.internal.kernel.api.NodeCursor;
import org.neo4j.internal.kernel.api.PropertyCursor;
import org.neo4j.internal.kernel.api.RelationshipTraversalCursor;
import org.neo4j.internal.kernel.api.TokenRead;
import org.neo4j.internal.kernel.api.exceptions.EntityNotFoundException;
import org.neo4j.kernel.api.KernelTransaction;
import org.neo4j.kernel.impl.api.KernelTransactionImplementation;
import org.neo4j.kernel.impl.coreapi.InternalTransaction;
import org.neo4j.lock.ActiveLock;
import org.neo4j.lock.ResourceType;
import org.neo4j.storageengine.api.PropertySelection;
import org.neo4j.storageengine.api.RelationshipSelection;
import org.neo4j.values.storable.BooleanValue;
import org.neo4j.values.storable.NumberValue;
import org.neo4j.values.storable.Value;
import org.neo4j.values.storable.Values;

/**
 * The server's own cursors, for passes over a whole graph.
 *
 * <p>The public interface makes an object for every node, relationship and property, looks every name up again, and reads
 * a relationship twice: over millions, that is most of the time. This class is the only one that knows the inside of the
 * server, and uses of it only what 5.26 and 2026 have alike; the tests run on both.
 */
final class KernelCursors extends Cursors {
    private final KernelTransaction kernel;
    private final NodeCursor node;
    private final PropertyCursor property;
    private final RelationshipTraversalCursor link;
    private final int[] keys;
    private final Value[] values;
    private final PropertySelection selection;
    private final int epsilonKey;
    private final int deltaKey;
    private final PropertySelection ofLinks;
    private final RelationshipSelection outgoing;

    /** Cursors that read some properties of nodes, by name, and epsilon and delta of relationships. */
    KernelCursors(Transaction tx, Naming naming, String... names) {
        kernel = ((InternalTransaction) tx).kernelTransaction();
        node = kernel.cursors().allocateNodeCursor(kernel.cursorContext(), kernel.memoryTracker());
        property = kernel.cursors().allocatePropertyCursor(kernel.cursorContext(), kernel.memoryTracker());
        link = kernel.cursors().allocateRelationshipTraversalCursor(kernel.cursorContext(), kernel.memoryTracker());
        TokenRead tokens = kernel.tokenRead();
        keys = Arrays.stream(names).mapToInt(tokens::propertyKey).toArray();
        values = new Value[names.length];
        selection = selection(keys);
        epsilonKey = tokens.propertyKey(naming.epsilon());
        deltaKey = tokens.propertyKey(naming.delta());
        ofLinks = selection(epsilonKey, deltaKey);
        int type = tokens.relationshipType(naming.type());
        outgoing = type < 0 ? null : RelationshipSelection.selection(type, Direction.OUTGOING);
    }

    /** Those of the names that the database knows; others have negative numbers. */
    private static PropertySelection selection(int... keys) {
        int[] known = Arrays.stream(keys).filter(key -> key >= 0).toArray();
        return known.length == 0 ? PropertySelection.NO_PROPERTIES : PropertySelection.selection(known);
    }

    /** Go to a node, and read its properties. */
    @Override
    public void go(long id) {
        kernel.dataRead().singleNode(id, node);
        if (!node.next()) {
            throw new NotFoundException("node " + id + " is gone");
        }
        Arrays.fill(values, null);
        node.properties(property, selection);
        while (property.next()) {
            int key = property.propertyKey();
            for (int i = 0; i < keys.length; i++) {
                if (keys[i] == key) {
                    values[i] = property.propertyValue();
                }
            }
        }
    }

    /** The property of the i-th name; null where the node does not have it. */
    @Override
    public Object value(int i) {
        return values[i] == null ? null : values[i].asObject();
    }

    /** The same as a number; NaN where it is none. */
    @Override
    public double number(int i) {
        return number(values[i]);
    }

    private static double number(Value value) {
        if (value instanceof BooleanValue truth) { // as Python takes it
            return truth.booleanValue() ? 1.0 : 0.0;
        }
        return value instanceof NumberValue x ? x.doubleValue() : Double.NaN;
    }

    /** The relationships that start at the node. */
    @Override
    public void links(Links links) {
        if (outgoing == null) {
            return;
        }
        node.relationships(link, outgoing);
        while (link.next()) {
            double epsilon = Double.NaN;
            double delta = 0.0;
            link.properties(property, ofLinks);
            while (property.next()) {
                if (property.propertyKey() == epsilonKey) {
                    epsilon = number(property.propertyValue());
                } else if (property.propertyKey() == deltaKey) {
                    delta = number(property.propertyValue());
                }
            }
            links.add(link.otherNodeReference(), epsilon, delta);
        }
    }

    @Override
    public void close() {
        link.close();
        property.close();
        node.close();
    }

    /** The name of the user whose transaction it is. */
    static String executingUser(Transaction tx) {
        return ((InternalTransaction) tx).securityContext().subject().executingUser();
    }

    /** What a transaction has locked: apart, since a server that has no such class may have all others. */
    static final class Locks {
        private Locks() {}

        /** The ids of the nodes. */
        static long[] nodes(Transaction tx) {
            return ((InternalTransaction) tx).kernelTransaction() instanceof KernelTransactionImplementation kernel
                    ? kernel.activeLocks().stream()
                            .filter(lock -> lock.resourceType() == ResourceType.NODE)
                            .mapToLong(ActiveLock::resourceId)
                            .toArray()
                    : new long[0];
        }
    }

    /** Sets properties of many nodes, always the same ones. */
    static final class Setter extends Cursors.Writer {
        private final KernelTransaction kernel;
        private final int[] keys;

        Setter(Transaction tx, String... names) {
            kernel = ((InternalTransaction) tx).kernelTransaction();
            keys = Arrays.stream(names).mapToInt(name -> token(kernel, name)).toArray();
        }

        private static int token(KernelTransaction kernel, String name) {
            try {
                return kernel.tokenWrite().propertyKeyGetOrCreateForName(name);
            } catch (KernelException e) {
                throw new IllegalStateException("the server takes no property " + name, e);
            }
        }

        /** Set the properties of a node, in the order of their names. */
        @Override
        public void set(long id, Object... values) {
            try {
                for (int i = 0; i < keys.length; i++) {
                    kernel.dataWrite().nodeSetProperty(id, keys[i], Values.of(values[i]));
                }
            } catch (EntityNotFoundException e) {
                throw new NotFoundException("node " + id + " is gone", e);
            } catch (KernelException e) { // somebody's constraint on these properties
                throw new ConstraintViolationException(e.getUserMessage(kernel.tokenRead()), e);
            }
        }
    }
}
