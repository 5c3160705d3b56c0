"""The winner of ranked ballots by points (Borda), each person with an epsilon of their own.

With k options, the option that a ballot ranks first gets k - 1 points, the next one k - 2, and so on; options that a
ballot does not rank get none. The option with the most points wins; a tie goes to the option that is named first. Let
P_i(o) be the points of person i's ballot for o.

*By distance.* For o to win, o must have as many points as every rival r, or one more if r is named first. If person i
ranks o first and r not at all, o gains g_i = k - 1 - P_i(o) + P_i(r) on r, and no ballot gives more. So with need the
points that o lacks, the program

    D_or = min  sum of e_i z_i   such that  sum of g_i z_i >= need,  0 <= z_i <= 1

bounds the distance from below, and so does D_o = max over r of ceil(D_or). *It moves by at most e_i:* let z solve the
program of a table, and let person i vote otherwise. With z_i = 1, person i contributes k - 1 to the difference of o and
r whatever the ballot was; before, P_i(o) - P_i(r) + g_i z_i <= k - 1. So z, with z_i = 1, is feasible for the other
table, and costs at most e_i more. A maximum, and a rounding up to whole units, of numbers that move by at most a whole
e_i move by at most e_i. And D_o is 0 for the true winner. The program is solved in closed form: the people with the
least e_i / g_i come first, and the last of them counts in part.

*Heard by weight.* Option o has the score S_o, the sum of w_i P_i(o) / (k - 1), and is behind by the greatest score less
S_o. Permute-and-flip with chances e^(-behind / 2) answers the option with the greatest S_o + X_o, where the X_o are
independent and exponential with mean 2 [Ding and others, 2021]. Given the noise of all others, o is answered iff X_o
exceeds the greatest of the others' S_r + X_r, less S_o. Another ballot moves every score by at most w_i, so that bound
by at most 2 w_i, and the chance of exceeding it changes by a factor of at most e^(w_i). In whole numbers, scores are
sums of w_i P_i(o), and the rate is 1 / (k - 1) of the usual one.

There is no instant run-off, which eliminates one option after another: the distance to another winner is hard to
compute, and one private elimination after another would divide everybody's epsilon by the number of rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations

import numpy as np

from neodp.data.validation import Floats
from neodp.polls.mechanism import Group
from neodp.polls.outcomes.query import UNIT, How, Ints, OutcomeQuery
from neodp.polls.prior import Prior

__all__ = ["Ballot", "Ranking"]

Ballot = tuple[int, ...]
"""The positions of the ranked options, best first."""
DRAWN = 200
"""The number of ballots of an example; eight for each option, if that is more."""
BLOCK = 1_000_000
"""The greatest number of ballots times rivals that are compared at once."""
NEWTON, CLOSE = 50, 1e-9
"""The greatest number of steps of Newton's method, and how near to 0 it comes."""


@dataclass(frozen=True)
class Ranking(OutcomeQuery):
    """The winner of ranked ballots by points.

    Attributes
    ----------
    ballots : tuple of ballots
        The ballots that the columns of a table stand for. Secret, if they come from a table.

    Examples
    --------
    >>> asked = Ranking(("a", "b", "c"), ((0, 1, 2), (1, 2), (2, 1)))
    >>> asked.points.tolist()
    [[2, 1, 0], [0, 2, 1], [0, 1, 2]]
    >>> counts = np.array([[4, 2, 1]])
    >>> asked.options[asked.truth(counts)], asked.distances(counts, np.array([4]))
    ('b', array([1, 0, 8]))
    """

    ballots: tuple[Ballot, ...] = field(repr=False, default=())

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""
        return self.options

    @cached_property
    def points(self) -> Ints:
        """The points of each ballot (row) for each option (column)."""
        k = len(self.options)
        found = np.zeros((len(self.ballots), k), np.int64)
        for row, ballot in zip(found, self.ballots, strict=True):
            for place, option in enumerate(ballot):
                row[option] = k - 1 - place
        return found

    def question(self, people: int) -> str:
        """Return the question in words."""
        return f"which of {len(self.options)} options has the most points on the ranked ballots of {people:,} people?"

    def truth(self, counts: Ints) -> int:
        """Return the position of the option with the most points."""
        return int(np.argmax(counts.sum(axis=0) @ self.points))

    @property
    def gamma(self) -> Fraction:
        """The rate for scores that are k - 1 times as large."""
        return Fraction(UNIT) / (2 * (len(self.options) - 1))

    def behind(self, counts: Ints, weights: Ints) -> Ints:
        """Return by how much the score of each option is behind the greatest, times k - 1."""
        scores = (weights @ counts) @ self.points
        found: Ints = scores.max() - scores
        return found

    def distances(self, counts: Ints, units: Ints) -> Ints:
        """Return a lower bound of the distance to each option, in units.

        The program of an option and a rival is solved for many rivals at once. Quotients of whole numbers below 2^26
        and 2^12 are in the right order as doubles, and equal if they are equal.
        """
        k, groups = len(self.options), len(units)
        total, most = counts.sum(axis=0) @ self.points, 2 * (k - 1)
        per = np.arange(1, most + 1)
        order = np.argsort((units[:, None] / per).reshape(-1), kind="stable")
        each, cost = np.tile(per, groups)[order], np.repeat(units, most)[order]
        found = np.zeros(k, np.int64)
        for o in range(k):
            lacks = total - total[o] + (np.arange(k) < o)
            rivals, number = np.flatnonzero(lacks > 0), max(1, BLOCK // max(1, len(self.ballots)))
            for start in range(0, len(rivals), number):
                some = rivals[start : start + number]
                need, gain = lacks[some, None], k - 1 - self.points[:, [o]] + self.points[:, some]
                people = self._by_gain(counts, gain, most).reshape(len(some), -1)[:, order]
                gained = np.pad(np.cumsum(people * each, axis=1), ((0, 0), (1, 0)))
                paid = np.pad(np.cumsum(people * cost, axis=1), ((0, 0), (1, 0)))
                last = (gained < need).sum(axis=1, keepdims=True) - 1
                left = need - np.take_along_axis(gained, last, axis=1)
                least = np.take_along_axis(paid, last, axis=1) - (-left * cost[last] // each[last])
                found[o] = max(found[o], int(least.max()))
        return found

    @staticmethod
    def _by_gain(counts: Ints, gain: Ints, most: int) -> Ints:
        """Return, per rival and group, how many people would give each gain from 1 to `most`."""
        rivals = gain.shape[1]
        place = (gain + (most + 1) * np.arange(rivals)).reshape(-1)
        each = (np.bincount(place, np.repeat(row, rivals), rivals * (most + 1)) for row in counts)
        found = np.stack([row.reshape(rivals, most + 1)[:, 1:] for row in each], axis=1)
        return found.astype(np.int64)

    def change(self, one: Ints, two: Ints, how: How) -> int:
        """Return by how much an outcome is moved between two tables at most: its distance, or its score, rounded up."""
        if how.kind == "distance":
            return super().change(one, two, how)
        moved = np.array(how.units, np.int64) @ (two - one) @ self.points
        return -(-int(np.abs(moved).max()) // (len(self.options) - 1))

    def example(self, prior: Prior, groups: Sequence[Group]) -> tuple[Ranking, Floats]:
        """Return the question with ballots that do not come from a table, and the chance of each, by group.

        The prior says how likely an option is to be ranked first; then it is ranked among the rest in proportion
        (Plackett and Luce): with weights w, o is ranked above r with chance w_o / (w_o + w_r). There is a column for
        every ballot or, if there are more than DRAWN, for some that are drawn with a fixed seed. Their chances are then
        proportional to e^(lambda P), with the lambda for which the mean points P are those of all ballots: otherwise
        the luck of the draw would decide between thousands of people.
        """
        k = len(self.options)
        if k == 2:
            return Ranking(self.options, ((0, 1), (1, 0))), super().example(prior, groups)[1]
        weight = prior.chances(self.options)
        if math.factorial(k) <= DRAWN:
            every = Ranking(self.options, tuple(permutations(range(k))))
            ranked = weight[np.array(every.ballots)]
            chances = (ranked / np.cumsum(ranked[:, ::-1], axis=1)[:, ::-1]).prod(axis=1)
        else:
            number = max(DRAWN, 8 * k)
            order = np.argsort(-(np.log(weight) + np.random.default_rng(1).gumbel(size=(number, k))), axis=1)
            ends: tuple[Ballot, ...] = ((0, *range(2, k), 1), (1, *range(2, k), 0))
            every = Ranking(self.options, ends + tuple(map(tuple, order.tolist())))
            mean = (weight[:, None] / (weight[:, None] + weight)).sum(axis=1) - 0.5
            chances = _tilted(every.points - mean)
        return every, np.tile(chances, (len(groups), 1))

    def divided(self, sizes: Ints) -> Iterator[Ints]:
        """Yield tables where those with the least epsilons rank one option first, and all others rank the other first.

        If the two ballots are not among the columns, nothing is yielded.
        """
        k = len(self.options)
        here, there = (0, *range(2, k), 1), (1, *range(2, k), 0)
        if here not in self.ballots or there not in self.ballots:
            return
        few = np.clip(int(sizes.sum()) // 2 + 1 - (np.cumsum(sizes) - sizes), 0, sizes)
        for one, two in ((here, there), (there, here)):
            counts = np.zeros((len(sizes), len(self.ballots)), np.int64)
            counts[:, self.ballots.index(one)] = few
            counts[:, self.ballots.index(two)] += sizes - few
            yield counts


def _tilted(points: Floats) -> Floats:
    """Return chances of rows, proportional to e^(lambda row), with which the mean row is 0, by Newton's method.

    A step changes no exponent by more than 2. If 0 is no mixture of the rows, all rows have the same chance.
    """
    rate = np.zeros(points.shape[1])
    for _ in range(NEWTON):
        chances: Floats = np.exp(points @ rate - (points @ rate).max())
        chances /= chances.sum()
        mean = chances @ points
        if np.abs(mean).max() < CLOSE:
            return chances
        spread = (points * chances[:, None]).T @ points - np.outer(mean, mean)
        step = np.linalg.pinv(spread, hermitian=True) @ mean
        rate -= step / max(1.0, float(np.abs(points @ step).max()) / 2.0)
    return np.full(len(points), 1.0 / len(points))
