package neodp.store;

import java.util.function.Function;
import neodp.Refusal;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.call.Host;
import neodp.call.Memory;
import neodp.call.Workers;

/** One call that reads a whole graph: its workers, its memory, and what it has read. */
public final class Job {
    public final Workers workers;
    public final GraphReader reader;
    public final GraphWriter writer;
    public final GraphInfo info;

    /**
     * How the work is shared.
     *
     * @param concurrency how many threads work
     * @param batch how many datasets a transaction reads or writes
     */
    public record Threads(int concurrency, int batch) {
        private static final int USUAL = 4;

        /** One thread per processor, four at most. */
        public static final Threads USUALLY =
                new Threads(Math.min(USUAL, Runtime.getRuntime().availableProcessors()), 20_000);
    }

    /** How long reading and the mathematics took. */
    public long readMillis;

    public long computeMillis;

    private Job(String graph, Threads threads, GraphInfo known, Workers workers) {
        this.workers = workers;
        reader = new GraphReader(workers, threads.batch());
        writer = new GraphWriter(workers, threads.batch());
        info = known != null ? known : reader.info(graph);
        int colors = info.colors().size();
        Memory.require(graph, info.datasets(), info.edges(), colors);
        workers.memory.take(Memory.most(info.datasets(), info.edges(), colors));
    }

    /**
     * Do some work on a graph. When this returns, nothing of it is left but the result, and its memory where the work
     * says that the result keeps it.
     *
     * @param known what is known about the graph; null: find out
     */
    public static <T> T run(Host host, String graph, Threads threads, GraphInfo known, Function<Job, T> work) {
        try (Workers workers = new Workers(host, threads.concurrency())) {
            return work.apply(new Job(graph, threads, known, workers));
        } catch (LinkageError e) { // Cursors.java needs the inside of the server as it knows it
            throw Refusal.client(
                    "this version of Neo4j is not one that the plugin was made for: " + e, "use the client");
        }
    }

    public StoredGraph read(boolean probabilities) {
        long began = System.nanoTime();
        StoredGraph stored = reader.read(info, probabilities);
        readMillis = millis(began);
        return stored;
    }

    public Mechanism extended() {
        return extend(read(false).graph());
    }

    /** The mechanism at all datasets, by the method of the stored one: nobody is answered by two methods. */
    public Mechanism evaluated() {
        return extend(read(false).graph(), info.method());
    }

    public Mechanism extend(DatasetGraph graph) {
        return extend(graph, null);
    }

    private Mechanism extend(DatasetGraph graph, String method) {
        long began = System.nanoTime();
        Mechanism mechanism = Solver.extend(graph, method, workers);
        computeMillis = millis(began);
        return mechanism;
    }

    public static long millis(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }
}
