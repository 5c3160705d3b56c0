package neodp.call;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A call that is running, and how far it has come: what {@code neodp.listProgress} tells. */
public final class Task implements AutoCloseable {
    private static final Set<Task> RUNNING = ConcurrentHashMap.newKeySet();

    public final String user;
    public final String jobId;
    public final String name;
    public final Instant started = Instant.now();
    private final boolean logged;
    private final Host host;
    private final List<Step> steps = new CopyOnWriteArrayList<>();

    /** One step of a task, of so many parts. */
    public final class Step {
        public final String name;
        public final long parts;
        public final Instant started = Instant.now();
        private final AtomicLong done = new AtomicLong();

        private Step(String name, long parts) {
            this.name = name;
            this.parts = Math.max(1, parts);
        }

        /** One part more is done: its result. */
        public <T> T after(T result) {
            if (done.incrementAndGet() == parts) {
                log(name + " :: Finished");
            }
            return result;
        }

        /** The share that is done. */
        public double share() {
            return Math.min(1.0, (double) done.get() / parts);
        }
    }

    /** A call that begins. */
    public Task(Host host, String name, String jobId, boolean logged) {
        this.host = host;
        this.user = host.user();
        this.name = name;
        this.jobId = jobId;
        this.logged = logged;
        RUNNING.add(this);
    }

    /** All that run for a user, in the order in which they began. */
    public static List<Task> of(String user) {
        return RUNNING.stream()
                .filter(task -> task.user.equals(user))
                .sorted((a, b) -> a.started.compareTo(b.started))
                .toList();
    }

    /** Begin the next step. */
    public Step step(String step, long parts) {
        Step next = new Step(step, parts);
        steps.add(next);
        log(step + " :: Start");
        return next;
    }

    public List<Step> steps() {
        return steps;
    }

    /** The share that is done, every step alike: read and compute, and write if that is the mode. */
    public double share() {
        return steps.stream().mapToDouble(Step::share).sum() / Math.max(name.endsWith(".write") ? 3 : 2, steps.size());
    }

    /** How long it has run. */
    public Duration elapsed() {
        return Duration.between(started, Instant.now());
    }

    private void log(String what) {
        if (logged) {
            host.log().info(String.format(Locale.ROOT, "[%s] %s :: %s", jobId, name, what));
        }
    }

    @Override
    public void close() {
        RUNNING.remove(this);
    }
}
