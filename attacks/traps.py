"""Traps: places in a command at which its process is killed, or at which its disk fails.

On Neo4j, the statements and commits that the client sends are counted. On the embedded store, the system calls are
counted by which SQLite writes, shortens and deletes files: SQLite lets a program replace them
(``sqlite3_vfs.xSetSystemCall``). So a kill can be between any two writes of a commit, or within one of them.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sqlite3
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_size_t, c_ssize_t, c_void_p
from dataclasses import dataclass
from typing import Any, Literal, get_args

__all__ = ["KILLS", "Trap", "set_trap"]

Kill = Literal["before", "after", "within"]
KILLS: tuple[Kill, ...] = get_args(Kill)
"""Kills before a call, after it, or in the middle of what it writes."""
ERRORS = {"full": errno.ENOSPC, "broken": errno.EIO}
"""Errors of a disk, by name."""


@dataclass(frozen=True)
class Trap:
    """A place in a command, and an accident that happens there.

    Attributes
    ----------
    at : int
        The number of the call, from 1 on; 0 for none, so that calls are only counted.
    how : str
        One of KILLS, or one of ERRORS: the call fails.
    lasting : bool
        Also fail all later calls.
    spill : bool
        Give SQLite next to no memory, so that it writes to its file long before it commits.
    count : str
        A file that the number of calls is written to.
    """

    at: int
    how: Kill | Literal["full", "broken"] = "before"
    lasting: bool = False
    spill: bool = False
    count: str = ""


def set_trap(trap: Trap) -> list[int]:
    """Set a trap in this process; return the number of calls so far, which goes on counting."""
    counted = [0]
    _watch_neo4j(trap, counted)
    _watch_sqlite(trap, counted)
    if trap.spill:
        _starve()
    return counted


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _watch_neo4j(trap: Trap, counted: list[int]) -> None:
    """Count the statements and commits that are sent to a server."""
    from neo4j import ManagedTransaction
    from neo4j._sync.work.transaction import TransactionBase

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            counted[0] += 1
            here = counted[0] == trap.at
            if here and trap.how == "before":
                _die()
            result = original(*args, **options)
            if here:
                _die()
            return result

        return run

    places: list[tuple[Any, str]] = [(ManagedTransaction, "run"), (TransactionBase, "_commit")]
    for owner, name in places:
        setattr(owner, name, watched(getattr(owner, name)))


def _starve() -> None:
    """Have SQLite keep no more than two pages in memory."""
    connect = sqlite3.connect

    def small(*args: Any, **options: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = connect(*args, **options)
        made.execute("PRAGMA cache_size = 2")
        return made

    sqlite3.connect = small  # type: ignore[assignment]


# --- SQLite's system calls ------------------------------------------------------------------------------------------

GET = CFUNCTYPE(c_void_p, c_void_p, c_char_p)
SET = CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p)


class _Vfs(ctypes.Structure):
    """SQLite's ``sqlite3_vfs``, version 3."""

    _fields_ = [
        *((name, c_int) for name in ("version", "file_size", "longest_path")),
        *((name, c_void_p) for name in ("next", "name", "data")),
        *((f"method_{i}", c_void_p) for i in range(13)),
        ("set_call", SET),
        ("get_call", GET),
    ]


CALLS: dict[str, tuple[Any, ...]] = {
    "write": (c_ssize_t, c_int, c_void_p, c_size_t),
    "pwrite": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "pwrite64": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "ftruncate": (c_int, c_int, c_int64),
    "unlink": (c_int, c_char_p),
}
"""The calls that change files, with the types of their results and arguments."""
_ALIVE: list[Any] = []
"""Functions that SQLite calls, which Python must not forget."""


def _watch_sqlite(trap: Trap, counted: list[int]) -> None:
    """Count the calls by which SQLite changes files; without effect where its library shows no such functions."""
    import _sqlite3

    try:
        find = ctypes.CDLL(_sqlite3.__file__).sqlite3_vfs_find
    except (AttributeError, OSError):
        return
    find.argtypes, find.restype = [c_char_p], POINTER(_Vfs)
    vfs = find(None)
    if vfs.contents.version < 3:
        return
    for name, types in CALLS.items():
        kind = CFUNCTYPE(*types, use_errno=True)
        address = vfs.contents.get_call(vfs, name.encode())
        if address:
            made = kind(_watched(name, kind(address), trap, counted))
            _ALIVE.append(made)
            vfs.contents.set_call(vfs, name.encode(), ctypes.cast(made, c_void_p))


def _watched(name: str, original: Callable[..., int], trap: Trap, counted: list[int]) -> Callable[..., int]:
    """Return a system call with the trap in it."""

    def call(*args: Any) -> int:
        counted[0] += 1
        here = counted[0] == trap.at
        if trap.how in ERRORS and (here or (trap.lasting and 0 < trap.at < counted[0])):
            ctypes.set_errno(ERRORS[trap.how])
            return -1
        if here and trap.how == "before":
            _die()
        if here and trap.how == "within" and "write" in name:
            original(*args[:2], args[2] // 2, *args[3:])
            _die()
        result = original(*args)
        if here:
            _die()
        return result

    return call
