"""Workbooks of Excel (.xlsx, .xlsm, .xlsb, .xls) and LibreOffice (.ods), read by python-calamine if it is installed.

A sheet is read as the text that it would be as a CSV file: numbers with a decimal point, dates as 2024-05-31, and
results instead of formulas. The header is the first row that has a cell; rows and columns without cells are ignored.
Rows keep the numbers that the spreadsheet program shows.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from neodp.data.tables.names import HeaderBelow, header_among, on_one_line
from neodp.data.tables.options import ReadOptions
from neodp.data.tables.source import TableSource
from neodp.errors import GraphError, near
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Workbook"]


class Workbook:
    """A sheet of a workbook."""

    is_text = True
    delimiter = None

    def __init__(self, source: TableSource, data: bytes, options: ReadOptions, wanted: Sequence[str]) -> None:
        try:
            from python_calamine import CalamineWorkbook
        except ImportError:
            raise GraphError(
                f"{source} is a workbook, and no reader for workbooks is installed",
                "pip install '.[excel]' in the checkout, or save the table as 'CSV UTF-8'",
            ) from None
        self.sheet, rows = _chosen(CalamineWorkbook.from_filelike(io.BytesIO(data)), source, options.sheet)
        filled = [(number, row) for number, row in enumerate(rows, start=1) if any(cell != "" for cell in row)]
        if options.header_row is not None:
            filled = [(number, row) for number, row in filled if number >= options.header_row]
            if not filled or filled[0][0] != options.header_row:
                raise GraphError(
                    f"{source} has no cells in row {options.header_row}",
                    Hint("give the row that names the columns as ", Option("header_row")),
                )
        if not filled:
            raise GraphError(f"{source} has no cells", "give a table whose first row names the columns")
        width = max(len(row) for _, row in filled)
        cells = [[*map(_text, row), *[""] * (width - len(row))] for _, row in filled]
        used = [i for i in range(width) if any(row[i] for row in cells)]
        self.names = [on_one_line(cells[0][i], wanted) for i in used]
        self._columns = [[row[i] for row in cells[1:]] for i in used]
        self._first, self._rows = filled[0][0], [number for number, _ in filled[1:]]

    def columns(self, which: Sequence[int]) -> list[pa.Array]:
        """Return the columns at these positions, as text."""
        import pyarrow as pa

        return [pa.array(self._columns[i], pa.string()) for i in which]

    def place(self, row: int) -> str:
        """Return the number of a row, as the spreadsheet program shows it."""
        return f"row {self._rows[row]}"

    def header_below(self, needed: Sequence[str]) -> HeaderBelow | None:
        """Return the row that names the needed columns, if a title is above it."""
        first = (self._first, self.names)
        return header_among((first, *zip(self._rows, zip(*self._columns, strict=True), strict=True)), needed, "row")

    def forget(self) -> None:
        """Drop the cells."""
        self._columns = []


def _chosen(book: Any, source: TableSource, wanted: str | None) -> tuple[str | None, list[list[Any]]]:
    """Return the requested sheet, or the only one that has cells: its name, and its rows."""
    names = list(book.sheet_names)
    if wanted is not None:
        if wanted not in names:
            raise GraphError(
                f"{source} has no sheet {wanted!r}", near(wanted, names) or f"its sheets are {', '.join(names)}"
            )
        names = [wanted]
    sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in names}
    filled = {name: rows for name, rows in sheets.items() if any(cell != "" for row in rows for cell in row)}
    if len(filled) > 1:
        raise GraphError(
            f"{source} has {len(filled)} sheets with cells: {', '.join(filled)}",
            Hint("name one of them with ", Option("sheet")),
        )
    return next(iter(filled.items()), (None, []))


def _text(cell: Any) -> str:
    """Return a cell as in a CSV file."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2.0**53 else repr(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
