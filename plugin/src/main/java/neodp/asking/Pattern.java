package neodp.asking;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;

/**
 * What a question looks for in a graph: the twin of {@code neodp/asking/pattern.py}, which says what a match is.
 *
 * @param condition null where there is none
 */
public record Pattern(List<Node> nodes, List<Link> links, Condition condition) {
    private static final int LONGEST_PATH = 8;
    private static final long MOST_ALTERNATIVES = 64;

    /** The pattern of a question; refused with the reason where it is none. */
    public static Pattern parse(String question) {
        return new Reader().question(Grammar.parse(question));
    }

    /** A place of a pattern: a node or a relationship, by its number. */
    public record Place(boolean node, int number) {}

    /** A node; one on the way of a relationship of variable length has no label of its own. */
    record Node(String name, String label) {}

    /** A relationship, or a path of several of them. */
    record Link(String name, List<String> types, int start, int end, boolean directed, long low, long high) {
        /** Whether it is a path, even of one length: then it has no properties of its own to ask about. */
        boolean varies() {
            return low != 1 || high != 1;
        }

        Link between(int from, int to) {
            return new Link(name, types, from, to, directed, 1, 1);
        }
    }

    /** A value in a condition. */
    sealed interface Operand permits Property, Constant, Coalesce {}

    /** A property of a matched element. */
    public record Property(Place place, String key) implements Operand {}

    /** A text, a number or a truth value. */
    record Constant(Object value) implements Operand {}

    /** The first of several operands that is not null. */
    record Coalesce(List<Operand> operands) implements Operand {}

    /** A condition on what was matched. */
    sealed interface Condition permits Compare, Within, IsNull, Same, Truth, Not, Logic {}

    record Compare(String operator, Operand left, Operand right) implements Condition {}

    record Within(Operand operand, List<Constant> values) implements Condition {}

    record IsNull(Operand operand, boolean negated) implements Condition {}

    record Same(Place left, Place right, boolean negated) implements Condition {}

    record Truth(boolean value) implements Condition {}

    record Not(Condition condition) implements Condition {}

    record Logic(String operator, List<Condition> conditions) implements Condition {}

    /** The pattern in Cypher, in one form for everybody who asks the same. */
    public String text() {
        return new Question(this).text();
    }

    /** The place of a variable. */
    public Place place(String name) {
        for (int i = 0; i < nodes.size(); i++) {
            if (name.equals(nodes.get(i).name)) {
                return new Place(true, i);
            }
        }
        for (int i = 0; i < links.size(); i++) {
            if (name.equals(links.get(i).name)) {
                return new Place(false, i);
            }
        }
        TreeSet<String> known = new TreeSet<>(Text::compare);
        Stream.concat(nodes.stream().map(Node::name), links.stream().map(Link::name))
                .filter(each -> each != null)
                .forEach(known::add);
        throw Refusal.notAskable(
                "the pattern has no variable " + Text.repr(name),
                "it has " + (known.isEmpty() ? "none" : String.join(", ", known)));
    }

    /** The property that a text such as r.amount names. */
    public Property property(String text) {
        Tree where = null;
        try {
            List<Object> parts =
                    Grammar.parse("MATCH (a:A) WHERE " + text + " IS NULL").parts();
            where = (Tree) parts.get(parts.size() - 1);
        } catch (Refusal e) { // it cannot be read at all
        }
        return property(text, where);
    }

    private Property property(String text, Tree where) {
        if (where == null || !where.is("missing") || !where.tree(0).is("property")) {
            throw Refusal.notAskable(
                    Text.repr(text) + " is not a property of the pattern",
                    "give a variable and a property, such as r.amount");
        }
        String name = Reader.word(where.tree(0).text(0));
        Place place = place(name);
        if (!place.node && links.get(place.number).varies()) {
            throw Reader.many(name);
        }
        return new Property(place, Reader.word(where.tree(0).text(1)));
    }

    // --- what may be asked ----------------------------------------------------------------------------------------

    /** This pattern, if everything in it has a role in the protection, and may be asked. */
    public Pattern checked(Protection protection) {
        nodes.forEach(node -> check(node, protection));
        if (!touches(protection)) {
            throw Refusal.notAskable(
                    "the pattern contains no people, so there is nobody to protect",
                    protection.people() != null
                            ? "ask the database itself, or add a node of the people"
                            : "add a relationship of type " + protection.relationships());
        }
        BigInteger length =
                links.stream().map(link -> BigInteger.valueOf(link.high)).reduce(BigInteger.ZERO, BigInteger::add);
        if (length.compareTo(BigInteger.valueOf(LONGEST_PATH)) > 0) {
            throw Refusal.notAskable(
                    "the pattern has up to " + length + " relationships", "at most " + LONGEST_PATH + " are possible");
        }
        long count = links.stream().mapToLong(link -> link.high - link.low + 1).reduce(1, (a, b) -> a * b);
        if (count > MOST_ALTERNATIVES) {
            throw Refusal.notAskable(
                    "the pattern stands for " + count + " patterns of fixed lengths", "at most " + MOST_ALTERNATIVES);
        }
        properties().forEach(found -> require(found, protection));
        return this;
    }

    private static void check(Node node, Protection protection) {
        List<String> labels = protection.labels();
        if (node.label == null) {
            throw Refusal.notAskable(
                    "the node (" + (node.name == null ? "" : node.name)
                            + ") has no label, so neodp cannot know whose it is",
                    "write a label, such as (" + (node.name == null ? "" : node.name) + ":"
                            + (labels.isEmpty() ? "Person" : labels.get(0)) + ")");
        }
        if (protection.role(node.label) == null) {
            throw Refusal.notAskable(
                    "the label " + Text.repr(node.label)
                            + " is neither protected, owned nor public, so neodp cannot know whose it is",
                    "population " + Text.repr(protection.population()) + " has "
                            + (labels.isEmpty() ? "no labels" : String.join(", ", labels)));
        }
    }

    /** Whether a protected unit can be in a match, by the labels and types that the pattern names. */
    private boolean touches(Protection protection) {
        return protection.people() == null
                ? links.stream().anyMatch(link -> link.types.contains(protection.relationships()))
                : nodes.stream()
                        .map(node -> protection.role(node.label))
                        .anyMatch(role -> role == Protection.Role.UNIT || role == Protection.Role.OWNED);
    }

    /** Refuse a property that must not be asked. */
    public void require(Property found, Protection protection) {
        if (found.key.equals(protection.epsilon()) || !isPublic(found.place, protection)) {
            protection.requireAskable(found.key);
        }
    }

    /** Whether the element at a place is public by its label, or by the labels at its ends. */
    private boolean isPublic(Place place, Protection protection) {
        if (place.node) {
            return protection.role(nodes.get(place.number).label) == Protection.Role.PUBLIC;
        }
        Link link = links.get(place.number);
        if (protection.people() == null) {
            return !link.types.isEmpty() && !link.types.contains(protection.relationships());
        }
        return Stream.of(link.start, link.end)
                .allMatch(end -> protection.role(nodes.get(end).label) == Protection.Role.PUBLIC);
    }

    /**
     * Refuse a pattern whose matches can have more than two people, by what is public about it, since least cuts find
     * distances for two at most; and distinct nodes whose matches need not share a person.
     *
     * @param distinct the place whose nodes are counted; or null
     */
    public void requireTwo(Protection protection, Place distinct) {
        if (!protection.nodes().isEmpty()) {
            throw Refusal.client(
                    "the graph of population " + Text.repr(protection.population()) + " is in files",
                    "ask with the client, as in 'neodp ask'");
        }
        if (nodes.stream().anyMatch(node -> protection.role(node.label) == Protection.Role.OWNED)) {
            throw Refusal.client(
                    "a node of the pattern may be owned by any number of people, and the plugin supports matches of two",
                    "ask with the client, as in 'neodp ask'");
        }
        long units = 0;
        for (Pattern each : alternatives()) {
            long here = protection.people() == null
                    ? each.links.stream()
                            .filter(link -> link.types.isEmpty() || link.types.contains(protection.relationships()))
                            .count()
                    : each.nodes.stream()
                            .filter(node -> protection.role(node.label) != Protection.Role.PUBLIC)
                            .count();
            units = Math.max(units, here);
        }
        if (units > 2) {
            throw Refusal.client(
                    "a match of the pattern can have " + units + " people, and the plugin supports matches of two",
                    "ask with the client, as in 'neodp ask'");
        }
        if (units > mostPeople(protection, distinct)) {
            throw Refusal.client(
                    "the question counts distinct nodes other than people, with two people in a match",
                    "ask with the client, as in 'neodp ask'");
        }
    }

    /** The greatest number of people in a match that counts: one if distinct nodes are counted that are no people. */
    public int mostPeople(Protection protection, Place distinct) {
        boolean shared = distinct == null
                || protection.people() != null
                        && protection.role(nodes.get(distinct.number).label) == Protection.Role.UNIT;
        return shared ? 2 : 1;
    }

    /** The number of its nodes and relationships. */
    public int size() {
        return nodes.size() + links.size();
    }

    // --- parts ----------------------------------------------------------------------------------------------------

    /** The properties in the condition, as often as they occur. */
    List<Property> properties() {
        List<Property> out = new ArrayList<>();
        if (condition != null) {
            collect(condition, out);
        }
        return out;
    }

    private static void collect(Condition part, List<Property> out) {
        if (part instanceof Compare compare) {
            collect(compare.left, out);
            collect(compare.right, out);
        } else if (part instanceof Within within) {
            collect(within.operand, out);
        } else if (part instanceof IsNull missing) {
            collect(missing.operand, out);
        } else if (part instanceof Not not) {
            collect(not.condition, out);
        } else if (part instanceof Logic logic) {
            logic.conditions.forEach(each -> collect(each, out));
        }
    }

    private static void collect(Operand part, List<Property> out) {
        if (part instanceof Property property) {
            out.add(property);
        } else if (part instanceof Coalesce coalesce) {
            coalesce.operands.forEach(each -> collect(each, out));
        }
    }

    /** The patterns of fixed lengths that this one stands for; the places that it names keep their numbers. */
    public List<Pattern> alternatives() {
        List<List<Long>> lengths = new ArrayList<>(List.of(List.of()));
        for (Link link : links) {
            List<List<Long>> more = new ArrayList<>();
            for (List<Long> before : lengths) {
                for (long length = link.low; length <= link.high; length++) {
                    List<Long> all = new ArrayList<>(before);
                    all.add(length);
                    more.add(all);
                }
            }
            lengths = more;
        }
        return lengths.stream().map(this::ofLengths).toList();
    }

    private Pattern ofLengths(List<Long> lengths) {
        List<Node> all = new ArrayList<>(nodes);
        List<Link> first = new ArrayList<>(links);
        List<Link> more = new ArrayList<>();
        for (int number = 0; number < links.size(); number++) {
            Link link = links.get(number);
            int from = link.start;
            for (long step = 1; step <= lengths.get(number); step++) {
                int to = step == lengths.get(number) ? link.end : all.size();
                if (to == all.size()) {
                    all.add(new Node(null, null));
                }
                if (step == 1) {
                    first.set(number, link.between(from, to));
                } else {
                    more.add(link.between(from, to));
                }
                from = to;
            }
        }
        first.addAll(more);
        return new Pattern(all, first, condition);
    }
}
