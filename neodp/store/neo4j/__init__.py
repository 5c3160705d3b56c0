"""Dataset graphs in Neo4j, over Bolt.

``connection`` queries the server, ``columns`` converts the results into arrays, and there is a module for each file of
``cypher/neo4j``. A server that speaks Bolt, but another dialect of Cypher, needs its own folder in ``cypher/`` and a
subclass that names that folder as its dialect.
"""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

import neo4j

from neodp.errors import StoreError
from neodp.hints import Call, Hint
from neodp.store.neo4j.connection import Connection
from neodp.store.neo4j.mechanisms import Neo4jMechanisms
from neodp.store.neo4j.people import Neo4jPeople
from neodp.store.neo4j.plugin import look, server_version
from neodp.store.neo4j.releases import Neo4jReleases
from neodp.store.settings import Settings

if TYPE_CHECKING:
    from neodp.store.port import ProfilePort
    from neodp.store.verbs import Verbs

__all__ = ["Neo4jPort"]


class Neo4jPort(Neo4jMechanisms, Neo4jReleases, Neo4jPeople):
    """The primitives of a store on a Neo4j server, version 5.26 or newer.

    Parameters
    ----------
    settings : Settings
        Address, credentials and database.
    driver : neo4j.Driver, optional
        A driver to use instead of a new one; it stays open when the store is closed.
    auth : neo4j.Auth, optional
        Credentials to use instead of those of the settings.
    """

    dialect = "neo4j"

    def __init__(
        self, settings: Settings, *, driver: neo4j.Driver | None = None, auth: neo4j.Auth | None = None
    ) -> None:
        self.connection = Connection(settings, self.dialect, driver, auth)
        self.address = self.connection.address

    @cached_property
    def plugin(self) -> Verbs | None:  # type: ignore[override]
        """The server's plugin; None if it is missing or of another version."""
        return look(self.connection, self)

    def plugin_version(self) -> str | None:
        """Return the version of the server's plugin; None if it has none."""
        return server_version(self.connection)

    def server(self) -> str:
        """Return the name and version of the server, as in ``Neo4j/5.26.19``."""
        return self.connection.server()

    def may_write(self) -> bool:
        """Return whether the user may write to the database, without changing anything."""
        return self.connection.may_write()

    def role(self) -> str | None:
        """Return the role that was kept; None if none was."""
        found: str | None = self.connection.read("show_role")["role"]
        return found

    def put_role(self, role: str) -> None:
        """Keep the role of whoever uses the store, unless they state another one."""
        self.connection.write("set_role", role=role)

    def backup(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Refuse to copy the database, since a Neo4j server has its own backup tools."""
        raise StoreError(
            f"{self.address} is backed up by Neo4j's own tools",
            Hint(
                "use neo4j-admin database dump or backup for the database, and ",
                Call("export_ledger"),
                " for what was answered, see docs/backup.md",
            ),
        )

    @property
    def profiles(self) -> ProfilePort:
        """The primitives on profiles, which are stored beside the graphs."""
        from neodp.store.neo4j.profiles import Neo4jProfiles

        return Neo4jProfiles(self.connection)
