"""Tables whose columns have types: Parquet and Arrow (Feather). Rows are counted from 1, without a header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neodp.data.tables.names import HeaderBelow
from neodp.data.tables.source import TableSource
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Arrow", "Parquet", "plain"]


class _Typed:
    """The common part of both kinds."""

    is_text = False
    delimiter = None
    names: list[str]

    def place(self, row: int) -> str:
        """Return the number of a row."""
        return f"row {row + 1}"

    def header_below(self, needed: Sequence[str]) -> HeaderBelow | None:
        """Return None, since there is only one header."""
        return None

    def forget(self) -> None:
        """Do nothing, since only the columns are kept."""


class Parquet(_Typed):
    """A Parquet file."""

    def __init__(self, source: TableSource, data: bytes) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._source = source
        self._file = pq.ParquetFile(pa.BufferReader(data))
        self.names = list(self._file.schema_arrow.names)

    def columns(self, which: Sequence[int]) -> list[pa.Array]:
        """Return the columns at these positions, with the file's types."""
        names = [self.names[i] for i in which]
        simple = len(set(self.names)) == len(self.names) and not any("." in name for name in names)
        table = self._file.read(columns=names if simple else None)
        found = [table.column(name) for name in names] if simple else [table.column(i) for i in which]
        return [plain(column, name, self._source) for column, name in zip(found, names, strict=True)]


class Arrow(_Typed):
    """An Arrow file, also called Feather, or a stream of Arrow batches."""

    def __init__(self, source: TableSource, data: bytes) -> None:
        import pyarrow as pa

        self._source = source
        read = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
        self._table = read(pa.BufferReader(data)).read_all()
        self.names = list(self._table.schema.names)

    def columns(self, which: Sequence[int]) -> list[pa.Array]:
        """Return the columns at these positions, with the file's types."""
        return [plain(self._table.column(i), self.names[i], self._source) for i in which]


def plain(column: pa.ChunkedArray | pa.Array, name: str, source: object) -> pa.Array:
    """Convert a column to the simplest type that holds it: strings for text, doubles for decimals, no dictionaries.

    Raises
    ------
    GraphError
        If the column holds bytes that are not text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain(pa.array(["a", "b", "a"]).dictionary_encode(), "vote", "people.parquet").type
    DataType(string)
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    column.validate(full=True)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    kind = column.type
    if pa.types.is_null(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return column.cast(pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:
            raise GraphError(
                f"{source}: the column {name!r} holds bytes that are not text", "write it as a column of strings"
            ) from None
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return column.cast(pa.float64())
    return column
