package neodp;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Names and numbers as Python writes them, so that both sides of neodp use the same words, and make the same digests.
 *
 * <p>No library gives these bytes: Java 17 does not find the fewest digits of every double, and later ones write two digits
 * where one is enough (4.9E-324); {@code Double.toHexString} leaves zeros out; {@code %g} keeps them. The decimal digits
 * are those of {@link BigDecimal}.
 */
public final class Text {
    private static final String DASH = " – ";

    private Text() {}

    /** A string in quotes, as Python's {@code repr}. */
    public static String repr(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder out = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> {
            if (c == quote || c == '\\') {
                out.append('\\').appendCodePoint(c);
            } else if (c == '\n') {
                out.append("\\n");
            } else if (c == '\r') {
                out.append("\\r");
            } else if (c == '\t') {
                out.append("\\t");
            } else if (printable(c)) {
                out.appendCodePoint(c);
            } else if (c < 0x100) {
                out.append(String.format("\\x%02x", c));
            } else {
                out.append(String.format(c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
            }
        });
        return out.append(quote).toString();
    }

    /** A string in quotes for a message: shortened where it is longer than a name may be. */
    public static String quoted(String text) {
        return repr(shortened(text));
    }

    private static String shortened(String text) {
        String begin = first(text, Names.LONGEST);
        return begin.length() == text.length() ? text : begin + "…";
    }

    /** Names one after another, for a message: no more than have room in it. */
    public static String listed(List<String> names) {
        StringBuilder out = new StringBuilder();
        for (String name : names) {
            if (out.length() > Names.LONGEST) {
                return out.append(", …").toString();
            }
            out.append(out.length() == 0 ? "" : ", ").append(shortened(name));
        }
        return out.toString();
    }

    /** A string as a literal of Cypher and of Python alike, without a backquote. */
    public static String cypher(String text) {
        StringBuilder out = new StringBuilder("'");
        text.codePoints().forEach(c -> {
            if (c == '\'' || c == '\\') {
                out.append('\\').appendCodePoint(c);
            } else if (c == '`' || (c < 0x10000 && !printable(c))) {
                out.append(String.format("\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.append('\'').toString();
    }

    /** A string as a word of a command, as Python's {@code shlex.quote}. */
    public static String shell(String text) {
        return text.matches("[A-Za-z0-9_@%+=:,./-]+") ? text : "'" + text.replace("'", "'\"'\"'") + "'";
    }

    /** Whether Python takes a character for one that can be printed. */
    public static boolean printable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    /** A number in as few digits as tell it from all others, as Python's {@code repr}. */
    public static String repr(double x) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return Double.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
        }
        for (int digits = 1; ; digits++) {
            BigDecimal rounded = new BigDecimal(x).round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (digits == 17 || rounded.doubleValue() == x) {
                String text = written(rounded, 16);
                return text.contains(".") || text.contains("e") ? text : text + ".0";
            }
        }
    }

    /** A number to six digits, as Python's {@code :.6g}. */
    public static String general(double x) {
        return general(x, 6);
    }

    /** A number to some digits, as Python's {@code :g}. */
    public static String general(double x, int digits) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return repr(x);
        }
        return written(new BigDecimal(x).round(new MathContext(digits, RoundingMode.HALF_EVEN)), digits);
    }

    /** The bits of a number from 0 on, as Python's {@code float.hex}. */
    public static String hex(double x) {
        if (x == 0.0) {
            return "0x0.0p+0";
        }
        long bits = Double.doubleToLongBits(x);
        int exponent = Math.max(Math.getExponent(x), Double.MIN_EXPONENT);
        return String.format("0x%d.%013xp%+d", x < Double.MIN_NORMAL ? 0 : 1, bits & 0xfffffffffffffL, exponent);
    }

    /** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
    public static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** The first characters of a text. */
    public static String first(String text, int count) {
        return text.length() <= count || text.codePointCount(0, text.length()) <= count
                ? text
                : text.substring(0, text.offsetByCodePoints(0, count));
    }

    /** Whether Python takes a character for a space. */
    public static boolean space(int c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == 0x85;
    }

    /** A decimal without trailing zeros; with an exponent if that is below -4 or not below {@code most}. */
    private static String written(BigDecimal x, int most) {
        if (x.signum() == 0) {
            return "0";
        }
        BigDecimal plain = x.stripTrailingZeros();
        int exponent = plain.precision() - plain.scale() - 1;
        if (exponent >= -4 && exponent < most) {
            return plain.toPlainString();
        }
        String digits = plain.unscaledValue().abs().toString();
        return (plain.signum() < 0 ? "-" : "")
                + digits.charAt(0)
                + (digits.length() > 1 ? "." + digits.substring(1) : "")
                + (exponent < 0 ? "e-" : "e+")
                + String.format("%02d", Math.abs(exponent));
    }

    /** An edge as {@code 'a' – 'b'}. */
    public static String edge(String source, String target) {
        return quoted(source) + DASH + quoted(target);
    }

    /** A path of keys, shortened in its middle. */
    public static String path(List<String> keys) {
        int n = keys.size();
        return n <= 7
                ? joined(keys)
                : joined(keys.subList(0, 3)) + DASH + "(" + (n - 6) + " more)" + DASH + joined(keys.subList(n - 3, n));
    }

    private static String joined(List<String> keys) {
        return keys.stream().map(Text::quoted).collect(Collectors.joining(DASH));
    }

    /** Compares texts by their code points, which is the order of their UTF-8 bytes. */
    public static int compare(String a, String b) {
        int n = Math.min(a.length(), b.length());
        for (int i = 0; i < n; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean high = Character.isSurrogate(x); // half of a code point beyond all others
                return high == Character.isSurrogate(y) ? x - y : high ? 1 : -1;
            }
        }
        return a.length() - b.length();
    }

    /** A value for a message: no more of it than has room there. */
    public static String described(Object value) {
        StringBuilder out = new StringBuilder();
        describe(value, out);
        return out.toString();
    }

    private static void describe(Object value, StringBuilder out) {
        if (out.length() > Names.LONGEST) {
            return;
        }
        if (value == null) {
            out.append("None");
        } else if (value instanceof String text) {
            out.append(Text.quoted(text));
        } else if (value instanceof Double x) {
            out.append(Text.repr(x));
        } else if (value instanceof List || value.getClass().isArray()) {
            List<?> values = elements(value);
            out.append('[');
            for (int i = 0; i < values.size() && out.length() <= Names.LONGEST; i++) {
                out.append(i == 0 ? "" : ", ");
                describe(values.get(i), out);
            }
            out.append(out.length() > Names.LONGEST ? "…]" : "]");
        } else {
            out.append(value instanceof Map ? "a map" : Text.first(value.toString(), Names.LONGEST));
        }
    }

    /** A list, or an array of any type, as a list. */
    public static List<?> elements(Object value) {
        if (value instanceof List<?> list) {
            return list;
        }
        if (!value.getClass().isArray()) {
            return List.of(value);
        }
        return IntStream.range(0, Array.getLength(value))
                .mapToObj(i -> Array.get(value, i))
                .toList();
    }
}
