package neodp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The expected texts are those of Python 3.11's {@code json.dumps(value, ensure_ascii=False)}. */
final class JsonTest {
    @Test
    void spaces() {
        assertEquals("[\"a\", null, [1, -2], []]", Json.dumps(Arrays.asList("a", null, List.of(1L, -2L), List.of())));
        assertEquals("{\"a\": \"b\", \"c\": {}}", Json.dumps(new TreeMap<>(Map.of("a", "b", "c", Map.of()))));
        assertEquals("null", Json.dumps(null));
    }

    @Test
    void characters() {
        String text = "\"\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9\u2028\u2029\uD83D\uDE00";
        String json = "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u00e9\u2028\u2029\uD83D\uDE00\"";
        assertEquals(json, Json.dumps(text));
        assertEquals(text, Json.text(json));
        assertNull(Json.text("null"));
    }

    @Test
    void fieldsStandAsTheyAre() {
        Map<String, String> found = Json.fields(
                "{\"a\": [1, {\"b\": \"}\\\"\"}], \"x,y\": 1e-06, \"s\": \"t\\u00e9\", \"n\": null, \"f\": NaN}");
        assertEquals(
                Map.of("a", "[1, {\"b\": \"}\\\"\"}]", "x,y", "1e-06", "s", "\"t\\u00e9\"", "n", "null", "f", "NaN"),
                found);
        assertEquals(Map.of(), Json.fields("[1]"));
        assertEquals(Map.of(), Json.fields("{broken"));
        assertEquals(Map.of(), Json.fields(""));
    }
}
