"""Stores for dataset graphs: a Neo4j server, or an embedded file that needs no server. Both have one interface."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from neodp.errors import StoreError
from neodp.store.records import GraphInfo, MechanismInfo, StoredGraph, StoredMechanism
from neodp.store.service import Store
from neodp.store.settings import Settings
from neodp.store.views import StoredView

if TYPE_CHECKING:
    import neo4j

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


def open_store(
    uri: str | os.PathLike[str] | Settings | neo4j.Driver | None = None,
    *,
    auth: tuple[str, str] | neo4j.Auth | None = None,
    database: str | None = None,
    create: bool = True,
) -> Store:
    """Open a store, for use in a ``with`` statement.

    Parameters
    ----------
    uri : str, path, Settings or neo4j.Driver, optional
        ``neo4j://…``, ``neo4j+s://…``, ``bolt://…`` or a path; by default taken from the environment
        (:class:`~neodp.store.settings.Settings`). A driver is used as it is, and stays open when the store is closed.
    auth : (user, password) or neo4j.Auth, optional
        Credentials for a Neo4j server, instead of those in the environment.
    database : str, optional
        Name of the database on a Neo4j server, instead of the one in the environment.
    create : bool
        Create the file of an embedded store if it does not exist.

    Raises
    ------
    StoreUnreachable
        If the store cannot be opened.
    StoreError
        If `auth` or `database` is given but does not apply, as for a file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/store.db") as store:
    ...     store.graphs()
    []
    """
    driver: Any = None
    if uri is None or isinstance(uri, str | os.PathLike):
        uri = Settings.from_env(os.fspath(uri) if uri is not None else None)
    elif not isinstance(uri, Settings):
        driver, uri = uri, replace(Settings.from_env("bolt://"), uri="the driver's server")
    if driver is not None and auth is not None:
        raise StoreError("auth is given beside a driver", "leave it out: the driver has its own")
    if not uri.is_neo4j and driver is None:
        return _embedded(uri if create else replace(uri, create=False), auth, database)
    import neo4j

    from neodp.store.neo4j import Neo4jPort

    if driver is not None and not isinstance(driver, neo4j.Driver):
        raise StoreError(f"a {type(driver).__name__} is no store", "give an address, a path or a neo4j.Driver")
    if database is not None:
        uri = replace(uri, database=database)
    given = neo4j.basic_auth(*auth) if isinstance(auth, tuple) else auth
    return Store(Neo4jPort(uri, driver=driver, auth=given))


def _embedded(settings: Settings, auth: object, database: object) -> Store:
    from neodp.store.embedded import EmbeddedPort

    for name, value in (("auth", auth), ("database", database)):
        if value is not None:
            raise StoreError(f"{name} is given for the file {settings.uri}", "leave it out: it is for a Neo4j server")
    return Store(EmbeddedPort(settings))
