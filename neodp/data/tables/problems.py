"""All problems with the cells of a table, reported at once.

A person who corrects a table wants to know every mistake in it at once, not one mistake per run. So checks do not raise
an error when they meet a wrong cell: they *add* it to a list of problems, with what the cell should be, the row, and
the content of the cell. In the end ``raise_if_any`` raises one error. A single problem reads like any other error of
neodp; several problems take one line for each kind: how many there are, where the first ones are, and what would fix
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from neodp.errors import GraphError

__all__ = ["SHOWN", "Place", "Problems"]

Place: TypeAlias = Callable[[int], str]
"""A function that names the place of a row in an error message."""

SHOWN = 3
"""The number of problems of each kind that are shown; the others are counted."""


@dataclass
class _Kind:
    """The problems of one kind: their number, and the rows and cells of the first ones."""

    hint: str
    place: Place
    alone: Callable[[int], str] | None
    count: int = 0
    first: list[tuple[int, object]] = field(default_factory=list)


class Problems:
    """Wrong cells of a table, collected by kind.

    Parameters
    ----------
    place : function
        From a row to its place, like ``Table.place``. Checks of another table give their own place.

    Examples
    --------
    >>> problems = Problems("people.csv, line {}".format)
    >>> problems.add("epsilon", "not a number", 4, "abc", hint="correct it")
    >>> problems.raise_if_any()
    Traceback (most recent call last):
    neodp.errors.GraphError: people.csv, line 4: epsilon is 'abc', not a number; correct it
    >>> problems.add("epsilon", "not a number", 7, "?")
    >>> problems.raise_if_any()
    Traceback (most recent call last):
    neodp.errors.GraphError: people.csv: epsilon is not a number, 2 times: line 4 ('abc'), line 7 ('?'); correct it
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._kinds: dict[tuple[str, str], _Kind] = {}

    def __len__(self) -> int:
        """Return the number of problems."""
        return sum(kind.count for kind in self._kinds.values())

    def add(
        self,
        what: str,
        complaint: str,
        row: int,
        shown: object = None,
        *,
        hint: str = "",
        place: Place | None = None,
        alone: Callable[[int], str] | None = None,
    ) -> None:
        """Add a problem: the error says that `what` of a row "is" the `complaint`.

        Parameters
        ----------
        what : str
            The content of the cell, such as ``"epsilon"``.
        complaint : str
            The fault, such as ``"not a number"`` or ``"missing"``. The two together are the kind.
        row : int
            The row, as `place` takes it.
        shown : object, optional
            The value in the cell; left out if the cell is empty.
        hint : str
            The remedy for problems of this kind; the first hint that is given counts.
        place : function, optional
            The function that names the row, if it differs from that of all problems.
        alone : function, optional
            From the row to the whole message, including the place, in case this is the only problem.
        """
        kind = self._kinds.setdefault((what, complaint), _Kind(hint, place or self._place, alone))
        kind.hint = kind.hint or hint
        kind.count += 1
        if len(kind.first) < SHOWN:
            kind.first.append((row, shown))

    def add_rows(
        self,
        what: str,
        complaint: str,
        rows: Iterable[int],
        shown: Callable[[int], object] | None = None,
        *,
        hint: str = "",
        place: Place | None = None,
        alone: Callable[[int], str] | None = None,
    ) -> None:
        """Add a problem for each of several rows, in order; `shown` returns the value in the cell of a row."""
        for i, row in enumerate(rows):
            cell = shown(int(row)) if shown is not None and i < SHOWN else None
            self.add(what, complaint, int(row), cell, hint=hint, place=place, alone=alone)

    def raise_if_any(self, hint: str = "") -> None:
        """Raise one error that names all problems; do nothing if there is none.

        Parameters
        ----------
        hint : str
            The remedy, for kinds of problems that have no hint of their own.

        Raises
        ------
        GraphError
        """
        if not self._kinds:
            return
        if len(self._kinds) == 1:
            ((what, complaint), kind), *_ = self._kinds.items()
            hint = kind.hint or hint
            if kind.count == 1:
                ((row, shown),) = kind.first
                alone = kind.alone or (lambda row: f"{kind.place(row)}: {_single(what, complaint, shown)}")
                raise GraphError(alone(row), hint)
            table, text = _several(what, complaint, kind)
            raise GraphError(f"{table}: {text}" if table else text, hint)
        lines = [(kind, *_several(what, complaint, kind)) for (what, complaint), kind in self._kinds.items()]
        tables = list(dict.fromkeys(table for _, table, _ in lines if table))
        details = [
            (f"{table}: {text}" if len(tables) > 1 else text) + ("; " + remedy if (remedy := kind.hint or hint) else "")
            for kind, table, text in lines
        ]
        of = f" of {' and '.join(tables)}" if tables else ""
        raise GraphError(f"{len(self):,} cells{of} cannot be used", details=details)


def _single(what: str, complaint: str, shown: object) -> str:
    return f"{what} is {complaint}" if shown is None else f"{what} is {_cell(shown)}, {complaint}"


def _several(what: str, complaint: str, kind: _Kind) -> tuple[str, str]:
    """Return the table that the rows are in, if their places name one, and the rest of a line about them."""
    named = [
        re.fullmatch(r"(?s)(.*), ((?:line|row) [\d,]+(?: \(row [\d,]+\))?)", kind.place(row)) for row, _ in kind.first
    ]
    places = [match[2] if match else kind.place(row) for match, (row, _) in zip(named, kind.first, strict=True)]
    cells = [
        place if shown is None else f"{place} ({_cell(shown)})"
        for place, (_, shown) in zip(places, kind.first, strict=True)
    ]
    more = f" and {kind.count - len(cells):,} more" if kind.count > len(cells) else ""
    times = f", {kind.count:,} times" if kind.count > 1 else ""
    return named[0][1] if named[0] else "", f"{what} is {complaint}{times}: {', '.join(cells)}{more}"


def _cell(shown: object) -> str:
    text = repr(shown)
    return text if len(text) <= 60 else f"{text[:56]}…{text[-1]}"
