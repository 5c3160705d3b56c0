package neodp.store;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.neo4j.graphdb.Transaction;

/**
 * Passes over the nodes of a graph, their properties and their relationships, within a transaction and with the rights of
 * its user.
 *
 * <p>There are two of them: {@link KernelCursors} use the inside of the server, and {@link PublicCursors} its public
 * interface. The former are taken until they meet a server whose inside is another one: then the latter are taken from then
 * on, which is slower and the same otherwise.
 */
public abstract class Cursors implements AutoCloseable {
    private static volatile boolean inside = true;

    /** Cursors that read some properties of nodes, by name, and epsilon and delta of relationships. */
    public static Cursors of(Transaction tx, Naming naming, String... names) {
        return inside ? new KernelCursors(tx, naming, names) : new PublicCursors(tx, naming, names);
    }

    /** Something that sets some properties of nodes, by name. */
    public static Writer writer(Transaction tx, String... names) {
        return inside ? new KernelCursors.Setter(tx, names) : new PublicCursors.Setter(tx, names);
    }

    /** The name of the user whose transaction it is; empty where the server does not tell. */
    public static String user(Transaction tx) {
        try {
            return inside ? KernelCursors.executingUser(tx) : "";
        } catch (LinkageError e) {
            return "";
        }
    }

    /** The nodes that a transaction has locked; none where the server does not tell. */
    static long[] lockedNodes(Transaction tx) {
        try {
            return inside ? KernelCursors.Locks.nodes(tx) : new long[0];
        } catch (LinkageError e) {
            return new long[0];
        }
    }

    /**
     * Do some work by the inside of the server; where that is another one than is known, do it by the public interface,
     * and all that follows too.
     *
     * @param tell to be told why, once
     */
    public static <T> T orPublic(Supplier<T> work, Consumer<LinkageError> tell) {
        boolean before = inside;
        try {
            return work.get();
        } catch (LinkageError e) {
            if (!before) {
                throw e;
            }
            if (inside) {
                tell.accept(e);
            }
            inside = false;
        }
        return work.get();
    }

    /** Take the inside of the server, or not: for tests. */
    static void useInside(boolean yes) {
        inside = yes;
    }

    /** Something to do with a relationship. */
    public interface Links {
        void add(long end, double epsilon, double delta);
    }

    /** Go to a node, and read its properties. */
    public abstract void go(long id);

    /** The property of the i-th name; null where the node does not have it. */
    public abstract Object value(int i);

    /** The same as a number; NaN where it is none. */
    public abstract double number(int i);

    /** The relationships that start at the node. */
    public abstract void links(Links links);

    @Override
    public abstract void close();

    /** Sets properties of many nodes, always the same ones. */
    public abstract static class Writer {
        /** Set the properties of a node, in the order of their names. */
        public abstract void set(long id, Object... values);
    }
}
