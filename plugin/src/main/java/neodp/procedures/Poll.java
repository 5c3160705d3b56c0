package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.inquiry.Polling;
import neodp.polls.SecretPoll;
import neodp.results.PolledPeople;
import neodp.results.RevealedPoll;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.poll} and {@code neodp.poll.reveal}. */
public final class Poll extends PeopleCall {
    private static final String NAME = "neodp.poll";
    private static final String POPULATION = "The name under which people are protected.";
    private static final String OPTIONS = "vote (the property with the votes), query ('majority', 'threshold:2/3' or "
            + "'plurality'), options (to choose from; by default yes and no in their usual words), cap (nobody counts "
            + "with more epsilon than this), share (of everybody's own epsilon that an answer costs), name (of the poll)";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description(
            "Asks the people of a protected population privately what most of them want; votes, levels and taking part "
                    + "are protected alike, by an epsilon of their own. With a release, the answer is drawn once and kept before it "
                    + "is shown; without one, nothing is read, and the row says what an answer would promise.")
    public Stream<PolledPeople> poll(
            @Name(value = "population", description = POPULATION) String population,
            @Name(
                            value = "configuration",
                            description = OPTIONS + ", release (the name under which the answer is kept).")
                    Map<String, Object> configuration) {
        Values options = values(configuration, "release");
        Polling polling = polling(NAME, population, options);
        String release = options.text("release");
        if (release == null) {
            return Stream.of(PolledPeople.of(polling, null));
        }
        requireAccounts(NAME);
        PolledPeople found = PolledPeople.of(polling, polling.release(host(), release));
        note("neodp.poll: release kept or found for population %s", Text.quoted(population));
        return Stream.of(found);
    }

    /** One row. */
    @Procedure(name = NAME + ".reveal", mode = Mode.READ)
    @Description(
            "Reveals how many people chose what, and the chances of the answers: for the steward of the data, and not "
                    + "private. Nothing is kept and nothing is spent.")
    public Stream<RevealedPoll> reveal(
            @Name(value = "population", description = POPULATION) String population,
            @Name(value = "configuration", description = OPTIONS + ".") Map<String, Object> configuration) {
        Polling polling = polling(NAME + ".reveal", population, values(configuration));
        return Stream.of(RevealedPoll.of(polling, polling.count(host())));
    }

    private static Values values(Map<String, Object> configuration, String... more) {
        String[] known = {"vote", "query", "options", "cap", "share", "name", "mechanism"};
        return new Values(
                configuration, Stream.concat(Stream.of(known), Stream.of(more)).toArray(String[]::new));
    }

    private Polling polling(String procedure, String population, Values options) {
        String mechanism = options.text("mechanism");
        if (mechanism != null && !mechanism.equals("secret-levels")) {
            throw Refusal.client(
                    "the plugin has only the mechanism 'secret-levels', not " + Text.quoted(mechanism),
                    "ask with the client, as in 'neodp poll --cypher \"MATCH (p:Person) RETURN p.vote, p.epsilon\" "
                            + "--mechanism weighted'");
        }
        Protection protection = protection(procedure, population);
        SecretPoll poll = SecretPoll.of(
                options.text("query"),
                options.given("options") ? options.texts("options") : null,
                options.number("cap"),
                options.textOrNumber("share"));
        String name = options.text("name");
        return new Polling(protection, poll, options.text("vote"), name == null ? protection.population() : name);
    }
}
