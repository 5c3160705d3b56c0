package neodp.call;

import java.util.function.Supplier;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.logging.Log;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/**
 * What the server lends to one call of a procedure.
 *
 * @param db the database
 * @param guard says when the caller has had enough
 * @param log the server's log
 * @param user who calls; empty where the server does not tell
 * @param memory makes a counter of what the caller's transaction takes
 */
public record Host(
        GraphDatabaseService db,
        TerminationGuard guard,
        Log log,
        String user,
        Supplier<ProcedureMemoryTracker> memory) {}
