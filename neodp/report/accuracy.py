"""The accuracy of an answer, in words and as a curve, before anything secret is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from neodp.asking.mechanism import BETA, AtLeast, Counting
from neodp.core.boundary import distance
from neodp.core.mechanism import Mechanism
from neodp.data.formatting import at_least, count
from neodp.polls.expected import balanced_accuracy, balanced_plurality
from neodp.polls.mechanism import Plurality, Poll, Threshold
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.figures import OutcomeAccuracy
from neodp.polls.outcomes.quantile import Quantile
from neodp.polls.outcomes.query import UNIT
from neodp.polls.outcomes.ranking import Ranking
from neodp.polls.prior import Prior
from neodp.polls.secret import SecretPoll
from neodp.polls.weighted import Weighted
from neodp.polls.weighted_plurality import WeightedPlurality
from neodp.report.asked import Reported, ReportedPart

__all__ = ["AWAY", "SURE", "AnswerAccuracy", "accuracy", "margin_text"]

SURE = 0.95
"""The accuracy of being right 19 times in 20."""
POINTS = 24
"""The number of margins in a picture or table of accuracy."""
CLOSE, DIVIDED = "a very close result", "where people who want more privacy vote against those who want less"
"""The least favourable cases of the balanced and the weighted poll."""
SECRET = "The data are secret, so nobody is told which case this was."
RIGHT, YES, AWAY = "right", "yes", "so close"
"""The things whose chance a curve shows."""
RIGHTNESS = "How often such an answer is right, by"
VOTES = f"{RIGHTNESS} how many people would have to vote otherwise to change the result:"
PEOPLE = f"{RIGHTNESS} how many people would have to answer otherwise to change the result:"
CHANGES = f"{RIGHTNESS} how many changes, each of one person's data, it takes to change the true answer:"
SUMS = f"{RIGHTNESS} how far apart the sums of the epsilons are:"
AHEAD = f"{RIGHTNESS} how far the best option is ahead, in epsilon:"
HEARD = f"{RIGHTNESS} the epsilon, in sum, of people who would have to answer otherwise to change the result:"
FOUND = "How often the answer is yes, by the epsilon of those who would have to leave:"
NEAR = "How often such an answer is at most so many people away from the true number:"
"""The meanings of a curve, in words."""
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
    what : str
        The thing whose chance the curve shows: ``"right"``, ``"yes"`` or ``"so close"``.
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
    heading: str = VOTES
    unit: str = "votes"
    what: str = RIGHT
    sure_from: float | None = None
    least: float | None = None
    expected: float | None = None
    prior: str = ""


def accuracy(part: ReportedPart, reported: Reported) -> AnswerAccuracy | None:
    """Return the accuracy of an answer; None if its mechanism is not known."""
    if part.poll is not None:
        return _of_poll(part.poll, reported.prior)
    if part.drawn is not None:
        counted = isinstance(part.drawn.query, Count)
        several = len(part.drawn.query.options) if reported.facts["query"] == "counts" else 1
        return _of_count(part.drawn, reported.prior, several) if counted else _of_outcomes(part.drawn, reported.prior)
    if part.mechanism is not None:
        return _of_graph(part.mechanism)
    if isinstance(part.own, SecretPoll):
        return _of_secret(part.own)
    if part.own is None or reported.missing:
        return None
    share = float(reported.facts["share"])
    return _found(part.own, share) if isinstance(part.own, AtLeast) else _counted(part.own, share)


def margin_text(margin: float) -> str:
    """Return a margin: a whole number with commas, or three digits, rounded up, since from there on something holds.

    Examples
    --------
    >>> margin_text(1200), margin_text(14.5178), margin_text(0.3), margin_text(0.0)
    ('1,200', '14.6', '0.3', '0')
    """
    if isinstance(margin, int) or margin <= 0.0:
        return f"{margin:,.0f}"
    step = 10.0 ** (2 - math.floor(math.log10(margin)))
    return f"{math.ceil(margin * step - 1e-6) / step:.3g}"


def _about(share: float) -> str:
    """Return an estimated chance in whole per cents."""
    return f"about {100.0 * share:.0f} %" if 0.01 <= share <= 0.99 else at_least(share)


def _known(
    least: float, expected: float, prior: str, sure: int | None, heading: str, hardest: str, curve: Curve
) -> AnswerAccuracy:
    """Return the accuracy of a mechanism that is known for all data there could be."""
    unit = "votes" if heading == VOTES else "changes"
    if not curve:
        said = ["Only one answer was possible, whatever the data are. It was given with certainty."]
        return AnswerAccuracy(tuple(said), (), heading, unit, RIGHT, sure, least, expected, prior)
    said = [f"Such an answer is right {at_least(expected)} of the time on average ({prior})."]
    if sure is None:
        said.append("However clear the result was, it is not certain to be right 19 times in 20.")
    else:
        one = unit.removesuffix("s") if sure == 1 else unit
        so_many = "so many people would have to vote otherwise" if heading == VOTES else "it takes so many changes"
        said.append(
            f"It is right at least 19 times in 20 if the margin was {sure:,} {one} or more: if {so_many} to change the "
            "true answer."
        )
    said.append(f"In the least favourable case, {hardest}, it is right {at_least(least)} of the time. {SECRET}")
    return AnswerAccuracy(tuple(said), curve, heading, unit, RIGHT, sure, least, expected, prior)


def _of_poll(poll: Poll, prior: Prior) -> AnswerAccuracy | None:
    if isinstance(poll, Weighted | WeightedPlurality):
        expected = poll.expected
    elif isinstance(poll, Threshold):
        expected = balanced_accuracy(poll, prior).value
    elif isinstance(poll, Plurality):
        expected = balanced_plurality(poll, prior).value
    else:
        return None
    said = _assumed(prior)
    sure = poll.margin_for(SURE)
    last = min(poll.largest_margin, max(10, 2 * (sure or poll.largest_margin)))
    margins = np.unique(np.linspace(1, last, POINTS).astype(int)).tolist() if last else []
    curve = tuple((row.margin, row.worst, row.even) for row in map(poll.at, margins))
    hardest = CLOSE if type(poll) in (Threshold, Plurality) else DIVIDED
    return _known(poll.worst, min(1.0, expected), said, sure, VOTES, hardest, curve)


def _assumed(prior: Prior) -> str:
    return "every choice equally likely" if prior.text == "even" else f"if votes are as the prior {prior.text} says"


def _of_outcomes(drawn: OutcomeAccuracy, prior: Prior) -> AnswerAccuracy:
    """Return the accuracy of a median, another quantile or a ranking: guarantees by margin, and a simulated average."""
    simulated = f"{_assumed(prior)}; simulated"
    said = [f"Such an answer is right {_about(drawn.expected)} of the time on average ({simulated})."]
    if not drawn.fair:
        return _heard(drawn, said[0], simulated)
    sure, least = drawn.margin_for(SURE), drawn.at(1)
    last = min(drawn.people, max(10, 2 * (sure or drawn.people)))
    curve = tuple((m, drawn.at(m), None) for m in _points(1, last, sure))
    if sure is None:
        said.append("However clear the result was, it is not certain to be right 19 times in 20.")
    else:
        many = count(sure, "person", "people")
        said.append(
            f"It is right at least 19 times in 20 if the margin was {many} or more: if so many would have to answer "
            "otherwise to change the true answer."
        )
        if isinstance(drawn.query, Quantile) and sure > 1:
            said.append(
                "Whatever the answers were, at least 19 times in 20 it would be the true answer if "
                f"{sure - 1:,} or fewer of the {drawn.people:,} people had answered otherwise."
            )
    said.append(f"In the least favourable case, {CLOSE}, it is right {at_least(least)} of the time. {SECRET}")
    return AnswerAccuracy(tuple(said), curve, PEOPLE, "people", RIGHT, sure, least, drawn.expected, simulated)


def _heard(drawn: OutcomeAccuracy, average: str, simulated: str) -> AnswerAccuracy:
    """Return the accuracy of a median, another quantile or a ranking where people count by their epsilon.

    An option that is behind the quantile by b becomes the quantile if people are taken one by one until their weights
    reach b: they add up to less than b and the greatest weight. So if no people of weight X in sum can change it, every
    other option is behind by more than X less that weight.
    """
    ranking = isinstance(drawn.query, Ranking)
    extra = 0 if ranking else max(drawn.how.units)
    sure = (drawn.ahead_for(SURE) + extra) * UNIT
    each = np.linspace(0.0, 2.0 * sure, POINTS).tolist()
    curve = tuple((gap, drawn.if_ahead(max(0.0, gap / UNIT - extra)), None) for gap in each)
    if ranking:
        how = ": a first place counts that much, and a place further down a part of it"
        clear = f"the best option was ahead of all others by {margin_text(sure)} of such epsilon or more"
    else:
        how = ", so that nobody counts more than that"
        clear = f"no people who count {margin_text(sure)} in sum could have changed the result by answering otherwise"
    sentences = (
        average,
        f"Everybody is heard by their epsilon, up to {drawn.cap:.3g}{how}.",
        f"In this sense, the answer is right at least 19 times in 20 if {clear}.",
        f"If everybody is to count alike: {DIVIDED}, it can be right as rarely as {_about(drawn.against)} of "
        f"the time. {SECRET}",
    )
    heading = AHEAD if ranking else HEARD
    return AnswerAccuracy(sentences, curve, heading, "epsilon, in sum", RIGHT, sure, None, drawn.expected, simulated)


def _of_count(drawn: OutcomeAccuracy, prior: Prior, several: int) -> AnswerAccuracy:
    """Return the accuracy of a count: how far it is from the true number, whatever the votes."""
    wide, n, fair = cast(Count, drawn.query).widest, drawn.people, drawn.fair
    simulated = f"{_assumed(prior)}; simulated"
    named = "names the true number" if wide == 1 else "names the range with the true number in it"
    said = [
        f"Such an answer {named} {_about(drawn.expected)} of the time on average ({simulated}), and is off by "
        f"about {drawn.error:,.1f} people on average."
    ]
    if not fair:
        alike = _closeness(drawn.off_by(SURE, alike=True), wide, n)
        said.append(f"Everybody is heard by their epsilon, up to {drawn.cap:.3g}, and the number is scaled up to all.")
        said.append(f"If people of every epsilon answered alike, {alike}.")
    certain = drawn.off_by(SURE)
    said.append(f"Whatever the answers were, {_closeness(certain, wide, n)}.")
    every = drawn.off_by(1.0 - (1.0 - SURE) / several)
    if several > 1 and every < n:
        said.append(
            f"This holds for each option by itself. For all {several} options at once: at least 19 times in 20, no "
            f"number named is more than {count(every, 'person', 'people')} away from the true one."
        )
    said.append(SECRET)
    last = min(n, max(10, 2 * certain))
    some = _points(0, last, certain)
    curve = tuple((m, drawn.sure_within(m), None if fair else drawn.sure_within(m, alike=True)) for m in some)
    sure = certain if certain < n else None
    return AnswerAccuracy(tuple(said), curve, NEAR, "people", AWAY, sure, None, drawn.expected, simulated)


def _points(first: int, last: int, sure: int | None) -> list[int]:
    """Return margins for a curve, among them the one from which an answer is right 19 times in 20."""
    return sorted({*np.linspace(first, last, POINTS).astype(int).tolist(), *([] if sure is None else [sure])})


def _closeness(off: int, wide: int, people: int) -> str:
    """Return how close 19 in 20 answers are to the true number, if any number in a range may be off by so much."""
    if off >= people:
        return f"nothing closer than from 0 to {people:,} is certain 19 times in 20"
    if wide == 1:
        return f"at least 19 in 20 such answers are at most {count(off, 'person', 'people')} away from the true number"
    near = off - (wide - 1)
    or_near = f" or are at most {count(near, 'person', 'people')} away from it" if near else ""
    return (
        f"at least 19 in 20 such ranges have the true number in them{or_near}; no number in them is more than {off:,} "
        "away from it"
    )


def _of_graph(mechanism: Mechanism) -> AnswerAccuracy:
    right, hops = mechanism.p_true, distance(mechanism.graph)
    steps = sorted(set(hops[hops >= 0].tolist()))
    curve = tuple((step + 1, float(right[hops == step].min()), None) for step in steps)
    bad = [step for step, least, _ in curve if least < SURE]
    sure = min((step for step, _, _ in curve if not bad or step > max(bad)), default=None)
    hardest = "a dataset where one change decides"
    mean = float(right.mean())
    return _known(float(right.min()), mean, "over all datasets alike", sure, CHANGES, hardest, curve)


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
    return AnswerAccuracy(sentences, curve, SUMS, "epsilon, in sum", RIGHT, sure, 1.0 / k)


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
    return AnswerAccuracy(sentences, curve, FOUND, "epsilon, in sum", YES, sure * scale, min(alpha, 1.0 - alpha))


def _counted(asked: Counting, share: float) -> AnswerAccuracy:
    slack = 2 * asked.shift * asked.unit / share
    high = "range" if asked.coarse else "number, up to the next possible answer"
    sentences = (
        f"At least {at_least(1.0 - BETA)} of such answers are not above the true {high}, and not below what is left if "
        f"people with an epsilon of {margin_text(slack)} in sum leave, those who matter most first.",
        "The data are secret, so nobody is told how near this answer is.",
    )
    return AnswerAccuracy(tuple(sentences))
