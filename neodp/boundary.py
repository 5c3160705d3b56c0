"""The boundary between colours, sets that hit it, and how to choose alpha on it.

A *boundary edge* joins datasets of different colours; its ends are *boundary datasets*. A *boundary-hitting
set* holds at least one end of every boundary edge (paper 002, Definition 7). The optimal mechanism is unique
once its behaviour on such a set is fixed (Theorem 1), and not with less (Example 2).

With more than two colours, a boundary edge joins datasets that order the colours differently (paper 003, Definition 5),
and alpha is a distribution for each order, given on the whole boundary (:mod:`neodp.rainbow`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.errors import GraphError, PrivacyError
from neodp.graph import Bools, DatasetGraph, Floats
from neodp.privacy import EpsilonDelta

__all__ = [
    "Witness",
    "alpha_of",
    "balanced",
    "boundary_edges",
    "boundary_vertices",
    "distance",
    "homogeneous",
    "is_hitting_set",
    "minimum_hitting_set",
    "unhit_edge",
]

ROUNDING = 1e-12
"""An alpha that exceeds its bound by no more than this part of itself is taken for a rounding error."""


@dataclass(frozen=True)
class Witness:
    """Two datasets whose alpha cannot both be kept: `origin` allows at most `bound` at `dataset`."""

    dataset: str
    color: str
    value: float
    bound: float
    origin: str
    origin_value: float
    path: tuple[str, ...]
    epsilon: float
    delta: float

    def __str__(self) -> str:
        loss = f"epsilon {self.epsilon:.6g}" + (f" and delta {self.delta:.6g}" if self.delta else "")
        return (
            f"alpha at {self.dataset!r} makes Pr[{self.color}] {self.value:.6g}, at most {self.bound:.6g} is possible: "
            f"{self.origin!r} has {self.origin_value:.6g} and is {loss} away, along {shown(self.path)}"
        )


def shown(path: tuple[str, ...]) -> str:
    """A path of keys, shortened in its middle."""
    keys = [repr(key) for key in path]
    return " – ".join(keys if len(keys) <= 7 else [*keys[:3], f"({len(keys) - 6} more)", *keys[-3:]])


def boundary_edges(graph: DatasetGraph) -> NDArray[np.int64]:
    """The positions of the edges whose ends differ in colour, or in how they order the colours."""
    return np.flatnonzero(graph.crossing)


def boundary_vertices(graph: DatasetGraph) -> NDArray[np.int64]:
    """The positions of the ends of boundary edges, ascending."""
    mask = np.zeros(len(graph), np.bool_)
    mask[graph.source[graph.crossing]] = True
    mask[graph.target[graph.crossing]] = True
    return np.flatnonzero(mask)


def distance(graph: DatasetGraph) -> NDArray[np.int32]:
    """Per dataset, how many edges it is away from the boundary; -1 where no boundary can be reached.

    Examples
    --------
    >>> import neodp
    >>> distance(neodp.generate.path(6)).tolist()
    [2, 1, 0, 0, 1, 2]
    """
    from neodp import kernel

    hops: NDArray[np.int32] = kernel.hops(*graph.adjacency[:2], boundary_vertices(graph))
    return hops


def unhit_edge(graph: DatasetGraph, members: NDArray[Any]) -> int | None:
    """The position of a boundary edge with neither end in `members`, or None: a witness.

    Parameters
    ----------
    graph : DatasetGraph
    members : array
        A mask over the datasets, or their positions.
    """
    mask = _mask(graph, members)
    unhit = np.flatnonzero(graph.crossing & ~mask[graph.source] & ~mask[graph.target])
    return int(unhit[0]) if len(unhit) else None


def is_hitting_set(graph: DatasetGraph, members: NDArray[Any]) -> bool:
    """Whether `members` holds an end of every boundary edge.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4)
    >>> is_hitting_set(g, np.array([1])), is_hitting_set(g, np.array([0, 3]))
    (True, False)
    """
    return unhit_edge(graph, members) is None


def minimum_hitting_set(graph: DatasetGraph) -> NDArray[np.int64]:
    """A smallest boundary-hitting set, as positions.

    Between two colours the boundary is a bipartite graph, where the least number of vertices that cover all
    edges equals the greatest number of disjoint edges (König). With a maximum matching, and Z the vertices
    that alternating paths reach from the unmatched ones of the first colour, the cover is the first colour's
    vertices outside Z and the second colour's inside.

    Raises
    ------
    GraphError
        If there are more than two colours: then the boundary is not bipartite.

    Examples
    --------
    >>> import neodp
    >>> minimum_hitting_set(neodp.generate.path(4))
    array([1])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching

    two_colors(graph)
    n = len(graph)
    edges = boundary_edges(graph)
    swap = graph.color[graph.source[edges]] == 1
    first = np.where(swap, graph.target[edges], graph.source[edges])
    second = np.where(swap, graph.source[edges], graph.target[edges])
    mate = maximum_bipartite_matching(csr_array((np.ones(len(edges)), (first, second)), shape=(n, n)), "column")
    matched = np.flatnonzero(mate >= 0)
    unmatched = np.setdiff1d(first, matched)
    # alternating paths: any edge from the first colour to the second, a matching edge back; a root n starts them
    rows = np.concatenate([first, mate[matched], np.full(len(unmatched), n)])
    columns = np.concatenate([second, matched, unmatched])
    steps = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1))
    reached = np.zeros(n + 1, np.bool_)
    reached[breadth_first_order(steps, n, return_predecessors=False)] = True
    ends = boundary_vertices(graph)
    cover: NDArray[np.int64] = ends[(graph.color[ends] == 0) != reached[ends]]
    return cover


def balanced(graph: DatasetGraph) -> Floats:
    """The alpha that shares every boundary edge evenly between its two ends, or between all ranks.

    With one (epsilon, delta), every boundary dataset tells the truth with chance
    (e^eps + delta) / (e^eps + 1) (paper 002, Corollary 2). Where edges differ: that value of each boundary
    edge bounds both of its ends, a dataset also by what its neighbours of the same colour then allow, and
    alpha is the greatest that respects both. It is compatible, since for an edge's own value b, U(1 - b) = b.
    With more than two colours it is :func:`neodp.rainbow.balanced`, which with one (epsilon, delta) is the same formula
    for two.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``; given on the whole boundary, rounded towards 1/2 so that the exact
        audit holds.

    Examples
    --------
    >>> import math, neodp
    >>> g = neodp.generate.path(4, epsilon=math.log(3))
    >>> balanced(g)[1:3].round(12)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    if len(graph.colors) > 2:
        from neodp import rainbow

        return rainbow.balanced(graph)
    rule = EpsilonDelta.of(graph)
    edges = boundary_edges(graph)
    label = np.full(len(graph), rule.encode(np.ones(1), np.zeros(1))[0])
    even = rule.balance(edges)
    np.minimum.at(label, graph.source[edges], even)
    np.minimum.at(label, graph.target[edges], even)
    rule.settle(graph.adjacency_of(~graph.crossing), label, boundary_vertices(graph))
    return alpha_of(graph, label)


def homogeneous(graph: DatasetGraph, first: float | Sequence[float], second: float | None = None) -> Floats:
    """The alpha that is the same for all boundary datasets of a colour, or of an order.

    Parameters
    ----------
    graph : DatasetGraph
    first : float
        Pr[first colour] at the boundary datasets of the first colour. With more than two colours: the chance of the
        best output, the others sharing the rest as :func:`neodp.rainbow.balanced` does; or the chances of all ranks,
        best first.
    second : float, optional
        Pr[second colour] at those of the second; by default the greatest that is compatible:
        min U(1 - `first`) over the boundary edges.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``.

    Examples
    --------
    >>> import math, neodp
    >>> g = neodp.generate.path(4, epsilon=math.log(2))
    >>> homogeneous(g, 0.7)[2].round(12)
    array([0.4, 0.6])
    """
    if len(graph.colors) > 2 or not isinstance(first, int | float):
        from neodp import rainbow

        if second is not None:
            raise PrivacyError("two chances are given", "with more than two colours, give one or all as a sequence")
        return rainbow.homogeneous(graph, first)
    for value in (first, second):
        if value is not None and not 0.0 <= value <= 1.0:
            raise PrivacyError(f"alpha is {value!r}", "give a probability from 0 to 1")
    rule = EpsilonDelta.of(graph)
    edges = boundary_edges(graph)
    one = rule.encode(np.array([first]), 1.0 - np.array([first]))
    if second is not None:
        other = rule.encode(np.array([second]), 1.0 - np.array([second]))
    else:
        other = rule.relax(np.full(len(edges), -one[0]), edges).min(initial=rule.encode(np.ones(1), np.zeros(1))[0])
    return alpha_of(graph, np.where(graph.color == 0, one, other))


def alpha_of(graph: DatasetGraph, label: NDArray[np.int64]) -> Floats:
    """Labels of the own colour as alpha, on the boundary."""
    ends = boundary_vertices(graph)
    true, false = EpsilonDelta.of(graph).decode(label[ends])
    alpha = np.full((len(graph), 2), np.nan)
    alpha[ends, graph.color[ends]] = true
    alpha[ends, 1 - graph.color[ends]] = false
    return alpha


def two_colors(graph: DatasetGraph) -> None:
    """Refuse a graph with more than two colours."""
    if len(graph.colors) != 2:
        raise GraphError(f"{graph.name!r} has {len(graph.colors)} colours", "this is defined for two")


def _mask(graph: DatasetGraph, members: NDArray[Any]) -> Bools:
    members = np.asarray(members)
    if members.dtype == np.bool_:
        return members
    mask = np.zeros(len(graph), np.bool_)
    mask[members] = True
    return mask
