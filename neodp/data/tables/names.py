"""The names of a table's columns: which are requested, which are present, and which look like typing errors.

A misspelt column must not pass in silence: a table with a column ``weigth`` and none ``weight`` would be read as if
nobody had asked for privacy. So a column that looks like a missing optional one is refused, whatever the table. Other
columns that were not requested are refused if a table is *closed*: this is the case for the tables of graphs and
profiles, which are made for neodp. A table of people is open: it may have any other columns.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from neodp.data.tables.options import ReadOptions
from neodp.errors import GraphError, near
from neodp.hints import Hint, Option

__all__ = ["HeaderBelow", "header_among", "is_alike", "on_one_line", "shortened", "wanted_columns"]

NUMBER = r"[-+]?[\d.,]*\d"
"""A cell that is a number, and so no name."""
TITLE = 30
"""The number of rows in which the header is looked for, if the first row is not a header."""


def on_one_line(name: str, wanted: Sequence[str]) -> str:
    r"""Return the name of a column as a user can type it: without surrounding blanks, and without line breaks.

    Examples
    --------
    >>> on_one_line(" Shall we\n move? ", [])
    'Shall we move?'
    """
    name = name.strip()
    return name if name in wanted else re.sub(r"\s*[\r\n]+\s*", " ", name)


class HeaderBelow(NamedTuple):
    """A row below the first that names the needed columns.

    Attributes
    ----------
    unit : "line" or "row"
        The unit in which the number counts.
    number : int
    certain : bool
        True if it is the only such row, and every row above it has fewer cells, as titles and remarks have.
    """

    unit: str
    number: int
    certain: bool


def header_among(rows: Iterable[tuple[int, Sequence[str]]], needed: Sequence[str], unit: str) -> HeaderBelow | None:
    """Return the first of some numbered rows that names the needed columns; None if none does.

    If it is not known yet which columns are needed, it is the first row with several cells: certain if no row above it
    has more than one, and its cells are different texts.

    Examples
    --------
    >>> rows = [(1, ["Staff survey", ""]), (2, ["vote", "epsilon"]), (3, ["yes", "1"])]
    >>> header_among(rows, ["vote"], "row")
    HeaderBelow(unit='row', number=2, certain=True)
    >>> header_among(rows[1:], ["yes"], "row")
    HeaderBelow(unit='row', number=3, certain=False)
    >>> header_among(rows, [], "row")
    HeaderBelow(unit='row', number=2, certain=True)
    """
    found: HeaderBelow | None = None
    above = 0
    for number, cells in islice(rows, TITLE):
        filled = sum(1 for cell in cells if cell.strip())
        if not needed:
            names = {cell.strip() for cell in cells if cell.strip() and not re.fullmatch(NUMBER, cell.strip())}
            if filled > 1:
                return HeaderBelow(unit, number, len(names) == filled)
        elif set(needed) <= {on_one_line(cell, needed) for cell in cells}:
            if found is not None:
                return found._replace(certain=False)
            found = HeaderBelow(unit, number, above < filled)
        elif found is None:
            above = max(above, filled)
    return found


def shortened(name: str, most: int = 60) -> str:
    """Return a name for a message: of one that is too long, the beginning and an ellipsis.

    Examples
    --------
    >>> shortened("How satisfied are you with the opening hours of the office?", 24)
    'How satisfied are you w…'
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def wanted_columns(
    source: object,
    names: Sequence[str],
    needed: Sequence[str],
    optional: Sequence[str],
    *,
    closed: bool,
    options: ReadOptions,
    is_blank: Callable[[int], bool] = lambda _: False,
    header_below: Callable[[Sequence[str]], HeaderBelow | None] = lambda _: None,
) -> dict[str, int]:
    """Return the positions of the requested columns, without optional ones that are missing.

    Parameters
    ----------
    source : object
        The table; messages name it by ``str``.
    names : sequence of str
        The names of its columns.
    needed, optional : sequences of str
        The requested columns.
    closed : bool
        True if other columns are refused, unless the options say that they are ignored.
    options : ReadOptions
    is_blank : function
        Returns True if all cells of the column at a position are empty; such a column needs no name.
    header_below : function
        Returns the row below the first that names the needed columns; None if none does.

    Raises
    ------
    GraphError
        If a column is missing, appears twice, is requested twice, or is present although it is not allowed.

    Examples
    --------
    >>> wanted_columns("a.csv", ["item", "user", "weight"], ["user"], ["weight"], closed=False, options=ReadOptions())
    {'user': 1, 'weight': 2}
    >>> wanted_columns("a", ["user", "nots"], ["user"], ["note"], closed=False, options=ReadOptions())
    Traceback (most recent call last):
    neodp.errors.GraphError: a has a column 'nots', but no column 'note'; rename it, or give `extra_columns='ignore'`
    """
    asked = (*needed, *optional)
    closed = options.extra_columns == "refuse" or (closed and options.extra_columns is None)
    _refuse_twice(
        asked, lambda name: f"the column {shortened(name)!r} is asked for twice", "name two different columns"
    )
    there = Counter(names)
    _refuse_twice(
        [name for name in names if name in asked or (closed and name)],
        lambda name: f"{source} has {there[name]} columns {shortened(name)!r}",
        "rename or remove all but one",
    )
    for name in needed:
        if name not in there:
            raise _missing(source, name, names, header_below(needed))
    _refuse_others(source, names, asked, closed=closed, options=options, is_blank=is_blank)
    return {name: names.index(name) for name in asked if name in there}


def _refuse_twice(names: Sequence[str], message: Callable[[str], str], hint: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise GraphError(message(name), hint)


def _missing(source: object, name: str, names: Sequence[str], below: HeaderBelow | None) -> GraphError:
    """Return the error for a needed column that is missing, or whose name is in a line below the first."""
    if below is not None:
        return GraphError(
            f"{source} has no column {shortened(name)!r} in its first line",
            Hint(f"{below.unit} {below.number} names the columns: use ", Option("header_row", below.number)),
        )
    folded = [other for other in names if other.casefold() == name.casefold()]
    hint = f"did you mean {folded[0]!r}?" if folded else near(name, names)
    if not hint and any(re.fullmatch(NUMBER, other) for other in names):
        hint = f"its first line, {_listed(names)}, must name the columns"
    if not hint and len(names) == 1:
        hint = Hint(
            f"its first line has only one column, {_listed(names)}; name the delimiter with ",
            Option("delimiter"),
        )
    return GraphError(f"{source} has no column {shortened(name)!r}", hint or f"its columns are {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    """Join the first names in a list, on one line."""
    shown = [name if name.isprintable() and 0 < len(name) <= 40 else f"{shortened(name, 40)!r}" for name in names[:20]]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _refuse_others(
    source: object,
    names: Sequence[str],
    asked: Sequence[str],
    *,
    closed: bool,
    options: ReadOptions,
    is_blank: Callable[[int], bool],
) -> None:
    """Refuse columns that were not requested, or warn of those that look like typing errors, as the options say."""
    others = [name for name in names if name and name not in asked]
    absent = [name for name in asked if name not in names and not re.fullmatch(NUMBER, name)]  # a number has no typos
    slips = [(other, name) for other in others for name in absent if is_alike(other, name)]
    if options.extra_columns == "ignore":
        for other, name in slips:
            warnings.warn(f"{source}: the column {other!r} is ignored, and there is no column {name!r}", stacklevel=4)
        return
    if slips:
        (other, name), *_ = slips
        raise GraphError(
            f"{source} has a column {shortened(other)!r}, but no column {name!r}",
            Hint("rename it, or give ", Option("extra_columns", "ignore")),
        )
    if not closed:
        return
    unnamed = [i + 1 for i, name in enumerate(names) if not name and not is_blank(i)]
    if unnamed:
        raise GraphError(
            f"{source}: column {unnamed[0]} has no name",
            Hint("name it in the first line, or give ", Option("extra_columns", "ignore")),
        )
    if others:
        shown = ", ".join(repr(shortened(other)) for other in others[:5]) + (
            f" and {len(others) - 5} more" if len(others) > 5 else ""
        )
        what = f"a column {shown}, which is" if len(others) == 1 else f"columns {shown}, which are"
        raise GraphError(
            f"{source} has {what} not expected",
            Hint(f"it may have {', '.join(asked)}; or give ", Option("extra_columns", "ignore")),
        )


def is_alike(one: str, two: str) -> bool:
    """Return True if a name may be meant for another: in other case, misspelt, shorter, longer, or one of its words.

    Examples
    --------
    >>> [is_alike(name, "weight") for name in ("Weight", "weigth", "weights", "privacyWeight", "rating", "i")]
    [True, True, True, True, False, False]
    """
    a, b = (re.sub(r"[^\w]|_", "", name).casefold() for name in (one, two))
    if a == b:
        return True
    if min(len(a), len(b)) >= 3 and (a.startswith(b) or b.startswith(a)):
        return True
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", one)
    return two.casefold() in map(str.casefold, words) or difflib.SequenceMatcher(None, a, b).ratio() >= 0.75
