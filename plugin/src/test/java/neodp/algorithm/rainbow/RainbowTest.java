package neodp.algorithm.rainbow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import neodp.Alone;
import neodp.Refusal;
import neodp.algorithm.Audit;
import neodp.algorithm.DatasetGraph;
import neodp.algorithm.Edges;
import neodp.algorithm.Incompatible;
import neodp.algorithm.Inequalities;
import neodp.algorithm.Path;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** Table, prefix sums and line are private on every edge, for every set of answers, keep alpha, and are the largest. */
final class RainbowTest {
    private static final List<String> COLORS = List.of("a", "b", "c", "d", "e");

    /** A graph whose datasets take the order of one of a few centres; balanced alpha on its boundary. */
    private static DatasetGraph random(Random random, int k, boolean mixed, double delta, Workers workers) {
        int n = 3 + random.nextInt(20);
        String[] keys =
                IntStream.range(0, n).mapToObj(v -> String.format("k%02d", v)).toArray(String[]::new);
        Edges edges = new Edges();
        double epsilon = 0.05 + 2 * random.nextDouble();
        for (int v = 1; v < n; v++) {
            int u = Math.max(0, v - 1 - random.nextInt(2));
            edges.add(u, v, mixed ? 0.02 + 1.5 * random.nextDouble() : epsilon, delta);
        }
        List<Integer> colors =
                new java.util.ArrayList<>(IntStream.range(0, k).boxed().toList());
        byte[] preference = new byte[n * k];
        byte[] color = new byte[n];
        for (int v = 0; v < n; v++) {
            if (v % 7 == 0) {
                Collections.shuffle(colors, random);
            }
            for (int r = 0; r < k; r++) {
                preference[v * k + r] = colors.get(r).byteValue();
            }
            color[v] = preference[v * k];
        }
        return balanced(keys, color, preference, k, edges, workers);
    }

    private static DatasetGraph balanced(
            String[] keys, byte[] color, byte[] preference, int k, Edges edges, Workers workers) {
        double[][] alpha = new double[k][keys.length];
        for (double[] column : alpha) {
            Arrays.fill(column, Double.NaN);
        }
        List<String> colors = COLORS.subList(0, k);
        DatasetGraph bare = new DatasetGraph("g", colors, keys, color, alpha, preference, edges, workers);
        double[] ranked = Choices.balanced(bare, workers);
        for (int v : bare.boundaryDatasets(workers)) {
            double[] row = Choices.at(bare, ranked, v);
            for (int c = 0; c < k; c++) {
                alpha[c][v] = row[c];
            }
        }
        return new DatasetGraph("g", colors, keys, color, alpha, preference, edges, workers);
    }

    private static double[][] columns(Rainbow found) {
        double[][] out = new double[found.graph.colors.size()][found.graph.size()];
        for (int v = 0; v < found.graph.size(); v++) {
            for (int c = 0; c < out.length; c++) {
                out[c][v] = found.chance(v, c);
            }
        }
        return out;
    }

    /** P(A) <= e^eps Q(A) + delta for every set A, one after another, in exact arithmetic. */
    private static void assertPrivate(Rainbow found) {
        DatasetGraph graph = found.graph;
        int k = graph.colors.size();
        for (int e = 0; e < graph.edges(); e++) {
            BigDecimal[] one = Inequalities.exact(found.row(graph.source[e]));
            BigDecimal[] two = Inequalities.exact(found.row(graph.target[e]));
            for (int set = 1; set < 1 << k; set++) {
                BigDecimal p = BigDecimal.ZERO;
                BigDecimal q = BigDecimal.ZERO;
                for (int c = 0; c < k; c++) {
                    if ((set >> c & 1) == 1) {
                        p = p.add(one[c]);
                        q = q.add(two[c]);
                    }
                }
                assertTrue(Inequalities.holds(p, q, graph.epsilon[e], graph.delta[e]));
                assertTrue(Inequalities.holds(q, p, graph.epsilon[e], graph.delta[e]));
            }
        }
    }

    @Test
    void everySetOfAnswersIsPrivate() {
        Random random = new Random(5);
        TreeSet<String> methods = new TreeSet<>();
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 60; i++) {
                DatasetGraph graph =
                        random(random, 3 + i % 3, i % 2 == 1, i % 4 < 2 ? 0.0 : 0.01 * random.nextDouble(), workers);
                for (String method : new String[] {null, "line", "prefix"}) {
                    try {
                        Rainbow found = Rainbow.extend(graph, method, workers);
                        methods.add(found.method);
                        assertPrivate(found);
                        Audit audit = new Audit(graph, columns(found), 3, workers);
                        assertEquals(0, audit.violations);
                        for (int v = 0; v < graph.size(); v++) {
                            assertTrue(!graph.given(v) || found.chance(v, 0) == graph.alpha[0][v]);
                        }
                    } catch (Refusal refusal) { // prefix sums that are not private together
                        assertTrue(refusal.is(method == null ? "client" : "not_private"));
                        assertTrue(i % 2 == 1);
                    }
                }
            }
        }
        assertEquals(new TreeSet<>(List.of("line", "prefix", "table")), methods);
    }

    @Test
    void theAuditNoticesARaisedChance() {
        Random random = new Random(6);
        int noticed = 0;
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 40; i++) {
                DatasetGraph graph = random(random, 3 + i % 3, true, i % 2 == 0 ? 0.0 : 1e-3, workers);
                double[][] chances = columns(Rainbow.extend(graph, "line", workers));
                int v = random.nextInt(graph.size());
                int w = graph.color[v];
                int other = (w + 1) % chances.length;
                chances[other][v] += 0.5 * chances[w][v];
                chances[w][v] *= 0.5;
                Audit audit = new Audit(graph, chances, graph.edges(), workers);
                Inequalities edge = new Inequalities(chances.length, workers);
                long broken = 0;
                for (int e = 0; e < graph.edges(); e++) {
                    edge.take(0, chances, graph.source[e]);
                    edge.take(1, chances, graph.target[e]);
                    edge.judge(graph.epsilon[e], graph.delta[e]);
                    broken += edge.violations;
                }
                assertEquals(broken, audit.violations);
                noticed += audit.violations > 0 ? 1 : 0;
                for (Audit.Edge worst : audit.worst) {
                    assertEquals(worst.broken(), audit.sentences(worst, workers).size());
                }
            }
        }
        assertTrue(noticed > 20);
    }

    /** Figure 2a of paper 003: the chances on a line of 13 datasets. */
    @Test
    void theFigureOfThePaper() {
        double[] alpha = {0.0545, 0.1636, 0.7819};
        try (Workers workers = new Alone().workers()) {
            Steps steps = new Steps(alpha, Inequalities.exact(alpha), Units.length(0.1823, 3), 0.0, workers);
            double[] row = steps.row(12);
            assertArrayEquals(new double[] {0.4858, 0.3865, 0.1277}, row, 5e-5);
            assertArrayEquals(alpha, steps.row(0));
        }
    }

    @Test
    void aTableReachesFar() {
        double[] alpha = {0.0, 0.7, 0.3};
        try (Workers workers = new Alone().workers()) {
            Steps steps = new Steps(alpha, Inequalities.exact(alpha), Units.length(690.0, 3), 0.0, workers);
            assertArrayEquals(new double[] {0.0, 1.0, Double.MIN_NORMAL}, steps.row(1_000_000));
        }
    }

    @Test
    void theLineFollowsItsEquation() {
        double[] alpha = {0.1, 0.3, 0.6};
        Flow flow = new Flow(alpha, Inequalities.exact(alpha));
        double[] row = flow.row((long) (Math.log(2.0) * Units.UNIT));
        assertArrayEquals(new double[] {0.2, 0.4875, 0.3125}, row, 1e-12);
    }

    @Test
    void aPathLeadsFromTheBoundary() {
        try (Workers workers = new Alone().workers()) {
            DatasetGraph graph = random(new Random(8), 3, true, 0.0, workers);
            Rainbow found = Rainbow.extend(graph, "line", workers);
            for (int v = 0; v < graph.size(); v++) {
                Path path = found.path(v, () -> {}, workers.memory);
                if (!path.datasets().isEmpty()) {
                    assertTrue(graph.given(path.datasets().get(0)));
                    assertEquals(v, path.datasets().get(path.datasets().size() - 1));
                    assertEquals(path.datasets().size() - 1, path.edges().size());
                }
            }
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        try (Workers workers = new Alone().workers()) {
            Edges edges = new Edges();
            edges.add(0, 1, 0.1, 0.0);
            String[] keys = {"x", "y"};
            double[][] none = {{Double.NaN, Double.NaN}, {Double.NaN, Double.NaN}, {Double.NaN, Double.NaN}};
            double[][] far = {{0.8, 0.1}, {0.1, 0.8}, {0.1, 0.1}};
            byte[] color = {0, 1};
            byte[] orders = {0, 1, 2, 1, 0, 2};
            List<String> colors = COLORS.subList(0, 3);
            DatasetGraph open = new DatasetGraph("g", colors, keys, color, none, null, edges, workers);
            assertTrue(assertThrows(Refusal.class, () -> Rainbow.extend(open, null, workers))
                    .getMessage()
                    .contains("dataset 'x' of 'g' has no preference: which of b, c comes after a is open"));
            DatasetGraph unhit = new DatasetGraph("g", colors, keys, color, none, orders, edges, workers);
            assertTrue(assertThrows(Refusal.class, () -> Rainbow.extend(unhit, null, workers))
                    .is("unhit_boundary"));
            DatasetGraph apart = new DatasetGraph("g", colors, keys, color, far, orders, edges, workers);
            Incompatible refusal = assertThrows(Incompatible.class, () -> Rainbow.extend(apart, null, workers));
            assertTrue(refusal.witness.sentence().startsWith("alpha at 'x' makes Pr[a] 0.8, at most 0.110517"));
            byte[] one = {0, 1, 2, 0, 1, 2};
            DatasetGraph inside = new DatasetGraph("g", colors, keys, new byte[2], far, one, edges, workers);
            assertTrue(assertThrows(Refusal.class, () -> Rainbow.extend(inside, null, workers))
                    .is("graph"));
        }
    }
}
