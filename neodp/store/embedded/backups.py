"""Backups of the embedded file: copies that are complete, checked and durable before they get their name.

SQLite copies one state of the file while other processes use it (:meth:`File.copy <neodp.store.embedded.file.File>`),
to a temporary file next to the backup, readable by its owner only. The copy is then opened as a store and checked:

* that it is neodp's, of this version, of its full length and with all tables (as whenever a file is opened);
* by SQLite's ``integrity_check``;
* every release by its digest, and the releases of each population against its account;
* every row about a graph or profile, and every part of every column, by its digest.

Only then does the copy get its name, by a rename or a hard link, which is all or nothing. A damaged store cannot
replace a good backup.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from os import PathLike
from pathlib import Path

from neodp.data.files import note_if_open, require_new
from neodp.errors import GraphError, NeodpError, StoreError
from neodp.store.embedded.columns import Columns
from neodp.store.embedded.file import BESIDE, File, beside, give_new_name, synchronise
from neodp.store.embedded.graphs import GRAPH
from neodp.store.embedded.ledgers import Ledgers, is_whole
from neodp.store.embedded.profiles import PROFILE
from neodp.store.embedded.records import RecordTable
from neodp.store.settings import Settings

__all__ = ["write"]


def write(file: File, path: str | PathLike[str], *, force: bool) -> None:
    """Write a backup of a file.

    Parameters
    ----------
    file : File
    path : str or path
        The backup.
    force : bool
        Replace an existing file.

    Raises
    ------
    GraphError
            If a backup may not be written to the path.
        StoreError
            If writing fails.
        DamagedStore, DamagedRelease
            If the store is damaged; then a file at the path stays as it is.
    """
    target = Path(path)
    try:
        _require_place(target, file, force=force)
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")  # with the rights 0600
        os.close(number)
        copy = Path(name)
        try:
            file.copy(copy)
            _verify(copy, file.address)
            synchronise(copy)
            if force:
                copy.replace(target)
            else:
                give_new_name(name, target)
            synchronise(target.parent)
        finally:
            with suppress(OSError):
                copy.unlink()
    except NeodpError:
        raise
    except (OSError, ValueError, sqlite3.Error) as e:
        raise StoreError(f"the backup {target} cannot be written: {_reason(e)}", "choose another place") from e
    note_if_open(target)


def _require_place(target: Path, file: File, *, force: bool) -> None:
    """Refuse a path at which a backup may not be written."""
    wrong = _misplaced(target, file)
    if wrong is not None:
        raise GraphError(f"{target} {wrong[0]}", wrong[1])
    if not force:
        require_new(target)


def _misplaced(target: Path, file: File) -> tuple[str, str] | None:
    """Return why a backup may not be written to a path, and what to do about it."""
    if target.is_symlink():
        return "is a link, which neodp does not follow", "name the file itself"
    if target.is_dir():
        return "is a folder", "name a file in it"
    if not target.parent.is_dir():
        return "is in a folder that does not exist", "make the folder, or name another file"
    if target.exists() and not target.is_file():
        return "is not a file", "name another"
    if target.exists() and target.samefile(file.path):
        return "is the store itself", "name another file"
    if target.parent.resolve() / target.name in [beside(file.path, end) for end in BESIDE]:
        return "is where SQLite keeps the store's journal", "name another file"
    for end in BESIDE:
        if os.path.lexists(beside(target, end)):
            found = beside(target, end).name
            return f"has {found} beside it, which SQLite would take for its journal", "move that away, or name another"
    return None


def _verify(copy: Path, address: str) -> None:
    """Check a copy of the file at `address`."""
    with closing(File(Settings(str(copy), create=False, read_only=True), is_whole)) as file:
        file.address = address  # for what is damaged in the copy is damaged there
        with file.reading():
            file.require_sound(thoroughly=True)
            Ledgers(file).all()
            for name, columns in (("graph", GRAPH), ("profile", PROFILE)):
                RecordTable(file, name, columns).rows()
            Columns(file).verify()


def _reason(error: Exception) -> str:
    """Return why a copy cannot be written."""
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return "the disk is full"
    return getattr(error, "strerror", None) or str(error)  # "File exists", if somebody else was faster
