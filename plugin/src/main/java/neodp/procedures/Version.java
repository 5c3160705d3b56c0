package neodp.procedures;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.UserFunction;

/** {@code neodp.version}. */
public final class Version {
    /** The version that the client must have too. */
    @UserFunction("neodp.version")
    @Description("The version of the neodp plugin.")
    public String version() {
        try (InputStream stream = Version.class.getResourceAsStream("/neodp/version.txt")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IllegalStateException("the jar has no version", e);
        }
    }
}
