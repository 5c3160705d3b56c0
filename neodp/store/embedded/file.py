"""The SQLite file of an embedded store: how it is found, created, opened, and read and changed in transactions.

*All or nothing.* A change is one SQLite transaction. If a process is killed at any moment, the next one that opens the
file finds the complete old state or the complete new one. Several processes may use the file: SQLite's own locks let
many read at once, or one write, and the others wait for up to ``Settings.patience`` seconds.

*Durable.* An answer counts as stored once COMMIT returns. The file is synchronised before that, and so is its folder
(``synchronous = EXTRA``): without the latter, a power failure could bring back the journal of a finished transaction,
and SQLite would undo that transaction.

*Never repaired.* A damaged file is refused (:class:`~neodp.errors.DamagedStore`); nothing is cut off, recreated or
continued. These checks are made:

* whenever the file is opened: that it is neodp's (``application_id``), of this version (``user_version``), of the
  length that its header states, and has exactly the tables and indexes of ``schema.sql``;
* before the first change and the first lookup in the ledger: SQLite's ``quick_check`` of the whole file;
* before the first lookup in the ledger: that the number of releases is the one that all accounts state
  (:mod:`~neodp.store.embedded.releases`);
* after an interrupted transaction was rolled back: ``integrity_check``;
* whenever something is read: its digest (:mod:`~neodp.store.embedded.records`,
  :mod:`~neodp.store.embedded.columns`).

Only SQLite opens the file. On POSIX systems, a process that opens and closes a file by other means loses the locks that
SQLite holds on it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from neodp.data.files import note_if_open
from neodp.errors import DamagedStore, GraphError, NeodpError, StoreError, StoreUnreachable
from neodp.hints import Call, Hint, Option
from neodp.store import refusals
from neodp.store.settings import Settings

__all__ = ["APPLICATION", "BESIDE", "VERSION", "File", "beside", "give_new_name", "synchronise"]

APPLICATION = 0x6E654450
"""The application id in SQLite's header: "neDP"."""
VERSION = 3
"""The version of ``schema.sql``. A change that older programs would misread increases it."""
PAGE = 8192
"""The page size of a new file, in bytes."""
PAGES = 4096
"""The number of pages that are copied between two checks for Ctrl-C."""
WAIT = 30.0
"""The least number of seconds to wait for another process that is writing."""
RESTORE = "nothing was changed; restore it from a backup, see docs/backup.md"
"""The hint for a damaged file."""
SAVE = Hint(Call("export_ledger"), " saves it")
"""The hint for a ledger that is intact in a damaged file."""
BESIDE = ("-journal", "-wal", "-shm")
"""The suffixes of the files that SQLite writes next to its own. It would follow a link there."""


class File:
    """An open file and its transactions. The threads of a process take turns.

    Parameters
    ----------
    settings : Settings
        The file, and how long to wait for it.
    ledger_is_whole : callable
        Tells whether the ledger of a file can be read, for the hint of an error about damage.

    Attributes
    ----------
    address : str
        The file, as it was named.
    path : Path
        The file itself, links followed.
    read_only : bool
        Whether the file may only be read.
    made : bool
        Whether the file was created now.
    """

    def __init__(self, settings: Settings, ledger_is_whole: Callable[[File], bool]) -> None:
        self.address = str(settings.path)
        self.path = _place(settings.path, self.address, settings.create)
        self.made = not self.path.exists()
        if self.made:
            _make(self.path)
        self.read_only = settings.read_only or not _is_writable(self.path)
        self._wait = max(settings.patience, WAIT)
        self._mutex = threading.RLock()
        self._writing: bool | None = None  # whether a transaction is open, and which kind
        self._sound = False
        self._ledger_is_whole = ledger_is_whole
        self._tells_of_ledger = False  # whether an error about damage says if the ledger is intact
        interrupted = beside(self.path, "-journal").exists()
        self._connection: sqlite3.Connection | None = self._connect()
        self._finalizer = weakref.finalize(self, self._connection.close)
        try:
            with self.reading():
                self._require_ours()
                if interrupted:
                    self._require_sound("integrity_check")
        except BaseException:
            self.close()
            raise
        self._tells_of_ledger = True

    def close(self) -> None:
        """Close the file. A transaction that is still open is rolled back."""
        with self._mutex:
            self._connection = None
            self._finalizer()

    # --- transactions -------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the file, whatever others write meanwhile; join a transaction that is already open."""
        with self._mutex:
            if self._writing is not None:
                yield
                return
            with self._transaction("BEGIN", writing=False):
                yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Change the file, all or nothing; join a transaction that is already open.

        Raises
        ------
        ReadOnlyStore
            If the file may only be read.
        """
        with self._mutex:
            if self.read_only:
                raise refusals.read_only(self.address)
            if self._writing is not None:
                assert self._writing, "a change within a transaction that only reads"
                yield
                return
            with self._transaction("BEGIN IMMEDIATE", writing=True):
                self.require_sound()
                yield

    def state(self) -> tuple[int, int]:
        """Return a value that differs after every change of the file, by this connection or by others."""
        with self._mutex:
            ((others,),) = self.execute("PRAGMA data_version")
            assert self._connection is not None
            return others, self._connection.total_changes

    @property
    def is_writing(self) -> bool:
        """True while a transaction that changes the file is open."""
        return bool(self._writing)

    @contextmanager
    def _transaction(self, begin: str, *, writing: bool) -> Iterator[None]:
        self.execute(begin)
        self._writing = writing
        try:
            yield
            self.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            self._writing = None
            if isinstance(error, DamagedStore):
                self._tell_of_ledger(error)
            raise
        finally:
            self._writing = None

    def _roll_back(self) -> None:
        """Roll back the open transaction, unless SQLite did so itself after an error."""
        if self._connection is not None and self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.rollback()

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement, and return its rows.

        Raises
        ------
        StoreError
            If SQLite refuses the statement; the message is in neodp's words.
        """
        if self._connection is None:
            raise StoreError(f"the store {self.address} was closed", "open it again")
        try:
            return self._connection.execute(sql, values).fetchall()
        except (sqlite3.Error, UnicodeError) as e:
            raise self._explained(e) from e

    def copy(self, target: Path) -> None:
        """Copy one state of the file to an empty one. Other processes may read meanwhile, but must wait to write.

        Raises
        ------
        sqlite3.Error
            If the copy cannot be written.
        """
        copy = sqlite3.connect(target, isolation_level=None)
        try:
            for pragma in ("journal_mode = OFF", "synchronous = OFF"):  # a copy that is not finished is thrown away
                copy.execute(f"PRAGMA {pragma}")
            with self.reading():
                self.execute("SELECT 1 FROM sqlite_schema")  # waits for a writer, but not for ever, as `backup` would
                assert self._connection is not None
                self._connection.backup(copy, pages=PAGES, progress=_heed)
        finally:
            copy.close()

    # --- is it whole? -------------------------------------------------------------------------------------

    def require_sound(self, *, thoroughly: bool = False) -> None:
        """Have SQLite check the whole file, once while it is open; or, `thoroughly`, now and with its indexes.

        Raises
        ------
        DamagedStore
            If the file is damaged.
        """
        if thoroughly or not self._sound:
            self._require_sound("integrity_check" if thoroughly else "quick_check")

    def _require_sound(self, check: str) -> None:
        with self.reading():
            found = [row[0] for row in self.execute(f"PRAGMA {check}(1)")]
        if found != ["ok"]:
            raise self.damaged(f"SQLite says: {str(found[0]).splitlines()[-1]}" if found else "it cannot be checked")
        self._sound = True

    def damaged(self, what: str) -> DamagedStore:
        """Return the error for a damaged file; its hint says whether the ledger is intact.

        Within a transaction, the ledger is checked after the rollback: an unfinished change is not damage.
        """
        error = DamagedStore(f"the store {self.address} is damaged: {what}", RESTORE)
        with self._mutex:
            if self._writing is None:
                self._tell_of_ledger(error)
        return error

    def _tell_of_ledger(self, error: DamagedStore) -> None:
        """Say in the hint of an error whether the ledger is intact, unless that check is already running."""
        if self._tells_of_ledger:
            self._tells_of_ledger = False
            whole = self._ledger_is_whole(self)
            self._tells_of_ledger = True
            found = "the ledger is intact: " + SAVE if whole else "its ledger is damaged too"
            error.hint = f"{RESTORE}; " + found

    def _require_ours(self) -> None:
        """Refuse a file of another program or of another version, or one with missing or additional parts."""
        application, version = (self.execute(f"PRAGMA {name}")[0][0] for name in ("application_id", "user_version"))
        if application != APPLICATION:
            raise StoreUnreachable(f"the file {self.address} is not a neodp store", "name another file")
        if version != VERSION:
            newer = version > VERSION
            raise StoreUnreachable(
                f"the store {self.address} has version {version}, and this neodp reads version {VERSION}",
                "update neodp" if newer else "restore it from a backup, see docs/backup.md",
            )
        found = dict(self.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        for name in sorted(found.keys() | _schema().keys()):
            if found.get(name) != _schema().get(name):
                what = "was changed" if name in _schema() else "does not belong to neodp"
                what = what if name in found else "is missing"
                raise self.damaged(f"its table or index {name!r} {what}")
        size, pages, journal = (
            self.execute(f"PRAGMA {name}")[0][0] for name in ("page_size", "page_count", "journal_mode")
        )
        if journal != "delete":
            raise StoreUnreachable(
                f"the store {self.address} was switched to the journal mode {journal} by another program",
                f"switch it back: sqlite3 {self.path.name} 'PRAGMA journal_mode=DELETE'",
            )
        if size * pages != self.path.stat().st_size:
            raise self.damaged(f"its header states {size * pages:,} bytes, and it has {self.path.stat().st_size:,}")

    # --- opening ------------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rw"
        try:
            connection = sqlite3.connect(
                f"{self.path.as_uri()}?mode={mode}",
                timeout=self._wait,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            for pragma in ("synchronous = EXTRA", "foreign_keys = ON", "trusted_schema = OFF", "cell_size_check = ON"):
                connection.execute(f"PRAGMA {pragma}")
        except (sqlite3.Error, UnicodeError) as e:
            raise self._explained(e) from e
        return connection

    def _explained(self, error: Exception) -> NeodpError:
        """Return SQLite's error in neodp's words."""
        precise = getattr(error, "sqlite_errorcode", 0)
        code = precise & 0xFF
        if isinstance(error, UnicodeEncodeError):
            return GraphError("a name or key is not valid Unicode text", "correct it")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreUnreachable(
                f"the store {self.address} is in use by another process, which did not finish within {self._wait:g} s",
                "wait for it, or use another file",
            )
        if code == sqlite3.SQLITE_FULL or precise == sqlite3.SQLITE_IOERR_WRITE:
            return StoreError(
                f"{self.address} cannot be written: the disk may be full", "make room; nothing was changed"
            )
        if code == sqlite3.SQLITE_NOTADB:
            return StoreUnreachable(f"the file {self.address} is not a neodp store", "name another file")
        if code == sqlite3.SQLITE_READONLY and beside(self.path, "-journal").exists():
            return StoreUnreachable(
                f"the store {self.address} has an interrupted change to undo first, and may not be written",
                "open it once where it may be written; nothing is lost",
            )
        if code == sqlite3.SQLITE_READONLY:
            return refusals.read_only(self.address)
        unreadable = isinstance(error, UnicodeDecodeError) or "Could not decode to UTF-8" in str(error)
        if code == sqlite3.SQLITE_CORRUPT or unreadable:
            return self.damaged("a part of it cannot be read")
        if code == sqlite3.SQLITE_CANTOPEN:
            return StoreUnreachable(
                f"the store {self.address} cannot be opened", "check the permissions of the file and its folder"
            )
        if code == sqlite3.SQLITE_IOERR:
            return StoreError(f"the disk failed under {self.address}", "see the system's log; nothing was changed")
        return StoreError(f"{self.address} refused: {error}", "nothing was changed")


def _heed(status: int, left: int, total: int) -> None:
    """Do nothing, but let Python handle Ctrl-C."""


@cache
def _schema() -> dict[str, str]:
    """Return the tables and indexes of ``schema.sql`` by name, in the words in which SQLite stores them."""
    with sqlite3.connect(":memory:") as empty:
        empty.executescript(_script())
        found = dict(empty.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    empty.close()
    return found


def _script() -> str:
    return Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")


def _make(path: Path) -> None:
    """Create an empty store, readable by its owner only, completely or not at all.

    If several processes create the same store, the first one wins, and the others use its file.
    """
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")  # with the rights 0600
    os.close(number)
    try:
        made = sqlite3.connect(name)
        try:
            made.execute(f"PRAGMA page_size = {PAGE}")
            made.executescript(f"BEGIN; {_script()} COMMIT")
            made.execute(f"PRAGMA application_id = {APPLICATION}")
            made.execute(f"PRAGMA user_version = {VERSION}")
        finally:
            made.close()
        synchronise(Path(name))
        with suppress(FileExistsError):
            give_new_name(name, path)
            synchronise(path.parent)
            note_if_open(path)
    except (sqlite3.Error, OSError) as e:
        reason = e.strerror if isinstance(e, OSError) else str(e)
        raise StoreUnreachable(f"the store {path.name} cannot be created: {reason}", "use another folder") from e
    finally:
        with suppress(OSError):
            Path(name).unlink()


def give_new_name(name: str, path: Path) -> None:
    """Give a file a second name that must not exist yet; rename it if the file system has no links."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:
        if path.exists():
            raise FileExistsError from None
        Path(name).rename(path)


def synchronise(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk."""
    if os.name == "nt" and path.is_dir():  # Windows has no such thing for folders
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _place(path: Path, address: str, create: bool) -> Path:
    """Return the file itself, links followed; refuse a path at which no store exists and none can be created."""
    try:
        dangling = path.is_symlink() and not path.exists()
        path = path.resolve()
        wrong = ("is a link to nothing", "remove the link, or name the file itself") if dangling else _misplaced(path)
    except (OSError, RuntimeError, ValueError) as e:  # a folder is closed, a name too long, links go round in a circle
        reason = getattr(e, "strerror", None) or str(e)
        raise StoreUnreachable(
            f"the store {address!r} cannot be opened: {reason}", Hint("correct ", Option("uri"))
        ) from e
    if wrong is not None:
        raise StoreUnreachable(f"the store {address} {wrong[0]}", wrong[1])
    if not create and not path.exists():
        raise StoreUnreachable(
            f"there is no store {address}",
            Hint("correct ", Option("uri"), ", or make one with ", Call("make_store", address=address)),
        )
    return path


def _misplaced(path: Path) -> tuple[str, str] | None:
    """Return why a path cannot be a store, and what to do about it."""
    if path.is_dir():
        return "is a folder", "name a file in it"
    for end in BESIDE:
        other = beside(path, end)
        if other.is_symlink() or (other.exists() and other.stat().st_nlink > 1):
            return f"has a link beside it, {other.name}", "find out who made the link, and remove it"
    if not path.parent.is_dir():
        return "is in a folder that does not exist", Hint("make the folder, or correct ", Option("uri"))
    if not path.exists():
        journals = [end for end in BESIDE if beside(path, end).exists()]
        if journals:
            return (
                f"is gone, but not its journal {path.name}{journals[0]}",
                "put the file back, or move the journal away",
            )
        if not os.access(path.parent, os.W_OK):
            return "cannot be created in its folder", "use another folder"
    elif not stat.S_ISREG(path.stat().st_mode):
        return "is not a file", "name another"
    elif not os.access(path, os.R_OK):
        return "may not be read", "ask for the right to, or use another file"
    elif path.stat().st_size == 0:
        hint = "restore it from a backup, see docs/backup.md, or delete it"
        return "is an empty file: it lost its contents, or never was a store", hint
    return None


def beside(path: Path, end: str) -> Path:
    """Return the name of a file that SQLite writes next to its own."""
    return path.with_name(f"{path.name}{end}")


def _is_writable(path: Path) -> bool:
    """Return whether the file and its journal can be written."""
    return os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)
