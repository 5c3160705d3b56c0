"""Protections in the embedded file. The file holds no graph of people itself: their tables are files or frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neodp.errors import StoreError
from neodp.store.embedded.file import File
from neodp.store.embedded.records import RecordTable
from neodp.store.port import Port

if TYPE_CHECKING:
    from neodp.asking.source import PeopleFound, Wanted

__all__ = ["PROTECTION", "EmbeddedPeople"]

PROTECTION = ("name", "text")
"""The columns of the table ``protection``."""


class EmbeddedPeople(Port):
    """The operations of the embedded store on graphs of people."""

    _file: File
    _protected: RecordTable

    def protections(self) -> dict[str, str]:
        """Return the texts of all protections by the name of their population."""
        return {name: row["text"] for name, row in self._protected.rows().items()}

    def put_protection(self, population: str, text: str) -> None:
        """Keep a protection, in place of any of the same population."""
        with self._file.writing():
            self._protected.put({"name": population, "text": text})

    def drop_protection(self, population: str) -> None:
        """Delete a protection."""
        with self._file.writing():
            self._protected.delete(population)

    def people(self, wanted: Wanted) -> PeopleFound:
        """Refuse: an embedded store keeps answers, and no graph of people."""
        raise StoreError(
            f"{self.address} holds no graph of people",
            "give tables of nodes and relationships when protecting or asking, or use a Neo4j store",
        )
