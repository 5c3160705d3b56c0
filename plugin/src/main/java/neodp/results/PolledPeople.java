package neodp.results;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import neodp.inquiry.Polling;
import neodp.ledger.Release;
import neodp.polls.SecretPoll;
import org.neo4j.procedure.Description;

/** A poll of people: what it promises and, once it is released, its answer. */
public record PolledPeople(
        @Description("The population's name.") String population,
        @Description("The question, in words.") String question,
        @Description("The possible answers.") List<String> options,
        @Description("The greatest epsilon with which anybody counts.") double cap,
        @Description("The share of everybody's own epsilon that an answer costs.") String share,
        @Description(
                        "What a vote and taking part cost people of some epsilons, and by how much the odds of a guess about "
                                + "a vote can change.")
                List<Map<String, Object>> guarantees,
        @Description("A caution before anything is released; null if there is none.") String caution,
        @Description("The client's command that asks the same question.") String command,
        @Description("The release; null if nothing was drawn.") String release,
        @Description("The answer; null if nothing was drawn.") String answer,
        @Description("The time at which it was kept.") String time) {

    /** What is told of a poll, and of a release of it if there is one. */
    public static PolledPeople of(Polling polling, Release kept) {
        SecretPoll poll = polling.poll();
        List<Map<String, Object>> guarantees = Stream.of(0.1, 0.5, 1.0, 2.0)
                .map(epsilon -> {
                    double vote = poll.weight(epsilon);
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("epsilon", epsilon);
                    row.put("vote", vote);
                    row.put("takingPart", poll.part() * vote);
                    row.put("factor", Math.exp(vote));
                    return row;
                })
                .toList();
        return new PolledPeople(
                polling.protection().population(),
                poll.question(),
                poll.options(),
                poll.cap(),
                poll.share().toString(),
                guarantees,
                Caution.of(poll.cap()),
                polling.command(),
                kept == null ? null : kept.name(),
                kept == null ? null : kept.answer(),
                kept == null ? null : kept.time());
    }
}
