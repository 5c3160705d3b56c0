"""Searches over plain arrays of edges: components, reachable vertices, and a path traced back.

Vertices are whole numbers from 0. These searches do not depend on datasets or colours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.data.validation import Bools

__all__ = ["Path", "components", "reached", "trace"]

Path: TypeAlias = tuple[list[int], list[int]]
"""Vertices one after another, and the edges between them."""


def components(n: int, source: NDArray[Any], target: NDArray[Any]) -> tuple[int, NDArray[np.int32]]:
    """Return the number of components that undirected edges join n vertices into, and each vertex's component number.

    Examples
    --------
    >>> components(4, np.array([0, 2]), np.array([1, 1]))
    (2, array([0, 0, 0, 1], dtype=int32))
    """
    found: tuple[int, NDArray[np.int32]] = compiled.kernel.components(n, source, target)
    return found


def reached(n: int, start: NDArray[Any], source: NDArray[Any], target: NDArray[Any]) -> Bools:
    """Return a mask of the n vertices that directed paths reach from any vertex of `start`.

    The edges are directed from source to target. One breadth-first search finds the vertices, from a root that has an
    edge to every vertex of `start`.

    Examples
    --------
    >>> reached(4, np.array([1]), np.array([0, 1]), np.array([1, 2]))
    array([False,  True,  True, False])
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    rows, columns = np.concatenate([np.full(len(start), n), source]), np.concatenate([start, target])
    steps = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1))
    found = np.zeros(n + 1, np.bool_)
    found[breadth_first_order(steps, n, return_predecessors=False)] = True
    return found[:n]


def trace(v: int, is_end: Callable[[int], bool], before: Callable[[int], Iterable[tuple[int, int]]]) -> Path:
    """Return the path to v, with the fewest edges, from a vertex where it may begin; two empty lists if there is none.

    Parameters
    ----------
    v : int
        The end of the path.
    is_end : callable
        Returns True if the search, which goes backwards from v, may end at a vertex.
    before : callable
        From a vertex to those that may come just before it on the path, each with the edge between.

    Examples
    --------
    >>> trace(3, lambda w: w == 0, lambda w: [(w - 1, 10 * w)])
    ([0, 1, 2, 3], [10, 20, 30])
    """
    onward: dict[int, tuple[int, int]] = {}
    queue = deque([v])
    while queue:
        w = queue.popleft()
        if is_end(w):
            path, edges = [w], []
            while path[-1] != v:
                after, edge = onward[path[-1]]
                path.append(after)
                edges.append(edge)
            return path, edges
        for u, edge in before(w):
            if u != v and u not in onward:
                onward[u] = (w, edge)
                queue.append(u)
    return [], []
