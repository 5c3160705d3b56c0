package neodp.asking;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import neodp.Text;

/**
 * The words of a question, read where the grammar looks for them.
 *
 * <p>Texts, quoted names and comments are scanned by hand: an expression for them would take stack for each character.
 */
final class Scanner {
    private static final Pattern NAME = Words.expression("[^\\W\\d]\\w*");
    private static final Pattern INTEGER = Words.expression("\\d+");
    private static final Pattern DECIMAL = Words.expression("\\d+\\.\\d+(?:e[+-]?\\d+)?|\\d+e[+-]?\\d+");

    private final String text;
    private int at;

    Scanner(String text) {
        this.text = text;
    }

    /** Where the next word begins; -1 at the end. */
    int place() {
        skip();
        return at == text.length() ? -1 : at;
    }

    private void skip() {
        while (at < text.length()) {
            int end = comment(text, at);
            if (end >= 0) {
                at = end;
            } else if (Text.space(text.codePointAt(at))) {
                at += Character.charCount(text.codePointAt(at));
            } else {
                return;
            }
        }
    }

    /** Take a sign, if it is there. */
    boolean take(String sign) {
        skip();
        boolean there = text.startsWith(sign, at);
        at += there ? sign.length() : 0;
        return there;
    }

    /** Take the first of some signs that is there; null if none is. */
    String one(String... signs) {
        for (String sign : signs) {
            if (take(sign)) {
                return sign;
            }
        }
        return null;
    }

    /** Take what an expression finds here; null if it finds nothing. */
    String take(Pattern expression) {
        skip();
        Matcher found = expression.matcher(text).region(at, text.length());
        found.useTransparentBounds(true).useAnchoringBounds(false);
        if (!found.lookingAt()) {
            return null;
        }
        at = found.end();
        return found.group();
    }

    String name() {
        String plain = take(NAME);
        return plain != null ? plain : until(name(text, at, 1));
    }

    String string() {
        skip();
        return until(string(text, at));
    }

    String integer() {
        return take(INTEGER);
    }

    String decimal() {
        return take(DECIMAL);
    }

    private String until(int end) {
        if (end < 0) {
            return null;
        }
        String found = text.substring(at, end);
        at = end;
        return found;
    }

    /** The end of a text in quotes that begins at a place; -1 if none does. */
    private static int string(String text, int at) {
        char quote = at < text.length() ? text.charAt(at) : ' ';
        if (quote != '\'' && quote != '"') {
            return -1;
        }
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == quote) {
                return i + 1;
            }
            i += c == '\\' ? 1 : 0;
        }
        return -1;
    }

    /** The end of a name in backticks, of at least so many characters, that begins at a place; -1 if none does. */
    private static int name(String text, int at, int least) {
        if (!text.startsWith("`", at)) {
            return -1;
        }
        int end = -1; // where the name ends if the rest has no end
        for (int i = at + 1; i < text.length(); i++) {
            if (text.charAt(i) == '`') {
                if (i - at - 1 >= least) {
                    end = i + 1;
                }
                if (!text.startsWith("``", i)) {
                    return end;
                }
                i++;
            }
        }
        return end;
    }

    /** The end of a comment that begins at a place; -1 if none does. */
    private static int comment(String text, int at) {
        if (text.startsWith("//", at)) {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end;
        }
        int end = text.startsWith("/*", at) ? text.indexOf("*/", at + 2) : -1;
        return end < 0 ? -1 : end + 2;
    }

    /** A question with something else in place of its texts, quoted names and comments. */
    static String plain(String text, String string, String name, String comment) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); ) {
            int[] ends = {string(text, i), name(text, i, 0), comment(text, i)};
            String[] instead = {string, name, comment};
            int found = ends[0] >= 0 ? 0 : ends[1] >= 0 ? 1 : 2;
            if (ends[found] >= 0) {
                out.append(instead[found]);
                i = ends[found];
            } else {
                out.append(text.charAt(i++));
            }
        }
        return out.toString();
    }
}
