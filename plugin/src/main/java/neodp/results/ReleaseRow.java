package neodp.results;

import java.util.List;
import neodp.algorithm.Level;
import neodp.ledger.Release;
import org.neo4j.procedure.Description;

/** What was answered, and what it cost. */
public record ReleaseRow(
        @Description("Whose data it is about.") String population,
        @Description("The graph, or the poll.") String graphName,
        @Description("The release.") String release,
        @Description("The answer that was given.") String answer,
        @Description("The time at which it was kept.") String time,
        @Description("The epsilon of each level of people.") List<Double> epsilons,
        @Description("The delta of each level of people.") List<Double> deltas,
        @Description("The command that asked.") String command) {

    /** What is told of a release. */
    public static ReleaseRow of(Release kept) {
        return new ReleaseRow(
                kept.population(),
                kept.graph(),
                kept.name(),
                kept.answer(),
                kept.time(),
                kept.levels().stream().map(Level::epsilon).toList(),
                kept.levels().stream().map(Level::delta).toList(),
                kept.command());
    }
}
