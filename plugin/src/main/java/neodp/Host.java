package neodp;

import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/**
 * What the server lends to one call of a procedure.
 *
 * @param db the database
 * @param guard says when the caller has had enough
 * @param memory counts what the caller's transaction takes
 */
record Host(GraphDatabaseService db, TerminationGuard guard, ProcedureMemory memory) {}
