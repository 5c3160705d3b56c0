"""Both mechanisms of a question with several outcomes, and their accuracy, before any vote is read.

*Balanced*: nobody counts less than others. It is drawn by distance, where no outcome is ever likelier than the true
one, whatever the votes; a ranking instead counts everybody with the least epsilon of all, if that is more accurate. A
count is drawn with noise at the least epsilon, unless the bound on the average error by distance, which holds for all
votes, is below the average error of that noise: so it is never worse on average than everybody at the least epsilon.
*Weighted*: people count with the weight min(epsilon, c), where c is the least of some epsilons that comes within
WORTH of the best expected accuracy; a count has the c with the least expected square of its error, which is a closed
form, or the least epsilon if that has the smaller expected error. All of these choices follow from the groups, the
prior and the ranges, which are public. Expected figures are averages over tables that are drawn from the prior, with a
fixed seed; they decide what is expected, and never privacy. Guarantees hold for every table
(:meth:`OutcomeAccuracy.at`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import numpy as np

from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.polls.mechanism import Group
from neodp.polls.outcomes.counting import Count, step_of
from neodp.polls.outcomes.query import UNIT, How, Ints, OutcomeQuery, cheapest, units_of
from neodp.polls.outcomes.ranking import Ranking
from neodp.polls.prior import Prior

__all__ = ["OutcomeAccuracy", "OutcomePreview", "heard_accuracy", "outcome_preview"]

LEVELS = 24
"""The greatest number of groups of an example; more are rounded down to so many epsilons."""
CAPS = 8
"""The greatest number of caps c that are tried."""
TRIED = 100
"""The number of caps that are tried for a count, besides the epsilons: its error is a closed form."""
WORTH = 0.001
"""The expected accuracy that a greater cap must gain."""
DIFFER = 0.05
"""The greatest difference in expected accuracy, or in relative error of a count, at which no choice is required."""
SURE = 0.95
"""The chance with which an error is stated."""
QUICK = 40
"""The number of tables of an approximation."""
POINTS = 60
"""The greatest number of errors that are kept with their chances."""


@dataclass(frozen=True)
class OutcomeAccuracy:
    """One mechanism, with its accuracy.

    Attributes
    ----------
    query : OutcomeQuery
        The question.
    groups : tuple of Group
    how : How
        The mechanism.
    expected : float
        The chance of the true outcome, on average over the prior.
    error : float
        The error on average: in people for counts, in options for quantiles, else the chance of a wrong outcome.
    within : float
        The error that is not exceeded with a chance of 95 %.
    against : float
        The least chance of the true outcome where those who ask for most privacy answer against all others.
    against_error : float
        The greatest average error there.
    errors : tuple of pairs of float
        Some errors, ascending, each with the chance under the prior that it is not exceeded.
    """

    query: OutcomeQuery
    groups: tuple[Group, ...]
    how: How
    expected: float
    error: float
    within: float
    against: float
    against_error: float
    errors: tuple[tuple[float, float], ...] = field(repr=False, default=())

    @property
    def cap(self) -> float:
        """The greatest epsilon with which anybody counts."""
        return max(self.how.units) * UNIT

    @property
    def fair(self) -> bool:
        """True if nobody counts less than others: by distance, no outcome is ever likelier than the true one."""
        return self.how.kind == "distance" or len(set(self.how.units)) == 1

    def at(self, margin: int) -> float:
        """Return a chance that the true outcome has at every table where `margin` people can change it, and no fewer.

        The chance of the true outcome falls with each of the others' chances to be accepted. Let m people be needed.

        * A quantile by distance: every other outcome is at least as far away as the m cheapest people.
        * A quantile heard with equal weights w: of R - w A and w A - R + 1, R = ceil(q n w), each is above (m - 1) w if
          m people are missing from the rank ceil(q n), or too many.
        * A ranking by distance: whoever the program takes, in whole or in part, can make the winner lose. So it takes
          m - 1 people in whole, and another one in part, which is rounded up to a unit.
        * A ranking heard with equal weights w: the gains k - 1 - P(o) + P(r) of all people are at least k - 1 on
          average, so the winner is more than (m - 1) (k - 1) points ahead, or level if m is 1 and a tie was broken.
          Scores are w times the points.
        """
        if not self.fair:
            return 0.0
        steps = len(self.query.options) - 1
        before, upto = cheapest(self._sizes, self._units, np.array([margin - 1, margin])).tolist()
        if self.how.kind == "heard" and isinstance(self.query, Ranking):
            return self.if_ahead(before + (upto - before) / steps if margin > 1 else 0)
        whole = self.how.kind == "distance" and not isinstance(self.query, Ranking)
        return self.if_ahead(upto if whole else before + min(1, upto - before))

    def if_ahead(self, units: float) -> float:
        """Return the least chance of the best outcome if all others are off by so many units: all K - 1 by just that.

        With p = e^(-units u / 2), permute-and-flip gives it the integral of (1 - s p)^(K - 1) over s from 0 to 1.
        """
        k, p = len(self.query.outcomes), math.exp(-units * UNIT / 2)
        return 1.0 / k if p == 1.0 else -math.expm1(k * math.log1p(-p)) / (k * p) if p else 1.0

    def ahead_for(self, accuracy: float) -> int:
        """Return the least whole number of units by which the best outcome must be ahead to have this chance."""
        low, high = -1, 1
        while self.if_ahead(high) < accuracy:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.if_ahead(middle) >= accuracy else (middle, high)
        return high

    def margin_for(self, accuracy: float) -> int | None:
        """Return the least margin from which the true outcome has this chance; None if there is none."""
        low, high = 0, self.people + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.at(middle) >= accuracy else (middle, high)
        return high if high <= self.people else None

    @cached_property
    def certain(self) -> int | None:
        """The error of a count in people that is not exceeded with 95 %, whatever the votes; None for other questions.

        The width of a range comes on top of :meth:`beyond`.
        """
        return self.off_by(SURE) if isinstance(self.query, Count) else None

    @cached_property
    def mean_bound(self) -> float:
        """A bound on the average error of a count of single numbers, whatever the votes; with noise, the average.

        The average of |X| is the sum of Pr[|X| > m] over m = 0, 1, …
        """
        return float(np.minimum(self._beyond, 1.0).sum())

    def off_by(self, accuracy: float, *, alike: bool = False) -> int:
        """Return the least error in people, of any number in the range, that a count keeps to with this chance."""
        good = np.flatnonzero(self.beyond(alike=alike) <= 1.0 - accuracy)
        wide = cast(Count, self.query).widest - 1
        return min(self.people, int(good[0]) + wide) if len(good) else self.people

    def sure_within(self, people: int, *, alike: bool = False) -> float:
        """Return a chance with which a count is off by at most so many people, whatever the votes and the range."""
        if people >= self.people:
            return 1.0
        number = people - (cast(Count, self.query).widest - 1)
        return max(0.0, 1.0 - float(self.beyond(alike=alike)[number])) if number >= 0 else 0.0

    def beyond(self, *, alike: bool = False) -> Floats:
        """Return bounds on the chance that the nearest number of a range is off by more than 0, 1, … people.

        By distance, it is off by more than m with a chance of at most the sum of e^(-D / 2) over all numbers beyond, on
        both sides. With noise Z, weights w_i of sum W and n people, the estimate n (S + Z) / W is rounded: it is off by
        more than m only if |Z| is at least (m + 1/2 - b) W / n. Here b is how far n S / W can be from the number of
        those who chose the option: at most the sum of all n w_i / W - 1 that are positive. It is 0 if all weights are
        equal, or if the same part of the people chose the option at every weight (`alike`).
        """
        return self._alike if alike else self._beyond

    @cached_property
    def _beyond(self) -> Floats:
        n, total, each = self.people, int(self._sizes @ self._units), self._units
        return self._beyond_bias(int(self._sizes @ np.maximum(0, n * each - total)))

    @cached_property
    def _alike(self) -> Floats:
        return self._beyond_bias(0)

    def _beyond_bias(self, bias: int) -> Floats:
        """Return the bounds; the bias is b W."""
        n = self.people
        m = np.arange(1, n + 1)
        if self.how.kind == "distance":
            each = np.exp(-UNIT / 2 * cheapest(self._sizes, self._units, m))
            return np.asarray(2.0 * np.cumsum(each[::-1])[::-1], np.float64)
        step = step_of(self.how.units)
        far = ((2 * m - 1.0) * int(self._sizes @ self._units) - 2 * bias) / (2 * n * step)
        least = np.ceil(far * (1.0 - 1e-12))  # steps of the noise; never too many by rounding
        noise = 2.0 * np.exp(-UNIT * step * np.maximum(least, 0.0)) / (1.0 + math.exp(-UNIT * step))
        return np.where(least > 0, noise, 1.0)

    @cached_property
    def _units(self) -> Ints:
        return np.array(self.how.units, np.int64)

    @cached_property
    def _sizes(self) -> Ints:
        return np.array([group.size for group in self.groups], np.int64)

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self._sizes.sum())


@dataclass(frozen=True)
class OutcomePreview:
    """Both mechanisms of a question."""

    balanced: OutcomeAccuracy
    weighted: OutcomeAccuracy

    @property
    def differ(self) -> bool:
        """True if the mechanisms differ so much that the user should choose one."""
        if isinstance(self.balanced.query, Count):
            return self.weighted.error < (1.0 - DIFFER) * self.balanced.error - 0.5
        return self.weighted.expected > self.balanced.expected + DIFFER


def outcome_preview(
    query: OutcomeQuery,
    groups: Sequence[Group],
    prior: Prior,
    *,
    share: int = 1,
    expected: bool = True,
    heard: bool = True,
) -> OutcomePreview:
    """Return both mechanisms of a question, without reading a vote.

    Parameters
    ----------
    query : OutcomeQuery
    groups : sequence of Group
        The people, by ascending epsilon.
    prior : Prior
    share : int
        The number by which everybody's epsilon is divided: 2 for one of several counts that share a release.
    expected : bool
        False if only guarantees are needed: expected figures are then those of one table.
    heard : bool
        False if only the balanced mechanism is needed, which then stands in both places.

    Raises
    ------
    GraphError
        If nobody has an epsilon of at least one unit.

    Examples
    --------
    >>> from neodp.polls.outcomes.quantile import Quantile
    >>> found = outcome_preview(Quantile(tuple("1234")), [Group(0.1, 30), Group(2.0, 31)], Prior())
    >>> found.balanced.expected < found.weighted.expected, found.balanced.fair, found.weighted.fair
    (True, True, False)
    """
    people = tuple(groups)
    units = tuple(units_of(group.epsilon) // share for group in people)
    if not any(units):
        greatest = f"the greatest epsilon is {people[-1].epsilon!r}"
        raise GraphError(greatest, f"give somebody at least {share * UNIT:.3g}")
    least = How("noise" if isinstance(query, Count) else "heard", (units[0],) * len(units))
    example = _Example.of(query, people, units, prior, None if expected else 1)
    judged = example.judged(How("distance", units))
    if isinstance(query, Count) and units[0]:
        judged = min(judged, example.judged(least), key=lambda each: each.mean_bound)
    elif isinstance(query, Ranking) and units[0]:
        judged = max(judged, example.judged(least), key=lambda each: each.expected)
    if not heard:
        return OutcomePreview(judged, judged)
    if isinstance(query, Count):
        tried = [
            example.judged(_heard("noise", units, cap))
            for cap in sorted({example.best_cap, units[0] or example.best_cap})
        ]
        best = min(tried, key=lambda each: each.error)
    else:
        tried = [example.judged(_heard("heard", units, cap)) for cap in _caps(units)]
        enough = max(each.expected for each in tried) - WORTH
        best = next(each for each in tried if each.expected >= enough)
    if len(set(units)) == 1 and best.error >= judged.error - 1e-12:
        best = judged
    return OutcomePreview(judged, best)


def heard_accuracy(query: OutcomeQuery, groups: Sequence[Group], prior: Prior) -> float:
    """Return the expected accuracy if everybody is heard by their epsilon, from few tables: a quick approximation."""
    people = tuple(groups)
    units = tuple(units_of(group.epsilon) for group in people)
    return _Example.of(query, people, units, prior, QUICK).judged(How("heard", units)).expected


def _heard(kind: str, units: Sequence[int], cap: int) -> How:
    return How("noise" if kind == "noise" else "heard", tuple(min(each, cap) for each in units))


def _caps(units: Sequence[int]) -> list[int]:
    """Return some of the epsilons as caps, ascending."""
    known = sorted({each for each in units if each})
    return [known[i] for i in np.unique(np.linspace(0, len(known) - 1, CAPS).astype(int)).tolist()]


@dataclass(frozen=True)
class _Example:
    """Tables that are drawn from a prior, with fewer groups if there are many."""

    query: OutcomeQuery
    asked: OutcomeQuery
    groups: tuple[Group, ...]
    units: tuple[int, ...]
    place: tuple[int, ...]
    sizes: Ints
    tables: tuple[Ints, ...]
    chances: Floats
    beta: tuple[float, float] | None

    @classmethod
    def of(
        cls,
        query: OutcomeQuery,
        groups: tuple[Group, ...],
        units: tuple[int, ...],
        prior: Prior,
        most: int | None = None,
    ) -> _Example:
        ends = np.unique(np.linspace(0, len(groups) - 1, min(LEVELS, len(groups))).astype(int))
        place = np.searchsorted(ends, np.arange(len(groups)), side="right") - 1
        sizes = np.bincount(place, [group.size for group in groups], len(ends)).astype(np.int64)
        some = [replace(groups[i], size=int(n)) for i, n in zip(ends.tolist(), sizes.tolist(), strict=True)]
        asked, chances = query.example(prior, groups)
        merged = np.stack([chances[i] for i in ends.tolist()])
        work = len(query.outcomes) ** (2.0 if isinstance(query, Ranking) else 1.5)  # rankings compare every two options
        number = int(np.clip(200_000 // work, 40, 400))
        number = number if most is None else most
        rng = np.random.default_rng(1)
        beta = prior.beta if len(query.options) == 2 else None
        tables = []
        for _ in range(number):
            each = merged
            if beta is not None:
                first = rng.beta(*beta)
                each = np.tile([first, 1.0 - first], (len(ends), 1))
            tables.append(np.stack([rng.multinomial(g.size, p) for g, p in zip(some, each, strict=True)]))
        return cls(query, asked, groups, units, tuple(ends.tolist()), sizes, tuple(tables), merged, beta)

    def judged(self, how: How) -> OutcomeAccuracy:
        """Return a mechanism with its figures."""
        short = How(how.kind, tuple(how.units[i] for i in self.place))
        rows = self.asked.chances_at(self.tables, short)
        right = [float(row[self.asked.truth(counts)]) for row, counts in zip(rows, self.tables, strict=True)]
        every = np.concatenate([self.asked.error(counts) for counts in self.tables])
        weight = rows.reshape(-1) / len(self.tables)
        order = np.argsort(every)
        every, reached = every[order], np.cumsum(weight[order])
        within = every[min(int(np.searchsorted(reached, SURE)), len(every) - 1)]
        some = np.unique(np.searchsorted(reached, np.linspace(0.0, 0.999, POINTS)).clip(0, len(every) - 1))
        hard = [(self.asked.chances(counts, short), counts) for counts in self.asked.divided(self.sizes)]
        return OutcomeAccuracy(
            self.query,
            self.groups,
            how,
            expected=float(np.mean(right)),
            error=float(every @ weight[order]),
            within=float(within),
            against=min((float(p[self.asked.truth(counts)]) for p, counts in hard), default=0.0),
            against_error=max((float(p @ self.asked.error(counts)) for p, counts in hard), default=1.0),
            errors=tuple(zip(every[some].tolist(), reached[some].tolist(), strict=True)),
        )

    @property
    def best_cap(self) -> int:
        """The cap with the least expected square of a count's error: that of the noise, and that of the weights.

        With weights w_i of sum W, the estimate n (S + Z) / W is off by n Z / W and by the sum of (n w_i / W - 1) y_i;
        Z has the variance 2 g^2 e^-gu / (1 - e^-gu)^2, with g the step of the noise, and y_i is
        1 with the chance p_i of the option. If that is one unknown chance p for all, with a beta distribution, the
        factors of the y_i add up to 0, and only the mean of p (1 - p) matters.
        """
        assert isinstance(self.asked, Count)
        share = self.chances[:, self.asked.option]
        spread = share * (1.0 - share)
        if self.beta is not None:
            a, b = self.beta
            spread = np.full(len(share), a * b / ((a + b) * (a + b + 1.0)))
        size, n = self.sizes.astype(np.float64), float(self.sizes.sum())
        each = np.array([self.units[i] for i in self.place], np.float64)

        def square(cap: int) -> float:
            weight = np.minimum(each, cap)
            step = step_of(weight.astype(np.int64).tolist())
            noise = 2.0 * step**2 * math.exp(-UNIT * step) / math.expm1(-UNIT * step) ** 2
            scale = n / float(weight @ size)
            bias = float((size * share) @ (scale * weight - 1.0))
            return noise * scale**2 + float((size * spread) @ (scale * weight - 1.0) ** 2) + bias**2

        least = min(each for each in self.units if each)
        between: list[int] = np.geomspace(least, max(self.units), TRIED).astype(np.int64).tolist()
        return min(sorted({*between, *(each for each in self.units if each)}), key=square)
