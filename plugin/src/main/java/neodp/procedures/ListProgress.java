package neodp.procedures;

import java.util.stream.Stream;
import neodp.Refusal;
import neodp.call.Task;
import neodp.results.TaskProgress;
import neodp.store.Cursors;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.listProgress}. */
public final class ListProgress extends Call {
    /** One row per call, or per step of one. */
    @Procedure(name = "neodp.listProgress", mode = Mode.READ)
    @Description("Lists your running calls, and their progress.")
    public Stream<TaskProgress> listProgress(
            @Name(value = "jobId", defaultValue = "", description = "The jobId of a call: its steps are listed too.")
                    String jobId) {
        if (jobId == null) {
            throw Refusal.graph("the jobId is null", "give a text, or leave it out");
        }
        return Task.of(Cursors.user(tx)).stream()
                .filter(task -> jobId.isEmpty() || jobId.equals(task.jobId))
                .flatMap(task -> jobId.isEmpty()
                        ? Stream.of(TaskProgress.of(task))
                        : Stream.concat(
                                Stream.of(TaskProgress.of(task)),
                                task.steps().stream().map(step -> TaskProgress.of(task, step))));
    }
}
