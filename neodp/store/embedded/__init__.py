"""Dataset graphs, profiles and the ledger in one SQLite file; no server.

The ledger is plain rows that anybody can read with ``sqlite3``; graphs and profiles are columns in parts, each with a
digest (``schema.sql``). ``file`` opens the file and runs transactions, ``records`` and ``columns`` read and write rows
and columns and notice damage, ``texts`` and ``content`` are what a graph is made of; ``graphs``, ``mechanisms``,
``releases``, ``profiles`` and ``queries`` are what the store does with them; ``derived`` runs Cypher on a copy.
"""

from __future__ import annotations

from pathlib import Path

from neodp.store.embedded.columns import Columns
from neodp.store.embedded.file import File
from neodp.store.embedded.graphs import GRAPH
from neodp.store.embedded.queries import Queries
from neodp.store.embedded.records import Table
from neodp.store.embedded.releases import POPULATION, Releases
from neodp.store.settings import Settings

__all__ = ["EmbeddedStore"]


class EmbeddedStore(Queries, Releases):
    """A store in one file, made when it is opened for the first time."""

    dialect = "embedded"

    def __init__(self, settings: Settings) -> None:
        self._file = File(settings)
        self.address = self._file.address
        self._columns = Columns(self._file)
        self._graphs = Table(self._file, "graph", GRAPH)
        self._populations = Table(self._file, "population", POPULATION)

    def backup(self, path: Path) -> None:
        self._file.backup(path)
