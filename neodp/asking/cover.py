"""The program behind every answer: how much epsilon must leave until fewer than t matches remain.

Let the people be i with whole weights w_i > 0, in units of epsilon. What is counted are *groups* g with whole amounts
c_g >= 1; a group is there as long as one of its *witnesses* is, a set m of people. If every match is counted, the
groups are the sets of people of the matches, each with itself as its only witness; if distinct nodes are counted, a
group is such a node, and its witnesses are the sets of people of the matches with that node. The distance to "at most
T" is

    D(T) = min sum w_i x_i    subject to    z_g + sum_{i in m} x_i >= 1   for every witness m of every group g,
                                            sum c_g z_g <= T,    x, z >= 0.

**When a person j leaves, D falls by at least 0 and at most w_j.** The witnesses that contain j vanish, and nothing
appears. A solution before, without x_j, solves it after, since the remaining witnesses do not contain j: D does not
rise. A solution after, with x_j = 1, solves it before, since every witness that contains j is then satisfied, and a
group that has only such witnesses may have z_g = 0: D was at most w_j greater. The same holds for k = ceil(D): if a - b
lies between 0 and a whole n, so does ceil(a) - ceil(b).

**Certificates.** As a function of T, D falls and is convex: a mixture of two solutions is a solution for the mixture of
their T. Its dual is

    D(T) = max sum v_m - mu T    subject to    sum_{m contains i} v_m <= w_i,
                                               sum_{m of g} v_m <= mu c_g,    v, mu >= 0,

in which T occurs only in the objective. So any x gives a :class:`Point` (the weight of those who leave, and
what is left), which bounds D from above there and, mixed with others, between them; and any prices v and mu are a
:class:`Tangent`, which bounds D from below for every T. Both are given as whole numbers over a common denominator, and
:meth:`Cover.point` and :meth:`Cover.tangent` check them without any rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cover", "Dual", "Point", "Primal", "Result", "Tangent"]

Ints = NDArray[Any]
SAFE = 2**62
"""Sums below this one are computed in 64 bits; greater ones in Python's integers."""


@dataclass(frozen=True)
class Primal:
    """People who leave: x_i = part_i / whole."""

    part: Ints
    whole: int


@dataclass(frozen=True)
class Dual:
    """Prices: v_m = price_m / whole and mu = most / whole."""

    price: Ints
    most: int
    whole: int


class Result(NamedTuple):
    """A solution of the program and one of its dual."""

    primal: Primal
    dual: Dual


class Point(NamedTuple):
    """A proof from above: when people of this weight leave, no more than this rest remains."""

    weight: Fraction
    rest: Fraction


class Tangent(NamedTuple):
    """A proof from below: D(T) is at least start - price T, for every T."""

    start: Fraction
    price: Fraction


@dataclass(frozen=True, eq=False)
class Cover:
    """People with weights, and groups with amounts and witnesses.

    Attributes
    ----------
    weight : array of int64
        The weight of each person, at least 1.
    amount : array of int64
        The amount of each group, at least 1.
    group : array of int64
        The group of each witness.
    first : array of int64
        Where the people of each witness begin in `person`, and where the last ones end.
    person : array of int64
        The people of the witnesses, one witness after the other; nobody twice in one, and nobody is missing.
    fixed : int
        The amount that is there without any people.
    people : array of int64
        The number of each person among all that are protected.
    """

    weight: Ints
    amount: Ints
    group: Ints
    first: Ints
    person: Ints
    fixed: int = 0
    people: Ints = field(default_factory=lambda: np.empty(0, np.int64))

    @cached_property
    def total(self) -> int:
        """The amount of all groups, without the fixed one."""
        return int(self.amount.sum(dtype=object)) if len(self.amount) else 0

    @property
    def count(self) -> int:
        """The true amount: what the question asks for. It is secret."""
        return self.total + self.fixed

    @cached_property
    def sizes(self) -> Ints:
        """The number of people of each witness."""
        return np.diff(self.first)

    @cached_property
    def witness(self) -> Ints:
        """The witness of each entry of `person`."""
        return np.repeat(np.arange(len(self.group)), self.sizes)

    @cached_property
    def weight_of_all(self) -> int:
        """The sum of all weights."""
        return int(self.weight.sum(dtype=object)) if len(self.weight) else 0

    def point(self, primal: Primal) -> Point:
        """Return what the people who leave weigh, and what remains.

        Raises
        ------
        ArithmeticError
            If it is no solution of the program.
        """
        self._require(primal.whole > 0 and all_at_least(primal.part, 0))
        bound = int(primal.part.max(initial=0)) * self._widest + primal.whole
        gone = self._per(self.witness, primal.part, self.person, len(self.group), bound)
        left = np.zeros(len(self.amount), gone.dtype)
        np.maximum.at(left, self.group, primal.whole - gone)
        weight, rest = dot(self.weight, primal.part), dot(self.amount, left)
        return Point(Fraction(weight, primal.whole), Fraction(rest, primal.whole))

    def tangent(self, dual: Dual) -> Tangent:
        """Return the lower bound of D that prices prove.

        Raises
        ------
        ArithmeticError
            If they are no solution of the dual.
        """
        self._require(dual.whole > 0 and dual.most >= 0 and all_at_least(dual.price, 0))
        greatest = int(dual.price.max(initial=0)) * max(1, len(self.group))
        spent = self._per(self.person, dual.price, self.witness, len(self.weight), greatest)
        self._require(at_most(spent, self.weight, dual.whole))
        each = self._per(self.group, dual.price, np.arange(len(self.group)), len(self.amount), greatest)
        self._require(at_most(each, self.amount, dual.most))
        return Tangent(Fraction(total(dual.price), dual.whole), Fraction(dual.most, dual.whole))

    @property
    def _widest(self) -> int:
        return int(self.sizes.max(initial=1))

    @staticmethod
    def _per(place: Ints, values: Ints, taken: Ints, size: int, bound: int) -> Ints:
        """Return, for each place, the sum of the values that are taken there."""
        kind: Any = np.int64 if values.dtype != object and bound < SAFE else object
        found = np.zeros(size, kind)
        np.add.at(found, place, values.astype(kind)[taken])
        return found

    @staticmethod
    def _require(holds: bool) -> None:
        if not holds:
            raise ArithmeticError("a certificate of a distance is wrong")

    def without(self, people: Ints) -> Cover:
        """Return the program after some people have left, with everything of theirs. The others keep their numbers."""
        leaving = np.zeros(len(self.weight), bool)
        leaving[people] = True
        there = np.ones(len(self.group), bool)
        there[self.witness[leaving[self.person]]] = False
        kept = np.unique(self.group[there])
        number = np.full(len(self.amount), -1)
        number[kept] = np.arange(len(kept))
        first = np.concatenate([[0], np.cumsum(self.sizes[there])])
        return replace(
            self,
            amount=self.amount[kept],
            group=number[self.group[there]],
            first=first,
            person=self.person[there[self.witness]],
        )


def dot(one: Ints, other: Ints) -> int:
    """Return the exact sum of the products of two columns."""
    if len(one) == 0:
        return 0
    if one.dtype != object and other.dtype != object:
        bound = int(np.abs(one).max()) * int(np.abs(other).max()) * len(one)
        if bound < SAFE:
            return int((one * other).sum())
    return sum(a * b for a, b in zip(one.tolist(), other.tolist(), strict=True))


def total(column: Ints) -> int:
    """Return the exact sum of a column."""
    return sum(column.tolist())


def at_most(sums: Ints, bounds: Ints, factor: int) -> bool:
    """Return whether each sum is at most a factor times its bound."""
    if sums.dtype != object and int(bounds.max(initial=0)) * factor < SAFE:
        return bool((sums <= bounds * factor).all())
    return all(a <= b * factor for a, b in zip(sums.tolist(), bounds.tolist(), strict=True))


def all_at_least(column: Ints, least: int) -> bool:
    """Return whether no value of a column is below a bound."""
    return bool((column >= least).all()) if column.dtype != object else all(x >= least for x in column.tolist())
