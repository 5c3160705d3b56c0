"""One question with several outcomes, with its secret table: the public facts, and the drawn answer.

Everything in :meth:`OutcomeQuestion.facts` follows from who takes part and with which epsilon, which is assumed to be
public. Only :meth:`OutcomeQuestion.answer` and :meth:`OutcomeQuestion.revealed` use the votes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, cast

import numpy as np

from neodp.errors import GraphError, PrivacyError
from neodp.hints import Hint, Option
from neodp.polls.cells import WORDS
from neodp.polls.levels import WhatIf, raised_levels
from neodp.polls.mechanism import Group, Margin
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.figures import OutcomeAccuracy, OutcomePreview, heard_accuracy, outcome_preview
from neodp.polls.outcomes.parsing import outcome_queries
from neodp.polls.outcomes.query import UNIT, How, Ints, OutcomeQuery
from neodp.polls.outcomes.ranking import Ballot, Ranking
from neodp.polls.prior import Prior
from neodp.polls.proposals import Measure
from neodp.polls.question import MechanismName, require_voters
from neodp.polls.table import Tally

__all__ = ["OutcomeQuestion", "moves_too_far"]

SURE = (0.9, 0.95, 0.99)
"""The accuracies for which the least margin is shown."""
SHOWN = 64
"""The greatest number of outcomes that are listed."""
EVERY = 1_000
"""The greatest number of neighbours with which privacy is checked at all of them before a draw."""
CHECKED = 12
"""The number of neighbours otherwise, and for ranked ballots, where the number of columns is secret."""


@dataclass(frozen=True, eq=False)
class OutcomeQuestion:
    """A question with several outcomes, and its secret table.

    Attributes
    ----------
    name : str
        The column of the votes; of ranked ballots, all of them.
    columns : tuple of str
        The columns of the votes.
    query : str
        The query as it was given.
    asks : mapping
        The question; several of them by option, if every option is counted.
    tally : Tally
        The counted votes. Secret.
    mechanism : "balanced" or "weighted"
    prior : Prior
    part : str or None
        The part of the people that is asked, if not all.
    ranges : str or None
        The ranges of counts, if they were given.
    """

    name: str
    columns: tuple[str, ...]
    query: str
    asks: Mapping[str | None, OutcomeQuery]
    tally: Tally
    mechanism: MechanismName = "balanced"
    prior: Prior = Prior()  # noqa: RUF009
    part: str | None = None
    ranges: str | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        tally: Tally,
        query: str,
        options: Sequence[str] | None = None,
        *,
        ballots: Sequence[Ballot] = (),
        ranges: str | None = None,
        mechanism: MechanismName = "balanced",
        prior: Prior,
        part: str | None = None,
    ) -> OutcomeQuestion:
        """Return the question for counted votes, or counted ballots; if no options are named, they are yes and no.

        Raises
        ------
        GraphError
            If nobody takes part, or the query, the options or the ranges are invalid.
        """
        name = " ".join(column.strip() for column in columns)
        require_voters(name, tally, part)
        people = sum(group.size for group in tally.groups)
        asks = outcome_queries(query, tuple(options or WORDS), people, ranges=ranges, ballots=ballots)
        return cls(name, tuple(columns), query, asks, tally, mechanism, prior, part, ranges)

    @property
    def label(self) -> str:
        """The name that distinguishes the question from others of the same survey."""
        return self.name if self.part is None else f"{self.name} [{self.part}]"

    @property
    def groups(self) -> tuple[Group, ...]:
        """The people, by ascending epsilon."""
        return self.tally.groups

    @property
    def people(self) -> int:
        """The number of people."""
        return sum(group.size for group in self.groups)

    @property
    def first(self) -> OutcomeQuery:
        """The question, or the first of several."""
        return next(iter(self.asks.values()))

    @property
    def question(self) -> str:
        """The question in words."""
        if len(self.asks) == 1:
            return self.first.question(self.people)
        return f"how many of {self.people:,} people choose each of {len(self.asks)} options?"

    @cached_property
    def both(self) -> OutcomePreview:
        """Both mechanisms, without reading the votes; of several counts those of the first option."""
        return outcome_preview(self.first, self.groups, self.prior, share=min(2, len(self.asks)))

    @property
    def chosen(self) -> OutcomeAccuracy:
        """The mechanism from which an answer is drawn."""
        return self.both.balanced if self.mechanism == "balanced" else self.both.weighted

    def measure(self, margin: int | None = None) -> Measure:
        """Return the accuracy as a function of the groups: guaranteed at a margin, or expected under the prior.

        For a count it is the chance to be off by at most `margin` people, whatever the votes; a range is off by as much
        as any number in it.

        Raises
        ------
        GraphError
            If the margin is missing for a count, or is impossible.
        """
        counted = isinstance(self.first, Count)
        if counted and margin is None:
            raise GraphError("how far may the count be off?", Hint("give ", Option("margin", 5), ", in people"))
        if margin is not None and not 1 <= margin <= self.people:
            raise GraphError(f"the margin is {margin}", f"give a number from 1 to {self.people:,}")
        if counted and margin is not None and margin < (wide := cast(Count, self.first).widest - 1):
            raise GraphError(
                f"a range has up to {wide + 1:,} numbers, and may be off by {wide:,} people",
                Hint(f"give a margin of at least {wide:,}, or narrower ranges, as in ", Option("ranges", 1)),
            )

        def found(groups: Sequence[Group]) -> float:
            people = sum(group.size for group in groups)
            asked = outcome_queries(self.query, self.first.options, people, ranges=self.ranges)
            ordered = sorted(groups, key=lambda group: group.epsilon)
            if max(group.epsilon for group in groups) < UNIT * min(2, len(asked)):
                return 0.0
            heard = self.mechanism == "weighted" and margin is None
            share, first = min(2, len(asked)), next(iter(asked.values()))
            both = outcome_preview(first, ordered, self.prior, share=share, expected=margin is None, heard=heard)
            one = both.weighted if heard else both.balanced
            if margin is None:
                return one.expected
            return one.sure_within(margin) if counted else one.at(margin)

        return found

    def guess(self, margin: int | None = None) -> Measure | None:
        """Return an approximation of :meth:`measure` that takes less time; None if that takes little."""
        if margin is not None or not isinstance(self.first, Ranking):
            return None
        return lambda groups: heard_accuracy(self.first, sorted(groups, key=lambda each: each.epsilon), self.prior)

    def what_if(self, raised: float, margin: int | None = None) -> list[WhatIf]:
        """Return, for each level, the guaranteed accuracy of balanced at a margin if its epsilon were higher.

        For a count, it is the chance to be off by at most so many people. Without a margin, it is one in a hundred
        people, and at least the width of a range.
        """
        at = margin or max(1, self.people // 100, self.first.widest - 1 if isinstance(self.first, Count) else 0)
        right = self.measure(at)
        return [
            WhatIf(group, epsilon, *(Margin(at, worst=right(groups)) for groups in both))
            for group, epsilon, both in raised_levels(self.groups, raised)
        ]

    def facts(self) -> dict[str, Any]:
        """Return everything that is known without reading the votes."""
        outcomes = self.first.outcomes
        counted = isinstance(self.first, Count)
        found = self.chosen
        return {
            "question": self.name,
            "part": self.part,
            "query": self.query,
            "asks": self.question,
            "options": list(self.first.options),
            "outcomes": list(outcomes) if len(outcomes) <= SHOWN else len(outcomes),
            "people": self.people,
            "skipped": self.tally.skipped,
            "silent": self.tally.silent,
            "groups": [asdict(g) | {"factor": g.factor, "belief": g.belief} for g in self.groups],
            "mechanism": self.mechanism,
            "prior": self.prior.text,
            "mechanisms": {"balanced": _known(self.both.balanced), "weighted": _known(self.both.weighted)},
            "differ": self.both.differ,
            "error_in": "people" if counted else "options" if self.query[0] in "mq" else None,
            "by_margin": [] if counted or not found.fair else self._by_margin(found),
            "margin_for": {} if counted else {f"{sure:g}": found.margin_for(sure) for sure in SURE if found.fair},
        }

    def _by_margin(self, found: OutcomeAccuracy) -> list[dict[str, Any]]:
        """Return the chance of the true outcome for the margins 1, 2, 5, … until it is almost certain."""
        rows: list[dict[str, Any]] = []
        for margin in (m * 10**e for e in range(12) for m in (1, 2, 5)):
            if margin > self.people or (rows and rows[-1]["worst"] > 0.999):
                break
            rows.append({"margin": margin, "worst": found.at(margin)})
        return rows

    def answer(self) -> str:
        """Draw the answer, exactly, after checking that no person moves an outcome too far; not private if repeated.

        If every option is counted, it is a JSON object of them.

        Raises
        ------
        PrivacyError
            If somebody could move an outcome by more than their epsilon. This would be a bug in neodp.
        """
        how, counts = self.chosen.how, self.tally.counts
        for asked in self.asks.values():
            if moves_too_far(asked, counts, how):
                raise PrivacyError("one person moves an outcome by more than their epsilon", "report this; no answer")
        drawn = {option: asked.outcomes[asked.draw(counts, how)] for option, asked in self.asks.items()}
        return drawn[None] if None in drawn else json.dumps(drawn, ensure_ascii=False)

    def revealed(self) -> dict[str, Any]:
        """Return the true outcome with all chances. This is not private."""
        counts, how = self.tally.counts, self.chosen.how
        found: dict[str, Any] = {}
        for option, asked in self.asks.items():
            row, truth = asked.chances(counts, how), asked.truth(counts)
            likely = np.argsort(-row, kind="stable")[:SHOWN].tolist()
            each = {
                "color": asked.outcomes[truth],
                "probabilities": {asked.outcomes[i]: float(row[i]) for i in sorted(likely)},
                "p_true": float(row[truth]),
            }
            if isinstance(asked, Count):
                each["number"] = int(counts[:, asked.option].sum())
            found[str(option)] = each
        return {"options": found} if len(self.asks) > 1 else dict(found["None"])


def moves_too_far(asked: OutcomeQuery, counts: Ints, how: How) -> bool:
    """Return whether an outcome is moved too far between a table and its neighbours, in whole numbers.

    All neighbours are tried if there are at most EVERY of them, and the columns of the table are public; otherwise
    CHECKED of them, spread over the groups. The work is the same whatever the votes are. This is a check of the
    program: that no neighbour is moved too far is proven in the modules of the questions.
    """
    groups, columns = counts.shape
    every = not isinstance(asked, Ranking) and groups * columns * (columns - 1) <= EVERY
    if every:
        steps = [(g, a, b) for g in range(groups) for a, b in permutations(range(columns), 2)]
    else:
        some = np.linspace(0, groups - 1, CHECKED).astype(int).tolist()
        starts = [(i, g, int(np.argmax(counts[g]))) for i, g in enumerate(some)]
        steps = [(g, a, (a + 1 + i % max(columns - 1, 1)) % columns) for i, g, a in starts]
    wrong = False
    for g, a, b in steps:
        changed, some_chose = counts.copy(), int(counts[g, a] > 0)  # nobody there: the table itself, the same work
        changed[g, a] -= some_chose
        changed[g, b] += some_chose
        wrong |= asked.change(counts, changed, how) > how.units[g]
    return wrong


def _known(facts: OutcomeAccuracy) -> dict[str, Any]:
    """Return the figures of one mechanism as values that JSON can hold."""
    return {
        "expected": facts.expected,
        "error": facts.error,
        "within_95": facts.within,
        "certain_95": facts.certain,
        "method": "sampled",
        "drawn": facts.how.kind,
        "cap": facts.cap,
        "all_count_alike": facts.fair,
        "against": facts.against,
        "against_error": facts.against_error,
    }
