"""The passes of an extension, block by block: the beginning of each, and the results at its end.

A pass settles labels by :func:`neodp.blocks.block.step`. It begins with messages only: all labels start at certainty,
and every bound on a dataset is sent to that dataset as a message.

========  ===============================  ==================================================  =======================
pass      over                             messages at the beginning                           gives
========  ===============================  ==================================================  =======================
own       edges within a colour            alpha, and over boundary edges what alpha allows    ``neodp.extend``
first     all edges, in Pr[first colour]   alpha                                               alpha, rounded in
even      edges within a colour            the even share of every boundary edge               ``neodp.balanced``
========  ===============================  ==================================================  =======================

They are the passes of :mod:`neodp.core.binary`, which explains why two colours need no other passes, and their labels
are the same in every bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.blocks.block import CERTAIN, Cut, Links, Mail, Messages, by_block, merged
from neodp.core.privacy import EpsilonDelta, Labels
from neodp.core.witness import ROUNDING
from neodp.data.validation import Bools, Floats, Ints

__all__ = [
    "BlockPart",
    "CutEdges",
    "InnerEdges",
    "begin_even",
    "begin_first",
    "begin_own",
    "cut_of",
    "dropped",
    "first_labels",
    "labels_of",
    "links_of",
    "off",
    "too_low",
    "unhit",
]


class InnerEdges(NamedTuple):
    """Inner edges of a block, each between the datasets at two places."""

    source: Ints
    target: Ints
    epsilon: Floats
    delta: Floats

    def where(self, keep: Bools) -> InnerEdges:
        """Return the edges for which `keep` is true."""
        return InnerEdges(self.source[keep], self.target[keep], self.epsilon[keep], self.delta[keep])


class CutEdges(NamedTuple):
    """Cut edges of a block, each seen from the end that lies in the block."""

    here: Ints
    block: Ints
    there: Ints
    epsilon: Floats
    delta: Floats

    def where(self, keep: Bools) -> CutEdges:
        """Return the edges for which `keep` is true."""
        return CutEdges(self.here[keep], self.block[keep], self.there[keep], self.epsilon[keep], self.delta[keep])


@dataclass(frozen=True, eq=False)
class BlockPart:
    """The alpha of a block, and its edges to other colours and to other blocks.

    Attributes
    ----------
    color : array of int
        Per dataset, the position of its colour.
    given : array of bool
        Per dataset, whether it has alpha.
    own : array of int64
        Per dataset, the label of its own colour according to alpha; certainty if it has no alpha.
    rim : InnerEdges
        The inner edges between different colours.
    cut : CutEdges
        All cut edges.
    crossing : array of bool
        Per cut edge, whether the far end has another colour.
    """

    color: NDArray[np.int8]
    given: Bools
    own: Labels
    rim: InnerEdges
    cut: CutEdges
    crossing: Bools

    @property
    def boundary(self) -> NDArray[np.int64]:
        """The places of the boundary datasets, ascending."""
        mask = np.zeros(len(self.color), np.bool_)
        for ends in (self.rim.source, self.rim.target, self.cut.here[self.crossing]):
            mask[ends] = True
        return np.flatnonzero(mask)

    @property
    def across(self) -> CutEdges:
        """The cut edges between different colours."""
        return self.cut.where(self.crossing)


def links_of(n: int, edges: InnerEdges, keep: Bools) -> Links:
    """Return the inner edges for which `keep` is true, in a block of n datasets, in the form that ``step`` needs."""
    rule = EpsilonDelta(edges.epsilon, edges.delta)
    return Links(*compiled.kernel.links(n, edges.source, edges.target, keep, *rule.parameters), rule.shift)


def cut_of(cut: CutEdges, keep: Bools) -> Cut:
    """Return the cut edges for which `keep` is true, in the form that ``step`` needs."""
    kept = cut.where(keep)
    return Cut(kept.here, kept.block, kept.there, *EpsilonDelta(kept.epsilon, kept.delta).parameters)


def labels_of(p: Floats, q: Floats) -> Labels:
    """Return the labels of probabilities p, where q = 1 - p."""
    return EpsilonDelta(np.empty(0), np.empty(0)).encode(p, q)


# --- the beginning of a pass --------------------------------------------------------------------------------


def begin_own(part: BlockPart) -> tuple[Messages, Mail]:
    """Return the messages that follow from the alpha of a block: to its own datasets, and to other blocks."""
    given = np.flatnonzero(part.given)
    told = [Messages(given, part.own[given])]
    rule = EpsilonDelta(part.rim.epsilon, part.rim.delta)
    for u, v in ((part.rim.source, part.rim.target), (part.rim.target, part.rim.source)):
        e = np.flatnonzero(part.given[u])
        told.append(Messages(v[e].astype(np.int64), rule.relax(-part.own[u[e]], e)))
    across = part.across
    e = np.flatnonzero(part.given[across.here])
    bound = EpsilonDelta(across.epsilon, across.delta).relax(-part.own[across.here[e]], e)
    return merged(told), by_block(across.block[e], across.there[e], bound)


def begin_first(part: BlockPart) -> tuple[Messages, Mail]:
    """Return the alpha of a block as messages with labels of the first colour."""
    given = np.flatnonzero(part.given)
    return Messages(given, first_labels(part)[given]), {}


def begin_even(part: BlockPart) -> tuple[Messages, Mail]:
    """Return the even shares of a block's boundary edges as messages."""
    told = []
    for edges, ends in (
        (part.rim, (part.rim.source, part.rim.target)),
        (part.across, (part.across.here,)),
    ):
        even = EpsilonDelta(edges.epsilon, edges.delta).balance(np.arange(len(edges.epsilon)))
        told += [Messages(end.astype(np.int64), even) for end in ends]
    return merged(told), {}


def first_labels(part: BlockPart) -> Labels:
    """Return the labels of the first colour according to alpha; certainty at datasets without alpha."""
    return np.where(part.given, np.where(part.color == 0, part.own, -part.own), CERTAIN)


# --- the results at the end of a pass -----------------------------------------------------------------------


def unhit(part: BlockPart, far_given: Bools) -> tuple[int, int] | None:
    """Return a boundary edge with alpha at neither end, or None.

    Parameters
    ----------
    far_given : array of bool
        Per far end of ``part.across``, whether it has alpha.

    Returns
    -------
    inner, cut : int
        The position of the edge in ``part.rim`` and -1, or -1 and its position in ``part.across``.
    """
    inner = np.flatnonzero(~part.given[part.rim.source] & ~part.given[part.rim.target])
    if len(inner):
        return int(inner[0]), -1
    cut = np.flatnonzero(~part.given[part.across.here] & ~far_given)
    return (-1, int(cut[0])) if len(cut) else None


def dropped(part: BlockPart, label: Labels) -> tuple[int, int] | None:
    """Return the greatest fall of a source's label below its alpha, and its place; None if no label fell."""
    fell = np.flatnonzero(part.given & (label < part.own))
    if not len(fell):
        return None
    drop = part.own[fell] - label[fell]
    return int(drop.max()), int(fell[np.argmax(drop)])


def too_low(part: BlockPart, label: Labels, far_label: Labels) -> tuple[int, int, int] | None:
    """Return a source that gives the answer of a neighbour across the boundary more often than that neighbour allows.

    Parameters
    ----------
    far_label : array of int64
        The labels at the far ends of ``part.across``.

    Returns
    -------
    place, inner, cut : int
        The source, and the edge as in ``unhit``; None if there is no such source.
    """
    rule = EpsilonDelta(part.rim.epsilon, part.rim.delta)
    for u, v in ((part.rim.source, part.rim.target), (part.rim.target, part.rim.source)):
        e = np.flatnonzero(part.given[u])
        low = e[-label[u[e]] > rule.relax(label[v[e]], e)]
        if len(low):
            return int(u[low[0]]), int(low[0]), -1
    across = part.across
    e = np.flatnonzero(part.given[across.here])
    bound = EpsilonDelta(across.epsilon, across.delta).relax(far_label[e], e)
    low = e[-label[across.here[e]] > bound]
    return (int(across.here[low[0]]), -1, int(low[0])) if len(low) else None


def off(part: BlockPart, first: Labels) -> tuple[NDArray[np.int64], bool]:
    """Return the places at which the pass ``first`` lowered alpha, and whether by no more than a rounding error."""
    rule = EpsilonDelta(np.empty(0), np.empty(0))
    start = first_labels(part)
    moved = np.flatnonzero(part.given & (first < start))
    (p, q), (p_new, q_new) = rule.decode(start[moved]), rule.decode(first[moved])
    change = np.where(p <= 0.5, p - p_new, q_new - q)
    return moved, not bool((change > ROUNDING * p).any())
