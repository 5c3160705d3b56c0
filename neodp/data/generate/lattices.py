"""Lattices: a path, a grid, and counts of votes, of which the largest are built part by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from neodp.data.generate.arguments import (
    named_colors,
    one_or_each,
    option_names,
    people_needed,
    require_size,
    sum_needed,
    whole_number,
)
from neodp.data.generate.products import build, coordinate, product, shares, texts
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import require_kind
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.hints import Call, Hint

__all__ = ["LATTICES", "UnbuiltLattice", "counts", "counts_lattice", "grid", "grid_lattice", "path", "plurality"]


def path(
    n: int,
    *,
    split: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "path",
) -> DatasetGraph:
    """Build the path 0 – 1 – … – (n - 1).

    Dataset i has the first colour iff i < split.

    Parameters
    ----------
    n : int
        The number of datasets.
    split : int, optional
        The number of datasets with the first colour; by default half of them, rounded up.
    epsilon, delta : float, or one float per edge
        The privacy parameters of the edges; edge i joins i and i + 1.
    colors : two strings
        The answers.
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        n datasets with the keys ``0``, ``1``, …, and n - 1 edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> g = path(4, epsilon=[0.1, 0.2, 0.3])
    >>> g
    <DatasetGraph 'path': 4 datasets, 3 edges, colours yes, no>
    >>> g.keys.to_pylist(), g.color
    (['0', '1', '2', '3'], array([0, 0, 1, 1], dtype=int8))
    """
    n = whole_number(n, "n", 1)
    split = (n + 1) // 2 if split is None else whole_number(split, "split", 0, n)
    require_size(n, n - 1, len(str(n - 1)))
    epsilon, delta = one_or_each(epsilon, delta, n - 1, "edge")
    index = np.arange(n, dtype=np.int32)
    return build(texts(index), index < split, index[:-1], index[1:], epsilon, delta, colors, name)


def grid(
    *shape: int,
    threshold: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "grid",
) -> DatasetGraph:
    """Build the lattice {0, …, a - 1} × {0, …, b - 1} × …, of any dimension.

    Neighbours differ by one in one coordinate. A dataset (x, y, …) has the first colour iff
    x + y + … >= threshold.

    Parameters
    ----------
    *shape : int
        The number of values of each coordinate.
    threshold : int, optional
        The smallest sum with the first colour; by default just over half of the largest sum,
        (a - 1 + b - 1 + …) // 2 + 1.
    epsilon, delta : float, or one float per axis
        The privacy parameters of the edges along each axis.
    colors : two strings
        The answers.
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        a·b·… datasets with keys such as ``2-0-1``, and (a - 1)·b·… + a·(b - 1)·… + … edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> g = grid(2, 3, epsilon=[0.5, 1.0])
    >>> dict(zip(g.keys.to_pylist(), [g.colors[c] for c in g.color]))
    {'0-0': 'no', '0-1': 'no', '0-2': 'yes', '1-0': 'no', '1-1': 'yes', '1-2': 'yes'}
    >>> g.epsilon
    array([0.5, 0.5, 0.5, 1. , 1. , 1. , 1. ])
    """
    return _built(grid_lattice(*shape, threshold=threshold, epsilon=epsilon, delta=delta, colors=colors, name=name))


def counts(
    groups: Sequence[int],
    *,
    rule: str | int = "majority",
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "counts",
) -> DatasetGraph:
    """Build the graph of how many people of each group said yes, to decide if enough people did.

    A dataset is the number of people of each group who said yes; neighbours differ by one person of one group, and
    their edge has that group's epsilon.

    Parameters
    ----------
    groups : ints
        The number of people in each group.
    rule : str or int
        The condition for enough people, as in ``votes``: ``"majority"``, a share of all people such as
        ``"threshold:2/3"``, or a number of people.
    epsilon, delta : float, or one float per group
        The privacy parameters of the edges between datasets that differ in one person of each group.
    colors : two strings
        The answers "enough people said yes" and "not enough people said yes".
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        (a + 1)(b + 1)… datasets with keys such as ``3-1-2`` for groups of a, b, … people.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    See Also
    --------
    votes : one dataset for every way of voting.

    Notes
    -----
    This is the exact quotient of ``votes`` with two options. The symmetric group of each group of people acts
    on the votes: permuting people within their group changes neither colours nor epsilons nor deltas. So the
    optimal mechanism, being unique, depends only on how many of each group said yes (if alpha does). Every edge
    of ``votes`` is mapped to an edge of ``counts`` with the same epsilon and delta, and every edge of ``counts``
    is hit: a mechanism is private on counts iff it is private on votes. 300 people in three groups of 100 are
    101^3 datasets instead of 2^300.

    Examples
    --------
    >>> g = counts([2, 1], epsilon=[0.1, 1.0])
    >>> dict(zip(g.keys.to_pylist(), [g.colors[c] for c in g.color]))
    {'0-0': 'no', '0-1': 'no', '1-0': 'no', '1-1': 'yes', '2-0': 'yes', '2-1': 'yes'}
    """
    return _built(counts_lattice(groups, rule=rule, epsilon=epsilon, delta=delta, colors=colors, name=name))


def plurality(
    *groups: int,
    options: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] | None = None,
    name: str = "plurality",
) -> DatasetGraph:
    """Build the graph of how many votes each option has, to find the option with the most votes.

    Everybody votes for one option. A dataset is the number of votes of each group for each option; neighbours differ in
    the vote of one person, and their edge has the epsilon of that person's group. A dataset prefers the options by
    their votes, with ties in the order of `colors`.

    Parameters
    ----------
    *groups : int
        The number of people in each group.
    options : int, optional
        The number of options; by default as many as `colors`, or 3.
    epsilon, delta : float, or one float per group
        The privacy parameters of the edges between datasets that differ in one person of each group.
    colors : strings, optional
        The options, by default ``1``, ``2``, …
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        For a group of n people and k options C(n + k - 1, k - 1) datasets with keys such as ``3-1-2``, for more groups
        as many as their product, with keys such as ``3-1-2/0-4-1``.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    See Also
    --------
    votes : one dataset for every way of voting, of which this is the quotient, as ``counts`` is for two options.

    Examples
    --------
    >>> g = plurality(2, colors=["red", "blue", "green"])
    >>> dict(zip(g.keys.to_pylist(), g.preference_lists().to_pylist()))["0-1-1"]
    ['blue', 'green', 'red']
    >>> len(plurality(20, options=4))
    1771
    """
    sizes = [whole_number(size, f"groups[{i}]", 1) for i, size in enumerate(groups)]
    if not sizes:
        raise GraphError("there are no groups", Hint("give the number of people in each, as in ", Call("plurality")))
    k = (
        whole_number(options, "options", 2, 127)
        if options is not None
        else 3
        if colors is None
        else max(2, len(colors))
    )
    epsilon, delta = one_or_each(epsilon, delta, len(sizes), "group")
    number = [math.comb(size + k - 1, k - 1) for size in sizes]
    vertices = math.prod(number)
    edges = sum(
        vertices // n * math.comb(k, 2) * math.comb(size + k - 2, k - 1) for n, size in zip(number, sizes, strict=True)
    )
    require_size(vertices, edges, sum(k * len(f"{size}-") for size in sizes))
    return product([shares(size, k) for size in sizes], "/", None, epsilon, delta, option_names(colors, k), name)


class UnbuiltLattice(NamedTuple):
    """A graph of ``grid`` or ``counts`` that has not been built: all its parameters, checked.

    Attributes
    ----------
    shape : tuple of int
        The number of values of each coordinate.
    threshold : int
        The smallest sum with the first colour.
    epsilon, delta : arrays of float, one per axis
        The privacy parameters of the edges along each axis.
    colors : tuple of two strings
    name : str
    """

    shape: tuple[int, ...]
    threshold: int
    epsilon: Floats
    delta: Floats
    colors: tuple[str, ...]
    name: str

    @property
    def datasets(self) -> int:
        """The number of datasets of the graph."""
        return math.prod(self.shape)

    @property
    def edges(self) -> int:
        """The number of edges of the graph."""
        datasets = self.datasets
        return sum(datasets - datasets // length for length in self.shape)


def grid_lattice(
    *shape: int,
    threshold: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "grid",
) -> UnbuiltLattice:
    """Return the lattice that ``grid`` would build, with its arguments checked."""
    require_kind("name", name, str, "a text")
    lengths = tuple(whole_number(length, f"shape[{i}]", 1) for i, length in enumerate(shape))
    if not lengths:
        raise GraphError("the grid has no axes", Hint("give the length of each, as in ", Call("grid")))
    threshold = sum_needed(threshold, sum(lengths) - len(lengths))
    epsilon, delta = one_or_each(epsilon, delta, len(lengths), "axis")
    return UnbuiltLattice(lengths, threshold, epsilon, delta, named_colors(colors, 2), name)


def counts_lattice(
    groups: Sequence[int],
    *,
    rule: str | int = "majority",
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "counts",
) -> UnbuiltLattice:
    """Return the lattice that ``counts`` would build, with its arguments checked."""
    require_kind("name", name, str, "a text")
    try:
        sizes = [whole_number(size, f"groups[{i}]", 1) for i, size in enumerate(groups)]
    except TypeError:
        sizes = []
    if not sizes:
        raise GraphError(f"groups is {groups!r}", "give the number of people in each, as in [3, 2]")
    threshold = people_needed(rule, sum(sizes))
    epsilon, delta = one_or_each(epsilon, delta, len(sizes), "group")
    return UnbuiltLattice(tuple(size + 1 for size in sizes), threshold, epsilon, delta, named_colors(colors, 2), name)


LATTICES: dict[str, Callable[..., UnbuiltLattice]] = {"grid": grid_lattice, "counts": counts_lattice}
"""The families that can be built part by part, by name."""


def _built(lattice: UnbuiltLattice) -> DatasetGraph:
    """Build the graph of a lattice, all at once."""
    shape, threshold, epsilon, delta, colors, name = lattice
    require_size(lattice.datasets, lattice.edges, sum(len(f"-{length - 1}") for length in shape) - 1)
    return product([coordinate(length) for length in shape], "-", threshold, epsilon, delta, colors, name)
