package neodp.inquiry;

import java.util.Map;
import neodp.Refusal;
import neodp.asking.AtLeast;
import neodp.asking.Cover;
import neodp.asking.Distances;
import neodp.asking.Matches;
import neodp.asking.Mechanism;
import neodp.call.Host;
import neodp.call.Workers;
import neodp.ledger.Release;
import org.neo4j.kernel.api.exceptions.Status;

/**
 * The answer to a question about a graph of people: drawn once, and kept before it is shown.
 *
 * <p>What cannot be answered because of what was read is an answer too, which spends the share: a failure for nothing would
 * tell everybody.
 */
public final class Inquiry {
    private static final String MORE_MEMORY = "the matches need more memory than the server allows";

    private final Host host;
    private final Asking asking;

    public Inquiry(Host host, Asking asking) {
        this.host = host;
        this.asking = asking;
    }

    /**
     * What only the steward may see.
     *
     * @param distance in epsilon; null if no people can change the answer
     * @param probabilities the chances of the answers; for a count, of the likely ones
     */
    public record Revealed(long matches, long counted, Double distance, Map<String, Object> probabilities) {}

    /** The answer of a release: the one that is kept, or one drawn now. */
    public Release release(String given) {
        return asking.keeping().release(host, given, this::drawn);
    }

    private String drawn() {
        try (Workers workers = new Workers(host, 1)) {
            Distances distances = new Distances(cover(graph(workers)), workers);
            return asking.mechanism().draw(distances::at);
        } catch (Matches.TooMany e) {
            return e.getMessage();
        } catch (RuntimeException e) {
            if (isOfMemory(e)) {
                return MORE_MEMORY;
            }
            throw e;
        }
    }

    /** Whether the matches took more memory than the caller's transaction, or the server, allows. */
    private static boolean isOfMemory(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof Status.HasStatus failed
                    && failed.status().code().serialize().contains("OutOfMemory")) {
                return true;
            }
        }
        return false;
    }

    /** The true number, the distance and the chances: for the steward, and not private. */
    public Revealed reveal() {
        try (Workers workers = new Workers(host, 1)) {
            PeopleGraph graph = graph(workers);
            Cover cover = cover(graph);
            Distances distances = new Distances(cover, workers);
            long t = asking.mechanism() instanceof AtLeast question ? question.threshold() : Math.max(1, cover.count());
            long units = distances.at(t);
            return new Revealed(
                    graph.matches().cover(graph.units(), graph.units().alike()).count(),
                    cover.count(),
                    units == Distances.INFINITE ? null : (Double) (units * Mechanism.UNIT),
                    asking.mechanism().chances(distances::at));
        } catch (Matches.TooMany e) {
            throw Refusal.of(
                    "too_many_matches", e.getMessage(), "ask about less, or set another limit when protecting");
        }
    }

    private PeopleGraph graph(Workers workers) {
        return workers.read(asking.subject(), tx -> PeopleGraph.of(tx, asking, workers));
    }

    private Cover cover(PeopleGraph graph) {
        long[] weights = graph.units().weights(asking.exactShare(), Mechanism.UNIT, asking.ignoreBelow());
        return graph.matches().cover(graph.units(), weights);
    }
}
