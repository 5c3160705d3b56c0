package neodp.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import neodp.Alone;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** Label-setting finds the least labels, which are unique: the same as relaxing every edge until nothing changes. */
final class SettleTest {
    @Test
    void theLeastLabelOverAllPaths() {
        Random random = new Random(2);
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 300; i++) {
                DatasetGraph graph = Graphs.random(random, workers);
                Rule rule = new Rule(graph, workers);
                byte[] color = random.nextBoolean() ? graph.color : null;
                long[] label = new long[graph.size()];
                Arrays.fill(label, Labels.HALF);
                int[] seeds = IntStream.range(0, graph.size())
                        .filter(v -> random.nextInt(4) == 0)
                        .toArray();
                for (int v : seeds) {
                    double p = random.nextDouble();
                    label[v] = Labels.encode(p, 1.0 - p);
                }
                long[] expected = relaxed(graph, rule, color, label.clone());
                new Settle(graph.adjacency(workers), rule, color, () -> {}).run(label, seeds);
                assertArrayEquals(expected, label);
            }
        }
    }

    private static long[] relaxed(DatasetGraph graph, Rule rule, byte[] color, long[] label) {
        for (boolean changed = true; changed; ) {
            changed = false;
            for (int e = 0; e < graph.edges(); e++) {
                int u = graph.source[e];
                int v = graph.target[e];
                if (color == null || color[u] == color[v]) {
                    long atV = Math.min(label[v], rule.relax(label[u], e));
                    long atU = Math.min(label[u], rule.relax(label[v], e));
                    changed |= atV < label[v] || atU < label[u];
                    label[v] = atV;
                    label[u] = atU;
                }
            }
        }
        return label;
    }
}
