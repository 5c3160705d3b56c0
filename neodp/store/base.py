"""What every store can do.

A store holds graphs side by side, by name; none sees another. Its data are those of the README's data model:
``(:DatasetGraph)``, ``(:Dataset)``, ``[:NEIGHBOR]``. What it promises beyond that:

* a graph that is only partly loaded is marked, and refused by everything but ``load`` and ``drop``;
* a mechanism that is only partly written is marked, and is never read as one;
* a stored mechanism knows the fingerprint of the graph it was made for, so that a change of the graph shows;
* of two writers at once, the later one takes over, and the earlier one is told so.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from neodp import boundary
from neodp.errors import GraphError, NoMechanism, UnfinishedGraph, UnknownGraph, near
from neodp.graph import DatasetGraph, Floats
from neodp.mechanism import Mechanism

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "GraphInfo",
    "MechanismInfo",
    "Progress",
    "Star",
    "Store",
    "StoredGraph",
    "StoredMechanism",
    "distance",
    "fingerprint",
    "silent",
]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""

READY = "ready"


def silent(what: str, done: int, total: int) -> None:
    """Progress for nobody."""


@dataclass(frozen=True)
class MechanismInfo:
    """What a store knows about the mechanism that it holds for a graph."""

    version: str
    fingerprint: str
    written: str
    min_p_true: float
    mean_p_true: float


@dataclass(frozen=True)
class GraphInfo:
    """What a store knows about a graph.

    Attributes
    ----------
    state : str
        "ready", "loading" or "dropping"; the latter two for as long as that goes on or after it was interrupted.
    mechanism : MechanismInfo or None
        None where no whole mechanism is stored.
    revision : str or None
        Different after the graph itself was changed, where a reader needs it to notice.
    """

    name: str
    colors: tuple[str, ...]
    datasets: int
    edges: int
    state: str
    created: str | None
    mechanism: MechanismInfo | None
    revision: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class StoredGraph(DatasetGraph):
    """A graph as read from a store: `ids` are the store's own names for its datasets, for writing back."""

    ids: pa.StringArray | None = None


@dataclass(frozen=True)
class StoredMechanism:
    """A mechanism as read from a store.

    Attributes
    ----------
    mechanism : Mechanism
    info : MechanismInfo
    stale : bool
        Whether the graph has changed since the mechanism was made for it.
    """

    mechanism: Mechanism
    info: MechanismInfo
    stale: bool


class Star(NamedTuple):
    """The edges at some datasets, as columns: from `key` to `neighbour`, which has `color` and `alpha`.

    `preference` holds the neighbours' colours as positions, best first; None where no neighbour orders them.
    """

    key: pa.StringArray
    neighbour: pa.StringArray
    color: pa.StringArray
    alpha: Floats
    epsilon: Floats
    delta: Floats
    preference: np.ndarray[Any, np.dtype[np.int8]] | None = None


class Store(ABC):
    """A place where dataset graphs live."""

    address: str
    """Where it is, without secrets."""

    # --- what a store must supply -------------------------------------------------------------------------

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    @abstractmethod
    def init(self) -> list[str]:
        """Create the constraints and indexes, or tables, that are missing; the names of those created."""

    @abstractmethod
    def graphs(self) -> list[GraphInfo]:
        """All graphs, by name."""

    @abstractmethod
    def load(self, name: str, graph: DatasetGraph, *, replace: bool = False, progress: Progress = silent) -> GraphInfo:
        """Keep a graph under a name; all or nothing for every reader.

        Raises
        ------
        GraphExists
            If there is one by that name, unless `replace`; one whose load was interrupted is always replaced.
        """

    @abstractmethod
    def drop(self, name: str, *, progress: Progress = silent) -> int:
        """Delete a graph with all that belongs to it; how many datasets it had."""

    @abstractmethod
    def read(
        self,
        name: str,
        *,
        keys: Sequence[str] | None = None,
        color: str | None = None,
        radius: int | None = None,
        progress: Progress = silent,
    ) -> StoredGraph:
        """A whole graph, or the subgraph of some of its datasets.

        Parameters
        ----------
        keys : strings, optional
            These datasets only.
        color : str, optional
            Datasets of this colour only.
        radius : int, optional
            With `keys`: also the datasets up to so many edges away.
        """

    @abstractmethod
    def neighbours(self, name: str, keys: Sequence[str]) -> Star:
        """The edges at some datasets, in one query."""

    @abstractmethod
    def write_alpha(self, name: str, graph: DatasetGraph, *, progress: Progress = silent) -> int:
        """Keep the alpha of `graph` instead of the stored one; how many datasets have one. Unsets the mechanism."""

    @abstractmethod
    def write(self, name: str, mechanism: Mechanism, *, progress: Progress = silent) -> int:
        """Keep a mechanism's probabilities on its datasets; all or nothing for every reader; how many."""

    @abstractmethod
    def _probabilities(self, graph: StoredGraph, info: GraphInfo) -> Floats:
        """The stored probabilities in the order of a graph's datasets; NaN where there are none."""

    @abstractmethod
    def query(self, query: str, name: str, **parameters: Any) -> pa.Table:
        """The result of a canned query (:mod:`neodp.store.cypher`)."""

    # --- what follows ------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def info(self, name: str) -> GraphInfo:
        """What is known about a graph, in whatever state.

        Raises
        ------
        UnknownGraph
            If there is none by that name.
        """
        known = {info.name: info for info in self.graphs()}
        if name not in known:
            raise UnknownGraph(f"there is no graph {name!r} in {self.address}", near(name, known) or _known(known))
        return known[name]

    def ready(self, name: str) -> GraphInfo:
        """What is known about a graph that is whole.

        Raises
        ------
        UnfinishedGraph
            If its load or drop was interrupted, or is going on.
        """
        info = self.info(name)
        if info.state != READY:
            doing = {"loading": "load", "dropping": "drop"}.get(info.state, info.state)
            raise UnfinishedGraph(
                f"graph {name!r} is not whole: its {doing} was interrupted or is going on",
                "load it again, or drop it",
            )
        return info

    def mechanism(self, name: str, *, progress: Progress = silent) -> StoredMechanism:
        """The stored mechanism of a graph, whole or not at all.

        Raises
        ------
        NoMechanism
            If none is stored, writing one was interrupted, or a dataset has none.
        """
        info = self.ready(name)
        if info.mechanism is None:
            raise NoMechanism(f"graph {name!r} has no whole mechanism", f"run 'neodp extend {name}' first")
        graph = self.read(name, progress=progress)
        rows = self._probabilities(graph, info)
        missing = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(missing):
            raise NoMechanism(
                f"dataset {graph.key(int(missing[0]))!r} of graph {name!r} has no probabilities: it came after the "
                "mechanism was written",
                f"run 'neodp extend {name}' again",
            )
        after = self.ready(name).mechanism
        if after is None or after.version != info.mechanism.version:
            raise NoMechanism(f"the mechanism of graph {name!r} was replaced while it was read", "try again")
        stale = fingerprint(graph) != info.mechanism.fingerprint
        return StoredMechanism(Mechanism.of(graph, rows), info.mechanism, stale)


def fingerprint(graph: DatasetGraph) -> str:
    """A digest of a graph's keys, colours, preferences, alpha, edges, epsilons and deltas, in whatever order they are.

    Examples
    --------
    >>> from neodp import generate
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3))
    True
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3, epsilon=0.5))
    False
    """
    import pyarrow.compute as pc

    order = np.asarray(pc.sort_indices(graph.keys))
    rank = np.empty(len(graph), np.int64)
    rank[order] = np.arange(len(graph))
    one, two = rank[graph.source], rank[graph.target]
    low, high = np.minimum(one, two), np.maximum(one, two)
    edges = np.lexsort((high, low))
    digest = hashlib.sha256(repr((graph.colors, len(graph), graph.edges)).encode())
    keys = graph.keys.take(order)
    lengths = np.asarray(pc.binary_length(keys))
    for column in (lengths, graph.color[order], graph.alpha[order], low[edges], high[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    for column in (graph.epsilon[edges], graph.delta[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    if graph.preference is not None:
        digest.update(np.ascontiguousarray(graph.preference[order]).tobytes())
    text = keys.buffers()[2]
    digest.update(memoryview(text)[: int(lengths.sum())] if text is not None else b"")
    return digest.hexdigest()


def distance(graph: DatasetGraph) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Per dataset, how many edges it is away from the boundary; -1 where none can be reached."""
    from neodp import kernel

    hops: np.ndarray[Any, np.dtype[np.int32]] = kernel.hops(*graph.adjacency[:2], boundary.boundary_vertices(graph))
    return hops


def check_subgraph(keys: Sequence[str] | None, color: str | None, radius: int | None, info: GraphInfo) -> None:
    """Refuse what ``read`` cannot mean."""
    if radius is not None and (keys is None or radius < 0):
        raise GraphError(f"the radius is {radius}", "give a whole number of at least 0, and keys to start from")
    if color is not None and color not in info.colors:
        raise GraphError(f"there is no colour {color!r} in graph {info.name!r}", f"use one of {', '.join(info.colors)}")


def not_covered(name: str, key: str) -> GraphError:
    """The error for a mechanism that is not for every dataset of a stored graph."""
    return GraphError(
        f"the mechanism has no probabilities for dataset {key!r} of graph {name!r}",
        "read the whole graph, and extend that",
    )


def _known(names: dict[str, GraphInfo]) -> str:
    return f"it has {', '.join(sorted(names)[:10])}" if names else "it is empty; load or generate a graph first"
