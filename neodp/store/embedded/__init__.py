"""Dataset graphs, profiles and the ledger in one SQLite file; no server.

The ledger consists of plain rows that anybody can read with ``sqlite3``; graphs and profiles are columns in parts, each
with a digest (``schema.sql``). ``file`` opens the file and runs transactions; ``records`` and ``columns`` read and
write rows and columns and notice damage; ``texts`` and ``content`` hold the columns of a graph; ``ledgers`` reads the
ledger; ``graphs``, ``mechanisms``, ``releases``, ``people``, ``profiles`` and ``queries`` implement the operations of
the store; ``backups`` copies the file; ``derived`` runs Cypher on a copy.
"""

from __future__ import annotations

from os import PathLike

from neodp.store.embedded.columns import Columns
from neodp.store.embedded.file import File
from neodp.store.embedded.graphs import GRAPH
from neodp.store.embedded.ledgers import Ledgers, is_whole
from neodp.store.embedded.people import PROTECTION, EmbeddedPeople
from neodp.store.embedded.queries import Queries
from neodp.store.embedded.records import RecordTable
from neodp.store.embedded.releases import EmbeddedReleases
from neodp.store.settings import Settings

__all__ = ["EmbeddedPort"]


class EmbeddedPort(Queries, EmbeddedReleases, EmbeddedPeople):
    """The primitives of a store in one file, created when it is opened for the first time."""

    dialect = "embedded"

    def __init__(self, settings: Settings) -> None:
        self._file = File(settings, is_whole)
        self.address = self._file.address
        self.made = self._file.made
        self._columns = Columns(self._file)
        self._graphs = RecordTable(self._file, "graph", GRAPH)
        self._ledgers = Ledgers(self._file)
        self._protected = RecordTable(self._file, "protection", PROTECTION)
        self._settings = RecordTable(self._file, "setting", ("name", "text"))

    def role(self) -> str | None:
        """Return the role that was kept; None if none was."""
        return self._settings.rows().get("role", {}).get("text")

    def put_role(self, role: str) -> None:
        """Keep the role of whoever uses the store, unless they state another one."""
        with self._file.writing():
            self._settings.put({"name": "role", "text": role})

    def backup(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write a complete, checked copy of the store to a file, even while others use the store."""
        from neodp.store.embedded import backups

        backups.write(self._file, path, force=force)
