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
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from neodp import ball, boundary
from neodp.ball import Ball, Evaluation, Found, Star
from neodp.errors import (
    BallTooLarge,
    GraphError,
    NoMechanism,
    NotPrivate,
    StaleMechanism,
    StoreError,
    UnfinishedGraph,
    UnknownGraph,
    UnknownKey,
    near,
)
from neodp.estimate import estimate
from neodp.graph import DatasetGraph, Floats
from neodp.mechanism import Mechanism
from neodp.release import Ledger, Release, answer_once
from neodp.store.cypher import subject

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.store.profiles import ProfileStore

__all__ = [
    "Engine",
    "GraphInfo",
    "MechanismInfo",
    "Progress",
    "Store",
    "StoredGraph",
    "StoredMechanism",
    "StoredView",
    "distance",
    "fingerprint",
    "silent",
]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""

Engine: TypeAlias = Literal["auto", "ball", "whole"]

READY = "ready"
LAYERS = 200
"""How many layers a search may have before a pass over the whole graph is cheaper, roughly."""


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


class StoredView:
    """A stored graph seen from some of its datasets, for a search (:mod:`neodp.ball`)."""

    def __init__(
        self, store: Store, info: GraphInfo, keys: Sequence[str], found: Found, stored: Floats, least: Floats
    ) -> None:
        self._store = store
        self.info = info
        self.name = info.name
        self.colors = info.colors
        self.stored = stored
        """The probabilities that the datasets have; NaN where they have none."""
        self.least = least
        self.queries = 1
        """How many queries were made."""
        self._keys, self._found = list(keys), found

    def find(self, keys: Sequence[str]) -> Found:
        assert list(keys) == self._keys
        return self._found

    def neighbors(self, keys: Sequence[str]) -> Star:
        self.queries += 1
        return self._store._star(self.info, keys)

    def agrees(self, found: Ball) -> bool:
        """Whether what was found is what the store has, if it holds a mechanism at all."""
        rows = np.array([list(e.probabilities.values()) for e in found.evaluations])
        return self.info.mechanism is None or np.array_equal(rows, self.stored)

    def write(self, evaluations: Sequence[Evaluation]) -> None:
        """Keep probabilities on their datasets, if the graph is still what it was."""
        self.queries += 1
        self._store._write_evaluations(self.info, evaluations)


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
    def neighbors(self, name: str, keys: Sequence[str]) -> Star:
        """The edges at some datasets, in one query."""

    @abstractmethod
    def _star(self, info: GraphInfo, keys: Sequence[str]) -> Star:
        """The same for a graph that is known to be whole."""

    @abstractmethod
    def _write_evaluations(self, info: GraphInfo, evaluations: Sequence[Evaluation]) -> None:
        """Keep probabilities on their datasets, if the graph is still what it was."""

    @abstractmethod
    def view(self, name: str, keys: Sequence[str], *, write: bool = False) -> AbstractContextManager[StoredView]:
        """A graph seen from some of its datasets; at the end, Overtaken if it was changed meanwhile.

        One query to begin with, one for each time that neighbours are asked for, and one at the end.
        """

    @abstractmethod
    def ledger(self, graph: str) -> Ledger:
        """What was answered about a graph, or is called by that name, and how often it may be."""

    @abstractmethod
    def allow(self, graph: str, releases: int) -> Ledger:
        """Set how many releases a graph may have."""

    @abstractmethod
    def keep(self, release: Release) -> Release:
        """Keep a release unless there is one by its name; the one that is kept. All or nothing, once for all time.

        Raises
        ------
        BudgetSpent
            If the graph has as many as it may have.
        """

    @abstractmethod
    def levels(self, name: str) -> tuple[float, float, float]:
        """The least and the greatest epsilon of a graph's edges, and the greatest delta; zeros where it has none."""

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

    @property
    @abstractmethod
    def profiles(self) -> ProfileStore:
        """The users, items and likes that are kept beside the graphs."""

    @abstractmethod
    def select(self, text: str) -> pa.Table:
        """The result of somebody's own Cypher, which may read but not write.

        Raises
        ------
        StoreError
            If it would write, or is no Cypher that this store takes.
        """

    @abstractmethod
    def column(self, name: str, property: str) -> pa.Table:
        """A property of a graph's datasets, whoever wrote it: the columns `key` and `value`, where there is one."""

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

    def _subject(self, query: str, name: str) -> dict[str, str]:
        """The parameter of a canned query that names its graph or profile, which must be whole."""
        if subject(query) == "profile":
            return {"profiles": self.profiles.ready(name).name}
        return {"graph": self.ready(name).name}

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

    def evaluate(
        self,
        name: str,
        keys: Sequence[str],
        *,
        engine: Engine = "auto",
        limit: int | None = None,
        write: bool = False,
    ) -> Ball:
        """The optimal mechanism at some datasets (:mod:`neodp.ball`).

        Parameters
        ----------
        engine : "auto", "ball" or "whole"
            Search, or read and extend the whole graph: then the work does not depend on the datasets. By default a
            search, and the whole graph if that turns out to be cheaper and fits in memory.
        limit : int, optional
            How many datasets a search may see; by default about as many as are cheaper than the whole graph.
        write : bool
            Keep the probabilities on these datasets.

        Raises
        ------
        StaleMechanism
            If the store holds a mechanism that the graph no longer gives: nobody should be answered by a mixture.
        """
        wanted = list(dict.fromkeys(keys))
        with self.view(name, wanted, write=write) as view:
            found = self._evaluated(view, wanted, engine, limit or cheaper(view.info))
            if not view.agrees(found) and len(view.colors) > 2:  # it may have been found in another way
                with suppress(NotPrivate):
                    found = ball.evaluate_whole(self.read(name), wanted, "prefix")
            if not view.agrees(found):
                assert view.info.mechanism is not None
                raise StaleMechanism(
                    f"graph {name!r} has changed since its mechanism was written, {view.info.mechanism.written}",
                    f"run 'neodp extend {name}' again",
                )
            if write:
                view.write(found.evaluations)
        return replace(found, queries=view.queries)

    def answer(
        self, graph: str, key: str, release: str, *, keep_key: bool = False, constant_work: bool = False
    ) -> Release:
        """The answer of a release (:mod:`neodp.release`): the one that is kept, or one drawn now for a dataset.

        Parameters
        ----------
        key : str
            The dataset. It is evaluated on demand, and only if there is no answer yet.
        release : str
            The question's name.
        keep_key : bool
            Keep the dataset's key beside the answer.
        constant_work : bool
            Extend the whole graph, so that the time it takes does not depend on the dataset.
        """

        def distribution() -> Mapping[str, float]:
            found = self.evaluate(graph, [key], engine="whole" if constant_work else "auto")
            return found.evaluations[0].probabilities

        return answer_once(self, graph, release, distribution, key=key if keep_key else None)

    def _evaluated(self, view: StoredView, keys: list[str], engine: Engine, limit: int) -> Ball:
        if engine == "whole" or (engine == "auto" and len(view.colors) > 2):
            return ball.evaluate_whole(self.read(view.name), keys)
        try:
            return ball.evaluate(view, keys, limit=limit, layers=LAYERS if engine == "auto" else None)
        except BallTooLarge:
            if engine == "ball" or not estimate(view.info.datasets, view.info.edges).fits:
                raise
            found = ball.evaluate_whole(self.read(view.name), keys)
            return replace(found, proof="the search grew too large, so the whole graph was extended")


def cheaper(info: GraphInfo) -> int:
    """How many datasets a search may see before a pass over the whole graph would be cheaper, roughly."""
    return min(ball.LIMIT, max(1000, info.datasets // 8))


def unknown_key(name: str, key: str) -> UnknownKey:
    """The error for a dataset that a stored graph does not have."""
    return UnknownKey(f"there is no dataset {key!r} in graph {name!r}", "correct the key")


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


def writes() -> StoreError:
    """The error for somebody's own Cypher that would write."""
    return StoreError("the Cypher query would write", "this command only reads: give MATCH … RETURN …")


def not_covered(name: str, key: str) -> GraphError:
    """The error for a mechanism that is not for every dataset of a stored graph."""
    return GraphError(
        f"the mechanism has no probabilities for dataset {key!r} of graph {name!r}",
        "read the whole graph, and extend that",
    )


def _known(names: dict[str, GraphInfo]) -> str:
    return f"it has {', '.join(sorted(names)[:10])}" if names else "it is empty; load or generate a graph first"
