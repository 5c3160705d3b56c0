package neodp.results;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import neodp.call.Memory;
import neodp.store.GraphInfo;
import org.neo4j.procedure.Description;

/** The memory of work on a whole graph. */
public record MemoryEstimate(
        @Description("The number of datasets in the graph.") long nodeCount,
        @Description("The number of its edges.") long relationshipCount,
        @Description("The memory at least and at most, for people.") String requiredMemory,
        @Description("The same in its parts, for people.") String treeView,
        @Description("The same in its parts.") Map<String, Object> mapView,
        @Description("Bytes at least.") long bytesMin,
        @Description("Bytes at most.") long bytesMax,
        @Description("The share of the server's heap at least, in percent.") double heapPercentageMin,
        @Description("The share of the server's heap at most, in percent.") double heapPercentageMax,
        @Description("Bytes of the server's heap that are free or can be freed.") long bytesAvailable,
        @Description("Whether the call would be tried.") boolean fits) {
    private static final String[] UNITS = {"Bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    /** The memory of a graph, by the numbers that it is said to have. */
    public static MemoryEstimate of(GraphInfo info) {
        int colors = info.colors().size();
        long least = Memory.least(info.datasets(), info.edges(), colors);
        long most = Memory.most(info.datasets(), info.edges(), colors);
        long available = Memory.available();
        String datasets = range(Memory.least(info.datasets(), 0, colors), Memory.most(info.datasets(), 0, colors));
        String edges = range(Memory.least(0, info.edges(), colors), Memory.most(0, info.edges(), colors));
        return new MemoryEstimate(
                info.datasets(),
                info.edges(),
                range(least, most),
                "graph: " + range(least, most) + "\n|-- datasets: " + datasets + "\n|-- edges: " + edges + "\n",
                Map.of(
                        "name",
                        "graph",
                        "memoryUsage",
                        range(least, most),
                        "components",
                        List.of(
                                Map.of("name", "datasets", "memoryUsage", datasets),
                                Map.of("name", "edges", "memoryUsage", edges))),
                least,
                most,
                percentage(least),
                percentage(most),
                available,
                most <= available);
    }

    private static String range(long least, long most) {
        return least == most ? readable(least) : "[" + readable(least) + " ... " + readable(most) + "]";
    }

    private static String readable(long bytes) {
        double left = bytes;
        int unit = 0;
        for (; left >= 1024; unit++) {
            left /= 1024;
        }
        return unit == 0 ? bytes + " Bytes" : String.format(Locale.ROOT, "%.1f %s", left, UNITS[unit]);
    }

    private static double percentage(long bytes) {
        return Math.round(1000.0 * bytes / Runtime.getRuntime().maxMemory()) / 10.0;
    }
}
