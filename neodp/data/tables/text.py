"""Tables that are text: decoding, finding the delimiter, reading the columns, and the line of every row.

Bytes become UTF-8 first. If no encoding is named, a byte order mark at the beginning determines it, and without one it
is UTF-8. An encoding with one byte per letter is never guessed, since any text is valid in most of them, and a wrong
guess turns one name into another; the error asks the user to name the encoding. The delimiter is the one under which
the first line has the requested columns; if no delimiter does that, the one that gives the most columns, so that the
error can name them. Excel's own first line, ``sep=;``, is obeyed.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neodp.data.tables.names import HeaderBelow, header_among, on_one_line
from neodp.data.tables.options import ReadOptions
from neodp.data.tables.problems import SHOWN
from neodp.data.tables.source import TableSource
from neodp.errors import GraphError
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DELIMITERS", "Text"]

DELIMITERS = (",", ";", "\t", "|")
"""The delimiters that are tried if none is named."""
BLANK = " \t"
"""The characters that cells without content consist of."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Text:
    """A text file whose header is known.

    Parameters
    ----------
    source : TableSource
    data : bytes
        The contents of the source.
    options : ReadOptions
    wanted : sequence of str
        The requested columns, which determine the delimiter.

    Attributes
    ----------
    names : list of str
        The names of all columns.
    delimiter : str
    """

    is_text = True

    def __init__(self, source: TableSource, data: bytes, options: ReadOptions, wanted: Sequence[str]) -> None:
        self._source, self._options, self._wanted = source, options, tuple(wanted)
        self._data: bytes | None = _utf8(source, data, options.encoding)
        start, named = _declared(self._data)
        if options.header_row is not None:
            start = _line(source, self._data, options.header_row)
        self._start = start
        self._delimiters = tuple(filter(None, (options.delimiter or named,))) or DELIMITERS
        found = []
        for delimiter in self._delimiters:
            names, end = _header(self._data, start, delimiter)
            names = [on_one_line(name, wanted) for name in names]
            found.append((len(set(wanted) & set(names)), len(names), delimiter, names, end))
        best = max(found, key=lambda entry: entry[:2])  # the first of the best
        _, _, self.delimiter, self.names, self._end = best
        self._lines: NDArray[np.int64] | None = None  # per row its line, and its number in a spreadsheet program

    def columns(self, which: Sequence[int]) -> list[pa.Array]:
        """Return the columns at these positions, as text."""
        import pyarrow as pa
        import pyarrow.csv

        body = pa.py_buffer(self._text()).slice(self._end)
        blanks = self._has_blank_rows()
        numbered = [str(i) for i in range(len(self.names))]
        wanted = [str(i) for i in which]
        ragged: list[int] = []

        def look(row: pa.csv.InvalidRow) -> str:
            if row.text.strip().strip(BLANK + self.delimiter):
                ragged.append(row.actual_columns)
            return "skip"

        def read(block: int) -> pa.Table:
            return pa.csv.read_csv(
                pa.BufferReader(body),
                pa.csv.ReadOptions(column_names=numbered, block_size=block),
                pa.csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=True, invalid_row_handler=look
                ),
                pa.csv.ConvertOptions(
                    column_types=dict.fromkeys(numbered, pa.string()),
                    include_columns=numbered if blanks else wanted or numbered[:1],
                    null_values=[],
                    strings_can_be_null=False,
                ),
            )

        self._check_quotes()
        if body.size == 0:
            return [pa.array([], pa.string()) for _ in which]
        try:
            table = read(1 << 20)
        except pa.ArrowInvalid:  # a cell that is longer than a block
            ragged.clear()
            table = read(min(body.size + 1, (1 << 31) - 1))
        if ragged:
            raise self._ragged(len(ragged), shorter=max(ragged) < len(self.names))
        if blanks:
            import pyarrow.compute as pc

            filled = [pc.not_equal(pc.utf8_trim(column, BLANK), "") for column in table.columns]
            table = table.filter(reduce(pc.or_, filled))
        return [table[name].combine_chunks() for name in wanted]

    def forget(self) -> None:
        """Drop the text; anything that needs it later reads the file again."""
        self._data = None

    def place(self, row: int) -> str:
        """Return the line on which a row begins, and its number in a spreadsheet program if cells have line breaks."""
        if self._lines is None:
            rows = enumerate(self._records(), start=self._rows_above())
            self._lines = np.array([(line, n) for n, (line, cells) in rows if not self._is_blank(cells)], np.int64)
        if row >= len(self._lines):
            return f"row {row + 1}"
        line, number = self._lines[row].tolist()
        return f"line {line}" if line == number else f"line {line} (row {number})"

    def _text(self) -> bytes:
        if self._data is None:
            return _utf8(self._source, self._source.data(), self._options.encoding)
        return self._data

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of every record after the header, with the line on which it begins."""
        data = self._text()
        before = len(io.StringIO(data[: self._end].decode(), newline="").readlines())
        reader = csv.reader(_opened(data, self._end), delimiter=self.delimiter)
        begins = before + 1
        limit = csv.field_size_limit(1 << 30)
        try:
            for cells in reader:
                yield begins, cells
                begins = before + reader.line_num + 1
        finally:
            csv.field_size_limit(limit)

    def _rows_above(self) -> int:
        """Return the number of the first record after the header, counted from 1 as a spreadsheet program does."""
        reader = csv.reader(io.StringIO(self._text()[: self._end].decode(), newline=""), delimiter=self.delimiter)
        return 1 + sum(1 for _ in reader)

    def _is_blank(self, cells: list[str]) -> bool:
        """Return True if a record is a line without cells, or with only empty ones: such a line is not a row."""
        if len(cells) == 1:
            return len(self.names) > 1 and not cells[0].strip()
        return not any(cell.strip(BLANK) for cell in cells)

    def _has_blank_rows(self) -> bool:
        """Return True if there may be lines of delimiters alone, which workbooks leave when they are saved as text."""
        data, mark = self._text(), re.escape(self.delimiter.encode())
        begins = (end + first for end in (b"\n", b"\r") for first in (self.delimiter.encode(), b'"', b" ", b"\t"))
        pattern = rb'[\r\n][ \t"]*' + mark + rb'[ \t"' + mark + rb"]*(?=[\r\n]|\Z)"
        return any(map(data.__contains__, begins)) and re.search(pattern, data) is not None

    def header_below(self, needed: Sequence[str]) -> HeaderBelow | None:
        """Return the line that names the needed columns, if a title or a remark is above it."""
        above = len(io.StringIO(self._text()[: self._start].decode(), newline="").readlines())
        for delimiter in self._delimiters:
            try:
                found = header_among(self._from_start(delimiter, above), needed, "line")
            except csv.Error:
                continue
            if found is not None:
                return found
        return None

    def _from_start(self, delimiter: str, above: int) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of every record, with the line on which it begins."""
        reader = csv.reader(_opened(self._text(), self._start), delimiter=delimiter)
        begins = 1 + above
        for cells in reader:
            yield begins, cells
            begins = 1 + above + reader.line_num

    def _ragged(self, count: int, *, shorter: bool) -> GraphError:
        """Return the error for rows that do not have as many cells as the header."""
        n = len(self.names)
        wrong = ((line, cells) for line, cells in self._records() if len(cells) != n and not self._is_blank(cells))
        shown = ", ".join(f"line {line} has {len(cells)}" for line, cells in islice(wrong, SHOWN))
        more = f" and {count - SHOWN:,} more" if count > SHOWN else ""
        rows = "row does" if count == 1 else "rows do"
        return GraphError(
            f"{self._source}: {count:,} {rows} not have as many cells as the header, "
            f"which has {n} separated by {_shown(self.delimiter)}: {shown}{more}",
            f"write out the empty cells of such rows, as {_shown(self.delimiter)} at their ends"
            if shorter
            else Hint(
                f"put cells that contain {_shown(self.delimiter)} into double quotes, or name another ",
                Option("delimiter"),
            ),
        )

    def _check_quotes(self) -> None:
        """Reject a quotation mark that is never closed: it would swallow the rest of the table."""
        data = self._text()
        if data.count(b'"') % 2 == 0:
            return
        reader = csv.reader(_opened(data, self._end), delimiter=self.delimiter, strict=True)
        line = len(io.StringIO(data[: self._end].decode(), newline="").readlines()) + 1
        before = line
        limit = csv.field_size_limit(1 << 30)
        try:
            for _ in reader:
                line = before + reader.line_num
        except csv.Error as e:
            if "end of data" in str(e):
                raise GraphError(
                    f"{self._source}: a quotation mark in line {line} or after it is never closed",
                    "close it, or double it where it is part of the text",
                ) from None
        finally:
            csv.field_size_limit(limit)


def _utf8(source: TableSource, data: bytes, encoding: str | None) -> bytes:
    """Return the text as UTF-8, without a byte order mark.

    Raises
    ------
    GraphError
        If the text is not in its encoding, or the encoding is unknown.
    """
    mark, marked = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", None))
    name = codecs.lookup(encoding).name if encoding is not None else marked or "utf-8"
    if marked is not None and _family(name) != _family(marked):
        raise GraphError(
            f"{source} begins with the mark of {marked}, not of {encoding}", Hint("leave out ", Option("encoding"))
        )
    name, body = marked or name, data[len(mark) :]
    if encoding is None and marked is None:
        _refuse_zeros(source, body, "UTF-8", "give a text file, or one whose ending says what it is")
    try:
        if _family(name) == "utf-8":
            if not body.isascii():
                for _ in codecs.iterdecode((body[i : i + (1 << 20)] for i in range(0, len(body), 1 << 20)), "utf-8"):
                    pass
            text = body
        else:
            text = body.decode(name).encode("utf-8")
    except UnicodeError:
        raise _undecodable(source, body, name, encoding) from None
    _refuse_zeros(source, text, name, Hint("name another ", Option("encoding"), ", or remove the byte"))
    return text.removeprefix(codecs.BOM_UTF8)  # which some programs write twice


def _refuse_zeros(source: TableSource, text: bytes, name: str, hint: str) -> None:
    """Reject zero bytes, which text never has; if every other byte is zero, it is text in another encoding."""
    if b"\0" not in text:
        return
    line = text.count(b"\n", 0, text.index(b"\0")) + 1
    wide = "utf-16-be" if text.startswith(b"\0") else "utf-16-le"
    raise GraphError(
        f"{source} has a zero byte in line {line}: it is not text in {name}",
        Hint("give ", Option("encoding", wide), " if it is that") if text.count(b"\0") > len(text) // 3 else hint,
    )


def _family(name: str) -> str:
    """Return utf-8, utf-16 or utf-32 without its suffix; other names as they are."""
    match = re.match(r"utf-(8|16|32)", name)
    return match[0] if match else name


def _undecodable(source: TableSource, body: bytes, name: str, encoding: str | None) -> GraphError:
    where = ""
    try:
        body.decode(name)
    except UnicodeDecodeError as e:
        line = body.count(b"\n", 0, e.start) + 1
        where = f": line {line} has the byte 0x{body[e.start]:02x}"
    except UnicodeError:
        pass
    if encoding is not None:
        return GraphError(f"{source} is not text in {encoding}{where}", Hint("name another ", Option("encoding")))
    return GraphError(
        f"{source} is not text in {name.upper()}{where}, and other encodings cannot be told apart",
        Hint(
            "name it, as in ",
            Option("encoding", "windows-1252"),
            " (Excel in America and Western Europe), windows-1250 (Central Europe) "
            "or mac-roman, or save the table as 'CSV UTF-8'",
        ),
    )


def _opened(data: bytes, start: int) -> io.TextIOWrapper:
    """Return the text from a place on; lines keep their ends."""
    file = io.BytesIO(data)
    file.seek(start)
    return io.TextIOWrapper(file, encoding="utf-8", newline="")


def _declared(data: bytes) -> tuple[int, str | None]:
    """Return the place where the table begins, and the delimiter that a first line ``sep=;`` names."""
    match = re.match(rb'"?[sS][eE][pP]=([^\r\n"])"?[ ,;\t]*(?:\r\n|\n|\r)', data)
    return (match.end(), match[1].decode("ascii", "replace")) if match and match[1].isascii() else (0, None)


def _line(source: TableSource, data: bytes, number: int) -> int:
    """Return the place where a line begins."""
    place = 0
    for i, line in enumerate(_opened(data, 0), start=1):
        if i == number:
            return place
        place += len(line.encode())
    raise GraphError(
        f"{source} has no line {number}", Hint("give the row that names the columns as ", Option("header_row"))
    )


def _header(data: bytes, start: int, delimiter: str) -> tuple[list[str], int]:
    """Return the cells of the first record that is not blank, and the place where the next one begins."""
    read = [start]

    def lines() -> Iterator[str]:
        for line in _opened(data, start):
            read[0] += len(line.encode())
            yield line

    try:
        for cells in csv.reader(lines(), delimiter=delimiter):
            if any(cell.strip() for cell in cells):
                return cells, read[0]
    except csv.Error:  # a cell of more than a hundred thousand letters
        pass
    return [], read[0]


def _shown(delimiter: str) -> str:
    return "tabs" if delimiter == "\t" else f"{delimiter!r}"
