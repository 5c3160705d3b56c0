"""The distribution of scores: the joint chances of a weighted score and the true answer under a prior.

:mod:`neodp.polls.weighted` defines the score. The distribution is a sum over all tables, or for many people a normal
distribution with the same means and covariances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Floats
from neodp.polls.mechanism import Poll, Threshold
from neodp.polls.prior import Prior, binomial

__all__ = ["ScoreLaw", "score_law"]

WORK = 4 * 10**7
"""The greatest number of additions with which the joint distribution of score and truth is computed exactly."""
POINTS = 1_000
"""The number of scores at which the normal distribution is evaluated, for ranking many weights."""
Ints = NDArray[np.int64]


class ScoreLaw(NamedTuple):
    """Weights, and the joint distribution of the score and the true answer.

    Attributes
    ----------
    weights : tuple of int
        The weight of each group.
    low : int
        The first score.
    yes, no : arrays of float
        From the first score on, the chance of the score together with the first, or the second, option as true answer.
    approximate : bool
        True if these chances come from a normal distribution, instead of exact sums.
    step : int
        The distance between the scores considered; more than 1 only for ranking weights.
    """

    weights: tuple[int, ...]
    low: int
    yes: Floats
    no: Floats
    approximate: bool
    step: int = 1

    @property
    def scores(self) -> Ints:
        """The scores considered, ascending."""
        return self.low + self.step * np.arange(len(self.yes))


def score_law(poll: Threshold, weights: Sequence[int], prior: Prior, work: int = WORK) -> ScoreLaw:
    """Return the joint distribution of score and truth under a prior, exact if it takes at most `work` additions.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> found = score_law(poll([Group(0.5, 1), Group(1.0, 2)]), (1, 2), Prior())
    >>> found.yes.round(6).tolist()
    [0.0, 0.0, 0.0, 0.25, 0.125, 0.125]
    """
    parts: dict[tuple[int, float], int] = {}
    for weight, share, group in zip(weights, prior.shares(poll.groups).tolist(), poll.groups, strict=True):
        parts[weight, share] = parts.get((weight, share), 0) + group.size
    if _additions(parts) <= work:
        joint = _summed(parts) if prior.beta is None else _given_totals(parts) * prior.totals(poll.people)
        return ScoreLaw(
            tuple(weights), 0, joint[:, poll.needed :].sum(axis=1), joint[:, : poll.needed].sum(axis=1), False
        )
    return _normal(poll, tuple(weights), prior, POINTS if work < WORK else None)


def _additions(parts: dict[tuple[int, float], int]) -> int:
    """Return the number of additions in `_summed`; a cell of its tables counts as four: it is cleared, filled, read."""
    found, score, total = 0, 0, 0
    for (weight, _), size in sorted(parts.items()):
        found += (size + 1) * (score + 1) * (total + 1)
        score, total = score + weight * size, total + size
        found += 4 * (score + 1) * (total + 1)
    return found


def _summed(parts: dict[tuple[int, float], int]) -> Floats:
    """Return the joint distribution of the score (rows) and the votes for the first option (columns)."""
    joint, score, total = np.ones((1, 1)), 0, 0
    for (weight, share), size in sorted(parts.items()):
        longer = np.zeros((score + weight * size + 1, total + size + 1))
        for yes, chance in enumerate(binomial(size, share).tolist()):
            longer[weight * yes : weight * yes + score + 1, yes : yes + total + 1] += chance * joint
        joint, score, total = longer, score + weight * size, total + size
    return joint


def _given_totals(parts: dict[tuple[int, float], int]) -> Floats:
    """Return the distribution of the score (rows) given the votes for the first option (columns).

    The prior is the same for everybody. So given the total, all ways to reach it are equally likely: x of n people of a
    group and t of all others vote for the option with chance C(n, x) C(others, t) / C(n + others, x + t).
    """
    given, score, total = np.ones((1, 1)), 0, 0
    for (weight, _), size in sorted(parts.items()):
        longer = np.zeros((score + weight * size + 1, total + size + 1))
        mine, others, both = log_ways(size), log_ways(total), log_ways(total + size)
        for yes in range(size + 1):
            chance = np.exp(mine[yes] + others - both[yes : yes + total + 1])
            longer[weight * yes : weight * yes + score + 1, yes : yes + total + 1] += chance * given
        given, score, total = longer / longer.sum(axis=0), score + weight * size, total + size
    return given


def log_ways(people: int) -> Floats:
    """Return the logarithms of the numbers of ways to choose 0, 1, … of this many people."""
    k = np.arange(people)
    return np.concatenate([[0.0], np.cumsum(np.log((people - k) / (k + 1.0)))])


def _normal(poll: Threshold, weights: tuple[int, ...], prior: Prior, points: int | None) -> ScoreLaw:
    """Return the lattice from the normal distribution with the same means and covariances, near the threshold.

    Single scores matter only where the truth, or the answer, is uncertain; scores beyond count as the outermost ones.
    With a beta prior, the unknown share of the first option adds to the covariances; the score, as a share of the
    greatest one, has a beta distribution with the same mean and deviation.
    """
    from scipy.special import betainc, ndtr  # scipy.stats takes long to load

    weight, size = np.array(weights, np.float64), poll.sizes.astype(np.float64)
    top, rate = int(weight @ size), least_rate(classes_of(weights, poll))
    if prior.beta is None:
        moments = _moments(weight, size, prior.shares(poll.groups))
    else:
        moments = _mixed_moments(weight, size, prior.beta, (poll.needed - 0.5) / poll.people)
    middle = moments.score + (poll.needed - 0.5 - moments.total) / moments.slope
    reach = math.ceil(9.0 * moments.rest / moments.slope + 40.0 / rate) + 1
    low, high = (min(max(0, round(middle + side * reach)), top) for side in (-1, 1))
    step = 1 if points is None else max(1, (high - low) // points)
    scores = np.arange(low, high + 1, step)
    ends = np.concatenate([[-np.inf], scores[1:] - step / 2.0, [np.inf]])
    if prior.beta is None:
        chance = np.diff(ndtr((ends - moments.score) / moments.score_deviation))
    else:
        a, b = prior.beta
        voices = top**2 / float(weight**2 @ size)  # this many people of equal weight would deviate as much
        scale = (voices - 1.0) / (a + b + voices)
        chance = np.diff(betainc(a * scale, b * scale, np.clip((ends + 0.5) / (top + 1), 0.0, 1.0)))
    distance = moments.total + moments.slope * (scores - moments.score) - (poll.needed - 0.5)
    yes: Floats = chance * ndtr(distance / moments.rest)
    return ScoreLaw(weights, low, yes, chance - yes, True, step)


class _Moments(NamedTuple):
    """The means of score and total, the deviation of the score, and the slope and residual of the total given it."""

    score: float
    total: float
    score_deviation: float
    slope: float
    rest: float


def _moments(weight: Floats, size: Floats, share: Floats) -> _Moments:
    variance = size * share * (1.0 - share)
    score, both, total = float(weight**2 @ variance), float(weight @ variance), float(variance.sum())
    rest = max(total - both**2 / score, 1e-6)
    return _Moments(
        float(weight @ (size * share)), float(size @ share), math.sqrt(score), both / score, math.sqrt(rest)
    )


def _mixed_moments(weight: Floats, size: Floats, beta: tuple[float, float], share: float) -> _Moments:
    """Return the moments for an unknown share: people's deviation at the decisive `share`, plus that of the share."""
    a, b = beta
    top, people, mean = float(weight @ size), float(size.sum()), a / (a + b)
    near = min(max(share, 1e-3), 1.0 - 1e-3)
    own, common = near * (1.0 - near), mean * (b / (a + b)) / (a + b + 1.0)
    score, both = float(weight**2 @ size) * own + top**2 * common, top * own + top * people * common
    rest = max(people * own + people**2 * common - both**2 / score, 1e-6)
    return _Moments(mean * top, mean * people, math.sqrt(score), both / score, math.sqrt(rest))


def classes_of(weights: Sequence[int], poll: Poll) -> dict[int, tuple[int, float]]:
    """Return, per weight, the number of people and their least epsilon: the first group's, since epsilons ascend."""
    different, first, which = np.unique(np.array(weights), return_index=True, return_inverse=True)
    people = np.zeros(len(different), np.int64)
    np.add.at(people, which, poll.sizes)
    least = [poll.groups[g].epsilon for g in first.tolist()]
    return dict(zip(different.tolist(), zip(people.tolist(), least, strict=True), strict=True))


def least_rate(classes: dict[int, tuple[int, float]]) -> float:
    """Return the least epsilon per unit of the score."""
    return min(epsilon / weight for weight, (_, epsilon) in classes.items() if weight)


def positions(bits: int) -> Ints:
    """Return the positions of the bits that are set.

    Examples
    --------
    >>> positions(0b1011)
    array([0, 1, 3])
    """
    raw = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))
