package neodp.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import neodp.Text;
import neodp.algorithm.Level;

/** That a graph, as it is, can be answered about: {@code Certificate} in {@code neodp/store/records.py}. */
public record Certificate(String fingerprint, List<Level> levels) {
    /** The text of a certificate, after the graph's revision. */
    public String text() {
        return levels.stream()
                .flatMap(level -> Stream.of(Text.hex(level.epsilon()), Text.hex(level.delta())))
                .collect(Collectors.joining("\t", fingerprint + (levels.isEmpty() ? "" : "\t"), ""));
    }

    /** Null where the graph has none, or one of another revision. */
    static Certificate of(Map<String, Object> row) {
        String[] words = String.valueOf(row.get("certified")).split("\t", -1);
        if (!words[0].equals(row.get("revision")) || words.length % 2 == 1 || words[1].isEmpty()) {
            return null;
        }
        List<Level> levels = new ArrayList<>();
        try {
            for (int i = 2; i < words.length; i += 2) {
                levels.add(new Level(Double.parseDouble(words[i]), Double.parseDouble(words[i + 1])));
            }
        } catch (NumberFormatException e) { // somebody else has changed it
            return null;
        }
        return new Certificate(words[1], List.copyOf(levels));
    }
}
