"""Tables of other libraries: pandas, polars and Arrow, in and out.

Every result of neodp that can be seen as a table is a :class:`Tabular`: it has ``to_arrow``, ``to_pandas`` and
``to_polars``, and a notebook shows it as a table. In the other direction, :func:`arrow_table` reads the table of any of
these libraries, and dicts of columns. Everything goes through Arrow: pandas and polars are needed only to create their
own frames.
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neodp.data.formatting import at_least
from neodp.data.tables import ReadOptions, as_text
from neodp.data.tables.names import wanted_columns
from neodp.errors import GraphError, NeodpError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Tabular", "arrow_table", "html_table", "named_columns", "to_pandas", "to_polars"]

SHOWN = 20
"""The number of rows that a notebook shows."""


class Tabular(ABC):
    """A result that can be seen as a table.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4)
    >>> m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    >>> m.to_arrow().column_names
    ['key', 'color', 'p_true', 'p', 'q']
    >>> m.to_pandas()["p_true"].round(3).tolist()
    [0.901, 0.731, 0.731, 0.901]
    """

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the table of ``to_arrow`` as a frame of pandas, which must be installed."""
        return to_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """Return the table of ``to_arrow`` as a frame of polars, which must be installed."""
        return to_polars(self.to_arrow())

    def _repr_html_(self) -> str:
        """Return the first rows of the table as HTML, for notebooks."""
        return html_table(repr(self), self.to_arrow())


def arrow_table(table: Any, what: str = "the table") -> pa.Table:
    """Convert a table of any library to an Arrow table: a data frame, Arrow data, or a dict of columns.

    Neither pandas nor polars is needed: their frames offer the Arrow C interface, and older ones ``__dataframe__``. The
    index of a pandas frame is not a column.

    Parameters
    ----------
    table : frame of pandas or polars, Arrow table, dict of columns, or any object with one of these interfaces
    what : str
        The description of the table in error messages.

    Raises
    ------
    GraphError
        If the argument is none of these.

    Examples
    --------
    >>> arrow_table({"vote": ["yes", "no"], "epsilon": [1.0, 0.5]}).column_names
    ['vote', 'epsilon']
    """
    import pyarrow as pa
    import pyarrow.interchange

    try:
        if isinstance(table, pa.Table):
            return table
        if isinstance(table, Mapping):
            return pa.table({str(name): _column(column) for name, column in table.items()})
        if isinstance(table, pa.RecordBatch):
            return pa.Table.from_batches([table])
        if hasattr(table, "__arrow_c_stream__"):
            try:
                return _without_index(pa.RecordBatchReader.from_stream(table).read_all())
            except pa.ArrowException:
                if not hasattr(table, "items"):  # as frames of pandas have: name by name
                    raise
                return pa.table({str(name): _column(column.tolist()) for name, column in table.items()})
        if hasattr(table, "__dataframe__"):
            return _without_index(pa.interchange.from_dataframe(table))
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as e:
        raise GraphError(f"{what} cannot be read as Arrow columns", str(e).splitlines()[0]) from None
    hint = "give a pandas or polars frame, an Arrow table, or a dict of columns"
    raise GraphError(f"{what} is a {type(table).__name__}, which is not a table", hint)


def _column(values: Any) -> pa.Array:
    """Convert a column; to text if its cells are of several kinds, as they can be in a workbook."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        cells = list(values)
        if not all(isinstance(cell, str | int | float | None) for cell in cells):
            raise
        return pa.array([as_text(cell) or None for cell in cells], pa.string())


def named_columns(
    table: Any, what: str, needed: Sequence[str], optional: Sequence[str], options: ReadOptions | None = None
) -> dict[str, pa.Array]:
    """Return the requested columns of a table in memory, without optional ones that it does not have.

    Raises
    ------
    GraphError
        If the argument is not a table, lacks a needed column, or has a column that was not requested.

    Examples
    --------
    >>> list(named_columns({"key": ["a"], "color": ["yes"]}, "the table of datasets", ["key", "color"], ["alpha"]))
    ['key', 'color']
    """
    read = arrow_table(table, what)
    where = wanted_columns(what, read.column_names, needed, optional, closed=True, options=options or ReadOptions())
    return {name: read.column(place).combine_chunks() for name, place in where.items()}


def _without_index(table: pa.Table) -> pa.Table:
    """Remove the columns that pandas makes of an index that has no name."""
    return table.select([name for name in table.column_names if not name.startswith("__index_level_")])


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Convert an Arrow table to a frame of pandas.

    Raises
    ------
    NeodpError
        If pandas is not installed.
    """
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise NeodpError("to_pandas needs pandas", "pip install pandas, or use to_arrow()") from None
    return table.to_pandas()


def to_polars(table: pa.Table) -> pl.DataFrame:
    """Convert an Arrow table to a frame of polars.

    Raises
    ------
    NeodpError
        If polars is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        raise NeodpError("to_polars needs polars", "pip install polars, or use to_arrow()") from None
    return pl.DataFrame(table)


def html_table(caption: str, table: pa.Table, chances: Sequence[str] = ()) -> str:
    """Return the first rows of an Arrow table as HTML, with all text escaped, and columns of chances in per cents.

    Examples
    --------
    >>> import pyarrow as pa
    >>> html_table("<graph>", pa.table({"key": ["<b>"], "p": [0.25]}))
    '<table><caption>&lt;graph&gt;</caption><tr><th>key<th>p</tr><tr><td>&lt;b&gt;<td>0.25</tr></table>'
    """
    head = "<tr>" + "".join(f"<th>{html.escape(name)}" for name in table.column_names) + "</tr>"
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_cell(value, name in chances))}" for name, value in row.items()) + "</tr>"
        for row in table.slice(0, SHOWN).to_pylist()
    )
    more = table.num_rows - SHOWN
    rest = f"<tr><td colspan={table.num_columns}>… and {more:,} more</tr>" if more > 0 else ""
    return f"<table><caption>{html.escape(caption)}</caption>{head}{rows}{rest}</table>"


def _cell(value: Any, is_chance: bool = False) -> str:
    """Format a value for people: numbers to six digits, chances in per cents, lists joined, nothing for null."""
    if value is None:
        return ""
    if is_chance:
        return at_least(value)
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
