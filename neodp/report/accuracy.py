"""The accuracy of an answer, in words and as a curve, before anything secret is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from neodp.asking.mechanism import BETA, AtLeast, Counting
from neodp.core.boundary import distance
from neodp.core.mechanism import Mechanism
from neodp.polls.expected import balanced_accuracy, balanced_plurality
from neodp.polls.mechanism import Plurality, Poll, Threshold
from neodp.polls.prior import Prior
from neodp.polls.secret import SecretPoll
from neodp.polls.weighted import Weighted
from neodp.polls.weighted_plurality import WeightedPlurality
from neodp.report.asked import Reported, ReportedPart
from neodp.report.words import at_least

__all__ = ["RIGHTNESS", "SURE", "AnswerAccuracy", "accuracy", "margin_text"]

SURE = 0.95
"""The accuracy of being right 19 times in 20."""
POINTS = 24
"""The number of margins in a picture or table of accuracy."""
CLOSE, DIVIDED = "a very close result", "where people who want more privacy vote against those who want less"
"""The least favourable cases of the balanced and the weighted poll."""
SECRET = "The data are secret, so nobody is told which case this was."
RIGHTNESS = "How often such an answer is right, by the margin of the result:"
FOUND = "How often the answer is yes, by the epsilon of those who would have to leave:"
Curve: TypeAlias = tuple[tuple[float, float, float | None], ...]


@dataclass(frozen=True)
class AnswerAccuracy:
    """The chance of the true answer, before anything secret is read.

    Attributes
    ----------
    sentences : tuple of str
        The accuracy in words.
    curve : tuple of (margin, least, even)
        The least chance by margin, and the chance if votes are spread evenly over the groups, if it is known.
    heading, unit : str
        The meaning of the curve, and what its margin counts, in words.
    sure_from : number or None
        The least margin from which the answer is right 19 times in 20; None if there is none.
    least : float or None
        The least chance for all data there could be, if it is known.
    expected : float or None
        The chance on average, if it is known: over the prior of a poll, or over the datasets of a graph.
    prior : str
        What is averaged over, in words.
    """

    sentences: tuple[str, ...]
    curve: Curve = ()
    heading: str = RIGHTNESS
    unit: str = "votes"
    sure_from: float | None = None
    least: float | None = None
    expected: float | None = None
    prior: str = ""


def accuracy(part: ReportedPart, reported: Reported) -> AnswerAccuracy | None:
    """Return the accuracy of an answer; None if its mechanism is not known."""
    if part.poll is not None:
        return _of_poll(part.poll, reported.prior)
    if part.mechanism is not None:
        return _of_graph(part.mechanism)
    if isinstance(part.own, SecretPoll):
        return _of_secret(part.own)
    if part.own is None or reported.missing:
        return None
    share = float(reported.facts["share"])
    return _found(part.own, share) if isinstance(part.own, AtLeast) else _counted(part.own, share)


def margin_text(margin: float) -> str:
    """Return a margin: a whole number with commas, or three digits.

    Examples
    --------
    >>> margin_text(1200), margin_text(14.5678)
    ('1,200', '14.6')
    """
    return f"{margin:,}" if isinstance(margin, int) else f"{margin:.3g}"


def _known(
    least: float, expected: float, prior: str, sure: int | None, unit: str, hardest: str, curve: Curve
) -> AnswerAccuracy:
    """Return the accuracy of a mechanism that is known for all data there could be."""
    if not curve:
        said = ["Only one answer was possible, whatever the data are. It was given with certainty."]
        return AnswerAccuracy(tuple(said), (), RIGHTNESS, unit, sure, least, expected, prior)
    said = [f"Such an answer is right {at_least(expected)} of the time on average ({prior})."]
    if sure is None:
        said.append("However clear the result was, it is not certain to be right 19 times in 20.")
    else:
        one = unit.removesuffix("s") if sure == 1 else unit
        said.append(f"It is right at least 19 times in 20 if the margin was {sure:,} {one} or more.")
    said.append(f"In the least favourable case, {hardest}, it is right {at_least(least)} of the time. {SECRET}")
    return AnswerAccuracy(tuple(said), curve, RIGHTNESS, unit, sure, least, expected, prior)


def _of_poll(poll: Poll, prior: Prior) -> AnswerAccuracy | None:
    if isinstance(poll, Weighted | WeightedPlurality):
        expected = poll.expected
    elif isinstance(poll, Threshold):
        expected = balanced_accuracy(poll, prior).value
    elif isinstance(poll, Plurality):
        expected = balanced_plurality(poll, prior).value
    else:
        return None
    said = "every choice equally likely" if prior.text == "even" else f"if votes are as the prior {prior.text} says"
    sure = poll.margin_for(SURE)
    last = min(poll.largest_margin, max(10, 2 * (sure or poll.largest_margin)))
    margins = np.unique(np.linspace(1, last, POINTS).astype(int)).tolist() if last else []
    curve = tuple((row.margin, row.worst, row.even) for row in map(poll.at, margins))
    hardest = CLOSE if type(poll) in (Threshold, Plurality) else DIVIDED
    return _known(poll.worst, min(1.0, expected), said, sure, "votes", hardest, curve)


def _of_graph(mechanism: Mechanism) -> AnswerAccuracy:
    right, hops = mechanism.p_true, distance(mechanism.graph)
    steps = sorted(set(hops[hops >= 0].tolist()))
    curve = tuple((step + 1, float(right[hops == step].min()), None) for step in steps)
    bad = [step for step, least, _ in curve if least < SURE]
    sure = min((step for step, _, _ in curve if not bad or step > max(bad)), default=None)
    hardest = "a dataset where one change decides"
    mean = float(right.mean())
    return _known(float(right.min()), mean, "over all datasets alike", sure, "changes", hardest, curve)


def _of_secret(poll: SecretPoll) -> AnswerAccuracy:
    """Return the accuracy of a poll that hears people by their level, by the gap between the sums of levels."""
    k, share = len(poll.options), float(poll.share)

    def right(gap: float) -> float:
        """Return the least chance of the true answer, where levels of the best option are ahead by a gap."""
        if k == 2:  # the score is the smaller side's part of the gap
            return 1.0 - math.exp(-share * float(min(poll.theta, 1 - poll.theta)) * gap) / 2.0
        q = math.exp(-share * gap / 2.0)
        return -math.expm1(k * math.log1p(-q)) / (k * q) if q < 1.0 else 1.0 / k

    sure, step = 0.0, 0.1
    while right(sure) < SURE:
        sure = round(sure + step, 1)
    curve = tuple((gap, right(gap), None) for gap in np.linspace(0.0, 2.0 * sure, POINTS).tolist())
    sentences = (
        "Everybody is heard by their epsilon: what counts is the sum of the epsilons on each side, each at most "
        f"{poll.cap:g}.",
        f"It is right, in this sense, at least 19 times in 20 if the sums were {sure:g} apart or more.",
        f"In the least favourable case, equal sums, it is as good as drawn by lot among {k}. {SECRET}",
    )
    return AnswerAccuracy(sentences, curve, RIGHTNESS, "epsilon, in sum", sure, 1.0 / k)


def _found(asked: AtLeast, share: float) -> AnswerAccuracy:
    scale, t, alpha = asked.unit / share, asked.threshold, asked.false_alarm
    sure = asked.needed(SURE)
    curve = tuple((k * scale, asked.chances(k)["yes"], None) for k in np.linspace(0, 2 * sure, POINTS).astype(int))
    sentences = (
        f"If there are fewer than {t:,}, such an answer is no, and right, {at_least(1.0 - alpha)} of the time.",
        f"If there are at least {t:,}, it is yes, and right, at least 19 times in 20 if people with an epsilon of "
        f"{margin_text(sure * scale)} in sum would have to leave before there are fewer.",
        f"In the least favourable case, where one person with little epsilon decides, a yes is found hardly more often "
        f"than {at_least(alpha)} of the time. {SECRET}",
    )
    return AnswerAccuracy(sentences, curve, FOUND, "epsilon, in sum", sure * scale, min(alpha, 1.0 - alpha))


def _counted(asked: Counting, share: float) -> AnswerAccuracy:
    slack = 2 * asked.shift * asked.unit / share
    high = "range" if asked.coarse else "number, up to the next possible answer"
    sentences = (
        f"At least {at_least(1.0 - BETA)} of such answers are not above the true {high}, and not below what is left if "
        f"people with an epsilon of {margin_text(slack)} in sum leave, those who matter most first.",
        SECRET,
    )
    return AnswerAccuracy(tuple(sentences))
