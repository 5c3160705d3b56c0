package neodp;

import java.util.function.Function;

/** One call that reads a whole graph: its workers, its memory, and what it has read. */
final class Job {
    final Workers workers;
    final Store store;
    final Store.Info info;

    /** How long reading and the mathematics took. */
    long readMillis;

    long computeMillis;

    private Job(String graph, Options options, Store.Info known, Workers workers) {
        this.workers = workers;
        store = new Store(workers, options.batch());
        info = known != null ? known : store.info(graph);
        Memory.require(graph, info.datasets(), info.edges());
        workers.memory.take(Memory.most(info.datasets(), info.edges()));
    }

    /**
     * Do some work on a graph. When this returns, nothing of it is left but the result, and its memory where the work
     * says that the result keeps it.
     *
     * @param known what is known about the graph; null: find out
     */
    static <T> T run(Host host, String graph, Options options, Store.Info known, Function<Job, T> work) {
        try (Workers workers = new Workers(host, options.concurrency())) {
            return work.apply(new Job(graph, options, known, workers));
        } catch (LinkageError e) { // Cursors.java needs the inside of the server as it knows it
            throw Refusal.client(
                    "this version of Neo4j is not one that the plugin was made for: " + e, "use the client");
        }
    }

    Store.Stored read(boolean probabilities) {
        long began = System.nanoTime();
        Store.Stored stored = store.read(info, probabilities);
        readMillis = millis(began);
        return stored;
    }

    Mechanism extended() {
        return extend(read(false).graph());
    }

    Mechanism extend(DatasetGraph graph) {
        long began = System.nanoTime();
        Mechanism mechanism = Mechanism.extend(graph, workers);
        computeMillis = millis(began);
        return mechanism;
    }

    static long millis(long began) {
        return (System.nanoTime() - began) / 1_000_000;
    }
}
