package neodp.store;

import neodp.algorithm.DatasetGraph;

/**
 * A graph as read: its keys are in order; dataset {@code position[i]} of it is the node {@code ids[i]}.
 *
 * @param p stored probabilities of the first colour, where they were asked for, else null
 * @param q those of the second
 */
public record StoredGraph(DatasetGraph graph, GraphInfo info, long[] ids, int[] position, double[] p, double[] q) {}
