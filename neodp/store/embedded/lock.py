"""The lock that keeps all other processes out of a store's file.

It is a lock of the operating system on ``FILE.lock``, which ends with its process, however that ends. The file names
the process that holds it, so that another one can be told. Whoever may write to the folder could put a link to somebody
else's file there: the lock must be a plain file with one name, or nothing is written to it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

from neodp.errors import StoreUnreachable

__all__ = ["Lock"]

NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Open no symbolic link, and do not wait for the other end of a pipe; Windows has neither."""


class _NoFile(StoreUnreachable):
    """The lock is something that no lock is, and waiting does not help."""


class Lock:
    """An operating system's lock, which ends with its process, on a file that names the process."""

    def __init__(self, path: Path, address: str, patience: float) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._address = address
        self._fd: int | None = None
        writable = os.access(path.parent, os.W_OK)
        until = time.monotonic() + patience
        try:
            while self._fd is None:
                try:
                    self._fd = self._acquire(os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY)
                except StoreUnreachable as e:
                    if isinstance(e, _NoFile) or time.monotonic() >= until:
                        raise
                    time.sleep(0.02)
            if writable:
                os.ftruncate(self._fd, 0)
                os.lseek(self._fd, 0, os.SEEK_SET)
                with suppress(OSError):  # the disk is full: the lock holds, and only the holder's number is not told
                    os.write(self._fd, str(os.getpid()).encode())
        except OSError as e:
            if not writable and isinstance(e, FileNotFoundError):
                return  # nobody holds it, and no lock can be made: the engine's own must do
            if e.errno == errno.ELOOP:
                raise self._no_file() from e
            raise StoreUnreachable(f"the store {address} cannot be locked: {e.strerror}", f"see {self._path}") from e

    def release(self) -> None:
        if self._fd is not None:
            with suppress(OSError):  # Windows removes no open file
                self._path.unlink()
            os.close(self._fd)
            self._fd = None

    def _acquire(self, flags: int) -> int | None:
        """The locked file; None if its last holder removed it meanwhile."""
        if self._path.is_symlink():  # where the system has no O_NOFOLLOW
            raise self._no_file()
        fd = os.open(self._path, flags | NO_LINKS, 0o644)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise self._no_file()
            _try_lock(fd)
            with suppress(FileNotFoundError):
                if os.path.samestat(found, os.lstat(self._path)):
                    kept, fd = fd, -1
                    return kept
            return None
        except (BlockingIOError, PermissionError):
            os.lseek(fd, 0, os.SEEK_SET)
            raise self._taken(os.read(fd, 20).decode(errors="replace")) from None
        finally:
            if fd >= 0:
                os.close(fd)

    def _no_file(self) -> _NoFile:
        return _NoFile(
            f"the lock {self._path} of the store {self._address} is a link or no plain file: nothing was written to it",
            "find out who made it, and remove it",
        )

    def _taken(self, holder: str) -> StoreUnreachable:
        if holder == str(os.getpid()):
            return StoreUnreachable(
                f"the store {self._address} is open in this process already", "use that one, or close it first"
            )
        who = f"process {holder}" if holder else "another process"
        return StoreUnreachable(f"the store {self._address} is in use by {who}", "wait for it, or use another file")


if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> None:
        os.lseek(fd, 2**30, os.SEEK_SET)  # not where the holder's number is: nobody else could read that
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
