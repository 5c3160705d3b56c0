package neodp.call;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import neodp.Refusal;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.TransientFailureException;

/**
 * Threads that work for one call of a procedure, each in transactions of its own.
 *
 * <p>The calling thread waits for them and looks after the caller's transaction: when that is terminated, or has taken as
 * much memory as it may, or one of them fails, the others stop, their transactions are terminated, and nothing is left
 * when {@code close} returns. That holds as long as whatever works looks whether to go on: every loop that a graph or an
 * argument can make long calls {@code check}, and counts the memory that it takes.
 */
public final class Workers implements AutoCloseable {
    private static final int TRIES = 5;
    private static final int PATIENCE = 1 << 10;
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** What the call takes of the heap. */
    public final Memory memory;

    private final Host host;
    private final int concurrency;
    private final Thread owner = Thread.currentThread();
    private final Set<Transaction> open = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private ExecutorService pool;
    private volatile boolean stopped;

    public Workers(Host host, int concurrency) {
        this.host = host;
        this.concurrency = concurrency;
        this.memory = new Memory(host.memory().get());
    }

    /** Something to do that gives a result. */
    public interface Job<T> {
        T run();
    }

    /** Something to do with the numbers from one to before another. */
    public interface RangeJob<T> {
        T run(int from, int to);
    }

    /** Somebody else failed, or the caller has gone. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super(null, null, false, false);
        }
    }

    /** Go on only if the caller still wants the result. To be called in every loop, in any thread. */
    public void check() {
        boolean calling = Thread.currentThread() == owner;
        if (stopped) {
            throw calling ? reason() : new Stopped();
        }
        if (calling) {
            host.guard().check();
            memory.settle();
        }
    }

    /** Why they stopped: what the first of them failed for. */
    private RuntimeException reason() {
        if (failure.get() instanceof Error error) {
            throw error;
        }
        return failure.get() instanceof RuntimeException reason ? reason : new Stopped();
    }

    /** The same, once in a while: for a loop that counts. */
    public void check(int i) {
        if ((i & PATIENCE - 1) == 0) {
            check();
        }
    }

    /** Do all of these, at most {@code concurrency} at a time; their results in the same order. */
    public <T> List<T> all(List<Job<T>> jobs) {
        List<Supplier<T>> begun = jobs.stream().map(this::begin).toList();
        List<T> out = new ArrayList<>(jobs.size());
        begun.forEach(result -> out.add(result.get()));
        return out;
    }

    /** Begin this beside what the calling thread does next; its result, when that is asked for. */
    public <T> Supplier<T> begin(Job<T> job) {
        if (Thread.currentThread() != owner) {
            T out = job.run();
            return () -> out;
        }
        if (pool == null) {
            int call = NUMBER.incrementAndGet();
            pool = Executors.newFixedThreadPool(concurrency, work -> {
                Thread thread = new Thread(work, "neodp-" + call);
                thread.setDaemon(true);
                return thread;
            });
        }
        Future<T> future = pool.submit(() -> noticed(job));
        return () -> await(future);
    }

    /** The result of a job; where it fails, the others stop. */
    private <T> T noticed(Job<T> job) {
        try {
            return job.run();
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            stop();
            throw e;
        }
    }

    /** Wait for a result in the calling thread, as long as the caller wants it. */
    private <T> T await(Future<T> future) {
        while (true) {
            try {
                T out = future.get(20, TimeUnit.MILLISECONDS);
                memory.settle();
                return out;
            } catch (TimeoutException e) {
                host.guard().check();
                memory.settle();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Stopped();
            } catch (ExecutionException e) {
                throw reason();
            }
        }
    }

    /** Do this for all numbers below n, some at a time. */
    public <T> List<T> ranges(int n, int batch, RangeJob<T> job) {
        int count = (int) ((n + batch - 1L) / batch);
        if (count <= 1) {
            return count == 0 ? List.of() : Collections.singletonList(job.run(0, n));
        }
        memory.take(8L * count);
        AtomicReferenceArray<T> out = new AtomicReferenceArray<>(count);
        AtomicInteger next = new AtomicInteger();
        Job<Void> some = () -> { // one after another, so that not all of them wait in a queue
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                check();
                long from = (long) i * batch;
                out.set(i, job.run((int) from, (int) Math.min(n, from + batch)));
            }
            return null;
        };
        all(Collections.nCopies(Math.min(concurrency, count), some));
        return IntStream.range(0, count).mapToObj(out::get).toList();
    }

    /** A unit of work in a transaction of its own, which is committed; tried again where the server says so. */
    public <T> T write(String graph, Function<Transaction, T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return inTransaction(work, true);
            } catch (TransientFailureException e) {
                check();
                if (tries == TRIES) {
                    throw e;
                }
            } catch (NotFoundException e) {
                throw Refusal.overtaken(graph);
            }
        }
    }

    /** A unit of work that only reads, in a transaction of its own. */
    public <T> T read(String graph, Function<Transaction, T> work) {
        try {
            return inTransaction(work, false);
        } catch (NotFoundException e) {
            throw Refusal.changedWhileRead(graph);
        }
    }

    private <T> T inTransaction(Function<Transaction, T> work, boolean commit) {
        if (Thread.currentThread() == owner) { // which must not wait for a lock without looking after the caller
            return all(List.<Job<T>>of(() -> inTransaction(work, commit))).get(0);
        }
        check();
        try (Transaction tx = host.db().beginTx()) {
            open.add(tx);
            try {
                if (stopped) {
                    throw new Stopped();
                }
                T out = work.apply(tx);
                if (commit) {
                    tx.commit();
                }
                return out;
            } finally {
                open.remove(tx);
            }
        }
    }

    private void stop() {
        stopped = true;
        open.forEach(Transaction::terminate);
    }

    @Override
    public void close() {
        stop();
        if (pool != null) {
            pool.shutdown(); // without interrupts, which would close the server's files
            boolean interrupted = false;
            while (!pool.isTerminated()) {
                try {
                    pool.awaitTermination(1, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (!memory.isKept()) {
            memory.close();
        }
    }
}
