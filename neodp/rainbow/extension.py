"""The best mechanism for every dataset's order, on a whole graph.

With one epsilon on all edges it is the table (:mod:`neodp.rainbow.table`). Where epsilon differs, it is the line
(:mod:`neodp.rainbow.flow`), which is always private and close to the best; or, by choice, the largest prefix sums
(:mod:`neodp.rainbow.prefix`), which are refused where they are not private.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp import boundary, search
from neodp.extension import Extension
from neodp.graph import DatasetGraph
from neodp.rainbow.boundary import alpha_by_order
from neodp.rainbow.flow import Line
from neodp.rainbow.orders import distances, morphism
from neodp.rainbow.prefix import prefix_sums
from neodp.rainbow.table import Table
from neodp.rainbow.units import lengths
from neodp.search import Path

__all__ = ["Method", "extend"]

Method: TypeAlias = Literal["line", "prefix"]
"""What to do where epsilon differs between edges: the line, or prefix sums if they turn out to be private."""


def extend(graph: DatasetGraph, method: Method | None = None) -> Extension:
    """The best mechanism for every dataset's order that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        With alpha on its boundary, the same for all boundary datasets of one order; one that has none takes that of its
        order. Every dataset orders the colours.
    method : "line" or "prefix", optional
        Where epsilon differs between edges, by default the line. "prefix" takes the largest prefix sums instead, and is
        refused where these break privacy together. With one epsilon the table is both private and largest; "line" can
        be asked for to compare.

    Raises
    ------
    GraphError
        If a dataset does not order the colours, or alpha is given where no boundary is.
    UnhitBoundary
        If an order has no alpha on its boundary.
    IncompatibleAlpha
        If alpha differs within an order, or between orders by more than privacy allows.
    NotPrivate
        If "prefix" is asked for and breaks privacy.
    """
    alpha, rounded, filled = alpha_by_order(graph)
    alike = graph.edges == 0 or graph.epsilon.min() == graph.epsilon.max()
    if method != "line" and alike:
        table = Table(alpha, *((graph.epsilon[0], graph.delta.min()) if graph.edges else (0.0,)))
        rows, found = table.rows(graph.orders, *morphism(graph)), "table"
    elif method == "prefix":
        rows, found = prefix_sums(graph, alpha), "prefix"
    else:
        rows, found = Line(alpha).rows(graph.orders, graph.order, distances(graph)), "line"
    return Extension(rows, rounded, filled, found, _to_the_boundary(graph))


def _to_the_boundary(graph: DatasetGraph) -> Callable[[int], Path]:
    """From a dataset to a shortest path, in epsilon, from the boundary of its order; an empty path if there is none."""

    @cache
    def measured() -> tuple[NDArray[np.int64], NDArray[np.int64], set[int]]:
        ends = boundary.boundary_vertices(graph)
        return distances(graph), lengths(graph.epsilon, len(graph.colors)), set(ends.tolist())

    def path(v: int) -> Path:
        distance, length, ends = measured()
        indptr, neighbor, edge = graph.adjacency

        def before(w: int) -> Iterator[tuple[int, int]]:
            row = slice(indptr[w], indptr[w + 1])
            u, e = neighbor[row], edge[row]
            tight = (graph.order[u] == graph.order[w]) & (distance[u] + length[e] == distance[w])
            yield from zip(u[tight].tolist(), e[tight].tolist(), strict=True)

        return search.trace(v, ends.__contains__, before) if distance[v] >= 0 else ([], [])

    return path
