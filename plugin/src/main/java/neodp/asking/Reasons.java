package neodp.asking;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import neodp.Json;
import neodp.Refusal;
import neodp.Text;

/**
 * Reasons why a question cannot be asked, from the table that the client has too.
 *
 * <p>The grammar alone decides what can be asked. What it cannot read is searched for known constructs, outside of texts,
 * quoted names and comments, and the first one found is named.
 */
final class Reasons {
    /** The greatest number of parentheses, or of NOTs, within each other. */
    static final int NESTING = 40;

    private static final String KEYWORD = "(?<![\\w.:`$])%s\\b(?!\\s*:)";
    private static final String CALLED = "(?<![\\w.:`$])(?:%s)\\s*\\(";
    private static final Pattern TOKEN = Words.expression("\\(|\\)|\\bNOT\\b|[^\\s()]+");
    private static final Pattern SPACE = Words.expression("\\s+");
    private static final List<Refused> TABLE = table();

    private Reasons() {}

    private record Refused(String construct, Pattern foundBy, String why, String hint) {}

    private static List<Refused> table() {
        Map<?, ?> table;
        try (InputStream stream = Reasons.class.getResourceAsStream("/neodp/asking/reasons.json")) {
            table = (Map<?, ?>) Json.read(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no reasons", e);
        }
        Map<?, ?> phrases = (Map<?, ?>) table.get("phrases");
        List<Refused> out = new ArrayList<>();
        for (Object each : (List<?>) table.get("refused")) {
            Map<?, ?> row = (Map<?, ?>) each;
            String expression = row.get("word") != null
                    ? String.format(KEYWORD, row.get("word"))
                    : row.get("called") != null
                            ? String.format(CALLED, row.get("called"))
                            : (String) row.get("found_by");
            String hint = ((List<?>) row.get("hint"))
                    .stream().map(part -> part(part, phrases)).collect(Collectors.joining());
            out.add(new Refused(
                    (String) row.get("construct"), Words.expression(expression), part(row.get("why"), phrases), hint));
        }
        return out;
    }

    /** A part of a sentence: text with phrases in it, or an option in Cypher. */
    private static String part(Object part, Map<?, ?> phrases) {
        if (part instanceof Map<?, ?> option) {
            Map.Entry<?, ?> only = option.entrySet().iterator().next();
            return option((String) only.getKey(), only.getValue());
        }
        String out = (String) part;
        for (Map.Entry<?, ?> phrase : phrases.entrySet()) {
            out = out.replace("{" + phrase.getKey() + "}", (String) phrase.getValue());
        }
        return out;
    }

    /** An option of the client as a configuration in Cypher: whole numbers as such, and other texts in quotes. */
    static String option(String name, Object value) {
        String[] parts = name.split("_");
        String camel = Arrays.stream(parts)
                .skip(1)
                .map(part -> part.substring(0, 1).toUpperCase() + part.substring(1))
                .collect(Collectors.joining("", parts[0], ""));
        String text = String.valueOf(value);
        String shown = text.matches("[0-9]+|true")
                ? text
                : text.matches("[0-9,]+") ? "[" + text.replace(",", ", ") + "]" : Text.cypher(text);
        return "`{" + camel + ": " + shown + "}`";
    }

    /** The refusal of a text that the grammar cannot read. */
    static Refusal of(String text, int place) {
        String plain = Scanner.plain(text, "''", "x", " ");
        for (Refused refused : TABLE) {
            if (refused.foundBy.matcher(plain).find()) {
                return Refusal.notAskable(refused.construct + " cannot be asked: " + refused.why, refused.hint);
            }
        }
        int at = place < 0 ? text.length() : place;
        String near = Arrays.stream(SPACE.split(Text.first(text.substring(at), 20)))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" "));
        String where = near.isEmpty()
                ? "at its end"
                : "at character " + (text.codePointCount(0, at) + 1) + ", " + Text.repr(near);
        return Refusal.notAskable(
                "the question cannot be read " + where,
                "write MATCH, a pattern such as (a:Person)-[:KNOWS]-(b:Person), and WHERE with conditions on properties");
    }

    /** How deeply parentheses and NOTs lie within each other, at most. */
    static int nesting(String text) {
        int depth = 0;
        int deepest = 0;
        int negations = 0;
        for (Matcher token = TOKEN.matcher(Scanner.plain(text, "''", "''", "''")); token.find(); ) {
            if (token.group().equals("(")) {
                depth++;
            } else if (token.group().equals(")")) {
                depth = Math.max(0, depth - 1);
            } else {
                negations = token.group().equalsIgnoreCase("NOT") ? negations + 1 : 0;
            }
            deepest = Math.max(deepest, depth + negations);
        }
        return deepest;
    }
}
