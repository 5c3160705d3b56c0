package neodp.procedures;

import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.call.Host;
import neodp.call.Workers;
import neodp.results.MemoryEstimate;
import neodp.store.Cursors;
import neodp.store.GraphInfo;
import neodp.store.Job;
import neodp.store.Model;
import neodp.store.Naming;
import neodp.store.Uncommitted;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/**
 * What the server lends to every procedure.
 *
 * <p>{@code neodp.eval} works in the caller's transaction. All others read and write in transactions of their own, chunk
 * by chunk, so that they do not see what the caller has not committed yet; call them in a statement of their own.
 */
public abstract class Call {
    /** Descriptions that procedures share. */
    static final String GRAPH = "The graph's name.";

    static final String WHOLE =
            "concurrency (how many threads work), batchSize (how many datasets a transaction reads or "
                    + "writes), logProgress (whether the server's log says how far it has come), jobId (its name in "
                    + "neodp.listProgress); for a graph under other names, nodeLabel, relationshipType, keyProperty, "
                    + "colorProperty, alphaProperty, preferenceProperty, epsilonProperty, deltaProperty, writeProperty (the "
                    + "prefix of the written properties) and colors (in order).";
    static final String ESTIMATE =
            "Returns the memory that the call would need in the server, and whether it would be tried.";

    /** The database. */
    @Context
    public GraphDatabaseService db;

    /** The caller's transaction. */
    @Context
    public Transaction tx;

    /** The server's log. */
    @Context
    public Log log;

    /** Says when the caller has had enough. */
    @Context
    public TerminationGuard guard;

    /** Counts what the caller's transaction takes. */
    @Context
    public ProcedureMemory memory;

    /** The same, for the work itself. */
    protected Host host() {
        return new Host(db, guard, log, Cursors.user(tx), memory::newTracker);
    }

    /** Do some work on a whole graph. */
    protected <T> T onGraph(String graph, Job.Manner manner, Function<Job, T> work) {
        try {
            return Job.run(host(), graph, manner, null, work);
        } catch (Refusal refusal) {
            throw orUnseen(refusal, graph, manner);
        }
    }

    /** The refusal itself, unless it is that there is no such graph, and the caller's own transaction sees one. */
    protected Refusal orUnseen(Refusal refusal, String graph, Job.Manner manner) {
        if (!refusal.is("unknown_graph")) {
            return refusal;
        }
        Naming naming = manner.naming();
        try (ResourceIterator<Node> nodes =
                naming.own() ? tx.findNodes(Model.DATASET_GRAPH, "name", graph) : tx.findNodes(naming.nodes())) {
            return nodes.hasNext() ? Refusal.unseen("graph " + Text.quoted(graph), manner.procedure()) : refusal;
        }
    }

    /** Do some work on a whole graph that writes to it. */
    protected <T> T onGraphToWrite(String graph, Job.Manner manner, Function<Job, T> work) {
        if (graph != null) { // which is refused below
            requireCommitted(
                    manner.procedure(),
                    "graph " + Text.quoted(graph),
                    node -> isNodeOf(node, graph)
                            || !manner.naming().own()
                                    && node.hasLabel(manner.naming().nodes()));
        }
        return onGraph(graph, manner, work);
    }

    /** Whether a node is a graph's own, or one of its datasets. */
    protected static boolean isNodeOf(Node node, String graph) {
        return Model.belongs(node, graph)
                || node.hasLabel(Model.DATASET_GRAPH) && graph.equals(node.getProperty("name", null));
    }

    /** Refuse to write what the caller's own transaction has changed: it would wait for this call, and this call for it. */
    protected void requireCommitted(String procedure, String what, Predicate<Node> nodes) {
        try (Workers workers = new Workers(host(), 1)) {
            if (Uncommitted.any(tx, nodes, workers)) {
                throw Refusal.uncommitted(what, procedure);
            }
        }
    }

    /** The memory that work on a whole graph takes, whatever its configuration. */
    protected Stream<MemoryEstimate> estimated(String graph, Configuration options, String procedure) {
        Naming naming = options.manner(procedure).naming();
        return Stream.of(MemoryEstimate.of(GraphInfo.of(tx, graph, naming)));
    }

    /** Rows that are made as they are taken, from memory that is given back after the last of them. */
    protected <T> Stream<T> rows(Job job, Stream<T> rows) {
        job.workers.memory.keep();
        return rows.peek(row -> guard.check()).onClose(job.workers.memory::close);
    }

    /** Note in the server's log what was written. */
    protected void note(String pattern, Object... values) {
        log.info(String.format(Locale.ROOT, pattern, values));
    }
}
