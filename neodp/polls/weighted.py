"""The weighted poll: the private yes or no that is most often right, for a public prior.

The balanced poll (:mod:`neodp.polls`) is at least as good as a coin toss on every table of votes. This is costly if
epsilons differ a lot: one person with a tiny epsilon whose vote might be decisive keeps the answer close to a coin
toss. The weighted poll gives up that guarantee. Its answer depends on a *score*, in which people who ask for more
privacy count less, and is best on average over a prior (:mod:`neodp.polls.prior`). On some tables it is then wrong more
often than right: above all if everybody who asks for much privacy votes the same way. :mod:`neodp.polls.comparison`
computes how often.

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
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import UNIT, Floats
from neodp.polls.costs import TINY
from neodp.polls.mechanism import Counts, Margin, Threshold
from neodp.polls.prior import Prior
from neodp.polls.scores import WORK, classes_of, positions

__all__ = ["Weighted", "falling"]

Ints = NDArray[np.int64]


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
        yes = np.array(self.spread(total), np.int64)
        return np.column_stack([yes, self.sizes - yes])

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
        return positions(self._reach[total])

    def _between(self, low: int, high: int) -> Ints:
        """Return the scores from low to high, but only the outermost ones outside the window, where F is monotone."""
        inner = np.arange(max(low, self.low), min(high, self.high) + 1)
        return np.unique(np.concatenate([[low, high], inner]))

    def _ends(self, total: int) -> tuple[int, int]:
        """Return the least and the greatest score with `total` votes for the first option."""
        order = np.argsort(self.weights, kind="stable")
        weight, size = np.array(self.weights)[order], self.sizes[order]

        def least(weight: Ints, size: Ints) -> int:
            taken = np.clip(total - (np.cumsum(size) - size), 0, size)
            return int(weight @ taken)

        return least(weight, size), least(weight[::-1], size[::-1])

    @property
    def _top(self) -> int:
        return int(np.array(self.weights) @ self.sizes)

    @cached_property
    def _reach(self) -> list[int] | None:
        """The possible scores per number of votes for the first option, each set as the bits of one whole number."""
        classes = classes_of(self.weights, self)
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
