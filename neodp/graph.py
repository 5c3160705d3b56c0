"""Graphs of datasets.

A *dataset graph* has a vertex for every possible dataset, an edge between every two neighbouring datasets,
and a colour per vertex: the true answer of the question. Each edge has its own (epsilon, delta). Where the
mechanism's behaviour is given, a vertex has *alpha*, a distribution over the colours. With more than two colours a
vertex also orders them by *preference*, best first; its colour is the first.

It is kept as columns: one array per property, one entry per dataset or per edge.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.errors import GraphError, UnknownKey, near

if TYPE_CHECKING:
    import networkx as nx
    import pyarrow as pa

__all__ = [
    "MAX_EPSILON",
    "Adjacency",
    "DatasetGraph",
    "distributions",
    "line_of",
    "plain",
    "preferences",
    "read_columns",
]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]

MAX_EPSILON = 690.0
"""The largest epsilon: e^690 and its products still fit a double, and nobody can tell it from no privacy."""
SMALLEST = 2.0**-1022
"""The smallest positive alpha: the smallest normal double."""


class Adjacency(NamedTuple):
    """Edges from both of their ends (CSR): vertex v has ``neighbor[indptr[v]:indptr[v + 1]]``."""

    indptr: NDArray[np.int64]
    neighbor: Ints
    edge: Ints


@dataclass(frozen=True, eq=False, repr=False)
class DatasetGraph:
    """An immutable dataset graph. Make one with ``from_columns``, ``from_networkx`` or ``from_csv``.

    Attributes
    ----------
    keys : pyarrow.StringArray
        The name of each dataset.
    colors : tuple of str
        The possible answers; the first is "the first colour".
    color : array of int
        Per dataset, the position of its true answer in ``colors``.
    source, target : arrays of int
        The two ends of each edge; an edge is undirected and stands once.
    epsilon, delta : arrays of float
        What each edge allows.
    alpha : array of float, one row per dataset, one column per colour
        The given distributions; a row of NaN where none is given. Every entry but the largest is exact; the
        largest stands for one minus the rest.
    name : str
        What to call the graph.
    preference : array of int, one row per dataset, or None
        The colours of each dataset as positions in ``colors``, best first; a row of -1 where they are not ordered. None
        where no dataset orders them.
    """

    keys: pa.StringArray
    colors: tuple[str, ...]
    color: NDArray[np.int8]
    source: Ints
    target: Ints
    epsilon: Floats
    delta: Floats
    alpha: Floats
    name: str = field(default="graph")
    preference: NDArray[np.int8] | None = field(default=None)

    def __post_init__(self) -> None:
        for column in (self.color, self.source, self.target, self.epsilon, self.delta, self.alpha):
            column.setflags(write=False)
        if self.preference is not None:
            self.preference.setflags(write=False)

    # --- making one -------------------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls,
        keys: Any,
        color: Any,
        source: Any,
        target: Any,
        epsilon: Any,
        delta: Any = 0.0,
        alpha: Any = None,
        preference: Any = None,
        *,
        colors: Sequence[str] | None = None,
        name: str = "graph",
    ) -> DatasetGraph:
        """A graph from columns: numpy or Arrow arrays, or lists.

        Parameters
        ----------
        keys : strings
            One per dataset, all different.
        color : strings, or positions in `colors`
            The true answer of each dataset.
        source, target : keys, or positions in `keys`
            The two ends of each edge. The same pair twice with equal values is one edge.
        epsilon, delta : floats, or one float for all edges
            0 <= epsilon <= 690 and 0 <= delta <= 1.
        alpha : floats, rows of floats, or a mapping from keys to either, optional
            Pr[first colour] with two colours, or a distribution in the order of `colors`; NaN or null where
            it is not given.
        preference : rows of strings, rows of positions in `colors`, or a mapping from keys to either, optional
            All colours, best first; the first is the dataset's own. Null, or a row of -1, where it is not given.
        colors : strings, optional
            The possible answers; by default those that occur as a colour, or in the first preference, sorted.

        Raises
        ------
        GraphError
            If a value is not one; the message names the place.

        Examples
        --------
        >>> g = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 0.5, colors=["yes", "no"])
        >>> len(g), g.edges, g.colors
        (2, 1, ('yes', 'no'))
        """
        return _build(
            _Columns(keys, color, source, target, epsilon, delta, alpha, preference),
            colors=colors,
            name=name,
            places=_Places(),
        )

    @classmethod
    def from_networkx(
        cls,
        graph: nx.Graph,
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
    ) -> DatasetGraph:
        """A graph from networkx: nodes have `color` and perhaps `alpha` and `preference`, edges `epsilon`
        and perhaps `delta`.

        Nodes and colours that are not strings become what ``str`` makes of them. `colors` defaults to
        ``graph.graph["colors"]``; `epsilon` and `delta` fill the gaps.

        Examples
        --------
        >>> import networkx as nx
        >>> G = nx.path_graph(2)
        >>> nx.set_node_attributes(G, {0: "blue", 1: "red"}, "color")
        >>> DatasetGraph.from_networkx(G, epsilon=1.0)
        <DatasetGraph 'graph': 2 datasets, 1 edge, colours blue, red>
        """
        keys = [str(v) for v in graph]
        position = {v: i for i, v in enumerate(graph)}
        color = [_text(c) for _, c in graph.nodes(data="color")]
        edges = list(graph.edges(data=True))
        named = colors if colors is not None else graph.graph.get("colors")
        columns = _Columns(
            keys,
            color,
            np.fromiter((position[u] for u, _, _ in edges), np.int64, len(edges)),
            np.fromiter((position[v] for _, v, _ in edges), np.int64, len(edges)),
            [d.get("epsilon", epsilon) for _, _, d in edges],
            [d.get("delta", delta) for _, _, d in edges],
            [a for _, a in graph.nodes(data="alpha")],
            [[str(c) for c in p] if isinstance(p, list | tuple) else p for _, p in graph.nodes(data="preference")],
        )
        return _build(
            columns,
            colors=named and [str(c) for c in named],
            name=name or str(graph.graph.get("name") or "graph"),
            places=_Places(),
        )

    @classmethod
    def from_csv(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
    ) -> DatasetGraph:
        """A graph from two CSV files, ``key,color[,alpha][,preference]`` and
        ``source,target[,epsilon][,delta]``.

        A distribution is joined by semicolons (``0.2;0.8``), and so is a preference (``red;blue;green``); `epsilon` and
        `delta` fill the gaps.
        """
        places = _Files(Path(nodes), Path(edges))
        vertices = _read_csv(places.nodes, *_NODE_COLUMNS)
        links = _read_csv(places.edges, *_EDGE_COLUMNS)
        columns = _Columns(
            vertices["key"],
            vertices["color"],
            links["source"],
            links["target"],
            places.numbers(links["epsilon"], "epsilon", epsilon),
            places.numbers(links["delta"], "delta", delta),
            places.distributions(vertices["alpha"]),
            places.preferences(vertices["preference"]),
        )
        return _build(columns, colors=colors, name=name or places.nodes.stem, places=places)

    @classmethod
    def from_parquet(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
    ) -> DatasetGraph:
        """As ``from_csv``, from two Parquet files; alpha is a column of numbers or lists, preference one of lists."""
        import pyarrow.compute as pc

        vertices = _read_parquet(Path(nodes), *_NODE_COLUMNS)
        links = _read_parquet(Path(edges), *_EDGE_COLUMNS)
        gaps = {"epsilon": epsilon, "delta": delta}
        for column, default in gaps.items():
            if links[column] is None:
                links[column] = default
            elif default is not None:
                links[column] = pc.fill_null(links[column], default)
        columns = _Columns(
            vertices["key"],
            vertices["color"],
            links["source"],
            links["target"],
            links["epsilon"],
            links["delta"],
            vertices["alpha"],
            vertices["preference"],
        )
        return _build(columns, colors=colors, name=name or Path(nodes).stem, places=_Places())

    def with_alpha(self, alpha: ArrayLike | Mapping[str, Any] | None) -> Self:
        """The same graph with this alpha instead, in any of the forms of ``from_columns``.

        Examples
        --------
        >>> g = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 0.5)
        >>> g.with_alpha({"a": 0.6}).given
        array([ True, False])
        """
        return replace(self, alpha=distributions(alpha, self.keys, len(self.colors)))

    # --- looking at it ----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.color)

    def __repr__(self) -> str:
        return (
            f"<DatasetGraph {self.name!r}: {_count(len(self), 'dataset')}, {_count(self.edges, 'edge')}, "
            f"colours {', '.join(self.colors)}>"
        )

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.source)

    @property
    def given(self) -> Bools:
        """Per dataset, whether alpha is given there."""
        return ~np.isnan(self.alpha[:, 0])

    @cached_property
    def crossing(self) -> Bools:
        """Per edge, whether its ends differ in colour, or in how they order the colours: a boundary edge."""
        kind = self.color if self.preference is None else self.order
        crossing: Bools = kind[self.source] != kind[self.target]
        crossing.setflags(write=False)
        return crossing

    @cached_property
    def _ordered(self) -> tuple[NDArray[np.int8], Ints]:
        """The different orders, as rows of positions, and which of them each dataset has."""
        rows = np.full((len(self), len(self.colors)), -1, np.int8)
        if self.preference is not None:
            rows[:] = self.preference
        rows[:, 0] = self.color
        if len(self.colors) == 2:
            rows[:, 1] = 1 - self.color
        code = np.zeros(len(self), np.int64)
        for column in rows.T:  # numbers below n after every step, so that they never overflow
            _, code = np.unique(code * (len(self.colors) + 1) + column, return_inverse=True)
        _, first, order = np.unique(code, return_index=True, return_inverse=True)
        return rows[first], order.astype(np.int32)

    @property
    def orders(self) -> NDArray[np.int8]:
        """The different orders of the colours that occur, as rows of positions in ``colors``, best first.

        A dataset that does not order them has its colour first, and -1 for the rest; with two colours nothing is left
        to order.

        Examples
        --------
        >>> DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 0.5).orders
        array([[0, 1],
               [1, 0]], dtype=int8)
        """
        return self._ordered[0]

    @property
    def order(self) -> Ints:
        """Per dataset, the position of its order in ``orders``."""
        return self._ordered[1]

    @cached_property
    def adjacency(self) -> Adjacency:
        """Every edge from both of its ends."""
        return self.adjacency_of(np.ones(self.edges, np.bool_))

    def adjacency_of(self, keep: Bools, *, numbered: bool = True) -> Adjacency:
        """The edges where `keep` is true, from both of their ends; where not `numbered`, without their positions."""
        from neodp import kernel

        return Adjacency(*kernel.adjacency(len(self), self.source, self.target, keep, numbered))

    def key(self, vertex: int | np.integer[Any]) -> str:
        """The key of the dataset at a position."""
        return str(self.keys[int(vertex)].as_py())

    def index(self, key: str) -> int:
        """The position of a dataset.

        Raises
        ------
        UnknownKey
            If the graph has no such dataset.
        """
        import pyarrow.compute as pc

        position = pc.index(self.keys, key).as_py()
        if position < 0:
            raise UnknownKey(f"there is no dataset {key!r} in {self.name!r}", near(key, self.keys[:20_000].to_pylist()))
        return int(position)

    def preference_lists(self) -> pa.ListArray:
        """Per dataset, its colours by name, best first; null where it does not order them."""
        import pyarrow as pa

        if self.preference is None:
            return pa.nulls(len(self), pa.list_(pa.string()))
        given = self.preference[:, 0] >= 0
        offsets = np.concatenate([[0], np.cumsum(given) * len(self.colors)])
        named = pa.array(self.colors, pa.string()).take(pa.array(self.preference[given].ravel()))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), named, mask=pa.array(~given))

    def edge_name(self, edge: int) -> str:
        """An edge as ``'a' – 'b'``."""
        return f"{self.key(self.source[edge])!r} – {self.key(self.target[edge])!r}"

    # --- taking it elsewhere ----------------------------------------------------------------------------

    def to_networkx(self) -> nx.Graph:
        """The graph as networkx has it; ``from_networkx`` reads it back."""
        import networkx as nx

        keys = self.keys.to_pylist()
        graph = nx.Graph(name=self.name, colors=list(self.colors))
        graph.add_nodes_from((k, {"color": self.colors[c]}) for k, c in zip(keys, self.color.tolist(), strict=True))
        for v in np.flatnonzero(self.given).tolist():
            graph.nodes[keys[v]]["alpha"] = plain(self.alpha[v])
        for key, row in zip(keys, self.preference_lists().to_pylist(), strict=True):
            if row is not None:
                graph.nodes[key]["preference"] = row
        columns = (self.source.tolist(), self.target.tolist(), self.epsilon.tolist(), self.delta.tolist())
        graph.add_edges_from(
            (keys[u], keys[v], {"epsilon": e, "delta": d}) for u, v, e, d in zip(*columns, strict=True)
        )
        return graph

    def to_csv(self, nodes: str | PathLike[str], edges: str | PathLike[str]) -> None:
        """Write the two files that ``from_csv`` reads, every number in full."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.csv

        alpha = np.full(len(self), None, dtype=object)
        for v in np.flatnonzero(self.given).tolist():
            row = plain(self.alpha[v])
            alpha[v] = repr(row) if isinstance(row, float) else ";".join(map(repr, row))
        colors = pa.array(self.colors).take(pa.array(self.color))
        table = {"key": self.keys, "color": colors}
        if self.given.any():
            table["alpha"] = pa.array(alpha, pa.string())
        if self.preference is not None:
            table["preference"] = pc.binary_join(self.preference_lists(), ";")
        pa.csv.write_csv(pa.table(table), nodes)
        ends = {
            "source": self.keys.take(pa.array(self.source)),
            "target": self.keys.take(pa.array(self.target)),
        }
        pa.csv.write_csv(pa.table({**ends, "epsilon": self.epsilon, "delta": self.delta}), edges)


# --- columns to graph ---------------------------------------------------------------------------------------


class _Columns(NamedTuple):
    keys: Any
    color: Any
    source: Any
    target: Any
    epsilon: Any
    delta: Any
    alpha: Any
    preference: Any = None


class _Places:
    """How to name the place of a value in an error message."""

    def node(self, row: int, key: str | None = None) -> str:
        return f"dataset {key!r}" if key is not None else f"dataset {row} (counted from 0)"

    def edge(self, row: int, source: Any = None, target: Any = None) -> str:
        return f"edge {source!r} – {target!r}" if source is not None else f"edge {row} (counted from 0)"


class _Files(_Places):
    """The places of values that come from two CSV files."""

    def __init__(self, nodes: Path, edges: Path) -> None:
        self.nodes, self.edges = nodes, edges

    def node(self, row: int, key: str | None = None) -> str:
        return f"{self.nodes}, line {line_of(self.nodes, row)}"

    def edge(self, row: int, source: Any = None, target: Any = None) -> str:
        return f"{self.edges}, line {line_of(self.edges, row)}"

    def numbers(self, column: pa.Array | None, name: str, default: float | None) -> Any:
        """A column of text as floats; `default` where it is empty."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if column is None:
            return default
        column = pc.utf8_trim_whitespace(column)
        column = pc.if_else(pc.equal(column, ""), None, column)
        try:
            values = column.cast(pa.float64())
        except pa.ArrowInvalid:
            for row, text in enumerate(column.to_pylist()):
                if text is not None and not _is_number(text):
                    raise GraphError(
                        f"{self.edge(row)}: {name} is {text!r}, not a number", f"correct the {name}"
                    ) from None
            raise
        return values if default is None else pc.fill_null(values, default)

    def distributions(self, column: pa.Array | None) -> list[Any] | None:
        """A column of alpha: a number, numbers joined by semicolons, or nothing."""
        if column is None:
            return None
        rows: list[Any] = []
        for row, text in enumerate(column.to_pylist()):
            parts = (text or "").strip().split(";")
            if parts == [""]:
                rows.append(None)
                continue
            if not all(map(_is_number, parts)):
                raise GraphError(
                    f"{self.node(row)}: alpha is {text!r}",
                    "give a number or numbers joined by ';', as in 0.2;0.8",
                )
            rows.append([float(x) for x in parts] if len(parts) > 1 else float(parts[0]))
        return rows

    def preferences(self, column: pa.Array | None) -> list[Any] | None:
        """A column of colours joined by semicolons, best first, or nothing."""
        if column is None:
            return None
        texts = column.to_pylist()
        return [[part.strip() for part in text.split(";")] if text and text.strip() else None for text in texts]


def _build(columns: _Columns, *, colors: Sequence[str] | None, name: str, places: _Places) -> DatasetGraph:
    keys = _keys(columns.keys, places)
    named = _preferred(columns.preference) if colors is None else colors
    colors, color = _color(columns.color, named, keys, places)
    source = _ends(columns.source, keys, columns, places)
    target = _ends(columns.target, keys, columns, places)
    if len(source) != len(target):
        raise GraphError(f"there are {len(source)} sources and {len(target)} targets", "give one of each per edge")

    def place(e: int) -> str:
        return places.edge(e, keys[int(source[e])].as_py(), keys[int(target[e])].as_py())

    epsilon = _numbers(columns.epsilon, len(source), "epsilon", MAX_EPSILON, place)
    delta = _numbers(columns.delta, len(source), "delta", 1.0, place)
    loops = np.flatnonzero(source == target)
    if len(loops):
        raise GraphError(f"{place(loops[0])} joins a dataset to itself", "remove it")
    keep = _single(source, target, epsilon, delta, len(keys), place)
    return DatasetGraph(
        keys=keys,
        colors=colors,
        color=color,
        source=source[keep],
        target=target[keep],
        epsilon=epsilon[keep],
        delta=delta[keep],
        alpha=distributions(columns.alpha, keys, len(colors), places),
        name=name,
        preference=preferences(columns.preference, keys, colors, color, places),
    )


def _keys(keys: Any, places: _Places) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = _strings(keys, "a key", places.node)
    if len(keys) == 0:
        raise GraphError("the graph has no datasets", "give at least one")
    if len(pc.unique(keys)) < len(keys):
        counts = pc.value_counts(keys)
        twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))[0]
        row = pc.index(keys.slice(pc.index(keys, twice).as_py() + 1), twice).as_py() + pc.index(keys, twice).as_py() + 1
        raise GraphError(
            f"{places.node(row, twice.as_py())}: the key {twice.as_py()!r} stands twice", "make keys unique"
        )
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


def _color(
    color: Any, colors: Sequence[str] | None, keys: pa.StringArray, places: _Places
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(color) != len(keys):
        raise GraphError(f"there are {len(keys)} keys and {len(color)} colours", "give one colour per dataset")

    def place(row: int) -> str:
        return places.node(row, keys[row].as_py())

    positions = isinstance(color, np.ndarray) and color.dtype.kind in "iu"
    if not positions:
        color = _strings(color, "a colour", place)
    if colors is None:
        if positions:
            raise GraphError("colours are given as positions, but no colors", "name them with colors=")
        colors = sorted(pc.unique(color).to_pylist())
    named = tuple(map(str, colors))
    if len(named) < 2 or len(set(named)) < len(named):
        raise GraphError(
            f"the colours are {', '.join(named) or 'none'}", "name at least two different ones with colors="
        )
    if len(named) > 127:
        raise GraphError(f"there are {len(named)} colours", "at most 127 are possible")
    code = color if positions else pc.fill_null(pc.index_in(color, pa.array(named, pa.string())), -1).to_numpy()
    wrong = np.flatnonzero((code < 0) | (code >= len(named)))
    if len(wrong):
        row = int(wrong[0])
        found = int(color[row]) if positions else color[row].as_py()
        raise GraphError(f"{place(row)} has the unknown colour {found!r}", f"use one of {', '.join(named)}")
    return named, code.astype(np.int8)


def _ends(ends: Any, keys: pa.StringArray, columns: _Columns, places: _Places) -> Ints:
    """Keys or positions as positions."""
    import pyarrow.compute as pc

    if isinstance(ends, np.ndarray) and ends.dtype.kind in "iu":
        wrong = np.flatnonzero((ends < 0) | (ends >= len(keys)))
        if len(wrong):
            raise GraphError(
                f"{places.edge(int(wrong[0]))}: there is no dataset at position {ends[wrong[0]]}",
                f"positions go from 0 to {len(keys) - 1}",
            )
        return ends.astype(np.int32)
    ends = _strings(ends, "an end", places.edge)
    found = pc.index_in(ends, keys)
    if found.null_count:
        row = int(np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))[0])
        missing = ends[row].as_py()
        place = places.edge(row, _item(columns.source, row), _item(columns.target, row))
        raise GraphError(
            f"{place}: there is no dataset {missing!r}",
            near(missing, keys[:20_000].to_pylist()) or "add it, or remove the edge",
        )
    return np.asarray(found, dtype=np.int32)


def _numbers(values: Any, n: int, name: str, most: float, place: Any) -> Floats:
    """A column, or one number, as floats between 0 and `most`."""
    if values is None:
        raise GraphError(f"the edges have no {name}", f"give it as a column or as one number with {name}=")
    if isinstance(values, list) and None in values:
        raise GraphError(f"{place(values.index(None))} has no {name}", f"give it, or a default with {name}=")
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise GraphError(f"{name} is {values!r}, not a number", f"correct the {name}") from None
        row = next(i for i, x in enumerate(values) if not _is_number(x))
        raise GraphError(f"{place(row)}: {name} is {values[row]!r}, not a number", f"correct the {name}") from None
    if column.ndim == 0:
        if not 0.0 <= column <= most:
            raise GraphError(f"{name} is {float(column)!r}", f"give a number from 0 to {most:g}")
        column = np.broadcast_to(column, (n,))
    if column.shape != (n,):
        raise GraphError(f"there are {n} edges and {column.size} values of {name}", "give one per edge")
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= most)))
    if len(wrong):
        row = int(wrong[0])
        if isinstance(values, list | np.ndarray | float) or not _is_null(values, row):
            raise GraphError(f"{place(row)}: {name} is {float(column[row])!r}", f"give a number from 0 to {most:g}")
        raise GraphError(f"{place(row)} has no {name}", f"give it, or a default with {name}=")
    return column + 0.0  # a copy of our own, and 0 for -0


def _single(source: Ints, target: Ints, epsilon: Floats, delta: Floats, n: int, place: Any) -> Any:
    """Which edges to keep so that each pair stands once."""
    pair = np.minimum(source, target).astype(np.int64) * n + np.maximum(source, target)
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not len(again):
        return slice(None)
    one, two = order[again], order[again + 1]
    wrong = np.flatnonzero((epsilon[one] != epsilon[two]) | (delta[one] != delta[two]))
    if len(wrong):
        a, b = int(one[wrong[0]]), int(two[wrong[0]])
        raise GraphError(
            f"{place(b)} stands twice, with (epsilon, delta) ({epsilon[a]:g}, {delta[a]:g}) "
            f"and ({epsilon[b]:g}, {delta[b]:g})",
            "keep one of them",
        )
    keep = np.ones(len(source), np.bool_)
    keep[two] = False
    return keep


def distributions(alpha: Any, keys: pa.StringArray, k: int, places: _Places | None = None) -> Floats:
    """Alpha in any of the forms of ``from_columns`` as rows of doubles, the largest entry one minus the rest."""
    places = places or _Places()
    n = len(keys)
    rows = np.full((n, k), np.nan)
    if alpha is None:
        return rows
    if isinstance(alpha, Mapping):
        import pyarrow as pa
        import pyarrow.compute as pc

        where = np.asarray(pc.fill_null(pc.index_in(pa.array(alpha, pa.string()), keys), -1))
        if (where < 0).any():
            key = list(alpha)[int(np.argmin(where))]
            raise UnknownKey(f"alpha is given for {key!r}, which is no dataset", near(key, keys[:20_000].to_pylist()))
        values: Any = list(alpha.values())
    else:
        where = np.arange(n)
        values = (
            alpha
            if isinstance(alpha, np.ndarray)
            else alpha.to_pylist()
            if hasattr(alpha, "to_pylist")
            else list(alpha)
        )
        if len(values) != n:
            raise GraphError(f"there are {n} datasets and {len(values)} values of alpha", "give one per dataset")

    def place(row: int) -> str:
        return places.node(row, keys[row].as_py())

    if isinstance(values, np.ndarray) and values.ndim == 2:
        if values.shape[1] != k:
            raise GraphError(f"alpha has {values.shape[1]} columns", f"give one for each of the {k} colours")
        rows[:] = values
    elif isinstance(values, np.ndarray):
        _first(rows, where, values.astype(np.float64), k, place)
    else:
        single = [isinstance(x, int | float | np.number) for x in values]
        first = np.flatnonzero(single)
        _first(rows, where[first], np.array([float(values[i]) for i in first]), k, place)
        for i, x in enumerate(values):
            if single[i] or x is None:
                continue
            if not isinstance(x, Iterable) or len(x := list(x)) != k or not all(map(_is_number, x)):
                raise GraphError(
                    f"{place(int(where[i]))}: alpha is {x!r}",
                    f"give a number, or one for each of the {k} colours",
                )
            rows[where[i]] = x
    given = np.flatnonzero(~np.isnan(rows).all(axis=1))
    part = rows[given]
    wrong = ~((part >= 0.0) & (part <= 1.0)).all(axis=1)
    if wrong.any():
        row = int(given[np.argmax(wrong)])
        raise GraphError(f"{place(row)}: alpha is {_shown(rows[row])}", "give probabilities from 0 to 1")
    wrong = np.abs(part.sum(axis=1) - 1.0) > 1e-9
    if wrong.any():
        row = int(given[np.argmax(wrong)])
        raise GraphError(f"{place(row)}: alpha is {_shown(rows[row])} and does not add up to 1", "correct it")
    wrong = ((part > 0.0) & (part < SMALLEST)).any(axis=1)
    if wrong.any():
        row = int(given[np.argmax(wrong)])
        raise GraphError(f"{place(row)}: alpha is {_shown(rows[row])}", f"give 0 or at least {SMALLEST!r}")
    largest = part.argmax(axis=1)
    rest = part.copy()
    rest[np.arange(len(part)), largest] = 0.0
    remainder = 1.0 - rest.sum(axis=1)
    # with more than two colours, a largest entry that is right but for rounding stays the largest as it is
    off = (k == 2) | (np.abs(part.max(axis=1, initial=0.0) - remainder) > k * 2.0**-52)
    part[np.flatnonzero(off), largest[off]] = remainder[off]
    rows[given] = part + 0.0
    return rows


def preferences(
    preference: Any,
    keys: pa.StringArray,
    colors: Sequence[str],
    color: NDArray[np.int8] | None = None,
    places: _Places | None = None,
) -> NDArray[np.int8] | None:
    """Preference in any of the forms of ``from_columns`` as rows of positions, best first; None where none is given."""
    places = places or _Places()
    if preference is None or getattr(preference, "null_count", -1) == len(preference):
        return None
    if isinstance(preference, Mapping):
        unknown = preference.keys() - set(keys.to_pylist())
        if unknown:
            key = min(map(str, unknown))
            raise UnknownKey(
                f"a preference is given for {key!r}, which is no dataset", near(key, keys[:20_000].to_pylist())
            )
        preference = [preference.get(key) for key in keys.to_pylist()]
    if len(preference) != len(keys):
        raise GraphError(f"there are {len(keys)} datasets and {len(preference)} preferences", "give one per dataset")
    rows, length = _positions(preference, colors, keys, places)
    given = rows[:, 0] >= 0
    wrong = np.flatnonzero((length != 0) & (np.sort(rows, axis=1) != np.arange(len(colors))).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        names = _item(preference, row)
        raise GraphError(
            f"{places.node(row, keys[row].as_py())}: the preference is {', '.join(map(str, names))}",
            f"name each of {', '.join(colors)} once, best first",
        )
    if color is not None and (wrong := np.flatnonzero(given & (rows[:, 0] != color))).size:
        row = int(wrong[0])
        raise GraphError(
            f"{places.node(row, keys[row].as_py())} has the colour {colors[color[row]]} and prefers "
            f"{colors[rows[row, 0]]}",
            "name its colour first",
        )
    return rows if given.any() else None


def _preferred(preference: Any) -> list[str] | None:
    """All colours that the first preference names, sorted; None where none does."""
    rows = preference.values() if isinstance(preference, Mapping) else preference
    if rows is None or isinstance(rows, np.ndarray):
        return None
    first = next((_item([row], 0) for row in rows if _item([row], 0) is not None), None)
    return sorted(first) if _is_names(first) and first else None


def _positions(
    preference: Any, colors: Sequence[str], keys: pa.StringArray, places: _Places
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Rows of names or positions as positions, -1 for what is none; and how long each was, 0 where there is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    k = len(colors)
    rows = np.full((len(preference), k), -1, np.int8)
    if isinstance(preference, np.ndarray) and preference.ndim == 2 and preference.dtype.kind in "iu":
        given = (preference != -1).any(axis=1)
        if preference.shape[1] != k:
            return rows, np.full(len(preference), preference.shape[1])
        inside = ((preference >= 0) & (preference < k)).all(axis=1)
        rows[inside] = preference[inside]
        return rows, np.where(given, k, 0)
    if not isinstance(preference, pa.Array | pa.ChunkedArray):
        try:
            if any(isinstance(row, str) for row in preference):  # which Arrow takes for a list of letters
                raise TypeError
            preference = pa.array(preference, pa.list_(pa.string()))
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            row = next(i for i, x in enumerate(preference) if not _is_names(x))
            raise GraphError(
                f"{places.node(row, keys[row].as_py())}: the preference is {preference[row]!r}",
                f"name each of {', '.join(colors)} once, best first",
            ) from None
    elif not (pa.types.is_list(preference.type) or pa.types.is_large_list(preference.type)):
        raise GraphError(f"preference is a column of {preference.type}", "give one of lists of colours, best first")
    if isinstance(preference, pa.ChunkedArray):
        preference = preference.combine_chunks()
    preference = preference.cast(pa.list_(pa.string()))
    length = pc.fill_null(pc.list_value_length(preference), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    fits = preference.filter(pa.array(length == k))
    found = pc.fill_null(pc.index_in(fits.flatten(), pa.array(colors, pa.string())), -1).to_numpy(zero_copy_only=False)
    rows[length == k] = found.reshape(-1, k)
    return rows, length


def _first(rows: Floats, where: NDArray[Any], values: Floats, k: int, place: Any) -> None:
    """Rows that are given by Pr[first colour] alone."""
    given = ~np.isnan(values)
    if k > 2 and given.any():
        raise GraphError(
            f"{place(int(where[np.argmax(given)]))}: alpha is one number",
            f"give one for each of the {k} colours",
        )
    rows[where, 0], rows[where, 1] = values, 1.0 - values


# --- small things -------------------------------------------------------------------------------------------


def _strings(values: Any, what: str, place: Any) -> pa.StringArray:
    import pyarrow as pa

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.array(values, pa.string())
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
            row = next(i for i, x in enumerate(values) if not _is_text(x))
            raise GraphError(f"{place(row)}: {what} is {values[row]!r}, not a text", "give a string") from None
    if values.null_count:
        row = int(np.argmax(values.is_null().to_numpy(zero_copy_only=False)))
        raise GraphError(f"{place(row)}: {what} is missing", "give a string")
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values if pa.types.is_string(values.type) else values.cast(pa.string())


def _is_text(x: Any) -> bool:
    try:
        return isinstance(x, str) and bool(x.encode() is not None)
    except UnicodeEncodeError:
        return False


def _is_number(x: Any) -> bool:
    try:
        float(x)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_names(x: Any) -> bool:
    return x is None or (isinstance(x, Sequence) and not isinstance(x, str) and all(map(_is_text, x)))


def _is_null(values: Any, row: int) -> bool:
    item = values[row]
    return (item.as_py() if hasattr(item, "as_py") else item) is None


def _item(column: Any, row: int) -> Any:
    item = column[row]
    return item.as_py() if hasattr(item, "as_py") else item


def _text(x: Any) -> str | None:
    return None if x is None else str(x)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _shown(row: Floats) -> str:
    return ", ".join(repr(float(x)) for x in row)


def plain(row: Floats) -> float | list[float]:
    """A distribution as one number where that says it exactly, else as a list."""
    if len(row) == 2 and row[1] == 1.0 - row[0]:
        return float(row[0])
    return [float(x) for x in row]


_NODE_COLUMNS = ("key", "color"), ("alpha", "preference")
_EDGE_COLUMNS = ("source", "target"), ("epsilon", "delta")


def read_columns(path: Path, needed: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The named columns of a CSV file as text, or of a Parquet file; None where an optional one is missing."""
    return (_read_parquet if path.suffix == ".parquet" else _read_csv)(path, needed, optional)


def _read_parquet(path: Path, needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """The named columns of a Parquet file; None where an optional one is missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise GraphError(f"there is no file {path}", "correct the path")
    try:
        header = pq.read_schema(path).names
        _need(path, needed, header)
        table = pq.read_table(path, columns=[name for name in needed + optional if name in header])
    except pa.ArrowInvalid as e:
        raise GraphError(f"{path} is not a Parquet table", str(e).splitlines()[0]) from None
    return {name: table[name].combine_chunks() if name in header else None for name in needed + optional}


def _need(path: Path, needed: tuple[str, ...], header: list[str]) -> None:
    for name in needed:
        if name not in header:
            raise GraphError(
                f"{path} has no column {name!r}", near(name, header) or f"its columns are {', '.join(header)}"
            )


def _read_csv(path: Path, needed: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any]:
    """The named columns of a CSV file as text; None where an optional one is missing."""
    import pyarrow as pa
    import pyarrow.csv

    if not path.is_file():
        raise GraphError(f"there is no file {path}", "correct the path")
    names = needed + optional
    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=names,
        include_missing_columns=True,
        null_values=[],
        strings_can_be_null=False,
    )
    try:
        table = pa.csv.read_csv(
            path, parse_options=pa.csv.ParseOptions(newlines_in_values=True), convert_options=options
        )
    except pa.ArrowInvalid as e:
        raise GraphError(f"{path} is not a CSV table", str(e).splitlines()[0]) from None
    with path.open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(file), [])
    _need(path, needed, header)
    return {name: table[name].combine_chunks() if name in header else None for name in names}


def line_of(path: Path, row: int) -> int:
    """The line of a CSV file on which a row of its table begins."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        begins = [1]
        for cells in reader:
            if not cells:  # an empty line is no row
                begins[-1] = reader.line_num + 1
            elif len(begins) == row + 2:
                break
            else:
                begins.append(reader.line_num + 1)
    return begins[-1]
