"""Choices of alpha on the boundary: the same distribution by rank for all orders.

*Balanced* makes the best output of every order as likely as possible; if any output can become the best over one edge,
it is *randomised response*. *Homogeneous* takes the chances of the ranks as they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from neodp.core import boundary
from neodp.core.rainbow.orders import require_orders
from neodp.core.rainbow.units import context, lengths, lowered, rounded
from neodp.data.distributions import distribution
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.validation import UNIT, Floats, require_range
from neodp.errors import GraphError

__all__ = ["balanced", "homogeneous", "randomized_response"]


@checked
def balanced(graph: DatasetGraph) -> Floats:
    """Return the alpha by rank that makes the best output of every order as likely as possible.

    All orders share one distribution by rank. Let m(r, s) be the least epsilon of a boundary edge over which some
    output changes its rank between r and s, and D(r) the length of the shortest path from rank 1 to rank r, where a
    step between r and s costs m(r, s), and a step up to a better rank costs 0. Then the output of rank r has the chance

        (1 - delta) e^-D(r) / (e^-D(1) + … + e^-D(k)) + delta [r = 1],

    with the least delta of a boundary edge. It is compatible, since |D(r) - D(s)| <= m(r, s). Among all compatible
    choices by rank, with delta = 0 and no output less likely than a worse one, it makes the best output likeliest: the
    chances of the ranks 1 and r differ by a factor of e^D(r) at most. If neighbouring orders exchange neighbouring
    ranks, D(r) = (r - 1) eps; if any output can become the best, D(r) = eps for r > 1, which is randomised response;
    with two colours it is (e^eps + delta) / (e^eps + 1), as in paper 002, Corollary 2. A rank that is never exchanged
    has the chance 0.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``; given on the whole boundary, and rounded so that the exact audit holds.
    """
    require_orders(graph)
    edges = boundary.boundary_edges(graph)
    delta = float(graph.delta[edges].min(initial=1.0)) if len(edges) else 0.0
    return homogeneous(graph, _weights(_rank_distances(graph, edges), delta))


@checked
def randomized_response(k: int, epsilon: float, delta: float = 0.0) -> tuple[float, ...]:
    """Return the chances of ``balanced`` by rank if any output can become the best over one edge.

    The best output has the chance (e^eps + delta (k - 1)) / (e^eps + k - 1), and every other output has the chance
    (1 - delta) / (e^eps + k - 1).

    Examples
    --------
    >>> [round(p, 12) for p in randomized_response(3, np.log(2))]
    [0.5, 0.25, 0.25]
    """
    if not 2 <= k <= 127:
        raise GraphError(f"there are {k} outputs", "give from 2 to 127")
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        require_range(name, value)
    length = int(lengths(np.array([epsilon]), k)[0])
    return _weights([0] + [length] * (k - 1), delta)


@checked
def homogeneous(graph: DatasetGraph, ranked: float | Sequence[float]) -> Floats:
    """Return the alpha that is the same by rank for all boundary datasets.

    Parameters
    ----------
    graph : DatasetGraph
    ranked : float, or sequence of float
        The chance of every rank, best first; or of the best alone, with the rest shared as in ``balanced``.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``.
    """
    require_orders(graph)
    k = len(graph.colors)
    if isinstance(ranked, int | float):
        best = float(ranked)
        others = _weights(_rank_distances(graph, boundary.boundary_edges(graph)), 0.0)[1:]
        total = sum(others)
        ranked = [best, *((1.0 - best) * (w / total if total else 1.0 / (k - 1)) for w in others)]
    row = distribution(ranked, k)
    ends = boundary.boundary_vertices(graph)
    alpha = np.full((len(graph), k), np.nan)
    alpha[ends[:, None], graph.orders[graph.order[ends]].astype(np.int64)] = row
    return alpha


def _rank_distances(graph: DatasetGraph, edges: NDArray[np.int64]) -> list[int | None]:
    """Return D(r) in ``lengths`` for each rank; None if it is not bounded."""
    k = len(graph.colors)
    one, two = graph.order[graph.source[edges]], graph.order[graph.target[edges]]
    pairs, where = np.unique(one.astype(np.int64) * len(graph.orders) + two, return_inverse=True)
    least = np.full(len(pairs), np.iinfo(np.int64).max)
    np.minimum.at(least, where, lengths(graph.epsilon[edges], k))
    rank = np.argsort(graph.orders, axis=1)
    step: dict[tuple[int, int], int] = {}
    for pair, length in zip(pairs.tolist(), least.tolist(), strict=True):
        for r, s in zip(rank[pair // len(graph.orders)].tolist(), rank[pair % len(graph.orders)].tolist(), strict=True):
            if r != s:
                for key in ((r, s), (s, r)):
                    step[key] = min(step.get(key, length), length)
    for r in range(1, k):
        step[r, r - 1] = 0
    distance: list[int | None] = [0] + [None] * (k - 1)
    for _ in range(k):
        for (r, s), length in step.items():
            start, end = distance[r], distance[s]
            if start is not None and (end is None or start + length < end):
                distance[s] = start + length
    return distance


def _weights(distance: Sequence[int | None], delta: float) -> tuple[float, ...]:
    """Return the distribution by rank for distances D(r)."""
    with localcontext(context()):
        weights = [Decimal(0) if d is None else (Decimal(-d) / UNIT).exp() for d in distance]
        exact = lowered(delta, len(weights), 0 if 0 in distance[1:] else 1)
        total = sum(weights)
        chances = [(1 - exact) * w / total for w in weights]
        chances[0] += exact
        return tuple(rounded(chances))
