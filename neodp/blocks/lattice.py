"""The families ``grid`` and ``counts``, box by box: a graph of any size, with only one box in memory at a time.

A lattice is cut into boxes by :func:`neodp.blocks.partition.boxes`. In a box, datasets are in lexicographic order. An
edge along an axis leads from a coordinate to the next one; it is stored in the box of the lower coordinate, and it is a
cut edge if the box ends at that coordinate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neodp.blocks.folder import Alpha, BlockEdges, Folder, write_blocks
from neodp.blocks.partition import Box, boxes, pieces
from neodp.data.generate.lattices import UnbuiltLattice
from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.data.validation import Ints
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_lattice"]

LARGEST_BLOCK = 100_000_000
"""The greatest number of datasets in one block, so that places and half-edges fit into 32 bits."""


@checked
def write_lattice(
    lattice: UnbuiltLattice,
    path: str | os.PathLike[str],
    blocks: int,
    *,
    progress: Progress = silent,
) -> Folder:
    """Write a graph of ``grid`` or ``counts`` as a folder of blocks, one box after another.

    Parameters
    ----------
    lattice : UnbuiltLattice
        A lattice from :func:`neodp.generate.grid_lattice` or :func:`neodp.generate.counts_lattice`.
    path : path
        A folder that is empty or does not exist yet.
    blocks : int
        The least number of boxes.

    Raises
    ------
    GraphError
        If a box would be too large, or the path already exists and is not an empty folder.

    Examples
    --------
    >>> import tempfile, neodp
    >>> with tempfile.TemporaryDirectory() as path:
    ...     folder = write_lattice(neodp.generate.counts_lattice([3, 3]), path, 4)
    ...     folder.datasets, folder.edges, folder.partition, folder.keys(1).to_pylist()
    (16, 24, '2 x 2 boxes', ['0-2', '0-3', '1-2', '1-3'])
    """
    cuts = pieces(lattice.shape, blocks)
    folded = list(boxes(lattice.shape, cuts))
    largest = max(_size(box) for box in folded)
    if largest > LARGEST_BLOCK:
        raise GraphError(f"a block would have {largest:,} datasets", f"take more blocks, of {LARGEST_BLOCK:,} at most")
    how = " x ".join(map(str, cuts)) + " boxes"
    none = Alpha(np.empty(0, np.int32), np.empty(0), np.empty(0))

    def contents() -> Iterator[tuple[pa.StringArray, NDArray[np.int8], BlockEdges, Alpha]]:
        for number, box in enumerate(folded):
            total: NDArray[np.int64] = reduce(np.add.outer, [np.arange(*side) for side in box]).ravel()
            yield _keys(box), (total < lattice.threshold).astype(np.int8), _edges(lattice, cuts, folded, number), none

    folder = Folder(Path(path), lattice.name, lattice.colors, len(folded), 0, 0, how)
    return write_blocks(folder, contents(), progress=progress)


def _size(box: Box) -> int:
    size = 1
    for begin, end in box:
        size *= end - begin
    return size


def _keys(box: Box) -> pa.StringArray:
    """Return the keys of a box, such as 3-1-2."""
    import pyarrow as pa
    import pyarrow.compute as pc

    shape = [end - begin for begin, end in box]
    size, stride = _size(box), _size(box)
    columns = []
    for (begin, end), length in zip(box, shape, strict=True):
        stride //= length
        names = pa.array(np.arange(begin, end)).cast(pa.string())
        columns.append(names.take(pa.array((np.arange(size, dtype=np.int32) // stride) % length)))
    return columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, "-")


def _edges(lattice: UnbuiltLattice, cuts: Sequence[int], folded: Sequence[Box], number: int) -> BlockEdges:
    """Return the edges whose lower end is in a box."""
    box = folded[number]
    shape = [end - begin for begin, end in box]
    place = np.arange(_size(box), dtype=np.int32).reshape(shape)
    columns: list[tuple[Ints, Ints, Ints, float, float]] = []
    step = len(folded)
    for axis, cut in enumerate(cuts):
        step //= cut  # how far the next box along this axis is
        allowed = float(lattice.epsilon[axis]), float(lattice.delta[axis])
        low = place.take(range(shape[axis] - 1), axis=axis).ravel()
        high = place.take(range(1, shape[axis]), axis=axis).ravel()
        columns.append((low, np.full(len(low), number, np.int32), high, *allowed))
        if box[axis][1] < lattice.shape[axis]:
            beyond = folded[number + step]
            there = np.arange(_size(beyond), dtype=np.int32).reshape([end - begin for begin, end in beyond])
            face, far = place.take(-1, axis=axis).ravel(), there.take(0, axis=axis).ravel()
            columns.append((face, np.full(len(face), number + step, np.int32), far, *allowed))
    lengths = [len(column[0]) for column in columns]
    return BlockEdges(
        *(np.concatenate([column[i] for column in columns]) for i in range(3)),
        *(np.repeat([column[i] for column in columns], lengths) for i in (3, 4)),
    )
