"""Files that hold private data: readable by their owner only, whole or not at all, and never written through a link.

A file is first written under a temporary name beside its place, with the permissions 0600, and then renamed into place.
So a reader finds either the old file or the new one, a full disk leaves the old one, and a link is not followed.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from neodp.errors import GraphError
from neodp.hints import Hint, Option

__all__ = ["OpenFileWarning", "make_folder", "masked", "note_if_open", "private", "require_new"]

OWNER = 0o600
"""The permissions of a file with private data: its owner may read and write it."""


class OpenFileWarning(UserWarning):
    """A file with private data can be read by others, since the file system does not support permissions."""


@contextmanager
def private(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing private data, which replaces an existing file.

    Raises
    ------
    GraphError
        If the place is a link, or the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with private(f"{folder}/votes.csv") as file:
    ...         _ = file.write(b"name,vote")
    ...     oct(os.stat(f"{folder}/votes.csv").st_mode)[-3:]
    '600'
    """
    target = Path(path)
    if target.is_symlink():
        raise GraphError(f"{target} is a link, which neodp does not follow", "name the file itself")
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
            return
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")  # with the rights 0600
        try:
            with os.fdopen(number, "wb") as file:
                yield file
            Path(name).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as e:
        raise GraphError(f"{target} cannot be written: {e.strerror or e}", "choose another file") from None
    note_if_open(target)


def require_new(*paths: Path) -> None:
    """Refuse to replace existing files.

    Raises
    ------
    GraphError
        If one of the files exists.
    """
    for path in paths:
        if path.exists():
            raise GraphError(
                f"{path} already exists", Hint("name another file, or use ", Option("force", True), " to replace it")
            )


def make_folder(path: str | PathLike[str]) -> Path:
    """Create a folder that only its owner may open, with its parents; an existing folder stays as it is.

    Raises
    ------
    GraphError
        If it cannot be created.
    """
    folder = Path(path)
    try:
        for each in (*reversed(folder.parents), folder):
            if not each.is_dir():
                each.mkdir(mode=0o700, exist_ok=True)  # another process may have made it in between
    except OSError as e:
        raise GraphError(f"the folder {folder} cannot be made: {e.strerror}", "choose another") from None
    return folder


def note_if_open(path: Path) -> None:
    """Warn if a file that was created for its owner only can be read by others."""
    if os.name != "nt" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        warnings.warn(
            f"{path} holds private data and can be read by others: its file system keeps no rights",
            OpenFileWarning,
            stacklevel=4,
        )


_lock = threading.Lock()
_users = 0
_before = 0


@contextmanager
def masked(mode: int = OWNER) -> Iterator[None]:
    """Limit the permissions of all files that this process creates meanwhile to `mode`, for code that creates its own.

    The operating system has one such mask for all threads. If several threads are in this context, the mask of the
    first one holds, and the last one restores the old mask.
    """
    global _users, _before
    with _lock:
        if _users == 0:
            _before = os.umask(0o777 & ~mode)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                os.umask(_before)
