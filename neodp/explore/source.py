"""The store behind the explorer, which is only read, and the graph that was looked at last.

The file of an embedded store has one user at a time, so it is opened for each look and closed again: other commands can
use it meanwhile. A connection to a server stays open. What would change the store is refused by the store itself
(``Settings.read_only``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neodp.core.mechanism import Mechanism, extend
from neodp.data.graph import DatasetGraph
from neodp.errors import NeodpError, NoMechanism
from neodp.store import GraphInfo, Settings, Store, open_store

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["LARGEST", "Shown", "Source"]

LARGEST = 50_000
"""Graphs of more datasets are not read as a whole: the store adds up what the overview shows."""
PATIENCE = 10.0
"""How many seconds to wait for another command that has the file."""


@dataclass(frozen=True)
class Shown:
    """A graph as the explorer shows it.

    Attributes
    ----------
    info : GraphInfo
    graph : DatasetGraph
    mechanism : Mechanism or None
        None where none is stored and the graph gives none.
    origin : str
        Where the mechanism comes from: "stored", "stale" (stored, and the graph has changed since), "computed" just
        now, or "none".
    problem : NeodpError or None
        Why there is none.
    """

    info: GraphInfo
    graph: DatasetGraph
    mechanism: Mechanism | None
    origin: Literal["stored", "stale", "computed", "none"]
    problem: NeodpError | None = None


class Source:
    """A store to look at.

    Parameters
    ----------
    settings : Settings
        Where the store is, and who asks.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = replace(settings, read_only=True, create=False, patience=PATIENCE)
        self._lock = threading.RLock()
        self._server: Store | None = None
        self._last: Shown | None = None
        with self.store() as store:
            self.address = store.address

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store, for one look, one thread at a time."""
        with self._lock:
            if self._settings.is_neo4j:
                self._server = self._server or open_store(self._settings)
                yield self._server
            else:
                with open_store(self._settings) as store:
                    yield store

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None

    def shown(self, name: str) -> Shown:
        """A whole graph with its mechanism; read again only if the store says that it is another one.

        Raises
        ------
        UnknownGraph, UnfinishedGraph
            If there is no such graph, or not all of it.
        """
        with self.store() as store:
            info = store.ready(name)
            if self._last is None or self._last.info != info or info.revision is None:
                self._last = _read(store, info)
            return self._last


def _read(store: Store, info: GraphInfo) -> Shown:
    try:
        stored = store.mechanism(info.name)
        return Shown(info, stored.mechanism.graph, stored.mechanism, "stale" if stored.stale else "stored")
    except NoMechanism:
        graph = store.read(info.name)
    try:
        return Shown(info, graph, extend(graph), "computed")
    except NeodpError as problem:
        return Shown(info, graph, None, "none", problem)
