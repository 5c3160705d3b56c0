"""Distances in whole people: the least weight of a set of people such that fewer than t remain when they leave.

This is the integer program of :mod:`neodp.asking.cover`, every x_i 0 or 1: the distance on the graph of all datasets,
at which "at least t?" is answered by the optimum of paper 002. The linear program may take a part of a person, so its
distance is this one or less. **When a person j leaves, it falls by at least 0 and at most w_j**, by the same proof: a
set that works before works after, without j; a set that works after works before, together with j.

It is found by branching on one person after the other: somebody leaves, or stays for certain and is then removed from
every witness. What is left of the question is bounded from below by its linear program, which is proven in whole
numbers (:mod:`neodp.asking.distance`), and branches that cannot be better are cut off. The result is a set of people,
which is checked, and the proof that no set weighs less. The number of branches can double with every person: it is for
small questions, and nothing ends it early, since the point where it ended would reveal something about the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from neodp.asking.cover import Cover, Ints, Primal
from neodp.asking.distance import Distances

__all__ = ["WholeDistances"]


class WholeDistances:
    """The distances of one graph in whole people, for any t.

    Parameters
    ----------
    cover : Cover
        The people, and what is counted.

    Examples
    --------
    A triangle of friends: a half of everybody leaves no pair, but it takes two whole people.

    >>> import numpy as np
    >>> pairs = np.array([0, 1, 1, 2, 0, 2])
    >>> three = Cover(np.full(3, 4), np.ones(3, np.int64), np.arange(3), np.arange(0, 7, 2), pairs)
    >>> Distances(three).units(1), WholeDistances(three).units(1)
    (6, 8)
    """

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self._parts = Distances(cover)
        self._known: dict[int, int] = {}
        self._sets: dict[int, Ints] = {}

    def units(self, t: int) -> int | None:
        """Return the distance to fewer than t in whole units; None if no people can change it."""
        most = t - 1 - self.cover.fixed
        if most < 0:
            return None
        if most not in self._known:
            search = _Branches(self.cover)
            self._known[most], self._sets[most] = search.least(most), search.set
        return self._known[most]

    def leaving(self, t: int) -> NDArray[np.float64]:
        """Return 1 for everybody in a lightest set, and 0 for the others. It is secret."""
        if self.units(t) is None:
            return np.zeros(len(self.cover.weight))
        return self._sets[t - 1 - self.cover.fixed].astype(np.float64)

    def at_most(self, t: int, bound: int) -> bool:
        """Return whether the distance to fewer than t is at most a bound."""
        if not self._parts.at_most(t, bound):
            return False
        found = self.units(t)
        return found is not None and found <= bound


@dataclass(frozen=True, eq=False)
class _Branch:
    """The sets that contain the people who are gone, of those in whose question an amount may be left.

    Attributes
    ----------
    left : Cover
        What is left of the question.
    most : int
    gone : array of int64
    stays : int or None
        Somebody who stays for certain, and is still in the question.
    """

    left: Cover
    most: int
    gone: Ints
    stays: int | None = None


class _Branches:
    """A search for the lightest set of people; the best one so far is an upper bound."""

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self.best = cover.weight_of_all
        self.set = np.ones(len(cover.weight), np.int64)

    def least(self, most: int) -> int:
        """Return the weight of the lightest set after which at most an amount is left, after checking the set.

        The amount does not include what is fixed.
        """
        waiting = [_Branch(replace(self.cover, fixed=0), most, np.zeros(len(self.cover.weight), np.int64))]
        while waiting:
            waiting += self._looked_at(waiting.pop())
        proven = self.cover.point(Primal(self.set, 1))
        if proven.rest > most or proven.weight != self.best:
            raise ArithmeticError("a set of people is not what was found")
        return self.best

    def _looked_at(self, branch: _Branch) -> list[_Branch]:
        """Look for a better set among those of a branch: keep it, or return two branches, of which the last is next."""
        spent = int(self.cover.weight @ branch.gone)
        left = branch.left if branch.stays is None else _staying(branch.left, branch.stays)
        most = branch.most - left.fixed
        if most < 0 or spent >= self.best:
            return []
        left = replace(left, fixed=0)
        if left.total <= most:
            self.best, self.set = spent, branch.gone
            return []
        bound = Distances(left).units(most + 1)
        if bound is None or spent + bound >= self.best:
            return []
        person = _next(left)
        leaving = branch.gone.copy()
        leaving[person] = 1
        return [_Branch(left, most, branch.gone, person), _Branch(left.without(np.array([person])), most, leaving)]


def _next(cover: Cover) -> int:
    """Return the person with the greatest amount for their weight."""
    each = np.zeros(len(cover.weight))
    np.add.at(each, cover.person, cover.amount[cover.group[cover.witness]].astype(float))
    return int(np.argmax(each / cover.weight))


def _staying(cover: Cover, person: int) -> Cover:
    """Return what is left of a question when somebody stays for certain: a group that needs nobody else is fixed."""
    kept = cover.person != person
    sizes = np.bincount(cover.witness[kept], minlength=len(cover.group))
    sure = np.unique(cover.group[sizes == 0])
    there = ~np.isin(cover.group, sure)
    groups, number = np.unique(cover.group[there], return_inverse=True)
    return replace(
        cover,
        amount=cover.amount[groups],
        group=number.reshape(-1),
        first=np.concatenate([[0], np.cumsum(sizes[there])]),
        person=cover.person[kept & there[cover.witness]],
        fixed=cover.fixed + int(cover.amount[sure].sum(dtype=object)),
    )
