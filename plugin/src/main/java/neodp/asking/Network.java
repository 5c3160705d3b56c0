package neodp.asking;

import java.util.Arrays;
import neodp.call.Workers;

/**
 * The network whose least cuts are twice the program's value at a price: {@code neodp/asking/cuts.py} has it and the
 * proof.
 *
 * <p>The source is 0, the sink 1, then come the people, their copies, and two nodes for each group with several
 * witnesses. An arc's capacity is weight q + amount p; an arc with neither has no limit.
 */
final class Network {
    private static final int SOURCE = 0;
    private static final int SINK = 1;

    final int nodes;
    int arcs;
    int[] tail;
    int[] head;
    long[] weight;
    long[] amount;

    /** The witness whose price the flow of an arc counts for; or -1. */
    int[] witness;

    private Network(int nodes, int room) {
        this.nodes = nodes;
        tail = new int[room];
        head = new int[room];
        weight = new long[room];
        amount = new long[room];
        witness = new int[room];
    }

    private void arc(int from, int to, long heavy, long costs, int of) {
        tail[arcs] = from;
        head[arcs] = to;
        weight[arcs] = heavy;
        amount[arcs] = costs;
        witness[arcs++] = of;
    }

    /** The network of a program; null if a group with several witnesses has no person whom they share. */
    static Network of(Cover cover, Workers workers) {
        int n = cover.weight().length;
        int witnesses = cover.group().length;
        int[] size = new int[cover.amount().length];
        for (int m = 0; m < witnesses; m++) {
            workers.check(m);
            size[cover.group()[m]]++;
        }
        int several = 0;
        int[] place = new int[size.length];
        for (int g = 0; g < size.length; g++) {
            workers.check(g);
            place[g] = size[g] > 1 ? 2 + 2 * n + 2 * several++ : -1;
        }
        int[] center = centers(cover, size, workers);
        if (center == null) {
            return null;
        }
        Network net = new Network(2 + 2 * n + 2 * several, 2 * n + 2 * witnesses + 2 * several);
        for (int i = 0; i < n; i++) {
            workers.check(i);
            net.arc(SOURCE, 2 + i, cover.weight()[i], 0, -1);
            net.arc(2 + n + i, SINK, cover.weight()[i], 0, -1);
        }
        for (int g = 0; g < size.length; g++) {
            workers.check(g);
            if (place[g] >= 0) {
                net.arc(center[g] < 0 ? SOURCE : 2 + center[g], place[g], 0, cover.amount()[g], -1);
                net.arc(place[g] + 1, center[g] < 0 ? SINK : 2 + n + center[g], 0, cover.amount()[g], -1);
            }
        }
        for (int m = 0; m < witnesses; m++) {
            workers.check(m);
            int g = cover.group()[m];
            int a = cover.one()[m];
            int b = cover.other()[m];
            if (place[g] >= 0) {
                int j = a == center[g] ? b : a;
                net.arc(place[g], 2 + n + j, 0, 0, m);
                net.arc(2 + j, place[g] + 1, 0, 0, m);
            } else {
                net.arc(2 + a, b < 0 ? SINK : 2 + n + b, 0, cover.amount()[g], m);
                net.arc(b < 0 ? SOURCE : 2 + b, 2 + n + a, 0, cover.amount()[g], m);
            }
        }
        return net;
    }

    /** The person in all witnesses of each group that has several; -1 where each has one person. Null if it cannot be. */
    private static int[] centers(Cover cover, int[] size, Workers workers) {
        int[] first = new int[size.length];
        int[] second = new int[size.length];
        Arrays.fill(first, -2); // not seen yet
        for (int m = 0; m < cover.group().length; m++) {
            workers.check(m);
            int g = cover.group()[m];
            int a = cover.one()[m];
            int b = cover.other()[m];
            if (first[g] == -2) {
                first[g] = a;
                second[g] = b;
            } else {
                first[g] = first[g] == a || first[g] == b ? first[g] : -1;
                second[g] = second[g] == a || second[g] == b ? second[g] : -1;
            }
        }
        for (int g = 0; g < size.length; g++) { // the least person whom all share
            boolean both = first[g] >= 0 && second[g] >= 0;
            first[g] = both ? Math.min(first[g], second[g]) : Math.max(first[g], second[g]);
        }
        for (int m = 0; m < cover.group().length; m++) {
            workers.check(m);
            int center = first[cover.group()[m]];
            boolean alone = cover.other()[m] < 0;
            if (size[cover.group()[m]] > 1 && (center < 0) != alone) {
                return null;
            }
        }
        return first;
    }
}
