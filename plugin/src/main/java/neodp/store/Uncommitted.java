package neodp.store;

import java.util.function.Predicate;
import neodp.call.Workers;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Transaction;

/**
 * What the caller's transaction has changed and not committed.
 *
 * <p>A call that writes in transactions of its own waits for the locks on it; the caller's transaction, which holds them,
 * waits for the call. The server does not notice, since that is no wait for a lock: both would wait for ever.
 */
public final class Uncommitted {
    private Uncommitted() {}

    /** Whether the caller's transaction has locked one of some nodes: as they were, or as it sees them. */
    public static boolean any(Transaction caller, Predicate<Node> nodes, Workers workers) {
        long[] locked = Cursors.lockedNodes(caller);
        return locked.length > 0
                && (workers.read("", own -> any(own, locked, nodes, workers)) || any(caller, locked, nodes, workers));
    }

    private static boolean any(Transaction tx, long[] locked, Predicate<Node> nodes, Workers workers) {
        for (int i = 0; i < locked.length; i++) {
            workers.check(i);
            try {
                if (nodes.test(Model.node(tx, locked[i]))) {
                    return true;
                }
            } catch (NotFoundException e) { // made, or deleted, in the caller's transaction
            }
        }
        return false;
    }
}
