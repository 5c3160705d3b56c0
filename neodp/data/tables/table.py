"""Reading a table: the named columns of a file, and the place of a row for error messages.

A *table* has named columns and one record per row. The kind of file is determined by its first bytes, or else by the
end of its name: text of any delimiter (:mod:`neodp.data.tables.text`), Parquet and Arrow
(:mod:`neodp.data.tables.binary`), or a workbook (:mod:`neodp.data.tables.workbook`), each possibly compressed by gzip,
or from standard input. Columns of Parquet and Arrow keep their types. The cells of text and workbooks are text exactly
as written, with one exception: in columns that are declared as numbers, decimal commas become points. Converting and
checking the cells is left to the caller, who knows the meaning of the columns; ``Table.place`` says where to find a row
that turns out to be wrong.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from neodp.data.tables.binary import Arrow, Parquet
from neodp.data.tables.names import HeaderBelow, wanted_columns
from neodp.data.tables.options import ReadOptions
from neodp.data.tables.problems import Problems
from neodp.data.tables.source import ENDINGS, Format, TableSource, understood
from neodp.data.tables.text import Text
from neodp.data.tables.workbook import Workbook
from neodp.errors import GraphError
from neodp.hints import Hint, Option

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableColumns", "header", "header_row", "is_table", "read_table"]


class _Contents(Protocol):
    """The common interface of every kind of file."""

    names: list[str]

    @property
    def is_text(self) -> bool: ...

    @property
    def delimiter(self) -> str | None: ...

    def columns(self, which: Sequence[int]) -> list[pa.Array]: ...

    def place(self, row: int) -> str: ...

    def header_below(self, needed: Sequence[str]) -> HeaderBelow | None: ...

    def forget(self) -> None: ...


@dataclass(frozen=True, eq=False)
class TableColumns:
    """Columns that were read from a file.

    Attributes
    ----------
    source : TableSource
        The file, or standard input; ``str`` names it.
    columns : dict from names to Arrow arrays
        The requested columns, without optional columns that the file does not have. Those of text and
        workbooks are strings, others have the file's types.
    header_row : int or None
        The row that names the columns, if the options name it, or if it is certain below a title.
    """

    source: TableSource
    columns: dict[str, pa.Array]
    _contents: _Contents = field(repr=False)
    header_row: int | None = None

    def __getitem__(self, name: str) -> pa.Array:
        """Return a column that the file has."""
        return self.columns[name]

    def get(self, name: str) -> pa.Array | None:
        """Return an optional column; None if the file does not have it."""
        return self.columns.get(name)

    @property
    def sheet(self) -> str | None:
        """The name of the sheet if the file is a workbook; None otherwise."""
        return getattr(self._contents, "sheet", None)

    def place(self, row: int) -> str:
        """Return the place of a row: the file, and the line on which the row begins; without lines, its number.

        Parameters
        ----------
        row : int
            The row, counted from 0, without the header.
        """
        return f"{self.source}, {self._contents.place(row)}"


def read_table(
    path: str | PathLike[str] | TableSource,
    needed: Sequence[str],
    optional: Sequence[str] = (),
    *,
    numbers: Sequence[str] = (),
    closed: bool = False,
    options: ReadOptions | None = None,
    format: Format | None = None,
) -> TableColumns:
    r"""Read the named columns of a file.

    Parameters
    ----------
    path : path or TableSource
        The file; ``-`` is standard input.
    needed : sequence of str
        The columns that the file must have.
    optional : sequence of str
        The columns that the file may have.
    numbers : sequence of str
        The columns among these that hold numbers, or numbers joined by semicolons: in text whose cells are not
        separated by commas, a decimal comma in such a column becomes a point.
    closed : bool
        True if the file may have no other columns, unless the options ignore them. Columns that look like a missing
        optional one are refused in any case.
    options : ReadOptions, optional
        Settings for reading the file that the file itself does not state.
    format : "csv", "parquet", "arrow" or "workbook", optional
        The kind of file, if it is not what its first bytes or the end of its name say.

    Raises
    ------
    GraphError
        If the file does not exist, is not a table of its kind, or does not have the requested columns.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("name;vote;epsilon\nAda;yes;0,5\nBen;no;1\n")
    ...     table = read_table(path, ["vote", "epsilon"], ["group"], numbers=["epsilon"])
    ...     table["epsilon"].to_pylist(), table.get("group"), table.place(1).removeprefix(folder)
    (['0.5', '1'], None, '/people.csv, line 3')
    """
    options = options or ReadOptions()
    source = _source(path)
    wanted = [name.strip() for name in (*needed, *optional)]
    contents, kind = _opened(source, wanted, options, format)
    below = _certain_header(source, contents, needed, options)
    if below is not None:
        options = replace(options, header_row=below)
        contents, kind = _opened(source, wanted, options, format)
    called = {name: _spelled(name, contents.names) for name in (*needed, *optional)}
    with understood(source, kind):
        where = wanted_columns(
            source,
            contents.names,
            [called[name] for name in needed],
            [called[name] for name in optional],
            closed=closed,
            options=options,
            is_blank=lambda i: contents.is_text and not any(map(str.strip, contents.columns([i])[0].to_pylist())),
            header_below=contents.header_below,
        )
        found = dict(zip(where, contents.columns(list(where.values())), strict=True))
        columns = {name: found[spelled] for name, spelled in called.items() if spelled in found}
    if contents.delimiter not in (None, ","):
        problems = Problems(lambda row: f"{source}, {contents.place(row)}")
        for name in set(numbers) & set(columns):
            columns[name] = _with_points(columns[name], name, problems)
        problems.raise_if_any("write all numbers of the column in one way")
    contents.forget()
    return TableColumns(source, columns, contents, options.header_row)


def _source(path: str | PathLike[str] | TableSource) -> TableSource:
    return path if isinstance(path, TableSource) else TableSource(Path(path))


def _certain_header(
    source: TableSource, contents: _Contents, needed: Sequence[str], options: ReadOptions
) -> int | None:
    """Return the row below a title that names the columns, if there is no doubt about it; say so in a warning."""
    asked = [name.strip() for name in needed]
    if not asked or options.header_row is not None or {name.strip() for name in contents.names} & set(asked):
        return None
    below = contents.header_below(asked)
    if below is None or not below.certain:
        return None
    warnings.warn(
        f"{source}: {below.unit} {below.number} names the columns; the lines above it are not read", stacklevel=3
    )
    return below.number


def _spelled(name: str, names: Sequence[str]) -> str:
    """Return the name of a column as the file spells it, if the two differ in surrounding blanks only."""
    if name in names:
        return name
    alike = [each for each in names if each.strip() == name.strip()]
    return alike[0] if len(alike) == 1 else name.strip()


def header(
    path: str | PathLike[str] | TableSource, options: ReadOptions | None = None, *, closed: bool = True
) -> list[str]:
    """Return the names of all columns of a file.

    Parameters
    ----------
    path : path or TableSource
    options : ReadOptions, optional
    closed : bool
        If false, columns without a name and names that several columns have are left out instead of refused.

    Raises
    ------
    GraphError
        If the file does not exist, is not a table of its kind, or has a column without a name or two of the same name.
    """
    source = _source(path)
    contents, _ = _opened(source, (), options or ReadOptions(), None)
    names = contents.names
    if not closed:
        return [name for name in names if name and names.count(name) == 1]
    known = tuple(dict.fromkeys(filter(None, names)))
    return list(wanted_columns(source, names, (), known, closed=True, options=ReadOptions()))


def header_row(path: str | PathLike[str] | TableSource, options: ReadOptions | None = None) -> int | None:
    """Return the row that names the columns, if the options give it, or if it is below a title without any doubt.

    Unlike for :func:`read_table`, it need not be known which columns are needed.

    Raises
    ------
    GraphError
        If the file does not exist, or is not a table of its kind.
    """
    options = options or ReadOptions()
    source = _source(path)
    contents, _ = _opened(source, (), options, None)
    if options.header_row is not None or sum(1 for name in contents.names if name.strip()) > 1:
        return options.header_row
    below = contents.header_below([])
    return below.number if below is not None and below.certain else None


def is_table(name: str | PathLike[str]) -> bool:
    """Return True if a name is that of a table, by its ending.

    Examples
    --------
    >>> is_table("mine.csv"), is_table("Mine.XLSX"), is_table("mine.csv.gz"), is_table("mine")
    (True, True, True, False)
    """
    path = Path(name)
    return (Path(path.stem) if path.suffix.lower() == ".gz" else path).suffix.lower() in ENDINGS


def _opened(
    source: TableSource, wanted: Sequence[str], options: ReadOptions, format: Format | None
) -> tuple[_Contents, Format]:
    """Open a file and read its header; return it with the kind of file."""
    data = source.data()
    kind = format or source.format(data)
    contents: _Contents
    if options.header_row is not None and kind in ("parquet", "arrow"):
        raise GraphError(f"{source} names its columns outside its rows", Hint("leave out ", Option("header_row")))
    with understood(source, kind):
        if kind == "csv":
            contents = Text(source, data, options, wanted)
        elif kind == "parquet":
            contents = Parquet(source, data)
        elif kind == "arrow":
            contents = Arrow(source, data)
        else:
            contents = Workbook(source, data, options, wanted)
    if not any(contents.names):
        raise GraphError(f"{source} has no columns", "give a table whose first line names the columns")
    return contents, kind


_NUMBER = r"\s*[-+]?(?:\d+|\d*,\d+)(?:[eE][-+]?\d+)?\s*"


def _with_points(column: pa.Array, name: str, problems: Problems) -> pa.Array:
    """Replace decimal commas by points; if some cells have commas, report points, which might group thousands."""
    import pyarrow.compute as pc

    comma = pc.and_(pc.match_substring_regex(column, f"^{_NUMBER}(?:;{_NUMBER})*$"), pc.match_substring(column, ","))
    if not pc.any(comma).as_py():
        return column
    point = pc.match_substring_regex(column, r"^[-+\d.,eE;\s]*\.[-+\d.,eE;\s]*$")
    problems.add_rows(
        name, "written with a point where others have a comma", pc.indices_nonzero(point).to_pylist(),
        lambda row: column[row].as_py(),
    )  # fmt: skip
    return pc.if_else(comma, pc.replace_substring(column, ",", "."), column)
