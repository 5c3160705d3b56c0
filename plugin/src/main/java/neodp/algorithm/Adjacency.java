package neodp.algorithm;

/** The edges of a graph from both of their ends (CSR): those at v stand from start[v] to before start[v + 1]. */
public record Adjacency(int[] start, int[] neighbor, int[] edge) {}
