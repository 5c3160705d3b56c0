"""One question of a poll, with its secret counts: the public facts, and the distribution of the answer.

Everything in :meth:`PollQuestion.facts` follows from who takes part and with which epsilon, which is assumed to be
public. Only :meth:`PollQuestion.distribution` and :meth:`PollQuestion.revealed` use the votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from neodp.data.kinds import checked
from neodp.errors import GraphError, PrivacyError, near
from neodp.polls.asking import poll
from neodp.polls.cells import WORDS
from neodp.polls.choosing import guessed, weighted
from neodp.polls.comparison import ExpectedAccuracy, Preview, expected_accuracy, preview
from neodp.polls.mechanism import Group, Poll, Threshold, violations
from neodp.polls.prices import Prices, prices
from neodp.polls.prior import Prior
from neodp.polls.proposals import Measure
from neodp.polls.table import Tally

__all__ = ["MechanismName", "PollQuestion", "mechanism_name", "require_voters"]

MechanismName: TypeAlias = Literal["balanced", "weighted"]
"""The name of a mechanism: balanced is never worse than a coin at any table, weighted is best on average."""

SURE = (0.9, 0.95, 0.99, 0.999)
"""The accuracies for which the least margin is shown."""
CHECKED = 500
"""The greatest number of groups on whose edges privacy is checked before an answer is drawn."""


def mechanism_name(text: str) -> MechanismName:
    """Return the name of a mechanism, after checking it.

    Raises
    ------
    GraphError
        If there is no mechanism with that name.
    """
    for name in get_args(MechanismName):
        if text == name:
            found: MechanismName = name
            return found
    hint = (near(text, get_args(MechanismName)) if isinstance(text, str) else "") or "give balanced or weighted"
    raise GraphError(f"the mechanism is {text!r}", hint)


def require_voters(name: str, tally: Tally, part: str | None) -> None:
    """Refuse a question, or a part of it, that nobody with an epsilon above 0 answered.

    Raises
    ------
    GraphError
        If there is nobody; the message says why.
    """
    if tally.groups:
        return
    where = "is in the table" if part is None else f"is in the part {part!r}"
    nobody = "everybody has epsilon 0" if tally.silent else f"nobody {where}"
    nobody = "nobody voted" if tally.skipped else nobody
    called = f"{name!r}" if part is None else f"{name!r} of {part!r}"
    raise GraphError(f"{called} cannot be asked: {nobody}", "a poll needs a person with an epsilon above 0")


@lru_cache(maxsize=64)
def _compared(groups: tuple[Group, ...], query: str, options: tuple[str, ...], prior: Prior) -> Preview:
    """Return both mechanisms; the result is cached, so that questions to the same groups share it."""
    return preview(groups, query, options, prior)


@dataclass(frozen=True, eq=False)
class PollQuestion:
    """A question with its secret counts.

    Attributes
    ----------
    name : str
        The column of the votes.
    query : str
        The query: ``majority``, ``threshold:2/3`` or ``plurality``.
    balanced : Poll
        The balanced mechanism. It does not depend on the votes.
    tally : Tally
        The counted votes. Secret.
    mechanism : "balanced" or "weighted"
        The mechanism from which an answer is drawn.
    prior : Prior
        The assumptions about the votes; they determine the expected accuracy, and the weighted mechanism.
    part : str or None
        The part of the people that is asked, if not all.
    """

    name: str
    query: str
    balanced: Poll
    tally: Tally
    mechanism: MechanismName = "balanced"
    prior: Prior = Prior()  # noqa: RUF009
    part: str | None = None

    @classmethod
    def of(
        cls,
        name: str,
        tally: Tally,
        query: str,
        options: Sequence[str] | None = None,
        *,
        mechanism: MechanismName = "balanced",
        prior: str | Prior = "even",
        part: str | None = None,
    ) -> PollQuestion:
        """Return the question for counted votes; if no options are named, they are yes and no.

        Raises
        ------
        GraphError
            If nobody takes part, or the query or the options are invalid; the message says which, and what is allowed.
        """
        require_voters(name, tally, part)
        balanced = poll(tally.groups, query, options or tuple(WORDS))
        return cls(name, query, balanced, tally, mechanism, Prior.parse(prior), part)

    @property
    def label(self) -> str:
        """The name that distinguishes the question from others of the same survey."""
        return self.name if self.part is None else f"{self.name} [{self.part}]"

    @cached_property
    def both(self) -> Preview:
        """The accuracy of both mechanisms, without reading the votes."""
        return _compared(self.balanced.groups, self.query, self.balanced.options, self.prior)

    @property
    def poll(self) -> Poll:
        """The mechanism from which an answer is drawn. It does not depend on the votes."""
        return self.balanced if self.mechanism == "balanced" else self.both.weighted.poll

    @checked
    def measure(self, margin: int | None = None) -> Measure:
        """Return the accuracy as a function of the groups: guaranteed at a margin, or expected under the prior.

        Raises
        ------
        GraphError
            If no table has such a margin.
        """
        if margin is not None and not 1 <= margin <= self.balanced.largest_margin:
            raise GraphError(f"the margin is {margin}", f"give a number from 1 to {self.balanced.largest_margin:,}")

        def found(groups: Sequence[Group]) -> float:
            options = self.balanced.options
            asked = poll(groups, self.query, options)
            if self.mechanism == "weighted":
                asked = weighted(groups, self.query, options, self.prior)
            return asked.worst_at(margin) if margin is not None else expected_accuracy(asked, self.prior).value

        return found

    def guess(self, margin: int | None = None) -> Measure | None:
        """Return a quick approximation of the measure, from below; None if the measure itself is quick."""
        if margin is not None or self.mechanism != "weighted" or not isinstance(self.balanced, Threshold):
            return None

        def found(groups: Sequence[Group]) -> float:
            asked = poll(groups, self.query, self.balanced.options)
            assert isinstance(asked, Threshold)
            return guessed(asked, self.prior)

        return found

    def prices(self) -> Prices:
        """Return what each level's epsilon and people are worth in accuracy, without reading the votes."""
        return prices(self.balanced.groups, self.query, self.balanced.options, self.prior)

    def facts(self) -> dict[str, Any]:
        """Return everything that is known without reading the votes."""
        poll = self.poll
        return {
            "question": self.name,
            "part": self.part,
            "query": self.query,
            "asks": poll.question,
            "options": list(poll.options),
            "people": poll.people,
            "skipped": self.tally.skipped,
            "silent": self.tally.silent,
            "groups": [asdict(g) | {"factor": g.factor, "belief": g.belief} for g in poll.groups],
            "mechanism": self.mechanism,
            "prior": self.prior.text,
            "mechanisms": {"balanced": _known(self.both.balanced), "weighted": _known(self.both.weighted)},
            "differ": bool(self.both.differ),
            "worst": poll.worst,
            "by_margin": [asdict(row) for row in map(poll.at, self._margins())],
            "margin_for": {f"{sure:g}": poll.margin_for(sure) for sure in SURE},
        }

    def _margins(self) -> list[int]:
        """Return the margins 1, 2, 5, 10, … until the answer is almost certain."""
        margins = []
        for margin in (m * 10**e for e in range(12) for m in (1, 2, 5)):
            if margin > self.poll.largest_margin:
                break
            margins.append(margin)
            if self.poll.worst_at(margin) > 0.9999:
                break
        return margins

    def distribution(self) -> dict[str, float]:
        """Return the chance of each answer, after checking that it is private.

        Raises
        ------
        PrivacyError
            If an inequality is violated. This would be a bug in neodp.
        """
        poll, counts = self.poll, self.tally.counts
        groups = np.unique(np.linspace(0, len(poll.groups) - 1, CHECKED).astype(int)).tolist()
        broken = violations(poll, counts, groups=groups)
        if broken:
            raise PrivacyError(f"the mechanism is not private: {broken[0]}", "report this; nothing was answered")
        return dict(zip(poll.options, poll.distribution(counts), strict=True))

    def revealed(self) -> dict[str, Any]:
        """Return the true dataset with its probabilities, as ``eval`` shows it. This is not private."""
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


def _known(facts: ExpectedAccuracy) -> dict[str, Any]:
    """Return the figures of one mechanism as values that JSON can hold."""
    return {
        "expected": float(facts.expected),
        "method": facts.method,
        "worst": float(facts.worst),
        "against": [asdict(each) for each in facts.against],
    }
