package neodp.algorithm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import neodp.call.Workers;

/**
 * Is a mechanism private? Decided edge by edge, without a tolerance: the twin of {@code neodp/core/auditing.py}.
 *
 * <p>For every edge (u, v) with its epsilon and delta, p_u <= e^eps p_v + delta and its three companions must hold for the
 * numbers as they are stored; with more colours, P(A) <= e^eps Q(A) + delta for every set A of answers and both ways.
 * {@link Inequalities} decides each of them.
 */
public final class Audit {
    private static final int PATIENCE = 1 << 15;
    private static final long PER_EDGE = 60; // bytes, of an edge that is kept as one of the worst

    public final int edges;
    public final long checks;
    public long violations;
    public long undecided;

    /** The edges closest to their limit or beyond it, worst first. */
    public final List<Edge> worst = new ArrayList<>();

    private final DatasetGraph graph;
    private final double[][] chances;

    private static final Comparator<Edge> WORST_FIRST = Comparator.comparing((Edge edge) -> edge.broken == 0)
            .thenComparing(
                    Comparator.comparingDouble((Edge edge) -> edge.tightness).reversed())
            .thenComparingInt(edge -> edge.position);

    /** One edge: how much of what its inequalities allow is used, and how many of them are broken. */
    public record Edge(int position, double tightness, int broken) {}

    private record Part(long violations, long undecided, Collection<Edge> worst) {}

    /**
     * Check probabilities on every edge of a graph.
     *
     * @param chances per colour and dataset
     * @param count how many of the worst edges to report
     */
    public Audit(DatasetGraph graph, double[][] chances, int count, Workers workers) {
        this.graph = graph;
        this.chances = chances;
        this.edges = graph.edges();
        long single = 0;
        for (int e = 0; e < edges; e++) {
            workers.check(e);
            single += graph.delta[e] == 0.0 ? 1 : 0;
        }
        this.checks = graph.binary() ? 4L * edges : 2 * (single * graph.colors.size() + edges - single);
        PriorityQueue<Edge> kept = new PriorityQueue<>(WORST_FIRST.reversed()); // the least bad one first
        for (Part part : workers.ranges(edges, 1 << 18, (from, to) -> audited(from, to, count, workers))) {
            violations += part.violations;
            undecided += part.undecided;
            for (Edge edge : part.worst) {
                keep(edge, kept, count, workers);
            }
        }
        while (!kept.isEmpty()) {
            workers.check();
            worst.add(kept.remove());
        }
        Collections.reverse(worst);
    }

    /** Keep an edge among the worst. */
    private static void keep(Edge edge, PriorityQueue<Edge> kept, int count, Workers workers) {
        workers.check();
        kept.add(edge);
        if (kept.size() > count) {
            kept.remove();
        } else {
            workers.memory.take(PER_EDGE);
        }
    }

    private Part audited(int from, int to, int count, Workers workers) {
        PriorityQueue<Edge> kept = new PriorityQueue<>(WORST_FIRST.reversed()); // the least bad one first
        long broken = 0;
        Inequalities edge = new Inequalities(chances.length, workers);
        for (int e = from; e < to; e++) {
            if ((e - from) % PATIENCE == 0) {
                workers.check();
            }
            judge(edge, e);
            broken += edge.violations;
            if (count > 0 && (edge.violations != 0 || kept.size() < count || edge.tightness > kept.peek().tightness)) {
                keep(new Edge(e, edge.tightness, edge.violations), kept, count, workers);
            }
        }
        return new Part(broken, edge.undecided, kept);
    }

    private void judge(Inequalities edge, int e) {
        edge.take(0, chances, graph.source[e]);
        edge.take(1, chances, graph.target[e]);
        edge.judge(graph.epsilon[e], graph.delta[e]);
    }

    /** The inequalities of an edge that do not hold, with their figures. */
    public List<String> sentences(Edge found, Workers workers) {
        int e = found.position;
        Inequalities edge = new Inequalities(chances.length, workers);
        judge(edge, e);
        return edge.sentences(graph, graph.source[e], graph.target[e], graph.epsilon[e], graph.delta[e]);
    }
}
