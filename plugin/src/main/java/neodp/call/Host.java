package neodp.call;

import java.util.function.Supplier;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/**
 * What the server lends to one call of a procedure.
 *
 * @param db the database
 * @param guard says when the caller has had enough
 * @param memory makes a counter of what the caller's transaction takes
 */
public record Host(GraphDatabaseService db, TerminationGuard guard, Supplier<ProcedureMemoryTracker> memory) {}
