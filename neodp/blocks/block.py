"""One block of a graph, and the one step that settles it.

A graph that does not fit in memory is cut into *blocks*: every dataset belongs to one block. An edge is *inner* if its
two ends belong to the same block, and *cut* otherwise. Every dataset has a label (:mod:`neodp.compiled.kernel`), and
every edge has an increasing function, relax, which maps the label at one end to the greatest label allowed at the
other. The goal is to find the greatest labels K that satisfy

    K(v) <= start(v)    and    K(v) <= relax_e(K(u))    for every edge e between u and v.

They are unique: if two labellings satisfy these inequalities, their pointwise maximum satisfies them too. ``step``
lowers the labels of one block to what messages and inner edges allow, and tells the neighbouring blocks what cut edges
now allow there. Blocks may be stepped in any order, in parallel, and more than once:

* *never too low*: every message is relax_e(K(u)) of a label that is not below the wanted one, so by induction no label
  ever falls below the wanted one;
* *never too high at the end*: when a label falls, a message goes over each of its cut edges, and within its block the
  label-setting pass leaves no edge at which a label could fall; so when no message is on its way, all inequalities
  hold;
* *it ends*: labels are whole numbers, and a message is sent only when a label has fallen.

Hence the labels at the end are the same, bit for bit, as those of one pass over the whole graph, whatever the
partition; a message that arrives twice, or late, changes nothing. The partition determines only the number of rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.compiled import labels
from neodp.core.privacy import Labels
from neodp.data.validation import Floats, Ints

__all__ = ["CERTAIN", "Block", "Cut", "Links", "Mail", "Messages", "by_block", "merged", "runs", "step"]

CERTAIN = labels.HALF
"""The label of certainty, which bounds nothing."""


class Messages(NamedTuple):
    """Messages to datasets of one block: the label at ``place`` is at most ``label``."""

    place: NDArray[np.int64]
    label: Labels


Mail: TypeAlias = Mapping[int, Messages]
"""Messages, by the number of the block that receives them."""


class Links(NamedTuple):
    """The inner edges, each listed at both of its ends, with the parameters of ``neodp.compiled.kernel.settle``."""

    indptr: NDArray[np.int64]
    neighbor: Ints
    level: NDArray[np.uint8]
    first: Floats
    delta: Floats
    shift: int


class Cut(NamedTuple):
    """The cut edges of a block: from the dataset at place ``here`` to the one at place ``there`` of ``block``."""

    here: Ints
    block: Ints
    there: Ints
    first: Floats
    delta: Floats


@dataclass(frozen=True, eq=False)
class Block:
    """A block: its edges, and the current labels of its datasets."""

    links: Links
    cut: Cut
    label: Labels


def step(block: Block, messages: Messages) -> tuple[Block, Mail]:
    """Lower the labels of a block to what messages and inner edges allow, and return the mail for other blocks.

    Parameters
    ----------
    block : Block
        The block; it is not modified.
    messages : Messages
        Bounds on labels of the block, in any order; there may be several for one dataset.

    Returns
    -------
    block : Block
        The same block with its new labels.
    mail : mapping from numbers of blocks to Messages
        The labels that the cut edges of the datasets whose labels fell now allow at their far ends; at most one message
        per receiving dataset.

    Examples
    --------
    A block of two datasets; a cut edge leads from the second to the dataset at place 7 of block 3.

    >>> from neodp.compiled.kernel import NO_LEVELS, factor
    >>> f = np.array([factor(1.0)])
    >>> links = Links(np.array([0, 1, 2]), np.array([1, 0], np.int32), NO_LEVELS, f, np.zeros(1), 0)
    >>> cut = Cut(*(np.array([x], np.int32) for x in (1, 3, 7)), f, np.zeros(1))
    >>> block = Block(links, cut, np.full(2, CERTAIN))
    >>> block, mail = step(block, Messages(np.array([0]), np.array([0])))        # the label of 1/2
    >>> bool(0 == block.label[0] < block.label[1] < mail[3].label[0]), mail[3].place
    (True, array([7]))
    """
    label = np.array(block.label)
    np.minimum.at(label, messages.place, messages.label)
    rows, shift = block.links[:-1], block.links.shift
    compiled.kernel.settle(*rows, compiled.kernel.EPSILON_DELTA, shift, label, np.flatnonzero(label < block.label))
    return replace(block, label=label), _told(block.cut, label, label < block.label)


def merged(parts: list[Messages]) -> Messages:
    """Concatenate messages from several blocks."""
    if not parts:
        return Messages(np.empty(0, np.int64), np.empty(0, np.int64))
    return Messages(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _told(cut: Cut, label: Labels, fell: NDArray[np.bool_]) -> Mail:
    """Return the labels that cut edges allow at their far ends, for the edges whose near end has a fallen label."""
    e = np.flatnonzero(fell[cut.here])
    first, delta = (x[e] if len(x) > 1 else x for x in (cut.first, cut.delta))
    bound = compiled.kernel.relax_edges(label[cut.here[e]], first, delta, compiled.kernel.EPSILON_DELTA)
    return by_block(cut.block[e], cut.there[e], bound)


def by_block(block: Ints, there: Ints, bound: Labels) -> Mail:
    """Return bounds on datasets of other blocks as mail: the least bound per dataset, without trivial bounds."""
    bounding = np.flatnonzero(bound < CERTAIN)
    order = bounding[np.lexsort((bound[bounding], there[bounding], block[bounding]))]
    block, there, bound = block[order], there[order], bound[order]
    least = np.ones(len(order), np.bool_)
    least[1:] = (block[1:] != block[:-1]) | (there[1:] != there[:-1])
    block, there, bound = block[least], there[least], bound[least]
    return {number: Messages(there[run].astype(np.int64), bound[run]) for number, run in runs(block)}


def runs(block: Ints) -> Iterator[tuple[int, slice]]:
    """Yield each distinct number of an ascending column, and the slice that it fills.

    Examples
    --------
    >>> list(runs(np.array([2, 2, 5], np.int32)))
    [(2, slice(0, 2, None)), (5, slice(2, 3, None))]
    """
    begins = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
    for begin, end in zip(begins, [*begins[1:], len(block)], strict=False):
        yield int(block[begin]), slice(begin, end)
