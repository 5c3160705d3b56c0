package neodp.asking;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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

/** A pattern written as a question for people; reading it gives the same pattern again. */
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
    private final Set<Integer> shown = new HashSet<>();

    Question(Pattern pattern) {
        this.pattern = pattern;
    }

    String text() {
        List<String> paths = new ArrayList<>();
        for (Link link : pattern.links()) {
            String start = node(link.start());
            String kinds = link.types().stream().map(Question::shown).collect(Collectors.joining("|"));
            String length = link.varies() ? "*" + link.low() + ".." + link.high() : "";
            String name = link.name() == null ? "" : shown(link.name());
            paths.add(start + "-[" + name + (kinds.isEmpty() ? "" : ":") + kinds + length + "]-"
                    + (link.directed() ? ">" : "") + node(link.end()));
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
        return "(" + (node.name() == null ? "" : shown(node.name())) + label + ")";
    }

    private static String shown(String name) {
        boolean plain = name.matches("[A-Za-z_][A-Za-z0-9_]*") && !RESERVED.contains(name.toLowerCase(Locale.ROOT));
        return plain ? name : Words.quoted(name);
    }

    private String named(Place place) {
        String name = place.node()
                ? pattern.nodes().get(place.number()).name()
                : pattern.links().get(place.number()).name();
        return name != null ? shown(name) : "`" + (place.node() ? "node " : "link ") + place.number() + "`";
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
        return Json.dumps(((Constant) part).value());
    }

    private String joined(List<? extends Operand> parts) {
        return parts.stream().map(this::said).collect(Collectors.joining(", "));
    }
}
