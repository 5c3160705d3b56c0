"""Words: hypercubes, Hamming graphs, and votes, one letter for the answer of each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from neodp.data.generate.arguments import (
    MOST_PLACES,
    number_up_to,
    one_or_each,
    option_names,
    people_needed,
    require_size,
    sum_needed,
    whole_number,
)
from neodp.data.generate.products import letter, product
from neodp.data.graph import DatasetGraph
from neodp.data.validation import MAX_EPSILON, Floats, caution
from neodp.errors import GraphError

__all__ = ["hamming", "hypercube", "three_voters", "votes"]


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
    d = whole_number(d, "d", 1, MOST_PLACES)
    threshold = sum_needed(threshold, d)
    epsilon, delta = one_or_each(epsilon, delta, d, "axis")
    return _words_of(d, range(2), threshold, epsilon, delta, colors, name)


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
    n = whole_number(n, "n", 1, MOST_PLACES)
    q = whole_number(q, "q", 2)
    epsilon, delta = one_or_each(epsilon, delta, n, "place")
    if rule is not None:
        if rule != "plurality" or threshold is not None:
            raise GraphError(f"rule is {rule!r}", "give 'plurality' and no threshold, or a threshold and no rule")
        return _words_of(n, range(1, q + 1), None, epsilon, delta, option_names(colors, q), name)
    return _words_of(
        n, range(1, q + 1), sum_needed(threshold, n), epsilon, delta, ("yes", "no") if colors is None else colors, name
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
    voters = whole_number(voters, "voters", 1)
    if voters > MOST_PLACES:
        raise GraphError(
            f"{voters:,} voters make too many datasets", "count the votes in groups of equal epsilon: counts"
        )
    options = whole_number(options, "options", 2)
    epsilon, delta = one_or_each(epsilon, delta, voters, "voter")
    letters = range(1, options + 1)
    if rule == "plurality":
        return _words_of(voters, letters, None, epsilon, delta, option_names(colors, options), name)
    return _words_of(
        voters, letters, people_needed(rule, voters), epsilon, delta, ("yes", "no") if colors is None else colors, name
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
    epsilon, deciding = number_up_to(epsilon, "epsilon", MAX_EPSILON), number_up_to(deciding, "deciding", MAX_EPSILON)
    caution(deciding)
    g = votes(3, epsilon=epsilon, delta=number_up_to(delta, "delta", 1.0), colors=colors, name=name)
    of_first_voter = np.arange(g.edges) < g.edges // 3
    return replace(g, epsilon=np.where(of_first_voter & g.crossing, deciding, g.epsilon))


def _words_of(
    n: int, letters: range, threshold: int | None, epsilon: Floats, delta: Floats, colors: Sequence[str], name: str
) -> DatasetGraph:
    """Build the graph of the words of n letters."""
    q = len(letters)
    separator = "" if letters[-1] < 10 else "-"
    require_size(q**n, q**n * n * (q - 1) // 2, n * len(f"{separator}{letters[-1]}") - len(separator))
    return product([letter(letters, threshold is None)] * n, separator, threshold, epsilon, delta, colors, name)
