package neodp.results;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import neodp.asking.AtLeast;
import neodp.asking.Counting;
import neodp.asking.Mechanism;
import neodp.inquiry.Asking;
import neodp.ledger.Release;
import org.neo4j.procedure.Description;

/** A question about people: what it promises and, once it is released, its answer. */
public final class AskedPeople {
    @Description("The population's name.")
    public String population;

    @Description("The question, in a form that is the same for everybody who asks it.")
    public String question;

    @Description("The share of everybody's epsilon that an answer spends.")
    public double share;

    @Description("The certainty that somebody who guessed 50:50 about a person of some epsilon can reach.")
    public List<Map<String, Object>> promised;

    @Description(
            "The chance that a yes is found, by the total epsilon of those who would have to leave first; for atLeast.")
    public List<Map<String, Object>> foundWith;

    @Description("A count is at least the number left if people with this total epsilon leave; for counts and ranges.")
    public Double slack;

    @Description("The chance with which that holds.")
    public Double confidence;

    @Description("The release; null if nothing was drawn.")
    public String release;

    @Description("The answer; null if nothing was drawn.")
    public String answer;

    @Description("The time at which it was kept.")
    public String time;

    /** What is told of a question, and of a release of it if there is one. */
    public static AskedPeople of(Asking asking, Release kept) {
        AskedPeople out = new AskedPeople();
        double share = asking.exactShare().nearest();
        out.population = asking.protection().population();
        out.question = asking.pattern().text();
        out.share = asking.share();
        out.promised = Stream.of(0.5, 1.0, 2.0)
                .map(epsilon ->
                        Map.<String, Object>of("epsilon", epsilon, "guess", 1.0 / (1.0 + Math.exp(-share * epsilon))))
                .toList();
        if (asking.mechanism() instanceof AtLeast question) {
            double scale = Mechanism.UNIT / share;
            out.foundWith = Stream.of(0.5, 0.9, 0.99)
                    .map(chance -> Map.<String, Object>of("chance", chance, "epsilon", question.needed(chance) * scale))
                    .toList();
        } else if (asking.mechanism() instanceof Counting question) {
            out.slack = 2 * question.shift() * Mechanism.UNIT / share;
            out.confidence = 1.0 - Counting.BETA;
        }
        if (kept != null) {
            out.release = kept.name();
            out.answer = kept.answer();
            out.time = kept.time();
        }
        return out;
    }
}
