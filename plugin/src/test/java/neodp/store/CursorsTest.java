package neodp.store;

import static neodp.Database.path;
import static neodp.Database.row;
import static neodp.Database.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The inside of the server and its public interface give the same. */
final class CursorsTest {
    private static final String STORED =
            "MATCH (d:Dataset {graph: 'twin'}) RETURN d.key AS key, d.p AS p, d.q AS q, d.distance AS d ORDER BY key";

    @AfterEach
    void again() {
        Cursors.useInside(true);
    }

    @Test
    void theSameByThePublicInterface() {
        path("twin", 9, 0.3);
        rows("MATCH (a:Dataset {graph: 'twin', key: 'k1'})-[r:NEIGHBOR]->() SET r.delta = 0.01, r.epsilon = 1");
        rows("CALL neodp.extend.write('twin', {batchSize: 2})");
        List<Map<String, Object>> inside = rows(STORED);
        rows("MATCH (d:Dataset {graph: 'twin'}) REMOVE d.p, d.q, d.distance");
        Cursors.useInside(false);
        rows("CALL neodp.extend.write('twin', {batchSize: 2})");
        assertEquals(inside, rows(STORED));
        assertEquals(false, row("CALL neodp.audit('twin')").get("stale"));
    }

    @Test
    void aServerWhoseInsideIsAnotherOne() {
        List<String> told = new ArrayList<>();
        List<Integer> tries = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Cursors.orPublic(
                    () -> {
                        tries.add(1);
                        if (tries.size() == 1) {
                            throw new NoSuchMethodError("allocateNodeCursor");
                        }
                        return null;
                    },
                    why -> told.add(why.getMessage()));
        }
        assertEquals(List.of("allocateNodeCursor"), told);
        assertEquals(3, tries.size());
        assertThrows(
                NoClassDefFoundError.class,
                () -> Cursors.orPublic(
                        () -> {
                            throw new NoClassDefFoundError("no way to read at all");
                        },
                        why -> told.add("again")));
        assertEquals(1, told.size());
    }
}
