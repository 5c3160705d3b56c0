package neodp.results;

import java.util.Map;
import neodp.inquiry.Asking;
import neodp.inquiry.Inquiry.Revealed;
import org.neo4j.procedure.Description;

/** What only the steward may see of a question. */
public final class RevealedAnswer {
    @Description("The population's name.")
    public String population;

    @Description("The question, in a form that is the same for everybody who asks it.")
    public String question;

    @Description("The true number, with everybody.")
    public long matches;

    @Description("The number that the answer depends on: without people of weight 0.")
    public long counted;

    @Description(
            "The total epsilon of people who would have to leave before the answer changes; null if nobody can change it.")
    public Double distance;

    @Description("The chances of the answers; for a count, of those with a chance of at least one in ten thousand.")
    public Map<String, Object> probabilities;

    /** What is told of it. */
    public static RevealedAnswer of(Asking asking, Revealed found) {
        RevealedAnswer out = new RevealedAnswer();
        out.population = asking.protection().population();
        out.question = asking.pattern().text();
        out.matches = found.matches();
        out.counted = found.counted();
        out.distance = found.distance();
        out.probabilities = found.probabilities();
        return out;
    }
}
