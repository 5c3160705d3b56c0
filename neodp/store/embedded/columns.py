"""Columns of numbers in the embedded file: arrays in parts, each with a digest, read as a whole or at some positions.

A column belongs to a *version*, a name that is used once: for one load of a graph, one choice of alpha, one mechanism.
A part is a row of the table ``chunk``: its bytes, little-endian, and the SHA-256 of version, name, number and bytes. A
part that was altered, moved or lost is refused, never read. A part without bytes stands for NaN throughout, as when no
dataset of a part has alpha.

The columns of a version do not change (except through :meth:`Columns.put`), so that parts that were read and checked
can stay in memory.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.errors import DamagedStore
from neodp.store.embedded.file import File

__all__ = ["Array", "Column", "Columns", "ranges"]

Array: TypeAlias = NDArray[Any]
PART = 2**17
"""The number of bytes in a part."""
KEPT = 256
"""The number of parts that stay in memory after they were read: 32 MiB."""


@dataclass(frozen=True)
class Column:
    """The name of a column and its form: `count` rows of type `dtype`, each of `width` numbers unless that is None.

    A column that is not `fixed` may be changed by ``put``, also in other processes, so its parts do not stay in memory.
    """

    version: str
    name: str
    dtype: str
    count: int
    width: int | None = None
    fixed: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row."""
        return () if self.width is None else (self.width,)

    @property
    def rows(self) -> int:
        """The number of rows in each part but the last."""
        return _rows(self.dtype, self.width)

    @property
    def parts(self) -> int:
        """The number of parts."""
        return -(-self.count // self.rows)

    def size(self, part: int) -> int:
        """Return the number of rows in a part."""
        return min(self.rows, self.count - part * self.rows)


class Columns:
    """The columns of a file."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._kept: OrderedDict[tuple[str, str, int], Array | None] = OrderedDict()

    def write(self, column: Column, values: Array) -> None:
        """Write a column, within a transaction that writes."""
        assert values.shape == (column.count, *column.shape), (column, values.shape)
        values = np.ascontiguousarray(values, column.dtype)
        floating = values.dtype.kind == "f"
        for part in range(column.parts):
            rows = values[part * column.rows : part * column.rows + column.size(part)]
            void = floating and np.isnan(rows[0]).all() and np.isnan(rows).all()
            self._insert(column, part, b"" if void else rows.data.cast("B"))

    def write_nan(self, column: Column) -> None:
        """Write a column that is NaN throughout, to be changed by ``put``."""
        for part in range(column.parts):
            self._insert(column, part, b"")

    def read(self, column: Column) -> Array:
        """Return a whole column."""
        found = np.empty((column.count, *column.shape), column.dtype)
        parts = self._file.execute(
            "SELECT part, data, digest FROM chunk WHERE version = ? AND name = ? ORDER BY part",
            [column.version, column.name],
        )
        if [row[0] for row in parts] != list(range(column.parts)):
            raise self._damaged(column)
        for part, data, digest in parts:
            rows = self._checked(column, part, data, digest)
            found[part * column.rows : (part + 1) * column.rows] = np.nan if rows is None else rows
        return found

    def part(self, column: Column, part: int) -> Array | None:
        """Return a part of a column; None if it is NaN throughout."""
        place = (column.version, column.name, part)
        if place in self._kept:
            self._kept.move_to_end(place)
            return self._kept[place]
        found = self._file.execute("SELECT data, digest FROM chunk WHERE version = ? AND name = ? AND part = ?", place)
        if not found:
            raise self._damaged(column)
        rows = self._checked(column, part, *found[0])
        if column.fixed:
            self._kept[place] = rows
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return rows

    def take(self, column: Column, places: Array) -> Array:
        """Return a column at some positions, from the parts that contain them."""
        found = np.empty((len(places), *column.shape), column.dtype)
        part_of = places // column.rows
        parts = sorted(set(part_of.tolist()))
        for part in parts:
            here = part_of == part if len(parts) > 1 else slice(None)
            rows = self.part(column, part)
            found[here] = np.nan if rows is None else rows[places[here] - part * column.rows]
        return found

    def put(self, column: Column, places: Array, values: Array) -> None:
        """Change a column of doubles at some positions, within a transaction that writes."""
        assert not column.fixed
        part_of = places // column.rows
        for part in sorted(set(part_of.tolist())):
            here, before = part_of == part, self.part(column, part)
            rows = np.full((column.size(part), *column.shape), np.nan) if before is None else before.copy()
            rows[places[here] - part * column.rows] = values[here]
            self._insert(column, part, rows.data.cast("B"))

    def delete(self, *versions: str | None) -> None:
        """Delete all columns of some versions, within a transaction that writes."""
        for version in versions:
            if version is not None:
                self._file.execute("DELETE FROM chunk WHERE version = ?", [version])

    def verify(self) -> None:
        """Check the digests of all parts of all columns.

        Raises
        ------
        DamagedStore
            If a part was altered.
        """
        for row in self._file.execute("SELECT rowid FROM chunk"):
            (found,) = self._file.execute("SELECT version, name, part, data, digest FROM chunk WHERE rowid = ?", row)
            version, name, part, data, digest = found
            column = Column(version, name, "u1", 0)
            if not isinstance(data, bytes) or _digest(column, part, data) != digest:
                raise self._damaged(column)

    def _insert(self, column: Column, part: int, data: bytes | memoryview) -> None:
        values = [column.version, column.name, part, data, _digest(column, part, data)]
        self._file.execute("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?, ?, ?)", values)

    def _checked(self, column: Column, part: int, data: Any, digest: Any) -> Array | None:
        """Return the rows of a part after checking its digest."""
        if not isinstance(data, bytes) or _digest(column, part, data) != digest:
            raise self._damaged(column)
        if not data:
            return None
        return np.frombuffer(data, np.dtype(column.dtype).newbyteorder("<")).reshape(column.size(part), *column.shape)

    def _damaged(self, column: Column) -> DamagedStore:
        return self._file.damaged(f"the column {column.name!r} of a graph or profile was altered")


def _rows(dtype: str, width: int | None) -> int:
    return max(1, PART // (int(dtype[-1]) * (1 if width is None else width)))


def ranges(start: Array, end: Array) -> Array:
    """Return the integers from each start up to, but not including, each end, one range after another.

    Examples
    --------
    >>> ranges(np.array([3, 10]), np.array([5, 11]))
    array([ 3,  4, 10])
    """
    length = end - start
    before = np.cumsum(length) - length
    found: Array = np.arange(int(length.sum())) + np.repeat(start - before, length)
    return found


def _digest(column: Column, part: int, data: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(f"{column.version}\0{column.name}\0{part}\0".encode())
    digest.update(data)
    return digest.digest()
