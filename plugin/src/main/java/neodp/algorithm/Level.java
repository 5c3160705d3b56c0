package neodp.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import neodp.Text;
import neodp.call.Workers;

/** What one answer costs the people of one privacy level; without a name, and of unknown size, for a graph. */
public record Level(double epsilon, double delta, String name, Long people, long times) {
    private static final int MOST_LEVELS = 64; // beyond that, they are rounded up to so many
    private static final long PER_EPSILON = 120; // bytes, in a table of epsilons

    public Level(double epsilon, double delta) {
        this(epsilon, delta, null, null, 1);
    }

    /** What tells the level from others. */
    public String label() {
        return name != null ? name : "epsilon " + Text.general(epsilon);
    }

    /** The levels of a graph's edges by ascending epsilon, each with the greatest delta of its edges. */
    public static List<Level> of(DatasetGraph graph, Workers workers) {
        TreeMap<Double, Double> most = new TreeMap<>();
        for (int e = 0; e < graph.edges(); e++) {
            workers.check(e);
            int before = most.size();
            most.merge(graph.epsilon[e], graph.delta[e], Math::max);
            workers.memory.take(PER_EPSILON * (most.size() - before));
        }
        List<Double> known = List.copyOf(most.keySet());
        int n = known.size();
        TreeSet<Double> ends = new TreeSet<>(n > MOST_LEVELS ? List.of() : known);
        for (int i = 0; n > MOST_LEVELS && i < MOST_LEVELS; i++) {
            ends.add(known.get(n - 1 - (int) ((long) n * i / MOST_LEVELS)));
        }
        List<Level> out = new ArrayList<>();
        double delta = 0.0;
        for (double epsilon : known) {
            workers.check();
            delta = Math.max(delta, most.get(epsilon));
            if (ends.contains(epsilon)) {
                out.add(new Level(epsilon, delta));
                delta = 0.0;
            }
        }
        return out;
    }
}
