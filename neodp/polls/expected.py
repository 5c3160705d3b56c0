"""The expected accuracy of the balanced poll under a prior.

*Yes or no, exactly.* Let yes be true, and order the people who say yes from the greatest epsilon down: the first
`needed` - 1 of them keep their choice on the cheapest way to the other answer, and all others change it
(:mod:`neodp.polls.mechanism`). So there is one group h that divides the two kinds: with R yes in the groups above h and
x in h, R < needed <= R + x. The chance of the wrong answer is then

    exp(-(sum over g < h of e_g x_g)) exp(-e_h (R + x - needed)) / (1 + exp(e_h)).

Under a prior where people choose independently, the expectation of the first factor is the product of
(1 - p_g + p_g e^-e_g)^n_g, and the rest is a sum over R and x: all of it takes convolutions of single groups. With a
beta prior, the result is averaged over p by Gauss-Jacobi quadrature, which is exact for these polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import UNIT, Floats
from neodp.polls.costs import crossing
from neodp.polls.mechanism import Counts, Group, Plurality, Poll, Threshold
from neodp.polls.prior import Prior, binomial

if TYPE_CHECKING:
    from neodp.polls.samples import Sample

__all__ = ["Expected", "balanced_accuracy", "plurality_accuracy", "sampled_accuracy"]

Ints = NDArray[np.int64]

PEOPLE = 2_000
"""The greatest number of people for which the sums over all tables are computed."""
NODES = 200
"""The greatest number of quadrature nodes: with a beta prior, sums are computed for up to twice as many people."""


class Expected(NamedTuple):
    """An expected accuracy, and the method that found it: ``exact``, ``normal`` or ``sampled``."""

    value: float
    method: str


def balanced_accuracy(poll: Threshold, prior: Prior) -> Expected:
    """Return the expected accuracy of the balanced poll.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> p = poll([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)])
    >>> round(balanced_accuracy(p, Prior()).value, 3)
    0.6
    """
    if not poll.largest_margin:
        return Expected(1.0, "exact")
    n = poll.people
    if n <= (PEOPLE if prior.beta is None else 2 * NODES - 1):
        wrong = 0.0
        for weight, shares in _cases(poll, prior):
            wrong += weight * (
                _wrong(poll.groups, poll.needed, shares) + _wrong(poll.groups, n - poll.needed + 1, 1.0 - shares)
            )
        return Expected(min(max(1.0 - wrong, 0.0), 1.0), "exact")
    return Expected(min(_spread_evenly(poll, prior), 1.0), "normal")


def sampled_accuracy(poll: Poll, known: Sample) -> Expected:
    """Return the expected accuracy of a plurality on given tables; for a sample, on its tables for evaluation.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> from neodp.polls.samples import sample
    >>> p = poll([Group(1.0, 5)], "plurality", "abc")
    >>> round(sampled_accuracy(p, sample(p, Prior())).value, 3)
    0.636
    """
    counts, truth = known.judged.counts, known.judged.truth.tolist()
    if type(poll) is Plurality and not known.exact:
        right = [plurality_accuracy(poll, each) for each in counts]
    else:
        right = [poll.distribution(each)[a] for each, a in zip(counts, truth, strict=True)]
    value = float(known.judged.chance @ np.array(right))
    return Expected(value, "exact" if known.exact else "sampled")


@lru_cache(maxsize=64)
def balanced_plurality(poll: Plurality, prior: Prior) -> Expected:
    """Return the expected accuracy of the balanced plurality, on the tables on which weighted ones are evaluated."""
    from neodp.polls.samples import sample

    return sampled_accuracy(poll, sample(poll, prior))


def plurality_accuracy(poll: Plurality, counts: Counts) -> float:
    """Return the accuracy of the balanced plurality at one table, in doubles, group by group, not person by person.

    With a of the winner's people and b = gap - 2 a others, the cost is a sum of two convex functions of a that are
    linear between the ends of groups: the minimum lies next to such an end.
    """
    k = len(poll.options)
    winner, epsilon = poll.truth(counts), np.array([group.epsilon for group in poll.groups])
    instead = np.array([crossing(each, k) / UNIT for each in poll.units]) - epsilon
    winning = counts[:, winner]
    best = math.inf
    for rival, gap in sorted(poll.gaps(counts).items(), key=lambda each: each[1]):
        if ((gap + 1) // 2 - 1) * float(epsilon[0]) >= best:
            break  # this many people cost more, whoever they are
        rest = counts.sum(axis=1) - winning - counts[:, rival]
        ends = [np.concatenate([[0], np.cumsum(people)]) for people in (winning, rest)]
        paid = [np.concatenate([[0.0], np.cumsum(people * epsilon)]) for people in (winning, rest)]
        fewest, most = max(0, (gap - int(ends[1][-1]) + 1) // 2), min((gap + 1) // 2, int(ends[0][-1]))
        tried = np.concatenate([ends[0], (gap - ends[1]) // 2])
        tried = np.concatenate([tried - 1, tried, tried + 1, [fewest, most]])
        a = np.unique(np.clip(tried, fewest, most))
        b = np.maximum(gap - 2 * a, 0)
        last = np.maximum(*(np.searchsorted(end, number) - 1 for end, number in zip(ends, (a, b), strict=True)))
        cost = sum(np.interp(number, end, sums) for number, end, sums in zip((a, b), ends, paid, strict=True))
        best = min(best, float((cost + instead[last]).min()))
    return math.exp(best) / k if best < math.log(k / 2.0) else 1.0 - math.exp(-best) * k / 4.0


def _cases(poll: Poll, prior: Prior) -> list[tuple[float, Floats]]:
    """Return the chances per group in each case of the prior, with the probability of the case."""
    if prior.beta is None:
        return [(1.0, prior.shares(poll.groups))]
    shares, weights = _quadrature(*prior.beta, poll.people // 2 + 1)
    return [(w, np.full(len(poll.groups), x)) for x, w in zip(shares.tolist(), weights.tolist(), strict=True)]


def _quadrature(a: float, b: float, n: int) -> tuple[Floats, Floats]:
    """Return the n nodes and weights of Gauss-Jacobi quadrature for a beta distribution.

    The nodes are the eigenvalues of the matrix of the three-term recurrence, and the weights are the squares of the
    first entries of its eigenvectors (Golub and Welsch 1969). Ratios are taken before products, so that no parameters
    are too large or too small.
    """
    from scipy.linalg import eigh_tridiagonal

    s, k = a + b, np.arange(1.0, n)
    diagonal = np.concatenate([[(a - b) / s], (a - b) / (2 * k + s) * ((s - 2.0) / (2 * k + s - 2.0))])
    last = np.where(k == 1.0, 1.0, (k + s - 2.0) / np.where(k == 1.0, 1.0, 2 * k + s - 3.0))
    beside = k / (2 * k + s - 1.0) * ((k + a - 1.0) / (2 * k + s - 2.0)) * ((k + b - 1.0) / (2 * k + s - 2.0)) * last
    at, vectors = eigh_tridiagonal(diagonal, 2.0 * np.sqrt(beside))
    weights = vectors[0] ** 2
    return np.clip((1.0 + at) / 2.0, 0.0, 1.0), weights / weights.sum()


def _wrong(groups: Sequence[Group], needed: int, shares: Floats) -> float:
    """Return the chance that the first option is the true answer, and another answer is given."""
    laws = [binomial(group.size, float(share)) for group, share in zip(groups, shares, strict=True)]
    cheaper = [group.size * _log_mean(float(share), group.epsilon) for group, share in zip(groups, shares, strict=True)]
    paid = np.concatenate([[0.0], np.cumsum(cheaper)])
    above = np.ones(1)  # how likely it is that 0, 1, … people of the dearer groups choose the option
    found = 0.0
    for h in range(len(groups) - 1, -1, -1):
        law, epsilon = laws[h], groups[h].epsilon
        rest = np.arange(min(len(above), needed))
        # per x - (needed - R): the sum over x of P(x) e^(-epsilon (R + x - needed))
        tail = np.zeros(len(law) + 1)
        for x in range(len(law) - 1, -1, -1):
            tail[x] = law[x] + math.exp(-epsilon) * tail[x + 1]
        start = needed - rest
        inside = start < len(law)
        found += math.exp(paid[h]) / (1.0 + math.exp(epsilon)) * float(above[rest[inside]] @ tail[start[inside]])
        above = np.convolve(above, law)
    return found


def _log_mean(share: float, epsilon: float) -> float:
    """Return log(1 - share + share e^-epsilon), the logarithm of one person's expected factor, without underflow."""
    return -epsilon if share == 1.0 else math.log1p(share * math.expm1(-epsilon))


def _spread_evenly(poll: Threshold, prior: Prior) -> float:
    """Approximate the accuracy for many people, with the winners spread proportionally over the groups."""
    total = _total_law(poll, prior)
    most = poll.largest_margin
    grid = np.unique(np.concatenate([np.arange(1, min(most, 64) + 1), np.geomspace(1, most, 160).astype(np.int64)]))
    found = 0.0
    for truth in (0, 1):
        sides = grid + (poll.needed - 1 if truth == 0 else poll.people - poll.needed)
        sides = sides[sides <= poll.people]
        margins = grid[: len(sides)]
        accuracy = np.array(
            [poll.accuracy_at(poll.cheapest(poll.spread(int(k)), int(m))) for k, m in zip(sides, margins, strict=True)]
        )
        votes = sides if truth == 0 else poll.people - sides
        ends = np.concatenate([margins[1:], [most + 1]]) - margins
        low, high = (votes, votes + ends - 1) if truth == 0 else (votes - ends + 1, votes)
        found += float((total(high) - total(low - 1)) @ accuracy)
    return found


def _total_law(poll: Threshold, prior: Prior) -> Callable[[Ints], Floats]:
    """Return the distribution function of the number of votes for the first option."""
    from scipy.special import bdtr, ndtr  # scipy.stats takes long to load

    shares, n = prior.shares(poll.groups), poll.people
    if prior.beta is not None:
        below = np.concatenate([[0.0], np.cumsum(prior.totals(n))])
        return lambda votes: below[np.clip(votes, -1, n) + 1]
    if (shares == shares[0]).all():
        return lambda votes: np.where(votes < 0, 0.0, bdtr(np.clip(votes, 0, n), n, float(shares[0])))
    sizes = poll.sizes
    mean, deviation = float(sizes @ shares), math.sqrt(float(sizes @ (shares * (1.0 - shares))))
    return lambda votes: ndtr((votes + 0.5 - mean) / deviation)
