package neodp.procedures;

import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.ledger.Answers;
import neodp.results.GivenAnswer;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.answer}. */
public final class AnswerRelease extends Call {
    /** One row. */
    @Procedure(name = "neodp.answer", mode = Mode.WRITE)
    @Description(
            "One private answer for a dataset: drawn once, kept under the release's name before it is shown, and the "
                    + "same whenever asked again. It counts against the budget of the graph's population. Options: keep_key (keep "
                    + "the dataset's key beside the answer), constant_work (the time does not depend on the dataset), verify (read "
                    + "the whole graph again, so that changes by others are noticed).")
    public Stream<GivenAnswer> answer(
            @Name(value = "graph", description = "The graph's name.") String graph,
            @Name(value = "key", description = "The dataset.") String key,
            @Name(value = "release", description = "The question's name.") String release,
            @Name(value = "configuration", defaultValue = "{}", description = "keep_key, constant_work, verify.")
                    Map<String, Object> configuration) {
        Configuration options = new Configuration(configuration, "keep_key", "constant_work", "verify");
        if (graph == null || key == null || release == null) {
            throw Refusal.graph("an argument is null", "give the graph, the dataset's key and the release as texts");
        }
        Answers answers = new Answers(host(), graph, options.yes("constant_work"), options.yes("verify"));
        return Stream.of(GivenAnswer.of(answers.answer(key, release, options.yes("keep_key"))));
    }
}
