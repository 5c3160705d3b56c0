package neodp;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import neodp.DatasetGraph.Edges;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;

/**
 * Dataset graphs in the database that the procedure runs in: the twin of {@code neodp/store}.
 *
 * <p>A graph is read and written in chunks, each in a transaction of its own, some at a time. A writer owns a graph by a
 * token on its {@code (:DatasetGraph)} node. Every chunk holds a shared lock on that node and checks the token under it,
 * so that chunks go side by side, while whoever takes the graph over waits for those that have begun; a writer that was
 * overtaken cannot commit anything more. Nothing counts until the last transaction declares it whole.
 */
final class Store {
    static final String EPSILON_DELTA = "epsilon-delta";
    static final Label DATASET_GRAPH = Label.label("DatasetGraph");
    static final Label DATASET = Label.label("Dataset");
    static final RelationshipType NEIGHBOR = RelationshipType.withName("NEIGHBOR");

    private static final int SOME = 1 << 10; // edges, after which to count their memory

    private final Workers workers;
    private final int batch;

    Store(Workers workers, int batch) {
        this.workers = workers;
        this.batch = batch;
    }

    /** What is known about a graph that is whole. */
    record Info(
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
            Map<String, Object> row) {
        /** Refuse a graph that has changed since. */
        void unchanged(Transaction tx) {
            Node node = tx.findNode(DATASET_GRAPH, "name", name);
            if (node == null
                    || !"ready".equals(node.getProperty("state", "ready"))
                    || !Objects.equals(revision, node.getProperty("revision", null))) {
                throw Refusal.changedWhileRead(name);
            }
        }

        /** Refuse a stored mechanism for a privacy notion that the plugin does not know. */
        void requireEpsilonDelta() {
            if (version != null && !privacy.equals(EPSILON_DELTA)) {
                throw Refusal.client(
                        "the mechanism of graph " + Text.quoted(name) + " is " + privacy
                                + ", and the plugin knows (epsilon, delta)",
                        "use the client");
            }
        }

        String population() {
            return (String) row.get("population");
        }

        void requireMechanism() {
            requireEpsilonDelta();
            if (version == null) {
                throw Refusal.noMechanism(
                        "graph " + Text.quoted(name) + " has no complete mechanism",
                        "run " + Refusal.extend(name) + " first");
            }
        }
    }

    /** That a graph, as it is, can be answered about: {@code Certificate} in {@code neodp/store/records.py}. */
    record Certificate(String fingerprint, List<Release.Level> levels) {
        /** The text of a certificate, after the graph's revision. */
        String text() {
            return levels.stream()
                    .flatMap(level -> Stream.of(Text.hex(level.epsilon()), Text.hex(level.delta())))
                    .collect(Collectors.joining("\t", fingerprint + (levels.isEmpty() ? "" : "\t"), ""));
        }

        /** Null where the graph has none, or one of another revision. */
        private static Certificate of(Map<String, Object> row) {
            String[] words = String.valueOf(row.get("certified")).split("\t", -1);
            if (!words[0].equals(row.get("revision")) || words.length % 2 == 1 || words[1].isEmpty()) {
                return null;
            }
            List<Release.Level> levels = new ArrayList<>();
            try {
                for (int i = 2; i < words.length; i += 2) {
                    levels.add(new Release.Level(Double.parseDouble(words[i]), Double.parseDouble(words[i + 1])));
                }
            } catch (NumberFormatException e) { // somebody else has changed it
                return null;
            }
            return new Certificate(words[1], List.copyOf(levels));
        }
    }

    /** A graph as read: its keys are in order; dataset {@code position[i]} of it is the node {@code ids[i]}. */
    record Stored(DatasetGraph graph, Info info, long[] ids, int[] position, double[] p, double[] q) {}

    Info info(String graph) {
        return workers.read(graph, tx -> info(tx, graph));
    }

    /** What is known about a graph; refused unless it is whole and has two colours. */
    static Info info(Transaction tx, String graph) {
        if (graph == null) {
            throw Refusal.graph("the graph's name is null", "give a text");
        }
        Map<String, Object> row = Statements.row(tx, "view", Map.of("graph", graph, "keys", List.of()));
        if (row.isEmpty()) {
            throw Refusal.unknownGraph(graph, known(tx));
        }
        boolean texts = row.get("colors") == null
                || elements(row.get("colors")).stream().allMatch(String.class::isInstance);
        if (!texts
                || !(row.get("state") instanceof String state)
                || !(row.get("datasets") instanceof Long datasets)
                || !(row.get("edges") instanceof Long edges)) {
            throw Refusal.graph(
                    "graph " + Text.quoted(graph)
                            + " has a name or colours that are not texts, or counts that are not numbers",
                    "correct the properties of its node, or delete it");
        }
        if (!state.equals("ready")) {
            throw Refusal.unfinished(
                    graph, Map.of("loading", "load", "dropping", "drop").getOrDefault(state, state));
        }
        List<String> colors = row.get("colors") == null
                ? List.of()
                : elements(row.get("colors")).stream().map(String.class::cast).toList();
        if (colors.stream().distinct().count() < Math.max(2, colors.size())) {
            throw Refusal.graph(
                    "the colours are " + (colors.isEmpty() ? "none" : Text.listed(colors)),
                    "name at least two different ones with `SET g.colors = [...]`");
        }
        if (colors.size() > 2) {
            throw Refusal.client(
                    Text.quoted(graph) + " has " + colors.size() + " colours, and the plugin knows two",
                    "use the client, as in 'neodp extend " + graph + "'");
        }
        String version = (String) row.get("version");
        Certificate certificate = Certificate.of(row);
        boolean outdated = version != null
                && certificate != null
                && row.get("privacy").equals(EPSILON_DELTA)
                && !certificate.fingerprint.equals(
                        row.get("fingerprint")); // made for another graph than the one that is certified
        return new Info(
                graph,
                colors,
                datasets,
                edges,
                (String) row.get("revision"),
                version,
                (String) row.get("fingerprint"),
                (String) row.get("written"),
                (String) row.get("privacy"),
                (boolean) row.get("stale") || outdated,
                certificate,
                row);
    }

    /** What graphs there are: the first ten. */
    private static String known(Transaction tx) {
        TreeSet<String> names = new TreeSet<>(Text::compare);
        try (ResourceIterator<Node> nodes = tx.findNodes(DATASET_GRAPH)) {
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

    /** A whole graph, and its stored probabilities where they are asked for. */
    Stored read(Info info, boolean probabilities) {
        String name = info.name;
        long[] ids = workers.read(name, tx -> ids(tx, info));
        if (ids.length == 0) {
            throw Refusal.graph("the graph has no datasets", "give at least one");
        }
        Positions positions = new Positions(ids, workers);
        Columns columns = new Columns(info, ids.length, probabilities);
        AtomicLong links = new AtomicLong();
        List<Edges> parts = workers.ranges(
                ids.length,
                batch,
                (from, to) -> workers.read(name, tx -> chunk(tx, ids, from, to, positions, columns, links)));
        workers.read(name, tx -> {
            info.unchanged(tx);
            return null;
        });
        int texts = 0;
        for (int i = 0; i < ids.length; i++) {
            workers.check(i);
            texts += columns.keys[i] == null ? 0 : 1;
        }
        if (texts < ids.length) {
            throw Refusal.graph(
                    "graph " + Text.quoted(name) + " has " + ids.length + " datasets, but only " + texts
                            + " of them have a text as key",
                    "correct them");
        }
        return sorted(info, ids, columns, Edges.all(parts, workers));
    }

    /** The datasets of a graph; those beyond the number that it is said to have are counted here. */
    private long[] ids(Transaction tx, Info info) {
        long[] ids = new long[1024];
        int count = 0;
        try (ResourceIterator<Node> nodes = tx.findNodes(DATASET, "graph", info.name)) {
            while (nodes.hasNext()) {
                if (count == ids.length) {
                    if (count > Integer.MAX_VALUE / 4) {
                        throw Refusal.client("the graph has too many datasets for the plugin", "use the client");
                    }
                    ids = Arrays.copyOf(ids, 2 * count);
                }
                if (count >= info.datasets) {
                    workers.memory.take(Memory.PER_DATASET);
                }
                workers.check(count);
                ids[count++] = id(nodes.next());
            }
        }
        Memory.require(info.name, count, info.edges);
        return Arrays.copyOf(ids, count);
    }

    private Edges chunk(
            Transaction tx, long[] ids, int from, int to, Positions positions, Columns columns, AtomicLong links) {
        Edges edges = new Edges();
        int[] met = new int[1]; // relationships, also those that lead out of the graph
        workers.memory.take(Edges.EMPTY);
        try (Cursors cursors = new Cursors(tx, columns.names())) {
            for (int i = from; i < to; i++) {
                workers.check(i - from);
                int source = i;
                cursors.go(ids[i]);
                long text = columns.set(i, cursors);
                if (text > 0) {
                    workers.memory.take(text);
                }
                cursors.links((end, epsilon, delta) -> {
                    workers.check(met[0]++);
                    int target = positions.of(end);
                    if (target >= 0) {
                        edges.add(source, target, epsilon, delta);
                        if (edges.count - edges.counted == SOME) {
                            count(columns.info, edges, links);
                        }
                    }
                });
            }
        }
        count(columns.info, edges, links);
        return edges;
    }

    /** Count edges that were read, and the memory of those beyond the number that the graph is said to have. */
    private void count(Info info, Edges edges, AtomicLong links) {
        int more = edges.count - edges.counted;
        edges.counted = edges.count;
        long beyond = Math.min(more, links.addAndGet(more) - info.edges);
        if (beyond > 0) {
            workers.memory.take(Memory.PER_EDGE_MOST * beyond);
            Memory.require(info.name, info.datasets, links.get());
        }
    }

    static void add(Edges edges, int source, int target, Entity link) {
        Map<String, Object> values = link.getProperties("epsilon", "delta");
        edges.add(source, target, number(values.get("epsilon")), number(values.getOrDefault("delta", 0.0)));
    }

    /** The columns of a graph in the order of its keys. */
    private Stored sorted(Info info, long[] ids, Columns columns, Edges edges) {
        int n = ids.length;
        int[] from = Keys.order(columns.keys, batch, workers);
        String[] keys = new String[n];
        int[] position = new int[n];
        for (int v = 0; v < n; v++) {
            workers.check(v);
            position[from[v]] = v;
            keys[v] = columns.keys[from[v]];
            if (v > 0 && keys[v].equals(keys[v - 1])) {
                String key = Text.quoted(keys[v]);
                throw Refusal.graph("dataset " + key + ": the key " + key + " occurs twice", "make keys unique");
            }
        }
        workers.check();
        workers.ranges(edges.count, 1 << 18, (first, last) -> {
            for (int e = first; e < last; e++) {
                workers.check(e);
                edges.source[e] = position[edges.source[e]];
                edges.target[e] = position[edges.target[e]];
            }
            return null;
        });
        DatasetGraph graph = new DatasetGraph(
                info.name,
                info.colors,
                keys,
                columns.colors(from, workers),
                at(columns.first, from),
                at(columns.second, from),
                columns.preferences(from, workers),
                edges,
                workers);
        return new Stored(graph, info, ids, position, at(columns.p, from), at(columns.q, from));
    }

    private double[] at(double[] column, int[] from) {
        if (column == null) {
            return null;
        }
        double[] out = new double[from.length];
        for (int v = 0; v < out.length; v++) {
            workers.check(v);
            out[v] = column[from[v]];
        }
        return out;
    }

    /** The properties of datasets, in the order they are read. */
    static final class Columns {
        final Info info;
        final String[] keys;
        final byte[] color;
        final double[] first;
        final double[] second;
        final double[] p;
        final double[] q;
        final byte[][] preference;
        private volatile boolean ordered;

        Columns(Info info, int n, boolean probabilities) {
            this.info = info;
            keys = new String[n];
            color = new byte[n];
            first = new double[n];
            second = new double[n];
            p = probabilities ? new double[n] : null;
            q = probabilities ? new double[n] : null;
            preference = new byte[n][];
        }

        /** What to read of a dataset. */
        String[] names() {
            return p == null
                    ? new String[] {"key", "color", "alpha", "preference"}
                    : new String[] {"key", "color", "alpha", "preference", "p", "q"};
        }

        /** Take the properties of a dataset; the bytes that its key takes beyond what every key does. */
        long set(int i, Cursors node) {
            if (!(node.value(0) instanceof String key)) {
                return 0; // which is noticed when all are read
            }
            keys[i] = key;
            color[i] = colorOf(info.colors, key, node.value(1));
            double[] alpha = alpha(key, node.value(2));
            first[i] = alpha[0];
            second[i] = alpha[1];
            preference[i] = preferenceOf(info.colors, key, color[i], node.value(3));
            if (preference[i] != null) {
                ordered = true;
            }
            if (p != null) {
                double[] row = {node.number(4), node.number(5)};
                if (Double.isNaN(row[0]) || Double.isNaN(row[1])) {
                    throw Refusal.noMechanism(
                            "dataset " + Text.quoted(key) + " of graph " + Text.quoted(info.name)
                                    + " has no probabilities: it came after the mechanism was written",
                            "run " + Refusal.extend(info.name) + " again");
                }
                row = distribution(key, row);
                p[i] = row[0];
                q[i] = row[1];
            }
            return Memory.ofKey(key);
        }

        byte[] colors(int[] from, Workers workers) {
            byte[] out = new byte[from.length];
            for (int v = 0; v < out.length; v++) {
                workers.check(v);
                out[v] = color[from[v]];
            }
            return out;
        }

        byte[] preferences(int[] from, Workers workers) {
            if (!ordered) {
                return null;
            }
            byte[] out = new byte[2 * from.length];
            for (int v = 0; v < from.length; v++) {
                workers.check(v);
                byte[] row = preference[from[v]];
                out[2 * v] = row == null ? -1 : row[0];
                out[2 * v + 1] = row == null ? -1 : row[1];
            }
            return out;
        }
    }

    /** A dataset by its key. */
    static Node find(Transaction tx, String graph, String key) {
        try (ResourceIterator<Node> found = tx.findNodes(DATASET, "graph", graph, "key", key)) {
            if (!found.hasNext()) {
                throw Refusal.unknownKey(graph, key);
            }
            return found.next();
        }
    }

    static boolean belongs(Node node, String graph) {
        return node.hasLabel(DATASET) && graph.equals(node.getProperty("graph", null));
    }

    // --- values -------------------------------------------------------------------------------------------------

    static byte colorOf(List<String> colors, String key, Object value) {
        if (value == null) {
            throw Refusal.graph("dataset " + Text.quoted(key) + ": a colour is missing", "give a string");
        }
        int color = colors.indexOf(value.toString());
        if (color < 0) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + " has the unknown colour " + Text.quoted(value.toString()),
                    "use one of " + Text.listed(colors));
        }
        return (byte) color;
    }

    /** Alpha as a property has it, as Pr[first colour] and Pr[second colour]; NaN where it is not given. */
    static double[] alpha(String key, Object value) {
        if (value == null) {
            return new double[] {Double.NaN, Double.NaN};
        }
        boolean list = value.getClass().isArray() || value instanceof List;
        List<?> values = list ? elements(value) : List.of(value);
        if (values.stream().anyMatch(x -> !(x instanceof Number || x instanceof Boolean))) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + described(value),
                    "give a number or a list of numbers");
        }
        if (list && values.size() != 2) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": alpha is " + described(value),
                    "give a number, or one for each of the 2 colours");
        }
        double p = number(values.get(0));
        double[] row = {p, list ? number(values.get(1)) : 1.0 - p};
        return Double.isNaN(row[0]) && Double.isNaN(row[1]) ? row : distribution(key, row);
    }

    /** A distribution, checked; the larger entry is one minus the other. */
    private static double[] distribution(String key, double[] row) {
        for (double x : row) {
            if (!(x >= 0.0 && x <= 1.0)) {
                throw Refusal.graph(place(key, row), "give probabilities from 0 to 1");
            }
            if (x > 0.0 && x < Labels.TINY) {
                throw Refusal.graph(place(key, row), "give 0 or at least " + Text.repr(Labels.TINY));
            }
        }
        if (Math.abs(row[0] + row[1] - 1.0) > 1e-9) {
            throw Refusal.graph(place(key, row) + " and does not add up to 1", "correct it");
        }
        return row[0] >= row[1]
                ? new double[] {1.0 - row[1] + 0.0, row[1] + 0.0}
                : new double[] {row[0] + 0.0, 1.0 - row[0] + 0.0};
    }

    private static String place(String key, double[] row) {
        return "dataset " + Text.quoted(key) + ": alpha is " + Text.repr(row[0]) + ", " + Text.repr(row[1]);
    }

    private static byte[] preferenceOf(List<String> colors, String key, byte color, Object value) {
        if (value == null || elements(value).isEmpty()) {
            return null;
        }
        List<String> names = elements(value).stream().map(String::valueOf).toList();
        if (names.size() != 2 || !names.containsAll(colors)) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + ": the preference is " + Text.listed(names),
                    "name each of " + Text.listed(colors) + " once, best first");
        }
        byte best = (byte) colors.indexOf(names.get(0));
        if (best != color) {
            throw Refusal.graph(
                    "dataset " + Text.quoted(key) + " has the colour " + colors.get(color) + " and prefers "
                            + colors.get(best),
                    "name its colour first");
        }
        return new byte[] {best, (byte) (1 - best)};
    }

    /** A property as a double; NaN where it is no number. */
    static double number(Object value) {
        if (value instanceof Boolean truth) { // as Python takes it
            return truth ? 1.0 : 0.0;
        }
        return value instanceof Number x ? x.doubleValue() : Double.NaN;
    }

    /** A list, or an array of any type, as a list. */
    static List<?> elements(Object value) {
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

    /** A value for a message: no more of it than has room there. */
    static String described(Object value) {
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

    // --- writing ------------------------------------------------------------------------------------------------

    /** Keep a mechanism's probabilities on its datasets; all or nothing for every reader. */
    void write(Stored stored, Mechanism mechanism, Supplier<String> fingerprint) {
        String name = stored.info.name;
        DatasetGraph graph = stored.graph;
        String writer = UUID.randomUUID().toString().replace("-", "");
        owned("claim_mechanism", name, Map.of("graph", name, "writer", writer));
        boolean[] boundary = graph.boundary(workers);
        int[] distance = graph.hops(Mechanism.where(graph.size(), v -> boundary[v], workers), workers);
        workers.ranges(
                stored.ids.length,
                batch,
                (from, to) -> workers.write(name, tx -> {
                    requireOwner(tx, name, writer);
                    Cursors.Writer properties = new Cursors.Writer(tx, "p", "q", "p_true", "distance");
                    try (Cursors cursors = new Cursors(tx, "graph")) {
                        for (int j = from; j < to; j++) {
                            workers.check(j - from);
                            cursors.go(stored.ids[j]);
                            if (!name.equals(cursors.value(0))) {
                                throw Refusal.overtaken(name);
                            }
                            int v = stored.position[j];
                            properties.set(
                                    stored.ids[j], mechanism.first(v), mechanism.second(v), mechanism.truth(v), (long)
                                            distance[v]);
                        }
                    }
                    return null;
                }));
        Map<String, Object> facts = new HashMap<>(Map.of("graph", name, "writer", writer));
        facts.put("fingerprint", fingerprint.get());
        facts.put("min_p_true", mechanism.leastTruth(workers));
        facts.put("mean_p_true", mechanism.meanTruth(workers));
        facts.put("datasets", (long) graph.size());
        facts.put("edges", (long) graph.edges());
        facts.put("method", "labels");
        facts.put("privacy", EPSILON_DELTA);
        facts.put("mu", null);
        owned("finish_mechanism", name, facts);
    }

    /** Hold the graph for the length of a transaction, together with other readers; refused where somebody else has it. */
    private static void requireOwner(Transaction tx, String graph, String writer) {
        Node node = tx.findNode(DATASET_GRAPH, "name", graph);
        if (node == null) {
            throw Refusal.overtaken(graph);
        }
        tx.acquireReadLock(node);
        if (!writer.equals(node.getProperty("writer", null))) {
            throw Refusal.overtaken(graph);
        }
    }

    /** Run a statement that must find its writer still owning the graph. */
    private void owned(String statement, String graph, Map<String, Object> parameters) {
        Map<String, Object> row = workers.write(graph, tx -> Statements.row(tx, statement, parameters));
        if (!row.containsValue(1L)) {
            throw Refusal.overtaken(graph);
        }
    }

    /** Keep labels of the own colour as alpha at some datasets instead of the stored one, in one transaction. */
    void writeAlpha(Stored stored, long[] label, boolean[] where) {
        String name = stored.info.name;
        workers.write(name, tx -> {
            Map<String, Object> row = Statements.row(tx, "clear_alpha", Map.of("graph", name));
            if (!row.containsValue(1L)) {
                throw Refusal.overtaken(name);
            }
            for (int i = 0; i < stored.ids.length; i++) {
                int v = stored.position[i];
                workers.check(i);
                if (where[v]) {
                    Node node = node(tx, stored.ids[i]);
                    if (!name.equals(node.getProperty("graph", null))) {
                        throw Refusal.overtaken(name);
                    }
                    double[] alpha = alphaOf(stored.graph, label, v);
                    node.setProperty("alpha", alpha[1] == 1.0 - alpha[0] ? (Object) alpha[0] : alpha);
                }
            }
            return null;
        });
    }

    static double[] alphaOf(DatasetGraph graph, long[] label, int v) {
        long first = graph.color[v] == 0 ? label[v] : -label[v];
        return new double[] {Labels.decode(first), Labels.decode(-first)};
    }

    // --- ids ----------------------------------------------------------------------------------------------------
    // Numbers, not element ids, which are texts of fifty letters: they only join edges to datasets within a call.

    @SuppressWarnings("removal")
    static long id(Entity entity) {
        return entity.getId();
    }

    @SuppressWarnings("removal")
    private static Node node(Transaction tx, long id) throws NotFoundException {
        return tx.getNodeById(id);
    }

    /** From a node's id to its position among some: a table with open addressing. */
    private static final class Positions {
        private final long[] ids;
        private final int[] table;
        private final int mask;

        Positions(long[] ids, Workers workers) {
            this.ids = ids;
            mask = (Integer.highestOneBit(Math.max(1, (int) Math.min(ids.length, 1L << 28))) << 2) - 1;
            table = new int[mask + 1];
            for (int i = 0; i < ids.length; i++) {
                workers.check(i);
                int slot = slot(ids[i]);
                while (table[slot] != 0) {
                    slot = (slot + 1) & mask;
                }
                table[slot] = i + 1;
            }
        }

        private int slot(long id) {
            return (int) (id ^ id >>> 30) & mask; // neighbouring ids lie side by side
        }

        /** -1 where it is none of them. */
        int of(long id) {
            int slot = slot(id);
            while (table[slot] != 0) {
                if (ids[table[slot] - 1] == id) {
                    return table[slot] - 1;
                }
                slot = (slot + 1) & mask;
            }
            return -1;
        }
    }
}
