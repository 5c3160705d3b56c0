"""The boundary between colours, sets that hit it, and distances from it.

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

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core import traversal
from neodp.data.family import require_binary
from neodp.data.graph import WORTH_COMPILING, DatasetGraph
from neodp.data.kinds import checked, wrong_kind
from neodp.data.validation import Bools
from neodp.errors import GraphError

__all__ = [
    "boundary_edges",
    "boundary_vertices",
    "distance",
    "is_hitting_set",
    "minimum_hitting_set",
    "unhit_edge",
]


@checked
def boundary_edges(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return the positions of the edges whose ends differ in colour, or in how they order the colours."""
    return graph.boundary


@checked
def boundary_vertices(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return the positions of the ends of boundary edges, ascending."""
    mask = np.zeros(len(graph), np.bool_)
    edges = boundary_edges(graph)
    mask[graph.source[edges]] = True
    mask[graph.target[edges]] = True
    return np.flatnonzero(mask)


@checked
def distance(graph: DatasetGraph) -> NDArray[np.int32]:
    """Return, per dataset, its distance in edges from the boundary; -1 if no boundary can be reached.

    Examples
    --------
    >>> import neodp
    >>> distance(neodp.generate.path(6)).tolist()
    [2, 1, 0, 0, 1, 2]
    """
    hops: NDArray[np.int32] = compiled.kernel.hops(*graph.adjacency[:2], boundary_vertices(graph))
    return hops


@checked
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
    first = int(compiled.kernel.unhit(graph.source, graph.target, edges, mask))
    return first if first >= 0 else None


@checked
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


@checked
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
    reached = traversal.reached(n, unmatched, source, target)
    ends = boundary_vertices(graph)
    cover: NDArray[np.int64] = ends[(graph.color[ends] == 0) != reached[ends]]
    return cover


def _mask(graph: DatasetGraph, members: NDArray[Any]) -> Bools:
    members = np.asarray(members)
    if members.dtype == np.bool_ and members.shape == (len(graph),):
        return members
    if members.ndim != 1 or (members.dtype.kind not in "iu" and len(members)):
        raise wrong_kind("members", members, "positions of datasets, or one True or False for each")
    members = members.astype(np.int64)
    if ((members < 0) | (members >= len(graph))).any():
        raise GraphError(f"there is no dataset {members[(members < 0) | (members >= len(graph))][0]}", "give positions")
    mask = np.zeros(len(graph), np.bool_)
    mask[members] = True
    return mask
