package neodp.asking;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import neodp.Json;
import neodp.asking.Pattern.Coalesce;
import neodp.asking.Pattern.Compare;
import neodp.asking.Pattern.Condition;
import neodp.asking.Pattern.Constant;
import neodp.asking.Pattern.IsNull;
import neodp.asking.Pattern.Link;
import neodp.asking.Pattern.Logic;
import neodp.asking.Pattern.Not;
import neodp.asking.Pattern.Operand;
import neodp.asking.Pattern.Place;
import neodp.asking.Pattern.Property;
import neodp.asking.Pattern.Same;
import neodp.asking.Pattern.Truth;
import neodp.asking.Pattern.Within;

/**
 * A pattern written as a question for people; reading it gives a pattern with the same matches and the same text.
 *
 * <p>An element without a name gets a new one if it is needed twice: a node between two relationships, and an element
 * with properties in braces, which become a condition.
 */
final class Question {
    private static final Set<String> RESERVED = Set.of(
            "match",
            "where",
            "and",
            "or",
            "xor",
            "not",
            "in",
            "is",
            "null",
            "true",
            "false",
            "starts",
            "ends",
            "with",
            "contains",
            "coalesce");

    private final Pattern pattern;
    private final Map<Place, String> names;
    private final Set<Integer> shown = new HashSet<>();

    Question(Pattern pattern) {
        this.pattern = pattern;
        this.names = names(pattern);
    }

    /** The names of elements: their own, and new ones, n1, n2, … and r1, r2, …, where one is needed. */
    private static Map<Place, String> names(Pattern pattern) {
        List<Place> places = new ArrayList<>();
        Map<Place, String> names = new HashMap<>();
        for (int number = 0; number < pattern.nodes().size(); number++) {
            Place place = new Place(true, number);
            places.add(place);
            names.put(place, pattern.nodes().get(number).name());
        }
        for (int number = 0; number < pattern.links().size(); number++) {
            Place place = new Place(false, number);
            places.add(place);
            names.put(place, pattern.links().get(number).name());
        }
        Set<Place> needed = new HashSet<>();
        pattern.properties().forEach(each -> needed.add(each.place()));
        Set<Integer> ends = new HashSet<>();
        for (Link link : pattern.links()) {
            for (int end : new int[] {link.start(), link.end()}) {
                if (!ends.add(end)) {
                    needed.add(new Place(true, end));
                }
            }
        }
        for (Place place : places) {
            for (int number = 1; names.get(place) == null && needed.contains(place); number++) {
                String fresh = (place.node() ? "n" : "r") + number;
                if (!names.containsValue(fresh)) {
                    names.put(place, fresh);
                }
            }
        }
        return names;
    }

    String text() {
        List<String> paths = new ArrayList<>();
        for (int number = 0; number < pattern.links().size(); number++) {
            Link link = pattern.links().get(number);
            String start = node(link.start());
            String kinds = link.types().stream().map(Question::shown).collect(Collectors.joining("|"));
            String length = link.varies() ? "*" + link.low() + ".." + link.high() : "";
            paths.add(start + "-[" + named(new Place(false, number)) + (kinds.isEmpty() ? "" : ":") + kinds + length
                    + "]-" + (link.directed() ? ">" : "") + node(link.end()));
        }
        for (int number = 0; number < pattern.nodes().size(); number++) {
            if (!shown.contains(number)) {
                paths.add(node(number));
            }
        }
        String where = pattern.condition() == null ? "" : " WHERE " + said(pattern.condition(), false);
        return "MATCH " + String.join(", ", paths) + where;
    }

    private String node(int number) {
        Pattern.Node node = pattern.nodes().get(number);
        String label = shown.add(number) && node.label() != null ? ":" + shown(node.label()) : "";
        return "(" + named(new Place(true, number)) + label + ")";
    }

    private static String shown(String name) {
        boolean plain = name.matches("[A-Za-z_][A-Za-z0-9_]*") && !RESERVED.contains(name.toLowerCase(Locale.ROOT));
        return plain ? name : Words.quoted(name);
    }

    private String named(Place place) {
        String name = names.get(place);
        return name == null ? "" : shown(name);
    }

    /** A condition in words of Cypher, in parentheses if it is joined within another. */
    private String said(Condition part, boolean within) {
        if (part instanceof Compare x) {
            return said(x.left()) + " " + x.operator() + " " + said(x.right());
        }
        if (part instanceof Within x) {
            return said(x.operand()) + " IN [" + joined(x.values()) + "]";
        }
        if (part instanceof IsNull x) {
            return said(x.operand()) + " IS " + (x.negated() ? "NOT " : "") + "NULL";
        }
        if (part instanceof Same x) {
            return named(x.left()) + (x.negated() ? " <> " : " = ") + named(x.right());
        }
        if (part instanceof Truth x) {
            return String.valueOf(x.value());
        }
        if (part instanceof Not x) {
            return "NOT " + said(x.condition(), true);
        }
        Logic logic = (Logic) part;
        String all = logic.conditions().stream()
                .map(each -> said(each, true))
                .collect(Collectors.joining(" " + logic.operator() + " "));
        return within ? "(" + all + ")" : all;
    }

    private String said(Operand part) {
        if (part instanceof Property x) {
            return named(x.place()) + "." + shown(x.key());
        }
        if (part instanceof Coalesce x) {
            return "coalesce(" + joined(x.operands()) + ")";
        }
        Object value = ((Constant) part).value();
        return value instanceof String text ? quoted(text) : Json.dumps(value);
    }

    /** A text in quotes, with the escapes that a question may have; all other characters stand for themselves. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            int known = "\n\t\r\b\f\"\\".indexOf(letter);
            out.append(known < 0 ? String.valueOf(letter) : "\\" + "ntrbf\"\\".charAt(known));
        }
        return out.append('"').toString();
    }

    private String joined(List<? extends Operand> parts) {
        return parts.stream().map(this::said).collect(Collectors.joining(", "));
    }
}
