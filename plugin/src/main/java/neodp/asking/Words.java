package neodp.asking;

import java.util.Locale;
import java.util.regex.Pattern;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;

/**
 * Letters, spaces and names as Python takes them, whatever Java would.
 *
 * <p>Expressions are written as for Python's {@code re}; Java's own classes of letters and digits are others.
 */
public final class Words {
    private static final String LETTERS = "\\p{L}\\p{N}_";
    private static final String SPACES =
            "\\t-\\r\\x1c-\\x20\\x85\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
    private static final String BOUNDARY =
            "(?:(?<=[" + LETTERS + "])(?![" + LETTERS + "])|(?<![" + LETTERS + "])(?=[" + LETTERS + "]))";

    private Words() {}

    /** An expression of Python's, without regard to capitals; a dot is any character. */
    static Pattern expression(String python) {
        String plain = python.replace("[^\\W\\d]", "[\\p{L}\\p{Nl}\\p{No}_]");
        StringBuilder out = new StringBuilder();
        boolean within = false; // a class of characters
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (c == '\\') {
                out.append(escape(plain.charAt(++i), within));
                continue;
            }
            within = within ? c != ']' : c == '[';
            out.append(c);
        }
        return Pattern.compile(out.toString(), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
    }

    private static String escape(char c, boolean within) {
        return switch (c) {
            case 'w' -> within ? LETTERS : "[" + LETTERS + "]";
            case 's' -> within ? SPACES : "[" + SPACES + "]";
            case 'S' -> "[^" + SPACES + "]";
            case 'd' -> "\\p{Nd}";
            case 'b' -> BOUNDARY;
            default -> "\\" + c;
        };
    }

    /** A label, a type or the name of a property, if it can be written in Cypher without harm. */
    public static String require(String what, Object word) {
        return require(what, word, "graph");
    }

    /** The same, refused with a kind of error. */
    static String require(String what, Object word, String kind) {
        if (!(word instanceof String text) || text.isEmpty()) {
            throw Refusal.of(kind, what + " is " + Text.described(word), "give a name");
        }
        int length = text.codePointCount(0, text.length());
        if (length > Names.LONGEST) {
            throw Refusal.of(
                    kind,
                    String.format(Locale.ROOT, "%s has %,d characters", what, length),
                    "give a name of at most " + Names.LONGEST);
        }
        boolean blank = Text.space(text.codePointAt(0)) || Text.space(text.codePointBefore(text.length()));
        if (blank || text.indexOf('\\') >= 0 || !text.codePoints().allMatch(Text::printable)) {
            throw Refusal.of(
                    kind, what + " is " + Text.repr(text), "give a name without backslashes and invisible characters");
        }
        return text;
    }

    /** A name as Neo4j reads it, whatever it contains; backslashes were refused before. */
    public static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
