package neodp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A package imports only from itself and those before it, and the mathematics knows no database. */
final class LayersTest {
    private static final List<String> LAYERS = List.of(
            "neodp",
            "call",
            "algorithm",
            "rainbow",
            "solvers",
            "asking",
            "polls",
            "store",
            "ledger",
            "inquiry",
            "results",
            "procedures");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?neodp\\.(?:[a-z]+\\.)*?(?:([a-z]+)\\.)?[A-Z]");
    private static final List<String> MATHEMATICS = List.of("algorithm", "rainbow", "solvers", "asking", "polls");

    @Test
    void importsPointDownwards() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String text = Files.readString(file);
                String layer = file.getParent().getFileName().toString();
                for (Matcher found = IMPORT.matcher(text); found.find(); ) {
                    String other = found.group(1) == null ? "neodp" : found.group(1);
                    if (LAYERS.indexOf(other) > LAYERS.indexOf(layer)) {
                        wrong.add(file + " imports from " + other);
                    }
                }
                if (MATHEMATICS.contains(layer) && text.contains("import org.neo4j")) {
                    wrong.add(file + " knows the database");
                }
            }
        }
        assertEquals(List.of(), wrong);
    }
}
