"""The gain in accuracy from a higher epsilon, level by level.

The edges with the same epsilon form a *level*: in a graph of votes or counts, a level belongs to the people who asked
for that epsilon. For each level, this module finds the accuracy of the balanced mechanism if the epsilon of that level
were higher and all other epsilons stayed the same.

It starts from the labels of the present mechanism. If an epsilon rises, labels can only rise. A label stays the same
if something that does not change still holds it down: the even share of a boundary edge, or a neighbour whose label
stays the same, over an unchanged edge that allows no more. A search over such edges, from the datasets held by an
unchanged even share, reaches exactly the datasets that are held down. The other datasets are settled again, starting
at the rim between them and the held ones.

With more than two colours, the balanced alpha is that of the least epsilons, whatever the others are. So the accuracy
there is that of the best mechanism on average (:mod:`neodp.core.optimal`), solved again for each level; on graphs of
more than :data:`MOST_CHANCES` datasets times colours, that of the distances (:mod:`neodp.core.rainbow.distance`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neodp.core import binary, boundary, traversal
from neodp.core.extension import extend
from neodp.core.privacy import EpsilonDelta, Labels
from neodp.core.rainbow import Method
from neodp.data.family import family
from neodp.data.graph import Adjacency, DatasetGraph
from neodp.data.validation import MAX_EPSILON, Bools, Floats
from neodp.errors import PrivacyError

__all__ = ["Raised", "what_if"]

MOST_CHANCES = 3_000
"""The greatest number of datasets times colours for which a linear program is solved for each level."""
SOLVED = 1e-7
"""The difference below which two solutions count as equal."""


@dataclass(frozen=True)
class Raised:
    """The accuracy of a mechanism if the edges of one level had a higher epsilon.

    Attributes
    ----------
    epsilon, raised : float
        The epsilon now, and the higher epsilon; None for the present mechanism.
    edges : int
        The number of edges in the level.
    changed : int
        The number of datasets at which the accuracy would be higher.
    mean, worst : float
        The mean accuracy over all datasets, equally weighted, and the least accuracy.
    """

    epsilon: float | None
    raised: float | None
    edges: int
    changed: int
    mean: float
    worst: float


def what_if(graph: DatasetGraph, raised: float, *, most: int = 20) -> list[Raised]:
    """Return the accuracy of a mechanism, now and with the epsilon of each level higher by `raised`.

    With two colours it is the balanced mechanism; with more, the best on average, or that of distances (see the
    module).

    Parameters
    ----------
    graph : DatasetGraph
        A graph; its alpha is ignored.
    raised : float
        The increase of epsilon, above 0.
    most : int
        The greatest number of levels to consider; those with the most edges are chosen.

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
    levels, number = np.unique(graph.epsilon, return_counts=True)
    chosen = np.sort(np.argsort(-number, kind="stable")[:most]).tolist()
    if not family(graph).binary:
        return _solved_again(graph, raised, levels[chosen], number[chosen])
    rule = EpsilonDelta.of(graph)
    adjacency = graph.adjacency_of(~graph.crossing)
    own = binary.even_shares(graph, rule)
    label = own.copy()
    _settle(graph, rule, adjacency, label, boundary.boundary_vertices(graph))
    found = [Raised(None, None, graph.edges, 0, *_accuracy(rule, label))]
    for level in chosen:
        epsilon = float(levels[level])
        higher = min(epsilon + raised, MAX_EPSILON)
        changed = graph.epsilon == epsilon
        new_rule = EpsilonDelta(np.where(changed, higher, graph.epsilon), graph.delta)
        new = _raised(graph, rule, new_rule, adjacency, label, changed)
        better = int(np.count_nonzero(new > label))
        found.append(Raised(epsilon, higher, int(number[level]), better, *_accuracy(rule, new)))
    return found


def _solved_again(graph: DatasetGraph, raised: float, levels: Floats, number: NDArray[np.int64]) -> list[Raised]:
    """Return ``what_if`` for more than two colours."""
    bare = graph.with_alpha(np.full(graph.alpha.shape, np.nan))
    method: Method = "optimal" if len(graph) * len(graph.colors) <= MOST_CHANCES else "distance"
    now = extend(bare, method=method).p_true
    found = [Raised(None, None, graph.edges, 0, float(now.mean()), float(now.min()))]
    for epsilon, edges in zip(levels.tolist(), number.tolist(), strict=True):
        higher = min(epsilon + raised, MAX_EPSILON)
        changed = replace(bare, epsilon=np.where(bare.epsilon == epsilon, higher, bare.epsilon))
        new = extend(changed, method=method).p_true
        better = int(np.count_nonzero(new > now + SOLVED))
        found.append(Raised(epsilon, higher, edges, better, float(new.mean()), float(new.min())))
    return found


def _raised(
    graph: DatasetGraph, rule: EpsilonDelta, new_rule: EpsilonDelta, adjacency: Adjacency, label: Labels, changed: Bools
) -> Labels:
    """Return the labels under `new_rule`, whose epsilons on the `changed` edges are no lower than those of `rule`."""
    own = binary.even_shares(graph, new_rule)
    edges = np.flatnonzero(~graph.crossing & ~changed)
    u = np.concatenate([graph.source[edges], graph.target[edges]])
    v = np.concatenate([graph.target[edges], graph.source[edges]])
    tight = rule.relax(label[u], np.tile(edges, 2)) == label[v]
    loose = ~traversal.reached(len(graph), np.flatnonzero(own == label), u[tight], v[tight])
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
    """Return the mean and the least chance of the true answer."""
    true, false = rule.decode(label)
    return 1.0 - float(false.mean()), float(true.min())
