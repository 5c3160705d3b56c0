"""The columns of one graph in the embedded file, read as a whole or around some datasets.

Edges are stored in the order of their sources (CSR): ``out.start`` gives the first edge that starts at a dataset, and
``in.start`` gives the position in ``in.edge`` of the first number of an edge that ends there. An edge has the number of
its *level*, its pair of epsilon and delta, of which there are few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from neodp.store.embedded.columns import Array, Column, Columns, ranges
from neodp.store.embedded.texts import Texts
from neodp.store.records import Stamp, StoredGraph

if TYPE_CHECKING:
    from neodp.data.graph import DatasetGraph
    from neodp.data.validation import Floats

__all__ = ["Content", "HalfEdges", "Held", "levels_of"]


class HalfEdges(NamedTuple):
    """The edges at some datasets: which of these each edge starts at, its other end, and its epsilon and delta."""

    at: Array
    neighbor: Array
    epsilon: Floats
    delta: Floats


class Content:
    """The columns of a graph.

    Parameters
    ----------
    columns : Columns
    row : mapping
        The graph's row of the table ``graph``.
    colors : tuple of str
    """

    def __init__(self, columns: Columns, row: Mapping[str, Any], colors: tuple[str, ...]) -> None:
        self._columns, self._row, self.colors = columns, row, colors
        n, m, k, content = row["datasets"], row["edges"], len(colors), row["content"]
        self._keys = Texts(columns, content, "key", n)
        self._color = Column(content, "color", "i1", n)
        self._preference = Column(content, "preference", "i1", n, k)
        self._ends = [Column(content, end, "<i4", m) for end in ("source", "target")]
        self._level = Column(content, "level", _code(row["levels"]), m)
        self._levels = Column(content, "levels", "<f8", row["levels"], 2)
        self._out = Column(content, "out.start", "<i4", n + 1)
        self._in = Column(content, "in.start", "<i4", n + 1)
        self._incoming = Column(content, "in.edge", "<i4", m)
        self._alpha = Column(row["revision"], "alpha", "<f8", n, k)

    # --- writing ------------------------------------------------------------------------------------------

    def write(self, graph: DatasetGraph, level: Array, levels: Floats) -> None:
        """Write all of a graph, whose edges have the given levels."""
        order = slice(None) if _ascending(graph.source) else np.argsort(graph.source, kind="stable")
        source, target = graph.source[order], graph.target[order]
        self._keys.write(graph.keys)
        self._columns.write(self._color, graph.color)
        if graph.preference is not None:
            self._columns.write(self._preference, graph.preference)
        for column, end in zip(self._ends, (source, target), strict=True):
            self._columns.write(column, end)
        self._columns.write(self._level, level[order])
        self._columns.write(self._levels, levels)
        self._columns.write(self._out, _starts(source, len(graph)))
        self._columns.write(self._in, _starts(target, len(graph)))
        self._columns.write(self._incoming, np.argsort(target, kind="stable"))
        self.write_alpha(graph.alpha)

    def write_alpha(self, alpha: Floats) -> None:
        """Write alpha, a row per dataset."""
        self._columns.write(self._alpha, alpha)

    # --- reading ------------------------------------------------------------------------------------------

    def read(self) -> StoredGraph:
        """Return the whole graph."""
        levels = self._columns.read(self._levels)
        level = self._columns.read(self._level)
        columns = {
            "keys": self._keys.read(),
            "color": self._columns.read(self._color),
            "source": self._columns.read(self._ends[0]),
            "target": self._columns.read(self._ends[1]),
            "epsilon": levels[:, 0][level],
            "delta": levels[:, 1][level],
            "alpha": self._columns.read(self._alpha),
            "preference": self._columns.read(self._preference) if self._row["ordered"] else None,
        }
        stamp = Stamp(self._row["revision"], columns)
        return StoredGraph(**columns, colors=self.colors, name=self._row["name"], stamp=stamp)

    def find(self, keys: Sequence[str]) -> Array:
        """Return the positions of some datasets; -1 where there is none."""
        return self._keys.find(keys)

    def names(self, places: Array) -> list[str]:
        """Return the keys of some datasets."""
        return self._keys.at(places)

    def color(self, places: Array) -> Array:
        """Return the colours of some datasets, as positions."""
        return self._columns.take(self._color, places)

    def alpha(self, places: Array) -> Floats:
        """Return the alpha of some datasets, as rows."""
        return self._columns.take(self._alpha, places)

    def preference(self, places: Array) -> Array | None:
        """Return how some datasets order the colours, as rows; None if no dataset of the graph orders them."""
        return self._columns.take(self._preference, places) if self._row["ordered"] else None

    def edges_at(self, places: Array) -> HalfEdges:
        """Return the edges at some datasets, in either direction."""
        both = np.concatenate([places, places + 1])
        out_start, out_end = np.split(self._columns.take(self._out, both).astype(np.int64), 2)
        in_start, in_end = np.split(self._columns.take(self._in, both).astype(np.int64), 2)
        outgoing = ranges(out_start, out_end)
        incoming = self._columns.take(self._incoming, ranges(in_start, in_end)).astype(np.int64)
        ends = (self._columns.take(self._ends[1], outgoing), self._columns.take(self._ends[0], incoming))
        at = [
            np.repeat(np.arange(len(places)), end - start) for start, end in ((out_start, out_end), (in_start, in_end))
        ]
        level = self._columns.take(self._level, np.concatenate([outgoing, incoming])).astype(np.int64)
        pairs = self._columns.take(self._levels, level)
        neighbor = np.concatenate(ends).astype(np.int64)
        return HalfEdges(np.concatenate(at), neighbor, pairs[:, 0].copy(), pairs[:, 1].copy())


class Held:
    """A graph that was read as a whole and stays in memory, with the interface of :class:`Content`."""

    def __init__(self, graph: StoredGraph) -> None:
        self.graph, self.colors = graph, graph.colors

    @cached_property
    def _names(self) -> list[str]:
        return self.graph.keys.to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._names)}

    def find(self, keys: Sequence[str]) -> Array:
        """Return the positions of some datasets; -1 where there is none."""
        return np.array([self._place.get(key, -1) for key in keys], np.int64)

    def names(self, places: Array) -> list[str]:
        """Return the keys of some datasets."""
        return [self._names[place] for place in places.tolist()]

    def color(self, places: Array) -> Array:
        """Return the colours of some datasets, as positions."""
        return self.graph.color[places]

    def alpha(self, places: Array) -> Floats:
        """Return the alpha of some datasets, as rows."""
        return self.graph.alpha[places]

    def preference(self, places: Array) -> Array | None:
        """Return how some datasets order the colours, as rows; None if no dataset of the graph orders them."""
        return None if self.graph.preference is None else self.graph.preference[places]

    def edges_at(self, places: Array) -> HalfEdges:
        """Return the edges at some datasets, in either direction."""
        start, neighbor, edge = self.graph.adjacency
        half = ranges(start[places], start[places + 1])
        at = np.repeat(np.arange(len(places)), start[places + 1] - start[places])
        found = edge[half]
        return HalfEdges(at, neighbor[half].astype(np.int64), self.graph.epsilon[found], self.graph.delta[found])


def levels_of(graph: DatasetGraph) -> tuple[Array, Floats]:
    """Return the level of each edge, and the pairs of epsilon and delta, bit for bit."""
    columns = (np.ascontiguousarray(column).view(np.int64) for column in (graph.epsilon, graph.delta))
    (code, epsilon), (other, delta) = map(_numbered, columns)
    if len(delta) > 1:
        code, pair = _numbered(code.astype(np.int64) * len(delta) + other)
        epsilon, delta = epsilon[pair // len(delta)], delta[pair % len(delta)]
    return code.astype(_code(len(epsilon))), np.column_stack(np.broadcast_arrays(epsilon, delta)).view(np.float64)


def _numbered(values: Array) -> tuple[Array, Array]:
    """Return the number of each value, and the different values."""
    import pyarrow as pa

    if (values == values[:1]).all():  # sooner than to look each one up
        return np.zeros(len(values), np.int32), values[:1]
    found = pa.array(values).dictionary_encode()
    return found.indices.to_numpy(), found.dictionary.to_numpy()


def _code(levels: int) -> str:
    """Return the type of the number of a level."""
    return "u1" if levels <= 2**8 else "<u2" if levels <= 2**16 else "<u4"


def _ascending(values: Array) -> bool:
    return bool((values[1:] >= values[:-1]).all())


def _starts(ends: Array, count: int) -> Array:
    """Return where the edges of each dataset begin if they are sorted by dataset, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))]).astype(np.int32)
