package neodp.results;

import neodp.ledger.Ledger;
import neodp.ledger.Shares;
import org.neo4j.procedure.Description;

/** What the answers about a population have cost, and what is left. */
public record BudgetRow(
        @Description("Whose data it is.") String population,
        @Description("The number of answers given.") long releaseCount,
        @Description("The number of answers allowed; null if it is not limited.") Long maxReleases,
        @Description("The number of answers left; null if it is not limited.") Long releasesLeft,
        @Description("The epsilon that the answers have cost at most anybody, added up; the client may know less.")
                double spentEpsilon,
        @Description("The delta that they have cost, added up.") double spentDelta,
        @Description("The epsilon that they may cost; null if it is not limited.") Double maxEpsilon,
        @Description("The delta for that limit.") double maxDelta,
        @Description("The share of everybody's own epsilon that questions about people have spent.") double spentShare,
        @Description("A caution about such a limit; null if there is none.") String caution) {

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
