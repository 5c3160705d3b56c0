package neodp.algorithm;

import java.util.Arrays;
import java.util.List;
import neodp.Refusal;
import neodp.call.Workers;

/** Edges as they are found: they may stand twice, and their values have not been looked at. */
public final class Edges {
    /** Bytes that none take. */
    public static final long EMPTY = 500;

    public int count;
    public int counted; // how many of them were told to somebody
    public int[] source = new int[16];
    public int[] target = new int[16];
    public double[] epsilon = new double[16];
    public double[] delta = new double[16];

    public void add(int u, int v, double edgeEpsilon, double edgeDelta) {
        if (count == source.length) {
            grow(2L * count);
        }
        source[count] = u;
        target[count] = v;
        epsilon[count] = edgeEpsilon;
        delta[count++] = edgeDelta;
    }

    public static Edges all(List<Edges> parts, Workers workers) {
        Edges out = new Edges();
        out.grow(parts.stream().mapToLong(part -> part.count).sum());
        for (Edges part : parts) {
            workers.check();
            System.arraycopy(part.source, 0, out.source, out.count, part.count);
            System.arraycopy(part.target, 0, out.target, out.count, part.count);
            System.arraycopy(part.epsilon, 0, out.epsilon, out.count, part.count);
            System.arraycopy(part.delta, 0, out.delta, out.count, part.count);
            out.count += part.count;
        }
        return out;
    }

    private void grow(long size) {
        if (size > Integer.MAX_VALUE / 2 - 8) { // every edge has two ends in one array
            throw Refusal.client("the graph has too many edges for the plugin", "use the client");
        }
        source = Arrays.copyOf(source, (int) size);
        target = Arrays.copyOf(target, (int) size);
        epsilon = Arrays.copyOf(epsilon, (int) size);
        delta = Arrays.copyOf(delta, (int) size);
    }
}
