"""Columns of a table file as the columns of a graph: numbers, distributions and preferences written as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.data.tables.cells import number, numbers
from neodp.data.tables.problems import Place, Problems

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["fill", "split_colors", "split_numbers"]


def fill(column: pa.Array | None, name: str, default: float | None, place: Place, problems: Problems) -> Any:
    """Convert a column of a table to floats, with `default` for empty cells; text is read as numbers.

    A cell that is not a number is added to the `problems`, and counts as 0 until these are raised.
    """
    import pyarrow.compute as pc

    if column is None:
        return default
    found = numbers(column, name, problems, hint=f"correct the {name}", place=place, required=False)
    return found if default is None else pc.fill_null(found, default)


def split_numbers(column: pa.Array | None, place: Place, problems: Problems) -> Any:
    """Convert a column of alpha; text is a number, or numbers joined by semicolons, or nothing.

    A cell that is none of these is added to the `problems`, and so is a cell with ``nan``: only an empty cell says
    that there is no alpha.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if column is None:
        return column
    if pa.types.is_floating(column.type) and not pc.any(pc.is_nan(column)).as_py():
        return column
    hint = "give a number or numbers joined by ';', as in 0.2;0.8, or leave the cell empty"
    rows: list[Any] = []
    wrong: list[int] = []
    cells = column.to_pylist()
    for row, cell in enumerate(cells):
        parts = cell.strip().split(";") if isinstance(cell, str) else cell if isinstance(cell, list) else [cell]
        if parts in ([""], [None]):
            rows.append(None)
            continue
        try:
            found = [number(part) if isinstance(part, str) else float(part) for part in parts]
        except (TypeError, ValueError, OverflowError):
            found = []
        if not found or not np.isfinite(found).all():
            wrong.append(row)
            rows.append(None)
        else:
            rows.append(found if len(found) > 1 else found[0])
    problems.add_rows(
        "alpha",
        "not a number",
        wrong,
        cells.__getitem__,
        hint=hint,
        place=place,
        alone=lambda row: f"{place(row)}: alpha is {cells[row]!r}",
    )
    return rows if wrong or _is_text_column(column) or pa.types.is_null(column.type) else column


def split_colors(column: pa.Array | None) -> Any:
    """Convert a column of preferences; text is colours joined by semicolons, best first, or nothing."""
    if column is None or not _is_text_column(column):
        return column
    texts = column.to_pylist()
    return [[part.strip() for part in text.split(";")] if text and text.strip() else None for text in texts]


def _is_text_column(column: pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))
