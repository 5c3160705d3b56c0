package neodp.algorithm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import neodp.call.Memory;

/** A path: datasets one after another, and the edges between them; the twin of {@code neodp/core/traversal.py}. */
public record Path(List<Integer> datasets, List<Integer> edges) {
    /** No path. */
    public static final Path NONE = new Path(List.of(), List.of());

    private static final long PER_STEP = 120; // bytes, of a dataset that the search for a path has met

    /** Whether a dataset may come just before another on the path, over an edge. */
    public interface Before {
        boolean test(int dataset, int before, int edge);
    }

    /** The path to v with the fewest edges, from a dataset where it may begin; found backwards. */
    public static Path trace(int v, IntPredicate isEnd, Before before, Adjacency links, Runnable check, Memory memory) {
        Map<Integer, int[]> onward = new HashMap<>();
        ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(v));
        Path found = NONE;
        while (!queue.isEmpty()) {
            int w = queue.remove();
            check.run();
            if (isEnd.test(w)) {
                found = from(w, v, onward);
                break;
            }
            int met = onward.size();
            for (int h = links.start()[w]; h < links.start()[w + 1]; h++) {
                int u = links.neighbor()[h];
                int e = links.edge()[h];
                if (u != v && before.test(w, u, e) && onward.putIfAbsent(u, new int[] {w, e}) == null) {
                    queue.add(u);
                }
            }
            memory.take(PER_STEP * (onward.size() - met));
        }
        memory.give(PER_STEP * onward.size());
        return found;
    }

    private static Path from(int start, int end, Map<Integer, int[]> onward) {
        Path path = new Path(new ArrayList<>(Collections.singletonList(start)), new ArrayList<>());
        for (int w = start; w != end; ) {
            int[] step = onward.get(w);
            w = step[0];
            path.datasets.add(w);
            path.edges.add(step[1]);
        }
        return path;
    }
}
