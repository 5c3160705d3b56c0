package neodp.results;

import org.neo4j.procedure.Description;

/** A procedure or function of neodp. */
public record Listed(
        @Description("Its name.") String name,
        @Description("What it does.") String description,
        @Description("Its arguments and results.") String signature,
        @Description("'procedure' or 'function'.") String type) {}
