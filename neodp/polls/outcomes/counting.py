"""The number of people who chose an option, in ranges.

*By distance.* To have o people where there are c, the o - c cheapest of the others have to choose the option, or the
c - o cheapest of those who chose it have to choose another. A range's distance is that of its number nearest to c.

*With noise.* All sums of weights are multiples of g, the greatest common divisor of the weights, which are public. So
is the noise: Z = g Y with Pr[Y = y] in proportion to e^(-g u |y|). A sum that moves by w moves by w / g such steps, and
the chance of every noisy sum changes by a factor of at most e^(g u w / g) = e^(u w). If all have the same weight, it is
discrete Laplace noise on the number of people, which is more accurate than finer noise that is rounded afterwards.

With S the weight of those who chose the option and W that of all n people, the estimate is n (S + Z) / W, rounded to a
whole number from 0 to n. It is at least a iff S + Z >= ceil((2 a - 1) W / (2 n)), so that the range is found with whole
numbers only.

*Every option at once.* Another answer of one person changes the counts of two options, and of no other. So if every
count is drawn with half of everybody's epsilon, independently, all of them together cost everybody their epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from neodp.core.sampling import geometric
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.polls.outcomes.query import UNIT, How, Ints, OutcomeQuery, cheapest

__all__ = ["Count", "ranges_of", "step_of"]

RANGES = 2_000
"""The greatest number of ranges if none are named: up to that many people, every number is a range of its own."""


def ranges_of(people: int, width: int | None = None) -> tuple[int, ...]:
    """Return the first numbers of ranges of equal width; by default the least of 1, 2, 5, 10, … for 2,000 ranges.

    Examples
    --------
    >>> ranges_of(3), ranges_of(100, 25), len(ranges_of(1_000_000))
    ((0, 1, 2, 3), (0, 25, 50, 75, 100), 1001)
    """
    step = width
    if step is None:
        step = next(n for n in (m * 10**e for e in range(12) for m in (1, 2, 5)) if people // n < RANGES)
    return tuple(range(0, people + 1, step))


def step_of(weights: Sequence[int]) -> int:
    """Return the step of the noise, in units: the greatest common divisor of the weights.

    Examples
    --------
    >>> step_of((6, 6, 6)), step_of((0, 4, 6)), step_of((3, 7))
    (6, 2, 1)
    """
    return math.gcd(*weights)


@dataclass(frozen=True)
class Count(OutcomeQuery):
    """The number of people who chose an option, exactly or in ranges.

    Attributes
    ----------
    option : int
        The position of the option.
    people : int
        The number of people in all.
    starts : tuple of int
        The first number of each range, ascending from 0.

    Examples
    --------
    >>> asked = Count(("yes", "no"), 0, 5, (0, 1, 3))
    >>> asked.outcomes
    ('0', '1 to 2', '3 to 5')
    >>> asked.distances(np.array([[3, 2]]), np.array([4]))
    array([12,  4,  0])
    """

    option: int
    people: int
    starts: tuple[int, ...]

    def __post_init__(self) -> None:
        ascending = all(a < b for a, b in pairwise(self.starts))
        if not self.starts or self.starts[0] != 0 or not ascending or self.starts[-1] > self.people:
            shown = ", ".join(map(str, self.starts)) or "nowhere"
            raise GraphError(
                f"the ranges begin at {shown}", f"give numbers that ascend from 0, none above {self.people}, the people"
            )

    @property
    def widest(self) -> int:
        """The number of numbers in the widest range."""
        return int(np.diff([*self.starts, self.people + 1]).max())

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""
        ends = [*(start - 1 for start in self.starts[1:]), self.people]
        return tuple(str(a) if a == b else f"{a} to {b}" for a, b in zip(self.starts, ends, strict=True))

    def question(self, people: int) -> str:
        """Return the question in words."""
        return f"how many of {people:,} people choose {self.options[self.option]!r}?"

    def truth(self, counts: Ints) -> int:
        """Return the position of the range with the true number."""
        return int(np.searchsorted(self.starts, int(counts[:, self.option].sum()), side="right")) - 1

    def error(self, counts: Ints) -> Floats:
        """Return how far the middle of each range is from the true number, in people; 0 for the true range."""
        starts = np.array(self.starts)
        ends = np.append(starts[1:] - 1, self.people)
        found: Floats = np.abs((starts + ends) / 2.0 - int(counts[:, self.option].sum()))
        found[self.truth(counts)] = 0.0
        return found

    def distances(self, counts: Ints, units: Ints) -> Ints:
        """Return the distance to each range, in units."""
        chose = counts[:, self.option]
        now = int(chose.sum())
        starts = np.array(self.starts, np.int64)
        nearest = np.clip(now, starts, np.append(starts[1:] - 1, self.people))
        up = cheapest(counts.sum(axis=1) - chose, units, np.maximum(nearest - now, 0))
        down = cheapest(chose, units, np.maximum(now - nearest, 0))
        found: Ints = np.where(nearest >= now, up, down)
        return found

    def behind(self, counts: Ints, weights: Ints) -> Ints:
        """Return the least noise, in units, with which each range is the answer."""
        score, first = int(weights @ counts[:, self.option]), self._firsts(counts, weights)
        after = np.append(first[1:] - 1, np.iinfo(np.int64).max // 2)
        found: Ints = np.maximum(0, np.maximum(first - score, score - after))
        return found

    def _firsts(self, counts: Ints, weights: Ints) -> Ints:
        """Return the least noisy sum of each range; the first range has all that are smaller."""
        total, n = int(weights @ counts.sum(axis=1)), self.people
        least = [-((1 - 2 * start) * total // (2 * n)) for start in self.starts[1:]]
        return np.array([np.iinfo(np.int64).min // 2, *least], np.int64)

    def draw(self, counts: Ints, how: How) -> int:
        """Draw the position of a range, exactly; the number of draws does not depend on the table."""
        if how.kind == "distance":
            return super().draw(counts, how)
        weights = np.array(how.units, np.int64)
        step = step_of(how.units)
        rate = step * Fraction(UNIT)
        noisy = int(weights @ counts[:, self.option]) + step * (geometric(rate) - geometric(rate))
        return sum(noisy >= first for first in self._firsts(counts, weights)[1:].tolist())

    def chances_at(self, tables: Sequence[Ints], how: How) -> Floats:
        """Return the chance of each range at each of some tables, in rows."""
        if how.kind == "distance":
            return super().chances_at(tables, how)
        return np.stack([self._with_noise(counts, how) for counts in tables])

    def _with_noise(self, counts: Ints, how: How) -> Floats:
        weights = np.array(how.units, np.int64)
        step = step_of(how.units)
        need = -(
            (int(weights @ counts[:, self.option]) - self._firsts(counts, weights)[1:]) // step
        )  # steps, rounded up
        small = np.exp(-UNIT * step * np.where(need > 0, need, 1 - need)) / (1.0 + math.exp(-UNIT * step))
        above = np.concatenate([[1.0], np.where(need > 0, small, 1.0 - small), [0.0]])
        found: Floats = -np.diff(above)
        return found

    def change(self, one: Ints, two: Ints, how: How) -> int:
        """Return by how much a range is moved between two tables at most: its distance, or the sum of weights."""
        if how.kind == "distance":
            return super().change(one, two, how)
        return abs(int(np.array(how.units, np.int64) @ (two - one)[:, self.option]))

    def divided(self, sizes: Ints) -> Iterator[Ints]:
        """Yield tables where the half with the least epsilons choose the option, or all others do."""
        other = 1 if self.option == 0 else 0
        half = np.clip(int(sizes.sum()) // 2 - (np.cumsum(sizes) - sizes), 0, sizes)
        for chose in (half, sizes - half):
            counts = np.zeros((len(sizes), len(self.options)), np.int64)
            counts[:, self.option] = chose
            counts[:, other] = sizes - chose
            yield counts
