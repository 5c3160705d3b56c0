"""Columns of strings in the embedded file, and an index that finds the position of a string.

Strings are stored as two columns, as in Arrow: their UTF-8 bytes one after another, and the position at which each
begins. The index is two more columns: a 64-bit hash of every string, ascending, and the position of the string. The
hashes are spread evenly, so the part that contains a hash can be predicted: to find a string takes one or two parts of
the index, however many strings there are. A hash only tells where to look; the strings themselves are compared.

The hash of the bytes b_0, b_1, … is the sum of (b_i + 1) R^i modulo 2^64 for an odd R, and then mixed (the finalizer of
SplitMix64). Prefix sums compute it for many strings at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from neodp.store.embedded.columns import Array, Column, Columns, ranges

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Texts", "hashes"]

R = 0x9E3779B97F4A7C15
R_INVERSE = pow(R, -1, 2**64)
BLOCK = 2**16
"""The number of bytes that are hashed at once."""


class Texts:
    """A column of strings.

    Parameters
    ----------
    columns : Columns
    version, name : str
        The version and the name of the column.
    count : int
        Number of strings.
    """

    def __init__(self, columns: Columns, version: str, name: str, count: int) -> None:
        self._columns, self._version, self._name = columns, version, name
        self._ends = Column(version, f"{name}.start", "<i4", count + 1)
        self._hash = Column(version, f"{name}.hash", "<u8", count)
        self._place = Column(version, f"{name}.place", "<i4", count)

    def write(self, texts: pa.StringArray, *, indexed: bool = True) -> None:
        """Write all strings, with an index if `indexed`."""
        start, data = _buffers(texts)
        self._columns.write(self._ends, start)
        self._columns.write(self._bytes(len(data)), data)
        if indexed:
            found = hashes(start, data)
            order = np.argsort(found)
            self._columns.write(self._hash, found[order])
            self._columns.write(self._place, order.astype(np.int32))

    def read(self) -> pa.StringArray:
        """Return all strings."""
        import pyarrow as pa

        start = self._columns.read(self._ends)
        data = self._columns.read(self._bytes(int(start[-1])))
        return pa.StringArray.from_buffers(len(start) - 1, pa.py_buffer(start), pa.py_buffer(data))

    def at(self, places: Array) -> list[str]:
        """Return the strings at some positions."""
        ends = self._columns.take(self._ends, np.concatenate([places, places + 1])).astype(np.int64)
        start, end = ends[: len(places)], ends[len(places) :]
        total = int(self._columns.take(self._ends, np.array([self._ends.count - 1]))[0])
        data = self._columns.take(self._bytes(total), ranges(start, end)).tobytes()
        cuts = np.concatenate([[0], np.cumsum(end - start)]).tolist()
        return [data[a:b].decode() for a, b in pairwise(cuts)]

    def find(self, texts: Sequence[str]) -> Array:
        """Return the positions of some strings; -1 where there is no such string."""
        encoded = [text.encode(errors="surrogatepass") for text in texts]
        start = np.concatenate([[0], np.cumsum([len(text) for text in encoded])])
        wanted = hashes(start, np.frombuffer(b"".join(encoded), np.uint8))
        found = np.full(len(texts), -1, np.int64)
        for i, (text, number) in enumerate(zip(texts, wanted.tolist(), strict=True)):
            places = self._candidates(number)
            for place, other in zip(places.tolist(), self.at(places), strict=True):
                if other == text:
                    found[i] = place
        return found

    def _candidates(self, number: int) -> Array:
        """Return the positions of all strings with a hash."""
        column = self._hash
        if not column.count:
            return np.empty(0, np.int64)
        part = min(number * column.count >> 64, column.count - 1) // column.rows
        while part > 0 and self._part(part)[0] >= number:
            part -= 1
        while part < column.parts - 1 and self._part(part)[-1] < number:
            part += 1
        found = []
        while part < column.parts and self._part(part)[0] <= number:
            low, high = (np.searchsorted(self._part(part), np.uint64(number), side) for side in ("left", "right"))
            found.append(np.arange(low, high) + part * column.rows)
            part += 1
        return self._columns.take(self._place, np.concatenate(found or [np.empty(0, np.int64)])).astype(np.int64)

    def _part(self, part: int) -> Array:
        rows = self._columns.part(self._hash, part)
        assert rows is not None
        return rows

    def _bytes(self, count: int) -> Column:
        return Column(self._version, self._name, "u1", count)


def _buffers(texts: pa.StringArray) -> tuple[Array, Array]:
    """Return the positions at which each string begins and the last one ends, and the bytes of all strings."""
    _, start, data = texts.buffers()
    if not len(texts):
        return np.zeros(1, np.int32), np.empty(0, np.uint8)
    ends = np.frombuffer(start, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return ends - ends[0], text[ends[0] : ends[-1]]


def hashes(start: Array, data: Array) -> Array:
    """Return a 64-bit hash of every string.

    Examples
    --------
    >>> one, two, three = hashes(np.array([0, 2, 4, 5]), np.frombuffer(b"ababa", np.uint8))
    >>> one == two, two == three
    (np.True_, np.False_)
    """
    start = start.astype(np.int64)
    found = np.empty(len(start) - 1, np.uint64)
    first = 0
    while first < len(found):
        last = int(np.searchsorted(start, int(start[first]) + BLOCK, "right")) - 1
        last = min(max(last, first + 1), len(found))
        block = slice(first, last)
        found[block] = _block(start[first : last + 1] - start[first], data[start[first] : start[last]])
        first = last
    return _mixed(found)


def _block(start: Array, data: Array) -> Array:
    """Return the sums of some strings, by prefix sums over all of them."""
    powers = _powers(R, len(data))
    sums = np.zeros(len(data) + 1, np.uint64)
    np.cumsum((data.astype(np.uint64) + np.uint64(1)) * powers, out=sums[1:])
    back: Array = (sums[start[1:]] - sums[start[:-1]]) * _powers(R_INVERSE, len(data) + 1)[start[:-1]]
    return back


def _powers(base: int, count: int) -> Array:
    """Return the first powers of a number modulo 2^64."""
    return (_all_powers(base, BLOCK + 1) if count <= BLOCK + 1 else _all_powers.__wrapped__(base, count))[:count]


@cache
def _all_powers(base: int, count: int) -> Array:
    found = np.full(count, base, np.uint64)
    found[:1] = 1
    return np.cumprod(found, out=found)


def _mixed(x: Array) -> Array:
    """Mix numbers, so that close ones end up far apart."""
    x = x + np.uint64(R)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Array = x ^ (x >> np.uint64(31))
    return mixed
