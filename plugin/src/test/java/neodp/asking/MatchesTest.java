package neodp.asking;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import neodp.Alone;
import neodp.call.Workers;
import org.junit.jupiter.api.Test;

/** Matches whose people come and go while they are read. */
final class MatchesTest {
    private static final Workers WORKERS = new Alone().workers();
    private static final Protection STAFF = new Protection(
            "staff",
            "epsilon",
            "Person",
            null,
            null,
            List.of(),
            List.of(),
            List.of("Office"),
            Protection.MOST_MATCHES,
            List.of(),
            List.of());

    private static Matches pairs(long[]... pairs) {
        return matches(2, pairs);
    }

    private static Matches matches(int most, long[]... nodes) {
        Matches matches = new Matches(STAFF, 3, false, most, WORKERS);
        for (long[] each : nodes) {
            matches.add(each, each.length, each.length, 1, 0);
        }
        return matches;
    }

    private static Units units(long... ids) {
        Units units = new Units(WORKERS);
        for (long id : ids) {
            units.add(id, 1.0, null);
        }
        return units;
    }

    @Test
    void aMatchOfSomebodyWhoLeftDoesNotCountForOthers() {
        Matches matches = pairs(new long[] {1, 2}, new long[] {2, 3});
        Units units = units(1, 2); // 3 was a person, and is gone
        assertArrayEquals(new long[] {3}, matches.strangers(units));
        assertEquals(1, matches.cover(units, units.alike()).count());
    }

    @Test
    void aMatchOfNobodyWhoIsKnownIsNotFixed() {
        Matches matches = pairs(new long[] {3, 4});
        Units units = units(1);
        assertEquals(0, matches.cover(units, units.alike()).count());
        matches.addOther(3);
        matches.addOther(4); // both are public nodes after all
        Cover cover = matches.cover(units, units.alike());
        assertEquals(1, cover.fixed());
        assertEquals(1, cover.count());
    }

    @Test
    void aMatchWithMorePeopleThanItsLabelsSayDoesNotCount() {
        Units units = units(1, 2, 3);
        long[][] both = {{1, 2}, {1, 2, 3}}; // 3 is at a public place of the pattern, and a person
        assertEquals(1, matches(2, both).cover(units, units.alike()).count());
        assertEquals(0, matches(1, both).cover(units, units.alike()).count());
    }

    @Test
    void aPublicNodeBesideAPersonIsNotAnotherPerson() {
        Matches matches = pairs(new long[] {1, 7}, new long[] {2, 7});
        Units units = units(1, 2);
        for (long id : matches.strangers(units)) {
            matches.addOther(id);
        }
        Cover cover = matches.cover(units, units.alike());
        assertEquals(2, cover.count());
        assertArrayEquals(new int[] {-1, -1}, cover.other());
    }
}
