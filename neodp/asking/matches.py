"""Matches, merged into the program that an answer depends on (:mod:`neodp.asking.cover`).

An engine gives matches as columns of ids. A match is the set of its elements, so each row is sorted, and equal rows are
one match; its amount is the greatest of its rows. Then every element is replaced by the units that take it along: a
person by itself, an owned node by all of its owners. A match without people is fixed. A match with an owned node that
nobody owns does not count, and neither does one with somebody of weight 0, who can leave at no cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.asking.cover import Cover, Ints
from neodp.errors import NotAskable

__all__ = ["MOST_EPSILON", "Matches", "TooManyMatches", "Units", "amounts", "weights"]

MOST_EPSILON = 100.0
"""The public cap on anybody's epsilon: a greater one counts as this one."""
BATCH = 4_000_000
"""The number of rows that are kept apart before they are merged."""


class TooManyMatches(NotAskable):
    """A question has more matches than the public limit allows."""

    kind = "too_many_matches"


@dataclass(frozen=True)
class Units:
    """The units that are protected, and what they own.

    Attributes
    ----------
    id : array of int64
        The ids of the units.
    weight : array of int64
        Their weights.
    owned : array of int64
        The ids of all owned nodes.
    belongs, owner : arrays of int64
        Ids of owned nodes, each with the id of an owner.
    links : bool
        True if the units are relationships.
    others : array of int64, optional
        The ids of nodes, or of relationships if these are the units, that are known to belong to no unit. A match with
        anything else does not count: it may have been somebody's who has left. If it is None, all the rest are others.
    """

    id: Ints
    weight: Ints
    owned: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    belongs: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    owner: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    links: bool = False
    others: Ints | None = None


def weights(
    epsilons: Sequence[Any], share: Fraction, unit: float, default: float | None = None, ignore_below: float = 0.0
) -> Ints:
    """Return the weights of units, in whole units of epsilon: floor(share epsilon / unit), without any rounding.

    Parameters
    ----------
    epsilons : sequence
        The values of a property. Everything but a finite number above 0 counts as 0, and says nothing.
    share : Fraction
        The public share of everybody's epsilon that is spent.
    unit : float
    default : float, optional
        The epsilon of those that have none.
    ignore_below : float
        A lower epsilon weighs nothing.

    Examples
    --------
    >>> weights([1.0, 2, None, "x", True, float("nan"), -1.0, 0.1], Fraction(1, 5), 2.0**-4, 0.5).tolist()
    [3, 6, 1, 0, 0, 0, 0, 0]
    """
    values = np.array([_number(default if each is None else each) for each in epsilons], np.float64)
    levels, place = np.unique(values, return_inverse=True)
    each = [
        0 if level < ignore_below else math.floor(Fraction(min(level, MOST_EPSILON)) * share / Fraction(unit))
        for level in levels.tolist()
    ]
    found: Ints = np.array(each, np.int64)[place.reshape(-1)]
    return found


def _number(value: Any) -> float:
    """Return a finite number above 0, or else 0."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if 0.0 < number < math.inf else 0.0


def amounts(values: Iterable[Any], cap: int) -> Ints:
    """Return amounts in whole numbers from 0 to a public cap; null, what is negative and what is no number count as 0.

    Examples
    --------
    >>> amounts([3.7, None, -1, float("inf"), float("nan"), "5", 10**400], 1000).tolist()
    [3, 0, 0, 1000, 0, 0, 1000]
    """

    def one(value: Any) -> int:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            return 0
        if value != value or value <= 0:
            return 0
        return cap if value >= cap else int(value)

    return np.array([one(value) for value in values], np.int64)


class Matches:
    """The matches of a question, as they come.

    Parameters
    ----------
    width : int
        The greatest number of elements of a match.
    most : int
        The public limit on the number of rows.

    Examples
    --------
    A pair of friends is found in both directions, and is one match.

    >>> found = Matches(3, most=10)
    >>> found.add([np.array([7, 8]), np.array([8, 7])], [np.array([5, 5])])
    >>> found.cover(Units(np.array([7, 8]), np.array([2, 3]))).count
    1
    """

    def __init__(self, width: int, most: int) -> None:
        self._width, self._most = width, most
        self._rows: list[Ints] = []
        self._waiting = 0
        self.seen = 0
        """The number of rows that were added. It is secret."""

    def add(
        self,
        nodes: Sequence[Ints],
        links: Sequence[Ints],
        amount: Ints | None = None,
        group: Ints | None = None,
    ) -> None:
        """Add rows: a column of ids for each node and each relationship, their amounts, and what is counted once.

        Raises
        ------
        TooManyMatches
            If there are more rows than the public limit.
        """
        count = len(nodes[0])
        self.seen += count
        if self.seen > self._most:
            raise TooManyMatches(
                f"there are more than {self._most:,} matches, the limit of this population",
                "the share is spent all the same; ask about less, or set another limit when protecting",
            )
        table = np.full((count, self._width + 2), -1, np.int64)
        table[:, 0] = 0 if group is None else group
        for place, column in enumerate((*(2 * each for each in nodes), *(2 * each + 1 for each in links)), 2):
            table[:, place] = column
        elements = np.sort(table[:, 2:], axis=1)
        elements[:, 1:][elements[:, 1:] == elements[:, :-1]] = -1
        table[:, 2:] = np.sort(elements, axis=1)
        table[:, 1] = 1 if amount is None else amount
        self._rows.append(table)
        self._waiting += count
        if self._waiting > BATCH:
            self._merge()

    def _merge(self) -> Ints:
        """Return all matches, each once."""
        if self._rows and not self._waiting:
            return self._rows[0]
        table = np.concatenate(self._rows) if self._rows else np.empty((0, self._width + 2), np.int64)
        keys = np.concatenate([table[:, :1], table[:, 2:]], axis=1)
        order = np.lexsort((-table[:, 1], *keys.T[::-1]))
        table, keys = table[order], keys[order]
        new = np.ones(len(table), bool)
        new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
        self._rows, self._waiting = [table[new]], 0
        return self._rows[0]

    def ids(self, links: bool) -> Ints:
        """Return the ids of all nodes, or of all relationships, that are in a match, each once."""
        each = np.unique(self._merge()[:, 2:])
        found: Ints = each[(each >= 0) & (each & 1 == int(links))] >> 1
        return found

    def cover(self, units: Units, *, distinct: bool = False) -> Cover:
        """Return the program: what people have to leave until there are fewer.

        Parameters
        ----------
        units : Units
        distinct : bool
            True if every group counts once, rather than every match.
        """
        table = self._merge()
        row, person, valid = _people(table[:, 2:], units)
        weight = np.append(units.weight, 0)[person]
        valid[row[weight == 0]] = False
        table, keep = table[valid], valid[row]
        number = np.cumsum(valid) - 1
        row, person = number[row[keep]], person[keep]
        size = np.bincount(row, minlength=len(table))
        first = np.concatenate([[0], np.cumsum(size)])
        return _cover(table[:, 0], table[:, 1], first, person, units.weight, distinct)


def _people(elements: Ints, units: Units) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return the units of each match as pairs of a row and the number of a unit, sorted, and which rows are valid."""
    own = 1 if units.links else 0
    order = np.argsort(units.id, kind="stable")
    ids = units.id[order]
    valid = np.ones(len(elements), bool)
    rows, people = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    owned = np.unique(units.owned)
    by = np.argsort(units.belongs, kind="stable")
    belongs, owner = units.belongs[by], units.owner[by]
    for column in elements.T:
        there = column >= 0
        kind, number = column & 1, column >> 1
        place = _find(ids, number)
        found = there & (kind == own) & (place >= 0)
        rows.append(np.flatnonzero(found))
        people.append(order[place[found]])
        belonging = there & (kind == 0) & (_find(owned, number) >= 0)
        if units.others is not None:
            valid &= ~(there & (kind == own)) | found | belonging | (_find(np.sort(units.others), number) >= 0)
        if units.links:
            continue
        mine = np.flatnonzero(belonging)
        begin, end = np.searchsorted(belongs, number[mine], "left"), np.searchsorted(belongs, number[mine], "right")
        nobody = (begin == end) & ~found[mine]
        valid[mine[nobody]] = False
        each = np.repeat(np.arange(len(mine)), end - begin)
        offset = np.arange(len(each)) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)
        at = _find(ids, owner[begin[each] + offset])
        valid[mine[each[at < 0]]] = False
        rows.append(mine[each[at >= 0]])
        people.append(order[at[at >= 0]])
    count = max(1, len(units.id))  # a pair of a row and a unit is one number, below 10^9 times their number
    pairs = np.unique(np.concatenate(rows) * count + np.concatenate(people))
    return pairs // count, pairs % count, valid


def _find(ids: Ints, wanted: Ints) -> Ints:
    """Return the place of each wanted id among sorted ids, or -1."""
    if len(ids) == 0:
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[place] == wanted, place, -1)


def _cover(group: Ints, amount: Ints, first: Ints, person: Ints, weight: Ints, distinct: bool) -> Cover:
    """Return the program of valid matches: equal sets of people merged, and people numbered as far as they matter."""
    size = np.diff(first)
    if distinct:
        fixed_groups = np.unique(group[size == 0])
        gone = np.isin(group, fixed_groups) | _implied(group, first, person)
        fixed = len(fixed_groups)
        amount = np.ones(len(amount), np.int64)
    else:
        fixed = int(amount[size == 0].sum())
        gone, group = (size == 0) | (amount == 0), np.zeros(len(group), np.int64)
    parts: list[tuple[Ints, Ints, Ints]] = []
    for width in np.unique(size[~gone]).tolist():
        chosen = np.flatnonzero(~gone & (size == width))
        sets = person[first[chosen][:, None] + np.arange(width)]
        keys = np.concatenate([group[chosen][:, None], sets], axis=1)
        order = np.lexsort(keys.T[::-1])
        keys, sums = keys[order], amount[chosen][order]
        new = np.ones(len(keys), bool)
        new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
        begin = np.flatnonzero(new)
        parts.append((keys[begin, 0], np.add.reduceat(sums, begin), keys[begin, 1:]))
    return _joined(parts, weight, fixed, distinct)


def _joined(parts: list[tuple[Ints, Ints, Ints]], weight: Ints, fixed: int, distinct: bool) -> Cover:
    empty = np.empty(0, np.int64)
    sizes = np.concatenate([empty, *(np.full(len(sets), sets.shape[1]) for _, _, sets in parts)])
    person = np.concatenate([empty, *(sets.ravel() for _, _, sets in parts)])
    group = np.concatenate([empty, *(each for each, _, _ in parts)])
    amount = np.concatenate([empty, *(each for _, each, _ in parts)])
    people, person = np.unique(person, return_inverse=True)
    if distinct:
        names, group = np.unique(group, return_inverse=True)
        amount = np.ones(len(names), np.int64)
    else:
        group = np.arange(len(group))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Cover(weight[people], amount, group.reshape(-1), first, person.reshape(-1), fixed, people)


def _implied(group: Ints, first: Ints, person: Ints) -> NDArray[np.bool_]:
    """Return the witnesses that contain somebody who is a witness of the same group alone: they change nothing."""
    size = np.diff(first)
    alone = np.flatnonzero(size == 1)
    single = np.stack([group[alone], person[first[alone]]], axis=1)
    row = np.repeat(np.arange(len(size)), size)
    pairs = np.stack([group[row], person], axis=1)
    known = np.unique(np.concatenate([single, pairs]), axis=0, return_inverse=True)[1].reshape(-1)
    hit = np.isin(known[len(single) :], known[: len(single)]) & (size[row] > 1)
    found = np.zeros(len(size), bool)
    found[row[hit]] = True
    return found
