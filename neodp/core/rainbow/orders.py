"""Orders: the rankings of the colours by the datasets of a graph, and distances from the boundary of an order.

An *order* is a permutation of the k colours, best first. The datasets of one order form regions of the graph, and a
*boundary edge* joins two of different orders (paper 003, Definition 5). A path that leaves an order passes its boundary
first, so that distances within an order are distances in the graph.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core import boundary
from neodp.core.rainbow.units import lengths
from neodp.data.graph import Adjacency, DatasetGraph
from neodp.data.kinds import checked, position
from neodp.errors import GraphError

__all__ = ["Order", "distances", "morphism", "nearest", "order_name", "require_orders"]

Order: TypeAlias = tuple[int, ...]
"""The positions of all colours, best first."""


@checked
def order_name(graph: DatasetGraph, order: int) -> str:
    """Return an order in words, as in ``a > b > c``."""
    place = position("order", order, len(graph.orders))
    return " > ".join(graph.colors[color] for color in graph.orders[place] if color >= 0)


@checked
def require_orders(graph: DatasetGraph) -> None:
    """Refuse datasets that leave open which colour comes after their own."""
    tied = np.flatnonzero((graph.orders < 0).any(axis=1))
    if not len(tied):
        return
    v = int(np.argmax(np.isin(graph.order, tied)))
    rest = [color for c, color in enumerate(graph.colors) if c != graph.color[v]]
    raise GraphError(
        f"dataset {graph.key(v)!r} of {graph.name!r} has no preference: which of {', '.join(rest)} comes after "
        f"{graph.colors[graph.color[v]]} is open",
        "give every dataset a preference, all colours from best to worst",
    )


@checked
def morphism(graph: DatasetGraph) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return, per dataset, its order (a position in ``graph.orders``) and its distance from the order's boundary.

    It maps the graph onto lines, one for each order; the distance is -1 if no boundary can be reached. A path that
    leaves an order passes its boundary first, so distances within the order are distances in the graph.

    References
    ----------
    Paper 003, Definition 8.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(6)
    >>> morphism(g)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), array([2, 1, 0, 0, 1, 2], dtype=int32))
    """
    inside = graph.adjacency_of(~graph.crossing, numbered=False)
    return graph.order, compiled.kernel.hops(*inside[:2], boundary.boundary_vertices(graph))


@checked
def distances(graph: DatasetGraph) -> NDArray[np.int64]:
    """Return, per dataset, its epsilon-distance from the boundary of its order in ``lengths``; -1 if there is none."""
    inside = graph.adjacency_of(~graph.crossing)
    return nearest(graph, inside, lengths(graph.epsilon, len(graph.colors)), boundary.boundary_vertices(graph))


def nearest(
    graph: DatasetGraph, adjacency: Adjacency, length: NDArray[np.int64], start: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, per dataset, the least sum of lengths of edges on a path from any of some datasets; -1 if there is none.

    `length` has an entry for every edge of the graph, of which the paths use those in `adjacency`.
    """
    kernel = compiled.kernel
    label = np.full(len(graph), kernel.LONGEST + 1, np.int64)
    label[start] = 0
    steps = kernel.spread(length.astype(np.float64), adjacency.edge)
    shift = max(int(length.min(initial=kernel.LONGEST)).bit_length() - 1, 0)
    kernel.settle(*adjacency[:2], kernel.NO_LEVELS, steps, np.zeros(1), kernel.ADD, shift, label, start)
    return np.where(label > kernel.LONGEST, -1, label)
