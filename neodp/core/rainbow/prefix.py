"""Epsilon that differs between edges, on request: the largest prefix sums, each on its own.

The chance of a dataset's best j outputs is at most the least that U along any path from the boundary allows. If all
of these bounds can be reached at once, they are the best mechanism; but they can break privacy together. So they are
computed, checked on every edge in exact arithmetic, and refused if a single inequality is broken.
"""

from __future__ import annotations

import heapq
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from neodp.core import auditing, boundary, inequalities
from neodp.core.rainbow.orders import Order, distances
from neodp.core.rainbow.units import DIGITS, context, lengths, lowered, rounded, zeros
from neodp.data.graph import DatasetGraph
from neodp.data.validation import UNIT, Floats
from neodp.errors import NotPrivate

__all__ = ["prefix_sums"]


def prefix_sums(graph: DatasetGraph, alpha: dict[Order, list[float]]) -> Floats:
    """Return the largest prefix sums, each on its own; refuse them if they are not private together."""
    k, ends = len(graph.colors), boundary.boundary_vertices(graph)
    each = lengths(graph.epsilon, k)
    far = int(distances(graph).max(initial=0))
    small = zeros(1, *(Fraction(p) for row in alpha.values() for p in row))
    digits = DIGITS + small + far // (2 * UNIT)  # a distance t takes t / log 10 digits
    sums = [[Decimal(0)] * len(graph)]
    with localcontext(context(digits)):
        grow = {n: (Decimal(n) / UNIT).exp() for n in np.unique(each).tolist()}
        factor = [grow[n] for n in each.tolist()]
        delta = [lowered(d, k, n) for d, n in zip(graph.delta.tolist(), each.tolist(), strict=True)]
        orders = [tuple(row) for row in graph.orders.tolist()]
        exact = {order: inequalities.exact(np.array(row)) for order, row in alpha.items()}
        for j in range(1, k):
            chances = {order: sum(row[color] for color in order[:j]) for order, row in exact.items()}
            start = {order: Decimal(p.numerator) / Decimal(p.denominator) for order, p in chances.items()}
            given = {v: start[orders[graph.order[v]]] for v in ends.tolist()}
            sums.append(_largest(graph, given, factor, delta))
        sums.append([Decimal(1)] * len(graph))
        ranked = np.array([rounded(sums[j + 1][v] - sums[j][v] for j in range(k)) for v in range(len(graph))])
    rows = np.empty_like(ranked)
    np.put_along_axis(rows, graph.orders[graph.order].astype(np.int64), ranked, axis=1)
    if len(ends):
        rows[ends] = [alpha[orders[c]] for c in graph.order[ends].tolist()]
    found = inequalities.judge(graph.source, graph.target, graph.epsilon, graph.delta, rows)
    broken = found.broken.any(axis=(1, 2))
    if broken.any():
        edge = int(np.argmax(np.where(broken, found.tightness, -1.0)))
        line = auditing.described(graph, rows, edge, float(found.tightness[edge]), found.broken[edge])
        raise NotPrivate(
            f"the largest prefix sums are not private together on {np.count_nonzero(broken):,} of {graph.edges:,} "
            f"edges, such as {line}",
            "leave the method to neodp: the line is private for any mixture of epsilons",
        )
    return rows


def _largest(
    graph: DatasetGraph, given: dict[int, Decimal], factor: list[Decimal], delta: list[Decimal]
) -> list[Decimal]:
    """Return the least bound that any path from the boundary puts on a prefix sum; 1 if there is no boundary."""
    indptr, neighbor, edge = (column.tolist() for column in graph.adjacency_of(~graph.crossing))
    bound = [Decimal(1)] * len(graph)
    for v, start in given.items():
        bound[v] = start
    queue = [(start, v) for v, start in given.items()]
    heapq.heapify(queue)
    while queue:
        s, u = heapq.heappop(queue)
        if s != bound[u]:
            continue
        for h in range(indptr[u], indptr[u + 1]):
            f, d, v = factor[edge[h]], delta[edge[h]], neighbor[h]
            new = min(f * s + d, 1 - (1 - s - d) / f)
            if new < bound[v]:
                bound[v] = new
                heapq.heappush(queue, (new, v))
    return bound
