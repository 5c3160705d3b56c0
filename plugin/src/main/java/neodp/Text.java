package neodp;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;

/** Names and numbers as Python writes them, so that both sides of neodp use the same words. */
final class Text {
    private static final String DASH = " – ";

    private Text() {}

    /** A string in quotes, as Python's {@code repr}. */
    static String repr(String text) {
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

    private static boolean printable(int c) {
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
    static String repr(double x) {
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
    static String general(double x) {
        if (Double.isNaN(x) || Double.isInfinite(x)) {
            return repr(x);
        }
        return written(new BigDecimal(x).round(new MathContext(6, RoundingMode.HALF_EVEN)), 6);
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
    static String edge(String source, String target) {
        return repr(source) + DASH + repr(target);
    }

    /** A path of keys, shortened in its middle. */
    static String path(List<String> keys) {
        List<String> names = keys.stream().map(Text::repr).toList();
        int n = names.size();
        if (n <= 7) {
            return String.join(DASH, names);
        }
        return String.join(DASH, names.subList(0, 3))
                + DASH + "(" + (n - 6) + " more)" + DASH
                + String.join(DASH, names.subList(n - 3, n));
    }

    /** Compares texts by their code points, which is the order of their UTF-8 bytes. */
    static int compare(String a, String b) {
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
}
