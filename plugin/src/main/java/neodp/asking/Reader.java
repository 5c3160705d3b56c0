package neodp.asking;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Pattern.Coalesce;
import neodp.asking.Pattern.Compare;
import neodp.asking.Pattern.Condition;
import neodp.asking.Pattern.Constant;
import neodp.asking.Pattern.IsNull;
import neodp.asking.Pattern.Link;
import neodp.asking.Pattern.Logic;
import neodp.asking.Pattern.Node;
import neodp.asking.Pattern.Not;
import neodp.asking.Pattern.Operand;
import neodp.asking.Pattern.Place;
import neodp.asking.Pattern.Property;
import neodp.asking.Pattern.Same;
import neodp.asking.Pattern.Truth;
import neodp.asking.Pattern.Within;

/** The step from a tree of the grammar to a pattern: variables become places. */
final class Reader {
    private static final BigInteger GREATEST = BigInteger.ONE.shiftLeft(63);
    private static final int MOST_DIGITS = 400;
    private static final Map<Character, Character> ESCAPES =
            Map.of('n', '\n', 't', '\t', 'r', '\r', 'b', '\b', 'f', '\f', '\'', '\'', '"', '"', '\\', '\\');

    private final List<Node> nodes = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final Map<String, Place> places = new HashMap<>();
    private final List<Condition> conditions = new ArrayList<>();

    Pattern question(Tree tree) {
        int last = tree.parts().size() - 1;
        for (int i = 0; i < last; i++) {
            path(tree.tree(i));
        }
        if (tree.parts().get(last) != null) {
            conditions.add(condition(tree.tree(last)));
        }
        Condition whole = conditions.isEmpty() ? null : joined("AND", conditions);
        return new Pattern(List.copyOf(nodes), List.copyOf(links), whole);
    }

    /** A name without its backticks. */
    static String word(String token) {
        String name =
                token.startsWith("`") ? token.substring(1, token.length() - 1).replace("``", "`") : token;
        return Words.require("a name in the question", name, "not_askable");
    }

    private static String wordOrNull(String token) {
        return token == null ? null : word(token);
    }

    static Refusal many(String name) {
        return Refusal.notAskable(
                Text.repr(name) + " stands for several relationships, so that it has no property of its own",
                "give it a fixed length of 1");
    }

    // --- the pattern ----------------------------------------------------------------------------------------------

    private void path(Tree tree) {
        int here = node(tree.tree(0));
        for (int i = 1; i < tree.parts().size(); i += 2) {
            int there = node(tree.tree(i + 1));
            link(tree.tree(i), here, there);
            here = there;
        }
    }

    private int node(Tree tree) {
        String name = wordOrNull(tree.text(0));
        String label = wordOrNull(tree.text(1));
        Integer known = known(name, true);
        int number = known == null ? nodes.size() : known;
        if (known == null) {
            nodes.add(new Node(name, label));
            if (name != null) {
                places.put(name, new Place(true, number));
            }
        } else if (label != null) {
            String other = nodes.get(number).label();
            if (other != null && !other.equals(label)) {
                throw Refusal.notAskable(
                        Text.repr(name) + " has two labels, " + Text.repr(other) + " and " + Text.repr(label),
                        "give each variable one label");
            }
            nodes.set(number, new Node(name, label));
        }
        map(tree.tree(2), new Place(true, number));
        return number;
    }

    /** The number of a variable that has occurred before. */
    private Integer known(String name, boolean node) {
        Place place = name == null ? null : places.get(name);
        if (place == null) {
            return null;
        }
        if (!node || !place.node()) {
            throw Refusal.notAskable(
                    "the variable " + Text.repr(name) + " stands for two things",
                    "give each relationship its own variable");
        }
        return place.number();
    }

    private void link(Tree tree, int here, int there) {
        Tree detail = tree.tree(0);
        String name = detail == null ? null : wordOrNull(detail.text(0));
        known(name, false);
        long[] lengths = lengths(detail == null ? null : detail.tree(2));
        List<String> types = detail == null || detail.tree(1) == null
                ? List.of()
                : detail.tree(1).parts().stream()
                        .map(each -> word((String) each))
                        .distinct()
                        .toList();
        boolean left = tree.is("left");
        Place place = new Place(false, links.size());
        Link link = new Link(
                name, types, left ? there : here, left ? here : there, !tree.is("undirected"), lengths[0], lengths[1]);
        links.add(link);
        if (name != null) {
            places.put(name, place);
        }
        Tree map = detail == null ? null : detail.tree(3);
        if (map != null && link.varies()) {
            throw Refusal.notAskable(
                    "a path of several relationships has properties in braces", "give it a fixed length of 1");
        }
        map(map, place);
    }

    private static long[] lengths(Tree tree) {
        if (tree == null) {
            return new long[] {1, 1};
        }
        long first = whole(tree.text(0));
        long last = whole(tree.text(tree.parts().size() - 1));
        long low = tree.is("up_to") ? 1 : first;
        if (!(1 <= low && low <= last)) {
            throw Refusal.notAskable(
                    "a path has from " + low + " to " + last + " relationships",
                    "give a length of at least 1, such as *1..3");
        }
        return new long[] {low, last};
    }

    private void map(Tree tree, Place place) {
        for (int i = 0; tree != null && i < tree.parts().size(); i += 2) {
            conditions.add(new Compare("=", new Property(place, word(tree.text(i))), constant(tree.tree(i + 1))));
        }
    }

    // --- conditions -----------------------------------------------------------------------------------------------

    private static Condition joined(String operator, List<Condition> parts) {
        return parts.size() == 1 ? parts.get(0) : new Logic(operator, List.copyOf(parts));
    }

    private Condition condition(Tree tree) {
        return switch (tree.kind()) {
            case "AND", "OR", "XOR" -> joined(
                    tree.kind(),
                    tree.parts().stream().map(part -> condition((Tree) part)).toList());
            case "negation" -> new Not(condition(tree.tree(0)));
            case "truth" -> new Truth(tree.text(0).equals("true"));
            case "same" -> same(tree);
            case "comparison" -> comparison(tree);
            case "within" -> new Within(
                    operand(tree.tree(0)),
                    tree.parts().stream()
                            .skip(1)
                            .map(part -> constant((Tree) part))
                            .toList());
            case "flag" -> new Compare("=", operand(tree.tree(0)), new Constant(true));
            default -> new IsNull(operand(tree.tree(0)), tree.is("present"));
        };
    }

    private Condition comparison(Tree tree) {
        List<Operand> operands = new ArrayList<>();
        for (int i = 0; i < tree.parts().size(); i += 2) {
            operands.add(operand(tree.tree(i)));
        }
        List<Condition> each = new ArrayList<>();
        for (int i = 1; i < operands.size(); i++) {
            each.add(new Compare(tree.text(2 * i - 1), operands.get(i - 1), operands.get(i)));
        }
        return joined("AND", each);
    }

    private Condition same(Tree tree) {
        Place one = variable(word(tree.text(0)));
        Place other = variable(word(tree.text(2)));
        if (!one.node() || !other.node()) {
            throw Refusal.notAskable(
                    "a relationship is compared", "the relationships of a match always differ; leave it out");
        }
        return new Same(one, other, tree.text(1).equals("<>"));
    }

    private Operand operand(Tree tree) {
        if (tree.is("property")) {
            String name = word(tree.text(0));
            String key = word(tree.text(1));
            Place place = variable(name);
            if (!place.node() && links.get(place.number()).varies()) {
                throw many(name);
            }
            return new Property(place, key);
        }
        if (tree.is("coalesce")) {
            return new Coalesce(
                    tree.parts().stream().map(part -> operand((Tree) part)).toList());
        }
        return constant(tree);
    }

    private Place variable(String name) {
        if (!places.containsKey(name)) {
            throw Refusal.notAskable(
                    "the variable " + Text.repr(name) + " is not in the pattern",
                    "add it to the pattern, or use another variable");
        }
        return places.get(name);
    }

    private static Constant constant(Tree tree) {
        switch (tree.kind()) {
            case "true", "false":
                return new Constant(tree.is("true"));
            case "string":
                return new Constant(unquoted(tree.text(0)));
            case "integer":
                long whole = whole(tree.text(1));
                return new Constant(tree.parts().get(0).equals(true) ? -whole : whole);
            default:
                double value = Double.parseDouble(digits(tree.text(1)));
                if (Double.isInfinite(value)) {
                    throw tooLarge(tree.text(1));
                }
                return new Constant(tree.parts().get(0).equals(true) ? -value : value);
        }
    }

    private static long whole(String text) {
        BigInteger value = text.length() > MOST_DIGITS ? GREATEST : new BigInteger(digits(text));
        if (value.compareTo(GREATEST) >= 0) {
            throw tooLarge(text);
        }
        return value.longValueExact();
    }

    private static Refusal tooLarge(String text) {
        return Refusal.notAskable("the number " + Text.first(text, 40) + " is too large", "give a smaller one");
    }

    /** A number whose digits, of whatever script, are those that Java reads. */
    private static String digits(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> out.appendCodePoint(Character.isDigit(c) ? '0' + Character.digit(c, 10) : c));
        return out.toString();
    }

    /** The text between quotes, with its escapes replaced. */
    private static String unquoted(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                int escape = text.codePointAt(++i);
                if (escape > Character.MAX_VALUE || !ESCAPES.containsKey((char) escape)) {
                    throw Refusal.notAskable(
                            "the escape \\" + Character.toString(escape) + " is not known",
                            "write the character itself");
                }
                c = ESCAPES.get((char) escape);
            }
            out.append(c);
        }
        return out.toString();
    }
}
