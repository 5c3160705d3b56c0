package neodp.call;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import neodp.Refusal;
import neodp.Text;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/**
 * What one call takes of the server's heap, counted in the caller's transaction: beyond the limit of that, the server
 * ends the call.
 *
 * <p>The server's counter is for one thread. Other threads note what they take, and the calling thread, which waits for
 * them, counts it; so they stop a moment after the limit is passed, wherever they look whether to go on.
 */
public final class Memory implements AutoCloseable {
    // the layout of DatasetGraph, Mechanism, Settle and Store, in bytes
    public static final long PER_DATASET = 280;
    public static final long PER_COLOR = 50; // of a dataset, for every colour beyond two
    public static final long PER_EDGE_LEAST = 90;
    public static final long PER_EDGE_MOST = 150;

    private static final int SHORT = 32; // characters of a key that PER_DATASET has room for
    private static final long MOST = 1L << 40; // datasets or edges: more than any server has, and no sum overflows

    private final ProcedureMemoryTracker tracker;
    private final Thread owner = Thread.currentThread();
    private final AtomicLong noted = new AtomicLong();
    private boolean kept;

    public Memory(ProcedureMemoryTracker tracker) {
        this.tracker = tracker;
    }

    /** Take so many bytes, in any thread. */
    public void take(long bytes) {
        noted.addAndGet(bytes);
        settle();
    }

    /** Give so many bytes back. */
    public void give(long bytes) {
        take(-bytes);
    }

    /** Count what other threads took: for the calling thread, and for whichever one takes the rows of a result. */
    public void settle() {
        if (kept || Thread.currentThread() == owner) {
            long bytes = noted.getAndSet(0);
            if (bytes > 0) {
                tracker.allocateHeap(bytes);
            } else if (bytes < 0) {
                tracker.releaseHeap(-bytes);
            }
        }
    }

    /** The result goes on taking memory after the call, until it is closed. */
    public void keep() {
        settle();
        kept = true;
    }

    public boolean isKept() {
        return kept;
    }

    @Override
    public void close() {
        tracker.close();
    }

    /** What a key takes beyond what every dataset does. */
    public static long ofKey(String key) {
        return 2L * Math.max(0, key.length() - SHORT);
    }

    /** Bytes that a graph takes at least, while it is extended. */
    public static long least(long datasets, long edges, int colors) {
        return sum(datasets, edges, colors, PER_EDGE_LEAST);
    }

    /** Bytes that a graph takes at most, while it is extended. */
    public static long most(long datasets, long edges, int colors) {
        return sum(datasets, edges, colors, PER_EDGE_MOST);
    }

    private static long sum(long datasets, long edges, int colors, long perEdge) {
        return ofDataset(colors) * bounded(datasets) + perEdge * bounded(edges);
    }

    /** What a dataset takes, with a short key. */
    public static long ofDataset(int colors) {
        return PER_DATASET + PER_COLOR * (colors - 2);
    }

    /** A number of datasets or edges as somebody has written it down, within what there can be. */
    public static long bounded(long count) {
        return Math.max(0, Math.min(count, MOST));
    }

    /** Bytes of the server's heap that are not taken for good. */
    public static long available() {
        long bytes = Runtime.getRuntime().maxMemory();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null) {
                bytes -= pool.getCollectionUsage().getUsed(); // what was left after the last collection
            }
        }
        return bytes;
    }

    /** Refuse a graph that the server's heap has no room for. */
    public static void require(String graph, long datasets, long edges, int colors) {
        long bytes = most(datasets, edges, colors);
        long available = available();
        if (bytes > available) {
            throw Refusal.memory(
                    String.format(
                            Locale.ROOT,
                            "graph %s may take %,d MB of the server's heap, and %,d MB are left",
                            Text.quoted(graph),
                            bytes >> 20,
                            available >> 20),
                    "give the server a larger heap (server.memory.heap.max_size), or use the client");
        }
    }
}
