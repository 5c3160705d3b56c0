"""Searches over plain arrays of edges: components, what can be reached, and a path traced back.

Vertices are whole numbers from 0. None of these searches knows what a dataset or a colour is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Bools

__all__ = ["Path", "components", "reached", "trace"]

Path: TypeAlias = tuple[list[int], list[int]]
"""Vertices one after another, and the edges between them."""


def components(n: int, source: NDArray[Any], target: NDArray[Any]) -> tuple[int, NDArray[np.int32]]:
    """How many components undirected edges join n vertices into, and per vertex the number of its component.

    Examples
    --------
    >>> components(4, np.array([0, 2]), np.array([1, 1]))
    (2, array([0, 0, 0, 1], dtype=int32))
    """
    from neodp.compiled import kernel

    found: tuple[int, NDArray[np.int32]] = kernel.components(n, source, target)
    return found


def reached(n: int, start: NDArray[Any], source: NDArray[Any], target: NDArray[Any]) -> Bools:
    """Which of n vertices paths over the directed edges from source to target reach, from any vertex of `start`.

    One breadth-first search does it, from a root that has an edge to every vertex of `start`.

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
    """The path to v, with the fewest edges, from a vertex at which it may begin; two empty lists where there is none.

    Parameters
    ----------
    v : int
        Where the path ends.
    is_end : callable
        Whether the search, which goes backwards from v, may end at a vertex.
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
