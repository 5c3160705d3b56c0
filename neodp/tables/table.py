"""Reading tables: the named columns of a file, and how to name the place of a row in an error message.

A *table* is a file with a header and one record per row. Two kinds of file are known, by the end of the name: Parquet
(``.parquet``), whose columns keep their types, and CSV (everything else), whose cells are text exactly as they stand in
the file. Converting and checking the cells is left to the caller, who knows what the columns mean; ``Table.place`` says
where a row that turns out to be wrong can be found.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from neodp.errors import GraphError, near

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Format", "Table", "header", "read_table"]

Format: TypeAlias = Literal["csv", "parquet"]
"""The kinds of file that can be read."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns that were read from a file.

    Attributes
    ----------
    path : Path
        The file.
    format : "csv" or "parquet"
        What kind of file it is. The columns of a CSV file are text; those of a Parquet file have the file's types.
    columns : dict from names to Arrow arrays
        The columns that were asked for, without optional columns that the file does not have.
    """

    path: Path
    format: Format
    columns: dict[str, pa.Array]

    def __getitem__(self, name: str) -> pa.Array:
        """A column that the file has."""
        return self.columns[name]

    def get(self, name: str) -> pa.Array | None:
        """An optional column; None if the file does not have it."""
        return self.columns.get(name)

    def place(self, row: int) -> str:
        """Where a row stands: the file, and the line on which the row begins; in a Parquet file, the number of the row.

        Parameters
        ----------
        row : int
            Counted from 0, without the header.
        """
        if self.format == "parquet":
            return f"{self.path}, row {row + 1}"
        return f"{self.path}, line {_line_of(self.path, row)}"


def read_table(
    path: str | PathLike[str],
    needed: Sequence[str],
    optional: Sequence[str] = (),
    *,
    format: Format | None = None,
) -> Table:
    """Read the named columns of a file.

    Parameters
    ----------
    path : path
        The file.
    needed : sequence of str
        The columns that the file must have.
    optional : sequence of str
        The columns that the file may have. Every other column is ignored.
    format : "csv" or "parquet", optional
        What kind of file it is; by default Parquet if the name ends in ``.parquet``, and CSV otherwise.

    Raises
    ------
    GraphError
        If there is no such file, if the file is not a table of its kind, or if a needed column is missing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("name,vote\\nAda,yes\\nBen,no\\n")
    ...     table = read_table(path, ["vote"], ["epsilon"])
    ...     table["vote"].to_pylist(), table.get("epsilon"), table.place(1).removeprefix(folder)
    (['yes', 'no'], None, '/people.csv, line 3')
    """
    path = Path(path)
    if not path.is_file():
        raise GraphError(f"there is no file {path}", "correct the path")
    kind: Format = format or ("parquet" if path.suffix == ".parquet" else "csv")
    names = (*needed, *optional)
    table, names_there = (_read_parquet if kind == "parquet" else _read_csv)(path, names)
    for name in needed:
        if name not in names_there:
            raise GraphError(
                f"{path} has no column {name!r}", near(name, names_there) or f"its columns are {', '.join(names_there)}"
            )
    return Table(path, kind, {name: table[name].combine_chunks() for name in names if name in names_there})


def header(path: str | PathLike[str]) -> list[str]:
    """The names of all columns of a file.

    Raises
    ------
    GraphError
        If there is no such file, or the file is not a table of its kind.
    """
    path = Path(path)
    if not path.is_file():
        raise GraphError(f"there is no file {path}", "correct the path")
    return (_read_parquet if path.suffix == ".parquet" else _read_csv)(path, ())[1]


def _read_parquet(path: Path, names: tuple[str, ...]) -> tuple[pa.Table, list[str]]:
    """Those of the named columns that a Parquet file has, and the names of all its columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        header = pq.read_schema(path).names
        return pq.read_table(path, columns=[name for name in names if name in header]), header
    except pa.ArrowInvalid as e:
        raise GraphError(f"{path} is not a Parquet table", str(e).splitlines()[0]) from None


def _read_csv(path: Path, names: tuple[str, ...]) -> tuple[pa.Table, list[str]]:
    """The named columns of a CSV file as text, and the names of all its columns."""
    import pyarrow as pa
    import pyarrow.csv

    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=names,
        include_missing_columns=True,
        null_values=[],
        strings_can_be_null=False,
    )
    try:
        table = pa.csv.read_csv(
            path, parse_options=pa.csv.ParseOptions(newlines_in_values=True), convert_options=options
        )
    except pa.ArrowInvalid as e:
        raise GraphError(f"{path} is not a CSV table", str(e).splitlines()[0]) from None
    with path.open(newline="", encoding="utf-8") as file:
        return table, next(csv.reader(file), [])


def _line_of(path: Path, row: int) -> int:
    """The line of a CSV file on which a row of its table begins."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        begins = [1]
        for cells in reader:
            if not cells:  # an empty line is no row
                begins[-1] = reader.line_num + 1
            elif len(begins) == row + 2:
                break
            else:
                begins.append(reader.line_num + 1)
    return begins[-1]
