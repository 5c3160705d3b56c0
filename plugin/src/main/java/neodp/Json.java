package neodp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter.NopIndenter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * JSON with the bytes that Python's {@code json.dumps(value, ensure_ascii=False)} writes, since digests are made of them.
 *
 * <p>Jackson does the work. It is told to put a space after commas and colons, and to write control characters with small
 * hexadecimal digits.
 */
public final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // which Python writes
            .build()
            .setCharacterEscapes(new SmallDigits());
    private static final Separators SPACED = Separators.createDefaultInstance()
            .withObjectFieldValueSpacing(Spacing.AFTER)
            .withObjectEntrySpacing(Spacing.AFTER)
            .withArrayValueSpacing(Spacing.AFTER)
            .withObjectEmptySeparator("")
            .withArrayEmptySeparator("");

    private Json() {}

    /** A value as JSON: a text, a number, a truth value, null, a list, or a map in its own order. */
    public static String dumps(Object value) {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter(SPACED)
                    .withObjectIndenter(NopIndenter.instance)
                    .withArrayIndenter(NopIndenter.instance));
            write(json, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a text can always be written
        }
        return out.toString();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName((String) entry.getKey());
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                write(json, element);
            }
            json.writeEndArray();
        } else if (value instanceof Long number) {
            json.writeNumber(number);
        } else if (value instanceof Double number) {
            json.writeNumber(Double.compare(number, -0.0) == 0 ? "-0.0" : Text.repr(number)); // as Python writes it
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else {
            json.writeString((String) value); // or null
        }
    }

    /** The value that stands in JSON: whole numbers as Long where they fit, maps in their own order. */
    public static Object read(String json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            parser.nextToken();
            return value(parser);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT:
                Map<String, Object> map = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    map.put(name, value(parser));
                }
                return map;
            case START_ARRAY:
                List<Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                return list;
            case VALUE_NUMBER_INT:
                Number whole = parser.getNumberValue();
                return whole instanceof BigInteger ? whole : (Object) whole.longValue();
            case VALUE_NUMBER_FLOAT:
                return parser.getDoubleValue();
            case VALUE_TRUE, VALUE_FALSE:
                return parser.getBooleanValue();
            case VALUE_NULL:
                return null;
            default:
                return parser.getText();
        }
    }

    /** Whether two values in JSON are the same; 1 and 1.0 are. */
    public static boolean same(String one, String other) {
        return one.equals(other) || same(read(one), read(other));
    }

    private static boolean same(Object one, Object other) {
        if (one instanceof Number && other instanceof Number) {
            return one.equals(other) || new BigDecimal(one.toString()).compareTo(new BigDecimal(other.toString())) == 0;
        }
        if (one instanceof List<?> a && other instanceof List<?> b && a.size() == b.size()) {
            return IntStream.range(0, a.size()).allMatch(i -> same(a.get(i), b.get(i)));
        }
        if (one instanceof Map<?, ?> a
                && other instanceof Map<?, ?> b
                && a.keySet().equals(b.keySet())) {
            return a.keySet().stream().allMatch(key -> same(a.get(key), b.get(key)));
        }
        return Objects.equals(one, other);
    }

    /** The text that stands in JSON, or null. */
    public static String text(String json) {
        try (JsonParser parser = FACTORY.createParser(json)) {
            return parser.nextToken() == JsonToken.VALUE_NULL ? null : parser.getText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The fields of a JSON object, each as it stands there; none where it is no JSON object. */
    public static Map<String, String> fields(String json) {
        Map<String, String> out = new HashMap<>();
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Map.of();
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                long begin = parser.currentTokenLocation().getCharOffset();
                parser.finishToken();
                parser.skipChildren();
                long end = parser.currentLocation().getCharOffset();
                out.put(name, json.substring((int) begin, (int) end).strip());
            }
            return out;
        } catch (IOException e) {
            return Map.of();
        }
    }

    private static final class SmallDigits extends CharacterEscapes {
        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            for (int c = 0; c < codes.length; c++) {
                codes[c] = codes[c] == ESCAPE_STANDARD ? ESCAPE_CUSTOM : codes[c];
            }
            return codes;
        }

        @Override
        public SerializableString getEscapeSequence(int c) {
            return c < ' ' ? new SerializedString(String.format("\\u%04x", c)) : null; // null: as it is
        }
    }
}
