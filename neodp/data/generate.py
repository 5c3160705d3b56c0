"""Families of dataset graphs.

Most families are products. A dataset is a word, one value per place; two datasets are neighbours iff they
differ in one place, by neighbouring values; and the question is whether the values add up to at least a
threshold::

    family              place         neighbouring values   what is added up
    grid, counts        coordinate    x and x + 1           the coordinates
    hypercube           bit           0 and 1               the ones
    hamming, votes      answer        any two               how often the first answer occurs
    plurality           group         one vote changed      the votes for each option

Datasets are in lexicographic order, the last place runs fastest; edges are in the order of their places.
Every graph has two colours, and the first one means that the answer is yes. The exception is the plurality rule, which
has a colour for every option: a dataset prefers the options by their votes, with ties in the order of ``colors``.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.data.graph import DatasetGraph
from neodp.data.tables import fraction
from neodp.data.validation import MAX_EPSILON, Bools, Floats, Ints
from neodp.errors import GraphError
from neodp.hints import Call, Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "FAMILIES",
    "counts",
    "grid",
    "hamming",
    "hypercube",
    "path",
    "plurality",
    "random_geometric",
    "random_graph",
    "three_voters",
    "votes",
]

LARGEST = 2**31 - 1
"""The greatest number of edges, and of characters of all keys together: as many as 32-bit positions can number."""
MOST_PLACES = 30
"""The length of the longest words: with one more place, even two letters make more than LARGEST words."""


# --- the families -------------------------------------------------------------------------------------------


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
    n = _whole(n, "n", 1)
    split = (n + 1) // 2 if split is None else _whole(split, "split", 0, n)
    _fits(n, n - 1, len(str(n - 1)))
    epsilon, delta = _allowed(epsilon, delta, n - 1, "edge")
    index = np.arange(n, dtype=np.int32)
    return _graph(_names(index), index < split, index[:-1], index[1:], epsilon, delta, colors, name)


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
    return _whole_lattice(
        grid_lattice(*shape, threshold=threshold, epsilon=epsilon, delta=delta, colors=colors, name=name)
    )


def hypercube(
    d: int,
    *,
    threshold: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "hypercube",
) -> DatasetGraph:
    """Build the hypercube {0, 1}^d.

    Neighbours differ in one bit. A dataset has the first colour iff at least `threshold` of its bits are 1.

    Parameters
    ----------
    d : int
        The number of bits.
    threshold : int, optional
        The fewest ones with the first colour; by default more than half, d // 2 + 1.
    epsilon, delta : float, or one float per axis
        The privacy parameters of the edges along each axis: the first axis is the leftmost bit.
    colors : two strings
        The answers.
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        2^d datasets with keys such as ``0110``, and d 2^(d - 1) edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> hypercube(3)
    <DatasetGraph 'hypercube': 8 datasets, 12 edges, colours yes, no>
    """
    d = _whole(d, "d", 1, MOST_PLACES)
    threshold = _threshold(threshold, d)
    epsilon, delta = _allowed(epsilon, delta, d, "axis")
    return _words(d, range(2), threshold, epsilon, delta, colors, name)


def hamming(
    n: int,
    q: int,
    *,
    threshold: int | None = None,
    rule: str | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] | None = None,
    name: str = "hamming",
) -> DatasetGraph:
    """Build the Hamming graph H(n, q): the words of n answers out of 1, …, q.

    Neighbours differ in one place, in any way. A dataset has the first colour iff the answer 1 occurs in at
    least `threshold` places; or, by plurality, it prefers the answers by how often they occur.

    Parameters
    ----------
    n : int
        The number of places.
    q : int
        The number of possible answers, at least 2.
    threshold : int, optional
        The fewest 1s with the first colour; by default more than half, n // 2 + 1.
    rule : "plurality", optional
        A colour for every answer, ordered by their numbers; ties in the order of `colors`.
    epsilon, delta : float, or one float per place
        The privacy parameters of the edges between words that differ in each place.
    colors : strings, optional
        The answers to the question; by default ``yes`` and ``no``, or with plurality ``1``, …, ``q``.
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        q^n datasets with keys such as ``1312``, or ``1-12-3`` if q > 9, and n (q - 1) q^n / 2 edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> g = hamming(2, 3)
    >>> len(g), g.edges
    (9, 18)
    >>> g.keys.filter(g.color == 0).to_pylist()
    ['11']
    >>> hamming(2, 3, rule="plurality").preference_lists()[1].as_py()    # the word 12
    ['1', '2', '3']
    """
    n = _whole(n, "n", 1, MOST_PLACES)
    q = _whole(q, "q", 2)
    epsilon, delta = _allowed(epsilon, delta, n, "place")
    if rule is not None:
        if rule != "plurality" or threshold is not None:
            raise GraphError(f"rule is {rule!r}", "give 'plurality' and no threshold, or a threshold and no rule")
        return _words(n, range(1, q + 1), None, epsilon, delta, _options(colors, q), name)
    return _words(
        n, range(1, q + 1), _threshold(threshold, n), epsilon, delta, ("yes", "no") if colors is None else colors, name
    )


def votes(
    voters: int,
    *,
    options: int = 2,
    rule: str | int = "majority",
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] | None = None,
    name: str = "votes",
) -> DatasetGraph:
    """Build the graph of all ways in which voters can vote: option 1 wins or not, or by plurality, one option wins.

    A dataset says how each voter voted; neighbours differ in the vote of one voter, and their edge has that
    voter's epsilon (personalised privacy). This is the Hamming graph H(voters, options) with a rule.

    Parameters
    ----------
    voters : int
        The number of voters.
    options : int
        The number of options, at least 2.
    rule : str or int
        The condition for option 1 to win: ``"majority"``, with more than half of the votes; ``"threshold:2/3"``, with
        at least that share, any fraction from 0 to 1; a number, with at least that many votes. ``"plurality"``: a
        colour for every option, ordered by their votes, ties in the order of `colors`.
    epsilon, delta : float, or one float per voter
        The privacy parameters of the edges between datasets that differ in each voter's vote.
    colors : strings, optional
        The answers "option 1 wins" and "option 1 does not win", by default ``yes`` and ``no``; with plurality the
        options, by default ``1``, ``2``, …
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        options^voters datasets, whose keys are the votes: ``2113``, or ``2-11-3`` with more than 9 options.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    See Also
    --------
    counts, plurality : the same mechanism on far fewer datasets, if voters share an epsilon.

    Examples
    --------
    >>> g = votes(4, rule="threshold:3/4", epsilon=[0.1, 1.0, 1.0, 1.0])
    >>> g.keys.filter(g.color == 0).to_pylist()
    ['1111', '1112', '1121', '1211', '2111']
    """
    voters = _whole(voters, "voters", 1)
    if voters > MOST_PLACES:
        raise GraphError(
            f"{voters:,} voters make too many datasets", "count the votes in groups of equal epsilon: counts"
        )
    options = _whole(options, "options", 2)
    epsilon, delta = _allowed(epsilon, delta, voters, "voter")
    letters = range(1, options + 1)
    if rule == "plurality":
        return _words(voters, letters, None, epsilon, delta, _options(colors, options), name)
    return _words(
        voters, letters, _needed(rule, voters), epsilon, delta, ("yes", "no") if colors is None else colors, name
    )


def three_voters(
    *,
    epsilon: float = 1.0,
    deciding: float = 0.5,
    delta: float = 0.0,
    colors: Sequence[str] = ("blue", "red"),
    name: str = "three_voters",
) -> DatasetGraph:
    """Build a graph of three voters, two options and the majority, with more privacy where the first voter decides.

    Every edge has `epsilon` but 121 – 221 and 112 – 212, which have `deciding`.

    Parameters
    ----------
    epsilon : float
        The epsilon of all other edges.
    deciding : float
        The epsilon of the edges on which the first voter decides.
    delta : float
        The delta of every edge.
    colors : two strings
        The answers "the majority votes 1" and "the majority votes 2".
    name : str
        The name of the graph.

    Returns
    -------
    DatasetGraph
        8 datasets with keys such as ``121``, and 12 edges.

    Raises
    ------
    GraphError
        If an argument is invalid; the message says which one, and what is allowed.

    References
    ----------
    .. [1] Heterogeneous Differential Privacy via Graphs, Fig. 1.

    Examples
    --------
    >>> g = three_voters()
    >>> [g.edge_name(e) for e in range(g.edges) if g.epsilon[e] == 0.5]
    ["'112' – '212'", "'121' – '221'"]
    """
    epsilon, deciding = _number(epsilon, "epsilon", MAX_EPSILON), _number(deciding, "deciding", MAX_EPSILON)
    g = votes(3, epsilon=epsilon, delta=_number(delta, "delta", 1.0), colors=colors, name=name)
    of_first_voter = np.arange(g.edges) < g.edges // 3
    return replace(g, epsilon=np.where(of_first_voter & g.crossing, deciding, g.epsilon))


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
    return _whole_lattice(counts_lattice(groups, rule=rule, epsilon=epsilon, delta=delta, colors=colors, name=name))


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
    sizes = [_whole(size, f"groups[{i}]", 1) for i, size in enumerate(groups)]
    if not sizes:
        raise GraphError("there are no groups", Hint("give the number of people in each, as in ", Call("plurality")))
    k = _whole(options, "options", 2, 127) if options is not None else 3 if colors is None else max(2, len(colors))
    epsilon, delta = _allowed(epsilon, delta, len(sizes), "group")
    number = [math.comb(size + k - 1, k - 1) for size in sizes]
    vertices = math.prod(number)
    edges = sum(
        vertices // n * math.comb(k, 2) * math.comb(size + k - 2, k - 1) for n, size in zip(number, sizes, strict=True)
    )
    _fits(vertices, edges, sum(k * len(f"{size}-") for size in sizes))
    return _product([_shares(size, k) for size in sizes], "/", None, epsilon, delta, _options(colors, k), name)


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
    n = _whole(n, "n", 1)
    degree = _number(degree, "degree", LARGEST)
    _fits(n, math.ceil(n * min(degree, n - 1) / 2), len(str(n - 1)))
    rng = _generator(seed)
    points = rng.random((n, 2))
    radius = math.sqrt(degree / (math.pi * max(n - 1, 1)))
    source, target = _pairs_within(points, radius)
    epsilon, delta = _drawn(epsilon, delta, len(source), rng)
    return _graph(_names(np.arange(n)), points[:, 0] < 0.5, source, target, epsilon, delta, colors, name)


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
    n = _whole(n, "n", 1)
    edges = _whole(edges, "edges", n - 1, n * (n - 1) // 2)
    _fits(n, edges, len(str(n - 1)))
    rng = _generator(seed)
    parent = rng.integers(0, np.arange(1, n))
    earlier, later = _pairs_off_tree(parent, edges - (n - 1), rng)
    source = np.concatenate([parent, earlier]).astype(np.int32)
    target = np.concatenate([np.arange(1, n), later]).astype(np.int32)
    epsilon, delta = _drawn(epsilon, delta, edges, rng)
    return _graph(_names(np.arange(n)), rng.random(n) < 0.5, source, target, epsilon, delta, colors, name)


FAMILIES: dict[str, Callable[..., DatasetGraph]] = {
    family.__name__: family
    for family in (
        path,
        grid,
        hypercube,
        hamming,
        votes,
        three_voters,
        counts,
        plurality,
        random_geometric,
        random_graph,
    )
}
"""The families by name."""


# --- products -----------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """The possible values at one place: their names, their contributions to the sum, and the pairs of neighbours.

    A contribution is one number, or with plurality one number for each option.
    """

    labels: pa.StringArray
    adds: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def _coordinate(length: int) -> _Place:
    """Return the place of a coordinate 0, …, length - 1: each value adds itself; neighbours differ by one."""
    values = np.arange(length)
    return _Place(_names(values), values, values[:-1], values[1:])


def _letter(letters: range, each: bool) -> _Place:
    """Return the place of a letter: any two are neighbours; only the letter 1 adds 1, or `each` adds to its own sum."""
    values = np.array(letters)
    lower, upper = np.triu_indices(len(letters), 1)
    adds = np.eye(len(letters), dtype=np.int64) if each else (values == 1).astype(np.int64)
    return _Place(_names(values), adds, lower, upper)


def _shares(people: int, k: int) -> _Place:
    """Return all ways to share votes among k options, each with a sum of its own; neighbours differ in one vote."""
    if (people + 1) ** (k - 1) >= 2**63:
        raise GraphError(f"{people:,} people and {k} options are too many", "take fewer options")
    votes = np.zeros((1, 0), np.int64)
    rest = np.array([people])
    for _ in range(k - 1):  # one option more, with any number of the votes that are left
        row = np.repeat(np.arange(len(rest)), rest + 1)
        number = np.arange(len(row)) - np.searchsorted(row, row)
        votes = np.column_stack([votes[row], number])
        rest = rest[row] - number
    votes = np.column_stack([votes, rest])
    weight = (people + 1) ** np.arange(k - 2, -1, -1, dtype=np.int64)
    code = votes[:, :-1] @ weight
    lower, upper = [], []
    for i, j in itertools.combinations(range(k), 2):
        some = np.flatnonzero(votes[:, i] > 0)
        changed = code[some] - weight[i] + (weight[j] if j < k - 1 else 0)
        lower.append(some)
        upper.append(np.searchsorted(code, changed))
    names = reduce(lambda words, column: _paired(words, _names(column)), votes.T[1:], _names(votes[:, 0]))
    return _Place(names, votes, np.concatenate(lower), np.concatenate(upper))


def _paired(words: pa.StringArray, labels: pa.StringArray) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(words, labels, "-")


class Lattice(NamedTuple):
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
        return sum(self.datasets - self.datasets // length for length in self.shape)


def grid_lattice(
    *shape: int,
    threshold: int | None = None,
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "grid",
) -> Lattice:
    """Return the lattice that ``grid`` would build, with its arguments checked."""
    lengths = tuple(_whole(length, f"shape[{i}]", 1) for i, length in enumerate(shape))
    if not lengths:
        raise GraphError("the grid has no axes", Hint("give the length of each, as in ", Call("grid")))
    threshold = _threshold(threshold, sum(lengths) - len(lengths))
    epsilon, delta = _allowed(epsilon, delta, len(lengths), "axis")
    return Lattice(lengths, threshold, epsilon, delta, _named(colors, 2), name)


def counts_lattice(
    groups: Sequence[int],
    *,
    rule: str | int = "majority",
    epsilon: ArrayLike = 1.0,
    delta: ArrayLike = 0.0,
    colors: Sequence[str] = ("yes", "no"),
    name: str = "counts",
) -> Lattice:
    """Return the lattice that ``counts`` would build, with its arguments checked."""
    try:
        sizes = [_whole(size, f"groups[{i}]", 1) for i, size in enumerate(groups)]
    except TypeError:
        sizes = []
    if not sizes:
        raise GraphError(f"groups is {groups!r}", "give the number of people in each, as in [3, 2]")
    threshold = _needed(rule, sum(sizes))
    epsilon, delta = _allowed(epsilon, delta, len(sizes), "group")
    return Lattice(tuple(size + 1 for size in sizes), threshold, epsilon, delta, _named(colors, 2), name)


LATTICES: dict[str, Callable[..., Lattice]] = {"grid": grid_lattice, "counts": counts_lattice}
"""The families that can be built part by part, by name."""


def _whole_lattice(lattice: Lattice) -> DatasetGraph:
    """Build the graph of a lattice, all at once."""
    shape, threshold, epsilon, delta, colors, name = lattice
    _fits(lattice.datasets, lattice.edges, sum(len(f"-{length - 1}") for length in shape) - 1)
    return _product([_coordinate(length) for length in shape], "-", threshold, epsilon, delta, colors, name)


def _words(
    n: int, letters: range, threshold: int | None, epsilon: Floats, delta: Floats, colors: Sequence[str], name: str
) -> DatasetGraph:
    """Build the graph of the words of n letters."""
    q = len(letters)
    separator = "" if letters[-1] < 10 else "-"
    _fits(q**n, q**n * n * (q - 1) // 2, n * len(f"{separator}{letters[-1]}") - len(separator))
    return _product([_letter(letters, threshold is None)] * n, separator, threshold, epsilon, delta, colors, name)


def _product(
    places: Sequence[_Place],
    separator: str,
    threshold: int | None,
    epsilon: Floats,
    delta: Floats,
    colors: Sequence[str],
    name: str,
) -> DatasetGraph:
    """Build the graph of all words, with epsilon and delta per place; by plurality if there is no threshold."""
    total = reduce(_outer_sum, (place.adds for place in places))
    keys = reduce(lambda words, labels: _joined(words, labels, separator), (place.labels for place in places))
    index = np.arange(len(total), dtype=np.int32)
    source: list[Ints] = []
    target: list[Ints] = []
    stride = len(total)
    for place in places:
        stride //= len(place.labels)
        words = index.reshape(-1, len(place.labels), stride)
        source.append(words.take(place.lower, axis=1).ravel())
        target.append(words.take(place.upper, axis=1).ravel())
    edges = [len(column) for column in source]
    return _graph(
        keys,
        np.argsort(-total, axis=1, kind="stable").astype(np.int8) if threshold is None else total >= threshold,
        np.concatenate(source),
        np.concatenate(target),
        np.repeat(epsilon, edges),
        np.repeat(delta, edges),
        colors,
        name,
    )


def _outer_sum(sums: NDArray[np.int64], adds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every sum plus every contribution."""
    return (sums[:, None] + adds[None, :]).reshape(-1, *adds.shape[1:])


def _joined(words: pa.StringArray, labels: pa.StringArray, separator: str) -> pa.StringArray:
    """Return every word followed by every label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    before = words.take(pa.array(np.repeat(np.arange(len(words)), len(labels))))
    after = labels.take(pa.array(np.tile(np.arange(len(labels)), len(words))))
    return pc.binary_join_element_wise(before, after, separator)


def _names(numbers: NDArray[Any]) -> pa.StringArray:
    """Return numbers as text."""
    import pyarrow as pa

    return pa.array(numbers).cast(pa.string())


# --- random pairs -------------------------------------------------------------------------------------------


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


# --- arguments ----------------------------------------------------------------------------------------------


def _graph(
    keys: pa.StringArray,
    answer: Bools | NDArray[np.int8],
    source: Ints,
    target: Ints,
    epsilon: Floats,
    delta: Floats,
    colors: Sequence[str],
    name: str,
) -> DatasetGraph:
    """Build a graph of trusted columns; `answer` marks the first of two colours, or holds each dataset's order."""
    k = 2 if answer.ndim == 1 else answer.shape[1]
    return DatasetGraph(
        keys=keys,
        colors=_named(colors, k),
        color=(~answer).astype(np.int8) if answer.ndim == 1 else answer[:, 0].astype(np.int8),
        source=source,
        target=target,
        epsilon=epsilon,
        delta=delta,
        alpha=np.full((len(keys), k), np.nan),
        name=name,
        preference=None if answer.ndim == 1 else answer.astype(np.int8),
    )


def _named(colors: Sequence[str], k: int) -> tuple[str, ...]:
    """Return k different names of colours."""
    named = tuple(colors)
    if len(named) != k or len(set(named)) < k or not all(isinstance(color, str) for color in named):
        raise GraphError(
            f"the colours are {', '.join(map(str, named)) or 'none'}",
            Hint(f"name {'two' if k == 2 else k} different ones with ", Option("colors")),
        )
    return named


def _options(colors: Sequence[str] | None, k: int) -> Sequence[str]:
    return [str(i) for i in range(1, k + 1)] if colors is None else colors


def _fits(vertices: int, edges: int, width: int) -> None:
    """Refuse sizes that 32 bits cannot number: edges, or characters of keys that are `width` long."""
    if edges > LARGEST or vertices * width > LARGEST:
        many = "edges" if edges > LARGEST else "characters of keys"
        raise GraphError(f"the graph has more than {LARGEST:,} {many}", "make it smaller")


def _whole(value: Any, name: str, least: int, most: int = LARGEST) -> int:
    """Return an integer from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise GraphError(f"{name} is {value!r}", f"give a whole number from {least:,} to {most:,}")
    return number


def _numbers(values: ArrayLike, name: str, most: float) -> Floats:
    """Return one number or a row of them, each from 0 to `most`."""
    try:
        column = np.asarray(values, dtype=np.float64) + 0.0  # 0 for -0
    except (TypeError, ValueError, OverflowError):
        column = np.full((1, 1), np.nan)
    if column.ndim > 1:
        raise GraphError(f"{name} is {values!r}", "give a number, or a row of numbers")
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= most)))
    if len(wrong):
        place = f"{name}[{wrong[0]}]" if column.ndim else name
        raise GraphError(f"{place} is {column.flat[wrong[0]]}", f"give a number from 0 to {most:,.0f}")
    return column


def _number(value: ArrayLike, name: str, most: float) -> float:
    """Return one number from 0 to `most`."""
    number = _numbers(value, name, most)
    if number.ndim:
        raise GraphError(f"{name} has {len(number)} values", "give one number")
    return float(number)


def _allowed(epsilon: ArrayLike, delta: ArrayLike, n: int, each: str) -> tuple[Floats, Floats]:
    """Return `n` epsilons and deltas: one number for all, or one for each."""

    def column(values: ArrayLike, name: str, most: float) -> Floats:
        numbers = _numbers(values, name, most)
        if numbers.ndim and len(numbers) != n:
            raise GraphError(f"{name} has {len(numbers)} values", f"give one number, or {n:,}: one per {each}")
        return np.broadcast_to(numbers, n).copy()

    return column(epsilon, "epsilon", MAX_EPSILON), column(delta, "delta", 1.0)


def _drawn(epsilon: ArrayLike, delta: ArrayLike, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return `n` epsilons and deltas: one number for all, or drawn uniformly between two."""

    def column(values: ArrayLike, name: str, most: float) -> Floats:
        numbers = _numbers(values, name, most)
        if numbers.ndim == 0:
            return np.full(n, numbers)
        if len(numbers) != 2 or numbers[0] > numbers[1]:
            raise GraphError(f"{name} is {values!r}", "give one number, or a pair (low, high)")
        return rng.uniform(numbers[0], numbers[1], n)

    return column(epsilon, "epsilon", MAX_EPSILON), column(delta, "delta", 1.0)


def _threshold(threshold: int | None, largest: int) -> int:
    """Return the sum that is enough: by default more than half of the largest."""
    return largest // 2 + 1 if threshold is None else _whole(threshold, "threshold", 0, largest + 1)


def _needed(rule: str | int, people: int) -> int:
    """Return the number of people that is enough."""
    if rule == "majority":
        return people // 2 + 1
    if not isinstance(rule, str):
        return _whole(rule, "rule", 0, people + 1)
    kind, _, rest = rule.partition(":")
    try:
        needed = fraction(rest)
    except ValueError:
        needed = Fraction(-1)
    if kind != "threshold" or not 0 <= needed <= 1:
        raise GraphError(f"rule is {rule!r}", "give 'majority', a share from 0 to 1 as in 'threshold:2/3', or a number")
    return math.ceil(needed * people)


def _generator(seed: int | None) -> np.random.Generator:
    return np.random.default_rng(None if seed is None else _whole(seed, "seed", 0))
