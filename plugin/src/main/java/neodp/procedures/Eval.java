package neodp.procedures;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.algorithm.Ball;
import neodp.results.Evaluation;
import neodp.store.GraphInfo;
import neodp.store.Job;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.eval}. */
public final class Eval extends Call {
    private static final String NAME = "neodp.eval";
    private static final String EXTENDED = "the whole graph was extended";

    /** One row per key. */
    @Procedure(name = NAME, mode = Mode.READ)
    @Description(
            "Returns the optimal mechanism at some datasets, the same as neodp.extend gives, by a search around them; "
                    + "what decides there, and why the search could stop.")
    public Stream<Evaluation> eval(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "keys", description = "The datasets.") List<String> keys,
            @Name(
                            value = "configuration",
                            defaultValue = "{}",
                            description =
                                    "limit (the number of datasets a search may see), engine ('auto', 'ball': search only, "
                                            + "'whole': the work does not depend on the datasets), " + WHOLE)
                    Map<String, Object> configuration) {
        Configuration options = Configuration.ofWhole(configuration, "limit", "engine");
        String engine = options.choice("engine", "auto", "ball", "whole");
        requireTexts(keys);
        Job.Manner manner = options.manner(NAME);
        GraphInfo info = GraphInfo.of(tx, graphName, manner.naming());
        info.requireEpsilonDelta();
        if (info.stale()) { // for every dataset alike
            throw Refusal.stale(graphName, info.written());
        }
        int limit = options.number("limit", Ball.cheaper(info.datasets()), 1, Integer.MAX_VALUE);
        Evaluations evaluations = new Evaluations(host(), tx, info, manner, keys);
        if (!info.naming().own()) {
            if (engine.equals("ball")) {
                throw Refusal.graph(
                        "a search needs one of neodp's own graphs, whose least alpha is known",
                        "extend all of it (`{engine: 'whole'}`)");
            }
            return evaluations.whole(EXTENDED);
        }
        if (info.colors().size() > 2) {
            if (engine.equals("ball")) {
                throw Refusal.graph(
                        Text.quoted(graphName) + " has " + info.colors().size() + " colours",
                        "a search sees part of the graph, and cannot show that alpha agrees within and between all "
                                + "orders: extend all of it (`{engine: 'whole'}`)");
            }
            return evaluations.whole(EXTENDED);
        }
        return switch (engine) {
            case "whole" -> evaluations.whole(EXTENDED);
            case "ball" -> evaluations.searched(limit, -1);
            default -> evaluations.searchedOrWhole(limit);
        };
    }

    private void requireTexts(List<String> keys) {
        if (keys == null) {
            throw Refusal.graph("the list of keys is null", "give a list of texts");
        }
        for (String key : keys) {
            guard.check();
            if (key == null) {
                throw Refusal.graph("a key is null", "give a list of texts");
            }
        }
    }
}
