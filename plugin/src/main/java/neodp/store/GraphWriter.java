package neodp.store;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import neodp.Refusal;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.call.Task;
import neodp.call.Workers;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;

/**
 * Keeps mechanisms and alpha on the datasets of a graph.
 *
 * <p>A writer owns a graph by a token on its {@code (:DatasetGraph)} node. Every chunk holds a shared lock on that node and
 * checks the token under it, so that chunks go side by side, while whoever takes the graph over waits for those that have
 * begun; a writer that was overtaken cannot commit anything more. Nothing counts until the last transaction declares it
 * whole.
 */
public final class GraphWriter {
    private static final String[] TWO = {"p", "q", "p_true", "distance"};
    private static final String[] MORE = {"probabilities", "p_true", "distance"};

    private final Workers workers;
    private final int batch;
    private final Task task;

    public GraphWriter(Workers workers, int batch, Task task) {
        this.workers = workers;
        this.batch = batch;
        this.task = task;
    }

    /** Keep a mechanism's probabilities on its datasets, all or nothing for every reader; how many properties. */
    public long write(StoredGraph stored, Mechanism mechanism, Supplier<String> fingerprint) {
        String name = stored.info().name();
        DatasetGraph graph = stored.graph();
        Naming naming = stored.info().naming();
        String[] names = naming.written(graph.binary() ? TWO : MORE);
        String writer = UUID.randomUUID().toString().replace("-", "");
        if (naming.own()) {
            owned("claim_mechanism", name, Map.of("graph", name, "writer", writer));
        }
        boolean[] boundary = graph.boundary(workers);
        int[] distance = graph.hops(Mechanism.where(graph.size(), v -> boundary[v], workers), workers);
        Task.Step step = task.step("Write", (stored.ids().length + batch - 1L) / batch);
        workers.ranges(
                stored.ids().length,
                batch,
                (from, to) -> step.after(workers.write(name, tx -> {
                    if (naming.own()) {
                        requireOwner(tx, name, writer);
                    }
                    Cursors.Writer properties = Cursors.writer(tx, names);
                    try (Cursors cursors = Cursors.of(tx, naming, naming.own() ? "graph" : naming.key())) {
                        for (int j = from; j < to; j++) {
                            workers.check(j - from);
                            cursors.go(stored.ids()[j]);
                            int v = stored.position()[j];
                            String mine = naming.own() ? name : graph.keys[v];
                            String found = naming.keyOf(cursors.value(0));
                            if (!mine.equals(found)) {
                                throw Refusal.overtaken(name);
                            }
                            double truth = mechanism.truth(v);
                            long far = distance[v];
                            if (graph.binary()) {
                                properties.set(
                                        stored.ids()[j], mechanism.chance(v, 0), mechanism.chance(v, 1), truth, far);
                            } else {
                                properties.set(stored.ids()[j], mechanism.row(v), truth, far);
                            }
                        }
                    }
                    return null;
                })));
        if (naming.own()) {
            finish(graph, mechanism, writer, fingerprint.get());
        }
        return (long) names.length * graph.size();
    }

    /** Declare a mechanism whole. */
    private void finish(DatasetGraph graph, Mechanism mechanism, String writer, String fingerprint) {
        String name = graph.name;
        Map<String, Object> facts = new HashMap<>(Map.of("graph", name, "writer", writer));
        facts.put("fingerprint", fingerprint);
        facts.put("min_p_true", mechanism.leastTruth(workers));
        facts.put("mean_p_true", mechanism.meanTruth(workers));
        facts.put("datasets", (long) graph.size());
        facts.put("edges", (long) graph.edges());
        facts.put("method", mechanism.method);
        facts.put("privacy", Model.EPSILON_DELTA);
        facts.put("mu", null);
        owned("finish_mechanism", name, facts);
    }

    /** Hold the graph for the length of a transaction, together with other readers; refused where somebody else has it. */
    private static void requireOwner(Transaction tx, String graph, String writer) {
        Node node = tx.findNode(Model.DATASET_GRAPH, "name", graph);
        if (node == null) {
            throw Refusal.overtaken(graph);
        }
        tx.acquireReadLock(node);
        if (!writer.equals(node.getProperty("writer", null))) {
            throw Refusal.overtaken(graph);
        }
    }

    /** Run a statement that must find its writer still owning the graph. */
    private void owned(String statement, String graph, Map<String, Object> parameters) {
        Map<String, Object> row = workers.write(graph, tx -> Statements.row(tx, statement, parameters));
        if (!row.containsValue(1L)) {
            throw Refusal.overtaken(graph);
        }
    }

    /** Keep alpha at some datasets instead of the stored one, in one transaction; at how many. */
    public long writeAlpha(StoredGraph stored, Solver.Alpha chosen, boolean[] where) {
        String name = stored.info().name();
        return workers.write(name, tx -> {
            long written = 0;
            Naming naming = stored.info().naming();
            if (naming.neodps()
                    && naming.alpha().equals(Naming.OWN.alpha())
                    && !Statements.row(tx, "clear_alpha", Map.of("graph", name)).containsValue(1L)) {
                throw Refusal.overtaken(name);
            }
            for (int i = 0; i < stored.ids().length; i++) {
                int v = stored.position()[i];
                workers.check(i);
                if (where[v] || !naming.own()) {
                    Node node = Model.node(tx, stored.ids()[i]);
                    Object mine = naming.own() ? name : stored.graph().keys[v];
                    String found = naming.keyOf(node.getProperty(naming.own() ? "graph" : naming.key(), null));
                    if (!mine.equals(found)) {
                        throw Refusal.overtaken(name);
                    }
                    if (!where[v]) {
                        node.removeProperty(naming.alpha());
                        continue;
                    }
                    double[] alpha = chosen.at(v);
                    boolean one = alpha.length == 2 && alpha[1] == 1.0 - alpha[0]; // which says it all
                    node.setProperty(naming.alpha(), one ? (Object) alpha[0] : alpha);
                    written++;
                }
            }
            return written;
        });
    }
}
