package neodp.asking;

import java.util.Map;

/**
 * A statement for the matches of a pattern.
 *
 * @param nodes how many columns hold ids of nodes
 * @param links how many columns after them hold ids of relationships
 * @param amount whether a last column holds amounts
 */
public record Statement(String text, Map<String, Object> parameters, int nodes, int links, boolean amount) {}
