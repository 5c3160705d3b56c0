"""A poll of a table whose levels nobody learns: a preview that does not depend on the people, and the answers.

:class:`SecretSurvey` is the :class:`~neodp.polls.survey.Survey` of ``neodp.poll(..., secret_levels=True)``. The table
is read, but what is shown, kept, compared or refused depends only on the names of its columns and on what was asked:
not on the number of rows, nor on any cell. What cannot be understood does not count (:mod:`neodp.polls.secret`).

An *expectation* such as ``500 people, levels about 30/50/20`` states, before anybody is asked, how many people may take
part and how their levels are spread. The expected accuracy is that of this example.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.formatting import at_least, count
from neodp.data.frames import html_table
from neodp.data.kinds import checked
from neodp.data.names import normal
from neodp.data.tables import number
from neodp.data.validation import Floats
from neodp.errors import GraphError, near
from neodp.ledger.question import DEFAULT, Question
from neodp.ledger.shares import share_level
from neodp.polls.asking import valid_epsilon
from neodp.polls.cells import Cells, choices
from neodp.polls.mechanism import Group
from neodp.polls.people import People
from neodp.polls.prices import Prices
from neodp.polls.prior import Prior
from neodp.polls.proposals import Proposal
from neodp.polls.secret import SecretPoll
from neodp.polls.survey import Survey
from neodp.polls.table import distinct

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Expectation", "SecretSurvey"]

TYPICAL = (0.1, 0.5, 1.0, 2.0)
"""The epsilons for which a guarantee is shown if levels have no names."""
MOST = 10**6
"""The greatest number of people of an example."""


@dataclass(frozen=True)
class Expectation:
    """An example of people, stated before anybody is asked.

    Attributes
    ----------
    text : str
        The expectation as it was given.
    groups : tuple of Group
        The people of the example.
    """

    text: str
    groups: tuple[Group, ...]

    @classmethod
    @checked
    def parse(cls, text: str, levels: Mapping[str, float], constant: float | None = None) -> Expectation:
        """Parse an expectation.

        Parameters
        ----------
        text : str
            ``500 people``, ``500 people, levels about 30/50/20``, in the order in which the levels were named, or
            ``500 people, epsilons 0.3/1/2 about 30/50/20``.
        levels : mapping
            The names of epsilons.
        constant : float, optional
            The epsilon of everybody, if it is the same.

        Raises
        ------
        GraphError
            If the text has none of these forms, or its numbers do not fit.

        Examples
        --------
        >>> Expectation.parse("500 people, levels about 30/50/20", {"high": 0.3, "medium": 1.0, "low": 2.0}).groups
        (Group(epsilon=0.3, size=150, level='high'), Group(epsilon=1.0, size=250, level='medium'), ...)
        """
        form = r"\s*([0-9][0-9,]*) people(?:,? (?:levels|epsilons? ([0-9./eE-]+))(?: about ([0-9./]+))?)?\s*"
        found = re.fullmatch(form, text)
        if found is None:
            hint = (
                "say '500 people', '500 people, levels about 30/50/20' or '500 people, epsilons 0.3/1/2 about 30/50/20'"
            )
            raise GraphError(f"the expectation is {text!r}", hint)
        people = int(found[1].replace(",", ""))
        if not 1 <= people <= MOST:
            raise GraphError(f"the expectation is {text!r}", f"give from 1 to {MOST:,} people")
        try:
            own = [(None, valid_epsilon(number(each))) for each in found[2].split("/")] if found[2] else None
            parts = [number(each) for each in found[3].split("/")] if found[3] else None
        except ValueError:
            raise GraphError(f"the expectation is {text!r}", "give numbers between the slashes") from None
        known: Sequence[tuple[str | None, float]] = own or (
            [(None, constant)] if constant is not None else [*levels.items()]
        )
        if not known:
            raise GraphError(
                f"the expectation {text!r} says nothing of epsilons",
                "say '500 people, epsilons 0.3/1/2 about 30/50/20'",
            )
        parts = parts or [1.0] * len(known)
        if len(parts) != len(known) or not sum(parts) > 0.0:
            raise GraphError(
                f"the expectation {text!r} has {count(len(parts), 'part')} for {count(len(known), 'level')}",
                "give one for each",
            )
        ends = np.floor(np.cumsum([0.0, *parts]) / sum(parts) * people + 0.5).astype(int)
        sizes = np.diff(ends).tolist()
        groups = [Group(e, n, name) for (name, e), n in zip(known, sizes, strict=True) if n and e]
        if not groups:
            raise GraphError(f"in the expectation {text!r}, nobody has an epsilon above 0", "name people who have one")
        return cls(text, tuple(groups))


class Rows(NamedTuple):
    """The people of a table. Secret.

    Attributes
    ----------
    vote : array of int
        The position of each person's choice; -1 if there is none, or it was not understood.
    epsilon : array of float
        The epsilon of each person; 0 if there is none, or it was not understood.
    """

    vote: NDArray[np.int64]
    epsilon: Floats

    def __repr__(self) -> str:
        """Return a text without the people, so that a notebook does not reveal them."""
        return "Rows(<secret>)"


@dataclass(frozen=True, eq=False, repr=False)
class SecretSurvey(Survey):
    """A poll whose levels nobody learns, before an answer.

    Attributes
    ----------
    asks : SecretPoll
        The question, which is the same for every column of votes.
    levels : mapping
        The public names of epsilons.
    expectation : Expectation or None
        The example for which the accuracy is computed.
    prior : Prior
        The assumptions about the votes in that example.
    """

    asks: SecretPoll = field(kw_only=True)
    levels: Mapping[str, float] = field(kw_only=True, default_factory=dict)
    expectation: Expectation | None = field(kw_only=True, default=None)
    prior: Prior = field(kw_only=True, default=Prior())
    rows: Mapping[str, Rows] = field(kw_only=True, repr=False, default_factory=dict)

    def require_choice(self) -> None:
        """Do nothing: the mechanism was chosen."""

    def with_mechanism(self, mechanism: str) -> Survey:
        """Refuse another mechanism: it would show who takes part."""
        raise GraphError("levels are secret in this poll", "ask for another mechanism without secret levels")

    def propose(self, accuracy: float, margin: int | None = None) -> dict[str, Proposal]:
        """Refuse: a proposal would show how many people take part."""
        raise GraphError("levels are secret in this poll", "ask for an accuracy without secret levels")

    def prices(self) -> dict[str, Prices]:
        """Refuse: prices would show how many people take part."""
        raise GraphError("levels are secret in this poll", "ask for prices without secret levels")

    @checked
    def asked(self, population: str = DEFAULT, command: str = "") -> dict[str, Question]:
        """Return the questions that are kept with the answers; they do not depend on the people."""
        facts = {
            "table": self.source,
            "query": self.asks.query,
            "options": list(self.asks.options),
            "mechanism": "secret-levels",
            "cap": self.asks.cap,
            "share": str(self.asks.share),
            "levels": dict(self.levels),
            **self.said,
            **({"cells": self.cells.facts()} if self.cells.facts() else {}),
        }
        cost = (share_level(self.asks.share, self.asks.cap),)
        return {
            column: Question(
                f"{self.name} {column.strip()}",
                {**facts, "column": column.strip()},
                cost,
                normal(population),
                f"{command} --vote {shlex.quote(column)}" if command else "",
            )
            for column in self.rows
        }

    def _chances(self, column: str, asked: Question) -> dict[str, Any]:
        """Return the chances of the answers to draw from."""
        return self.asks.distribution(*self.rows[column])

    def facts(self) -> list[dict[str, Any]]:
        """Return everything that is known before an answer, for each column; none of it depends on the people."""
        guarantees = [
            {
                "level": name,
                "epsilon": epsilon,
                "vote": cost,
                "taking_part": self._part * cost,
                "factor": math.exp(cost),
            }
            for name, epsilon in self._shown
            for cost in (self.asks.weight(epsilon),)
        ]
        example = None
        if self.expectation is not None:
            example = {
                "expect": self.expectation.text,
                "prior": self.prior.text,
                "expected": self.asks.expected(self.expectation.groups, self.prior),
            }
        return [
            {
                "question": column,
                "query": self.asks.query,
                "asks": self.asks.question,
                "options": list(self.asks.options),
                "mechanism": "secret-levels",
                "cap": self.asks.cap,
                "share": str(self.asks.share),
                "guarantees": guarantees,
                "example": example,
            }
            for column in self.rows
        ]

    @property
    def _part(self) -> float:
        """The part of the cost of a vote that taking part, or not, costs at most."""
        return 0.5 if len(self.asks.options) > 2 else float(max(self.asks.theta, 1 - self.asks.theta))

    @property
    def _shown(self) -> list[tuple[str | None, float]]:
        """The levels for which a guarantee is shown: the named ones, or some typical ones."""
        return [*self.levels.items()] or [(None, epsilon) for epsilon in TYPICAL]

    @checked
    def revealed(self, column: str) -> dict[str, Any]:
        """Return the true counts, and how the answer is drawn. This is not private."""
        if column not in self.rows:
            raise GraphError(f"there is no column {column!r}", near(column, self.rows) or "name a column of the votes")
        vote, epsilon = self.rows[column]
        heard = (vote >= 0) & (epsilon > 0.0)
        options = self.asks.options
        found: dict[str, Any] = {
            "rows": len(vote),
            "not_counted": int((~heard).sum()),
            "votes": {option: int((heard & (vote == k)).sum()) for k, option in enumerate(options)},
        }
        if len(options) == 2:
            return found | {"probabilities": self.asks.chances(vote, epsilon)}
        return found | {"scores": dict(zip(options, self.asks.scores(vote, epsilon), strict=True))}

    def to_arrow(self) -> pa.Table:
        """Return a table with a row for each question: what is asked, and the expected accuracy of the example."""
        import pyarrow as pa

        return pa.Table.from_pylist(
            [
                {
                    "question": fact["question"],
                    "asks": fact["asks"],
                    "mechanism": fact["mechanism"],
                    "cap": fact["cap"],
                    "share": fact["share"],
                    "example": fact["example"] and fact["example"]["expect"],
                    "expected": fact["example"] and fact["example"]["expected"],
                }
                for fact in self.facts()
            ]
        )

    def __repr__(self) -> str:
        lines = [f"poll {self.name!r} with secret levels; nothing here depends on the people"]
        lines += [f"  {fact['question']}: {fact['asks']}" for fact in self.facts()]
        if self.expectation is not None:
            expected = self.asks.expected(self.expectation.groups, self.prior)
            lines.append(
                f"    with {self.expectation.text}, as an example, it is expected to be right "
                f"{at_least(expected)} of the time"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(f"{self.name}, with secret levels", self.to_arrow())


def read_rows(
    people: People,
    votes: Sequence[str],
    epsilon: str | float,
    levels: Mapping[str, float],
    cells: Cells,
    options: Sequence[str] | None,
    names: Sequence[str],
) -> dict[str, Rows]:
    """Return the people per column of votes; what cannot be understood is no vote, or an epsilon of 0, in silence."""
    chosen = choices(names, options is None, cells)
    other = -1 if cells.other is None else chosen[cells.key(cells.other)]
    count = len(people.columns[votes[0]])
    if isinstance(epsilon, str):
        known, values = cells.lookup(levels, "the levels"), list(levels.values())
        texts, where = distinct(people.columns[epsilon])
        each = np.array([_epsilon(text, known, values, cells) for text in texts], np.float64)[where]
    else:
        each = np.full(count, valid_epsilon(epsilon))
    found = {}
    for column in votes:
        texts, where = distinct(people.columns[column])
        codes = [chosen.get(cells.key(text), -1 if cells.is_missing(text) else other) for text in texts]
        found[column] = Rows(np.array(codes, np.int64)[where], each)
    return found


def _epsilon(text: str, known: Mapping[str, int], values: Sequence[float], cells: Cells) -> float:
    """Return the epsilon that a cell states, or 0."""
    if cells.key(text) in known:
        return values[known[cells.key(text)]]
    try:
        return valid_epsilon(number(text.replace(",", ".")))
    except (ValueError, GraphError):
        return 0.0
