package neodp.ledger;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Audit;
import neodp.algorithm.Ball;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Edges;
import neodp.algorithm.Fingerprint;
import neodp.algorithm.Inequalities;
import neodp.algorithm.Keys;
import neodp.algorithm.Level;
import neodp.algorithm.Mechanism;
import neodp.algorithm.solvers.Solver;
import neodp.call.Host;
import neodp.call.Memory;
import neodp.call.Workers;
import neodp.store.Certificate;
import neodp.store.GraphInfo;
import neodp.store.Job;
import neodp.store.Model;
import neodp.store.NodeNeighborhood;
import neodp.store.Statements;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;

/**
 * Answers about stored graphs: certified beforehand, drawn once, and refused by public things only.
 *
 * <p>The twin of {@code neodp/store/answers.py}, which says why. Everything is read and written in transactions of its
 * own: an answer counts as given, and is shown, only after it was kept and committed, so that rolling back the caller's
 * transaction does not bring another draw.
 */
public final class Answers {
    private static final int BITS = 1074; // every double from 0 to 1 is a whole number of 2^-1074
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final long PER_NEIGHBOR = 260; // bytes, with its edge
    private static final long PER_CHANCE = 20;

    private final Host host;
    private final String graph;
    private final boolean constantWork;
    private final boolean verify;

    /**
     * Answers about one graph.
     *
     * @param constantWork extend the whole graph, so that the time does not depend on the dataset
     * @param verify read the whole graph again, so that changes by others are noticed
     */
    public Answers(Host host, String graph, boolean constantWork, boolean verify) {
        this.host = host;
        this.graph = graph;
        this.constantWork = constantWork;
        this.verify = verify;
    }

    /**
     * The answer of a release: the one that is kept, or one drawn now for a dataset.
     *
     * @param keepKey keep the dataset's key beside the answer
     */
    public Release answer(String key, String given, boolean keepKey) {
        String name = read((tx, workers) -> {
            Ledger.requireSchema(tx);
            return Release.find(tx, graph, given) == null ? Names.normal(given) : given;
        });
        Release old = read((tx, workers) -> {
            Release kept = Release.find(tx, graph, name);
            return tx.findNode(Model.DATASET_GRAPH, "name", graph) == null ? kept : null;
        });
        if (old != null) {
            return old; // its graph is gone, so that nothing else can be meant
        }
        GraphInfo info = certified();
        if (info.stale()) {
            throw Refusal.stale(graph, info.written());
        }
        String asked = Release.asked(info);
        List<Level> levels = info.certificate().levels();
        Release kept = read((tx, workers) -> {
            Release found = Release.find(tx, graph, name);
            if (found == null) {
                Names.valid("release", name);
                Names.valid("population", info.population());
                Ledger ledger = Ledger.of(tx, info.population(), workers);
                found = Release.find(tx, graph, name); // which the ledger may count already
                if (found == null) {
                    ledger.spend(name, levels, workers);
                }
            }
            return found;
        });
        if (kept == null) {
            double[] chances = audited(info, key);
            String answer = info.colors().get(choose(chances, new BigInteger(BITS, RANDOM)));
            Release drawn = new Release(
                    graph,
                    name,
                    answer,
                    null,
                    keepKey ? key : null,
                    info.population(),
                    asked,
                    levels,
                    "neodp answer " + graph + " KEY");
            kept = write((tx, workers) -> Ledger.keep(tx, drawn, workers));
        }
        kept.require(asked); // somebody may have been faster, with another question
        return kept;
    }

    /** The position that a uniform whole number below 2^1074 selects: {@code neodp/core/sampling.py}. */
    public static int choose(double[] chances, BigInteger uniform) {
        int largest = Inequalities.largest(chances);
        BigDecimal unit = new BigDecimal(BigInteger.TWO.pow(BITS));
        BigInteger end = BigInteger.ZERO; // of the intervals of all but the largest, one after another
        int passed = 0; // all are compared, or time would tell the likely from the others
        for (int c = 0; c < chances.length; c++) {
            if (c != largest) {
                end = end.add(new BigDecimal(chances[c]).multiply(unit).toBigIntegerExact());
                passed += uniform.compareTo(end) < 0 ? 0 : 1;
            }
        }
        return passed == chances.length - 1 ? largest : passed < largest ? passed : passed + 1;
    }

    // --- certified ------------------------------------------------------------------------------------------------

    /** What is known about a graph that is certified; certified now if it is not. */
    private GraphInfo certified() {
        GraphInfo info = read((tx, workers) -> GraphInfo.of(tx, graph));
        if (info.version() != null && !info.privacy().equals(Model.EPSILON_DELTA)) {
            throw Refusal.privacy(
                    "the mechanism of graph " + Text.quoted(graph) + " keeps " + info.privacy()
                            + " privacy, and neodp cannot account for its cost",
                    "run " + Refusal.extend(graph) + " for (epsilon, delta)");
        }
        info.method(); // refused where it is one of the client's, before anything is certified
        if (info.certificate() != null && !verify) {
            return info;
        }
        Certificate certificate;
        try {
            certificate = Job.run(host, graph, Job.Manner.usual("neodp.answer"), info, job -> {
                DatasetGraph read = job.read(false).graph();
                Solver.check(read, job.workers);
                requireConnected(read, job.workers);
                return new Certificate(Fingerprint.of(read, job.workers), Level.of(read, job.workers));
            });
        } catch (Refusal refusal) {
            if (info.certificate() != null && !refusal.is("memory") && !refusal.is("overtaken")) {
                markChanged();
            }
            throw refusal;
        }
        boolean other = info.version() != null && !certificate.fingerprint().equals(info.fingerprint());
        Map<String, Object> row = new HashMap<>();
        row.put("graph", graph);
        row.put("revision", info.revision());
        row.put("certificate", certificate.text());
        row.put("stale", info.stale() || other);
        write((tx, workers) -> Statements.row(tx, "certify", row));
        GraphInfo after = read((tx, workers) -> GraphInfo.of(tx, graph));
        if (after.certificate() == null) {
            throw Refusal.notCertified(
                    "graph " + Text.quoted(graph) + " was changed while it was checked", "try again");
        }
        return after;
    }

    private static void requireConnected(DatasetGraph read, Workers workers) {
        int components = read.components(workers);
        if (components > 1) {
            throw Refusal.notCertified(
                    "graph " + Text.quoted(read.name) + " has " + components + " parts that no edge joins, so an "
                            + "answer could reveal for certain which of them the dataset is in",
                    "add the missing edges, or load each part as a graph of its own");
        }
    }

    private void markChanged() {
        write((tx, workers) -> Statements.row(tx, "mark_changed", Map.of("graph", graph)));
    }

    // --- audited --------------------------------------------------------------------------------------------------

    /** What to draw from: the distribution at a dataset, checked exactly. */
    private double[] audited(GraphInfo info, String key) {
        boolean whole = constantWork || info.colors().size() > 2; // no search knows more colours
        return whole ? fromAll(info, key) : fromAround(info, key);
    }

    /** After extending all datasets and checking all edges, so that the work does not depend on the dataset. */
    private double[] fromAll(GraphInfo info, String key) {
        return certifiedStill(() -> Job.run(host, graph, Job.Manner.usual("neodp.answer"), info, job -> {
            Mechanism mechanism = job.evaluated();
            DatasetGraph read = mechanism.graph;
            if (!Fingerprint.of(read, job.workers).equals(info.certificate().fingerprint())) {
                throw changedByOthers();
            }
            job.workers.memory.take(PER_CHANCE * info.colors().size() * read.size());
            double[][] columns = new double[info.colors().size()][read.size()];
            for (int v = 0; v < read.size(); v++) {
                job.workers.check(v);
                for (int c = 0; c < columns.length; c++) {
                    columns[c][v] = mechanism.chance(v, c);
                }
            }
            requirePrivate(new Audit(read, columns, 0, job.workers));
            return mechanism.row(Keys.places(List.of(key), read::index, job.workers)[0]);
        }));
    }

    /** By a search around the dataset, and a check of all its edges. */
    private double[] fromAround(GraphInfo info, String key) {
        try (Workers workers = new Workers(host, 1)) {
            Map<String, Integer> place = new LinkedHashMap<>(Map.of(key, 0)); // the dataset, and then its neighbours
            long each = PER_NEIGHBOR + PER_CHANCE * info.colors().size();
            Edges edges = workers.read(graph, tx -> star(tx, key, place, each, workers));
            List<String> keys = List.copyOf(place.keySet());
            double[][] found = chances(info, keys);
            int n = keys.size();
            int k = info.colors().size();
            double[][] columns = new double[k][n];
            for (int v = 0; v < n; v++) {
                workers.check(v);
                for (int c = 0; c < k; c++) {
                    columns[c][v] = found[v][c];
                }
            }
            DatasetGraph star = new DatasetGraph(
                    graph, info.colors(), keys.toArray(String[]::new), new byte[n], columns, null, edges, workers);
            requirePrivate(new Audit(star, columns, 0, workers));
            return found[0];
        }
    }

    private void requirePrivate(Audit audit) {
        if (audit.violations > 0) {
            throw Refusal.notPrivate(
                    "the mechanism of graph " + Text.quoted(graph) + " breaks an inequality",
                    "run " + Refusal.extend(graph) + " again; nothing was answered");
        }
    }

    /** The distributions at some datasets. */
    private double[][] chances(GraphInfo info, List<String> keys) {
        return certifiedStill(() -> {
            double[][] found = searched(info, keys);
            return found != null ? found : extended(info, keys);
        });
    }

    /** What is found of a graph; where it has no mechanism, somebody has changed it since it was certified. */
    private <T> T certifiedStill(Supplier<T> work) {
        try {
            return work.get();
        } catch (Refusal refusal) {
            if (!refusal.is("incompatible_alpha") && !refusal.is("unhit_boundary")) {
                throw refusal;
            }
            throw changedByOthers();
        }
    }

    private Refusal changedByOthers() {
        markChanged();
        return Refusal.notCertified(
                "graph " + Text.quoted(graph) + " was changed by others since it was certified",
                "look at it with `CALL neodp.check(" + Text.cypher(graph) + ")`");
    }

    /**
     * The edges at a dataset, to others that are given their places.
     *
     * @param each what one of them takes, in bytes
     */
    private Edges star(Transaction tx, String key, Map<String, Integer> place, long each, Workers workers) {
        Node node = Model.find(tx, graph, key);
        Edges edges = new Edges();
        for (Relationship link : node.getRelationships(Model.NEIGHBOR)) {
            workers.check();
            Node other = link.getOtherNode(node);
            if (Model.belongs(other, graph) && other.getProperty("key", null) instanceof String name) {
                workers.memory.take(each + Memory.ofKey(name));
                place.putIfAbsent(name, place.size());
                Model.add(edges, 0, place.get(name), link);
            }
        }
        return edges;
    }

    /** By a search around the datasets; null where that grows too large. */
    private double[][] searched(GraphInfo info, List<String> keys) {
        try (Workers workers = new Workers(host, 1)) {
            return workers.read(graph, tx -> {
                Ball<Node> ball = NodeNeighborhood.ball(tx, info, workers);
                try {
                    int[] found = ball.search(keys, Ball.cheaper(info.datasets()), Ball.LAYERS);
                    return at(ball.mechanism, found, workers);
                } catch (Refusal refusal) {
                    if (refusal.is("ball_too_large")) {
                        return null;
                    }
                    throw refusal;
                }
            });
        }
    }

    private double[][] extended(GraphInfo info, List<String> keys) {
        return Job.run(host, graph, Job.Manner.usual("neodp.answer"), info, job -> {
            Mechanism mechanism = job.evaluated();
            return at(mechanism, Keys.places(keys, mechanism.graph::index, job.workers), job.workers);
        });
    }

    private static double[][] at(Mechanism mechanism, int[] datasets, Workers workers) {
        double[][] out = new double[datasets.length][];
        for (int i = 0; i < out.length; i++) {
            workers.check(i);
            out[i] = mechanism.row(datasets[i]);
        }
        return out;
    }

    // --- transactions of its own ----------------------------------------------------------------------------------

    /** A unit of work in a transaction. */
    private interface Work<T> {
        T run(Transaction tx, Workers workers);
    }

    private <T> T read(Work<T> work) {
        try (Workers workers = new Workers(host, 1)) {
            return workers.read(graph, tx -> work.run(tx, workers));
        }
    }

    /** When this returns, it is committed. */
    private <T> T write(Work<T> work) {
        try (Workers workers = new Workers(host, 1)) {
            return workers.write(graph, tx -> work.run(tx, workers));
        }
    }
}
