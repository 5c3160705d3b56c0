package neodp.results;

import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import neodp.Text;
import org.neo4j.procedure.Description;

/** What is known about a graph without reading it. */
public record GraphEntry(
        @Description("The graph's name.") String graphName,
        @Description("The database it is in.") String database,
        @Description("The number of its datasets.") Long nodeCount,
        @Description("The number of its edges.") Long relationshipCount,
        @Description("The possible answers, the first colour first.") List<String> colors,
        @Description("Whose data it is about.") String population,
        @Description("'ready', or the change that is under way.") String state,
        @Description("The time at which it was loaded; null if not known.") ZonedDateTime creationTime,
        @Description("The time at which its mechanism was written; null if it has none.") ZonedDateTime written,
        @Description("The least chance of a true answer; null if it has no mechanism.") Double minPTrue,
        @Description("The mean chance of a true answer; null if it has no mechanism.") Double meanPTrue,
        @Description("Whether the graph is known to have changed since.") Boolean stale) {

    /** A row of the statement that lists graphs. */
    public static GraphEntry of(Map<String, Object> row, String database) {
        List<String> colors = row.get("colors") == null
                ? List.of()
                : Text.elements(row.get("colors")).stream().map(String::valueOf).toList();
        return new GraphEntry(
                text(row.get("name")),
                database,
                whole(row.get("datasets")),
                whole(row.get("edges")),
                colors,
                text(row.get("population")),
                text(row.get("state")),
                time(row.get("created")),
                time(row.get("written")),
                number(row.get("min_p_true")),
                number(row.get("mean_p_true")),
                row.get("stale") instanceof Boolean known ? known : null);
    }

    private static Long whole(Object value) {
        return value instanceof Long number ? number : null; // anybody may have written something else there
    }

    private static Double number(Object value) {
        return value instanceof Number found ? (Double) found.doubleValue() : null;
    }

    private static ZonedDateTime time(Object value) {
        try {
            return value == null ? null : ZonedDateTime.parse(value.toString());
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }
}
