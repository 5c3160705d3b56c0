package neodp.algorithm;

import java.util.Arrays;
import neodp.call.Workers;

/** Alpha that shares every boundary edge evenly: the twin of {@code balanced} in {@code neodp/core/binary/choices.py}. */
public final class Balanced {
    private Balanced() {}

    /** That alpha as labels of each dataset's own colour. */
    public static long[] labels(DatasetGraph graph, Workers workers) {
        Rule rule = new Rule(graph, workers);
        long[] label = new long[graph.size()];
        Arrays.fill(label, Labels.HALF);
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            if (graph.crossing(e)) {
                long even = rule.balance(e);
                label[graph.source[e]] = Math.min(label[graph.source[e]], even);
                label[graph.target[e]] = Math.min(label[graph.target[e]], even);
            }
        }
        boolean[] boundary = graph.boundary(workers);
        new Settle(graph.adjacency(workers), rule, graph.color, workers::check)
                .run(label, Mechanism.where(graph.size(), v -> boundary[v], workers));
        return label;
    }

    /** One of those labels as Pr[first colour] and Pr[second colour]. */
    public static double[] alpha(DatasetGraph graph, long[] label, int v) {
        long first = graph.color[v] == 0 ? label[v] : -label[v];
        return new double[] {Labels.decode(first), Labels.decode(-first)};
    }
}
