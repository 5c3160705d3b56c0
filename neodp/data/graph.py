"""Graphs of datasets.

A *dataset graph* has a vertex for every possible dataset, an edge between every two neighbouring datasets,
and a colour per vertex: the true answer of the question. Each edge has its own (epsilon, delta). If the
mechanism's behaviour at a vertex is given, the vertex has *alpha*, a distribution over the colours. With more than two
colours a vertex also orders them by *preference*, best first; its colour is the first.

A graph is kept as columns: one array per property, with one entry per dataset or per edge. User input is converted and
checked in :mod:`neodp.data.graph_columns`; the forms of other programs are in :mod:`neodp.data.exchange`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp import compiled
from neodp.data import exchange
from neodp.data.distributions import distributions
from neodp.data.family import family
from neodp.data.formatting import count
from neodp.data.frames import html_table, to_pandas, to_polars
from neodp.data.graph_columns import GraphColumns, validate
from neodp.data.kinds import Several, checked, position, wrong_kind
from neodp.data.tables import Format, ReadOptions
from neodp.data.validation import Bools, Floats, Ints, Places, caution, unknown_key

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Adjacency", "DatasetGraph", "Frames"]

F = TypeVar("F")
WORTH_COMPILING = 100_000
"""The number of edges from which on compiled code is worth loading."""


class Adjacency(NamedTuple):
    """Edges from both of their ends (CSR): vertex v has ``neighbor[indptr[v]:indptr[v + 1]]``."""

    indptr: NDArray[np.int64]
    neighbor: Ints
    edge: Ints


class Frames(NamedTuple, Generic[F]):
    """A graph as two tables: its datasets, and its edges."""

    nodes: F
    edges: F


@dataclass(frozen=True, eq=False, repr=False)
class DatasetGraph:
    """An immutable dataset graph. Make one with ``from_columns``, ``from_frames``, ``from_networkx`` or ``from_csv``.

    Attributes
    ----------
    keys : pyarrow.StringArray
        The name of each dataset.
    colors : tuple of str
        The possible answers; the first is "the first colour".
    color : array of int
        Per dataset, the position of its true answer in ``colors``.
    source, target : arrays of int
        The two ends of each edge; an edge is undirected and appears once.
    epsilon, delta : arrays of float
        The privacy parameters of each edge.
    alpha : array of float, one row per dataset, one column per colour
        The given distributions; a row of NaN if none is given. Every entry but the largest is exact; the
        largest stands for one minus the rest.
    name : str
        The name of the graph.
    preference : array of int, one row per dataset, or None
        The colours of each dataset as positions in ``colors``, best first; a row of -1 if they are not ordered. None
        if no dataset orders them.
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
    @checked
    def from_columns(
        cls,
        keys: Several,
        color: Several,
        source: Several,
        target: Several,
        epsilon: Any,
        delta: Any = 0.0,
        alpha: Several | Mapping[Any, Any] | None = None,
        preference: Several | Mapping[Any, Any] | None = None,
        *,
        colors: Sequence[str] | None = None,
        name: str = "graph",
    ) -> DatasetGraph:
        """Build a graph from columns: numpy or Arrow arrays, or lists.

        Parameters
        ----------
        keys : strings
            The name of each dataset, all different.
        color : strings, or positions in colors
            The true answer of each dataset.
        source, target : keys, or positions in keys
            The two ends of each edge. If the same pair appears twice with equal values, it is one edge.
        epsilon, delta : floats, or one float for all edges
            The privacy parameters, with 0 <= epsilon <= 690 and 0 <= delta <= 1.
        alpha : floats, rows of floats, or a mapping from keys to either, optional
            Pr[first colour] with two colours, or a distribution in the order of `colors`; NaN or null if
            it is not given.
        preference : rows of strings, rows of positions in colors, or a mapping from keys to either, optional
            All colours, best first; the first is the dataset's own. Null, or a row of -1, if it is not given.
        colors : strings, optional
            The possible answers; by default those that occur as a colour, or in the first preference, sorted.

        Raises
        ------
        GraphError
            If a value is invalid; the message says which dataset or edge it belongs to, and what is allowed.

        Examples
        --------
        >>> g = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 0.5, colors=["yes", "no"])
        >>> len(g), g.edges, g.colors
        (2, 1, ('yes', 'no'))
        """
        columns = GraphColumns(keys, color, source, target, epsilon, delta, alpha, preference)
        return cls._entered(validate(columns, colors, Places()), name)

    @classmethod
    def _entered(cls, columns: dict[str, Any], name: str) -> DatasetGraph:
        """Return the graph of validated columns that somebody entered, with a caution of large epsilons."""
        caution(columns["epsilon"])
        return cls(**columns, name=name)

    @classmethod
    @checked
    def from_networkx(
        cls,
        graph: nx.Graph,
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
    ) -> DatasetGraph:
        """Build a graph from networkx.

        Nodes have `color` and perhaps `alpha` and `preference`, and edges have `epsilon` and perhaps `delta`. Nodes and
        colours that are not strings are converted with ``str``, and a dataset is found by its node as well as by its
        key. `colors` defaults to ``graph.graph["colors"]``; `epsilon` and `delta` are for the edges that have none.

        Examples
        --------
        >>> import networkx as nx
        >>> G = nx.path_graph(2)
        >>> nx.set_node_attributes(G, {0: "blue", 1: "red"}, "color")
        >>> DatasetGraph.from_networkx(G, epsilon=1.0)
        <DatasetGraph 'graph': 2 datasets, 1 edge, colours blue, red>
        >>> DatasetGraph.from_networkx(G, epsilon=1.0).index(1)
        1
        """
        if not hasattr(graph, "graph"):
            raise wrong_kind("graph", graph, "a networkx.Graph")
        named = colors if colors is not None else graph.graph.get("colors")
        columns = exchange.from_networkx(graph, epsilon, delta)
        valid = validate(columns, named and [str(c) for c in named], Places())
        return cls._entered(valid, name or str(graph.graph.get("name") or "graph"))

    @classmethod
    @checked
    def from_tables(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
        options: ReadOptions | None = None,
        format: Format | None = None,
    ) -> DatasetGraph:
        """Read a graph from two tables, ``key,color[,alpha][,preference]`` and ``source,target[,epsilon][,delta]``.

        A table is a CSV file with any delimiter, a Parquet or Arrow file, or a workbook, each possibly compressed, or
        ``-`` for standard input. In text, the numbers of a distribution are joined by semicolons (``0.2;0.8``), and so
        are the colours of a preference (``red;blue;green``); in Parquet and Arrow, alpha is a column of numbers or
        lists, and preference one of lists. `epsilon` and `delta` are for edges that have none.

        Parameters
        ----------
        options : ReadOptions, optional
            Settings for reading the tables that the tables do not state themselves, and for ignoring other columns.
        format : "csv", "parquet", "arrow" or "workbook", optional
            The kind of the files, if it is not what their first bytes or names say.

        Raises
        ------
        GraphError
            If a file cannot be read, has an unexpected column, or has invalid values; the message names the file and
            the lines.
        """
        read = exchange.from_tables(nodes, edges, epsilon, delta, options, format)
        return cls._entered(validate(read.columns, colors, read.places, read.problems), name or read.name)

    @classmethod
    @checked
    def from_csv(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
        options: ReadOptions | None = None,
    ) -> DatasetGraph:
        """Read a graph from two CSV files; see ``from_tables``."""
        return cls.from_tables(
            nodes, edges, colors=colors, epsilon=epsilon, delta=delta, name=name, options=options, format="csv"
        )

    @classmethod
    @checked
    def from_parquet(
        cls,
        nodes: str | PathLike[str],
        edges: str | PathLike[str],
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str | None = None,
        options: ReadOptions | None = None,
    ) -> DatasetGraph:
        """Read a graph from two Parquet files; see ``from_tables``."""
        return cls.from_tables(
            nodes, edges, colors=colors, epsilon=epsilon, delta=delta, name=name, options=options, format="parquet"
        )

    @classmethod
    @checked
    def from_frames(
        cls,
        nodes: Any,
        edges: Any,
        *,
        colors: Sequence[str] | None = None,
        epsilon: float | None = None,
        delta: float = 0.0,
        name: str = "graph",
        options: ReadOptions | None = None,
    ) -> DatasetGraph:
        """Build a graph from two frames: of pandas or polars, Arrow tables, or dicts of columns; see ``from_tables``.

        Alpha is a column of numbers, or of lists, and preference one of lists. ``to_arrow``, ``to_pandas`` and
        ``to_polars`` give such frames.

        Raises
        ------
        GraphError
            If an argument is not a table, has an unexpected column, or has invalid values.

        Examples
        --------
        >>> g = DatasetGraph.from_frames(
        ...     {"key": ["a", "b"], "color": ["no", "yes"]}, {"source": ["a"], "target": ["b"]}, epsilon=0.5
        ... )
        >>> g
        <DatasetGraph 'graph': 2 datasets, 1 edge, colours no, yes>
        >>> DatasetGraph.from_frames(*g.to_pandas()).epsilon
        array([0.5])
        """
        read = exchange.from_frames(nodes, edges, epsilon, delta, options)
        return cls._entered(validate(read.columns, colors, read.places, read.problems), name)

    def with_alpha(self, alpha: ArrayLike | Mapping[Any, Any] | None) -> Self:
        """Return the same graph with this alpha instead, in any of the forms of ``from_columns``.

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
            f"<DatasetGraph {self.name!r}: {count(len(self), 'dataset')}, {count(self.edges, 'edge')}, "
            f"colours {', '.join(self.colors)}>"
        )

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self.source)

    @property
    def given(self) -> Bools:
        """Per dataset, True if alpha is given there."""
        return ~np.isnan(self.alpha[:, 0])

    @cached_property
    def crossing(self) -> Bools:
        """Per edge, True if its ends differ in colour, or in how they order the colours: a boundary edge."""
        kind = self.color if self.preference is None else self.order
        crossing: Bools
        if self.edges < WORTH_COMPILING:
            crossing = kind[self.source] != kind[self.target]
        else:
            crossing = compiled.kernel.differ(kind, self.source, self.target)
        crossing.setflags(write=False)
        return crossing

    @cached_property
    def boundary(self) -> NDArray[np.int64]:
        """The positions of the boundary edges, ascending."""
        edges = np.flatnonzero(self.crossing)
        edges.setflags(write=False)
        return edges

    @cached_property
    def _ordered(self) -> tuple[NDArray[np.int8], Ints]:
        """The different orders, as rows of positions, and the number of each dataset's order."""
        rows = np.full((len(self), len(self.colors)), -1, np.int8)
        if self.preference is not None:
            rows[:] = self.preference
        rows[:, 0] = self.color
        if family(self).binary:  # nothing is left to order
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
        """Return the edges where `keep` is true, from both of their ends; without their positions unless `numbered`."""
        return Adjacency(*compiled.kernel.adjacency(len(self), self.source, self.target, keep, numbered))

    def key(self, vertex: int | np.integer[Any]) -> str:
        """Return the key of the dataset at a position."""
        return str(self.keys[position("vertex", vertex, len(self))].as_py())

    def index(self, key: object) -> int:
        """Return the position of a dataset.

        Parameters
        ----------
        key : str
            The key of the dataset. Any other object is converted with ``str``, so that the nodes of a networkx
            graph find their datasets again.

        Raises
        ------
        UnknownKey
            If the graph has no such dataset; the hint names keys that look alike.

        Examples
        --------
        >>> g = DatasetGraph.from_columns(["('a', 1)", "7"], ["no", "yes"], ["7"], ["('a', 1)"], 0.5)
        >>> g.index(("a", 1)), g.index(7), g.index("7")
        (0, 1, 1)
        """
        import pyarrow.compute as pc

        key = str(key)
        position = pc.index(self.keys, key).as_py()
        if position < 0:
            raise unknown_key(f"there is no dataset {key!r} in {self.name!r}", key, self.keys)
        return int(position)

    def preference_lists(self) -> pa.ListArray:
        """Return, per dataset, its colours by name, best first; null if it does not order them."""
        import pyarrow as pa

        if self.preference is None:
            return pa.nulls(len(self), pa.list_(pa.string()))
        given = self.preference[:, 0] >= 0
        offsets = np.concatenate([[0], np.cumsum(given) * len(self.colors)])
        named = pa.array(self.colors, pa.string()).take(pa.array(self.preference[given].ravel()))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), named, mask=pa.array(~given))

    def edge_name(self, edge: int) -> str:
        """Return an edge as ``'a' – 'b'``."""
        place = position("edge", edge, self.edges)
        return f"{self.key(self.source[place])!r} – {self.key(self.target[place])!r}"

    # --- taking it elsewhere ----------------------------------------------------------------------------

    def to_networkx(self) -> nx.Graph:
        """Return the graph as a networkx graph; ``from_networkx`` reads it back."""
        return exchange.to_networkx(self)

    def to_arrow(self) -> Frames[pa.Table]:
        """Return two Arrow tables, ``nodes`` and ``edges``, as ``from_frames`` reads them.

        Examples
        --------
        >>> nodes, edges = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 0.5).to_arrow()
        >>> nodes.column_names, edges.to_pylist()
        (['key', 'color'], [{'source': 'a', 'target': 'b', 'epsilon': 0.5, 'delta': 0.0}])
        """
        return Frames(*exchange.to_arrow(self))

    def to_pandas(self) -> Frames[pd.DataFrame]:
        """Return both tables of ``to_arrow`` as frames of pandas, which must be installed."""
        return Frames(*map(to_pandas, self.to_arrow()))

    def to_polars(self) -> Frames[pl.DataFrame]:
        """Return both tables of ``to_arrow`` as frames of polars, which must be installed."""
        return Frames(*map(to_polars, self.to_arrow()))

    def _repr_html_(self) -> str:
        nodes, edges = self.to_arrow()
        return html_table(repr(self), nodes) + html_table("edges", edges)

    @checked
    def to_csv(self, nodes: str | PathLike[str], edges: str | PathLike[str]) -> None:
        """Write the two files that ``from_csv`` reads, with every number in full; only their owner may read them."""
        exchange.write_csv(self, nodes, edges)


def known_graph(*columns: Any, colors: Sequence[str] | None = None, name: str = "graph") -> DatasetGraph:
    """Return ``DatasetGraph.from_columns`` of columns that nobody enters now, such as stored ones: with no caution."""
    return DatasetGraph(**validate(GraphColumns(*columns), colors, Places()), name=name)
