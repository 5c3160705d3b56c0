package neodp.asking;

import static neodp.asking.Words.quoted;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import neodp.asking.Pattern.Coalesce;
import neodp.asking.Pattern.Compare;
import neodp.asking.Pattern.Condition;
import neodp.asking.Pattern.Constant;
import neodp.asking.Pattern.IsNull;
import neodp.asking.Pattern.Link;
import neodp.asking.Pattern.Logic;
import neodp.asking.Pattern.Not;
import neodp.asking.Pattern.Operand;
import neodp.asking.Pattern.Property;
import neodp.asking.Pattern.Same;
import neodp.asking.Pattern.Truth;
import neodp.asking.Pattern.Within;

/**
 * The statements that answer a question: the twin of {@code Neo4jWriter} in {@code neodp/asking/writing.py}.
 *
 * <p>Nothing of a question's text reaches the database as it is. Variables get new names, constants become parameters,
 * and names of labels, types and properties are quoted.
 */
public final class Writer {
    private final Protection protection;
    private Map<String, Object> parameters = new LinkedHashMap<>();

    public Writer(Protection protection) {
        this.protection = protection;
    }

    /**
     * The statement for the matches of a pattern of fixed lengths: the ids of its nodes and relationships.
     *
     * @param amount a property to be returned as the last column; or null
     */
    public Statement matches(Pattern pattern, Property amount) {
        parameters = new LinkedHashMap<>();
        List<Link> links = pattern.links();
        List<String> paths = new ArrayList<>();
        Set<Integer> joined = new HashSet<>();
        for (int i = 0; i < links.size(); i++) {
            Link link = links.get(i);
            joined.addAll(List.of(link.start(), link.end()));
            String types = link.types().isEmpty()
                    ? ""
                    : link.types().stream().map(Words::quoted).collect(Collectors.joining("|", ":", ""));
            paths.add(node(pattern, link.start()) + "-[r" + i + types + "]" + (link.directed() ? "->" : "-")
                    + node(pattern, link.end()));
        }
        for (int i = 0; i < pattern.nodes().size(); i++) {
            if (!joined.contains(i)) {
                paths.add(node(pattern, i));
            }
        }
        List<String> conditions = conditions(pattern, amount);
        String where =
                conditions.isEmpty() ? "" : conditions.stream().collect(Collectors.joining(") AND (", " WHERE (", ")"));
        List<String> columns = new ArrayList<>();
        IntStream.range(0, pattern.nodes().size()).forEach(i -> columns.add("id(n" + i + ") AS n" + i));
        IntStream.range(0, links.size()).forEach(i -> columns.add("id(r" + i + ") AS r" + i));
        if (amount != null) {
            columns.add(property(amount) + " AS amount");
        }
        String text = "MATCH " + String.join(", ", paths) + where + " RETURN " + String.join(", ", columns) + " LIMIT "
                + (protection.mostMatches() + 1); // one more than is allowed is enough to know
        return new Statement(text, parameters, pattern.nodes().size(), links.size(), amount != null);
    }

    private static String node(Pattern pattern, int number) {
        String label = pattern.nodes().get(number).label();
        return "(n" + number + (label == null ? "" : ":" + quoted(label)) + ")";
    }

    private List<String> conditions(Pattern pattern, Property amount) {
        List<String> out = new ArrayList<>();
        for (int a = 0; a < pattern.links().size(); a++) {
            for (int b = a + 1; b < pattern.links().size(); b++) {
                out.add("id(r" + a + ") <> id(r" + b + ")");
            }
        }
        for (int i = 0; i < pattern.nodes().size(); i++) {
            if (pattern.nodes().get(i).label() == null) {
                String variable = "n" + i;
                out.add(protection.labels().stream()
                        .map(label -> variable + ":" + quoted(label))
                        .collect(Collectors.joining(" OR ")));
            }
        }
        for (int number : publicOnly(pattern, amount)) {
            out.add(isPublic("n" + number));
        }
        if (pattern.condition() != null) {
            out.add(condition(pattern.condition()));
        }
        out.removeIf(String::isEmpty);
        return out;
    }

    /** The condition that a node is public alone. */
    private String isPublic(String variable) {
        Stream<String> owned =
                protection.owned().stream().map(Protection.Pair::name).distinct();
        return Stream.concat(Stream.of(protection.people()), owned)
                .map(label -> "NOT " + variable + ":" + quoted(label))
                .collect(Collectors.joining(" AND "));
    }

    /** The nodes with a property that is asked and not listed: such nodes must be public alone. */
    private Set<Integer> publicOnly(Pattern pattern, Property amount) {
        Set<Integer> found = new TreeSet<>();
        if (protection.people() == null) {
            return found;
        }
        List<Property> asked = new ArrayList<>(pattern.properties());
        if (amount != null) {
            asked.add(amount);
        }
        for (Property each : asked) {
            if (!protection.properties().contains(each.key())) {
                Link link = each.place().node()
                        ? null
                        : pattern.links().get(each.place().number());
                found.addAll(link == null ? List.of(each.place().number()) : List.of(link.start(), link.end()));
            }
        }
        return found;
    }

    private String condition(Condition part) {
        if (part instanceof Logic x) {
            return x.conditions().stream()
                    .map(each -> "(" + condition(each) + ")")
                    .collect(Collectors.joining(" " + x.operator() + " "));
        }
        if (part instanceof Not x) {
            return "NOT (" + condition(x.condition()) + ")";
        }
        if (part instanceof Truth x) {
            return String.valueOf(x.value());
        }
        if (part instanceof Same x) {
            return "id(n" + x.left().number() + ") " + (x.negated() ? "<>" : "=") + " id(n"
                    + x.right().number() + ")";
        }
        if (part instanceof IsNull x) {
            return operand(x.operand()) + " IS " + (x.negated() ? "NOT " : "") + "NULL";
        }
        if (part instanceof Within x) {
            return x.values().isEmpty()
                    ? "false"
                    : x.values().stream()
                            .map(value -> "(" + condition(new Compare("=", x.operand(), value)) + ")")
                            .collect(Collectors.joining(" OR "));
        }
        Compare compare = (Compare) part;
        return operand(compare.left()) + " " + compare.operator() + " " + operand(compare.right());
    }

    private String operand(Operand part) {
        if (part instanceof Property x) {
            return property(x);
        }
        if (part instanceof Coalesce x) {
            return x.operands().stream().map(this::operand).collect(Collectors.joining(", ", "coalesce(", ")"));
        }
        String name = "p" + parameters.size();
        parameters.put(name, ((Constant) part).value());
        return "$" + name;
    }

    private static String property(Property part) {
        return (part.place().node() ? "n" : "r") + part.place().number() + "." + quoted(part.key());
    }

    // --- the units ------------------------------------------------------------------------------------------------

    /** The statement for the ids of all units and their epsilons. */
    public String units() {
        String found = protection.people() != null
                ? "MATCH (u:" + quoted(protection.people()) + ")"
                : "MATCH ()-[u:" + quoted(protection.relationships()) + "]->()";
        return found + " RETURN id(u) AS id, u." + quoted(protection.epsilon()) + " AS epsilon";
    }

    /** The statement for those of some ids that are nobody's: there, and without a private label or type. */
    public String others() {
        String found = protection.people() != null
                ? "MATCH (x) WHERE id(x) IN $ids AND " + isPublic("x")
                : "MATCH ()-[x]->() WHERE id(x) IN $ids AND NOT x:" + quoted(protection.relationships());
        return found + " RETURN id(x) AS id";
    }
}
