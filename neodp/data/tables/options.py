"""Settings for reading a table that the table itself does not state."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal, TypeAlias

from neodp.data.kinds import require_fields
from neodp.errors import GraphError

__all__ = ["ExtraColumns", "ReadOptions"]

ExtraColumns: TypeAlias = Literal["refuse", "ignore"]
"""The treatment of columns that were not requested."""


@dataclass(frozen=True)
class ReadOptions:
    r"""Settings for reading a table. Missing settings are determined from the table, or the table is rejected.

    Attributes
    ----------
    encoding : str, optional
        The encoding of a text file, such as ``windows-1252``. By default UTF-8, or what the file's first bytes declare.
    delimiter : str, optional
        The separator of the cells of a text file: one character, or ``"tab"``. By default found from the header.
    sheet : str, optional
        The name of the sheet of a workbook; by default the only one that has cells.
    header_row : int, optional
        The row that names the columns, as a spreadsheet program counts (the line of a text file); rows above it are
        ignored. By default the first row that has a cell.
    extra_columns : "refuse" or "ignore", optional
        The treatment of columns that were not requested. By default a table of a graph or of profiles with such columns
        is rejected, a table of people may have them, and neither may have one that looks like a missing optional
        column.

    Raises
    ------
    GraphError
        If an option is invalid; the message says which one, and what is allowed.

    Examples
    --------
    >>> ReadOptions(delimiter="tab").delimiter
    '\t'
    """

    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    extra_columns: ExtraColumns | None = None
    header_row: int | None = None

    def __post_init__(self) -> None:
        require_fields(self)
        if self.encoding is not None:
            try:
                text = codecs.lookup(self.encoding)._is_text_encoding  # "hex" and "rot13" are no encodings of text
            except (LookupError, ValueError):
                text = False
            if not text:
                raise GraphError(
                    f"there is no encoding {self.encoding!r}",
                    "give one such as utf-8, windows-1252, iso-8859-15, utf-16 or mac-roman",
                )
        if self.delimiter is not None:
            delimiter = {"tab": "\t", "\\t": "\t"}.get(self.delimiter.lower(), self.delimiter)
            if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in '"\r\n\0.-+':
                raise GraphError(
                    f"the delimiter is {self.delimiter!r}", "give one character such as ',', ';' or '|', or tab"
                )
            object.__setattr__(self, "delimiter", delimiter)
        if self.header_row is not None and (type(self.header_row) is not int or self.header_row < 1):
            raise GraphError(f"the header row is {self.header_row!r}", "give a whole number of at least 1")
        if self.extra_columns not in (None, "refuse", "ignore"):
            raise GraphError(f"extra_columns is {self.extra_columns!r}", "give refuse or ignore")
