package neodp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/**
 * What Cypher can call: the optimal mechanism inside the database, in the manner of Neo4j GDS.
 *
 * <p>{@code neodp.eval} works in the caller's transaction. All others read and write in transactions of their own, chunk
 * by chunk, so that they do not see what the caller has not committed yet; call them in a statement of their own.
 */
public final class Procedures {
    private static final int WORST = 5;
    private static final long PER_WORST = 700; // bytes, of an edge in a result

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

    // --- results --------------------------------------------------------------------------------------------------

    /** The mechanism at one dataset, and why. */
    public static final class Evaluation {
        @Description("The dataset.")
        public String key;

        @Description("Its true answer.")
        public String color;

        @Description("The possible answers, the first colour first.")
        public List<String> colors;

        @Description("The chance of each answer.")
        public Map<String, Object> probabilities;

        @Description("The chance of the true answer.")
        public double p_true;

        @Description("The dataset whose alpha decides; null where none does.")
        public String decider;

        @Description("From the decider to the dataset.")
        public List<String> path;

        @Description("Of the edges along the path.")
        public List<Double> epsilons;

        @Description("Of the edges along the path.")
        public List<Double> deltas;

        @Description("How many datasets were looked at.")
        public long seen;

        @Description("Of how many datasets the edges were looked at.")
        public long expanded;

        @Description("How often edges were asked for; 0 where the whole graph was extended.")
        public long layers;

        @Description("How many edges the farthest dataset seen is away.")
        public long reach;

        @Description("How many alpha were rounded in.")
        public long rounded;

        @Description("Why nothing else matters.")
        public String proof;
    }

    /** The mechanism at one dataset. */
    public static final class Row {
        @Description("The dataset.")
        public String key;

        @Description("Its true answer.")
        public String color;

        @Description("Pr[first colour].")
        public double p;

        @Description("Pr[second colour].")
        public double q;

        @Description("The chance of the true answer.")
        public double p_true;

        @Description("How many edges it is away from the boundary; -1 where none can be reached.")
        public long distance;
    }

    /** A mechanism, summed up. */
    public static final class Stats {
        @Description("The graph.")
        public String graph;

        @Description("How many datasets it has.")
        public long vertices;

        @Description("How many edges it has.")
        public long edges;

        @Description("How many datasets lie on the boundary.")
        public long boundary;

        @Description("The least chance of a true answer.")
        public double min_p_true;

        @Description("The mean chance of a true answer, every dataset alike.")
        public double mean_p_true;

        @Description("How many alpha were rounded in.")
        public long rounded;

        @Description("On how many datasets it was kept.")
        public long written;

        @Description("How long reading took.")
        public long read_millis;

        @Description("How long the mathematics took.")
        public long compute_millis;

        @Description("How long writing took.")
        public long write_millis;
    }

    /** The memory of an extension. */
    public static final class Estimate {
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
    }

    /** Whether a graph can be extended. */
    public static final class Check {
        @Description("Whether the graph is in one piece.")
        public boolean connected;

        @Description("In how many pieces it is.")
        public long components;

        @Description("How many datasets lie on the boundary.")
        public long boundary;

        @Description("Whether every boundary edge has alpha at one end.")
        public boolean boundary_hit;

        @Description("A boundary edge with alpha at neither end: two keys, or null.")
        public List<String> unhit;

        @Description("Whether some private mechanism takes alpha; null where the boundary is not hit.")
        public Boolean compatible;

        @Description("Two datasets whose alpha cannot both be kept, or null.")
        public Map<String, Object> witness;

        @Description("How many alpha would be rounded in.")
        public long rounded;
    }

    /** What an audit found. */
    public static final class Audited {
        @Description("How many edges were looked at.")
        public long edges;

        @Description("How many inequalities were checked.")
        public long checks;

        @Description("How many are broken.")
        public long violations;

        @Description("How many were too close for double-double arithmetic.")
        public long undecided;

        @Description("Whether the graph has changed since the mechanism was written.")
        public boolean stale;

        @Description("When that was.")
        public String written;

        @Description("The edges closest to their limit or beyond it, worst first.")
        public List<Map<String, Object>> worst;
    }

    /** The chosen alpha of a boundary dataset. */
    public static final class Alpha {
        @Description("The dataset.")
        public String key;

        @Description("Its true answer.")
        public String color;

        @Description("Pr[first colour] and Pr[second colour].")
        public List<Double> alpha;

        @Description("Whether it was kept.")
        public boolean written;
    }

    /** An answer that was given. */
    public static final class Answer {
        @Description("The graph.")
        public String graph;

        @Description("The release.")
        public String release;

        @Description("One of the colours.")
        public String answer;

        @Description("When it was kept.")
        public String time;

        @Description("Whose data it is about.")
        public String population;
    }

    // --- procedures -----------------------------------------------------------------------------------------------

    /** One row per key. */
    @Procedure(name = "neodp.eval", mode = Mode.READ)
    @Description(
            "The optimal mechanism at some datasets, the same as neodp.extend gives, by a search around them; what "
                    + "decides, and why the search could stop. Options: limit (how many datasets a search may see), engine "
                    + "('auto', 'ball': search only, 'whole': the work does not depend on the datasets).")
    public Stream<Evaluation> eval(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "keys", description = "The datasets.") List<String> keys,
            @Name(value = "configuration", defaultValue = "{}", description = "limit, engine.")
                    Map<String, Object> configuration) {
        Options options = new Options(configuration, "limit", "engine");
        String engine = options.choice("engine", "auto", "ball", "whole");
        if (keys == null) {
            throw Refusal.graph("the list of keys is null", "give a list of texts");
        }
        for (String key : keys) {
            guard.check();
            if (key == null) {
                throw Refusal.graph("a key is null", "give a list of texts");
            }
        }
        Store.Info info = Store.info(tx, graph);
        info.requireEpsilonDelta();
        if (info.stale()) { // for every dataset alike
            throw Refusal.stale(graph, info.written());
        }
        int limit = options.number("limit", Ball.cheaper(info), 1, Integer.MAX_VALUE);
        Evaluations evaluations = new Evaluations(host(), tx, info, keys);
        if (engine.equals("whole")) {
            return evaluations.whole("the whole graph was extended");
        }
        try {
            return evaluations.searched(limit, engine.equals("auto") ? Ball.LAYERS : -1);
        } catch (Refusal refusal) {
            if (engine.equals("ball") || !refusal.is("ball_too_large")) {
                throw refusal;
            }
        }
        return evaluations.whole("the search grew too large, so the whole graph was extended");
    }

    /** One row per dataset. */
    @Procedure(name = "neodp.extend.stream", mode = Mode.READ)
    @Description("The optimal mechanism, one row per dataset; nothing is written. Options: concurrency, batch.")
    public Stream<Row> stream(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        return job(graph, new Options(configuration, "concurrency", "batch"), job -> {
            Mechanism mechanism = job.extended();
            boolean[] boundary = mechanism.graph.boundary(job.workers);
            int[] start = Mechanism.where(boundary.length, v -> boundary[v], job.workers);
            int[] distance = mechanism.graph.hops(start, job.workers);
            job.workers.memory.keep();
            return IntStream.range(0, boundary.length)
                    .mapToObj(v -> {
                        guard.check();
                        Row row = new Row();
                        row.key = mechanism.graph.keys[v];
                        row.color = mechanism.graph.colorOf(v);
                        row.p = mechanism.first(v);
                        row.q = mechanism.second(v);
                        row.p_true = mechanism.truth(v);
                        row.distance = distance[v];
                        return row;
                    })
                    .onClose(job.workers.memory::close);
        });
    }

    /** One row. */
    @Procedure(name = "neodp.extend.stats", mode = Mode.READ)
    @Description("The optimal mechanism, summed up; nothing is written. Options: concurrency, batch.")
    public Stream<Stats> stats(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        return job(
                graph,
                new Options(configuration, "concurrency", "batch"),
                job -> Stream.of(summary(job, job.extended())));
    }

    private static Stats summary(Job job, Mechanism mechanism) {
        Stats out = new Stats();
        out.graph = job.info.name();
        out.vertices = mechanism.graph.size();
        out.edges = mechanism.graph.edges();
        out.boundary = count(mechanism.graph.boundary(job.workers));
        out.min_p_true = mechanism.leastTruth(job.workers);
        out.mean_p_true = mechanism.meanTruth(job.workers);
        out.rounded = mechanism.rounded;
        out.read_millis = job.readMillis;
        out.compute_millis = job.computeMillis;
        return out;
    }

    /** One row. */
    @Procedure(name = "neodp.extend.write", mode = Mode.WRITE)
    @Description(
            "Finds the optimal mechanism and keeps it on the datasets, as p, q, p_true and distance: all or nothing "
                    + "for every reader. Commits in transactions of its own. Options: concurrency, batch.")
    public Stream<Stats> write(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        return job(graph, new Options(configuration, "concurrency", "batch"), job -> {
            Store.Stored stored = job.read(false);
            Supplier<String> fingerprint = job.workers.begin(
                    () -> stored.graph().fingerprint(job.workers)); // beside the rest: the end needs it
            Mechanism mechanism = job.extend(stored.graph());
            long began = System.nanoTime();
            job.store.write(stored, mechanism, fingerprint);
            Stats stats = summary(job, mechanism);
            stats.written = stats.vertices;
            stats.write_millis = Job.millis(began);
            log.info(String.format(
                    Locale.ROOT,
                    "neodp.extend.write(%s): %,d datasets and %,d edges; read %,d ms, compute %,d ms, write %,d ms",
                    Text.quoted(graph),
                    stats.vertices,
                    stats.edges,
                    stats.read_millis,
                    stats.compute_millis,
                    stats.write_millis));
            return Stream.of(stats);
        });
    }

    /** One row. */
    @Procedure(name = "neodp.extend.estimate", mode = Mode.READ)
    @Description(
            "The memory of the server that neodp.extend takes at least and at most, and whether it would be tried. "
                    + "Options: concurrency, batch, which change nothing.")
    public Stream<Estimate> estimate(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "concurrency, batch.")
                    Map<String, Object> configuration) {
        Options options = new Options(configuration, "concurrency", "batch");
        options.concurrency();
        options.batch();
        Store.Info info = Store.info(tx, graph);
        Estimate out = new Estimate();
        out.vertices = info.datasets();
        out.edges = info.edges();
        out.bytes_min = Memory.least(info.datasets(), info.edges());
        out.bytes_max = Memory.most(info.datasets(), info.edges());
        out.bytes_available = Memory.available();
        out.fits = out.bytes_max <= out.bytes_available;
        return Stream.of(out);
    }

    /** One row. */
    @Procedure(name = "neodp.check", mode = Mode.READ)
    @Description("Is the graph connected, its boundary hit, its alpha compatible? With a witness where not.")
    public Stream<Check> check(@Name(value = "graph", description = "The graph's name.") String graph) {
        return job(graph, Options.NONE, job -> {
            DatasetGraph read = job.read(false).graph();
            Check out = new Check();
            int unhit = read.unhitEdge(job.workers);
            out.components = read.components(job.workers);
            out.connected = out.components == 1;
            out.boundary = count(read.boundary(job.workers));
            out.boundary_hit = unhit < 0;
            if (unhit >= 0) {
                out.unhit = List.of(read.keys[read.source[unhit]], read.keys[read.target[unhit]]);
            } else {
                try {
                    out.rounded = Mechanism.solve(read, job.workers).rounded;
                    out.compatible = true;
                } catch (Refusal refusal) {
                    if (refusal.witness == null) {
                        throw refusal;
                    }
                    out.compatible = false;
                    out.witness = witness(refusal.witness);
                }
            }
            job.workers.memory.keep(); // a witness may have a long path
            return Stream.of(out).onClose(job.workers.memory::close);
        });
    }

    private static Map<String, Object> witness(Mechanism.Witness found) {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("dataset", found.dataset());
        out.put("color", found.color());
        out.put("value", found.value());
        out.put("bound", found.bound());
        out.put("origin", found.origin());
        out.put("origin_value", found.originValue());
        out.put("path", found.path());
        out.put("epsilon", found.epsilon());
        out.put("delta", found.delta());
        out.put("sentence", found.sentence());
        return out;
    }

    /** One row. */
    @Procedure(name = "neodp.audit", mode = Mode.READ)
    @Description("Checks the stored probabilities on every edge, exactly, and whether the graph has changed since they "
            + "were written. Options: worst (how many of the worst edges to name), concurrency, batch.")
    public Stream<Audited> audit(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "worst, concurrency, batch.")
                    Map<String, Object> configuration) {
        Options options = new Options(configuration, "worst", "concurrency", "batch");
        int count = options.number("worst", WORST, 0, 1_000_000);
        return job(graph, options, job -> {
            job.info.requireMechanism();
            Store.Stored stored = job.read(true);
            Store.Info after = job.store.info(graph);
            if (after.version() == null || !after.version().equals(job.info.version())) {
                throw Refusal.noMechanism(
                        "the mechanism of graph " + Text.quoted(graph) + " was replaced while it was read",
                        "try again");
            }
            DatasetGraph read = stored.graph();
            Supplier<String> fingerprint = job.workers.begin(() -> read.fingerprint(job.workers));
            Audit found = new Audit(read, stored.p(), stored.q(), count, job.workers);
            Audited out = new Audited();
            out.edges = found.edges;
            out.checks = found.checks;
            out.violations = found.violations;
            out.undecided = found.undecided;
            out.stale = job.info.stale() || !fingerprint.get().equals(job.info.fingerprint());
            out.written = job.info.written();
            out.worst = new ArrayList<>();
            for (Audit.Edge edge : found.worst) {
                job.workers.check();
                int e = edge.position();
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("source", read.keys[read.source[e]]);
                row.put("target", read.keys[read.target[e]]);
                row.put("epsilon", read.epsilon[e]);
                row.put("delta", read.delta[e]);
                row.put("tightness", edge.tightness());
                List<String> broken = found.sentences(edge);
                row.put("broken", broken);
                job.workers.memory.take(PER_WORST
                        + 2L * broken.stream().mapToInt(String::length).sum());
                out.worst.add(row);
            }
            job.workers.memory.keep();
            return Stream.of(out).onClose(job.workers.memory::close);
        });
    }

    /** One row per boundary dataset. */
    @Procedure(name = "neodp.boundary.balanced", mode = Mode.WRITE)
    @Description("The alpha that shares every boundary edge evenly between its two ends, one row per boundary dataset. "
            + "Options: write (keep it instead of the alpha there is; the stored mechanism is then void), concurrency, "
            + "batch.")
    public Stream<Alpha> balanced(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "configuration", defaultValue = "{}", description = "write, concurrency, batch.")
                    Map<String, Object> configuration) {
        Options options = new Options(configuration, "write", "concurrency", "batch");
        boolean write = options.yes("write");
        return job(graph, options, job -> {
            Store.Stored stored = job.read(false);
            DatasetGraph read = stored.graph();
            boolean[] boundary = read.boundary(job.workers);
            long[] label = Mechanism.balanced(read, job.workers);
            if (write) {
                job.store.writeAlpha(stored, label, boundary);
                log.info(String.format(
                        Locale.ROOT,
                        "neodp.boundary.balanced(%s): alpha written on %,d datasets",
                        Text.quoted(graph),
                        count(boundary)));
            }
            int[] chosen = Mechanism.where(read.size(), v -> boundary[v], job.workers);
            job.workers.memory.keep();
            return Arrays.stream(chosen)
                    .mapToObj(v -> {
                        guard.check();
                        Alpha row = new Alpha();
                        double[] alpha = Store.alphaOf(read, label, v);
                        row.key = read.keys[v];
                        row.color = read.colorOf(v);
                        row.alpha = List.of(alpha[0], alpha[1]);
                        row.written = write;
                        return row;
                    })
                    .onClose(job.workers.memory::close);
        });
    }

    /** One row. */
    @Procedure(name = "neodp.answer", mode = Mode.WRITE)
    @Description(
            "One private answer for a dataset: drawn once, kept under the release's name before it is shown, and the "
                    + "same whenever asked again. It counts against the budget of the graph's population. Options: keep_key (keep "
                    + "the dataset's key beside the answer), constant_work (the time does not depend on the dataset), verify (read "
                    + "the whole graph again, so that changes by others are noticed).")
    public Stream<Answer> answer(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "key", description = "The dataset.") String key,
            @Name(value = "release", description = "The question's name.") String release,
            @Name(value = "configuration", defaultValue = "{}", description = "keep_key, constant_work, verify.")
                    Map<String, Object> configuration) {
        Options options = new Options(configuration, "keep_key", "constant_work", "verify");
        if (graph == null || key == null || release == null) {
            throw Refusal.graph("an argument is null", "give the graph, the dataset's key and the release as texts");
        }
        boolean keepKey = options.yes("keep_key");
        boolean constantWork = options.yes("constant_work");
        boolean verify = options.yes("verify");
        Release kept = new Answers(host(), graph).answer(key, release, keepKey, constantWork, verify);
        Answer out = new Answer();
        out.graph = kept.graph();
        out.release = kept.name();
        out.answer = kept.answer();
        out.time = kept.time();
        out.population = kept.population();
        return Stream.of(out);
    }

    private Host host() {
        return new Host(db, guard, memory);
    }

    private <T> T job(String graph, Options options, Function<Job, T> work) {
        return Job.run(host(), graph, options, null, work);
    }

    private static int count(boolean[] mask) {
        int count = 0;
        for (boolean x : mask) {
            count += x ? 1 : 0;
        }
        return count;
    }
}
