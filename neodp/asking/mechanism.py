"""The two mechanisms for graphs of people: "are there at least t?" and "how many are there?".

Everything that is drawn is a function of k_t = ceil(D_t), the distance to fewer than t in whole units u of epsilon
(:mod:`neodp.asking.cover`). When a person of weight n leaves, every k_t falls by 0 to n.

**At least t.** The answer is yes with chance F_k, where F_0 = alpha and F_{k+1} is the greatest chance that (u)-privacy
allows beside F_k::

    F_{k+1} = U(F_k) = min(e^u F_k, 1 - e^-u (1 - F_k)).

Two neighbours whose k differ by at most n have chances that differ, for both answers, by a factor of at most e^(n u): n
steps of U. The steps are those of :func:`neodp.compiled.kernel.relax`, on labels, which keep the chances of yes and of
no exactly. Every graph with fewer than t has k = 0, so that alpha is the exact rate of false alarms. If alpha is
optimal among mechanisms that treat all those graphs alike, F is their optimum (paper 002) at the true distance; k is
that distance or less, since a program may also take a part of a person.

**How many.** Let g_0 < g_1 < … be public numbers, and the ranges be [g_j, g_{j+1}), the last without an end. With a
public shift tau and a public depth, in units, range j is off by

    n_j = min(depth, max(k_{j+1} - tau, tau - k_j, 0)),     k_0 = infinite,  k_{last + 1} = 0.

k falls along the grid, so that some range has n_j = 0. All n_j change by at most n when a person of weight n leaves.
The range is drawn by :mod:`neodp.core.permute_and_flip` with gamma = u / 2: range j is accepted with chance
p_j = e^(-n_j u / 2).

*Private.* Every chance changes by a factor of at most e^(n u). The shifted inverse is due to Fang, Dong and Yi (2022);
here the shift is in epsilon, so that everybody has an epsilon of their own.

*Accurate.* A range with p_r <= beta / K, of K ranges, is the answer with chance at most beta / K. So with 1 - beta the
answer lies where k is within 2 ln(K / beta) of tau; with tau = 2 ln(K / beta), it is never too high by then, and an
empty graph gives its own range. The answer to *how many* is the last number of the range.

Acceptance is drawn exactly: a whole number G with Pr[G >= n] = e^(-n u / 2) is drawn first (Canonne, Kamath and Steinke
2020), and then n_j <= G is decided, which bounds of k often decide already: few programs are solved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from neodp.compiled.labels import HALF
from neodp.core.permute_and_flip import outcome_chances, shuffled
from neodp.core.sampling import geometric
from neodp.errors import NotAskable

__all__ = ["BETA", "UNIT", "AtLeast", "Counting", "Known", "grid_to"]

UNIT = 2.0**-10
"""The unit of epsilon: a person's weight is a whole multiple of it."""
BETA = 0.05
"""The chance with which a count may be off by more than is stated."""
RATIO = Fraction(1005, 1000)
"""The ratio between the points of the grid of a count."""


class Known(Protocol):
    """The distances of a graph, in whole units."""

    def units(self, t: int) -> int | None:
        """Return k for a number t; None if it is infinite."""

    def at_most(self, t: int, bound: int) -> bool:
        """Return whether k is at most a bound: often it is clear without k itself."""


@dataclass(frozen=True)
class AtLeast:
    """The question whether there are at least t.

    Parameters
    ----------
    threshold : int
        t, at least 1.
    false_alarm : float
        alpha, above 0 and below 1: the chance of a yes if there are fewer.
    unit : float
        The unit of epsilon.

    Examples
    --------
    >>> asked = AtLeast(500, 0.05, unit=1.0)
    >>> [round(asked.chances(k)["yes"], 4) for k in (0, 1, 2, 5, None)]
    [0.05, 0.1359, 0.3695, 0.9686, 1.0]
    """

    threshold: int
    false_alarm: float = 0.05
    unit: float = UNIT

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise NotAskable(f"the question is whether there are at least {self.threshold}", "give a number above 0")
        if not 2.0**-1000 <= self.false_alarm <= 1.0 - 2.0**-53:
            raise NotAskable(f"the false-alarm rate is {self.false_alarm}", "give a number above 0 and below 1")

    def chances(self, units: int | None) -> dict[str, float]:
        """Return the chances of yes and no at a distance in units; the smaller one is exact."""
        if units is None:
            return {"yes": 1.0, "no": 0.0}
        label = int(self._labels(units)[-1])
        small = float(np.int64(HALF - abs(label)).view(np.float64))
        return {"yes": 1.0 - small, "no": small} if label > 0 else {"yes": small, "no": 1.0 - small}

    def _labels(self, units: int) -> NDArray[np.int64]:
        """Return the labels at all distances up to one; beyond 1,500 in epsilon they change no more."""
        from neodp.compiled import kernel

        labels = np.full(1 + min(units, math.ceil(1500 / self.unit)), self._start, np.int64)
        kernel.climb(self._start, kernel.factor(self.unit), labels[1:])
        return labels

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers."""
        return ("yes", "no")

    @property
    def _start(self) -> int:
        """The label of alpha."""
        return _label(self.false_alarm)

    def needed(self, chance: float) -> int:
        """Return the least distance in units from which on the chance of a yes is at least this one.

        Examples
        --------
        >>> AtLeast(500, 0.05, unit=1.0).needed(0.9)
        4
        """
        wanted, most = _label(chance), math.ceil(1500 / self.unit)
        labels = self._near
        if labels[-1] < wanted:
            labels = self._labels(most)
        return int(np.searchsorted(labels, wanted))

    @cached_property
    def _near(self) -> NDArray[np.int64]:
        """The labels up to a distance at which the chance of a yes is at least 99 %."""
        return self._labels(8 + math.ceil((math.log(100) - math.log(self.false_alarm)) / self.unit))

    def curve(self, points: int) -> list[tuple[int, float]]:
        """Return distances in units up to one at which a yes is nearly certain, each with the chance of a yes."""
        labels = self._near
        places = np.unique(np.linspace(0, len(labels) - 1, points).astype(int)).tolist()
        small = (HALF - np.abs(labels[places])).view(np.float64)
        chances = np.where(labels[places] > 0, 1.0 - small, small)
        return list(zip(places, chances.tolist(), strict=True))

    def answer(self, known: Known) -> dict[str, float]:
        """Return the chances of the answers."""
        return self.chances(known.units(self.threshold))


def _label(chance: float) -> int:
    """Return the label of a chance of yes."""
    small = int(np.float64(min(chance, 1.0 - chance)).view(np.int64))
    return small - HALF if chance <= 0.5 else HALF - small


def grid_to(most: int) -> tuple[int, ...]:
    """Return the grid of a count: all whole numbers at first, then with a ratio of 1.005, up to the greatest.

    Examples
    --------
    >>> grid_to(5), len(grid_to(1_000_000))
    ((0, 1, 2, 3, 4, 5), 2024)
    """
    points = [0]
    while points[-1] < most:
        points.append(min(most, max(points[-1] + 1, math.floor(points[-1] * RATIO))))
    return tuple(points)


@dataclass(frozen=True)
class Counting:
    """The question in which of some ranges the number lies.

    Parameters
    ----------
    grid : tuple of int
        The first number of each range, ascending from 0; the last range has no end.
    coarse : bool
        True if the range itself is the answer, rather than its last number.
    unit : float
        The unit of epsilon.

    Examples
    --------
    >>> Counting((0, 10, 100), coarse=True).answers
    ('0 to 9', '10 to 99', '100 or more')
    """

    grid: tuple[int, ...]
    coarse: bool = False
    unit: float = UNIT

    def __post_init__(self) -> None:
        if len(self.grid) < 2 or self.grid[0] != 0 or any(a >= b for a, b in pairwise(self.grid)):
            begin = ", ".join(map(str, self.grid))
            told = f"the ranges begin at {begin}" if begin else "there are no ranges"
            raise NotAskable(told, "give numbers that ascend from 0")

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The possible answers, one for each range."""
        if not self.coarse:
            return (*(str(after - 1) for after in self.grid[1:]), str(self.grid[-1]))
        ends = [f"{a} to {b - 1}" if b - 1 > a else str(a) for a, b in pairwise(self.grid)]
        return (*ends, f"{self.grid[-1]} or more")

    @property
    def shift(self) -> int:
        """The shift tau in units."""
        return math.ceil(2.0 * math.log(len(self.grid) / BETA) / self.unit)

    @property
    def depth(self) -> int:
        """The greatest amount in units by which a range can be off."""
        return 2 * self.shift

    def curve(self, points: int) -> list[tuple[int, float]]:
        """Return weights in units, each with a lower bound of the chance that the answer is not too low.

        The answer is not below what is left when people of weight tau + x leave, with at least 1 - K e^(-x u / 2).
        """
        places = np.unique(np.linspace(0, 3 * self.shift, points).astype(int)).tolist()
        return [
            (each, max(0.0, 1.0 - len(self.grid) * math.exp(min(0, self.shift - each) * self.unit / 2)))
            for each in places
        ]

    def _at_most(self, known: Known, place: int, bound: int) -> bool:
        """Return whether the distance at a point of the grid is at most a bound; beyond the last point it is 0."""
        if place == len(self.grid):
            return bound >= 0
        return place > 0 and known.at_most(self.grid[place], bound)

    def draw(self, known: Known) -> int:
        """Draw a range, exactly; a program is solved only where that decides."""
        for j in shuffled(len(self.grid)):
            limit = geometric(Fraction(self.unit) / 2)
            if limit >= self.depth or (
                self._at_most(known, j + 1, self.shift + limit) and not self._at_most(known, j, self.shift - limit - 1)
            ):
                return j
        raise ArithmeticError("no range is accepted, though one always is")

    def offsets(self, known: Known) -> list[int]:
        """Return by how much each range is off, n_j."""
        most = self.shift + self.depth
        k = [most]
        for place, t in enumerate(self.grid[1:], 1):
            if k[-1] == 0:
                k.append(0)
            else:
                units = known.units(t) if self._at_most(known, place, most - 1) else most
                k.append(most if units is None else units)
        k.append(0)
        return [min(self.depth, max(after - self.shift, self.shift - before, 0)) for before, after in pairwise(k)]

    def chances(self, known: Known) -> dict[str, float]:
        """Return the chances of the answers, in doubles: to be shown to the steward, not to be drawn from."""
        return dict(zip(self.answers, outcome_chances(self.offsets(known), self.unit / 2.0).tolist(), strict=True))

    def answer(self, known: Known) -> dict[str, float]:
        """Return the drawn answer, as the only one with a chance."""
        return {self.answers[self.draw(known)]: 1.0}
