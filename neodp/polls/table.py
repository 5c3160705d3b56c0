"""Conversion of a table of people, one row per person, with a vote and an epsilon, to a dataset of a poll.

The votes are counted per group of equal epsilon. The list of options is never read from the votes, because everything
that is known before the answer must be independent of the votes. People with epsilon 0 are counted, but their votes are
not read (:mod:`neodp.polls.mechanism` explains why). :mod:`neodp.polls.cells` has the rules for cells. All invalid
cells are collected, so that one error names all of them (:class:`neodp.data.tables.Problems`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.tables import Place, Problems, as_text, values_of
from neodp.data.tables import number as number_of
from neodp.data.validation import Floats
from neodp.errors import GraphError, near
from neodp.hints import Hint, Option
from neodp.polls.asking import valid_epsilon
from neodp.polls.cells import USUAL, WORDS, Cells, bare, choices
from neodp.polls.mechanism import Counts, Group
from neodp.polls.people import People

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Tally", "Voters", "counted", "distinct", "epsilons", "one_row_a_person", "parts", "tally", "vote_codes"]

FEW = 10_000
"""The number of texts below which plain Python is faster than loading a faster library."""
Codes = NDArray[np.int64]


class Tally(NamedTuple):
    """The counted votes of a table of people.

    Attributes
    ----------
    groups : tuple of Group
        The people with an epsilon above 0, by ascending epsilon.
    counts : array of int
        The true dataset. Secret.
    skipped : int
        The number of people without a vote or an epsilon, who were left out.
    silent : int
        The number of people with epsilon 0, whose votes were not read.
    """

    groups: tuple[Group, ...]
    counts: Counts
    skipped: int
    silent: int

    def __repr__(self) -> str:
        """Return everything but the counts, so that displaying a question in a notebook does not reveal them."""
        return f"Tally(groups={self.groups!r}, counts=<secret>, skipped={self.skipped}, silent={self.silent})"


def epsilons(
    column: pa.Array,
    levels: Mapping[str, float],
    place: Place,
    *,
    cells: Cells = USUAL,
    problems: Problems | None = None,
) -> Floats:
    """Parse a column of numbers, or of names of levels, as epsilons; NaN if an epsilon is missing, and may be.

    Parameters
    ----------
    column : Arrow array
    levels : mapping
        Names for epsilons.
    place : function
        A function from the number of a row to its name in error messages.
    cells : Cells
        The rules for interpreting cells.
    problems : Problems, optional
        A collection to which invalid cells are added. Without it, they raise an error.

    Raises
    ------
    GraphError
        If an epsilon is missing, negative, not a number, above 690, or an unknown name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> epsilons(pa.array(["High", "2", "low"]), {"low": 2.0, "high": 0.3}, "row {}".format)
    array([0.3, 2. , 2. ])
    """
    collected = Problems(place) if problems is None else problems
    known, values = cells.lookup(levels, "the levels"), list(levels.values())

    def number(text: str) -> float:
        if cells.key(text) in known:
            return values[known[cells.key(text)]]
        if cells.is_missing(text):
            if cells.skip_empty:
                return math.nan
            raise _Wrong(
                "missing",
                "",
                Hint("give a number or a level, or leave such people out with ", Option("skip_empty", True)),
            )
        written = bare(text)
        try:
            epsilon = number_of(written)
        except ValueError:
            hint = (
                f"the levels are {', '.join(levels)}"
                if levels
                else Hint("give a number, or name levels with ", Option("levels"))
            )
            if re.fullmatch(r"[\d.,'\s]*\d\s*%", written):
                hint = "give a number without a percent sign, such as 0.5"
            elif re.fullmatch(r"\d[\d.,'\s]*", written):
                hint = "give a number with a decimal point, and nothing between thousands"
            raise _Wrong("neither a number nor a level", text, near(written, levels) or hint) from None
        try:
            return valid_epsilon(epsilon)
        except GraphError as e:
            raise _Wrong("not allowed", text, e.hint) from None

    found = _decoded(column, number, "epsilon", collected)
    if problems is None:
        collected.raise_if_any()
    return np.array([math.nan if value is None else value for value in found[0]], np.float64)[found[1]]


def vote_codes(
    votes: pa.Array,
    asked: Codes,
    place: Place,
    *,
    options: Sequence[str] | None = None,
    cells: Cells = USUAL,
    problems: Problems | None = None,
    what: str = "the vote",
) -> Codes:
    """Return the position of the option that each of some rows chose, or -1; see :func:`tally`."""
    collected = Problems(place) if problems is None else problems
    names = options or tuple(WORDS)
    chosen = choices(names, options is None, cells)

    def choice(text: str) -> int:
        found = chosen.get(cells.key(text))
        if found is not None and found >= 0:
            return found
        if found is not None or cells.is_missing(text):
            if cells.skip_empty:
                return -1
            raise _Wrong("missing", "", Hint("give one, or leave such people out with ", Option("skip_empty", True)))
        if cells.other is not None:
            return chosen[cells.key(cells.other)]
        how = Hint(
            "name others with ",
            Option("options"),
            ", or accept them with ",
            Option("mapping"),
            ", ",
            Option("other"),
            " or ",
            Option("missing"),
        )
        hint = f"the options are {', '.join(names)}; " + how
        raise _Wrong("none of the options", text, near(text.strip(), names) or hint)

    codes, where = _decoded(votes, choice, what, collected, asked)
    if problems is None:
        collected.raise_if_any()
    return np.array([-1 if value is None else value for value in codes], np.int64)[where]


def tally(
    votes: pa.Array,
    epsilon: Floats,
    place: Place,
    *,
    options: Sequence[str] | None = None,
    levels: Mapping[str, float] | None = None,
    cells: Cells = USUAL,
    rows: Codes | None = None,
    problems: Problems | None = None,
    what: str = "the vote",
) -> Tally:
    """Count the votes of people in groups of equal epsilon.

    Parameters
    ----------
    votes : Arrow array
        The vote of each person.
    epsilon : array of float
        The epsilon of each person, from ``epsilons``.
    place : function
        A function from the number of a row to its name in error messages.
    options : strings, optional
        The options. By default yes and no, in the usual words. Options are never taken from the votes: everything that
        is known before the answer must be independent of the votes.
    levels : mapping, optional
        Names for epsilons, for the groups.
    cells : Cells
        The rules for interpreting cells.
    rows : array of int, optional
        The rows of the people to count; by default all.
    problems : Problems, optional
        A collection to which invalid cells are added. Without it, they raise an error.
    what : str
        The name of a vote in error messages.

    Raises
    ------
    GraphError
        If a vote is missing, or is not one of the options; the message names its rows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> votes, skipping = pa.array(["y", "N", "yes", ""]), Cells(skip_empty=True)
    >>> t = tally(votes, np.array([1.0, 1.0, 0.5, 0.5]), "row {}".format, cells=skipping)
    >>> t.groups
    (Group(epsilon=0.5, size=1, level=None), Group(epsilon=1.0, size=2, level=None))
    >>> t.counts.tolist(), t.skipped
    ([[1, 0], [1, 1]], 1)
    """
    given = np.arange(len(epsilon)) if rows is None else rows
    asked = given[epsilon[given] > 0.0]
    code = vote_codes(votes, asked, place, options=options, cells=cells, problems=problems, what=what)
    return counted(code, len(options or WORDS), epsilon, given, levels or {})


def counted(code: Codes, columns: int, epsilon: Floats, given: Codes, levels: Mapping[str, float]) -> Tally:
    """Count coded answers of people in groups of equal epsilon.

    Parameters
    ----------
    code : array of int
        The column of the counts for each of the given people with an epsilon above 0; -1 for nobody's answer.
    columns : int
    epsilon : array of float
        The epsilon of each person in the table.
    given : array of int
        The rows of the people.
    levels : mapping
        Names for epsilons.
    """
    asked = given[epsilon[given] > 0.0]
    took_part = code >= 0
    different, group = np.unique(epsilon[asked][took_part], return_inverse=True)
    counts = np.bincount(group * columns + code[took_part], minlength=len(different) * columns)
    counts = counts.reshape(len(different), columns)
    called = {value: name for name, value in levels.items()}
    sizes = counts.sum(axis=1).tolist()
    groups = tuple(Group(e, size, called.get(e)) for e, size in zip(different.tolist(), sizes, strict=True))
    without = int(np.isnan(epsilon[given]).sum())
    return Tally(groups, counts, int((~took_part).sum()) + without, len(given) - without - len(asked))


@dataclass(frozen=True)
class Voters:
    """The people of a table with their epsilons, and the rules by which their votes are read and counted.

    Attributes
    ----------
    people : People
    epsilon : array of float
        The epsilon of each person.
    options, levels, cells, problems
        As for :func:`tally`.
    """

    people: People
    epsilon: Floats
    options: tuple[str, ...] | None
    levels: Mapping[str, float]
    cells: Cells
    problems: Problems

    def tally(self, column: str, rows: Codes | None = None, what: str = "the vote") -> Tally:
        """Count the votes in a column, of some rows or all."""
        return tally(
            self.people.columns[column],
            self.epsilon,
            self.people.place,
            options=self.options,
            levels=self.levels,
            cells=self.cells,
            rows=rows,
            problems=self.problems,
            what=what,
        )


def parts(
    column: pa.Array, values: Sequence[str], problems: Problems, *, cells: Cells = USUAL, other: str | None = None
) -> dict[str, Codes]:
    """Return the rows of the people in each part, given a column that assigns everybody to a part.

    Parameters
    ----------
    column : Arrow array
    values : strings
        The public list of parts. Parts are never taken from the table.
    problems : Problems
        A collection to which people without a listed part are added.
    cells : Cells
        The rules for interpreting cells.
    other : str, optional
        The part of everybody whose part is not in the list.
    """
    names = tuple(values) if other is None or other in values else (*values, other)
    known = cells.lookup(names, "the parts")

    def part(text: str) -> int:
        if cells.key(text) in known:
            return known[cells.key(text)]
        if other is not None:
            return known[cells.key(other)]
        hint = Hint(
            f"the parts are {', '.join(names)}; name others with ",
            Option("by_values"),
            ", or collect them with ",
            Option("by_other"),
        )
        if not text.strip():
            raise _Wrong("missing", "", hint)
        raise _Wrong("none of the named ones", text, near(text.strip(), names) or hint)

    codes, where = _decoded(column, part, "the part", problems)
    code = np.array([-1 if value is None else value for value in codes], np.int64)[where]
    return {name: np.flatnonzero(code == i) for i, name in enumerate(names)}


def one_row_a_person(column: pa.Array, problems: Problems, *, cells: Cells = USUAL) -> None:
    """Collect rows whose id is missing, or occurs in an earlier row; ids are compared in the same way as votes."""
    values, where = distinct(column)
    first: dict[str, int] = {}
    person = np.array([first.setdefault(cells.key(value), i) for i, value in enumerate(values)], np.int64)[where]
    for i, value in enumerate(values):
        if not bare(value):
            give = Hint("give everybody one, or leave out ", Option("id"))
            problems.add_rows("the id", "missing", np.flatnonzero(where == i), hint=give)
    order = np.argsort(person, kind="stable")
    again = np.zeros(len(person), bool)
    again[order[1:]] = person[order[1:]] == person[order[:-1]]
    rows = [row for row in np.flatnonzero(again).tolist() if bare(values[where[row]])]
    hint: str = "keep one row for each person: whoever has two would count twice"
    if any(person[row] != where[row] for row in rows):
        hint += Hint("; or tell ids apart by case and blanks with ", Option("exact", True))
    problems.add_rows("the id", "that of an earlier row", rows, lambda row: values[where[row]], hint=hint)


class _Wrong(Exception):
    """An invalid cell: the complaint, its content, and the remedy."""

    def __init__(self, complaint: str, shown: str, hint: str) -> None:
        super().__init__(complaint)
        self.complaint, self.shown, self.hint = complaint, shown, hint


def _decoded(
    column: pa.Array, decode: Any, what: str, problems: Problems, rows: Codes | None = None
) -> tuple[list[Any], Codes]:
    """Decode each distinct value of a column, None if it is invalid; return the values, and which one each row has.

    If `rows` are given, only these rows are read.
    """
    import pyarrow as pa

    if pa.types.is_nested(column.type):
        raise GraphError(f"{what} is a {column.type} in the table", "give one text or number per person")
    texts, where = distinct(column, rows)
    values: list[Any] = []
    wrong: dict[int, _Wrong] = {}
    for i, text in enumerate(texts):
        try:
            values.append(decode(text))
        except _Wrong as e:
            wrong[i] = e
            values.append(None)
    if wrong:
        at = np.flatnonzero(np.isin(where, list(wrong)))
        places = (at if rows is None else rows[at]).tolist()
        for row, place in zip(at.tolist(), places, strict=True):
            cell = wrong[int(where[row])]
            hint = cell.hint if cell.hint.endswith("?") else cell.hint + _line_too_many(places, len(column))
            problems.add(what, cell.complaint, place, cell.shown or None, hint=hint)
    return values, where


def _line_too_many(wrong: Sequence[int], rows: int) -> str:
    """Return a further hint if only the first or only the last row is invalid: it may not be a person."""
    if rows < 3 or len(wrong) > 1 or wrong[0] not in (0, rows - 1):
        return ""
    return f"; or delete the line, if it is {'a second header' if wrong[0] == 0 else 'a total'}"


def distinct(column: pa.Array, rows: Codes | None = None) -> tuple[list[str], Codes]:
    """Return the distinct cells of a column, or of some of its rows, as text, and which of them each row has."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_string(column.type) and len(column) < FEW:
        cells, found = column.to_pylist(), dict[str | None, int]()
        some = cells if rows is None else [cells[row] for row in rows.tolist()]
        codes = [found.setdefault(cell, len(found)) for cell in some]
        return [as_text(value) for value in found], np.array(codes, np.int64)
    if pa.types.is_nested(column.type):  # lists, which are no votes
        column = pa.array([as_text(value) for value in values_of(column)], pa.string())
    indices = None
    if pa.types.is_dictionary(column.type):
        column, indices = column.dictionary, column.indices
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    if indices is not None:
        column = column.take(indices)
    if rows is not None:
        column = column.take(rows)
    coded = column.dictionary_encode(null_encoding="encode")
    return [as_text(value) for value in values_of(coded.dictionary)], coded.indices.to_numpy().astype(np.int64)
