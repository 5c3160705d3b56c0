package neodp.store;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Edges;
import neodp.algorithm.Keys;
import neodp.call.Memory;
import neodp.call.Task;
import neodp.call.Workers;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;

/**
 * Reads whole dataset graphs, in chunks, each in a transaction of its own, some at a time.
 */
public final class GraphReader {
    private static final int SOME = 1 << 10; // edges, after which to count their memory

    private final Workers workers;
    private final int batch;
    private final Task task;

    public GraphReader(Workers workers, int batch, Task task) {
        this.workers = workers;
        this.batch = batch;
        this.task = task;
    }

    public GraphInfo info(String graph, Naming naming) {
        return workers.read(graph, tx -> GraphInfo.of(tx, graph, naming));
    }

    /** A whole graph, and its stored probabilities where they are asked for. */
    public StoredGraph read(GraphInfo info, boolean probabilities) {
        String name = info.name();
        long[] ids = workers.read(name, tx -> ids(tx, info));
        if (ids.length == 0) {
            throw Refusal.graph("the graph has no datasets", "give at least one");
        }
        Positions positions = new Positions(ids, workers);
        Columns columns = new Columns(info, ids.length, probabilities);
        AtomicLong links = new AtomicLong();
        Task.Step step = task.step("Read", (ids.length + batch - 1L) / batch);
        List<Edges> parts = workers.ranges(
                ids.length,
                batch,
                (from, to) ->
                        step.after(workers.read(name, tx -> chunk(tx, ids, from, to, positions, columns, links))));
        workers.read(name, tx -> {
            info.unchanged(tx);
            return null;
        });
        int texts = 0;
        for (int i = 0; i < ids.length; i++) {
            workers.check(i);
            texts += columns.keys[i] == null ? 0 : 1;
        }
        if (texts < ids.length) {
            throw Refusal.graph(
                    "graph " + Text.quoted(name) + " has " + ids.length + " datasets, but only " + texts
                            + " of them have a text as key",
                    "correct them");
        }
        return sorted(info, ids, columns, Edges.all(parts, workers));
    }

    /** The datasets of a graph; those beyond the number that it is said to have are counted here. */
    private long[] ids(Transaction tx, GraphInfo info) {
        long[] ids = new long[1024];
        int count = 0;
        try (ResourceIterator<Node> nodes = info.naming().neodps()
                ? tx.findNodes(Model.DATASET, "graph", info.name())
                : tx.findNodes(info.naming().nodes())) {
            while (nodes.hasNext()) {
                if (count == ids.length) {
                    if (count > Integer.MAX_VALUE / 4) {
                        throw Refusal.client("the graph has too many datasets for the plugin", "use the client");
                    }
                    ids = Arrays.copyOf(ids, 2 * count);
                }
                if (count >= info.datasets()) {
                    workers.memory.take(Memory.ofDataset(info.colors().size()));
                }
                workers.check(count);
                ids[count++] = Model.id(nodes.next());
            }
        }
        Memory.require(info.name(), count, info.edges(), info.colors().size());
        return Arrays.copyOf(ids, count);
    }

    private Edges chunk(
            Transaction tx, long[] ids, int from, int to, Positions positions, Columns columns, AtomicLong links) {
        Edges edges = new Edges();
        int[] met = new int[1]; // relationships, also those that lead out of the graph
        workers.memory.take(Edges.EMPTY);
        try (Cursors cursors = Cursors.of(tx, columns.info.naming(), columns.names())) {
            for (int i = from; i < to; i++) {
                workers.check(i - from);
                int source = i;
                cursors.go(ids[i]);
                long text = columns.set(i, cursors);
                if (text > 0) {
                    workers.memory.take(text);
                }
                cursors.links((end, epsilon, delta) -> {
                    workers.check(met[0]++);
                    int target = positions.of(end);
                    if (target >= 0) {
                        edges.add(source, target, epsilon, delta);
                        if (edges.count - edges.counted == SOME) {
                            count(columns.info, edges, links);
                        }
                    }
                });
            }
        }
        count(columns.info, edges, links);
        return edges;
    }

    /** Count edges that were read, and the memory of those beyond the number that the graph is said to have. */
    private void count(GraphInfo info, Edges edges, AtomicLong links) {
        int more = edges.count - edges.counted;
        edges.counted = edges.count;
        long beyond = Math.min(more, links.addAndGet(more) - info.edges());
        if (beyond > 0) {
            workers.memory.take(Memory.PER_EDGE_MOST * beyond);
            Memory.require(
                    info.name(), info.datasets(), links.get(), info.colors().size());
        }
    }

    /** The columns of a graph in the order of its keys. */
    private StoredGraph sorted(GraphInfo info, long[] ids, Columns columns, Edges edges) {
        int n = ids.length;
        int[] from = Keys.order(columns.keys, batch, workers);
        String[] keys = new String[n];
        int[] position = new int[n];
        for (int v = 0; v < n; v++) {
            workers.check(v);
            position[from[v]] = v;
            keys[v] = columns.keys[from[v]];
            if (v > 0 && keys[v].equals(keys[v - 1])) {
                String key = Text.quoted(keys[v]);
                throw Refusal.graph("dataset " + key + ": the key " + key + " occurs twice", "make keys unique");
            }
        }
        workers.check();
        workers.ranges(edges.count, 1 << 18, (first, last) -> {
            for (int e = first; e < last; e++) {
                workers.check(e);
                edges.source[e] = position[edges.source[e]];
                edges.target[e] = position[edges.target[e]];
            }
            return null;
        });
        DatasetGraph graph = new DatasetGraph(
                info.name(),
                info.colors(),
                keys,
                columns.colors(from, workers),
                at(columns.alpha, from),
                columns.preferences(from, workers),
                edges,
                workers);
        return new StoredGraph(graph, info, ids, position, at(columns.chances, from));
    }

    private double[][] at(double[][] columns, int[] from) {
        if (columns == null) {
            return null;
        }
        double[][] out = new double[columns.length][from.length];
        for (int c = 0; c < out.length; c++) {
            for (int v = 0; v < from.length; v++) {
                workers.check(v);
                out[c][v] = columns[c][from[v]];
            }
        }
        return out;
    }
}
