package neodp.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import neodp.Alone;
import neodp.Refusal;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** The extension is private on every edge, keeps alpha, and cannot be raised anywhere. */
final class LabelingTest {
    private static double[] column(Labeling mechanism, int c) {
        double[] out = new double[mechanism.graph.size()];
        for (int v = 0; v < out.length; v++) {
            out[v] = mechanism.chance(v, c);
        }
        return out;
    }

    @Test
    void randomGraphsArePrivateAndKeepAlpha() {
        Random random = new Random(3);
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 200; i++) {
                DatasetGraph graph = Graphs.random(random, workers);
                Labeling found = Labeling.extend(graph, workers);
                Audit audit = new Audit(graph, new double[][] {column(found, 0), column(found, 1)}, 5, workers);
                assertEquals(4L * graph.edges(), audit.checks);
                assertEquals(0, audit.violations);
                for (int v = 0; v < graph.size(); v++) {
                    assertTrue(!graph.given(v) || found.fit.rounded() > 0 || found.chance(v, 0) == graph.alpha[0][v]);
                    assertTrue(found.truth(v) >= found.leastTruth(workers));
                }
            }
        }
    }

    @Test
    void aHigherChanceAtAnyDatasetWouldBreakAnEdge() {
        Random random = new Random(4);
        try (Workers workers = new Alone().workers()) {
            for (int i = 0; i < 100; i++) {
                DatasetGraph graph = Graphs.random(random, workers);
                Labeling found = Labeling.extend(graph, workers);
                double[] p = column(found, 0);
                double[] q = column(found, 1);
                for (int v = 0; v < graph.size(); v++) {
                    double mine = graph.color[v] == 0 ? p[v] : q[v];
                    if (!graph.given(v) && mine < 0.999) {
                        double[] higher = p.clone();
                        double[] lower = q.clone();
                        double more = mine + (1.0 - mine) * 1e-6;
                        higher[v] = graph.color[v] == 0 ? more : 1.0 - more;
                        lower[v] = graph.color[v] == 0 ? 1.0 - more : more;
                        assertTrue(new Audit(graph, new double[][] {higher, lower}, 0, workers).violations > 0);
                    }
                }
            }
        }
    }

    @Test
    void alphaThatCannotBeIsRefusedWithItsWitness() {
        try (Workers workers = new Alone().workers()) {
            Edges edges = new Edges();
            edges.add(0, 1, 0.1, 0.0);
            DatasetGraph graph = Graphs.graph(
                    new String[] {"a", "b"},
                    new byte[2],
                    new double[] {0.1, 0.9},
                    new double[] {0.9, 0.1},
                    edges,
                    workers);
            Witness witness = (Witness) assertThrows(Incompatible.class, () -> Labeling.extend(graph, workers)).witness;
            assertEquals("b", witness.dataset());
            assertEquals("a", witness.origin());
            assertEquals(0.9, witness.value());
        }
    }

    @Test
    void aBoundaryEdgeWithoutAlphaIsRefused() {
        try (Workers workers = new Alone().workers()) {
            Edges edges = new Edges();
            edges.add(0, 1, 0.1, 0.0);
            DatasetGraph graph = Graphs.graph(
                    new String[] {"a", "b"}, new byte[] {0, 1}, Graphs.nothing(2), Graphs.nothing(2), edges, workers);
            Refusal refusal = assertThrows(Refusal.class, () -> Labeling.extend(graph, workers));
            assertTrue(refusal.is("unhit_boundary"));
        }
    }
}
