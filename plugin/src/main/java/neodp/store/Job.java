package neodp.store;

import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.call.Host;
import neodp.call.Memory;
import neodp.call.Task;
import neodp.call.Workers;

/** One call that reads a whole graph: its workers, its memory, and what it has read. */
public final class Job {
    public final Workers workers;
    public final GraphReader reader;
    public final GraphWriter writer;
    public final GraphInfo info;

    /**
     * How a call works.
     *
     * @param procedure its name
     * @param concurrency how many threads work
     * @param batchSize how many datasets a transaction reads or writes
     * @param logProgress whether the server's log says how far it has come
     * @param jobId under which name {@code neodp.listProgress} has it
     * @param naming the names that the graph goes by
     */
    public record Manner(
            String procedure, int concurrency, int batchSize, boolean logProgress, String jobId, Naming naming) {
        private static final int MOST = 4;

        /** One thread per processor, four at most. */
        public static Manner usual(String procedure) {
            int threads = Math.min(MOST, Runtime.getRuntime().availableProcessors());
            return new Manner(
                    procedure, threads, 20_000, true, UUID.randomUUID().toString(), Naming.OWN);
        }
    }

    /** How long reading and the mathematics took. */
    public long readMillis;

    public long computeMillis;

    private final Task task;

    private Job(String graph, Manner manner, GraphInfo known, Workers workers, Task task) {
        this.task = task;
        this.workers = workers;
        reader = new GraphReader(workers, manner.batchSize(), task);
        writer = new GraphWriter(workers, manner.batchSize(), task);
        info = known != null ? known : reader.info(graph, manner.naming());
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
    public static <T> T run(Host host, String graph, Manner manner, GraphInfo known, Function<Job, T> work) {
        return Cursors.orPublic(
                () -> {
                    try (Task task = new Task(host, manner.procedure(), manner.jobId(), manner.logProgress());
                            Workers workers = new Workers(host, manner.concurrency())) {
                        return work.apply(new Job(graph, manner, known, workers, task));
                    }
                },
                why -> host.log()
                        .warn("neodp uses the public interface from now on, which is slower: this version "
                                + "of Neo4j has different internals: " + why));
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
        DatasetGraph graph = read(false).graph();
        return computed(() -> Solver.extend(graph, info.method(), workers));
    }

    public Mechanism extend(DatasetGraph graph) {
        return computed(() -> Solver.extend(graph, null, workers));
    }

    public Solver.Alpha balanced(DatasetGraph graph) {
        return computed(() -> Solver.balanced(graph, workers));
    }

    /** Do the mathematics, and note how long it took. */
    public <T> T computed(Supplier<T> work) {
        long began = System.nanoTime();
        Task.Step step = task.step("Compute", 1);
        T out = step.after(work.get());
        computeMillis = millis(began);
        return out;
    }

    public static long millis(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }
}
