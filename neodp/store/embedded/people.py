"""Protections in the embedded file. The file holds no graph of people itself: their tables are files or frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.errors import StoreError
from neodp.store.base import Store
from neodp.store.embedded.file import File
from neodp.store.embedded.records import Table

if TYPE_CHECKING:
    from neodp.asking.source import Found, Wanted

__all__ = ["PROTECTION", "People"]

PROTECTION = ("name", "text")
"""The columns of the table ``protection``."""


class People(Store):
    """The operations of the embedded store on graphs of people."""

    _file: File
    _protected: Table

    def _protections(self) -> dict[str, str]:
        return {name: row["text"] for name, row in self._protected.rows().items()}

    def _put_protection(self, population: str, text: str) -> None:
        with self._file.writing():
            self._protected.put({"name": population, "text": text})

    def _drop_protection(self, population: str) -> None:
        with self._file.writing():
            self._protected.delete(population)

    def people(self, wanted: Wanted) -> Found:
        """Refuse: an embedded store keeps answers, and no graph of people."""
        raise StoreError(
            f"{self.address} holds no graph of people",
            "give tables of nodes and relationships when protecting or asking, or use a Neo4j store",
        )
