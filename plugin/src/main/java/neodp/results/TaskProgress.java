package neodp.results;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.TemporalAmount;
import java.util.Locale;
import neodp.call.Task;
import org.neo4j.procedure.Description;

/** How far a call, or one step of it, has come. */
public record TaskProgress(
        @Description("Who called.") String username,
        @Description("The call's name, given or generated.") String jobId,
        @Description("The procedure, or a step of it.") String taskName,
        @Description("The share that is done, in percent.") String progress,
        @Description("The same as a bar.") String progressBar,
        @Description("RUNNING, or FINISHED for a step that has ended.") String status,
        @Description("The wall-clock time at which it began.") LocalTime timeStarted,
        @Description("The time for which it has run.") TemporalAmount elapsedTime) {
    private static final int BAR = 10;

    /** A whole call. */
    public static TaskProgress of(Task task) {
        return of(task, task.name, task.started, task.share(), "RUNNING");
    }

    /** One step of a call. */
    public static TaskProgress of(Task task, Task.Step step) {
        return of(task, "|-- " + step.name, step.started, step.share(), step.share() < 1.0 ? "RUNNING" : "FINISHED");
    }

    private static TaskProgress of(Task task, String name, Instant started, double share, String status) {
        int full = (int) (BAR * share);
        return new TaskProgress(
                task.user,
                task.jobId,
                name,
                String.format(Locale.ROOT, "%.4g%%", 100.0 * share),
                "[" + "#".repeat(full) + "~".repeat(BAR - full) + "]",
                status,
                LocalTime.ofInstant(started, ZoneId.systemDefault()),
                Duration.between(started, Instant.now()));
    }
}
