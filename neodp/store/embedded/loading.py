"""Loading and dropping in the embedded file, of graphs and profiles alike: each is one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from neodp.data.progress import Progress
from neodp.ledger.question import DEFAULT
from neodp.store import refusals
from neodp.store.embedded.columns import Columns
from neodp.store.embedded.file import File
from neodp.store.embedded.records import RecordTable

__all__ = ["EmbeddedLoading", "new_version", "now"]


@dataclass(frozen=True)
class EmbeddedLoading:
    """All data of one kind.

    Attributes
    ----------
    file, table, columns
        The file, the table with a row for each name, and the columns of all data.
    what : str
        The word for the kind.
    versions : tuple of str
        The columns of the table that name the versions of the data's columns.
    counts : tuple of str
        The columns of the table that hold numbers of parts, the first of which a drop counts.
    """

    file: File
    table: RecordTable
    columns: Columns
    what: str
    versions: tuple[str, ...]
    counts: tuple[str, ...]

    @contextmanager
    def replaced(self, row: dict[str, Any], *, replace: bool, progress: Progress) -> Iterator[None]:
        """Put a row in place of the one of its name, after the data of the row was written within this context.

        If the row names no population, it gets that of the data that it replaces.

        Raises
        ------
        GraphExists
            If the name is taken, unless `replace`.
        """
        with self.file.writing():
            there = self.table.rows().get(row["name"])
            if there is not None and not replace:
                raise refusals.exists(self.what, row["name"], self.file.address)
            if row["population"] is None:
                row["population"] = DEFAULT if there is None else there["population"]
            if there is not None:
                self._delete(there)
            yield
            self.table.put(row)
            for count in self.counts:
                progress(count, row[count], row[count])

    def drop(self, name: str, progress: Progress) -> int:
        """Delete the row of a name and its data, and return how many parts there were of the first kind.

        Raises
        ------
        UnknownGraph
            If there is no such row any more.
        """
        with self.file.writing():
            row = self.table.rows().get(name)
            if row is None:
                raise refusals.gone(self.what, name, self.file.address)
            self._delete(row)
            self.table.delete(name)
            count = int(row[self.counts[0]])
            progress("dropping", count, count)
        return count

    def _delete(self, row: dict[str, Any]) -> None:
        self.columns.delete(*(row[version] for version in self.versions))


def new_version() -> str:
    """Return a name that was never used."""
    return uuid.uuid4().hex


def now() -> str:
    """Return the time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
