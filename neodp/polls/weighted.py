"""The weighted poll: the private yes or no that is most often right, for a public prior.

The balanced poll (:mod:`neodp.polls`) is at least as good as a coin on every single table of votes. This is costly if
epsilons differ much: one person with a tiny epsilon whose vote might be decisive keeps the answer close to a coin toss.
The weighted poll gives up that guarantee. Its answer depends on a *score*, in which people who ask for more privacy
count less, and is best on average over a prior (:mod:`neodp.polls.prior`). On some tables it is then wrong more often
than right: above all if everybody who asks for much privacy votes the same way. :mod:`neodp.polls.facts` computes how
often.

The score
---------
Group g has a whole number w_g >= 0, its weight. The score of a table is s = sum of w_g yes_g, where yes_g people of
the group choose the first option; so one person moves the score by the weight of that person's group. The answer
depends on the table only through its score: it is yes with chance F(s). That is private for everybody iff F(s) and
F(s + w_g) are within epsilon_g of each other, for every score s to which one more yes of group g can be added. In other
words: the scores are the datasets of a graph, with an edge (s, s + w) of the least epsilon of those who have weight w.

Expected accuracy is the sum over s of P(s, yes) F(s) + P(s, no) (1 - F(s)), where P(s, a) is the chance under the
prior that the score is s and the true answer a. So the best F is the solution of the linear program of
:mod:`neodp.study.optimum` on the graph of scores: the colour of a score is the more likely truth, and its weight is
|P(s, yes) - P(s, no)|.

*The weights.* Weights such as 1, n_1 + 1, (n_1 + 1)(n_2 + 1), … give every table its own score: the graph is that of
all tables, and F the optimum over all private mechanisms. If there are more than TABLES tables, weights near
min(epsilon_g, c) are tried for many c and many scales, where small ones become 0. They are ranked by the closed form
1 - e^-x/2, x = rate (s - s_0), and the best few are compared by their linear programs; all tables without a few people
are tried as well. Everything is computed only from sizes, epsilons and the prior, never from a vote.

*A window of scores.* If there are too many scores, the program has only those from `low` to `high`, around the
threshold. Let rate be the least epsilon_g / w_g. Outside the window, the chance of the less likely answer falls by a
factor of e^-rate from score to score:

    1 - F(high + d) = (1 - F(high)) e^(-rate d),        F(low - d) = F(low) e^(-rate d).

A person of weight w who moves the score from s within the window to high + d may change the chances by e^epsilon: so
the edge (s, high) gets what remains, epsilon - rate d. It is at least rate (high - s), for w = high - s + d.

Exactness
---------
Within the window the labels of :mod:`neodp.compiled.kernel` are private to the last bit: the solver's F is rounded in
(:mod:`neodp.study.optimum`), and extended to all scores. Of F(s) and 1 - F(s), the smaller one is stored exactly.

Outside it, with u = 2^-50: an epsilon becomes E = floor(epsilon / u) - 16 units, or 0; the rate becomes R, the least
floor(E / w); the edge (s, high) gets (E - R d) u, rounded down. Let q = 1 - F(high) <= 1/2 and p = F(high). At high +
d, q' is the least double that is at least q e^(-R d u), but no more than q, and not below the smallest normal double
if q is not; so q e^(-R d u) <= q' <= q e^(-R d u) (1 + u), unless it is that smallest double. And p' = 1 - q'.

*From s within the window to high + d.* Write a = (E - R d) u for the edge. q_s <= e^a q <= e^(a + R d u) q' = e^(E u)
q'. q' <= q <= e^a q_s. p_s <= e^a p <= e^a p'. And since q <= 1/2, p' <= 1 - q e^(-R d u) <= e^(R d u) (1 - q): for
the function e^x (1 - q) + q e^-x is 1 at x = 0 and does not fall for x >= 0. Hence p' <= e^(R d u + a) p_s = e^(E u)
p_s.

*From high + c to high + d*, d - c = w: the quotient of both q' is at most e^(R w u) (1 + u) <= e^(E u) (1 + u) <
e^epsilon, since E is 16 units short; a floor under both does not enlarge it. For the p': p' >= q' at both, so p'_d -
p'_c = q'_c - q'_d <= (1 - e^-x) q'_c <= (e^x - 1) p'_c for that quotient e^x.

The other end is the same with yes and no exchanged. If F(high) < 1/2, or F(low) > 1/2, F is constant beyond that end:
this would need only edges (s, high) of the full epsilon, and these edges are stricter. So privacy holds for the doubles
as they are stored, with each person's own epsilon. :func:`neodp.polls.violations` checks it at one table and all its
neighbours in exact arithmetic, independently of this reasoning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import UNIT, Floats
from neodp.errors import GraphError, NeodpError
from neodp.polls.mechanism import TINY, Counts, Group, Margin, Plurality, Poll, Threshold, poll
from neodp.polls.prior import Prior, binomial

__all__ = ["Lattice", "Weighted", "candidates", "lattice", "on_scores", "on_tables", "weighted", "weighted_threshold"]

TABLES = 8_000
"""The greatest number of tables with which every table has its own score."""
SCORES = 1_500
"""The greatest number of scores with which the program has all of them."""
WORK = 4 * 10**7
"""The greatest number of additions with which the joint distribution of score and truth is computed exactly."""
QUICK = 4 * 10**6
"""The same as WORK, for ranking many weights."""
POINTS = 1_000
"""The number of scores at which the normal distribution is evaluated, for ranking many weights."""
EFFORT = 4 * 10**8
"""The greatest number of iterations times inequalities in one linear program: some seconds. Beyond it, the program
over tables gives way to programs over scores, and a program over scores to the mechanism that is balanced on them."""
SLACK = 16
"""The number of units of 2^-50 by which an epsilon is reduced outside the window."""
SCALES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30, 40, 50, 70, 100)
"""The greatest weights that are tried."""
CAPS = 16
"""The number of caps c on epsilons that are tried, besides the epsilons of the groups."""
WORTH = 1e-6
"""The least gain in accuracy over the balanced poll for which another poll is chosen."""
PRICE = 1.5e-7
"""The accuracy that each edge of the program must be worth."""
ROUNDS = 3
"""The number of rounds in which weights near the best ones are tried."""
PROGRAMS = 8
"""The number of best weights by the closed form that are compared by their linear programs."""
FINE, GROUPS = 40, 8
"""The greatest weight, and the greatest number of groups, for which weights near the best ones are tried."""
FEW, CROWD = 3, 10_000
"""The number of programs for many people, instead of PROGRAMS; and the number of people above which one is enough."""

Ints = NDArray[np.int64]


class Lattice(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class Weighted(Threshold):
    """The weighted poll on whether at least `needed` people choose the first of two options.

    Attributes
    ----------
    weights : tuple of int
        The amount by which one person of each group moves the score.
    low : int
        The first score of the window.
    first, second : arrays of float
        The chance of the first and of the second option at each score of the window; the smaller one is exact.
    below, above : int
        The amount, in units of 2^-50, by which the logarithm of the smaller chance falls from score to score outside
        the window.
    expected : float
        The expected accuracy under the prior.
    approximate : bool
        True if `expected`, and the choice of the weights, rest on a normal distribution of score and truth. Privacy
        never does.
    prior : Prior
    """

    weights: tuple[int, ...]
    low: int
    first: Floats = field(repr=False)
    second: Floats = field(repr=False)
    below: int
    above: int
    expected: float
    approximate: bool
    prior: Prior

    @property
    def high(self) -> int:
        """The last score of the window."""
        return self.low + len(self.first) - 1

    def score(self, counts: Counts) -> int:
        """Return the score of a dataset."""
        return int(np.array(self.weights) @ counts[:, 0])

    def distribution(self, counts: Counts) -> tuple[float, ...]:
        """Return the chance of both answers at a dataset."""
        return self.at_score(self.score(counts))

    def at_score(self, score: int) -> tuple[float, float]:
        """Return the chance of both answers at a score: the smaller is exact, the larger is one minus it, rounded."""
        inside = min(max(score, self.low), self.high)
        row = float(self.first[inside - self.low]), float(self.second[inside - self.low])
        slope = self.above if score > inside else self.below
        small = falling(min(row), slope * abs(score - inside))  # always computed, so that the time reveals nothing
        if score == inside or slope == 0:
            return row
        return (small, 1.0 - small) if row[0] <= row[1] else (1.0 - small, small)

    def chances(self, scores: Ints) -> tuple[Floats, Floats]:
        """Return the chance of both answers at many scores, in doubles: for expected accuracies, not for an answer."""
        inside = np.clip(scores, self.low, self.high)
        p, q = self.first[inside - self.low], self.second[inside - self.low]
        fall = np.exp(-np.where(scores > inside, self.above, self.below) / UNIT * np.abs(scores - inside))
        return np.where(p <= q, p * fall, 1.0 - q * fall), np.where(p <= q, 1.0 - p * fall, q * fall)

    # --- accuracy, without reading a vote -----------------------------------------------------------------------------

    def at(self, margin: int) -> Margin:
        """Return the accuracy at a margin: the least, the greatest, and that of evenly spread votes."""
        found = [self._range(total, truth) for total, truth in self._totals(margin)]
        even = [self.distribution(self._spread(total))[truth] for total, truth in self._totals(margin)]
        worst, best = min(low for low, _ in found), max(high for _, high in found)
        return Margin(margin, worst=worst, even=min(even), best=best)

    def worst_at(self, margin: int) -> float:
        """Return the least accuracy of the datasets with this margin or a greater one."""
        return min(self._least(total, truth) for total, truth in self._totals(margin))

    def _totals(self, margin: int) -> list[tuple[int, int]]:
        """Return the votes for the first option at this margin and the true answer's position, for both answers."""
        sides = [(self.needed + margin - 1, 0), (self.needed - margin, 1)]
        return [(total, truth) for total, truth in sides if 0 <= total <= self.people]

    def _spread(self, total: int) -> Counts:
        """Return the dataset with `total` votes for the first option, spread over the groups by their sizes."""
        yes = np.array(self._even(total), np.int64)
        return np.column_stack([yes, self._sizes - yes])

    def _range(self, total: int, truth: int) -> tuple[float, float]:
        """Return the least and the greatest chance of an answer over the datasets with `total` votes for the first."""
        scores = self._scores(total)
        chance = self.chances(scores)[truth]
        return float(chance.min()), float(chance.max())

    def _least(self, total: int, truth: int) -> float:
        """Return the least chance of the true answer with at least (at most, if it is no) `total` votes for yes."""
        if self._reach is not None:
            totals = range(total, self.people + 1) if truth == 0 else range(total + 1)
            return min(self._range(k, truth)[0] for k in totals)
        lowest, highest = self._ends(total)
        ends = (lowest, self._top) if truth == 0 else (0, highest)
        return float(self.chances(self._between(*ends))[truth].min())

    def _scores(self, total: int) -> Ints:
        """Return the scores of all datasets with `total` votes for the first option; for many people, their range."""
        if self._reach is None:
            return self._between(*self._ends(total))
        return _positions(self._reach[total])

    def _between(self, low: int, high: int) -> Ints:
        """Return the scores from low to high, but only the outermost ones outside the window, where F is monotone."""
        inner = np.arange(max(low, self.low), min(high, self.high) + 1)
        return np.unique(np.concatenate([[low, high], inner]))

    def _ends(self, total: int) -> tuple[int, int]:
        """Return the least and the greatest score with `total` votes for the first option."""
        order = np.argsort(self.weights, kind="stable")
        weight, size = np.array(self.weights)[order], self._sizes[order]

        def least(weight: Ints, size: Ints) -> int:
            taken = np.clip(total - (np.cumsum(size) - size), 0, size)
            return int(weight @ taken)

        return least(weight, size), least(weight[::-1], size[::-1])

    @property
    def _top(self) -> int:
        return int(np.array(self.weights) @ self._sizes)

    @cached_property
    def _reach(self) -> list[int] | None:
        """The possible scores per number of votes for the first option, each set as the bits of one whole number."""
        classes = _classes(self.weights, self)
        if self.people**2 * max(1, self._top // 64) > WORK:
            return None
        reach = [1]
        for weight, (size, _) in classes.items():
            longer = [0] * (len(reach) + size)
            for total, scores in enumerate(reach):
                for yes in range(size + 1):
                    longer[total + yes] |= scores << (weight * yes)
            reach = longer
        return reach


def falling(chance: float, units: int) -> float:
    """Return the least double that is at least chance e^(-units / 2^50), between TINY and the chance itself.

    Examples
    --------
    >>> falling(0.25, 2**50)
    0.09196986029286058
    """
    if chance <= TINY:
        return chance
    if units > 800 * UNIT:
        return TINY
    context = Context(prec=40)
    power = Fraction(context.exp(context.divide(Decimal(-units), Decimal(UNIT))))
    exact = Fraction(chance) * power * (1 + Fraction(1, 10**37))  # more than the error of the decimals
    rounded = float(exact)
    if Fraction(rounded) < exact:
        rounded = math.nextafter(rounded, 1.0)
    return min(chance, max(TINY, rounded))


# --- the best weights -------------------------------------------------------------------------------------------------


def weighted(
    groups: Sequence[Group],
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    prior: str | Prior = "even",
) -> Poll:
    """Find the poll that is most often right under a prior; the balanced one if nothing better is found.

    Parameters
    ----------
    groups, query, options
        As for :func:`neodp.polls.poll`.
    prior : str or Prior
        As in :mod:`neodp.polls.prior`.

    Raises
    ------
    GraphError
        As in ``poll``; and if the prior is invalid, or does not fit the levels or the options.

    Examples
    --------
    >>> weighted([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)]).question
    "do at least 16 of 31 people choose 'yes'?"
    """
    from neodp.polls.weighted_plurality import weighted_plurality

    balanced = poll(groups, query, options)
    if not balanced.groups[0].epsilon:
        raise GraphError("a group has epsilon 0", "leave it out: no answer may depend on these people")
    if isinstance(balanced, Threshold):
        return weighted_threshold(balanced, prior)
    return weighted_plurality(cast(Plurality, balanced), prior)


def weighted_threshold(poll: Threshold, prior: str | Prior = "even") -> Threshold:
    """Find the most accurate yes/no poll: a weighted one, or the balanced one itself.

    The balanced one is returned if it is better, or at most 1e-6 worse, because it promises more.

    Parameters
    ----------
    poll : Threshold
        The balanced poll, with its groups and its threshold.
    prior : str or Prior

    Examples
    --------
    >>> from neodp.polls import poll
    >>> p = weighted_threshold(poll([Group(2.0, 4), Group(0.001, 1)]))
    >>> round(p.expected, 3)
    0.778
    """
    from neodp.polls.expected import balanced_accuracy

    given = Prior.parse(prior)
    given.shares(poll.groups)  # refuses an unknown level
    if not poll.largest_margin:
        return poll
    best = _best(poll, given)
    balanced = balanced_accuracy(poll, given)
    return poll if balanced.value >= best.expected - WORTH else best


def _best(poll: Threshold, prior: Prior) -> Weighted:
    few_tables = math.prod(group.size + 1 for group in poll.groups) <= TABLES
    if few_tables:
        try:
            return on_tables(poll, prior)
        except NeodpError:  # the solver gave up: there are fewer scores than tables
            pass
    ranked = sorted((-_closed_form(poll, lattice(poll, w, prior, QUICK)), w) for w in candidates(poll.groups))
    best = on_scores(poll, ranked[0][1], prior)
    tried = {best.weights}
    programs = 1 if poll.people > CROWD else FEW if best.approximate else PROGRAMS
    near = [weights for _, weights in ranked[1:programs]]
    for _ in range(ROUNDS):
        tried.update(near)
        better = max((on_scores(poll, w, prior) for w in near), key=lambda each: each.expected, default=best)
        done = better.expected < best.expected + 1e-5
        best = max(best, better, key=lambda each: each.expected)
        if best.approximate or not near or (done and len(tried) > PROGRAMS):
            break
        near = [weights for weights in _near(best.weights) if weights not in tried]
    without = None if few_tables else _tables_without_few(poll.groups)
    if without is None:
        return best
    joint = lattice(poll, without, prior)
    few = best if joint.approximate else _solved(poll, joint, prior, (0, len(joint.yes) - 1))
    return max(best, few, key=lambda each: each.expected)


def _tables_without_few(groups: Sequence[Group]) -> tuple[int, ...] | None:
    """Return weights that tell all tables apart, except for a few people of weight 0; None if a few are not enough."""
    left = list(range(len(groups)))
    while math.prod(groups[g].size + 1 for g in left) > TABLES:
        left.remove(min(left, key=lambda g: groups[g].size * groups[g].epsilon))
    if 10 * sum(groups[g].size for g in left) < 9 * sum(group.size for group in groups):
        return None
    weights, unit = [0] * len(groups), 1
    for g in left:
        weights[g], unit = unit, unit * (groups[g].size + 1)
    return tuple(weights)


def _near(weights: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return weights that differ from the given ones in one group, by a little or by becoming 0.

    Groups with the same weight share their edges, which have the least of their epsilons: slightly different weights
    may be better.
    """
    if len(weights) > GROUPS or max(weights) > FINE:
        return []
    found = set()
    for g, value in enumerate(weights):
        for other in {value - 1, value + 1, 0}:
            found.add((*weights[:g], max(0, other), *weights[g + 1 :]))
    return sorted(w for w in found if any(w))


def candidates(groups: Sequence[Group]) -> list[tuple[int, ...]]:
    """Return weights to try: min(epsilon, c) in whole numbers, for some c and some scales."""
    epsilon = np.array([group.epsilon for group in groups])
    least, most = float(epsilon[0]), float(epsilon[-1])
    caps = np.geomspace(least, most, CAPS)
    if len(groups) <= CAPS:
        caps = np.unique(np.concatenate([caps, epsilon]))
    found = set()
    for cap in caps.tolist():
        share = np.minimum(epsilon, cap) / cap
        for scale in SCALES:
            for shift in (0.5, 0.0):
                weights = np.floor(scale * share + shift + 1e-9).astype(np.int64)
                if (divisor := int(np.gcd.reduce(weights))) > 0:
                    found.add(tuple((weights // divisor).tolist()))
    return sorted(found)


def _closed_form(poll: Threshold, joint: Lattice) -> float:
    """Return the expected accuracy of yes with chance 1 - e^-x/2, or e^x/2 for x < 0, where x = rate (s - s_0)."""
    gain = joint.yes - joint.no
    x = _rate(_classes(joint.weights, poll)) * (joint.scores - _middle(joint) + 0.5)
    small = np.exp(-np.abs(x)) / 2.0
    found = joint.no.sum() + gain @ np.where(x >= 0.0, 1.0 - small, small)
    return float(found) - PRICE * _effort(poll, joint)


def _effort(poll: Threshold, joint: Lattice) -> int:
    """Return the approximate number of edges of the graph of scores."""
    low, high = _window(poll, joint)
    return (high - low + 1) * len(set(joint.weights))


def _rate(classes: dict[int, tuple[int, float]]) -> float:
    """Return the least epsilon per unit of the score."""
    return min(epsilon / weight for weight, (_, epsilon) in classes.items() if weight)


def _classes(weights: Sequence[int], poll: Poll) -> dict[int, tuple[int, float]]:
    """Return, per weight, the number of people and their least epsilon: the first group's, since epsilons ascend."""
    different, first, which = np.unique(np.array(weights), return_index=True, return_inverse=True)
    people = np.zeros(len(different), np.int64)
    np.add.at(people, which, poll._sizes)
    least = [poll.groups[g].epsilon for g in first.tolist()]
    return dict(zip(different.tolist(), zip(people.tolist(), least, strict=True), strict=True))


# --- the distribution of scores ---------------------------------------------------------------------------------------


def lattice(poll: Threshold, weights: Sequence[int], prior: Prior, work: int = WORK) -> Lattice:
    """Return the joint distribution of score and truth under a prior, exact if it takes at most `work` additions.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> found = lattice(poll([Group(0.5, 1), Group(1.0, 2)]), (1, 2), Prior())
    >>> found.yes.round(6).tolist()
    [0.0, 0.0, 0.0, 0.25, 0.125, 0.125]
    """
    parts: dict[tuple[int, float], int] = {}
    for weight, share, group in zip(weights, prior.shares(poll.groups).tolist(), poll.groups, strict=True):
        parts[weight, share] = parts.get((weight, share), 0) + group.size
    if _additions(parts) <= work:
        joint = _summed(parts) if prior.beta is None else _given_totals(parts) * prior.totals(poll.people)
        return Lattice(
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
        mine, others, both = _ways(size), _ways(total), _ways(total + size)
        for yes in range(size + 1):
            chance = np.exp(mine[yes] + others - both[yes : yes + total + 1])
            longer[weight * yes : weight * yes + score + 1, yes : yes + total + 1] += chance * given
        given, score, total = longer / longer.sum(axis=0), score + weight * size, total + size
    return given


def _ways(people: int) -> Floats:
    """Return the logarithms of the numbers of ways to choose 0, 1, … of this many people."""
    k = np.arange(people)
    return np.concatenate([[0.0], np.cumsum(np.log((people - k) / (k + 1.0)))])


def _normal(poll: Threshold, weights: tuple[int, ...], prior: Prior, points: int | None) -> Lattice:
    """Return the lattice from the normal distribution with the same means and covariances, near the threshold.

    Single scores matter only where the truth, or the answer, is uncertain; scores beyond count as the outermost ones.
    With a beta prior, the unknown share of the first option adds to the covariances; the score, as a share of the
    greatest one, has a beta distribution with the same mean and deviation.
    """
    from scipy.special import betainc, ndtr  # scipy.stats takes long to load

    weight, size = np.array(weights, np.float64), poll._sizes.astype(np.float64)
    top, rate = int(weight @ size), _rate(_classes(weights, poll))
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
    return Lattice(weights, low, yes, chance - yes, True, step)


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


# --- the program on scores --------------------------------------------------------------------------------------------


def on_tables(poll: Threshold, prior: Prior) -> Weighted:
    """Find the optimum over all private mechanisms: every table has its own score."""
    sizes = [group.size for group in poll.groups]
    weights = tuple(math.prod(size + 1 for size in sizes[:g]) for g in range(len(sizes)))
    joint, total = np.ones(1), np.zeros(1, np.int64)
    ways = np.zeros(1)
    shares = prior.shares(poll.groups)
    for size, share in zip(sizes, shares.tolist(), strict=True):
        joint = np.multiply.outer(binomial(size, share), joint).reshape(-1)
        total = np.add.outer(np.arange(size + 1), total).reshape(-1)
        ways = np.add.outer(_ways(size), ways).reshape(-1)
    if prior.beta is not None:  # given their total, all ways to reach it are equally likely
        joint = np.exp(ways - _ways(poll.people)[total]) * prior.totals(poll.people)[total]
    yes = total >= poll.needed
    found = Lattice(weights, 0, np.where(yes, joint, 0.0), np.where(yes, 0.0, joint), False)
    return _solve(poll, found, prior, (0, len(joint) - 1))


def on_scores(poll: Threshold, weights: Sequence[int], prior: Prior) -> Weighted:
    """Find the best mechanism that depends only on the score, for given weights.

    Examples
    --------
    >>> from neodp.polls import poll
    >>> p = poll([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)])
    >>> round(on_scores(p, (1, 10, 14), Prior()).expected, 4)
    0.7798
    """
    if min(weights) < 0 or not any(weights):
        raise GraphError(f"the weights are {tuple(weights)}", "give whole numbers from 0, not all of them 0")
    joint = lattice(poll, weights, prior)
    return _solved(poll, joint, prior, _window(poll, joint))


def _solved(poll: Threshold, joint: Lattice, prior: Prior, window: tuple[int, int]) -> Weighted:
    """Solve the program on the scores of a window; if the solver gives up, return the mechanism balanced on scores."""
    try:
        return _solve(poll, joint, prior, window)
    except NeodpError:
        return _solve(poll, joint, prior, window, optimal=False)


def _solve(poll: Threshold, joint: Lattice, prior: Prior, window: tuple[int, int], *, optimal: bool = True) -> Weighted:
    """Return the mechanism on the scores of a window that solves the program, or the balanced one on these scores."""
    from neodp.core.alpha import balanced
    from neodp.core.extension import extend
    from neodp.data.graph import DatasetGraph
    from neodp.study.optimum import optimize

    classes = _classes(joint.weights, poll)
    classes.pop(0, None)
    top = sum(weight * size for weight, (size, _) in classes.items())
    units = {weight: max(0, math.floor(math.ldexp(e, 50)) - SLACK) for weight, (_, e) in classes.items()}
    rate = min(each // weight for weight, each in units.items())
    gain = joint.yes - joint.no
    low, high = window
    scores, edges = _edges(classes, low, high, top, units, rate)
    value = _gathered(joint, gain, scores, rate)
    color = np.where((value > 0.0) | ((value == 0.0) & (scores >= _middle(joint))), 0, 1)
    weight = np.abs(value) / max(float(np.abs(value).sum()), TINY)
    graph = DatasetGraph.from_columns(scores.astype(str), color, *edges, colors=("yes", "no"), name="scores")
    alpha = optimize(graph, weight, work=EFFORT).alpha if optimal else balanced(graph)
    mechanism = extend(graph.with_alpha(alpha))
    first, second = np.full(high - low + 1, 0.5), np.full(high - low + 1, 0.5)
    first[scores - low], second[scores - low] = mechanism.p, mechanism.q
    below = rate if first[0] <= 0.5 else 0
    above = rate if second[-1] <= 0.5 else 0
    found = Weighted(
        poll.groups,
        poll.options,
        poll.needed,
        joint.weights,
        low,
        first,
        second,
        below,
        above,
        0.0,
        joint.approximate,
        prior,
    )
    p, q = found.chances(joint.scores)
    return replace(found, expected=float(joint.yes @ p + joint.no @ q))


def _window(poll: Threshold, joint: Lattice) -> tuple[int, int]:
    """Return the first and last score of the program: of all scores, or of those around the threshold."""
    classes = _classes(joint.weights, poll)
    top, most = sum(weight * size for weight, (size, _) in classes.items()), max(classes)
    if top < SCORES:
        return 0, top
    reach = max(4 * most, min(SCORES // 2, math.ceil(8.0 / _rate(classes))))
    middle = _middle(joint)
    return max(0, middle - reach), min(top, middle + reach)


def _middle(joint: Lattice) -> int:
    """Return the score that best separates no, below it, from yes, at and above it."""
    return joint.low + joint.step * int(np.argmin(np.concatenate([[0.0], np.cumsum(joint.yes - joint.no)])))


def _edges(
    classes: dict[int, tuple[int, float]], low: int, high: int, top: int, units: dict[int, int], rate: int
) -> tuple[Ints, tuple[Ints, Ints, Floats]]:
    """Return the scores of the window that occur, and the edges between them, as positions, with their epsilons."""
    whole = (low, high) == (0, top)
    scores = _positions(_sums(classes, None)) if whole else np.arange(low, high + 1)
    place = np.full(high - low + 1, -1)
    place[scores - low] = np.arange(len(scores))
    ends: list[Ints] = []
    others: list[Ints] = []
    epsilon: list[Floats] = []
    for weight, (_, least) in classes.items():
        start = _positions(_sums(classes, weight)) if whole else np.arange(low, high + 1 - weight)
        ends.append(start)
        others.append(start + weight)
        epsilon.append(np.full(len(start), least))
        if high < top:
            near = np.arange(max(low, high - weight + 1), high)
            ends.append(near)
            others.append(np.full(len(near), high))
            epsilon.append(_left(units[weight], rate, near + weight - high))
        if low > 0:
            near = np.arange(low + 1, min(high + 1, low + weight))
            ends.append(np.full(len(near), low))
            others.append(near)
            epsilon.append(_left(units[weight], rate, low + weight - near))
    u, v, e = (np.concatenate(part) for part in (ends, others, epsilon))
    order = np.lexsort((e, v, u))
    u, v, e = u[order], v[order], e[order]
    keep = np.concatenate([[True], (np.diff(u) != 0) | (np.diff(v) != 0)])  # among equal edges, the least epsilon
    return scores, (place[u[keep] - low], place[v[keep] - low], e[keep])


def _left(units: int, rate: int, steps: Ints) -> Floats:
    """Return the epsilon left for an edge to the end of the window: (units - rate steps) 2^-50, rounded down."""
    found = []
    for step in steps.tolist():
        exact = Fraction(units - rate * step, UNIT)
        value = float(exact)
        found.append(math.nextafter(value, 0.0) if Fraction(value) > exact else value)
    return np.array(found, np.float64)


def _gathered(joint: Lattice, gain: Floats, scores: Ints, rate: int) -> Floats:
    """Return, per score of the program, the gain in accuracy from a yes; the ends include all scores beyond them."""
    low, high = int(scores[0]), int(scores[-1])
    at = joint.scores
    fall = np.exp(-rate / UNIT * np.maximum(0, np.maximum(at - high, low - at)))
    found = np.bincount(np.clip(at, low, high) - low, gain * fall, high - low + 1)
    return found.astype(np.float64)[scores - low]


def _sums(classes: dict[int, tuple[int, float]], without: int | None) -> int:
    """Return the possible scores as the bits of a whole number; without one person of the weight `without`, if any."""
    bits = 1
    for weight, (size, _) in classes.items():
        left, step = size - (weight == without), 1
        while left > 0:
            taken = min(step, left)
            bits |= bits << (weight * taken)
            left, step = left - taken, step * 2
    return bits


def _positions(bits: int) -> Ints:
    """Return the positions of the bits that are set.

    Examples
    --------
    >>> _positions(0b1011)
    array([0, 1, 3])
    """
    raw = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))
