package neodp.algorithm;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import neodp.call.Workers;

/** Random graphs of two colours, for tests. */
final class Graphs {
    private Graphs() {}

    /** Connected, with balanced alpha on the boundary. */
    static DatasetGraph random(Random random, Workers workers) {
        int n = 2 + random.nextInt(30);
        String[] keys = new String[n];
        byte[] color = new byte[n];
        Edges edges = new Edges();
        for (int v = 0; v < n; v++) {
            keys[v] = String.format("k%02d", v);
            color[v] = (byte) random.nextInt(2);
            if (v > 0) {
                edges.add(random.nextInt(v), v, 3 * random.nextDouble(), random.nextInt(3) == 0 ? 1e-3 : 0.0);
            }
        }
        DatasetGraph bare = graph(keys, color, nothing(n), nothing(n), edges, workers);
        long[] label = Balanced.labels(bare, workers);
        double[] first = nothing(n);
        double[] second = nothing(n);
        for (int v : bare.boundaryDatasets(workers)) {
            double[] alpha = Balanced.alpha(bare, label, v);
            first[v] = alpha[0];
            second[v] = alpha[1];
        }
        return graph(keys, color, first, second, edges, workers);
    }

    static DatasetGraph graph(
            String[] keys, byte[] color, double[] first, double[] second, Edges edges, Workers workers) {
        double[][] alpha = {first, second};
        return new DatasetGraph("g", List.of("yes", "no"), keys, color, alpha, null, edges, workers);
    }

    static double[] nothing(int n) {
        double[] out = new double[n];
        Arrays.fill(out, Double.NaN);
        return out;
    }
}
