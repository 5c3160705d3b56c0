"""Choices of alpha for two colours: balanced, which shares every boundary edge evenly, and homogeneous."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core import boundary
from neodp.core.binary.labeling import rows_of
from neodp.core.privacy import EpsilonDelta, Labels, certain
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Bools, Floats
from neodp.errors import PrivacyError

__all__ = ["alpha_of", "balanced", "even_shares", "homogeneous"]

MOST_HOPS = 3
"""The number of hops from the boundary beyond which all edges are taken rather than the near ones."""


def balanced(graph: DatasetGraph) -> Floats:
    """Return the alpha that shares every boundary edge evenly (:func:`neodp.core.alpha.balanced`)."""
    rule = EpsilonDelta.of(graph)
    label = even_shares(graph, rule)
    ends = boundary.boundary_vertices(graph)
    highest = label[ends].max(initial=0)
    hops = _hops(rule, int(highest - label[ends].min(initial=highest)))
    if hops > 0:
        # alpha is needed only at the boundary datasets: a label no lower than the highest of theirs lowers none of them
        np.minimum(label, highest, out=label)
        parts = [ends[graph.color[ends] == color] for color in range(2)]
        rule.settle_over(graph, _near(graph, ends, hops // 2), label, *parts)
    return alpha_of(graph, label)


def _hops(rule: EpsilonDelta, span: int) -> int:
    """Return the greatest number of edges in a path that raises a label by less than `span`."""
    return 0 if span == 0 else -(-span // rule.step) - 1 if rule.step else sys.maxsize


def _near(graph: DatasetGraph, ends: NDArray[np.int64], hops: int) -> Bools:
    """Return a mask of the edges within a colour with both ends at most `hops` edges from the boundary; all if far."""
    if hops > MOST_HOPS:
        return ~graph.crossing
    near = np.zeros(len(graph), np.bool_)
    near[ends] = True
    for _ in range(hops):
        near = compiled.kernel.widened(near, graph.source, graph.target, graph.crossing)
    within: Bools = compiled.kernel.within(near, graph.source, graph.target, graph.crossing)
    return within


def even_shares(graph: DatasetGraph, rule: EpsilonDelta) -> Labels:
    """Return, per dataset, the least even share of its boundary edges, as a label; certainty if it has none.

    The even share of a boundary edge is the greatest chance that both of its ends can have for their own answers:
    (e^eps + delta) / (e^eps + 1).
    """
    edges = boundary.boundary_edges(graph)
    label = np.full(len(graph), certain(rule))
    even = rule.balance(edges)
    if rule.uniform:
        label[graph.source[edges]] = label[graph.target[edges]] = even
        return label
    np.minimum.at(label, graph.source[edges], even)
    np.minimum.at(label, graph.target[edges], even)
    return label


def homogeneous(graph: DatasetGraph, first: float, second: float | None = None) -> Floats:
    """Return the same alpha for all boundary datasets of a colour; see :func:`neodp.core.alpha.homogeneous`."""
    for value in (first, second):
        if value is not None and not 0.0 <= value <= 1.0:
            raise PrivacyError(f"alpha is {value!r}", "give a probability from 0 to 1")
    rule = EpsilonDelta.of(graph)
    edges = boundary.boundary_edges(graph)
    one = rule.encode(np.array([first]), 1.0 - np.array([first]))
    if second is not None:
        other = rule.encode(np.array([second]), 1.0 - np.array([second]))
    else:
        other = rule.relax(np.full(len(edges), -one[0]), edges).min(initial=certain(rule))
    return alpha_of(graph, np.where(graph.color == 0, one, other))


def alpha_of(graph: DatasetGraph, label: Labels) -> Floats:
    """Return labels of the own colour as alpha, on the boundary."""
    ends = boundary.boundary_vertices(graph)
    alpha = np.full((len(graph), 2), np.nan)
    alpha[ends] = rows_of(EpsilonDelta.of(graph), graph.color[ends], label[ends])
    return alpha
