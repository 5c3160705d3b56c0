package neodp.inquiry;

import static neodp.Database.db;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.IntStream;
import neodp.Alone;
import neodp.asking.Cover;
import neodp.asking.Protection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.neo4j.graphdb.Transaction;

/**
 * Graphs of people while others write: Neo4j gives no snapshot, so that another session commits in the middle of the
 * reading.
 */
final class PeopleGraphTest {
    private static final Protection CREW = new Protection(
            "crew",
            "epsilon",
            "Sailor",
            null,
            null,
            List.of(),
            List.of(),
            List.of("Harbour"),
            Protection.MOST_MATCHES,
            List.of(),
            List.of());
    private static final String PAIRS = "MATCH (a:Sailor)-[:KNOWS]-(b:Sailor)";
    private static final String NOTHING = "RETURN 1";
    private static final String PLACES = "MATCH (h:Harbour)--(a:Sailor)";

    /** Three people in a row; the last is a harbour too, and a harbour that is nobody's is beside the first. */
    @BeforeEach
    void people() {
        rows("MATCH (n) WHERE n:Sailor OR n:Harbour DETACH DELETE n");
        rows("CREATE (:Harbour)<-[:IN]-(:Sailor {id: 1, epsilon: 1.0})-[:KNOWS]->(:Sailor {id: 2, epsilon: 0.5})"
                + "-[:KNOWS]->(:Sailor:Harbour {id: 3, epsilon: 2.0})");
    }

    /** What is read while somebody else commits two changes: just before the matches are read, and just after. */
    private static Cover cover(String question, String before, String after) {
        Asking asking = Asking.of(
                CREW, question, new Asking.Options(1L, 0.05, false, 1_000_000, null, null, null, null, 1.0, 0.0));
        try (Transaction tx = db().beginTx()) {
            String[] change = {NOTHING};
            Transaction meddled = (Transaction) Proxy.newProxyInstance(
                    Transaction.class.getClassLoader(), new Class<?>[] {Transaction.class}, (proxy, method, given) -> {
                        boolean matches = given != null && given[0] instanceof String text && text.contains(" AS n0");
                        rows(matches ? before : change[0]);
                        change[0] = matches ? after : NOTHING;
                        try {
                            return method.invoke(tx, given);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            PeopleGraph graph = PeopleGraph.of(meddled, asking, new Alone().workers());
            return graph.matches().cover(graph.units(), graph.units().alike());
        }
    }

    /** How many people share each match. */
    private static int[] sizes(Cover cover) {
        return IntStream.range(0, cover.one().length)
                .map(m -> (cover.one()[m] >= 0 ? 1 : 0) + (cover.other()[m] >= 0 ? 1 : 0))
                .toArray();
    }

    /** If everything in a match must be people, these are read once, after the matches. */
    @Test
    void matchesOfWhoLeftGoAlong() {
        Cover cover = cover(PAIRS, NOTHING, "MATCH (s:Sailor {id: 3}) DETACH DELETE s");
        assertEquals(1, cover.count());
        assertEquals(0, cover.fixed());
        assertArrayEquals(new int[] {2}, sizes(cover));
        assertEquals(
                0, cover(PAIRS, NOTHING, "MATCH (s:Sailor) DETACH DELETE s").count());
    }

    /** Who is a person no longer when the people are read again still shares the matches that they had. */
    @Test
    void aMatchBelongsToAllWhoHadIt() {
        Cover quiet = cover(PLACES, NOTHING, NOTHING);
        assertEquals(2, quiet.count());
        Cover busy = cover(PLACES, NOTHING, "MATCH (s:Sailor {id: 3}) REMOVE s:Sailor");
        assertEquals(quiet.count(), busy.count());
        assertEquals(0, busy.fixed());
        assertArrayEquals(sizes(quiet), sizes(busy));
    }

    /** A person with the label of public nodes whom neither reading of the people has seen. */
    @Test
    void whoComesAndLeavesIsNotTakenForAPublicNode() {
        long before = cover(PLACES, NOTHING, NOTHING).count();
        Cover after = cover(
                PLACES,
                "MATCH (s:Sailor {id: 1}) CREATE (:Sailor:Harbour {id: 9, epsilon: 1.0})-[:IN]->(s)",
                "MATCH (s {id: 9}) DETACH DELETE s");
        assertEquals(before, after.count());
        assertEquals(0, after.fixed());
    }
}
