package neodp.asking;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import neodp.Json;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;

/**
 * Who is protected in a graph of people, and what belongs to them: the twin of {@code neodp/asking/protection.py}.
 *
 * @param people the label of the people; null where relationships are protected
 * @param relationships the type of the relationships; null where people are protected
 * @param defaultEpsilon the epsilon of those that have none; or null
 * @param nodes the tables of a graph in files, or its database file, which only the client reads
 */
public record Protection(
        String population,
        String epsilon,
        String people,
        String relationships,
        Number defaultEpsilon,
        List<String> properties,
        List<Pair> owned,
        List<String> publics,
        long mostMatches,
        List<Pair> nodes,
        List<Pair> links) {
    /** The greatest number of matches that a question may have, unless something else was set. */
    public static final long MOST_MATCHES = 10_000_000;

    private static final long GREATEST_LIMIT = 1_000_000_000;

    /** A label or a type, with what belongs to it. */
    public record Pair(String name, String value) {
        private static Pair of(Object row) {
            List<?> both = (List<?>) row;
            return new Pair((String) both.get(0), (String) both.get(1));
        }
    }

    /** Who takes a node along when they leave. */
    enum Role {
        UNIT,
        OWNED,
        PUBLIC
    }

    public Protection {
        population = Names.valid("population", population);
        properties = properties.stream().distinct().toList();
        owned = owned.stream().distinct().toList();
        publics = publics.stream().distinct().toList();
        checkWords(population, epsilon, people, relationships, properties, owned, publics);
        checkRoles(epsilon, people, properties, owned, publics);
        if (defaultEpsilon != null
                && !(defaultEpsilon.doubleValue() >= 0.0 && defaultEpsilon.doubleValue() < Double.POSITIVE_INFINITY)) {
            throw Refusal.graph(
                    "the default epsilon is " + Text.described(defaultEpsilon), "give a number of at least 0");
        }
        if (mostMatches < 1 || mostMatches > GREATEST_LIMIT) {
            throw Refusal.graph(
                    "the limit is " + mostMatches + " matches", "give a whole number from 1 to " + GREATEST_LIMIT);
        }
    }

    private static void checkWords(
            String population,
            String epsilon,
            String people,
            String relationships,
            List<String> properties,
            List<Pair> owned,
            List<String> publics) {
        Words.require("the property with the epsilons", epsilon);
        if ((people == null) == (relationships == null)) {
            throw Refusal.graph(
                    "population " + Text.repr(population) + " needs one kind of protected unit",
                    "give the label of the people, as in Person, or the type of the relationships, as in CONTACT");
        }
        if (people != null) {
            Words.require("the label of the people", people);
        } else {
            Words.require("the type of the relationships", relationships);
            if (!owned.isEmpty()) {
                throw Refusal.graph(
                        "nothing can be owned if relationships are protected", "leave out the owned labels");
            }
        }
        properties.forEach(name -> Words.require("a property", name));
        owned.forEach(pair -> {
            Words.require("an owned label", pair.name);
            Words.require("the relationship to the owners of " + Text.repr(pair.name), pair.value);
        });
        publics.forEach(label -> Words.require("a public label", label));
    }

    private static void checkRoles(
            String epsilon, String people, List<String> properties, List<Pair> owned, List<String> publics) {
        Map<String, String> roles = new HashMap<>();
        if (people != null) {
            roles.put(people, "people");
        }
        for (Pair named : Stream.concat(
                        owned.stream().map(pair -> new Pair(pair.name, "owned")),
                        publics.stream().map(label -> new Pair(label, "public")))
                .toList()) {
            String before = roles.putIfAbsent(named.name, named.value);
            if (before != null && !before.equals(named.value)) {
                throw Refusal.graph(
                        "the label " + Text.repr(named.name) + " has two roles, " + before + " and " + named.value,
                        "give each label one role");
            }
        }
        if (owned.stream().map(Pair::name).distinct().count() < owned.size()) {
            throw Refusal.graph(
                    "an owned label has two types of relationships to its owners", "give each label one type");
        }
        if (properties.contains(epsilon)) {
            throw Refusal.graph(
                    "the epsilons, " + Text.repr(epsilon) + ", cannot be asked", "leave them out of the properties");
        }
    }

    /** The name under which the ledger adds up what was spent: the label or the type, as Cypher writes it. */
    public String account() {
        return people != null ? "(:" + people + ")" : "[:" + relationships + "]";
    }

    /** All labels that have a role. */
    public List<String> labels() {
        List<String> out = new ArrayList<>();
        if (people != null) {
            out.add(people);
        }
        owned.forEach(pair -> out.add(pair.name));
        out.addAll(publics);
        return out;
    }

    /** Whether a match can contain what is nobody's: a public node, or a relationship of another type. */
    public boolean mayMatchOthers(Pattern pattern) {
        if (people == null) {
            return pattern.links().stream().anyMatch(link -> !link.types().equals(List.of(relationships)));
        }
        return pattern.links().stream().anyMatch(Pattern.Link::varies)
                || pattern.nodes().stream()
                        .map(node -> node.label() == null ? null : role(node.label()))
                        .anyMatch(role -> role == null || role == Role.PUBLIC);
    }

    Role role(String label) {
        if (label == null) {
            return null;
        }
        if (label.equals(people)) {
            return Role.UNIT;
        }
        if (owned.stream().anyMatch(pair -> pair.name.equals(label))) {
            return Role.OWNED;
        }
        return publics.contains(label) ? Role.PUBLIC : null;
    }

    /** Refuse a property of people, or of what belongs to them, that must not be asked. */
    public void requireAskable(String property) {
        if (property.equals(epsilon)) {
            throw Refusal.notAskable(
                    Text.repr(property) + " holds the epsilons, which are protected too", "ask about other properties");
        }
        if (!properties.contains(property)) {
            throw Refusal.notAskable(
                    "the property " + Text.repr(property)
                            + " may not be asked about: it might have been computed from other people's data",
                    "list it when the population is protected, if it depends on one person only");
        }
    }

    // --- as it is stored ------------------------------------------------------------------------------------------

    /** The protection as the client reads it, too. */
    public String text() {
        return Json.dumps(fields());
    }

    /** The protection that a stored text states. */
    public static Protection read(String text) {
        Map<?, ?> row = (Map<?, ?>) Json.read(text);
        return new Protection(
                (String) row.get("population"),
                (String) row.get("epsilon"),
                (String) row.get("people"),
                (String) row.get("relationships"),
                (Number) row.get("default_epsilon"),
                texts(row.get("properties")),
                pairs(row.get("owned")),
                texts(row.get("public")),
                row.get("most_matches") instanceof Long most ? most : MOST_MATCHES,
                row.get("ladybug") instanceof String file
                        ? List.of(new Pair("ladybug", file))
                        : pairs(row.get("nodes")),
                pairs(row.get("links")));
    }

    private static List<String> texts(Object list) {
        return list == null
                ? List.of()
                : ((List<?>) list).stream().map(each -> (String) each).toList();
    }

    private static List<Pair> pairs(Object list) {
        return list == null
                ? List.of()
                : ((List<?>) list).stream().map(Pair::of).toList();
    }

    private Map<String, Object> fields() {
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("population", population);
        out.put("epsilon", epsilon);
        out.put("people", people);
        out.put("relationships", relationships);
        out.put("default_epsilon", defaultEpsilon);
        out.put("properties", properties);
        out.put("owned", lists(owned));
        out.put("public", publics);
        out.put("most_matches", mostMatches);
        out.put("nodes", lists(nodes));
        out.put("links", lists(links));
        return out;
    }

    private static List<Object> lists(List<Pair> pairs) {
        return pairs.stream()
                .<Object>map(pair -> List.of(pair.name, pair.value))
                .toList();
    }

    /** A digest of everything but the population's name: two protections that mean the same have the same one. */
    public String digest() {
        Map<String, Object> parts = new TreeMap<>(fields());
        parts.remove("population");
        Comparator<Pair> order =
                Comparator.comparing(Pair::name, Text::compare).thenComparing(Pair::value, Text::compare);
        parts.put("properties", properties.stream().sorted(Text::compare).toList());
        parts.put("public", publics.stream().sorted(Text::compare).toList());
        parts.put("owned", lists(owned.stream().sorted(order).toList()));
        parts.put("nodes", lists(nodes.stream().sorted(order).toList()));
        parts.put("links", lists(links.stream().sorted(order).toList()));
        return Text.sha256(Json.dumps(parts)).substring(0, 32);
    }
}
