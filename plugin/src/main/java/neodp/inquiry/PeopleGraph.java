package neodp.inquiry;

import java.util.Arrays;
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

/**
 * What an answer depends on: the matches of a question and the units with their epsilons, from one transaction.
 *
 * <p>A transaction sees what others commit while it reads. Who is a unit is read after the matches, and before them as
 * well if a match can contain what is nobody's; the proof is in {@code neodp/store/neo4j/people.py}.
 */
record PeopleGraph(Matches matches, Units units) {
    private static final int AT_ONCE = 50_000;

    static PeopleGraph of(Transaction tx, Asking asking, Workers workers) {
        Writer writer = new Writer(asking.protection());
        List<Pattern> alternatives = asking.pattern().alternatives();
        int width = alternatives.stream().mapToInt(Pattern::size).max().orElseThrow();
        Matches matches = new Matches(
                asking.protection(),
                width,
                asking.distinct() != null,
                asking.pattern().mostPeople(asking.protection(), asking.distinct()),
                workers);
        Units units = new Units(workers);
        boolean mixed = asking.protection().mayMatchOthers(asking.pattern());
        if (mixed) {
            read(tx, writer.units(), asking, units, workers);
        }
        for (Pattern alternative : alternatives) {
            read(tx, writer.matches(alternative, asking.amount()), asking, matches, workers);
        }
        read(tx, writer.units(), asking, units, workers);
        if (mixed) {
            findOthers(tx, writer.others(), matches, matches.strangers(units), workers);
        }
        return new PeopleGraph(matches, units);
    }

    private static void read(Transaction tx, String text, Asking asking, Units units, Workers workers) {
        Number otherwise = asking.protection().defaultEpsilon();
        try (Result result = tx.execute(text, Map.of())) {
            int[] seen = {0};
            result.accept(row -> {
                workers.check(seen[0]++);
                units.add(row.getNumber("id").longValue(), row.get("epsilon"), otherwise);
                return true;
            });
        }
    }

    private static void findOthers(Transaction tx, String text, Matches matches, long[] ids, Workers workers) {
        for (int start = 0; start < ids.length; start += AT_ONCE) {
            workers.check(start);
            long[] part = Arrays.copyOfRange(ids, start, Math.min(start + AT_ONCE, ids.length));
            try (Result result = tx.execute(text, Map.of("ids", part))) {
                result.accept(row -> {
                    matches.addOther(row.getNumber("id").longValue());
                    return true;
                });
            }
        }
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
