package neodp.results;

import neodp.call.Memory;
import neodp.store.GraphInfo;
import org.neo4j.procedure.Description;

/** The memory of an extension. */
public final class MemoryEstimate {
    @Description("How many datasets the graph has.")
    public long vertices;

    @Description("How many edges it has.")
    public long edges;

    @Description("Bytes at least.")
    public long bytes_min;

    @Description("Bytes at most.")
    public long bytes_max;

    @Description("Bytes of the server's heap that are not taken for good.")
    public long bytes_available;

    @Description("Whether it would be tried.")
    public boolean fits;

    /** What a graph takes by the numbers that it is said to have. */
    public static MemoryEstimate of(GraphInfo info) {
        MemoryEstimate out = new MemoryEstimate();
        out.vertices = info.datasets();
        out.edges = info.edges();
        out.bytes_min =
                Memory.least(info.datasets(), info.edges(), info.colors().size());
        out.bytes_max = Memory.most(info.datasets(), info.edges(), info.colors().size());
        out.bytes_available = Memory.available();
        out.fits = out.bytes_max <= out.bytes_available;
        return out;
    }
}
