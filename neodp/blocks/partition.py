"""Partitions of a graph into blocks.

Any partition gives the same mechanism; a good one gives it in few rounds. A round carries labels across one cut, so
the number of rounds is about the number of blocks on a path from a dataset to the alpha that determines its label.
Blocks should therefore be round, not long, and neighbouring datasets should be in the same block.

* ``by_cubes``: boxes of a lattice (:func:`neodp.data.generate.grid`, :func:`neodp.data.generate.counts`), with sides as
  equal as possible;
* ``by_growth``: for any graph. A breadth-first search from a dataset at the rim of a part cuts the part in two; the
  halves are cut in the same way, until there are enough parts. The result is similar to boxes, without coordinates;
* ``by_prefix``: datasets whose keys have the same first characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked, require_each
from neodp.data.validation import Ints
from neodp.errors import GraphError

__all__ = ["Box", "boxes", "by_cubes", "by_growth", "by_prefix", "pieces"]

Box = tuple[tuple[int, int], ...]
"""Per axis, the first coordinate in the box and the first one after it."""


def pieces(shape: Sequence[int], blocks: int) -> tuple[int, ...]:
    """Return the number of pieces per axis that cuts a lattice into at least this many boxes, nearly cubes.

    Examples
    --------
    >>> pieces((64, 64, 64), 64), pieces((100, 10), 8), pieces((2, 2), 9)
    ((4, 4, 4), (8, 1), (2, 2))
    """
    cuts = [1] * len(shape)
    while math.prod(cuts) < min(blocks, math.prod(shape)):
        sides = [math.ceil(length / cut) for length, cut in zip(shape, cuts, strict=True)]
        longest = sides.index(max(sides))
        cuts[longest] = min(cuts[longest] + 1, shape[longest])
    return tuple(cuts)


def boxes(shape: Sequence[int], cuts: Sequence[int]) -> Iterator[Box]:
    """Yield the boxes of a lattice in lexicographic order, which is the order of their numbers.

    Examples
    --------
    >>> list(boxes((3, 2), (2, 1)))
    [((0, 1), (0, 2)), ((1, 3), (0, 2))]
    """
    for corner in product(*map(range, cuts)):
        yield tuple(
            (length * i // cut, length * (i + 1) // cut) for i, length, cut in zip(corner, shape, cuts, strict=True)
        )


@checked
def by_cubes(shape: Sequence[int], blocks: int) -> Ints:
    """Return the box number of each dataset of a lattice of this shape, in lexicographic order.

    Examples
    --------
    >>> by_cubes((4, 2), 2)
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """
    require_each("shape", shape, Integral)
    number = np.empty(tuple(shape), np.int32)
    for i, box in enumerate(boxes(shape, pieces(shape, blocks))):
        number[tuple(slice(*side) for side in box)] = i
    return number.ravel()


@checked
def by_growth(graph: DatasetGraph, blocks: int) -> Ints:
    """Return the block number of each dataset, with blocks of equal size, each grown from a rim.

    Examples
    --------
    >>> import neodp
    >>> by_growth(neodp.generate.path(6), 3).tolist()
    [1, 1, 2, 2, 0, 0]
    """
    if blocks < 1:
        raise GraphError(f"there are {blocks} blocks", "give at least 1")
    indptr, neighbor, _ = graph.adjacency_of(np.ones(graph.edges, np.bool_), numbered=False)
    part = np.zeros(len(graph), np.int32)
    todo = [(np.arange(len(graph), dtype=np.int32), 0, min(blocks, max(len(graph), 1)))]
    while todo:
        members, number, count = todo.pop()
        if count == 1:
            continue
        rim = compiled.kernel.visit(indptr, neighbor, part, members, members[0])[-1]
        order = compiled.kernel.visit(indptr, neighbor, part, members, rim)
        half = count // 2
        at = len(order) * half // count
        part[order[at:]] = number + half
        todo += [(order[:at].copy(), number, half), (order[at:].copy(), number + half, count - half)]
    return part


@checked
def by_prefix(graph: DatasetGraph, length: int) -> Ints:
    """Return the block number of each dataset, where keys with the same first `length` characters share a block.

    Examples
    --------
    >>> import neodp
    >>> by_prefix(neodp.generate.hypercube(3), 1)
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """
    import pyarrow.compute as pc

    if not 1 <= length < 2**31:
        raise GraphError(f"the prefix has {length} characters", "give at least 1, and fewer than 2^31")
    prefix = pc.utf8_slice_codeunits(graph.keys, 0, length)
    number: NDArray[np.int32] = pc.rank(prefix, tiebreaker="dense").to_numpy().astype(np.int32) - 1
    return number
