package neodp.inquiry;

import java.util.List;
import java.util.Map;
import neodp.asking.Matches;
import neodp.asking.Pattern;
import neodp.asking.Statement;
import neodp.asking.Units;
import neodp.asking.Writer;
import neodp.call.Workers;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/** What an answer depends on: the matches of a question and the units with their epsilons, from one transaction. */
record PeopleGraph(Matches matches, Units units) {
    static PeopleGraph of(Transaction tx, Asking asking, Workers workers) {
        Writer writer = new Writer(asking.protection());
        List<Pattern> alternatives = asking.pattern().alternatives();
        int width = alternatives.stream().mapToInt(Pattern::size).max().orElseThrow();
        Matches matches = new Matches(asking.protection(), width, asking.distinct() != null, workers);
        for (Pattern alternative : alternatives) {
            read(tx, writer.matches(alternative, asking.amount()), asking, matches, workers);
        }
        Units units = new Units(workers);
        Number otherwise = asking.protection().defaultEpsilon();
        try (Result result = tx.execute(writer.units(), Map.of())) {
            int[] seen = {0};
            result.accept(row -> {
                workers.check(seen[0]++);
                units.add(row.getNumber("id").longValue(), row.get("epsilon"), otherwise);
                return true;
            });
        }
        return new PeopleGraph(matches, units);
    }

    private static void read(Transaction tx, Statement statement, Asking asking, Matches matches, Workers workers) {
        int count = statement.nodes() + statement.links();
        String[] names = new String[count];
        for (int i = 0; i < count; i++) {
            names[i] = i < statement.nodes() ? "n" + i : "r" + (i - statement.nodes());
        }
        long[] ids = new long[count];
        int group = asking.distinct() == null ? -1 : asking.distinct().number();
        int[] seen = {0};
        try (Result result = tx.execute(statement.text(), statement.parameters())) {
            result.accept(row -> {
                workers.check(seen[0]++);
                for (int i = 0; i < count; i++) {
                    ids[i] = row.getNumber(names[i]).longValue();
                }
                long amount = statement.amount() ? Matches.amount(row.get("amount"), asking.cap()) : 1;
                matches.add(ids, statement.nodes(), count, amount, group < 0 ? 0 : ids[group]);
                return true;
            });
        }
    }
}
