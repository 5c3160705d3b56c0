package neodp.algorithm;

import java.util.List;
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
        double delta) {
    public String sentence() {
        String loss = "epsilon " + Text.general(epsilon) + (delta != 0 ? " and delta " + Text.general(delta) : "");
        return "alpha at " + Text.quoted(dataset) + " makes Pr[" + color + "] " + Text.general(value) + ", at most "
                + Text.general(bound) + " is possible: " + Text.quoted(origin) + " has " + Text.general(originValue)
                + " and is " + loss + " away, along " + Text.path(path);
    }
}
