package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.inquiry.Asking;
import neodp.inquiry.Inquiry;
import neodp.results.AskedPeople;
import neodp.results.RevealedAnswer;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.ask} and {@code neodp.ask.reveal}. */
public final class Ask extends PeopleCall {
    private static final String NAME = "neodp.ask";
    private static final String POPULATION = "The name under which people are protected.";
    private static final String QUESTION = "A pattern in Cypher: MATCH … WHERE …, with at most two people.";
    private static final String OPTIONS =
            "atLeast (are there this many?) with falseAlarm (the chance of a yes if not), "
                    + "count (how many are there?) with atMost, or ranges (in which does the number lie?); distinct (a variable "
                    + "whose nodes count once), sum (a property) with cap; share (of everybody's epsilon that an answer "
                    + "spends), ignoreBelow (leaves out people with less epsilon)";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description(
            "Asks a graph of people privately: everybody is protected with all their relationships, by an epsilon of "
                    + "their own. With a release, the answer is drawn once and kept before it is shown; without one, nothing "
                    + "is read, and the row says what an answer would promise.")
    public Stream<AskedPeople> ask(
            @Name(value = "population", description = POPULATION) String population,
            @Name(value = "question", description = QUESTION) String question,
            @Name(
                            value = "configuration",
                            description = OPTIONS + ", release (the name under which the answer is kept).")
                    Map<String, Object> configuration) {
        Values options = values(configuration, "release");
        Asking asking = asking(NAME, population, question, options);
        String release = options.text("release");
        if (release == null) {
            return Stream.of(AskedPeople.of(asking, null));
        }
        requireAccounts(NAME);
        AskedPeople found = AskedPeople.of(asking, new Inquiry(host(), asking).release(release));
        note("neodp.ask: release kept or found for population %s", Text.quoted(population));
        return Stream.of(found);
    }

    /** One row. */
    @Procedure(name = NAME + ".reveal", mode = Mode.READ)
    @Description(
            "Reveals the true number of matches, the distance and the chances of the answers: for the steward of the "
                    + "data, and not private. Nothing is kept and nothing is spent.")
    public Stream<RevealedAnswer> reveal(
            @Name(value = "population", description = POPULATION) String population,
            @Name(value = "question", description = QUESTION) String question,
            @Name(value = "configuration", description = OPTIONS + ".") Map<String, Object> configuration) {
        Asking asking = asking(NAME + ".reveal", population, question, values(configuration));
        return Stream.of(RevealedAnswer.of(asking, new Inquiry(host(), asking).reveal()));
    }

    private static Values values(Map<String, Object> configuration, String... more) {
        String[] known = {
            "atLeast",
            "falseAlarm",
            "count",
            "atMost",
            "ranges",
            "distinct",
            "sum",
            "cap",
            "share",
            "ignoreBelow",
            "exactDistance"
        };
        return new Values(
                configuration, Stream.concat(Stream.of(known), Stream.of(more)).toArray(String[]::new));
    }

    private Asking asking(String procedure, String population, String question, Values options) {
        if (population == null || question == null) {
            throw Refusal.graph("an argument is null", "give the population and the question as texts");
        }
        Protection protection = protection(procedure, population);
        if (options.yes("exactDistance")) {
            throw Refusal.client(
                    "the plugin finds distances by minimum cuts, not in whole people",
                    "ask with the client, as in 'neodp ask … --exact-distance'");
        }
        return Asking.of(
                protection,
                question,
                new Asking.Options(
                        options.whole("atLeast"),
                        options.number("falseAlarm", 0.05),
                        options.yes("count"),
                        options.whole("atMost", 1_000_000),
                        options.wholes("ranges"),
                        options.text("distinct"),
                        options.text("sum"),
                        options.whole("cap"),
                        options.number("share", 0.2),
                        options.number("ignoreBelow", 0.0)));
    }
}
