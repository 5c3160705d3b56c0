package neodp;

import neodp.call.Host;
import neodp.call.Workers;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/** A call without a server: nobody ends it, and what it takes is counted here. */
public final class Alone implements ProcedureMemoryTracker {
    /** Bytes that are taken now. */
    public long bytes;

    /** Threads for this call. */
    public Workers workers() {
        return new Workers(new Host(null, () -> {}, null, "", () -> this), 2);
    }

    @Override
    public void allocateHeap(long more) {
        bytes += more;
    }

    @Override
    public void releaseHeap(long less) {
        bytes -= less;
    }

    @Override
    public void close() {
        bytes = 0;
    }
}
