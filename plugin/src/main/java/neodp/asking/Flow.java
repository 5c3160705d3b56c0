package neodp.asking;

import java.math.BigInteger;
import java.util.Arrays;
import neodp.call.Workers;

/**
 * Maximum flows on a network, at one price after another, by Dinic's method: the twin of
 * {@code neodp/compiled/flows.py}. The nodes within reach of the source at the end are the source's side of a least cut,
 * the same whatever the flow.
 */
final class Flow {
    private final Network net;
    private final Workers workers;
    private final int[] place; // of each arc, and after them of its reverse, in the order of their tails
    private final int[] first;
    private final int[] head;
    private final int[] pair;
    private final int[] level;
    private final int[] queue;
    private final int[] at;
    private final int[] path;
    private Wholes room;
    private BigInteger unlimited;
    private int steps;

    Flow(Network net, Workers workers) {
        this.net = net;
        this.workers = workers;
        int arcs = net.arcs;
        first = new int[net.nodes + 1];
        for (int a = 0; a < arcs; a++) {
            workers.check(a);
            first[net.tail[a] + 1]++;
            first[net.head[a] + 1]++;
        }
        for (int v = 0; v < net.nodes; v++) {
            first[v + 1] += first[v];
        }
        int[] next = Arrays.copyOf(first, net.nodes);
        place = new int[2 * arcs];
        head = new int[2 * arcs];
        pair = new int[2 * arcs];
        for (int a = 0; a < arcs; a++) {
            workers.check(a);
            int there = next[net.tail[a]]++;
            int back = next[net.head[a]]++;
            place[a] = there;
            place[arcs + a] = back;
            head[there] = net.head[a];
            head[back] = net.tail[a];
            pair[there] = back;
            pair[back] = there;
        }
        level = new int[net.nodes];
        queue = new int[net.nodes];
        at = new int[net.nodes];
        path = new int[net.nodes];
    }

    /** The bytes that a network and its flows take. */
    static long bytes(Network net) {
        return 80L * net.arcs + 20L * net.nodes;
    }

    /** Push a maximum flow at the price p/q. */
    void push(long p, long q) {
        BigInteger out = BigInteger.ONE;
        Tally weights = new Tally();
        for (int a = 0; a < net.arcs; a++) {
            workers.check(a);
            if (net.tail[a] == 0) {
                weights.add(net.weight[a], q);
                weights.add(net.amount[a], p);
            }
        }
        unlimited = out.add(weights.value());
        room = new Wholes(2 * net.arcs);
        for (int a = 0; a < net.arcs; a++) {
            workers.check(a);
            if (isUnlimited(a)) {
                room.set(place[a], unlimited);
            } else {
                room.set(place[a], net.weight[a], q, net.amount[a], p);
            }
        }
        while (reach()) {
            System.arraycopy(first, 0, at, 0, net.nodes);
            augment();
        }
    }

    private boolean isUnlimited(int a) {
        return net.weight[a] == 0 && net.amount[a] == 0;
    }

    /** Whether a node is on the source's side of the least cut. */
    boolean inside(int node) {
        return level[node] >= 0;
    }

    /** Whether an arc leads out of the source's side. */
    boolean cut(int a) {
        boolean cut = inside(net.tail[a]) && !inside(net.head[a]);
        if (cut && isUnlimited(a)) {
            throw new ArithmeticException("an arc without limit is cut");
        }
        return cut;
    }

    /** Set the level of every node: its distance from the source along arcs with room, or -1; whether the sink has one. */
    private boolean reach() {
        Arrays.fill(level, -1);
        level[0] = 0;
        queue[0] = 0;
        int end = 1;
        for (int begin = 0; begin < end; begin++) {
            workers.check(begin);
            int u = queue[begin];
            for (int a = first[u]; a < first[u + 1]; a++) {
                int v = head[a];
                if (level[v] < 0 && !room.isZero(a)) {
                    level[v] = level[u] + 1;
                    queue[end++] = v;
                }
            }
        }
        return level[1] >= 0;
    }

    /** Push flow along arcs that lead one level further, until no such path is left. */
    private void augment() {
        int u = 0;
        int depth = 0;
        while (true) {
            workers.check(steps++);
            if (u == 1) {
                int least = 0;
                for (int i = 1; i < depth; i++) {
                    least = room.less(path[i], path[least]) ? i : least;
                }
                room.move(path[least], path, depth, pair);
                depth = least; // where the path broke
                u = head[pair[path[least]]];
                continue;
            }
            int a = ahead(u);
            if (a >= 0) {
                path[depth++] = a;
                u = head[a];
            } else if (depth == 0) {
                return;
            } else {
                u = head[pair[path[--depth]]];
                at[u]++;
            }
        }
    }

    private int ahead(int u) {
        for (; at[u] < first[u + 1]; at[u]++) {
            int a = at[u];
            if (level[head[a]] == level[u] + 1 && !room.isZero(a)) {
                return a;
            }
        }
        return -1;
    }

    /** The amount that leaves the source. */
    BigInteger value() {
        BigInteger out = BigInteger.ZERO;
        for (int a = 0; a < net.arcs; a++) {
            workers.check(a);
            if (net.tail[a] == 0) {
                out = out.add(flow(a));
            }
        }
        return out;
    }

    /** What flows through an arc: what its reverse can take back, which had no room at first. */
    private BigInteger flow(int a) {
        return room.get(place[net.arcs + a]);
    }

    /** 2q times the price of every witness: the flow through both of its halves. */
    Wholes prices(int witnesses) {
        Wholes out = new Wholes(witnesses);
        for (int a = 0; a < net.arcs; a++) {
            workers.check(a);
            if (net.witness[a] >= 0) {
                out.add(net.witness[a], room, place[net.arcs + a]);
            }
        }
        return out;
    }
}
