package neodp.inquiry;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import neodp.Json;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.asking.Words;
import neodp.call.Host;
import neodp.call.Workers;
import neodp.ledger.Release;
import neodp.ledger.Shares;
import neodp.polls.SecretPoll;
import org.neo4j.graphdb.Result;

/**
 * A poll of the people of a protected population: one row per person, with nothing but that person's own properties.
 *
 * <p>It is the question that the client asks with {@code neodp poll --cypher … --secret-levels}, under the same subject and
 * with the same facts, so that either finds what the other has kept. What an answer costs is a share of everybody's own
 * epsilon, from the account of the label.
 *
 * @param vote the property with the votes
 * @param name the name of the poll
 */
public record Polling(Protection protection, SecretPoll poll, String vote, String name) {
    private static final String EPSILON = "epsilon"; // the name of the column

    /** Refused where it cannot be asked; the message says why. */
    public Polling {
        if (protection.people() == null) {
            throw Refusal.graph(
                    "population " + Text.repr(protection.population())
                            + " protects relationships, and a poll asks people",
                    "protect people, as in `CALL neodp.protect('people', {people: 'Person', epsilon: 'epsilon'})`");
        }
        if (!protection.nodes().isEmpty()) {
            throw Refusal.client(
                    "the graph of population " + Text.repr(protection.population()) + " is in files",
                    "ask with the client, as in 'neodp poll people.csv --vote answer --epsilon epsilon --secret-levels'");
        }
        if (vote == null) {
            throw Refusal.graph("the property with the votes is missing", "give it, as in `{vote: 'answer'}`");
        }
        protection.requireAskable(vote);
        if (vote.equals(EPSILON)) {
            throw Refusal.graph("the votes are in the property 'epsilon'", "give them another name");
        }
        name = Names.valid("poll", name);
    }

    /** The people in Cypher: one label, and what each node says of itself. */
    public String cypher() {
        String own = "n." + Words.quoted(protection.epsilon());
        Number otherwise = protection.defaultEpsilon();
        if (otherwise != null) {
            String number = otherwise instanceof Double x ? Text.repr(x) : otherwise.toString();
            own = "coalesce(" + own + ", " + plain(new BigDecimal(number)) + ")";
        }
        return "MATCH (n:" + Words.quoted(protection.people()) + ") RETURN n." + Words.quoted(vote) + " AS "
                + Words.quoted(vote) + ", " + own + " AS " + Words.quoted(EPSILON);
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    /** The client's command that asks the same. */
    public String command() {
        List<String> words = new ArrayList<>(List.of(
                "neodp", "poll", "--cypher", cypher(), "--vote", vote, "--epsilon", EPSILON, "--secret-levels"));
        words.addAll(List.of("--query", poll.query(), "--cap", Text.general(poll.cap(), 17)));
        words.addAll(List.of("--share", poll.share().toString(), "--name", name, "--population", protection.account()));
        if (!poll.usual()) {
            poll.options().forEach(option -> words.addAll(List.of("--option", option)));
        }
        return String.join(" ", words.stream().map(Text::shell).toList());
    }

    private Keeping keeping() {
        Map<String, Object> facts = new TreeMap<>(poll.facts());
        facts.put("table", cypher());
        facts.put("column", vote);
        facts.put("epsilon", EPSILON);
        facts.put("population", protection.account());
        facts.put("skip_empty", false);
        for (String none : List.of("by_other", "sheet", "encoding", "delimiter")) {
            facts.put(none, null);
        }
        return new Keeping(
                name + " " + vote,
                Json.dumps(facts),
                protection.account(),
                List.of(Shares.level(poll.share(), poll.cap())),
                command());
    }

    /** The answer of a release: the one that is kept, or one drawn now. */
    public Release release(Host host, String given) {
        return keeping().release(host, given, () -> count(host).draw());
    }

    /** The people, added up. Secret: for the steward, and for a draw. */
    public SecretPoll.Count count(Host host) {
        try (Workers workers = new Workers(host, 1)) {
            return workers.read(name, tx -> {
                SecretPoll.Count count = poll.count();
                int[] seen = {0};
                try (Result result = tx.execute(cypher(), Map.of())) {
                    result.accept(row -> {
                        workers.check(seen[0]++);
                        count.add(row.get(vote), row.get(EPSILON));
                        return true;
                    });
                }
                return count;
            });
        }
    }
}
