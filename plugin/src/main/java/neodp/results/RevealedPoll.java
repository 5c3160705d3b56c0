package neodp.results;

import java.util.Map;
import neodp.inquiry.Polling;
import neodp.polls.SecretPoll;
import org.neo4j.procedure.Description;

/** What only the steward may see of a poll. */
public record RevealedPoll(
        @Description("The population's name.") String population,
        @Description("The question, in words.") String question,
        @Description("The number of people.") long rows,
        @Description("The number of them without a valid vote or epsilon.") long notCounted,
        @Description("The number of the others who chose each option.") Map<String, Object> votes,
        @Description("The chances of both answers; null for three or more options.") Map<String, Object> probabilities,
        @Description("The score of each of three or more options, in steps of 2^-11; null for two.")
                Map<String, Object> scores) {

    /** What is told of it. */
    public static RevealedPoll of(Polling polling, SecretPoll.Count count) {
        return new RevealedPoll(
                polling.protection().population(),
                polling.poll().question(),
                count.rows(),
                count.notCounted(),
                count.votes(),
                count.chances(),
                count.scores());
    }
}
