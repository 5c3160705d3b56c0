"""Medians and other quantiles of options that have an order.

*Quantile q*, among n people: the first option o such that at least r = ceil(q n) people chose o or an option before it;
with q = 1/2 the (lower) median. If fewer than r people chose o or an option before it, the missing ones have to come
from behind o, and may choose o itself, so that nothing else changes. If r or more people chose an option before o, the
surplus has to leave these, and again may choose o. It is never both. So D_o is a sum over the cheapest people on one
side of o.

*Heard by weight*: with A_o the weight of those who chose o or an option before it, and W the weight of all, o is behind
by the greater of R - A_o and A_(o - 1) - R + 1, R = ceil(q W), or by 0. One person moves every A_o by at most their
weight, and so the greatest of the three.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.polls.outcomes.query import Ints, OutcomeQuery

__all__ = ["Quantile"]


@dataclass(frozen=True)
class Quantile(OutcomeQuery):
    """The quantile of options that have an order.

    Attributes
    ----------
    options : tuple of str
        The options in ascending order.
    share : Fraction
        q, above 0 and at most 1.

    Examples
    --------
    Nine people on a scale from 1 to 5, all with the same epsilon of 4 units; three of them chose "4":

    >>> median = Quantile(("1", "2", "3", "4", "5"))
    >>> median.distances(np.array([[1, 1, 2, 3, 2]]), np.array([4]))
    array([16, 12,  4,  0, 12])
    """

    share: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise GraphError(f"the quantile is {float(self.share):g}", "give a number above 0 and at most 1")

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""
        return self.options

    def question(self, people: int) -> str:
        """Return the question in words."""
        what = "median" if self.share == Fraction(1, 2) else f"{float(self.share):g} quantile"
        scale = f"from {self.options[0]!r} to {self.options[-1]!r}"
        return f"what is the {what} of the answers of {people:,} people, {scale}?"

    def truth(self, counts: Ints) -> int:
        """Return the position of the quantile."""
        rank = math.ceil(self.share * int(counts.sum()))
        return int(np.searchsorted(np.cumsum(counts.sum(axis=0)), rank))

    def distances(self, counts: Ints, units: Ints) -> Ints:
        """Return the distance to each option, in units."""
        rank = math.ceil(self.share * int(counts.sum()))
        upto = np.cumsum(counts, axis=1)  # who chose an option or one before it, by group
        below = upto - counts
        missing, surplus = rank - upto.sum(axis=0), below.sum(axis=0) - (rank - 1)
        side = np.where(missing > 0, upto[:, -1:] - upto, below)  # those who have to answer otherwise
        before = np.cumsum(side, axis=0) - side
        found: Ints = units @ np.clip(np.maximum(np.maximum(missing, surplus), 0) - before, 0, side)
        return found

    def behind(self, counts: Ints, weights: Ints) -> Ints:
        """Return by how much each option is behind the quantile by weight, in units."""
        weight = weights @ counts
        upto = np.cumsum(weight)
        rank = math.ceil(self.share * int(upto[-1]))
        if not rank:  # nobody is heard
            return np.zeros(len(self.options), np.int64)
        found: Ints = np.maximum(0, np.maximum(rank - upto, upto - weight - rank + 1))
        return found

    def error(self, counts: Ints) -> Floats:
        """Return by how many options each outcome is off."""
        return np.abs(np.arange(len(self.options)) - self.truth(counts)).astype(np.float64)

    def divided(self, sizes: Ints) -> Iterator[Ints]:
        """Yield tables where those with the least epsilons choose one end of the scale, and all others the other."""
        people = int(sizes.sum())
        rank = math.ceil(self.share * people)
        before = np.cumsum(sizes) - sizes
        for few, end in ((rank, 0), (people - rank + 1, len(self.options) - 1)):
            counts = np.zeros((len(sizes), len(self.options)), np.int64)
            counts[:, end] = np.clip(few - before, 0, sizes)
            counts[:, len(self.options) - 1 - end] += sizes - counts[:, end]
            yield counts
