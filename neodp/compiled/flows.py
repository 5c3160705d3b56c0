"""Maximum flows in 64-bit whole numbers.

Dinic's method: label the nodes by their distance from the source along arcs with room, push flow along arcs that lead
one step further until no such path is left, and begin again; there are at most as many rounds as nodes. When the sink
is out of reach, the nodes within reach are the source's side of a least cut.

An arc and its reverse have each other's place in ``pair``; ``room`` is what an arc can still take. All sums stay below
the sum of the rooms at the source, which the caller keeps below 2^62. With Python's own integers in arrays of objects,
``Function.interpreted`` computes the same without any limit.
"""

from __future__ import annotations

import numpy as np

from neodp.compiled.compiler import njit

__all__ = ["push", "reach"]


@njit(cache=True, nogil=True)
def reach(first, head, room, source, level, queue):
    """Set the level of every node: its distance from the source along arcs with room, or -1; count those with one."""
    for v in range(len(level)):
        level[v] = -1
    level[source] = 0
    queue[0] = source
    begin, end = 0, 1
    while begin < end:
        u = queue[begin]
        begin += 1
        for a in range(first[u], first[u + 1]):
            v = head[a]
            if room[a] > 0 and level[v] < 0:
                level[v] = level[u] + 1
                queue[end] = v
                end += 1
    return end


@njit(cache=True, nogil=True)
def push(first, head, pair, room, source, sink):
    """Push a maximum flow from the source to the sink, in place, and return the nodes on the source's side of a cut."""
    n = len(first) - 1
    level = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    at = np.empty(n, np.int64)
    path = np.empty(n, np.int64)
    while True:
        reach(first, head, room, source, level, queue)
        if level[sink] < 0:
            return level >= 0
        for v in range(n):
            at[v] = first[v]
        u, depth = source, 0
        while True:
            if u == sink:
                least = room[path[0]]
                place = 0
                for i in range(1, depth):
                    if room[path[i]] < least:
                        least = room[path[i]]
                        place = i
                for i in range(depth):
                    room[path[i]] -= least
                    room[pair[path[i]]] += least
                depth = place  # where the path broke
                u = head[pair[path[place]]]
                continue
            ahead = False
            while at[u] < first[u + 1]:
                a = at[u]
                if room[a] > 0 and level[head[a]] == level[u] + 1:
                    ahead = True
                    break
                at[u] += 1
            if ahead:
                path[depth] = at[u]
                depth += 1
                u = head[at[u]]
            elif depth == 0:
                break
            else:
                depth -= 1
                u = head[pair[path[depth]]]
                at[u] += 1
