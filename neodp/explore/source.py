"""The store behind the explorer, which is only read, and the graph that was shown last.

The file of an embedded store is opened for each request and closed again, so that other commands can use it meanwhile.
A connection to a server stays open. The store itself refuses every change (``Settings.read_only``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.data.graph import DatasetGraph
from neodp.errors import NeodpError, NoMechanism
from neodp.store import GraphInfo, Settings, Store, open_store

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["LARGEST", "Shown", "Source"]

LARGEST = 50_000
"""A graph of more datasets is not read as a whole: the store aggregates the figures of the overview."""
PATIENCE = 10.0
"""The number of seconds to wait for another command that uses the file."""


@dataclass(frozen=True)
class Shown:
    """A graph as the explorer shows it.

    Attributes
    ----------
    info : GraphInfo
    graph : DatasetGraph
    mechanism : Mechanism or None
        None if no mechanism is stored and none can be computed from the graph.
    origin : str
        Origin of the mechanism: "stored", "stale" (stored, but the graph has changed since), "computed" just now, or
        "none".
    problem : NeodpError or None
        The reason why there is no mechanism.
    """

    info: GraphInfo
    graph: DatasetGraph
    mechanism: Mechanism | None
    origin: Literal["stored", "stale", "computed", "none"]
    problem: NeodpError | None = None


class Source:
    """A store to show.

    Parameters
    ----------
    settings : Settings
        Address and credentials of the store.
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
        """Open the store for one request, one thread at a time."""
        with self._lock:
            if self._settings.is_neo4j:
                self._server = self._server or open_store(self._settings)
                yield self._server
            else:
                with open_store(self._settings) as store:
                    yield store

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            if self._server is not None:
                self._server.close()
                self._server = None

    def shown(self, name: str) -> Shown:
        """Return a whole graph with its mechanism; read it again only if it has changed in the store.

        Raises
        ------
        UnknownGraph, UnfinishedGraph
            If there is no such graph, or it is not completely loaded.
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
