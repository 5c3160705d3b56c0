"""Distances of a graph of people: how much epsilon must leave until there are fewer than t.

The distance is computed by least cuts (:mod:`neodp.asking.cuts`) where two people at most are needed for a witness, and
by a linear program (:mod:`neodp.asking.programs`) otherwise. Whichever it is, its two solutions are checked in whole
numbers (:meth:`neodp.asking.cover.Cover.bounds`), and only the ceiling on which both agree is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

from neodp.asking import cuts, programs
from neodp.asking.cover import Cover

__all__ = ["Distance", "Distances"]


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
    >>> [Distances(star).at(t).units for t in range(5)]
    [None, 1, 1, 1, 0]
    >>> [str(Distances(star).at(t).upper) for t in (1, 2, 3)]
    ['1', '2/3', '1/3']
    """

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self._known: dict[int, Distance] = {}

    @cached_property
    def _cuts(self) -> cuts.Cuts | None:
        network = cuts.network(self.cover)
        return None if network is None else cuts.Cuts(self.cover, network)

    def at(self, t: int) -> Distance:
        """Return the distance to fewer than t."""
        most = t - 1 - self.cover.fixed
        if most < 0:
            return Distance(None, None)
        if most >= self.cover.total:
            return Distance(Fraction(0), Fraction(0))
        if most not in self._known:
            self._known[most] = Distance(*self.cover.bounds(most, *self.solutions(most)))
        return self._known[most]

    def solutions(self, most: int) -> cuts.Result:
        """Return best solutions of the program and its dual, for an amount below the total that may remain."""
        if self._cuts is not None:
            return cuts.solve(self._cuts, most)
        return programs.solve(self.cover, most)
