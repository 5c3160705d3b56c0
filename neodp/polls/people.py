"""The people of a poll, from a file, a table in memory, or the result of a query; and names for epsilons."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neodp.data.formatting import count
from neodp.data.frames import arrow_table
from neodp.data.tables import Place, ReadOptions, TableSource, header, number, read_table
from neodp.errors import GraphError, near
from neodp.polls.asking import valid_epsilon

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["People", "read_levels", "read_list", "read_mapping"]


@dataclass(frozen=True, eq=False)
class People:
    """A table with one row per person.

    Attributes
    ----------
    columns : dict of Arrow arrays
    place : function
        A function from the number of a row to its name in error messages.
    source : str
        The source of the people: a file, a query, or a table in memory.
    name : str
        The default name of their polls.
    called : str
        The name of the table in error messages.
    sheet : str or None
        The sheet, if the table comes from a workbook.
    header_row : int or None
        The row that names the columns, if it is not the first.
    """

    columns: Mapping[str, pa.Array]
    place: Place
    source: str
    name: str = "poll"
    called: str = "the table"
    sheet: str | None = None
    header_row: int | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        needed: Sequence[str],
        optional: Sequence[str] = (),
        *,
        numbers: Sequence[str] = (),
        reading: ReadOptions | None = None,
    ) -> People:
        """Read people from a file or from a table in memory.

        Parameters
        ----------
        table : path, TableSource, data frame, Arrow table, dict of columns, or People
        needed : strings
            The columns that the table must have.
        optional : strings
            The columns that the table may have.
        numbers : strings
            The columns that hold numbers, in which a file may use decimal commas.
        reading : ReadOptions, optional
            Options for reading a file.

        Raises
        ------
        GraphError
            If `table` is not a table, or a column is missing; the message names the column, and lists those there are.
        """
        for i, name in enumerate(needed):
            if name.strip() in [each.strip() for each in needed[:i]]:
                raise GraphError(f"the column {name!r} is named twice", "name another one, or leave it out")
        if isinstance(table, str | PathLike | TableSource):
            found = read_table(table, needed, optional, numbers=numbers, options=reading)
            unplaced = found.source.is_standard_input or found.source.held is not None
            source = str(found.source) if unplaced else str(found.source.path.resolve())
            return cls(
                found.columns, found.place, source, found.source.stem, sheet=found.sheet, header_row=found.header_row
            )
        if isinstance(table, People):
            people = table
        else:
            read = arrow_table(table, "the table of people")
            columns = dict(zip(read.column_names, read.columns, strict=True))
            people = cls(columns, lambda row: f"row {row + 1} of the table", "a table in memory")
        for name in needed:
            if name not in people.columns:
                known = f"its columns are {', '.join(people.columns)}"
                raise GraphError(f"{people.called} has no column {name!r}", near(name, people.columns) or known)
        return people

    @classmethod
    def from_result(cls, result: pa.Table, query: str) -> People:
        """Return the people in the result of a query."""

        def place(row: int) -> str:
            return f"row {row + 1} of the query's result"

        columns = dict(zip(result.column_names, result.columns, strict=True))
        return cls(columns, place, query, called="the query's result")


def read_levels(given: str | PathLike[str] | Mapping[str, float]) -> dict[str, float]:
    """Read names for epsilons, from ``low=2,high=0.3``, the path of a table of ``level,epsilon``, or a mapping.

    Raises
    ------
    GraphError
        If a level has no valid epsilon; the message names the level.

    Examples
    --------
    >>> read_levels("low=2, high=0.3")
    {'low': 2.0, 'high': 0.3}
    """
    pairs: list[tuple[Any, Any]]
    if not isinstance(given, str | PathLike | Mapping):
        raise GraphError(f"the levels are {given!r}", "give a mapping, low=2,high=0.3, or the path of a table")
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif "=" in str(given):
        pairs = [(name, value) for name, _, value in (part.partition("=") for part in str(given).split(","))]
    else:
        columns = read_table(Path(given), ("level", "epsilon"), numbers=("epsilon",))
        pairs = list(zip(columns["level"].to_pylist(), columns["epsilon"].to_pylist(), strict=True))
    found: dict[str, float] = {}
    for level, value in pairs:
        name = str(level).strip()
        if "=" in name:
            raise GraphError(f"the level {name!r} has an equals sign in its name", "give it another name")
        if name in found:
            raise GraphError(f"the level {name!r} has two epsilons, {found[name]:g} and {value}", "keep one of them")
        try:
            epsilon = number(value) if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            raise GraphError(f"the level {name!r} is {value!r}", "give it an epsilon, as in low=2,high=0.3") from None
        try:
            found[name] = valid_epsilon(epsilon)
        except GraphError as e:
            raise GraphError(f"the level {name!r}: {e.message}", e.hint) from None
    return found


def read_mapping(given: str | PathLike[str] | Mapping[str, str]) -> dict[str, str]:
    """Read synonyms of options, from ``ja=yes,nein=no``, the path of a table of two columns, or a mapping.

    Raises
    ------
    GraphError
        If the argument is none of these.

    Examples
    --------
    >>> read_mapping("ja=yes, nein=no")
    {'ja': 'yes', 'nein': 'no'}
    """
    if not isinstance(given, str | PathLike | Mapping):
        raise GraphError(f"the mapping is {given!r}", "give a mapping, ja=yes,nein=no, or the path of a table")
    if isinstance(given, Mapping):
        return {str(text): str(option) for text, option in given.items()}
    if "=" in str(given):
        pairs = (part.partition("=") for part in str(given).split(","))
        return {text.strip(): option.strip() for text, _, option in pairs}
    names = header(given)
    if len(names) != 2:
        raise GraphError(
            f"{given} has {count(len(names), 'column')}",
            "give two: the text in a cell, and the option that it stands for",
        )
    table = read_table(given, names)
    return {str(text): str(option) for text, option in zip(*(table[name].to_pylist() for name in names), strict=True)}


def read_list(given: str | PathLike[str] | Sequence[str]) -> tuple[str, ...]:
    """Read a list of names, from a string with commas, the lines of a file, or a sequence.

    Examples
    --------
    >>> read_list("sales, it"), read_list(["Stroud, Jr.", "Wilson"])
    (('sales', 'it'), ('Stroud, Jr.', 'Wilson'))
    """
    if not isinstance(given, str | PathLike):
        if not isinstance(given, Sequence):
            raise GraphError(f"the list is {given!r}", "give names joined by commas, a sequence, or the path of a file")
        return tuple(map(str, given))
    if isinstance(given, str) and not os.path.isfile(given):  # also false for a list too long to be a path
        return tuple(name.strip() for name in given.split(","))
    try:
        lines = Path(given).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise GraphError(f"{given} cannot be read", f"give a file with one name per line, in UTF-8 ({e})") from None
    return tuple(line.strip() for line in lines if line.strip())
