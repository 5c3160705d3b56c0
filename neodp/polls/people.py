"""Where the people of a poll come from: a CSV or Parquet file, or the result of a query; and names for epsilons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from neodp.errors import GraphError, near
from neodp.polls.mechanism import valid_epsilon
from neodp.polls.table import Place
from neodp.tables import read_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["People", "read_levels"]


@dataclass(frozen=True)
class People:
    """A table with one row per person.

    Attributes
    ----------
    votes : dict of Arrow arrays
        A column of votes for each question, by the name of the column.
    epsilon : Arrow array
        What each person asks for: a number, or the name of a level.
    place : function
        How an error names a row.
    """

    votes: dict[str, pa.Array]
    epsilon: pa.Array
    place: Place

    @classmethod
    def from_file(cls, file: str | PathLike[str], votes: Sequence[str], epsilon: str | None) -> People:
        """The people of a CSV or Parquet file.

        Parameters
        ----------
        file : path
        votes : strings
            The columns with the votes, one for each question.
        epsilon : str
            The column with the epsilons or levels.

        Raises
        ------
        GraphError
            If no column is named, or the file does not have such a column.
        """
        columns = _named(votes, epsilon)
        read = read_table(file, columns)
        return cls({column: read[column] for column in columns[:-1]}, read[columns[-1]], read.place)

    @classmethod
    def from_result(cls, result: pa.Table, votes: Sequence[str], epsilon: str | None) -> People:
        """The people that a query returned.

        Parameters
        ----------
        result : Arrow table
        votes : strings
            The columns with the votes; where neither these nor `epsilon` are named, the query must return two columns:
            a vote and an epsilon.
        epsilon : str or None
            The column with the epsilons or levels.

        Raises
        ------
        GraphError
            If it is not clear which columns are meant, or there is no such column.
        """
        header = result.column_names
        if not votes and epsilon is None:
            if len(header) != 2:
                raise GraphError(
                    f"the query returns {len(header)} columns: {', '.join(header)}",
                    "return a vote and an epsilon, or name the columns with --vote and --epsilon",
                )
            votes, epsilon = header[:1], header[1]
        columns = _named(votes, epsilon)
        for column in columns:
            if column not in header:
                raise GraphError(
                    f"the query returns no column {column!r}",
                    near(column, header) or f"its columns are {', '.join(header)}",
                )

        def place(row: int) -> str:
            return f"row {row + 1} of the query's result"

        return cls({column: result[column] for column in columns[:-1]}, result[columns[-1]], place)


def _named(votes: Sequence[str], epsilon: str | None) -> tuple[str, ...]:
    """The columns of the votes, and last that of the epsilons; both must be named."""
    if not votes or epsilon is None:
        missing = "--epsilon" if votes else "--vote"
        raise GraphError(f"which column is it, {missing}?", f"name it, as in {missing} COL")
    return (*votes, epsilon)


def read_levels(text: str) -> dict[str, float]:
    """Names for epsilons: written as ``low=2,high=0.3``, or the path of a table of ``level,epsilon``.

    Raises
    ------
    GraphError
        If a level has no valid epsilon; the message names the level.

    Examples
    --------
    >>> read_levels("low=2, high=0.3")
    {'low': 2.0, 'high': 0.3}
    """
    if "=" in text:
        pairs = [part.partition("=")[::2] for part in text.split(",")]
    else:
        columns = read_table(Path(text), ("level", "epsilon"))
        pairs = list(zip(columns["level"].to_pylist(), columns["epsilon"].to_pylist(), strict=True))
    found: dict[str, float] = {}
    for level, value in pairs:
        name = str(level).strip()
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise GraphError(f"the level {name!r} is {value!r}", "give it an epsilon, as in low=2,high=0.3") from None
        try:
            found[name] = valid_epsilon(number)
        except GraphError as e:
            raise GraphError(f"the level {name!r}: {e.message}", e.hint) from None
    return found
