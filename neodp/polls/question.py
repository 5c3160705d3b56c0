"""One question of a poll, with its secret counts: what may be said beforehand, and what an answer is drawn from.

Everything in :meth:`Question.facts` follows from who takes part and with which epsilon, which is taken as public. Only
:meth:`Question.distribution` and :meth:`Question.revealed` look at the votes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from neodp import release
from neodp.errors import GraphError, PrivacyError
from neodp.polls.mechanism import Poll, poll, violations
from neodp.polls.table import WORDS, Tally
from neodp.release import DEFAULT, Level, levels_of

__all__ = ["Question"]

SHOWN = 64
"""How many groups are kept with an answer one by one."""

SURE = (0.9, 0.95, 0.99, 0.999)
"""The accuracies for which the least margin is shown."""
CHECKED = 500
"""Before an answer is drawn, its privacy is checked on the edges of people of so many groups."""


@dataclass(frozen=True)
class Question:
    """A question with its secret counts.

    Attributes
    ----------
    name : str
        The column of the votes.
    query : str
        What is asked: ``majority``, ``threshold:2/3`` or ``plurality``.
    poll : Poll
        The mechanism. It does not depend on the votes.
    tally : Tally
        The votes, counted. Secret.
    """

    name: str
    query: str
    poll: Poll
    tally: Tally

    @classmethod
    def of(cls, name: str, tally: Tally, query: str, options: Sequence[str] | None = None) -> Question:
        """The question for votes that are counted; the options are yes and no where none are named.

        Raises
        ------
        GraphError
            If nobody takes part, or the query or the options are invalid; the message says which, and what is allowed.
        """
        if not tally.groups:
            nobody = "everybody has epsilon 0" if tally.silent else "nobody is in the table"
            nobody = "nobody voted" if tally.skipped else nobody
            raise GraphError(f"{name!r} cannot be asked: {nobody}", "a poll needs a person with an epsilon above 0")
        return cls(name, query, poll(tally.groups, query, options or tuple(WORDS)), tally)

    def facts(self) -> dict[str, Any]:
        """What can be said without looking at the votes."""
        poll = self.poll
        return {
            "question": self.name,
            "query": self.query,
            "asks": poll.question,
            "options": list(poll.options),
            "people": poll.people,
            "skipped": self.tally.skipped,
            "silent": self.tally.silent,
            "groups": [asdict(g) | {"factor": g.factor, "belief": g.belief} for g in poll.groups],
            "worst": poll.worst,
            "by_margin": [asdict(row) for row in map(poll.at, self._margins())],
            "margin_for": {f"{sure:g}": poll.margin_for(sure) for sure in SURE},
        }

    def _margins(self) -> list[int]:
        """1, 2, 5, 10, … until the answer is all but certain."""
        margins = []
        for margin in (m * 10**e for e in range(12) for m in (1, 2, 5)):
            if margin > self.poll.largest_margin:
                break
            margins.append(margin)
            if self.poll.worst_at(margin) > 0.9999:
                break
        return margins

    def distribution(self) -> dict[str, float]:
        """The chance of each answer, to draw one from; whether it is private is checked before it is returned.

        Raises
        ------
        PrivacyError
            If an inequality is broken. This would be a fault of neodp.
        """
        poll, counts = self.poll, self.tally.counts
        groups = np.unique(np.linspace(0, len(poll.groups) - 1, CHECKED).astype(int)).tolist()
        broken = violations(poll, counts, groups=groups)
        if broken:
            raise PrivacyError(f"the mechanism is not private: {broken[0]}", "report this; nothing was answered")
        return dict(zip(poll.options, poll.distribution(counts), strict=True))

    def asked(self, subject: str, source: str, population: str = DEFAULT, command: str = "") -> release.Question:
        """What is kept with an answer: the question, without the votes.

        Parameters
        ----------
        subject : str
            What the poll is called.
        source : str
            Where the people come from: a file, or a query.
        population : str
            Whose data it is about (:mod:`neodp.release`).
        command : str
            The words that ask the question.
        """
        groups = [[group.level, group.epsilon, group.size] for group in self.poll.groups]
        facts = {
            "table": source,
            "column": self.name,
            "query": self.query,
            "options": list(self.poll.options),
            "groups": groups if len(groups) <= SHOWN else _digest(groups),
        }
        levels = tuple(Level(group.epsilon, 0.0, group.level, group.size) for group in self.poll.groups)
        if len(levels) > SHOWN:
            levels = levels_of((level.epsilon for level in levels), (0.0 for _ in levels))
        return release.Question(f"{subject} {self.name}", facts, levels, population, command)

    def revealed(self) -> dict[str, Any]:
        """The true dataset with its probabilities, as ``eval`` shows one. This is not private."""
        counts, poll = self.tally.counts, self.poll
        row, truth = poll.distribution(counts), poll.truth(counts)
        shown = counts[:, :1] if len(poll.options) == 2 else counts  # as generate.counts has it, or every option
        return {
            "key": "-".join(".".join(map(str, row)) for row in shown.tolist()),
            "color": poll.options[truth],
            "probabilities": dict(zip(poll.options, row, strict=True)),
            "p_true": row[truth],
            "margin": poll.margin(counts),
        }


def _digest(groups: list[list[Any]]) -> str:
    """So many groups that they are kept as a digest."""
    digest = hashlib.sha256(json.dumps(groups, ensure_ascii=False).encode()).hexdigest()
    return f"{len(groups)} groups, {digest[:16]}"
