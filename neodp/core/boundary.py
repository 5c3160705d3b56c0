"""The boundary between colours, sets that hit it, and choices of alpha on it.

A *boundary edge* joins datasets of different colours; its ends are *boundary datasets*. A *boundary-hitting
set* holds at least one end of every boundary edge (paper 002, Definition 7). The optimal mechanism is unique
once its behaviour on such a set is fixed (Theorem 1), and not with less (Example 2).

With more than two colours, a boundary edge joins datasets that order the colours differently (paper 003, Definition 5),
and alpha is a distribution for each order, given on the whole boundary (:mod:`neodp.core.rainbow`).

References
----------
S. Torkamani, J. B. Ebrahimi, P. Sadeghi, R. G. L. D'Oliveira, M. Médard: "Optimal Binary Differential Privacy via
Graphs", 2023, arXiv:2310.20486 ("paper 002").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.core import search
from neodp.data.graph import WORTH_COMPILING, DatasetGraph
from neodp.data.validation import Bools, Floats

__all__ = [
    "balanced",
    "boundary_edges",
    "boundary_vertices",
    "distance",
    "homogeneous",
    "is_hitting_set",
    "minimum_hitting_set",
    "unhit_edge",
]


def boundary_edges(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return the positions of the edges whose ends differ in colour, or in how they order the colours."""
    return graph.boundary


def boundary_vertices(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return the positions of the ends of boundary edges, ascending."""
    mask = np.zeros(len(graph), np.bool_)
    edges = boundary_edges(graph)
    mask[graph.source[edges]] = True
    mask[graph.target[edges]] = True
    return np.flatnonzero(mask)


def distance(graph: DatasetGraph) -> NDArray[np.int32]:
    """Return, per dataset, its distance in edges from the boundary; -1 if no boundary can be reached.

    Examples
    --------
    >>> import neodp
    >>> distance(neodp.generate.path(6)).tolist()
    [2, 1, 0, 0, 1, 2]
    """
    from neodp.compiled import kernel

    hops: NDArray[np.int32] = kernel.hops(*graph.adjacency[:2], boundary_vertices(graph))
    return hops


def unhit_edge(graph: DatasetGraph, members: NDArray[Any]) -> int | None:
    """Return the position of a boundary edge with neither end in `members`, or None: a witness.

    Parameters
    ----------
    graph : DatasetGraph
    members : array
        A mask over the datasets, or their positions.
    """
    mask = _mask(graph, members)
    edges = boundary_edges(graph)
    if len(edges) < WORTH_COMPILING:
        unhit = edges[~(mask[graph.source[edges]] | mask[graph.target[edges]])]
        return int(unhit[0]) if len(unhit) else None
    from neodp.compiled import kernel

    first = int(kernel.unhit(graph.source, graph.target, edges, mask))
    return first if first >= 0 else None


def is_hitting_set(graph: DatasetGraph, members: NDArray[Any]) -> bool:
    """Return True if `members` holds an end of every boundary edge.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4)
    >>> is_hitting_set(g, np.array([1])), is_hitting_set(g, np.array([0, 3]))
    (True, False)
    """
    return unhit_edge(graph, members) is None


def minimum_hitting_set(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return a smallest boundary-hitting set, as positions.

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
    from scipy.sparse.csgraph import maximum_bipartite_matching

    from neodp.core.family import require_binary

    require_binary(graph)
    n = len(graph)
    edges = boundary_edges(graph)
    swap = graph.color[graph.source[edges]] == 1
    first = np.where(swap, graph.target[edges], graph.source[edges])
    second = np.where(swap, graph.source[edges], graph.target[edges])
    mate = maximum_bipartite_matching(csr_array((np.ones(len(edges)), (first, second)), shape=(n, n)), "column")
    matched = np.flatnonzero(mate >= 0)
    unmatched = np.setdiff1d(first, matched)
    # alternating paths: any edge from the first colour to the second, a matching edge back
    source, target = np.concatenate([first, mate[matched]]), np.concatenate([second, matched])
    reached = search.reached(n, unmatched, source, target)
    ends = boundary_vertices(graph)
    cover: NDArray[np.int64] = ends[(graph.color[ends] == 0) != reached[ends]]
    return cover


def balanced(graph: DatasetGraph) -> Floats:
    """Return the alpha that shares every boundary edge evenly between its two ends, or between all ranks.

    With one (epsilon, delta), every boundary dataset tells the truth with chance
    (e^eps + delta) / (e^eps + 1) (paper 002, Corollary 2). If the edges differ, the value of each boundary edge
    bounds both of its ends, a dataset is also bounded by what its neighbours of the same colour then allow, and
    alpha is the greatest that respects both bounds. It is compatible, since for an edge's own value b, U(1 - b) = b.
    With more than two colours it is :func:`neodp.core.rainbow.balanced`, which with one (epsilon, delta) is the same
    formula for two.

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
    from neodp.core.family import family

    return family(graph).balanced(graph)


def homogeneous(graph: DatasetGraph, first: float | Sequence[float], second: float | None = None) -> Floats:
    """Return the alpha that is the same for all boundary datasets of a colour, or of an order.

    Parameters
    ----------
    graph : DatasetGraph
    first : float
        Pr[first colour] at the boundary datasets of the first colour. With more than two colours: the chance of the
        best output, with the rest shared by the others as in :func:`neodp.core.rainbow.balanced`; or the chances of all
        ranks, best first.
    second : float, optional
        Pr[second colour] at the boundary datasets of the second colour; by default the greatest that is compatible:
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
    from neodp.core.family import family

    return family(graph).homogeneous(graph, first, second)


def _mask(graph: DatasetGraph, members: NDArray[Any]) -> Bools:
    members = np.asarray(members)
    if members.dtype == np.bool_:
        return members
    mask = np.zeros(len(graph), np.bool_)
    mask[members] = True
    return mask
