"""Rows of the embedded file that reveal damage: each has its own digest, and each table the sum of its digests.

A flipped bit in a row changes its digest. A flipped bit in the data around the rows may make a row vanish; for the
tables that are always read as a whole, which have few rows, the table ``tally`` holds the number of rows and the sum of
their digests. Digests are not secret: anyone who may write to the file can compute them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from neodp.store.embedded.file import File

__all__ = ["RecordTable", "digest_of"]


def digest_of(table: str, values: Sequence[Any]) -> str:
    """Return the digest of a row.

    Examples
    --------
    >>> digest_of("graph", ["survey", 3]) == digest_of("graph", ["survey", 4])
    False
    """
    return hashlib.sha256(json.dumps([table, *values], default=repr).encode()).hexdigest()


class RecordTable:
    """A small table whose rows are read all together and identified by their name.

    Parameters
    ----------
    file : File
    name : str
        The table; its first column is ``name``, its last ``digest``.
    columns : strings
        All columns but the last.
    """

    def __init__(self, file: File, name: str, columns: Sequence[str]) -> None:
        self._file, self._name, self._columns = file, name, tuple(columns)
        self._seen: tuple[object, dict[str, dict[str, Any]]] | None = None

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return all rows by name, in the order of their names; the caller must not change them.

        Rows that were read and checked stay in memory for as long as the file does not change. Rows from a transaction
        that changes the file do not, because it may be rolled back.

        Raises
        ------
        DamagedStore
            If a row was changed by another program, or a row is missing.
        """
        seen = self._seen
        if seen is not None and seen[0] == self._file.state():
            return seen[1]
        with self._file.reading():
            state, found = self._file.state(), self._read()
            if not self._file.is_writing:
                self._seen = state, found
        return found

    def _read(self) -> dict[str, dict[str, Any]]:
        """Return all rows from the file."""
        with self._file.reading():
            listed = ", ".join((*self._columns, "digest"))
            found = self._file.execute(f"SELECT {listed} FROM {self._name} ORDER BY name")
            known = self._file.execute("SELECT rows, sum, digest FROM tally WHERE name = ?", [self._name])
        for *values, digest in found:
            if digest_of(self._name, values) != digest:
                raise self._file.damaged(f"a row of its table {self._name!r} was altered")
        count, total = len(found), _total(row[-1] for row in found)
        if known != ([(count, total, digest_of("tally", [self._name, count, total]))] if count or known else []):
            raise self._file.damaged(f"its table {self._name!r} lost or gained a row")
        return {row[0]: dict(zip(self._columns, row, strict=False)) for row in found}

    def put(self, row: Mapping[str, Any]) -> None:
        """Write a row, in place of any row of the same name, within a transaction that writes."""
        values = [row[column] for column in self._columns]
        marks = ", ".join("?" * (len(values) + 1))
        self.rows()  # which must be whole before anything is added up anew
        self._file.execute(
            f"INSERT OR REPLACE INTO {self._name} VALUES ({marks})", [*values, digest_of(self._name, values)]
        )
        self._add_up()

    def delete(self, name: str) -> None:
        """Delete the row of a name, within a transaction that writes."""
        self.rows()
        self._file.execute(f"DELETE FROM {self._name} WHERE name = ?", [name])
        self._add_up()

    def _add_up(self) -> None:
        digests = [row[0] for row in self._file.execute(f"SELECT digest FROM {self._name}")]
        values = [self._name, len(digests), _total(digests)]
        self._file.execute("INSERT OR REPLACE INTO tally VALUES (?, ?, ?, ?)", [*values, digest_of("tally", values)])


def _total(digests: Any) -> str:
    """Return the sum of digests modulo 2^256, in hexadecimal."""
    return f"{sum(int(digest, 16) for digest in digests) % 2**256:064x}"
