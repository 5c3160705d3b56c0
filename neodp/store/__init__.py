"""Where dataset graphs live: Neo4j, or an embedded file with no server. One interface, two stores."""

from __future__ import annotations

import os

from neodp.store.base import GraphInfo, MechanismInfo, Store, StoredGraph, StoredMechanism, StoredView
from neodp.store.settings import Settings

__all__ = [
    "GraphInfo",
    "MechanismInfo",
    "Settings",
    "Store",
    "StoredGraph",
    "StoredMechanism",
    "StoredView",
    "open_store",
]


def open_store(uri: str | os.PathLike[str] | Settings | None = None) -> Store:
    """Open a store; use it in a ``with``.

    Parameters
    ----------
    uri : str, path or Settings, optional
        ``neo4j://…``, ``neo4j+s://…``, ``bolt://…`` or a path; by default what the environment says
        (:class:`~neodp.store.settings.Settings`).

    Raises
    ------
    StoreUnreachable
        If it cannot be opened.
    """
    if not isinstance(uri, Settings):
        uri = Settings.from_env(os.fspath(uri) if uri is not None else None)
    if uri.is_neo4j:
        from neodp.store.neo4j import Neo4jStore

        return Neo4jStore(uri)
    from neodp.store.embedded import EmbeddedStore

    return EmbeddedStore(uri)
