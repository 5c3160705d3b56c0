package neodp.asking;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import neodp.Refusal;
import neodp.Text;

/**
 * The language of questions: the twin of {@code neodp/asking/grammar.py}, which has its rules and says why.
 *
 * <p>Each rule is a method, and looks for words only where the rule allows them, as the client's grammar does. So both
 * read the same, and give up at the same character.
 */
final class Grammar {
    private static final int LONGEST = 10_000;
    private static final Pattern MATCH = Words.expression("match\\b");
    private static final Pattern WHERE = Words.expression("where\\b");
    private static final Pattern AND = Words.expression("and\\b");
    private static final Pattern OR = Words.expression("or\\b");
    private static final Pattern XOR = Words.expression("xor\\b");
    private static final Pattern NOT = Words.expression("not\\b");
    private static final Pattern IN = Words.expression("in\\b");
    private static final Pattern IS = Words.expression("is\\b");
    private static final Pattern NULL = Words.expression("null\\b");
    private static final Pattern TRUE = Words.expression("true\\b");
    private static final Pattern FALSE = Words.expression("false\\b");
    private static final Pattern STARTS = Words.expression("starts\\b");
    private static final Pattern ENDS = Words.expression("ends\\b");
    private static final Pattern WITH = Words.expression("with\\b");
    private static final Pattern CONTAINS = Words.expression("contains\\b");
    private static final Pattern COALESCE = Words.expression("coalesce(?=\\s*\\()");
    private static final String[] OPERATORS = {"<>", "<=", ">=", "=", "<", ">"};

    private final String text;
    private final Scanner words;

    private Grammar(String text) {
        this.text = text;
        this.words = new Scanner(text);
    }

    /** The tree of a question; refused with the reason why it cannot be asked. */
    static Tree parse(String text) {
        if (text == null || text.codePoints().allMatch(Text::space)) {
            throw Refusal.notAskable("there is no question", "write one, such as MATCH (a:Person)-[:KNOWS]-(b:Person)");
        }
        int length = text.codePointCount(0, text.length());
        if (length > LONGEST) {
            throw Refusal.notAskable(
                    String.format(Locale.ROOT, "the question has %,d characters", length),
                    String.format(Locale.ROOT, "at most %,d are possible", LONGEST));
        }
        if (Reasons.nesting(text) > Reasons.NESTING) {
            throw Refusal.notAskable(
                    "the question is nested too deeply",
                    "at most " + Reasons.NESTING + " parentheses or NOTs within each other");
        }
        return new Grammar(text).question();
    }

    private Refusal unexpected() {
        return Reasons.of(text, words.place());
    }

    /** What must be there. */
    private <T> T required(T found) {
        if (found == null || found == Boolean.FALSE) {
            throw unexpected();
        }
        return found;
    }

    private static Tree tree(String kind, Object... parts) {
        return new Tree(kind, Arrays.asList(parts));
    }

    // --- the pattern ----------------------------------------------------------------------------------------------

    private Tree question() {
        required(words.take(MATCH));
        List<Object> parts = new ArrayList<>();
        do {
            parts.add(path());
        } while (words.take(","));
        parts.add(words.take(WHERE) == null ? null : condition());
        words.take(";");
        if (words.place() >= 0) {
            throw unexpected();
        }
        return new Tree("question", parts);
    }

    private Tree path() {
        List<Object> parts = new ArrayList<>(List.of(node()));
        for (String arrow = arrow(); arrow != null; arrow = arrow()) {
            parts.add(link(arrow));
            parts.add(node());
        }
        return new Tree("path", parts);
    }

    private String arrow() {
        return words.one("-->", "<--", "--", "<-", "-");
    }

    private Tree node() {
        required(words.take("("));
        String name = words.name();
        String label = words.take(":") ? required(words.name()) : null;
        Tree map = map();
        required(words.take(")"));
        return tree("node", name, label, map);
    }

    private Tree link(String arrow) {
        if (arrow.length() == 3 || arrow.equals("--")) {
            return tree(arrow.equals("--") ? "undirected" : arrow.equals("-->") ? "right" : "left", (Object) null);
        }
        Tree detail = words.take("[") ? detail() : null;
        if (arrow.equals("<-") && detail == null) {
            required(words.take("-"));
            return tree("left", detail);
        }
        int end = words.place();
        boolean right = required(words.one("->", "-")).equals("->");
        if (arrow.equals("<-") && right) {
            throw Reasons.of(text, end);
        }
        return tree(arrow.equals("<-") ? "left" : right ? "right" : "undirected", detail);
    }

    private Tree detail() {
        String name = words.name();
        Tree types = words.take(":") ? types() : null;
        Tree length = words.take("*") ? length() : null;
        Tree map = map();
        required(words.take("]"));
        return tree("detail", name, types, length, map);
    }

    private Tree types() {
        List<Object> names = new ArrayList<>(List.of(required(words.name())));
        while (words.take("|")) {
            words.take(":");
            names.add(required(words.name()));
        }
        return new Tree("types", names);
    }

    private Tree length() {
        if (words.take("..")) {
            return tree("up_to", required(words.integer()));
        }
        String low = required(words.integer());
        return words.take("..") ? tree("between", low, required(words.integer())) : tree("exactly", low);
    }

    private Tree map() {
        if (!words.take("{")) {
            return null;
        }
        List<Object> parts = new ArrayList<>();
        do {
            parts.add(required(words.name()));
            required(words.take(":"));
            parts.add(required(constant()));
        } while (words.take(","));
        required(words.take("}"));
        return new Tree("map", parts);
    }

    // --- conditions -----------------------------------------------------------------------------------------------

    private Tree condition() {
        return joined("OR", OR, () -> joined("XOR", XOR, () -> joined("AND", AND, this::opposite)));
    }

    private Tree joined(String kind, Pattern word, Supplier<Tree> each) {
        List<Object> parts = new ArrayList<>();
        do {
            parts.add(each.get());
        } while (words.take(word) != null);
        return parts.size() == 1 ? (Tree) parts.get(0) : new Tree(kind, parts);
    }

    private Tree opposite() {
        return words.take(NOT) != null ? tree("negation", opposite()) : predicate();
    }

    private Tree predicate() {
        if (words.take("(")) {
            Tree inside = condition();
            required(words.take(")"));
            return inside;
        }
        Tree left = required(operand());
        if (left.is("name")) {
            String sign = required(words.one("<>", "="));
            return tree("same", left.text(0), sign, required(words.name()));
        }
        Tree compared = compared(left);
        if (compared != null) {
            return compared;
        }
        if (left.is("true") || left.is("false")) {
            return tree("truth", left.kind());
        }
        if (!left.is("property")) {
            throw unexpected();
        }
        return tree("flag", left);
    }

    /** What is said of an operand; null if nothing is. */
    private Tree compared(Tree left) {
        String sign = words.one(OPERATORS);
        if (sign != null) {
            List<Object> parts = new ArrayList<>(List.of(left));
            for (; sign != null; sign = words.one(OPERATORS)) {
                parts.add(sign);
                parts.add(value());
            }
            return new Tree("comparison", parts);
        }
        boolean starts = words.take(STARTS) != null;
        if (starts || words.take(ENDS) != null) {
            required(words.take(WITH));
            return tree("comparison", left, starts ? "STARTS WITH" : "ENDS WITH", value());
        }
        if (words.take(CONTAINS) != null) {
            return tree("comparison", left, "CONTAINS", value());
        }
        if (words.take(IN) != null) {
            return within(left);
        }
        if (words.take(IS) != null) {
            boolean there = words.take(NOT) != null;
            required(words.take(NULL));
            return tree(there ? "present" : "missing", left);
        }
        return null;
    }

    private Tree within(Tree left) {
        required(words.take("["));
        List<Object> parts = new ArrayList<>(List.of(left));
        if (!words.take("]")) {
            do {
                parts.add(required(constant()));
            } while (words.take(","));
            required(words.take("]"));
        }
        return new Tree("within", parts);
    }

    /** An operand that must be there, and where a name alone is none. */
    private Tree value() {
        Tree found = required(operand());
        if (found.is("name")) {
            throw unexpected();
        }
        return found;
    }

    /** An operand, or a name alone; null if neither begins here. */
    private Tree operand() {
        if (words.take(COALESCE) != null) {
            required(words.take("("));
            List<Object> parts = new ArrayList<>();
            do {
                parts.add(value());
            } while (words.take(","));
            required(words.take(")"));
            return new Tree("coalesce", parts);
        }
        Tree constant = constant();
        if (constant != null) {
            return constant;
        }
        String name = words.name();
        if (name == null) {
            return null;
        }
        if (words.take(".")) {
            return tree("property", name, required(words.name()));
        }
        return tree("name", name);
    }

    /** A constant; null if none begins here. */
    private Tree constant() {
        if (words.take(TRUE) != null) {
            return tree("true");
        }
        if (words.take(FALSE) != null) {
            return tree("false");
        }
        String string = words.string();
        if (string != null) {
            return tree("string", string);
        }
        boolean minus = words.take("-");
        String decimal = words.decimal();
        if (decimal != null) {
            return tree("decimal", minus, decimal);
        }
        String integer = words.integer();
        if (integer == null && minus) {
            throw unexpected();
        }
        return integer == null ? null : tree("integer", minus, integer);
    }
}
