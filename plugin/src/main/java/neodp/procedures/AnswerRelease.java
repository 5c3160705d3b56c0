package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.Text;
import neodp.ledger.Answers;
import neodp.ledger.Ledger;
import neodp.results.GivenAnswer;
import neodp.store.Job;
import neodp.store.Model;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.answer}. */
public final class AnswerRelease extends Call {
    private static final String NAME = "neodp.answer";

    /** One row. */
    @Procedure(name = NAME, mode = Mode.WRITE)
    @Description(
            "Gives one private answer for a dataset: drawn once, kept under the release's name before it is shown, "
                    + "and the same whenever asked again. It counts against the budget of the graph's population.")
    public Stream<GivenAnswer> answer(
            @Name(value = "graphName", description = GRAPH) String graphName,
            @Name(value = "key", description = "The dataset.") String key,
            @Name(value = "release", description = "The question's name.") String release,
            @Name(
                            value = "configuration",
                            defaultValue = "{}",
                            description =
                                    "keepKey (keep the dataset's key with the answer), constantWork (the time does "
                                            + "not depend on the dataset), verify (read the whole graph again, so that changes by "
                                            + "others are noticed).")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "keepKey", "constantWork", "verify");
        if (graphName == null || key == null || release == null) {
            throw Refusal.graph("an argument is null", "give the graph, the dataset's key and the release as texts");
        }
        requireCommitted(
                NAME,
                "graph " + Text.quoted(graphName) + " or an account",
                node -> isNodeOf(node, graphName) && node.hasLabel(Model.DATASET_GRAPH) || Ledger.keeps(node));
        Answers answers = new Answers(host(), graphName, options.yes("constantWork"), options.yes("verify"));
        try {
            return Stream.of(GivenAnswer.of(answers.answer(key, release, options.yes("keepKey"))));
        } catch (Refusal refusal) {
            throw orUnseen(refusal, graphName, Job.Manner.usual(NAME));
        }
    }
}
