package neodp.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import neodp.Json;
import neodp.Refusal;
import org.junit.jupiter.api.Test;

/** What the client reads from the questions of a corpus, this reads from them too: {@code tests/asking/corpus.py}. */
final class QuestionsTest {
    private static final Map<?, ?> CORPUS = corpus();

    private static Map<?, ?> corpus() {
        try (InputStream stream = QuestionsTest.class.getResourceAsStream("/questions.json")) {
            return (Map<?, ?>) Json.read(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Protection protection(Object name) {
        Map<?, ?> row = (Map<?, ?>) ((Map<?, ?>) CORPUS.get("protections")).get(name);
        return Protection.read((String) row.get("text"));
    }

    @Test
    void everyQuestionHasTheSameVerdict() {
        List<String> wrong = new ArrayList<>();
        List<?> questions = (List<?>) CORPUS.get("questions");
        for (Object each : questions) {
            Map<?, ?> row = (Map<?, ?>) each;
            String found = verdict(row);
            if (found != null) {
                wrong.add(row.get("question") + "\n  " + found);
            }
        }
        assertEquals("", String.join("\n", wrong));
        assertTrue(questions.size() > 300);
    }

    /** What differs; null if nothing does. */
    private static String verdict(Map<?, ?> row) {
        Protection protection = protection(row.get("protection"));
        try {
            Pattern pattern = Pattern.parse((String) row.get("question")).checked(protection);
            if (!pattern.text().equals(row.get("text"))) {
                return "is " + pattern.text() + ", not " + row.get("text") + row.get("refused");
            }
            List<Object> written = new ArrayList<>();
            for (Pattern alternative : pattern.alternatives()) {
                Statement statement = new Writer(protection).matches(alternative, null);
                written.add(List.of(statement.text(), statement.parameters()));
            }
            return written.equals(row.get("statements")) ? null : "writes " + written;
        } catch (Refusal refusal) {
            String message = Objects.toString(refusal);
            boolean hint = row.get("hint") == null || message.contains((String) row.get("hint"));
            boolean same = row.get("refused") != null && message.contains((String) row.get("refused")) && hint;
            return same ? null : "is refused: " + message + ", not " + row.get("refused");
        }
    }

    @Test
    void protectionsAreWrittenAndDigestedAlike() {
        for (Map.Entry<?, ?> each : ((Map<?, ?>) CORPUS.get("protections")).entrySet()) {
            Map<?, ?> row = (Map<?, ?>) each.getValue();
            Protection read = protection(each.getKey());
            assertEquals(row.get("text"), read.text());
            assertEquals(row.get("digest"), read.digest());
            assertEquals(row.get("units"), new Writer(read).units());
        }
    }
}
