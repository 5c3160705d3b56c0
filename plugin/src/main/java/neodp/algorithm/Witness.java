package neodp.algorithm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import neodp.Text;

/** Two datasets whose alpha cannot both be kept: {@code origin} allows at most {@code bound} at {@code dataset}. */
public record Witness(
        String dataset,
        String color,
        double value,
        double bound,
        String origin,
        double originValue,
        List<String> path,
        double epsilon,
        double delta)
        implements Contradiction {
    /** An alpha that exceeds its bound by no more than this part of itself is taken for a rounding error. */
    public static final double ROUNDING = 1e-12;

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("dataset", dataset);
        out.put("color", color);
        out.put("value", value);
        out.put("bound", bound);
        out.put("origin", origin);
        out.put("originValue", originValue);
        out.put("path", path);
        out.put("epsilon", epsilon);
        out.put("delta", delta);
        out.put("sentence", sentence());
        return out;
    }

    @Override
    public String sentence() {
        String loss = "epsilon " + Text.general(epsilon) + (delta != 0 ? " and delta " + Text.general(delta) : "");
        return "alpha at " + Text.quoted(dataset) + " makes Pr[" + color + "] " + Text.general(value) + ", at most "
                + Text.general(bound) + " is possible: " + Text.quoted(origin) + " has " + Text.general(originValue)
                + " and is " + loss + " away, along " + Text.path(path);
    }
}
