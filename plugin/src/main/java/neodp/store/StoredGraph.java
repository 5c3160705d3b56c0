package neodp.store;

import neodp.algorithm.DatasetGraph;

/**
 * A graph as read: its keys are in order; dataset {@code position[i]} of it is the node {@code ids[i]}.
 *
 * @param chances stored probabilities per colour and dataset, where they were asked for, else null
 */
public record StoredGraph(DatasetGraph graph, GraphInfo info, long[] ids, int[] position, double[][] chances) {}
