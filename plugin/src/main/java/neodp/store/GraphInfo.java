package neodp.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Labels;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;

/** What is known about a graph that is whole. */
public record GraphInfo(
        String name,
        List<String> colors,
        long datasets,
        long edges,
        String revision,
        String version,
        String fingerprint,
        String written,
        String privacy,
        boolean stale,
        Certificate certificate,
        Map<String, Object> row,
        Naming naming) {
    /** Columns with texts that neodp has written, each with its property. */
    private static final Map<String, String> WRITTEN = Map.of(
            "revision", "revision",
            "version", "mechanism",
            "fingerprint", "fingerprint",
            "method", "mechanism_method",
            "privacy", "mechanism_privacy",
            "population", "population");

    /** Refuse a graph that has changed since. */
    public void unchanged(Transaction tx) {
        if (!naming.own()) {
            return; // nobody has recorded how it was
        }
        Node node = tx.findNode(Model.DATASET_GRAPH, "name", name);
        if (node == null
                || !"ready".equals(node.getProperty("state", "ready"))
                || !Objects.equals(revision, node.getProperty("revision", null))) {
            throw Refusal.changedWhileRead(name);
        }
    }

    /** Refuse a stored mechanism for a privacy notion that the plugin does not know. */
    public void requireEpsilonDelta() {
        if (version != null && !privacy.equals(Model.EPSILON_DELTA)) {
            throw Refusal.client(
                    "the mechanism of graph " + Text.quoted(name) + " is " + privacy
                            + ", and the plugin supports only (epsilon, delta)",
                    "use the client");
        }
    }

    /**
     * The method by which all datasets are evaluated; null for that of an extension. It stands in the record of the stored
     * mechanism, which was written for the whole graph; nothing that is found at a dataset changes it.
     */
    public String method() {
        String method = version == null ? null : (String) row.get("method");
        if ("optimal".equals(method) || "distance".equals(method)) {
            throw Refusal.client(
                    "the mechanism of graph " + Text.quoted(name) + " was found by the method '" + method
                            + "', which the plugin does not have",
                    "use the client");
        }
        return "line".equals(method) || "prefix".equals(method) ? method : null;
    }

    public String population() {
        return (String) row.get("population");
    }

    public void requireMechanism() {
        if (!naming.own()) {
            return; // which shows when its properties are read
        }
        requireEpsilonDelta();
        if (version == null) {
            throw Refusal.noMechanism(
                    "graph " + Text.quoted(name) + " has no complete mechanism",
                    "run " + Refusal.extend(name) + " first");
        }
    }

    /** Refuse a mechanism that is not the one that was there before. */
    public void requireMechanism(GraphInfo before) {
        if (naming.own() && (version == null || !version.equals(before.version))) {
            throw Refusal.noMechanism(
                    "the mechanism of graph " + Text.quoted(name) + " was replaced while it was read", "try again");
        }
    }

    /** What is known about a graph by its names; refused unless it is whole. */
    public static GraphInfo of(Transaction tx, String graph, Naming naming) {
        if (graph == null || naming.own()) {
            return of(tx, graph);
        }
        return naming.info(tx, graph);
    }

    /** What is known about one of neodp's own graphs; refused unless it is whole. */
    public static GraphInfo of(Transaction tx, String graph) {
        if (graph == null) {
            throw Refusal.graph("the graph's name is null", "give a text");
        }
        Map<String, Object> row = Statements.row(tx, "view", Map.of("graph", graph, "keys", List.of()));
        if (row.isEmpty()) {
            throw missing(tx, graph);
        }
        boolean texts = row.get("colors") == null
                || Text.elements(row.get("colors")).stream().allMatch(String.class::isInstance);
        if (!texts
                || !(row.get("state") instanceof String state)
                || !(row.get("datasets") instanceof Long datasets)
                || !(row.get("edges") instanceof Long edges)) {
            throw Refusal.graph(
                    "graph " + Text.quoted(graph)
                            + " has a name or colours that are not texts, or counts that are not numbers",
                    "correct the properties of its node, or delete it");
        }
        requireTexts(graph, row);
        if (!state.equals("ready")) {
            throw Refusal.unfinished(
                    graph, Map.of("loading", "load", "dropping", "drop").getOrDefault(state, state));
        }
        List<String> colors = row.get("colors") == null
                ? List.of()
                : Text.elements(row.get("colors")).stream()
                        .map(String.class::cast)
                        .toList();
        if (colors.stream().distinct().count() < Math.max(2, colors.size())) {
            throw Refusal.graph(
                    "the colours are " + (colors.isEmpty() ? "none" : Text.listed(colors)),
                    "name at least two different ones with `SET g.colors = [...]`");
        }
        String version = (String) row.get("version");
        Certificate certificate = Certificate.of(row);
        boolean outdated = version != null
                && certificate != null
                && row.get("privacy").equals(Model.EPSILON_DELTA)
                && !certificate
                        .fingerprint()
                        .equals(row.get("fingerprint")); // made for another graph than the one that is certified
        return new GraphInfo(
                graph,
                colors,
                datasets,
                edges,
                (String) row.get("revision"),
                version,
                (String) row.get("fingerprint"),
                (String) row.get("written"),
                (String) row.get("privacy"),
                !Boolean.FALSE.equals(row.get("stale")) || outdated,
                certificate,
                row,
                Naming.OWN);
    }

    /** Refuse what somebody else has written into a property that neodp writes as a text. */
    private static void requireTexts(String graph, Map<String, Object> row) {
        WRITTEN.forEach((name, property) -> {
            if (row.get(name) != null && !(row.get(name) instanceof String)) {
                throw Refusal.graph(
                        "the property " + property + " of graph " + Text.quoted(graph) + " is "
                                + Text.described(row.get(name)) + ", and no text",
                        "remove it with `MATCH (g:DatasetGraph {name: " + Text.cypher(graph) + "}) REMOVE g." + property
                                + "`");
            }
        });
    }

    /** The refusal of a graph that there is not. */
    public static Refusal missing(Transaction tx, String graph) {
        return Refusal.unknownGraph(graph, known(tx));
    }

    /** What graphs there are: the first ten. */
    private static String known(Transaction tx) {
        TreeSet<String> names = new TreeSet<>(Text::compare);
        try (ResourceIterator<Node> nodes = tx.findNodes(Model.DATASET_GRAPH)) {
            while (nodes.hasNext()) {
                Node node = nodes.next();
                names.add(String.valueOf(node.getProperty("name", null))); // which fails once the transaction is ended
                if (names.size() > 10) {
                    names.pollLast();
                }
            }
        }
        return names.isEmpty()
                ? "it is empty; load or generate a graph first"
                : "it has " + Text.listed(List.copyOf(names));
    }

    /**
     * Per colour, a lower bound of its chance at any dataset that has alpha, and the chance of the other; 1 and 0 where
     * none has. A list is found by its first entry, so that the second may be off by the rounding of the first.
     */
    public double[][] least() {
        List<double[]> given = new ArrayList<>();
        for (String name : List.of("least_number", "greatest_number")) {
            for (Object value : Text.elements(row.get(name))) {
                double p = PropertyValues.number(value);
                given.add(new double[] {p, 1.0 - p});
            }
        }
        for (Object value : Text.elements(row.get("least_list"))) {
            double p = PropertyValues.number(Text.elements(value).get(0));
            given.add(new double[] {p, p > 0.5 ? Math.min(1.0, 1.0 - p + 0x1p-53) : 1.0 - p});
        }
        for (Object value : Text.elements(row.get("greatest_list"))) {
            List<?> values = Text.elements(value);
            given.add(new double[] {PropertyValues.number(values.get(0)), PropertyValues.number(values.get(1))});
        }
        double[] low = {1.0, 0.0};
        double[] high = {0.0, 1.0};
        for (double[] pair : given) {
            long label = Labels.encode(pair[0], pair[1]);
            low = label < Labels.encode(low[0], low[1]) ? pair : low;
            high = label > Labels.encode(high[0], high[1]) ? pair : high;
        }
        return new double[][] {low, {high[1], high[0]}};
    }
}
