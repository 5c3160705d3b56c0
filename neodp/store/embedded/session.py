"""A store's file, asked by the names of statements.

How the engine wants to be used (measured with ladybug 0.22):

* An error ends a transaction and leaves its connection without one, so that the next statement would count by itself:
  a transaction ends at its first error, and its connection with it.
* A connection keeps whatever Arrow tables it was given, and one table given twice crashes the process: a connection
  lives for one transaction, a table for one statement.
* A parameter that is missing counts as null: the parameters are compared with the statement before it runs.
* After ``UNWIND``, a pattern with an edge in the same ``MATCH`` scans all edges: such statements use two clauses.
* ``SET`` on an edge that is matched against its direction changes nothing, and counts it: edges are set with direction.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from typing import Any

import ladybug
import pyarrow as pa

from neodp.errors import ReadOnlyStore, StoreError
from neodp.store import refusals
from neodp.store.cypher import VERSION, Dialect, schema, statement
from neodp.store.embedded.file import ENGINE, File, said
from neodp.store.settings import Settings

__all__ = ["BATCH", "Session", "batches", "now"]

BATCH = 4_000_000
"""How many rows go to the engine at once. It takes each batch as a whole, and fewer are faster."""
CHUNK = 250_000
"""How many rows of a result come in one piece."""


class Session:
    """Statements by name, and transactions, on a file that is open.

    Attributes
    ----------
    address : str
        The file.
    tables : set of str
        The tables there are.
    mutex : threading.RLock
        Held by the thread that has a transaction; taken for longer where several transactions belong together.
    read_only : bool
        Whether the file may only be read.
    """

    def __init__(self, settings: Settings, dialect: Dialect) -> None:
        self.address = str(settings.path)
        self.mutex = threading.RLock()
        self._dialect = dialect
        self._connection: ladybug.Connection | None = None
        self._file = File(settings.path, self.address, settings.patience, settings.create)
        self._finalizer = weakref.finalize(self, self._file.close)
        self.read_only = self._file.read_only or settings.read_only
        try:
            with self.transaction():
                self.tables = set(self.run("show_schema")["name"].to_pylist())
                lacking = self._lacking()
                self._version = self._found_version()
            self._upgrade(lacking)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with self.mutex:
            self._finalizer()

    # --- schema -------------------------------------------------------------------------------------------

    def init(self) -> list[str]:
        """Make the tables that are missing; their names."""
        with self.mutex:
            missing = self._missing()
            if missing or self._version != VERSION:
                with self.transaction(write=True):
                    for table in missing:
                        self.run(table)
                    self.run("set_version", version=VERSION)
                self.tables.update(missing)
                self._version = VERSION
        return missing

    def _missing(self) -> list[str]:
        """The tables that are missing."""
        return [name for name in schema(self._dialect) if "." not in name and name not in self.tables]

    def _found_version(self) -> int:
        """The version of the schema that is there; 0 where it has none. Refused if it is newer, or not whole."""
        if "NeodpSchema" not in self.tables:
            return 0
        version = refusals.check_version(self.address, self.run("show_version")["version"][0].as_py())
        if version == VERSION and (missing := self._missing()):
            raise refusals.incomplete(self.address, missing[0])
        return version

    def _lacking(self) -> list[str]:
        """The columns that tables of an older neodp lack; refused where a table is somebody else's."""
        known = schema(self._dialect)
        found: list[str] = []
        for table in sorted(self.tables.intersection(known)):
            text = statement("show_columns", self._dialect).replace("{table}", table)
            there = self.execute(text, {})["name"].to_pylist()
            for column in re.findall(r"[(,]\s*`?(\w+)`? (?:STRING|DOUBLE|INT64|BOOL)", statement(table, self._dialect)):
                if column not in there and f"{table}.{column}" not in known:
                    raise refusals.foreign_table(self.address, table, column)
            found += [name for name in known if name.startswith(f"{table}.") and name.split(".")[1] not in there]
        return found

    def _upgrade(self, missing: list[str]) -> None:
        """Bring an older file up to date: add the columns and tables that it lacks."""
        if missing and self.read_only:
            raise refusals.older(self.address, f"lacks {missing[0]}")
        if missing:
            with self.transaction(write=True):
                for name in missing:
                    self.run(name)
                if "Ledger.population" in missing:
                    self.run("set_ledgers")
        if self._version != VERSION and "DatasetGraph" in self.tables and not self.read_only:
            self.init()

    def require_room(self, size: int) -> None:
        """Refuse a change that the disk may have no room for."""
        self._file.require_room(size)

    # --- transactions -------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, write: bool = False, ordered: bool = True) -> Iterator[None]:
        """All or nothing, one thread at a time; a transaction inside another is a part of it.

        What is written is in the order in which it was given, unless it need not be `ordered`: then the engine uses all
        processors.
        """
        with self.mutex:
            if self._connection is not None:
                yield
                return
            if write and self.read_only and not self._file.full:
                raise refusals.read_only(self.address)
            if write:
                self._file.require_room()
            with self._connected(write=write, threads=1 if write and ordered else 0):
                self.execute("BEGIN TRANSACTION" if write else "BEGIN TRANSACTION READ ONLY", {})
                try:
                    yield
                except BaseException:
                    with suppress(StoreError):
                        self.execute("ROLLBACK", {})
                    raise
                self._commit()

    @contextmanager
    def _connected(self, *, write: bool, threads: int) -> Iterator[None]:
        mask = self._file.masked() if write else nullcontext()
        with mask, self._file.connect(threads=threads) as self._connection:
            try:
                yield
            finally:
                self._connection = None

    def _commit(self) -> None:
        assert self._connection is not None
        if self._connection.is_closed:
            raise StoreError(f"{self.address} refused a part of a change", "nothing was changed")
        try:
            self.execute("COMMIT", {})
        except StoreError as e:
            if "committed successfully" not in str(e.__cause__):
                self._file.abandon()
                raise
            self._file.reopen()  # only bringing the log into the file failed

    def run(self, name: str, **parameters: Any) -> pa.Table:
        """The result of a statement, within a transaction."""
        return self.execute(statement(name, self._dialect), parameters)

    def execute(self, text: str, parameters: dict[str, Any]) -> pa.Table:
        """The result of any Cypher, within a transaction."""
        assert self._connection is not None
        needed = set(re.findall(r"\$(\w+)", re.sub(r"(?m)^//.*$", "", text)))
        if needed != set(parameters):
            raise StoreError(f"a statement needs {sorted(needed)} and was given {sorted(parameters)}", text)
        try:
            result = self._connection.execute(text, parameters)
            if not isinstance(result, ladybug.QueryResult):
                raise StoreError("there is more than one Cypher statement", "give one")
            with result:
                found = result.get_as_arrow(CHUNK)
            _check_texts(found)
            return found
        except ENGINE as e:
            self._connection.close()  # which ends the transaction, whatever the error left of it
            if "KeyboardInterrupt" in str(e):  # Ctrl-C, while the engine was asking Python for something
                raise KeyboardInterrupt from None
            raise _refused(self.address, e) from e


def batches(n: int) -> Iterator[slice]:
    """Slices of at most BATCH rows."""
    for start in range(0, n, BATCH):
        yield slice(start, min(start + BATCH, n))


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _check_texts(found: pa.Table) -> None:
    """Raise ValueError where a text is none: in a damaged file any bytes may stand for one."""
    for column in found.columns:
        for chunk in column.chunks:
            if pa.types.is_list(chunk.type) and chunk.null_count < len(chunk):
                chunk = chunk.flatten()
            if pa.types.is_string(chunk.type) and len(chunk):  # the engine leaves a column without rows as it comes
                chunk.validate(full=True)


def _refused(address: str, error: Exception) -> StoreError:
    """The engine's error in neodp's words."""
    if not isinstance(error, RuntimeError):
        return StoreError(f"a part of {address} cannot be read: it was damaged", "take it from a copy")
    if "Buffer manager exception" in str(error):
        return StoreError(f"{address} needs more memory than half of this machine's", "use a larger one, or Neo4j")
    if "Cannot write to file" in str(error):
        return StoreError(f"{address} cannot be written: the disk may be full", "make room, and look what is there")
    if "Unable to cast Python" in str(error):
        return StoreError("a name or key is not a text that UTF-8 can write", "correct it")
    if "read-only" in str(error):
        return ReadOnlyStore(f"{address} may be read but not written", "use another store")
    return StoreError(f"{address} refused: {said(error)}", "nothing was changed")
