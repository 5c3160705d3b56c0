package neodp.procedures;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import neodp.Refusal;
import neodp.results.Listed;
import org.neo4j.graphdb.Result;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** {@code neodp.list}. */
public final class ListProcedures extends Call {
    /** One row per procedure and function. */
    @Procedure(name = "neodp.list", mode = Mode.READ)
    @Description("Lists all procedures and functions of neodp, with what they do.")
    public Stream<Listed> list(
            @Name(value = "name", defaultValue = "", description = "List those whose name contains this.")
                    String name) {
        if (name == null) {
            throw Refusal.graph("the name is null", "give a text, or leave it out");
        }
        return Stream.of("procedure", "function").flatMap(type -> some(type, name).stream());
    }

    private List<Listed> some(String type, String name) {
        String text = "SHOW " + type.toUpperCase(Locale.ROOT)
                + "S YIELD name, description, signature WHERE name STARTS WITH 'neodp.' AND name CONTAINS $name "
                + "RETURN name, description, signature ORDER BY name";
        try (Result found = tx.execute(text, Map.of("name", name))) {
            return found.stream()
                    .map(row -> new Listed(
                            (String) row.get("name"),
                            (String) row.get("description"),
                            (String) row.get("signature"),
                            type))
                    .toList();
        }
    }
}
