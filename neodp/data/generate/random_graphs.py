"""Random graphs: points in a square, and random pairs of datasets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.data.generate.arguments import LARGEST, generator, number_up_to, one_or_drawn, require_size, whole_number
from neodp.data.generate.products import build, texts
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats, Ints

__all__ = ["random_geometric", "random_graph"]


def random_geometric(
    n: int,
    *,
    degree: float = 6.0,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    seed: int | None = None,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "random_geometric",
) -> DatasetGraph:
    """Build a graph of uniform points in the unit square, joined if they are close.

    Neighbours are at most r apart, where (n - 1) π r² = degree, which is the expected degree of a point away
    from the rim; points near the rim have fewer neighbours. A dataset has the first colour iff its point lies in
    the left half, x < 1/2. The graph need not be connected.

    Parameters
    ----------
    n : int
        The number of points.
    degree : float
        The expected number of neighbours.
    epsilon, delta : float, or a pair (low, high)
        The privacy parameters of the edges; for a pair, each edge gets its own value, drawn uniformly between the two.
    seed : int, optional
        The seed of the generator; equal seeds give equal graphs.
    colors : two strings
        The answers "the point lies in the left half" and "the point lies in the right half".
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        n datasets with the keys ``0``, ``1``, …, and about n · degree / 2 edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> g = random_geometric(1000, epsilon=(0.1, 2.0), seed=1)
    >>> len(g), 2500 < g.edges < 3100
    (1000, True)
    """
    n = whole_number(n, "n", 1)
    degree = number_up_to(degree, "degree", LARGEST)
    require_size(n, math.ceil(n * min(degree, n - 1) / 2), len(str(n - 1)))
    rng = generator(seed)
    points = rng.random((n, 2))
    radius = math.sqrt(degree / (math.pi * max(n - 1, 1)))
    source, target = _pairs_within(points, radius)
    epsilon, delta = one_or_drawn(epsilon, delta, len(source), rng)
    return build(texts(np.arange(n)), points[:, 0] < 0.5, source, target, epsilon, delta, colors, name)


def random_graph(
    n: int,
    *,
    edges: int,
    epsilon: ArrayLike = (0.1, 1.0),
    delta: ArrayLike = 0.0,
    seed: int | None = None,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "random_graph",
) -> DatasetGraph:
    """Build a connected random graph with random colours.

    Dataset i > 0 is joined to a random earlier one, which makes a tree; the other edges are drawn uniformly
    from the remaining pairs. Each dataset has either colour with probability 1/2.

    Parameters
    ----------
    n : int
        The number of datasets.
    edges : int
        The number of edges, from n - 1 to n (n - 1) / 2.
    epsilon, delta : float, or a pair (low, high)
        The privacy parameters of the edges; for a pair, each edge gets its own value, drawn uniformly between the two.
    seed : int, optional
        The seed of the generator; equal seeds give equal graphs.
    colors : two strings
        The answers.
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        n datasets with the keys ``0``, ``1``, …

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> random_graph(10, edges=20, delta=(0.0, 0.1), seed=1)
    <DatasetGraph 'random_graph': 10 datasets, 20 edges, colours yes, no>
    """
    n = whole_number(n, "n", 1)
    edges = whole_number(edges, "edges", n - 1, n * (n - 1) // 2)
    require_size(n, edges, len(str(n - 1)))
    rng = generator(seed)
    parent = rng.integers(0, np.arange(1, n))
    earlier, later = _pairs_off_tree(parent, edges - (n - 1), rng)
    source = np.concatenate([parent, earlier]).astype(np.int32)
    target = np.concatenate([np.arange(1, n), later]).astype(np.int32)
    epsilon, delta = one_or_drawn(epsilon, delta, edges, rng)
    return build(texts(np.arange(n)), rng.random(n) < 0.5, source, target, epsilon, delta, colors, name)


def _pairs_within(points: Floats, radius: float) -> tuple[Ints, Ints]:
    """Return the pairs of points at most `radius` apart."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points, compact_nodes=False, balanced_tree=False)  # uniform points need neither
    pairs = tree.query_pairs(radius, output_type="ndarray")
    return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)


def _pairs_off_tree(
    parent: NDArray[np.int64], size: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw `size` different pairs that are not edges of the tree, in which ``parent[i]`` is the parent of i + 1.

    Vertex i + 1 has i earlier vertices besides its parent, so these pairs can be numbered vertex by
    vertex, and different numbers are different pairs.
    """
    others = np.arange(len(parent))
    end = np.cumsum(others)
    pairs = len(parent) * (len(parent) - 1) // 2
    drawn = np.sort(rng.choice(pairs, size, replace=False, shuffle=False))
    vertex = np.searchsorted(end, drawn, side="right")
    earlier = drawn - (end - others)[vertex]
    return earlier + (earlier >= parent[vertex]), vertex + 1
