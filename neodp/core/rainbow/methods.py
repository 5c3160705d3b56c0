"""The best mechanism for every dataset's order, on a whole graph.

With one epsilon on all edges it is the table (:mod:`neodp.core.rainbow.table`). If epsilon differs, it is the first of
these that is there:

1. the largest prefix sums (:mod:`neodp.core.rainbow.prefix`), if they turn out to be private: no private mechanism
   exceeds them. They take some ten seconds per hundred thousand datasets, so they are tried only on graphs of at most
   :data:`MOST_FOR_PREFIX` datasets;
2. the best on average among the mechanisms that agree with alpha, by a linear program (:mod:`neodp.core.optimal`), on
   graphs of at most :data:`MOST_FOR_OPTIMAL` chances, that is, datasets times colours;
3. the line (:mod:`neodp.core.rainbow.flow`), which is always private and close to the best. It also stands in for the
   program where the solver gives up.

The choice depends on the graph with its alpha alone, never on the dataset that is asked for. On request, the line,
prefix sums or the linear program are taken in any case, or the distances to the answers
(:mod:`neodp.core.rainbow.distance`), which need no alpha.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.core import boundary, traversal
from neodp.core.mechanism import Mechanism, Optimality
from neodp.core.optimal import Optimal, best_rows
from neodp.core.privacy import EpsilonDelta
from neodp.core.rainbow.alpha import alpha_by_order
from neodp.core.rainbow.distance import distance_rows
from neodp.core.rainbow.flow import Line
from neodp.core.rainbow.orders import Order, distances, morphism
from neodp.core.rainbow.prefix import prefix_sums
from neodp.core.rainbow.table import Table
from neodp.core.rainbow.units import lengths
from neodp.core.traversal import Path
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import GraphError, NeodpError, NotPrivate

__all__ = ["METHODS", "MOST_FOR_OPTIMAL", "DatasetPrior", "Method", "extend"]

Method: TypeAlias = Literal["line", "prefix", "optimal", "distance"]
"""The line; prefix sums, if they turn out to be private; a linear program, whose solution is the best on average; or
the distances to the answers."""
METHODS: tuple[Method, ...] = ("line", "prefix", "optimal", "distance")
"""The methods that can be requested."""

MOST_FOR_PREFIX = 100_000
"""The greatest number of datasets in a graph on which prefix sums are tried by default."""
MOST_FOR_OPTIMAL = 10_000
"""The greatest number of datasets times colours for which the linear program is solved by default."""


class DatasetPrior(NamedTuple):
    """The probability of each dataset, for which a mechanism is the best on average, and its name."""

    name: str
    weights: Floats

    @classmethod
    def of(cls, graph: DatasetGraph, weights: Floats | None = None) -> DatasetPrior:
        """Return the prior with given weights, which need not add up to 1; by default all datasets are equally likely.

        Raises
        ------
        GraphError
            If there is not one weight per dataset, if a weight is not a finite number of at least 0, or if all are 0.

        Examples
        --------
        >>> import neodp
        >>> DatasetPrior.of(neodp.generate.path(3), [1.0, 0.0, 3.0])
        DatasetPrior(name='given', weights=array([0.25, 0.  , 0.75]))
        """
        if weights is None:
            return cls("uniform", np.full(len(graph), 1.0 / len(graph)))
        found = np.asarray(weights, np.float64)
        if found.shape != (len(graph),):
            raise GraphError(f"there are {found.size} weights for {len(graph):,} datasets", "give one for each dataset")
        wrong = np.flatnonzero(~((found >= 0.0) & np.isfinite(found)))
        if len(wrong):
            place = graph.key(wrong[0])
            raise GraphError(f"the weight of {place!r} is {found[wrong[0]]}", "give finite numbers from 0 on")
        if not found.sum() > 0.0:
            raise GraphError("all weights are 0", "give one above 0")
        return cls("given", found / found.sum())


def extend(graph: DatasetGraph, method: Method | None = None, prior: DatasetPrior | None = None) -> Mechanism:
    """Return the best mechanism for every dataset's order that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        The graph, with alpha on its boundary, the same for all boundary datasets of one order; a boundary dataset
        without alpha takes that of its order. Every dataset orders the colours.
    method : "line", "prefix", "optimal" or "distance", optional
        The method if epsilon differs between edges: by default the first of prefix sums, "optimal" and the line that
        is there (see the module). "prefix" is refused if prefix sums are not private; "line" takes the line in any
        case. With one epsilon the table is both private and largest; "line" can be requested for comparison. "optimal"
        is the mechanism with the greatest expected accuracy: among those that agree with alpha, or among all private
        ones if the graph has no alpha. "distance" ignores alpha and the orders.
    prior : DatasetPrior, optional
        The prior of "optimal"; by default all datasets are equally likely.

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
    prior = prior or DatasetPrior.of(graph)
    if method == "distance":
        return Mechanism(graph, distance_rows(graph), EpsilonDelta.of(graph), method="distance")
    if method == "optimal" and not graph.given.any():
        return _unbound(graph, prior)
    alpha, rounded, filled = alpha_by_order(graph)
    alike = graph.edges == 0 or graph.epsilon.min() == graph.epsilon.max()
    if method not in ("line", "optimal") and alike:
        table = Table(alpha, *((graph.epsilon[0], graph.delta.min()) if graph.edges else (0.0,)))
        found = _Found(table.rows(graph.orders, *morphism(graph)), "table")
    else:
        found = _mixed(graph, alpha, method, prior)
    rule, more = EpsilonDelta.of(graph), {} if found.method == "optimal" else {"path": _FromBoundary(graph)}
    return Mechanism(graph, found.rows, rule, rounded, filled, found.method, optimality=found.optimality, **more)


class _Found(NamedTuple):
    """Rows, the method that found them, and how close they are to the best."""

    rows: Floats
    method: str
    optimality: Optimality | None = None


def _mixed(graph: DatasetGraph, alpha: dict[Order, list[float]], method: Method | None, prior: DatasetPrior) -> _Found:
    """Return the rows if epsilon differs between edges, and the method that found them."""
    found: list[_Found] = []
    if method != "line" and (method == "prefix" or len(graph) <= MOST_FOR_PREFIX):
        try:
            found.append(_Found(prefix_sums(graph, alpha), "prefix"))
        except NotPrivate:
            if method == "prefix":
                raise
    if found and method != "optimal":
        return found[0]
    line = _Found(Line(alpha).rows(graph.orders, graph.order, distances(graph)), "line")
    if method == "line" or (method is None and len(graph) * len(graph.colors) > MOST_FOR_OPTIMAL):
        return line
    best = _agreeing(graph, alpha, prior)
    if best is None:
        return max([*found, line], key=lambda each: _accuracy(graph, each.rows, prior))
    taken = max([*found, _Found(best.rows, "optimal"), line], key=lambda each: _accuracy(graph, each.rows, prior))
    expected = max(best.expected, _accuracy(graph, taken.rows, prior) - 1e-12)
    return taken._replace(optimality=Optimality(expected, max(best.bound, expected), prior.name))


def _unbound(graph: DatasetGraph, prior: DatasetPrior) -> Mechanism:
    """Return the mechanism with the greatest expected accuracy among all that are private."""
    k = len(graph.colors)
    best = best_rows(graph, prior.weights, np.full((len(graph), k), 1.0 / k))
    if best is None:
        raise NotPrivate(
            f"the epsilons of {graph.name!r} are too small or too different for the solver",
            "choose alpha, and extend it",
        )
    optimality = Optimality(best.expected, best.bound, prior.name)
    return Mechanism(graph, best.rows, EpsilonDelta.of(graph), method="optimal", optimality=optimality)


def _agreeing(graph: DatasetGraph, alpha: dict[Order, list[float]], prior: DatasetPrior) -> Optimal | None:
    """Return the rows with the greatest expected accuracy among those that agree with alpha; None if none is found.

    The datasets of an order meet other orders only at its boundary, where all have the same alpha. So that alpha is a
    mechanism for all of them, which has slack on every edge.
    """
    k = len(graph.colors)
    by_order = [alpha.get(tuple(order), [1.0 / k] * k) for order in graph.orders.tolist()]
    fixed = np.zeros(len(graph), np.bool_)
    fixed[boundary.boundary_vertices(graph)] = True
    try:
        return best_rows(graph, prior.weights, np.array(by_order)[graph.order], fixed)
    except NeodpError:  # the solver gave up
        return None


def _accuracy(graph: DatasetGraph, rows: Floats, prior: DatasetPrior) -> float:
    return float(prior.weights @ rows[np.arange(len(graph)), graph.color])


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
