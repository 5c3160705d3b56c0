package neodp.asking;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import neodp.Draws;
import neodp.Refusal;

/**
 * The question in which of some ranges the number lies, or how many there are: the shifted inverse, drawn by
 * permute-and-flip.
 *
 * @param grid the first number of each range, ascending from 0; the last range has no end
 * @param coarse whether the range itself is the answer, rather than its last number
 */
public record Counting(List<Long> grid, boolean coarse) implements Mechanism {
    /** The chance with which a count may be off by more than is stated. */
    public static final double BETA = 0.05;

    private static final BigInteger RATIO = BigInteger.valueOf(1005);
    private static final BigInteger THOUSAND = BigInteger.valueOf(1000);
    private static final double SHOWN = 1e-4; // the least chance of an answer to a count that the steward is shown
    private static final long HALF_UNITS = (long) (2.0 / UNIT); // of acceptance, in an epsilon of 1

    public Counting {
        boolean ascends = grid.size() >= 2 && grid.get(0) == 0;
        for (int i = 1; i < grid.size(); i++) {
            ascends &= grid.get(i - 1) < grid.get(i);
        }
        if (!ascends) {
            throw Refusal.notAskable(
                    grid.isEmpty()
                            ? "there are no ranges"
                            : "the ranges begin at "
                                    + grid.stream().map(String::valueOf).collect(Collectors.joining(", ")),
                    "give numbers that ascend from 0");
        }
    }

    /** How many there are, up to the greatest answer: all whole numbers at first, then with a ratio of 1.005. */
    public static Counting to(long most) {
        List<Long> points = new ArrayList<>(List.of(0L));
        while (points.get(points.size() - 1) < most) {
            long last = points.get(points.size() - 1);
            long further =
                    BigInteger.valueOf(last).multiply(RATIO).divide(THOUSAND).longValueExact();
            points.add(Math.min(most, Math.max(last + 1, further)));
        }
        return new Counting(points, false);
    }

    @Override
    public LinkedHashMap<String, Object> facts() {
        LinkedHashMap<String, Object> out = new LinkedHashMap<>();
        if (coarse) {
            out.put("ranges", grid);
        } else {
            out.put("count", true);
            out.put("at_most", grid.get(grid.size() - 1));
        }
        return out;
    }

    private String answer(int j) {
        long begin = grid.get(j);
        if (j == grid.size() - 1) {
            return begin + (coarse ? " or more" : "");
        }
        long end = grid.get(j + 1) - 1;
        return coarse && end > begin ? begin + " to " + end : String.valueOf(end);
    }

    /** The shift tau in units. */
    public long shift() {
        return (long) Math.ceil(2.0 * Math.log(grid.size() / BETA) / UNIT);
    }

    /** The chances of the ranges; of the answers to a count, those with a chance of at least one in ten thousand. */
    @Override
    public Map<String, Object> chances(LongUnaryOperator distance) {
        double[] found = Outcomes.chances(offsets(distance), UNIT / 2.0);
        Map<String, Object> out = new LinkedHashMap<>();
        for (int j = 0; j < found.length; j++) {
            if (coarse || found[j] >= SHOWN) {
                out.put(answer(j), found[j]);
            }
        }
        return out;
    }

    /** By how much each range is off, in units. */
    long[] offsets(LongUnaryOperator distance) {
        long depth = 2 * shift();
        long[] k = new long[grid.size() + 1];
        k[0] = shift() + depth; // a greater distance changes nothing
        between(0, grid.size(), k, distance);
        long[] out = new long[grid.size()];
        for (int j = 0; j < out.length; j++) {
            out[j] = Math.min(depth, Math.max(Math.max(k[j + 1] - shift(), shift() - k[j]), 0));
        }
        return out;
    }

    /** Fill in the distances between two places; they never rise, so that those between equal ones need no program. */
    private void between(int before, int after, long[] k, LongUnaryOperator distance) {
        if (k[before] == k[after]) {
            Arrays.fill(k, before, after, k[after]);
        } else if (after - before > 1) {
            int middle = (before + after) >>> 1;
            k[middle] = Math.min(k[0], distance.applyAsLong(grid.get(middle)));
            between(before, middle, k, distance);
            between(middle, after, k, distance);
        }
    }

    /** Draw a range; a program is solved only where that decides. */
    @Override
    public String draw(LongUnaryOperator distance) {
        Falling known = new Falling(distance);
        for (int j : Draws.shuffled(grid.size())) {
            long limit = Draws.geometric(HALF_UNITS);
            if (limit >= 2 * shift() || known.atMost(j + 1, shift() + limit) && known.atLeast(j, shift() - limit)) {
                return answer(j);
            }
        }
        throw new ArithmeticException("no range is accepted, though one always is");
    }

    /** The distances along the grid, which never rise: what is known at one point often decides at another. */
    private final class Falling {
        private final LongUnaryOperator distance;
        private final TreeMap<Integer, Long> known = new TreeMap<>();

        Falling(LongUnaryOperator distance) {
            this.distance = distance;
            known.put(0, Distances.INFINITE);
            known.put(grid.size(), 0L);
        }

        private long at(int place) {
            return known.computeIfAbsent(place, at -> distance.applyAsLong(grid.get(at)));
        }

        boolean atMost(int place, long bound) {
            long before = known.floorEntry(place).getValue(); // the least that is known before
            long after = known.ceilingEntry(place).getValue(); // the greatest that is known beyond
            return before <= bound || after <= bound && at(place) <= bound;
        }

        boolean atLeast(int place, long bound) {
            long before = known.floorEntry(place).getValue();
            long after = known.ceilingEntry(place).getValue();
            return after >= bound || before >= bound && at(place) >= bound;
        }
    }
}
