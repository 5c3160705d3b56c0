"""The origin of a table's bytes: a file or standard input, compressed or not."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from neodp.errors import GraphError, NeodpError

__all__ = ["ENDINGS", "Format", "TableSource", "understood"]

Format: TypeAlias = Literal["csv", "parquet", "arrow", "workbook"]
"""The kinds of table: text of any delimiter, Parquet, Arrow (Feather), and workbooks of Excel and LibreOffice."""

ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "workbook",
    ".xlsm": "workbook",
    ".xlsb": "workbook",
    ".xls": "workbook",
    ".ods": "workbook",
}
"""The kind of table that a file name indicates; any of them may be followed by ``.gz``."""

_GZIP, _ZIP, _OLE = b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_NAMES: dict[Format, str] = {
    "csv": "a CSV table",
    "parquet": "a Parquet table",
    "arrow": "an Arrow table",
    "workbook": "a workbook",
}


@dataclass(frozen=True)
class TableSource:
    """A file, or standard input if the path is ``-``; or bytes that stand for a file of that name.

    Attributes
    ----------
    path : Path
    held : bytes or None
        The bytes of the file, if they are in memory: nothing is read from the path then.
    """

    path: Path
    held: bytes | None = field(default=None, repr=False)
    _read: list[bytes] = field(default_factory=list, repr=False, compare=False)

    def __str__(self) -> str:
        """Return the name of the source for messages."""
        return "standard input" if self.is_standard_input else str(self.path)

    @property
    def is_standard_input(self) -> bool:
        """True if the source is standard input."""
        return str(self.path) == "-" and self.held is None

    @property
    def stem(self) -> str:
        """The name of the file without its endings."""
        if self.is_standard_input:
            return "stdin"
        return Path(self.path.stem).stem if self.path.suffix.lower() == ".gz" else self.path.stem

    @property
    def promised(self) -> Format:
        """The kind of table that the name indicates; text if it indicates none."""
        endings = [ending.lower() for ending in self.path.suffixes]
        if endings[-1:] == [".gz"]:
            endings.pop()
        return ENDINGS.get(endings[-1], "csv") if endings else "csv"

    def data(self) -> bytes:
        """Return all bytes, decompressed. Data that cannot be read twice is kept; a file is read again.

        Raises
        ------
        GraphError
            If the file does not exist, may not be read, or is compressed and damaged.
        """
        if self._read:
            return self._read[0]
        data, again = self._bytes()
        if data.startswith(_GZIP):
            try:
                data = gzip.decompress(data)
            except (OSError, EOFError, zlib.error):
                raise GraphError(
                    f"{self} is a damaged or cut-off gzip file", "copy it again, or compress the table again"
                ) from None
        elif data and self.path.suffix.lower() == ".gz":
            raise GraphError(f"{self} is not compressed", "remove .gz from its name, or compress the table again")
        elif data.startswith(_ZIP) and self.path.suffix.lower() == ".zip":
            raise GraphError(f"{self} is a zip archive", "unpack it, and name the table that is in it")
        if data.isspace() or not data:
            raise GraphError(f"{self} is empty", "give a table whose first line names the columns")
        if not again:
            self._read.append(data)
        return data

    def _bytes(self) -> tuple[bytes, bool]:
        """Return all bytes as they are, and True if they can be read again."""
        if self.held is not None:
            return self.held, True
        if self.is_standard_input:
            return _standard_input(sys.stdin), False
        try:
            return self.path.read_bytes(), self.path.is_file()
        except IsADirectoryError:
            raise GraphError(f"{self.path} is a folder", "name a file in it") from None
        except FileNotFoundError:
            raise GraphError(f"there is no file {self.path}", "correct the path") from None
        except (OSError, ValueError) as e:
            raise GraphError(f"{self.path} cannot be read: {_reason(e)}", "correct the path or its rights") from None

    def format(self, data: bytes) -> Format:
        """Return the kind of table, from the first bytes, or else from the name."""
        if data.startswith(b"PAR1") and data.endswith(b"PAR1") and len(data) > 8:
            return "parquet"
        if data.startswith(b"ARROW1\0\0"):
            return "arrow"
        return "workbook" if data.startswith((_ZIP, _OLE)) else self.promised


@lru_cache(maxsize=1)
def _standard_input(stream: Any) -> bytes:
    """Read standard input, which is possible only once; the bytes are kept, since they are needed more than once."""
    data: bytes = stream.buffer.read()
    return data


@contextmanager
def understood(source: TableSource, format: Format) -> Iterator[None]:
    """Turn any error of a library on bytes that it does not understand into one sentence with the name of the file.

    A damaged file can raise anything, even something that is not an ``Exception``: a reader written in Rust *panics*.
    """
    try:
        yield
    except NeodpError:
        raise
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as e:
        if type(e) is MemoryError:  # of Python itself: there is no room; Arrow's own says that a size is nonsense
            raise
        raise GraphError(
            f"{source} is not {_NAMES[format]}, or it is damaged ({_reason(e)})",
            "write the file again, or give it the right ending",
        ) from None


def _reason(error: BaseException) -> str:
    text = (getattr(error, "strerror", None) or str(error)).strip() or type(error).__name__
    line = text.splitlines()[0].rstrip(".").replace("; ", ", ")
    printable = "".join(c if c.isprintable() else "?" for c in line)
    return printable if len(printable) <= 160 else f"{printable[:159]}…"
