package neodp.procedures;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.call.Workers;
import neodp.inquiry.Protections;
import neodp.results.ProtectedPeople;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.protect}: in the caller's transaction, so that rolling back takes it back. */
public final class Protect extends Call {
    /** One row. */
    @Procedure(name = "neodp.protect", mode = Mode.WRITE)
    @Description("Says who is protected in a graph of people, by an epsilon of their own, and what may be asked about "
            + "them. What was spent belongs to the label: protecting again does not bring it back.")
    public Stream<ProtectedPeople> protect(
            @Name(value = "population", description = "The population's name.") String population,
            @Name(
                            value = "configuration",
                            description =
                                    "people (a label) or relationships (a type), epsilon (the property that holds "
                                            + "everybody's), defaultEpsilon (of people without one), properties (what may be "
                                            + "asked), owned (labels of nodes that people own, each with the type that joins "
                                            + "them to their owners), public (labels), mostMatches (of a question).")
                    Map<String, Object> configuration) {
        Values options = new Values(
                configuration,
                "people",
                "relationships",
                "epsilon",
                "defaultEpsilon",
                "properties",
                "owned",
                "public",
                "mostMatches");
        if (population == null) {
            throw Refusal.graph("the population's name is null", "give a text");
        }
        if (options.text("epsilon") == null) {
            throw Refusal.graph("the property with the epsilons is missing", "give it, as in `{epsilon: 'epsilon'}`");
        }
        Protection made = new Protection(
                population,
                options.text("epsilon"),
                options.text("people"),
                options.text("relationships"),
                options.number("defaultEpsilon"),
                options.texts("properties"),
                owned(options.map("owned")),
                options.texts("public"),
                options.whole("mostMatches", Protection.MOST_MATCHES),
                List.of(),
                List.of());
        Protections.put(tx, made);
        return Stream.of(row(made));
    }

    private static List<Protection.Pair> owned(Map<String, Object> given) {
        List<Protection.Pair> out = new ArrayList<>();
        new TreeMap<>(given).forEach((label, type) -> {
            if (!(type instanceof String text)) {
                throw Refusal.graph(
                        "owned has " + Text.described(type) + " for the label " + Text.quoted(label),
                        "give the type that joins it to its owners, as in `{owned: {Account: 'OWNS'}}`");
            }
            out.add(new Protection.Pair(label, text));
        });
        return out;
    }

    private ProtectedPeople row(Protection protection) {
        try (Workers workers = new Workers(host(), 1)) {
            return ProtectedPeople.of(protection, Protections.left(tx, protection, workers));
        }
    }

    /** One row per population. */
    @Procedure(name = "neodp.protect.list", mode = Mode.READ)
    @Description("Lists who is protected in graphs of people, and how much of everybody's epsilon is left.")
    public Stream<ProtectedPeople> list() {
        return Protections.all(tx).stream().map(this::row);
    }

    /** One row. */
    @Procedure(name = "neodp.protect.drop", mode = Mode.WRITE)
    @Description(
            "Ends the protection of a population, so that nothing can be asked about it. What was answered and spent "
                    + "stays.")
    public Stream<ProtectedPeople> drop(
            @Name(value = "population", description = "The population's name.") String population) {
        return Stream.of(row(Protections.drop(tx, population)));
    }
}
