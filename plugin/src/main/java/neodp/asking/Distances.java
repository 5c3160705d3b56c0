package neodp.asking;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import neodp.call.Workers;

/**
 * The distances of one graph of people, in whole units of epsilon: how much must leave until there are fewer than t.
 *
 * <p>Both solutions of each program are checked in whole numbers, and only the ceiling on which both agree is used.
 */
public final class Distances {
    /** No people can change the answer. */
    public static final long INFINITE = Long.MAX_VALUE;

    private final Cover cover;
    private final Workers workers;
    private final Map<Long, Long> known = new HashMap<>();
    private Cuts cuts;

    public Distances(Cover cover, Workers workers) {
        this.cover = cover;
        this.workers = workers;
    }

    /** The distance to fewer than t, rounded up; {@code INFINITE} if no people can change it. */
    public long at(long t) {
        long most = t - 1 - cover.fixed();
        if (most < 0) {
            return INFINITE;
        }
        if (most >= cover.total()) {
            return 0;
        }
        if (!known.containsKey(most)) {
            known.put(most, solved(most));
        }
        return known.get(most);
    }

    private long solved(long most) {
        if (cuts == null) {
            Network net = Network.of(cover, workers);
            if (net == null) {
                throw new ArithmeticException("there is no network of a program"); // none is made of a question
            }
            workers.memory.take(Flow.bytes(net));
            cuts = new Cuts(cover, net, workers);
        }
        Cuts.Bounds bounds = cuts.solve(most);
        BigInteger units = bounds.lower().ceiling();
        if (!units.equals(bounds.upper().ceiling())) {
            throw new ArithmeticException("a distance is not certain");
        }
        return units.longValueExact();
    }
}
