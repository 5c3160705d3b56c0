"""Distances of a graph of people: how much epsilon must leave until there are fewer than t.

D is convex in what may remain (:mod:`neodp.asking.cover`). So it is found by its tangents: for a price mu per amount,
let L(mu) be the least of sum w_i x_i + mu sum c_g z_g over x and z that satisfy the witnesses. A best x is a point of
D, and best prices v at mu are the tangent there. Between two points on both sides of T, the next price is that of the
line which joins them. If there is no better point at this price, the line is D itself; otherwise the better point
replaces one of the two. At one price, the components of the graph do not depend on each other.

Where no witness needs more than two people, L is a least cut, in whole numbers (:mod:`neodp.asking.cuts`). Otherwise it
is a linear program in doubles, whose solutions are rounded to whole numbers (:mod:`neodp.asking.programs`), and solved
in rational numbers where rounding leaves the result open. In either case, both solutions are checked in whole numbers,
and only what they prove is used: that D is at most a number, or above it, and its ceiling. What was proven for
one t stays known for all others. A search for the best mu by golden section would not be exact, and so not private.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from neodp.asking import cuts, programs
from neodp.asking.cover import Cover, Point, Primal, Result, Tangent

__all__ = ["Distance", "Distances"]

ROUNDED = 60
"""The number of prices for one question at which rounded solutions are tried; beyond it, all are exact."""


@dataclass(frozen=True)
class Distance:
    """A distance in units of epsilon, between two bounds that were proven; both None if no people can change it."""

    lower: Fraction | None
    upper: Fraction | None

    @property
    def units(self) -> int | None:
        """The distance, rounded up to whole units; None if no people can change it.

        Raises
        ------
        ArithmeticError
            If the bounds leave open which number that is.
        """
        if self.lower is None or self.upper is None:
            return None
        low, high = ceil(self.lower), ceil(self.upper)
        if low != high:
            raise ArithmeticError("a distance is not certain")
        return low


class AtPrice(Protocol):
    """Solutions of a program at any price p / q."""

    def at(self, p: int, q: int) -> Result:
        """Return solutions, best ones but for rounding."""

    def exactly(self, p: int, q: int) -> Result:
        """Return best solutions."""


class Distances:
    """The distances of one graph, for any t.

    Parameters
    ----------
    cover : Cover
        The people, and what is counted.

    Examples
    --------
    A star: three friends of one person. One person less leaves no pair.

    >>> import numpy as np
    >>> pairs = np.array([0, 1, 0, 2, 0, 3])
    >>> star = Cover(np.ones(4, np.int64), np.ones(3, np.int64), np.arange(3), np.arange(0, 7, 2), pairs)
    >>> [Distances(star).units(t) for t in range(5)]
    [None, 1, 1, 1, 0]
    >>> [str(Distances(star).exactly(t).upper) for t in (1, 2, 3)]
    ['1', '2/3', '1/3']
    """

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self._points = [
            Point(Fraction(cover.weight_of_all), Fraction(0)),
            Point(Fraction(0), Fraction(cover.total)),
        ]
        """The points that no mixture of others is better than, by what remains."""
        self._leaving = {
            self._points[0]: Primal(np.ones(len(cover.weight), np.int64), 1),
            self._points[1]: Primal(np.zeros(len(cover.weight), np.int64), 1),
        }
        self._tangents: list[Tangent] = []
        self._known: dict[int, tuple[Fraction, Fraction]] = {}

    def units(self, t: int) -> int | None:
        """Return the distance to fewer than t, rounded up to whole units; None if no people can change it."""
        return self._until(t, lambda low, high: ceil(low) == ceil(high)).units

    def at_most(self, t: int, bound: int) -> bool:
        """Return whether the distance to fewer than t is at most a bound, in whole units."""
        found = self._until(t, lambda low, high: high <= bound or low > bound)
        return found.upper is not None and found.upper <= bound

    def exactly(self, t: int) -> Distance:
        """Return the distance to fewer than t itself, with equal bounds."""
        return self._until(t, lambda low, high: low == high)

    def leaving(self, t: int) -> NDArray[np.float64]:
        """Return the part of everybody that leaves in a best solution: those who carry the distance. It is secret."""
        most = t - 1 - self.cover.fixed
        if self.units(t) is None or most >= self.cover.total:
            return np.zeros(len(self.cover.weight))
        ends = self._ends(most)
        left, right = (self._leaving[end].part / self._leaving[end].whole for end in ends)
        part = float((most - ends[0].rest) / (ends[1].rest - ends[0].rest))
        return np.minimum(1.0, (1.0 - part) * left + part * right).astype(np.float64)

    def _until(self, t: int, enough: Callable[[Fraction, Fraction], bool]) -> Distance:
        """Return bounds of the distance to fewer than t that are enough, with as few prices as possible."""
        most = t - 1 - self.cover.fixed
        if most < 0:
            return Distance(None, None)
        if most >= self.cover.total:
            return Distance(Fraction(0), Fraction(0))
        tried: set[Fraction] = set()
        while not enough(*self._bounds(most)):
            left, right = self._ends(most)
            price = (left.weight - right.weight) / (right.rest - left.rest)
            solve = self._solver.exactly if price in tried or len(tried) >= ROUNDED else self._solver.at
            tried.add(price)
            self._add(solve(price.numerator, price.denominator))
        return Distance(*self._bounds(most))

    @cached_property
    def _solver(self) -> AtPrice:
        network = cuts.network(self.cover)
        return programs.Programs(self.cover) if network is None else cuts.Cuts(self.cover, network)

    def _bounds(self, most: int) -> tuple[Fraction, Fraction]:
        """Return the bounds that all points and tangents so far prove."""
        if most not in self._known:
            low = max((start - price * most for start, price in self._tangents), default=Fraction(0))
            left, right = self._ends(most)
            part = (most - left.rest) / (right.rest - left.rest)
            self._known[most] = max(low, Fraction(0)), left.weight + part * (right.weight - left.weight)
        return self._known[most]

    def _ends(self, most: int) -> tuple[Point, Point]:
        """Return the neighbouring points on both sides of what may remain."""
        place = max(1, bisect_left([point.rest for point in self._points], most))
        return self._points[place - 1], self._points[place]

    def _add(self, result: Result) -> None:
        """Check solutions, and keep what they prove."""
        point, tangent = self.cover.point(result.primal), self.cover.tangent(result.dual)
        hull: list[Point] = []
        for each in sorted([*self._points, point], key=lambda other: (other.rest, other.weight)):
            if hull and each.weight >= hull[-1].weight:
                continue
            while len(hull) > 1 and _is_above(hull[-1], hull[-2], each):
                hull.pop()
            hull.append(each)
        self._points = hull
        self._leaving = {each: self._leaving.get(each, result.primal) for each in hull}
        self._tangents.append(tangent)
        self._known.clear()


def _is_above(middle: Point, left: Point, right: Point) -> bool:
    """Return whether a point is on or above the line between two others."""
    rise = (right.weight - left.weight) * (middle.rest - left.rest)
    return (middle.weight - left.weight) * (right.rest - left.rest) >= rise
