"""Medians, quantiles and counts of a table of people, each person with an epsilon of their own.

Two tables are neighbours if one person answers otherwise; the edge between them has that person's epsilon. For a
possible outcome o of a question let

    D_o = the least sum of epsilons of people who must answer otherwise until o is the true outcome,

the distance from the table to the tables whose true outcome is o. By the triangle inequality, one person's answer moves
every D_o by at most that person's own epsilon. The outcomes are taken in random order, and each is accepted with chance
e^(-D_o / 2), until one is accepted (permute-and-flip, McKenna and Sheldon 2020). The true outcome has D_o = 0, so that
one always is. If every D_o moves by at most a, every chance changes by a factor of at most e^a (the proof is that of
:mod:`neodp.asking.mechanism`, with a for n u).

*Quantile q of options in a given order*, among n people: the first option o such that at least r = ceil(q n) people
chose o or an option before it; with q = 1/2 the (lower) median. If fewer than r people chose o or an option before it,
the missing ones have to come from behind o, and may choose o itself, so that nothing else changes. If r or more people
chose an option before o, the surplus has to leave these, and again may choose o. It is never both. So D_o is a sum over
the cheapest people on one side of o.

*Count of an option*: how many of the n people chose it. To have o of them where there are c, the o - c cheapest of the
others have to choose it, or the c - o cheapest of those who did, another option. For *ranges*, a range's distance is
that of its number nearest to c.

*Accuracy, known beforehand.* An outcome with D_o >= d is the answer with chance at most e^(-d / 2). So with K outcomes
and chance 1 - beta, the answer is the true outcome of a table in which people with epsilon 2 ln(K / beta) in sum answer
otherwise.

Epsilons are whole multiples of a unit u, rounded down: a distance is a whole number of units, and nothing else is
rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from neodp.errors import GraphError

__all__ = ["UNIT", "Count", "Quantile", "certain_distance", "units_of"]

UNIT = 2.0**-10
"""The unit of epsilon."""

Ints = NDArray[np.int64]


def units_of(epsilon: float) -> int:
    """Return an epsilon in whole units, rounded down.

    Examples
    --------
    >>> units_of(0.5), units_of(0.0001)
    (512, 0)
    """
    return math.floor(Fraction(epsilon) / Fraction(UNIT))


@dataclass(frozen=True)
class Quantile:
    """The quantile of options that have an order.

    Parameters
    ----------
    share : Fraction
        q, above 0 and at most 1.
    options : tuple of str
        The options in ascending order.

    Examples
    --------
    Nine people on a scale from 1 to 5, all with the same epsilon of 4 units; three of them chose "4":

    >>> median = Quantile(Fraction(1, 2), ("1", "2", "3", "4", "5"))
    >>> median.distances(np.array([[1, 1, 2, 3, 2]]), np.array([4]))
    [16, 12, 4, 0, 12]
    """

    share: Fraction
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise GraphError(f"the quantile is {float(self.share):g}", "give a number above 0 and at most 1")

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""
        return self.options

    def distances(self, counts: Ints, units: Ints) -> list[int]:
        """Return the distance to each outcome, in units.

        Parameters
        ----------
        counts : array of int, one row per level, one column per option
            How many people of a level chose an option.
        units : array of int, one per level, ascending
            The epsilon of each level, in units.
        """
        rank = math.ceil(self.share * int(counts.sum()))
        total = counts.sum(axis=0)
        found = []
        for o in range(len(self.options)):
            missing = rank - int(total[: o + 1].sum())
            surplus = int(total[:o].sum()) - (rank - 1)
            side = counts[:, o + 1 :] if missing > 0 else counts[:, :o]
            found.append(_costs(side.sum(axis=1), units)(max(missing, surplus, 0)))
        return found


@dataclass(frozen=True)
class Count:
    """The number of people who chose an option, exactly or in ranges.

    Parameters
    ----------
    option : int
        The position of the option.
    people : int
        The number of people in all.
    starts : tuple of int
        The first number of each range, ascending from 0.

    Examples
    --------
    >>> Count(0, 5, (0, 1, 3)).outcomes
    ('0', '1 to 2', '3 to 5')
    >>> Count(0, 5, (0, 1, 3)).distances(np.array([[3, 2]]), np.array([4]))
    [12, 4, 0]
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
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""
        ends = [*(start - 1 for start in self.starts[1:]), self.people]
        return tuple(str(a) if a == b else f"{a} to {b}" for a, b in zip(self.starts, ends, strict=True))

    def distances(self, counts: Ints, units: Ints) -> list[int]:
        """Return the distance to each outcome, in units; see :meth:`Quantile.distances`."""
        chose = counts[:, self.option]
        now = int(chose.sum())
        starts = np.array(self.starts, np.int64)
        ends = np.append(starts[1:] - 1, self.people)
        nearest = np.clip(now, starts, ends)
        up, down = _costs(counts.sum(axis=1) - chose, units), _costs(chose, units)
        return [up(int(o) - now) if o >= now else down(now - int(o)) for o in nearest]


def _costs(people: Ints, units: Ints) -> Callable[[int], int]:
    """Return a function from a number to the cost of that many of the cheapest people."""
    before = np.concatenate([[0], np.cumsum(people)])
    paid = [0]
    for n, u in zip(people.tolist(), units.tolist(), strict=True):
        paid.append(paid[-1] + n * u)

    def cost(number: int) -> int:
        level = min(int(np.searchsorted(before, number, side="right")) - 1, len(units) - 1)
        return int(paid[level] + (number - int(before[level])) * int(units[level]))

    return cost


def certain_distance(outcomes: int, beta: float = 0.05) -> float:
    """Return the sum of epsilons that a published outcome is off by at most, but for a chance of beta.

    Examples
    --------
    >>> round(certain_distance(5), 2)
    9.21
    """
    return 2.0 * math.log(outcomes / beta)
