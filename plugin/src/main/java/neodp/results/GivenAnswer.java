package neodp.results;

import neodp.ledger.Release;
import org.neo4j.procedure.Description;

/** An answer that was given. */
public final class GivenAnswer {
    @Description("The graph.")
    public String graphName;

    @Description("The release.")
    public String release;

    @Description("One of the colours.")
    public String answer;

    @Description("The time at which it was kept.")
    public String time;

    @Description("Whose data it is about.")
    public String population;

    /** What is told of a release. */
    public static GivenAnswer of(Release kept) {
        GivenAnswer out = new GivenAnswer();
        out.graphName = kept.graph();
        out.release = kept.name();
        out.answer = kept.answer();
        out.time = kept.time();
        out.population = kept.population();
        return out;
    }
}
