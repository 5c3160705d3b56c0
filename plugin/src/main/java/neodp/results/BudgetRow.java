package neodp.results;

import neodp.ledger.Ledger;
import neodp.ledger.Shares;
import org.neo4j.procedure.Description;

/** What the answers about a population have cost, and what is left. */
public record BudgetRow(
        @Description("Whose data it is.") String population,
        @Description("How many answers were given.") long releaseCount,
        @Description("How many there may be; null where their number is not limited.") Long maxReleases,
        @Description("How many are left; null where their number is not limited.") Long releasesLeft,
        @Description("The epsilon that the answers have cost at most anybody, added up; the client may know less.")
                double spentEpsilon,
        @Description("The delta that they have cost, added up.") double spentDelta,
        @Description("The epsilon that they may cost; null where that is not limited.") Double maxEpsilon,
        @Description("The delta at which that is meant.") double maxDelta,
        @Description("The share of everybody's own epsilon that questions about people have spent.") double spentShare,
        @Description("What is to be thought of such a limit; null if there is nothing.") String caution) {

    /** A ledger, and what it comes to. */
    public static BudgetRow of(Ledger ledger, Ledger.Sum spent) {
        Long most = ledger.mostReleases();
        return new BudgetRow(
                ledger.population(),
                ledger.used(),
                most,
                most == null ? null : (Long) Math.max(0, most - ledger.used()),
                spent.epsilon(),
                spent.delta(),
                ledger.epsilon(),
                ledger.delta(),
                Shares.in(ledger.prices()).nearest(),
                Caution.of(ledger.epsilon()));
    }
}
