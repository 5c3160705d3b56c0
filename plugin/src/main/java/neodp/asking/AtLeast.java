package neodp.asking;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import neodp.Draws;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Labels;

/**
 * The question whether there are at least t: yes with a chance that grows from the rate of false alarms, at distance 0,
 * as fast as privacy allows.
 *
 * @param falseAlarm the chance of a yes if there are fewer
 */
public record AtLeast(long threshold, double falseAlarm) implements Mechanism {
    public AtLeast {
        if (threshold < 1) {
            throw Refusal.notAskable(
                    "the question is whether there are at least " + threshold, "give a number above 0");
        }
        if (!(0x1p-1000 <= falseAlarm && falseAlarm <= 1.0 - 0x1p-53)) {
            throw Refusal.notAskable(
                    "the false-alarm rate is " + Text.repr(falseAlarm), "give a number above 0 and below 1");
        }
    }

    @Override
    public LinkedHashMap<String, Object> facts() {
        LinkedHashMap<String, Object> out = new LinkedHashMap<>();
        out.put("at_least", threshold);
        out.put("false_alarm", falseAlarm);
        return out;
    }

    @Override
    public String draw(LongUnaryOperator distance) {
        double[] found = chances(distance.applyAsLong(threshold));
        return Draws.first(found[0], found[1]) ? "yes" : "no";
    }

    @Override
    public Map<String, Object> chances(LongUnaryOperator distance) {
        double[] found = chances(distance.applyAsLong(threshold));
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("yes", found[0]);
        out.put("no", found[1]);
        return out;
    }

    /** The chances of yes and no at a distance in units; the smaller one is exact. */
    public double[] chances(long units) {
        return units == Distances.INFINITE ? new double[] {1.0, 0.0} : split(climb(start(), units));
    }

    /** The least distance in units from which on the chance of a yes is at least this one. */
    public long needed(double chance) {
        long label = start();
        long units = 0;
        while (split(label)[0] < chance) {
            label = climb(label, 1);
            units++;
        }
        return units;
    }

    private long start() {
        long small = Double.doubleToRawLongBits(Math.min(falseAlarm, 1.0 - falseAlarm));
        return falseAlarm <= 0.5 ? small - Labels.HALF : Labels.HALF - small;
    }

    private static long climb(long label, long steps) {
        double factor = Labels.factor(UNIT);
        long out = label;
        for (long i = 0; i < steps; i++) {
            long higher = Labels.relax(out, factor, 0.0);
            if (higher == out) {
                break;
            }
            out = higher;
        }
        return out;
    }

    private static double[] split(long label) {
        double small = Double.longBitsToDouble(Labels.HALF - Math.abs(label));
        return label > 0 ? new double[] {1.0 - small, small} : new double[] {small, 1.0 - small};
    }
}
