"""The best mechanism for every dataset's order, on a whole graph.

With one epsilon on all edges it is the table (:mod:`neodp.core.rainbow.table`). If epsilon differs, it is the
largest prefix sums (:mod:`neodp.core.rainbow.prefix`) if they turn out to be private: no private mechanism exceeds
them. Otherwise it is the line (:mod:`neodp.core.rainbow.flow`), which is always private and close to the best. Prefix
sums take some ten seconds per hundred thousand datasets, so on large graphs they are tried only on request. The choice
between the two depends on the graph with its alpha alone, never on the dataset that is asked for. On request, a linear
program finds the mechanism that is best on average (:mod:`neodp.core.optimal`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.core import boundary, traversal
from neodp.core.mechanism import Mechanism
from neodp.core.optimal import best_rows
from neodp.core.privacy import EpsilonDelta
from neodp.core.rainbow.alpha import alpha_by_order
from neodp.core.rainbow.flow import Line
from neodp.core.rainbow.orders import Order, distances, morphism
from neodp.core.rainbow.prefix import prefix_sums
from neodp.core.rainbow.table import Table
from neodp.core.rainbow.units import lengths
from neodp.core.traversal import Path
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import NotPrivate

__all__ = ["Method", "extend"]

Method: TypeAlias = Literal["line", "prefix", "optimal"]
"""The line; prefix sums, if they turn out to be private; or a linear program, whose solution is the best on average."""

MOST_FOR_PREFIX = 100_000
"""The greatest number of datasets in a graph on which prefix sums are tried by default."""


def extend(graph: DatasetGraph, method: Method | None = None) -> Mechanism:
    """Return the best mechanism for every dataset's order that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        The graph, with alpha on its boundary, the same for all boundary datasets of one order; a boundary dataset
        without alpha takes that of its order. Every dataset orders the colours.
    method : "line", "prefix" or "optimal", optional
        The method if epsilon differs between edges: by default the largest prefix sums if these are private together,
        and otherwise the line. "prefix" is refused if they are not; "line" takes the line in any case. With one epsilon
        the table is both private and largest; "line" can be requested for comparison. "optimal" is the mechanism with
        the greatest accuracy, averaged over all datasets (:mod:`neodp.core.optimal`): among those that agree with
        alpha, or among all private ones if the graph has no alpha.

    Raises
    ------
    GraphError
        If a dataset does not order the colours, or alpha is given away from the boundary.
    UnhitBoundary
        If an order has no alpha on its boundary.
    IncompatibleAlpha
        If alpha differs within an order, or between orders by more than privacy allows.
    NotPrivate
        If "prefix" is requested and breaks privacy.
    """
    if method == "optimal" and not graph.given.any():
        return _unbound(graph)
    alpha, rounded, filled = alpha_by_order(graph)
    alike = graph.edges == 0 or graph.epsilon.min() == graph.epsilon.max()
    if method not in ("line", "optimal") and alike:
        table = Table(alpha, *((graph.epsilon[0], graph.delta.min()) if graph.edges else (0.0,)))
        rows, found = table.rows(graph.orders, *morphism(graph)), "table"
    else:
        rows, found = _mixed(graph, alpha, method)
    return Mechanism(graph, rows, EpsilonDelta.of(graph), rounded, filled, found, _FromBoundary(graph))


def _mixed(graph: DatasetGraph, alpha: dict[Order, list[float]], method: Method | None) -> tuple[Floats, Method]:
    """Return the rows if epsilon differs between edges, and the method that found them."""
    found: list[tuple[Floats, Method]] = []
    if method != "line" and (method == "prefix" or len(graph) <= MOST_FOR_PREFIX):
        try:
            found.append((prefix_sums(graph, alpha), "prefix"))
        except NotPrivate:
            if method == "prefix":
                raise
    if method == "optimal":
        best = _agreeing(graph, alpha)
        found += [] if best is None else [(best, "optimal")]
    if method == "optimal" or not found:
        found.append((Line(alpha).rows(graph.orders, graph.order, distances(graph)), "line"))
    return max(found, key=lambda rows: _accuracy(graph, rows[0]))


def _unbound(graph: DatasetGraph) -> Mechanism:
    """Return the mechanism with the greatest average accuracy among all that are private."""
    k = len(graph.colors)
    best = best_rows(graph, np.full(len(graph), 1.0 / len(graph)), np.full((len(graph), k), 1.0 / k))
    if best is None:
        raise NotPrivate(
            f"the epsilons of {graph.name!r} are too small or too different for the solver",
            "choose alpha, and extend it",
        )
    return Mechanism(graph, best.rows, EpsilonDelta.of(graph), method="optimal")


def _agreeing(graph: DatasetGraph, alpha: dict[Order, list[float]]) -> Floats | None:
    """Return the rows with the greatest average accuracy among those that agree with alpha; None if none is found.

    The datasets of an order meet other orders only at its boundary, where all have the same alpha. So that alpha is a
    mechanism for all of them, which has slack on every edge.
    """
    k = len(graph.colors)
    by_order = [alpha.get(tuple(order), [1.0 / k] * k) for order in graph.orders.tolist()]
    fixed = np.zeros(len(graph), np.bool_)
    fixed[boundary.boundary_vertices(graph)] = True
    found = best_rows(graph, np.full(len(graph), 1.0 / len(graph)), np.array(by_order)[graph.order], fixed)
    return None if found is None else found.rows


def _accuracy(graph: DatasetGraph, rows: Floats) -> float:
    return float(rows[np.arange(len(graph)), graph.color].mean())


@dataclass(frozen=True)
class _FromBoundary:
    """The paths, shortest in epsilon, from the boundary of a dataset's order to the dataset; empty if there is none."""

    graph: DatasetGraph

    def __call__(self, v: int) -> Path:
        graph, (distance, length, ends) = self.graph, self._measured
        indptr, neighbor, edge = graph.adjacency

        def before(w: int) -> Iterator[tuple[int, int]]:
            row = slice(indptr[w], indptr[w + 1])
            u, e = neighbor[row], edge[row]
            tight = (graph.order[u] == graph.order[w]) & (distance[u] + length[e] == distance[w])
            yield from zip(u[tight].tolist(), e[tight].tolist(), strict=True)

        return traversal.trace(v, ends.__contains__, before) if distance[v] >= 0 else ([], [])

    @cached_property
    def _measured(self) -> tuple[NDArray[np.int64], NDArray[np.int64], set[int]]:
        """The distances of the datasets from the boundary, the lengths of the edges, and the boundary."""
        ends = boundary.boundary_vertices(self.graph)
        return distances(self.graph), lengths(self.graph.epsilon, len(self.graph.colors)), set(ends.tolist())
