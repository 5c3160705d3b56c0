"""A store's file: found, locked, opened by the engine, and brought in order after a kill."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import ladybug

from neodp.errors import GraphError, NeodpError, StoreError, StoreUnreachable
from neodp.estimate import memory
from neodp.files import OWNER, masked, note_if_open, private
from neodp.store.embedded.lock import Lock

__all__ = ["ENGINE", "DamagedLogWarning", "File", "said"]

MAX_SIZE = 2**36
"""How large the file may grow: this takes 64 GiB of addresses, not of memory (the engine's own 8 TiB are refused where
addresses are limited)."""
BESIDE = (".wal", ".wal.checkpoint", ".shadow", ".tmp")
"""How the files end that the engine writes beside its own. It would follow a link there."""
LOG = 2**18
"""At how many bytes the log is brought into the file. The engine holds what is in the log in memory, some 25 times as
much for single rows; with its own limit of 16 MB, a store that stays open for 10,000 answers takes 250 MB."""
SPARE = 2**23
"""How many bytes must be free on the disk for anything to be written. The engine ends the process where it cannot write
what it must, so that nothing is begun that may not fit."""
OFTEN = 1000
"""After how many transactions the memory that was freed is returned, while a store stays open."""
REASONS = {
    "not a valid Lbug database": ("is not a neodp store", "name another file"),
    "Could not set lock": ("is in use by another program", "wait for it, or use another file"),
    "different version": (
        "was written by another version of ladybug",
        "export the graphs with that one, and load them",
    ),
    "does not match the current database": ("has the log of another store beside it", "move its .wal file away"),
    "checkpoint recovery is pending": (
        "has a change to bring in first, and may not be written or has no room on its disk",
        "make room, or open it where it may be written; nothing is lost",
    ),
    "Mmap for size": ("needs more addresses than are allowed", "raise the limit (ulimit -v)"),
}
"""What the engine says when a file cannot be opened for a reason other than a damaged log, and what that means."""


ENGINE = (RuntimeError, ValueError, IndexError, OverflowError)
"""What the engine raises: the first where it says why, the others where it stumbles over a damaged file."""


class DamagedLogWarning(UserWarning):
    """The end of a store's log could not be read, as after a kill while it was written."""


class File:
    """An open database file, and the lock that keeps all others out."""

    def __init__(self, path: Path, address: str, patience: float, create: bool) -> None:
        self._address = address
        self._path = _place(path, address, create)
        self.full = _free(self._path) < SPARE and self._path.exists()
        self.read_only = self.full or not _is_writable(self._path)
        self._lock = Lock(self._path, address, patience)
        self._database: ladybug.Database | None = None
        self._connections = 0
        self._start()

    @contextmanager
    def masked(self) -> Iterator[None]:
        """Have the engine's other files, such as its log, be no more open than the store itself."""
        with masked(stat.S_IMODE(self._path.stat().st_mode) if self._path.exists() else OWNER):
            yield

    def require_room(self, size: int = 0) -> None:
        """Refuse to write where the disk may have no room for so many bytes, for the log of them and for both again.

        Raises
        ------
        StoreError
            If there is too little; nothing was changed.
        """
        needed = size + SPARE + 2 * sum(log.stat().st_size for log in _logs(self._path))
        free = _free(self._path)
        if free < needed or self.full:
            megabytes = f"about {needed / 1e6:,.0f} MB of room on its disk, and {free / 1e6:,.0f} are free"
            raise StoreError(
                f"{self._address} needs {megabytes}",
                "make room, and try again; nothing was changed",
            )

    def connect(self, *, threads: int) -> ladybug.Connection:
        if self._database is None:
            raise StoreError(f"the store {self._address} was closed, or failed", "open it again")
        self._connections += 1
        if self._connections % OFTEN == 0:
            _give_back()
        return ladybug.Connection(self._database, threads)

    def close(self) -> None:
        if self._database is not None and _free(self._path) < sum(log.stat().st_size for log in _logs(self._path)):
            self.abandon()  # what is committed is in the log, which the next one to open the file brings into it
            self._lock.release()
        database, self._database = self._database, None
        if database is not None:
            with self.masked():
                database.close()
            self._lock.release()
            del database
            _give_back()

    def abandon(self) -> None:
        """Give up after a failed commit, until the process ends.

        Its log ends in the middle, and whatever came behind that would be lost. The engine ends the process if it is
        closed while the log cannot be written, so it never is.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._database))
        self._database = None

    def reopen(self) -> None:
        """Have the engine start again from what is in the file and its log."""
        if self._database is not None:
            with self.masked():
                self._database.close()
            self._database = None
            self._start()

    def _start(self) -> None:
        made = False
        try:
            made = self._make()
            with self.masked(), undisturbed():
                self._database = self._open()
        except NeodpError:
            raise
        except (*ENGINE, OSError) as e:
            raise self._unreachable(e) from e
        except KeyboardInterrupt:
            self.close()
            raise
        finally:
            if self._database is None:
                if made:
                    self._path.unlink(missing_ok=True)
                self._lock.release()

    def _make(self) -> bool:
        """Make the file, for its owner only, if there is none; whether it was made. The engine takes an empty one."""
        if self._path.exists():
            return False
        os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER))
        note_if_open(self._path)
        return True

    def _open(self) -> ladybug.Database:
        try:
            return self._engine()
        except RuntimeError as e:
            known = any(reason in str(e) for reason in REASONS)
            if known or self.read_only or not _logs(self._path):
                raise
        self._cut_log()
        return self._engine()

    def _cut_log(self) -> None:
        """Do without the end of the log that cannot be read, after a copy of the log was put aside."""
        now = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        logs = _logs(self._path)
        copies = [f"{log}.damaged-{now}" for log in logs]
        try:
            for log, copy in zip(logs, copies, strict=True):
                with log.open("rb") as old, private(copy) as new:
                    shutil.copyfileobj(old, new)
            database = self._engine(throw_on_wal_replay_failure=False)
        except (RuntimeError, OSError, GraphError):
            for copy in copies:
                Path(copy).unlink(missing_ok=True)
            raise
        with ladybug.Connection(database) as connection:
            connection.execute("CHECKPOINT")  # or what is written next would stand behind the damage in the log
        database.close()
        warnings.warn(
            f"the end of the log of {self._address} could not be read, as after a kill while it was written: what had "
            f"been committed before is there; a copy of the log is {' and '.join(copies)}",
            DamagedLogWarning,
            stacklevel=8,
        )

    def _engine(self, **options: Any) -> ladybug.Database:
        return ladybug.Database(
            self._path,
            read_only=self.read_only,
            max_db_size=MAX_SIZE,
            buffer_pool_size=memory() // 2,
            checkpoint_threshold=LOG,
            **options,
        )

    def _unreachable(self, error: Exception) -> StoreUnreachable:
        for reason, (what, hint) in REASONS.items():
            if reason in str(error):
                return StoreUnreachable(f"the store {self._address} {what}", hint)
        return StoreUnreachable(
            f"the store {self._address} cannot be opened: {said(error)}", "take it from a copy, or use another"
        )


def _give_back() -> None:
    """Return to the system what the engine has freed: glibc keeps it, some 50 MB after one store, more with threads."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _place(path: Path, address: str, create: bool) -> Path:
    """The file itself, links followed; refused where there is none and none can be made."""
    try:
        dangling = path.is_symlink() and not path.exists()
        path = path.resolve()
        wrong = ("is a link to nothing", "remove the link, or name the file itself") if dangling else _misplaced(path)
    except (OSError, RuntimeError, ValueError) as e:  # a folder is closed, a name too long, links go round in a circle
        raise StoreUnreachable(f"the store {address!r} cannot be opened: {said(e)}", "correct `uri=...`") from e
    if wrong is not None:
        raise StoreUnreachable(f"the store {address} {wrong[0]}", wrong[1])
    if not create and not path.exists():
        raise StoreUnreachable(
            f"there is no store {address}", f"correct `uri=...`, or make one with `open_store({address!r})`"
        )
    return path


def _misplaced(path: Path) -> tuple[str, str] | None:
    """Why a path is no place for a store, and what to do about it."""
    if path.is_dir():
        return "is a folder", "name a file in it"
    for end in BESIDE:
        beside = path.with_name(f"{path.name}{end}")
        if beside.is_symlink() or (beside.exists() and beside.stat().st_nlink > 1):
            return f"has a link beside it, {path.name}{end}", "find out who made the link, and remove it"
    if not path.parent.is_dir():
        return "is in no folder that exists", "make the folder, or correct `uri=...`"
    if not path.exists():
        logs = [log.name for log in _logs(path)]
        if logs:
            return f"is gone, but not its log {logs[0]}", "put it back, or move the log away"
        if not os.access(path.parent, os.W_OK):
            return "may not be made in its folder", "use another folder"
    elif not path.is_file():
        return "is not a file", "name another"
    elif not os.access(path, os.R_OK):
        return "may not be read", "ask for the right to, or use another file"
    return None


def _logs(path: Path) -> list[Path]:
    """The engine's logs beside a file, if any: the second is one that is being brought into the file."""
    return [log for log in (path.with_name(f"{path.name}{end}") for end in (".wal", ".wal.checkpoint")) if log.exists()]


def _free(path: Path) -> int:
    """How many bytes are free on a file's disk."""
    return shutil.disk_usage(path.parent).free


def _is_writable(path: Path) -> bool:
    """Whether the file and its log can be written."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Have Ctrl-C wait until this is done: it would be lost where the engine loads its parts, and only fails to."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed: list[object] = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed and before is not signal.SIG_IGN:
            raise KeyboardInterrupt


def said(error: Exception) -> str:
    """The first sentence of what an error says, without the kind of exception."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return re.sub(r"^\w+ exception: ", "", said).split("\n")[0].split(". ")[0].rstrip(".")
