"""The sentences of a report, for readers who know nothing of differential privacy.

Shares are whole per cents, rounded so that nothing is promised that does not hold: how often an answer is right is
rounded down, and how sure somebody can become is rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neodp.core.boundary import distance
from neodp.core.mechanism import Mechanism
from neodp.data.formatting import count, listed
from neodp.ledger.account import Ledger, epsilon_rounded_up
from neodp.ledger.question import Level
from neodp.polls.expected import balanced_accuracy, balanced_plurality
from neodp.polls.mechanism import Plurality, Poll, Threshold
from neodp.polls.prior import Prior
from neodp.polls.weighted import Weighted
from neodp.polls.weighted_plurality import WeightedPlurality
from neodp.report.asked import Reported, ReportedPart

__all__ = ["AnswerAccuracy", "accuracy", "at_least", "at_most", "method", "promise", "question", "spending"]

SURE = 0.95
"""The accuracy of being right 19 times in 20."""
POINTS = 24
"""The number of margins in a picture or table of accuracy."""
CLOSE, DIVIDED = "a very close result", "where people who want more privacy vote against those who want less"
"""The least favourable cases of the balanced and the weighted poll."""
LITTLE = 0.99
"""The certainty about a person from which a report says that there is little privacy."""


@dataclass(frozen=True)
class AnswerAccuracy:
    """The chance of the true answer, before anything secret is read.

    Attributes
    ----------
    least : float
        The least chance for all data there could be.
    expected : float
        The chance on average: over the prior of a poll, or over the datasets of a graph.
    prior : str
        What is averaged over, in words.
    sure_from : int or None
        The least margin from which the answer is right 19 times in 20; None if there is none.
    unit : str
        What the margin counts, in words.
    hardest : str
        The least favourable case, in words.
    curve : tuple of (margin, least, even)
        The least chance by margin, and the chance if votes are spread evenly over the groups, if it is known.
    """

    least: float
    expected: float
    prior: str
    sure_from: int | None
    unit: str
    hardest: str
    curve: tuple[tuple[int, float, float | None], ...]

    @property
    def sentences(self) -> list[str]:
        """The accuracy in words."""
        if not self.curve:
            return ["Only one answer was possible, whatever the data are. It was given with certainty."]
        found = [f"Such an answer is right {at_least(self.expected)} of the time on average ({self.prior})."]
        if self.sure_from is None:
            found.append("However clear the result was, it is not certain to be right 19 times in 20.")
        else:
            found.append(
                f"It is right at least 19 times in 20 if the margin was {self.sure_from:,} {self.unit} or more."
            )
        found.append(
            f"In the least favourable case, {self.hardest}, it is right {at_least(self.least)} of the time. The data "
            "are secret, so nobody is told which case this was."
        )
        return found


def at_least(share: float) -> str:
    """Return a share in whole per cents, rounded down.

    Examples
    --------
    >>> at_least(0.8299), at_least(1 - 1e-12), at_least(0.0001)
    ('82 %', 'more than 99 %', 'less than 1 %')
    """
    if share < 0.01:
        return "less than 1 %"
    whole = math.floor(100.0 * share + 1e-9)
    return "more than 99 %" if whole >= 99 and share < 1.0 else f"{whole} %"


def at_most(share: float) -> str:
    """Return a share in whole per cents, rounded up.

    Examples
    --------
    >>> at_most(0.5744), at_most(0.5)
    ('58 %', '50 %')
    """
    return f"{math.ceil(100.0 * share - 1e-9)} %"


def question(part: ReportedPart, reported: Reported) -> str:
    """Return the question in neodp's own words."""
    asked = part.poll.question if part.poll is not None else f"what is the answer of {reported.release.graph!r}?"
    return asked[0].upper() + asked[1:]


def accuracy(part: ReportedPart, prior: Prior) -> AnswerAccuracy | None:
    """Return the accuracy of an answer; None if its mechanism is not known."""
    if part.poll is not None:
        return _of_poll(part.poll, prior)
    return None if part.mechanism is None else _of_graph(part.mechanism)


def _of_poll(poll: Poll, prior: Prior) -> AnswerAccuracy:
    if isinstance(poll, Weighted | WeightedPlurality):
        expected = poll.expected
    elif isinstance(poll, Threshold):
        expected = balanced_accuracy(poll, prior).value
    else:
        assert isinstance(poll, Plurality)
        expected = balanced_plurality(poll, prior).value
    said = "every choice equally likely" if prior.text == "even" else f"if votes are as the prior {prior.text} says"
    sure = poll.margin_for(SURE)
    last = min(poll.largest_margin, max(10, 2 * (sure or poll.largest_margin)))
    margins = np.unique(np.linspace(1, last, POINTS).astype(int)).tolist() if last else []
    curve = tuple((row.margin, row.worst, row.even) for row in map(poll.at, margins))
    hardest = CLOSE if type(poll) in (Threshold, Plurality) else DIVIDED
    return AnswerAccuracy(poll.worst, min(1.0, expected), said, sure, "votes", hardest, curve)


def _of_graph(mechanism: Mechanism) -> AnswerAccuracy:
    right, hops = mechanism.p_true, distance(mechanism.graph)
    steps = sorted(set(hops[hops >= 0].tolist()))
    curve = tuple((step + 1, float(right[hops == step].min()), None) for step in steps)
    bad = [step for step, least, _ in curve if least < SURE]
    later = [step for step, _, _ in curve if not bad or step > max(bad)]
    return AnswerAccuracy(
        float(right.min()),
        float(right.mean()),
        "over all datasets alike",
        min(later, default=None),
        "changes",
        "a dataset where one change decides",
        curve,
    )


def promise(level: Level, of_people: bool) -> str:
    """Return what the people of a level are promised, in one sentence.

    Examples
    --------
    >>> promise(Level(0.3, name="high", people=12), True)
    "The 12 people of level 'high' (epsilon 0.3): someone who guessed 50:50 how one of them voted can become at most \
58 % sure by the answer."
    """
    belief = 1.0 / (1.0 + math.exp(-level.epsilon)) if level.epsilon < 700.0 else 1.0
    if level.people is None:
        who = f"Everybody with epsilon {epsilon_rounded_up(level.epsilon)}"
    else:
        named = f"of level {level.name!r} (epsilon {epsilon_rounded_up(level.epsilon)})"
        named = named if level.name is not None else f"with epsilon {epsilon_rounded_up(level.epsilon)}"
        who = f"The {count(level.people, 'person', 'people')} {named}"
    guess = "how one of them voted" if of_people else "between two values of a person's data"
    little = " That is little privacy." if belief >= LITTLE else ""
    sure = f"at most {at_most(belief)} sure by the answer" + (
        f", except with chance {level.delta:g}" * bool(level.delta)
    )
    return f"{who}: someone who guessed 50:50 {guess} can become {sure}.{little}"


def spending(ledger: Ledger) -> list[str]:
    """Return what the answers about a population have cost so far, and what is left."""
    limit = ledger.limit
    left = "" if ledger.left is None else f", and {ledger.left or 'no'} more may be given"
    has = "has" if ledger.used == 1 else "have"
    found = [
        f"{count(ledger.used, 'answer')} about the population {ledger.population!r} {has} been given so far{left}."
    ]
    each = []
    for spent in ledger.spent():
        total = spent.total(limit.delta)
        at = f" at delta {total.delta:g}" if total.delta else ""
        rest = ""
        if limit.epsilon is not None:
            rest = f" of {epsilon_rounded_up(limit.epsilon)}"
        each.append(f"{epsilon_rounded_up(total.epsilon)}{rest}{at} ({spent.label})")
    if each:
        found.append(f"Together they have cost epsilon {listed(each)}.")
    return found


METHOD = (
    "The answer was drawn once, with integer arithmetic and the randomness of the operating system, by neodp "
    "{version}. {mechanism} It is differentially private with each person's own {epsilons}: if the data of a person "
    "with epsilon e change, the probability of every answer changes by a factor of at most exp(e){delta}. {proof}"
)
"""The paragraph on the method, for a paper."""
PROVEN = "The probabilities are exact, and anybody can recompute from the certificate that the mechanism is private."
PAPER = "(Torkamani et al., Optimal Binary Differential Privacy via Graphs, arXiv:2310.20486)"
MECHANISMS = {
    "balanced": f"The mechanism is the optimal one for a balanced boundary {PAPER}; whatever the votes are, the true "
    "answer is at least as likely as any other.",
    "plurality": "The mechanism is the balanced plurality of neodp; whatever the votes are, the true answer is at "
    "least as likely as any other.",
    "weighted": "The mechanism weighs votes by epsilon, and maximises the expected accuracy under a public prior.",
    "graph": f"The mechanism is the optimal extension of its values on the boundary to all datasets {PAPER}.",
}
"""A sentence on each kind of mechanism."""


def method(mechanism: str, levels: Sequence[Level], version: str, *, proven: bool) -> str:
    """Return a paragraph on the method that can be used in a paper."""
    epsilons = sorted({level.epsilon for level in levels})
    shown = listed([epsilon_rounded_up(e) for e in epsilons])
    if len(epsilons) > 6:
        shown = f"from {epsilon_rounded_up(epsilons[0])} to {epsilon_rounded_up(epsilons[-1])}"
    delta = max((level.delta for level in levels), default=0.0)
    return (
        METHOD.format(
            version=version,
            mechanism=MECHANISMS.get(mechanism, ""),
            epsilons=f"epsilon ({shown})",
            delta=f", plus a delta of at most {delta:g}" if delta else "",
            proof=PROVEN if proven else "",
        )
        .replace("  ", " ")
        .rstrip()
    )
