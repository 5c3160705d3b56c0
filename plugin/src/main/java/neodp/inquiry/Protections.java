package neodp.inquiry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import neodp.Fraction;
import neodp.Names;
import neodp.Refusal;
import neodp.Text;
import neodp.asking.Protection;
import neodp.call.Workers;
import neodp.ledger.Ledger;
import neodp.ledger.Shares;
import neodp.store.Statements;
import org.neo4j.graphdb.Transaction;

/** Who is protected in this database, in nodes that the client reads and writes too. */
public final class Protections {
    private Protections() {}

    /** All protections, by the name of their population. */
    public static List<Protection> all(Transaction tx) {
        List<Protection> out = new ArrayList<>();
        texts(tx).forEach((population, text) -> out.add(read(population, text)));
        return out;
    }

    private static TreeMap<String, String> texts(Transaction tx) {
        TreeMap<String, String> out = new TreeMap<>(Text::compare);
        for (Map<String, Object> row : Statements.rows(tx, "protections", Map.of())) {
            if (row.get("population") instanceof String population) {
                out.put(population, row.get("text").toString());
            }
        }
        return out;
    }

    /** The protection that a stored text states; refused where somebody has altered it. */
    private static Protection read(String population, String text) {
        try {
            return Protection.read(text);
        } catch (RuntimeException e) {
            throw Refusal.of(
                    "store",
                    "the protection of population " + Text.quoted(population)
                            + " cannot be read: the store was damaged or edited",
                    "protect it again: `CALL neodp.protect(" + Text.cypher(population)
                            + ", {people: 'Person', epsilon: 'epsilon'})`");
        }
    }

    /** Whether a population is protected. */
    public static boolean knows(Transaction tx, String population) {
        TreeMap<String, String> known = texts(tx);
        return known.containsKey(population) || known.containsKey(Names.normal(population));
    }

    /** The protection of a population. */
    public static Protection of(Transaction tx, String population) {
        if (population == null) {
            throw Refusal.graph("the population's name is null", "give a text");
        }
        TreeMap<String, String> known = texts(tx);
        String text = known.getOrDefault(population, known.get(Names.normal(population)));
        if (text == null) {
            throw Refusal.of(
                    "unknown_graph",
                    "no people are protected as population " + Text.quoted(population),
                    known.isEmpty()
                            ? "protect people first: `CALL neodp.protect('people', {people: 'Person', epsilon: 'epsilon'})`"
                            : "the populations are " + Text.listed(List.copyOf(known.keySet())));
        }
        return read(population, text);
    }

    /** Keep a protection, in place of any of the same population. */
    public static void put(Transaction tx, Protection protection) {
        Ledger.requireSchema(tx);
        Statements.row(tx, "put_protection", Map.of("population", protection.population(), "text", protection.text()));
    }

    /** Delete a protection; what was answered and spent stays. */
    public static Protection drop(Transaction tx, String population) {
        Protection found = of(tx, population);
        Statements.row(tx, "drop_protection", Map.of("population", found.population()));
        return found;
    }

    /** The share of everybody's epsilon that is left. */
    public static double left(Transaction tx, Protection protection, Workers workers) {
        Fraction spent = Shares.in(Ledger.of(tx, protection.account(), workers).prices());
        return new Fraction(spent.under().subtract(spent.over()), spent.under()).nearest();
    }
}
