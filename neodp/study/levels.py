"""What a higher epsilon would bring, level by level.

The edges of one epsilon are a *level*: in a graph of votes or counts, the people who ask for it. For each level, this
is the accuracy of the balanced mechanism if its epsilon were higher and all others as they are.

It is found from the mechanism as it is. Labels only rise when an epsilon does, and a label stays where something else
still holds it down: the even share of a boundary edge, or a neighbour that stays, over an edge that does not change and
allows no more. The datasets that are held are those that a search from the former over such edges reaches; the others
are settled again, beginning from the rim of those that are held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neodp.core import binary, boundary, search
from neodp.core.family import require_binary
from neodp.core.privacy import EpsilonDelta, Labels
from neodp.data.graph import Adjacency, DatasetGraph
from neodp.data.validation import MAX_EPSILON, Bools
from neodp.errors import PrivacyError

__all__ = ["Raised", "what_if"]


@dataclass(frozen=True)
class Raised:
    """The balanced mechanism if the edges of one epsilon had a higher one.

    Attributes
    ----------
    epsilon, raised : float
        What it is, and what it would be; None for the mechanism as it is.
    edges : int
        How many edges have it.
    changed : int
        How many datasets would be answered truthfully more often.
    mean, worst : float
        The mean accuracy over the datasets, all alike, and the least.
    """

    epsilon: float | None
    raised: float | None
    edges: int
    changed: int
    mean: float
    worst: float


def what_if(graph: DatasetGraph, raised: float, *, most: int = 20) -> list[Raised]:
    """The accuracy as it is, and if the epsilon of each level were higher by `raised`, with the balanced alpha.

    Parameters
    ----------
    graph : DatasetGraph
        With two colours; its alpha is not looked at.
    raised : float
        By how much, above 0.
    most : int
        At most so many levels, those with the most edges.

    Examples
    --------
    >>> import neodp
    >>> for row in what_if(neodp.generate.three_voters(), 0.5):
    ...     print(row.epsilon, row.raised, row.changed, round(row.mean, 4), round(row.worst, 4))
    None None 0 0.7093 0.6225
    0.5 1.0 6 0.7736 0.7311
    1.0 1.5 4 0.7446 0.6225
    """
    if not raised > 0.0:
        raise PrivacyError(f"an epsilon is raised by {raised!r}", "give a number above 0")
    require_binary(graph)
    rule = EpsilonDelta.of(graph)
    adjacency = graph.adjacency_of(~graph.crossing)
    own = binary.even_shares(graph, rule)
    label = own.copy()
    _settle(graph, rule, adjacency, label, boundary.boundary_vertices(graph))
    found = [Raised(None, None, graph.edges, 0, *_accuracy(rule, label))]
    levels, number = np.unique(graph.epsilon, return_counts=True)
    for level in np.sort(np.argsort(-number, kind="stable")[:most]).tolist():
        epsilon = float(levels[level])
        higher = min(epsilon + raised, MAX_EPSILON)
        changed = graph.epsilon == epsilon
        new_rule = EpsilonDelta(np.where(changed, higher, graph.epsilon), graph.delta)
        new = _raised(graph, rule, new_rule, adjacency, label, changed)
        better = int(np.count_nonzero(new > label))
        found.append(Raised(epsilon, higher, int(number[level]), better, *_accuracy(rule, new)))
    return found


def _raised(
    graph: DatasetGraph, rule: EpsilonDelta, new_rule: EpsilonDelta, adjacency: Adjacency, label: Labels, changed: Bools
) -> Labels:
    """The labels with other epsilons, which are no lower, on the edges that are `changed`."""
    own = binary.even_shares(graph, new_rule)
    edges = np.flatnonzero(~graph.crossing & ~changed)
    u = np.concatenate([graph.source[edges], graph.target[edges]])
    v = np.concatenate([graph.target[edges], graph.source[edges]])
    tight = rule.relax(label[u], np.tile(edges, 2)) == label[v]
    loose = ~search.reached(len(graph), np.flatnonzero(own == label), u[tight], v[tight])
    new = np.where(loose, own, label)
    rim = loose.copy()
    joined = loose[graph.source] != loose[graph.target]
    rim[graph.source[joined]] = rim[graph.target[joined]] = True
    _settle(graph, new_rule, adjacency, new, np.flatnonzero(rim))
    return new


def _settle(
    graph: DatasetGraph, rule: EpsilonDelta, adjacency: Adjacency, label: Labels, seeds: NDArray[np.int64]
) -> None:
    rule.settle(adjacency, label, *(seeds[graph.color[seeds] == color] for color in range(2)))


def _accuracy(rule: EpsilonDelta, label: Labels) -> tuple[float, float]:
    """The mean and the least chance of the true answer."""
    true, false = rule.decode(label)
    return 1.0 - float(false.mean()), float(true.min())
