package neodp.inquiry;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import neodp.Names;
import neodp.algorithm.Level;
import neodp.call.Host;
import neodp.call.Workers;
import neodp.ledger.Ledger;
import neodp.ledger.Release;
import org.neo4j.graphdb.Transaction;

/**
 * A question about people as the ledger knows it, and its answer: drawn once, and kept before it is shown.
 *
 * <p>Everything is read and written in transactions of its own, as {@code neodp.answer} does.
 *
 * @param subject the name under which answers are kept
 * @param asked the question as the ledger compares it
 * @param account whose epsilon it costs
 * @param levels what an answer costs
 * @param command the client's command that asks the same
 */
record Keeping(String subject, String asked, String account, List<Level> levels, String command) {
    /** The answer of a release: the one that is kept, or one drawn now. */
    Release release(Host host, String given, Supplier<String> drawing) {
        String name = read(host, (tx, workers) -> {
            Ledger.requireSchema(tx);
            return Release.find(tx, subject, given) == null ? Names.normal(given) : given;
        });
        Release kept = read(host, (tx, workers) -> admitted(tx, name, workers));
        if (kept == null) {
            Release drawn = new Release(subject, name, drawing.get(), null, null, account, asked, levels, command);
            try (Workers workers = new Workers(host, 1)) {
                kept = workers.write(subject, tx -> Ledger.keep(tx, drawn, workers));
            }
        }
        kept.require(asked); // somebody may have been faster, with another question
        return kept;
    }

    /** The release that is kept; null if there is none, and one may be drawn. */
    private Release admitted(Transaction tx, String name, Workers workers) {
        Release found = Release.find(tx, subject, name);
        if (found != null) {
            return found;
        }
        Names.valid("release", name);
        Names.valid("population", account);
        Ledger ledger = Ledger.of(tx, account, workers);
        found = Release.find(tx, subject, name); // which the ledger may count already
        if (found == null) {
            ledger.spend(name, levels, workers);
        }
        return found;
    }

    private <T> T read(Host host, BiFunction<Transaction, Workers, T> work) {
        try (Workers workers = new Workers(host, 1)) {
            return workers.read(subject, tx -> work.apply(tx, workers));
        }
    }
}
