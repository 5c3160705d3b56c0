package neodp.procedures;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.algorithm.Ball;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Keys;
import neodp.algorithm.Mechanism;
import neodp.algorithm.Path;
import neodp.call.Host;
import neodp.call.Memory;
import neodp.call.Workers;
import neodp.results.Evaluation;
import neodp.store.GraphInfo;
import neodp.store.Job;
import neodp.store.Model;
import neodp.store.NodeNeighborhood;
import neodp.store.PropertyValues;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;

/**
 * The mechanism at datasets that somebody asks for, one row per key, and why.
 *
 * <p>All keys are looked up, and compared with what is stored, before the first row is given. The rows are made one by
 * one, as they are taken: a path may be as long as the graph, and all of them together longer than the server has memory.
 * A dataset that is asked for again is not computed again.
 */
public final class Evaluations {
    private static final long PER_ROW = 600; // bytes
    private static final long PER_STEP = 60; // of a path

    private final Host host;
    private final Transaction tx;
    private final GraphInfo info;
    private final Job.Manner manner;
    private final List<String> keys;

    public Evaluations(Host host, Transaction tx, GraphInfo info, Job.Manner manner, List<String> keys) {
        this.host = host;
        this.tx = tx;
        this.info = info;
        this.manner = manner;
        this.keys = keys;
    }

    /** How they were found: the columns that all rows share. */
    private record How(long seen, long expanded, long layers, long reach, String proof) {}

    /** By a search around the datasets. */
    public Stream<Evaluation> searched(int limit, int layers) {
        try (Workers workers = new Workers(host, 1)) {
            Ball<Node> ball = NodeNeighborhood.ball(tx, info, workers);
            int[] asked = ball.search(keys, limit, layers);
            How how = new How(ball.seen(), ball.expanded, ball.layers, ball.reach, ball.proof);
            return rows(ball.mechanism, asked, how, workers);
        }
    }

    /** By a search, or by a pass over the whole graph where the search grows too large. */
    public Stream<Evaluation> searchedOrWhole(int limit) {
        try {
            return searched(limit, Ball.LAYERS);
        } catch (Refusal refusal) {
            if (!refusal.is("ball_too_large")) {
                throw refusal;
            }
        }
        return whole("the search grew too large, so the whole graph was extended");
    }

    /** By a pass over the whole graph. */
    public Stream<Evaluation> whole(String proof) {
        return Job.run(host, info.name(), manner, info, job -> {
            Mechanism mechanism = job.evaluated();
            int[] asked = Keys.places(keys, mechanism.graph::index, job.workers);
            int n = mechanism.graph.size();
            return rows(mechanism, asked, new How(n, n, 0, 0, proof), job.workers);
        });
    }

    private Stream<Evaluation> rows(Mechanism mechanism, int[] asked, How how, Workers workers) {
        workers.memory.take(4L * mechanism.graph.size());
        int[] left = new int[mechanism.graph.size()];
        for (int i = 0; i < asked.length; i++) {
            workers.check(i);
            left[asked[i]]++;
        }
        agree(mechanism, left, workers);
        mechanism.measure();
        info.unchanged(tx);
        Rows rows = new Rows(mechanism, how, left, workers.memory);
        workers.memory.keep();
        return IntStream.range(0, asked.length).mapToObj(i -> rows.at(asked[i])).onClose(workers.memory::close);
    }

    /** Refuse what the store no longer agrees with: nobody should be answered by a mixture. */
    private void agree(Mechanism mechanism, int[] left, Workers workers) {
        for (int v = 0; info.version() != null && v < left.length; v++) {
            workers.check(v);
            if (left[v] > 0) {
                workers.check();
                Map<String, Object> stored =
                        Model.find(tx, info.name(), mechanism.graph.keys[v]).getProperties("p", "q", "probabilities");
                double[] found = mechanism.row(v);
                double[] kept = mechanism.graph.binary()
                        ? new double[] {PropertyValues.number(stored.get("p")), PropertyValues.number(stored.get("q"))}
                        : PropertyValues.probabilities(found.length, stored.get("probabilities"));
                if (!Arrays.equals(kept, found)) {
                    throw Refusal.stale(info.name(), info.written());
                }
            }
        }
    }

    /** Rows as they are taken, when the call has returned. */
    private final class Rows {
        private final Mechanism mechanism;
        private final How how;
        private final int[] left; // per dataset, how often it is still to come
        private final Memory memory;
        private final Map<Integer, Evaluation> again = new HashMap<>();

        Rows(Mechanism mechanism, How how, int[] left, Memory memory) {
            this.mechanism = mechanism;
            this.how = how;
            this.left = left;
            this.memory = memory;
        }

        Evaluation at(int v) {
            host.guard().check();
            left[v]--;
            Evaluation row = again.get(v);
            if (row == null) {
                row = evaluation(v);
                if (left[v] > 0) {
                    memory.take(bytes(row));
                    again.put(v, row);
                }
            } else if (left[v] == 0) {
                again.remove(v);
                memory.give(bytes(row));
            }
            return row;
        }

        private long bytes(Evaluation row) {
            return PER_ROW + PER_STEP * row.path.size();
        }

        private Evaluation evaluation(int v) {
            DatasetGraph graph = mechanism.graph;
            Path path = mechanism.path(v, host.guard()::check, memory);
            Evaluation row = new Evaluation();
            row.key = graph.keys[v];
            row.color = graph.colorOf(v);
            row.colors = graph.colors;
            row.probabilities = new LinkedHashMap<>();
            for (int c = 0; c < graph.colors.size(); c++) {
                row.probabilities.put(graph.colors.get(c), mechanism.chance(v, c));
            }
            row.pTrue = mechanism.truth(v);
            row.path = path.datasets().stream().map(u -> graph.keys[u]).toList();
            row.decider = row.path.isEmpty() ? null : row.path.get(0);
            row.epsilons = path.edges().stream().map(e -> graph.epsilon[e]).toList();
            row.deltas = path.edges().stream().map(e -> graph.delta[e]).toList();
            row.rounded = mechanism.fit.rounded();
            row.seen = how.seen;
            row.expanded = how.expanded;
            row.layers = how.layers;
            row.reach = how.reach;
            row.proof = how.proof;
            return row;
        }
    }
}
