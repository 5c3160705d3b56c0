package neodp.procedures;

import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.call.Workers;
import neodp.inquiry.Protections;
import neodp.ledger.Ledger;

/** What the procedures that ask people share. */
public abstract class PeopleCall extends Call {
    /** The protection of a population, as it is committed: what is asked is answered once, whatever is rolled back. */
    protected Protection protection(String procedure, String population) {
        try (Workers workers = new Workers(host(), 1)) {
            return workers.read(population, own -> Protections.of(own, population));
        } catch (Refusal refusal) {
            throw refusal.is("unknown_graph") && Protections.knows(tx, population)
                    ? Refusal.unseen("population " + Text.quoted(population), procedure)
                    : refusal;
        }
    }

    /** Refuse to draw where the caller's transaction has changed an account. */
    protected void requireAccounts(String procedure) {
        requireCommitted(procedure, "an account", Ledger::keeps);
    }
}
