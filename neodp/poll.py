"""A poll: people, each with an answer and an epsilon, and the private answer of all.

The graph
---------
People of equal epsilon form a *group*. A dataset says how many of each group chose each option; an edge changes the
choice of one person, and has that person's epsilon. For a yes/no poll this is the graph of ``generate.counts``, the
exact quotient of ``generate.votes``: the answer is yes iff at least `needed` people say yes. It is never built: for a
hundred thousand people in five groups it has 10^21 datasets.

The mechanism
-------------
It is the optimal one for the balanced alpha (:func:`neodp.boundary.balanced`), in closed form. The *margin* m of a
dataset is how many people would have to change their choice to change the answer; only those on the winning side can.
Let e_1 <= e_2 <= … be the epsilons on the winning side. The chance of the wrong answer is

    q = exp(-(e_1 + … + e_(m-1))) / (1 + exp(e_m)).

For, with delta 0 and alpha at least 1/2, U multiplies q by e^-eps on every edge. So -log q is a shortest path: an edge
for each of m - 1 people, up to the boundary, and log(1 + e^eps) for the boundary edge of the m-th. That function grows
with eps, but never faster than eps. Hence the cheapest way takes the m cheapest people and crosses the boundary with
the dearest of them, and no path that first moves away from the boundary is cheaper.

Exactness
---------
Everything up to the last step is done in whole numbers, in units of 2^-50. An epsilon becomes the whole number
E = floor(2^50 eps) - 1, or 0; log(1 + e^eps) becomes C(E) = floor(2^50 log(1 + exp(2^-50 E))). The cost of a dataset is

    c = E_1 + … + E_(m-1) + C(E_m),     and     q(c) = min(1/2, exp(-2^-50 c) rounded up to a double).

*Neighbours of one answer*, over an edge of a person with E: |c - c'| <= E. C grows, and never faster than its argument
(if f(a) - f(b) <= a - b for whole a - b, the same holds for floor f), so c is the least of E(S without s) + C(E_s) over
all sets S of m people on the winning side and all s in S. Let the person leave the winning side, so that m' = m - 1. A
best S' for m', together with the person, is a choice for m: c <= c' + E. A best S for m, without the person (or without
its cheapest member, if the person is not in S), is a choice for m' that costs no more: c' <= c. So q' / q lies between
1 and exp(2^-50 E), up to a factor of 1 + 2^-51 for rounding, hence within e^eps, which is at least 2^-50 more than
2^-50 E; where E is 0, q = q'. As both q are at most 1/2, the same follows for the true answer: 1 - q <= e^eps (1 - q').

*Neighbours across the boundary*: m = 1 on both sides, so c <= C(E), and both q are at least 1/(1 + e^eps). Therefore
1 - q <= e^eps / (1 + e^eps) <= e^eps q'.

So privacy holds for the doubles as they are stored, with each person's own epsilon, and q exceeds the optimum by a
factor of 1 + m 2^-48 at most. :func:`violations` checks it at one dataset, and shares nothing with this reasoning.

Epsilon 0
---------
The answer must not depend on such a person at all: over an edge with epsilon 0 both ends have the same distribution. If
their true answers differ, neither can be preferred, and both get 1/2. Counting the person in would therefore only turn
datasets into coin tosses. So the question is put to the others: people with epsilon 0 belong to no group, and
:func:`tally` only counts how many they are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.audit import holds
from neodp.errors import GraphError, near
from neodp.graph import MAX_EPSILON, Floats

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Group",
    "Margin",
    "Poll",
    "Tally",
    "Threshold",
    "WhatIf",
    "epsilons",
    "poll",
    "tally",
    "violations",
    "what_if",
]

UNIT = 2**50
"""How many units of cost make an epsilon of 1."""
TINY = 2.0**-1022
"""The smallest chance of a wrong answer: the smallest normal double."""
WORDS = {"yes": ("yes", "y", "true", "1"), "no": ("no", "n", "false", "0")}
"""What counts as yes and no where the options are not named, in any case."""

Counts: TypeAlias = NDArray[np.int64]
"""A dataset: one row per group, one column per option, how many people of the group chose the option."""


@dataclass(frozen=True)
class Group:
    """People of equal epsilon; `level` is what they call it, if they do."""

    epsilon: float
    size: int
    level: str | None = None

    @property
    def odds(self) -> float:
        """By which factor one person's choice can change the odds of an answer: e^epsilon."""
        return math.exp(self.epsilon)

    @property
    def belief(self) -> float:
        """How sure an observer can become of one person's choice who thought it even: e^eps / (1 + e^eps)."""
        return 1.0 / (1.0 + math.exp(-self.epsilon))


@dataclass(frozen=True)
class Margin:
    """The accuracy where `margin` people would have to change their choice to change the answer.

    Attributes
    ----------
    margin : int
    worst, best : float
        The least and the greatest chance of the true answer, over all datasets with this margin.
    even : float
        Where the winning side is spread evenly over the groups; the lesser one of both answers.
    """

    margin: int
    worst: float
    even: float
    best: float


class Poll(ABC):
    """A question to groups of people, and the mechanism that answers it.

    Attributes
    ----------
    groups : tuple of Group
        By ascending epsilon.
    options : tuple of str
        What one can choose; the columns of a dataset.
    """

    groups: tuple[Group, ...]
    options: tuple[str, ...]

    @property
    @abstractmethod
    def colors(self) -> tuple[str, ...]:
        """The possible answers."""

    @property
    @abstractmethod
    def question(self) -> str:
        """The question in words."""

    @abstractmethod
    def truth(self, counts: Counts) -> int:
        """The position of the true answer of a dataset in ``colors``."""

    @abstractmethod
    def margin(self, counts: Counts) -> int | None:
        """How many people would have to change their choice to change the answer; None where nobody can."""

    @abstractmethod
    def distribution(self, counts: Counts) -> tuple[float, ...]:
        """The chance of each answer; every one but the largest is exact, which stands for one minus the rest."""

    @abstractmethod
    def by_margin(self, margins: Sequence[int]) -> list[Margin]:
        """What is known of the accuracy without looking at anybody's choice."""

    @property
    @abstractmethod
    def largest_margin(self) -> int:
        """The greatest margin that a dataset can have; 0 where there is only one answer."""

    @property
    def people(self) -> int:
        """How many people there are."""
        return sum(group.size for group in self.groups)

    @property
    def worst(self) -> float:
        """The chance of the true answer that every dataset has at least."""
        return self.by_margin([1])[0].worst if self.largest_margin else 1.0

    def margin_for(self, accuracy: float) -> int | None:
        """The least margin from which on every dataset is answered with at least this accuracy; None if there is none.

        The worst accuracy grows with the margin, so that bisection finds it.
        """
        low, high = 0, self.largest_margin + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.by_margin([middle])[0].worst >= accuracy:
                high = middle
            else:
                low = middle
        return high if high <= self.largest_margin else None

    def neighbours(self, counts: Counts, groups: Sequence[int] | None = None) -> Iterator[tuple[Counts, float]]:
        """The datasets in which one person, of these groups, chose something else, and that person's epsilon."""
        for g in range(len(self.groups)) if groups is None else groups:
            for chosen in np.flatnonzero(counts[g]):
                for other in range(len(self.options)):
                    if other != chosen:
                        changed = counts.copy()
                        changed[g, chosen] -= 1
                        changed[g, other] += 1
                        yield changed, self.groups[g].epsilon


def poll(groups: Sequence[Group], query: str = "majority", options: Sequence[str] = ("yes", "no")) -> Threshold:
    """A poll by the name of its query.

    Parameters
    ----------
    groups : sequence of Group
        Sizes and epsilons; the order does not matter.
    query : str
        ``majority``: do more than half choose the first option? A tie says no. ``threshold:2/3``: does at least that
        share? ``plurality``: which option is chosen most often? A tie goes to the option that is named first.
    options : strings
        What one can choose; two of them.

    Raises
    ------
    GraphError
        If the query, a group or the options are not one.

    Examples
    --------
    >>> p = poll([Group(0.5, 40), Group(1.0, 60)])
    >>> p.question, p.needed
    ("do at least 51 of 100 people say 'yes'?", 51)
    >>> counts = np.array([[30, 10], [40, 20]])
    >>> p.colors[p.truth(counts)], p.margin(counts)
    ('yes', 20)
    >>> p.distribution(counts)[1] < 1e-4
    True
    """
    groups = tuple(sorted(groups, key=lambda group: group.epsilon))
    for group in groups:
        if not 0.0 <= group.epsilon <= MAX_EPSILON:
            raise GraphError(f"epsilon is {group.epsilon!r}", f"give a number from 0 to {MAX_EPSILON:g}")
        if group.size < 1:
            raise GraphError(f"the group with epsilon {group.epsilon:g} has {group.size} people", "give at least one")
    if not groups:
        raise GraphError("nobody takes part", "a poll needs at least one person with an epsilon above 0")
    names = tuple(options)
    if len(names) < 2 or len(set(names)) < len(names):
        raise GraphError(f"the options are {', '.join(names) or 'none'}", "name at least two different ones")
    people = sum(group.size for group in groups)
    kind, _, rest = query.partition(":")
    if len(names) > 2:
        raise GraphError(f"{query} is asked about {len(names)} options", "name two: this is a question of yes or no")
    if query == "majority":
        return Threshold(groups, (names[0], names[1]), people // 2 + 1)
    if query == "plurality":
        return Threshold(groups, (names[0], names[1]), (people + 1) // 2)
    try:
        share = Fraction(rest)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if kind != "threshold" or not 0 <= share <= 1:
        hint = near(query, ("majority", "plurality")) or "give majority, plurality, or a share as in threshold:2/3"
        raise GraphError(f"the query is {query!r}", hint)
    return Threshold(groups, (names[0], names[1]), math.ceil(share * people))


@dataclass(frozen=True)
class Threshold(Poll):
    """Do at least `needed` people choose the first of two options?"""

    groups: tuple[Group, ...]
    options: tuple[str, str]
    needed: int

    @property
    def colors(self) -> tuple[str, ...]:
        return self.options

    @property
    def question(self) -> str:
        return f"do at least {self.needed:,} of {self.people:,} people say {self.options[0]!r}?"

    @cached_property
    def _sizes(self) -> Counts:
        return np.array([group.size for group in self.groups], np.int64)

    @cached_property
    def _units(self) -> list[int]:
        """The epsilon of each group in whole units."""
        return [units(group.epsilon) for group in self.groups]

    def truth(self, counts: Counts) -> int:
        return 0 if counts[:, 0].sum() >= self.needed else 1

    def margin(self, counts: Counts) -> int | None:
        if not self.largest_margin:
            return None
        yes = int(counts[:, 0].sum())
        return yes - self.needed + 1 if yes >= self.needed else self.needed - yes

    @property
    def largest_margin(self) -> int:
        if not 0 < self.needed <= self.people:
            return 0
        return max(self.people - self.needed + 1, self.needed)

    def distribution(self, counts: Counts) -> tuple[float, ...]:
        truth, margin = self.truth(counts), self.margin(counts)
        wrong = 0.0 if margin is None else self._wrong(counts[:, truth].tolist(), margin)
        return (1.0 - wrong, wrong) if truth == 0 else (wrong, 1.0 - wrong)

    def _wrong(self, winners: Sequence[int], margin: int) -> float:
        """The chance of the wrong answer, where this many people of each group are on the winning side."""
        return chance(cost(zip(self._units, winners, strict=True), margin))

    def by_margin(self, margins: Sequence[int]) -> list[Margin]:
        return [self._at(margin) for margin in margins]

    def _at(self, margin: int) -> Margin:
        sides = [self.needed + margin - 1, self.people - self.needed + margin]  # how many win, if yes and if no
        possible = [side for side in sides if side <= self.people]
        return Margin(
            margin,
            worst=1.0 - self._wrong(self._sizes.tolist(), margin),
            even=1.0 - max(self._wrong(self._even(side), margin) for side in possible),
            best=1.0 - min(self._wrong(self._dearest(side), margin) for side in possible),
        )

    def _even(self, winners: int) -> list[int]:
        """So many winners, spread over the groups in proportion to their sizes."""
        share = self._sizes * winners
        whole = share // self.people
        rest = np.argsort(-(share % self.people), kind="stable")[: winners - int(whole.sum())]
        whole[rest] += 1
        return [int(size) for size in whole]

    def _dearest(self, winners: int) -> list[int]:
        """So many winners, those with the greatest epsilons."""
        before = np.cumsum(self._sizes[::-1])[::-1] - self._sizes
        return [int(size) for size in np.clip(winners - before, 0, self._sizes)]


# --- whole units ----------------------------------------------------------------------------------------------------


def units(epsilon: float) -> int:
    """The E of this module: at least one unit below epsilon, or 0."""
    return max(0, math.floor(Fraction(epsilon) * UNIT) - 1)


def cost(winners: Iterable[tuple[int, int]], margin: int) -> int:
    """The c of this module, where the winning side is given by ascending E as pairs (E, how many people)."""
    total, left = 0, margin
    for each, size in winners:
        if size >= left:
            return total + (left - 1) * each + crossing(each)
        total += size * each
        left -= size
    raise ValueError(f"the margin is {margin}, more than the winning side has people")


@lru_cache(maxsize=4096)
def crossing(each: int) -> int:
    """C(E) = floor(UNIT log(1 + exp(E / UNIT))), exactly.

    It is E plus the floor of UNIT log(1 + exp(-E / UNIT)), which no precision leaves open for long: for a rational x,
    log(1 + e^x) is irrational (Lindemann and Weierstrass: no rational r, s with 1 + e^r = e^s).
    """
    precision = 40
    while True:
        context = Context(prec=precision)
        power = context.exp(context.divide(Decimal(-each), Decimal(UNIT)))
        rest = context.multiply(Decimal(UNIT), context.ln(context.add(Decimal(1), power)))
        slack = Decimal(10) ** (24 - precision)
        low, high = math.floor(rest - slack), math.floor(rest + slack)
        if low == high:
            return each + low
        if high == 0:  # the rest is positive, though it may be too small to see
            return each
        precision *= 2


@lru_cache(maxsize=65536)
def chance(cost: int) -> float:
    """q(c) = exp(-c / UNIT), rounded up to a double, at most 1/2 and at least TINY."""
    if cost > 709 * UNIT:
        return TINY
    context = Context(prec=40)
    exact = Fraction(context.next_plus(context.exp(context.divide(Decimal(-cost), Decimal(UNIT)))))
    rounded = float(exact)
    if Fraction(rounded) < exact:
        rounded = math.nextafter(rounded, 1.0)
    return min(0.5, max(TINY, rounded))


# --- from a table of people to a dataset ----------------------------------------------------------------------------


class Tally(NamedTuple):
    """What a table of people says.

    Attributes
    ----------
    groups : tuple of Group
        The people with an epsilon above 0, by ascending epsilon.
    counts : array of int
        The dataset that is true. Secret.
    skipped : int
        How many people have no vote, and were left out.
    silent : int
        How many people have epsilon 0; their votes were not looked at.
    """

    groups: tuple[Group, ...]
    counts: Counts
    skipped: int
    silent: int


Place: TypeAlias = Callable[[int], str]
"""How to name a row of a table in an error message."""


def epsilons(column: pa.Array, levels: Mapping[str, float], place: Place) -> Floats:
    """A column of numbers, or of names of levels, as epsilons.

    Raises
    ------
    GraphError
        If one is missing, negative, not a number, above 690, or an unknown name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> epsilons(pa.array(["high", "2", "low"]), {"low": 2.0, "high": 0.3}, "row {}".format)
    array([0.3, 2. , 2. ])
    """

    def number(value: Any) -> float:
        text = _text(value)
        if text in levels:
            return levels[text]
        if text == "":
            raise GraphError("there is no epsilon", "give a number, or the name of a level")
        try:
            epsilon = float(text)
        except ValueError:
            known = f"the levels are {', '.join(levels)}" if levels else "give a number, or name levels with --levels"
            raise GraphError(f"epsilon is {text!r}", near(text, levels) or known) from None
        return positive(epsilon)

    values, where = _decoded(column, number, place)
    return np.array(values, np.float64)[where]


def positive(epsilon: float) -> float:
    """An epsilon that is one, or GraphError."""
    if not 0.0 <= epsilon <= MAX_EPSILON:
        raise GraphError(f"epsilon is {epsilon!r}", f"give a number from 0 to {MAX_EPSILON:g}")
    return epsilon + 0.0


def tally(
    votes: pa.Array,
    epsilon: Floats,
    place: Place,
    *,
    options: Sequence[str] | None = None,
    levels: Mapping[str, float] | None = None,
    skip_empty: bool = False,
) -> Tally:
    """Count the votes of people in groups of equal epsilon.

    Parameters
    ----------
    votes : Arrow array
        What each person chose.
    epsilon : array of float
        As from ``epsilons``.
    options : strings, optional
        What one can choose. By default yes and no, in the usual words. They are never taken from the votes: what is
        known before the answer must not depend on these.
    levels : mapping, optional
        Names for epsilons, for the groups.
    skip_empty : bool
        Leave out people without a vote, instead of refusing. Who took part is then taken as public.

    Raises
    ------
    GraphError
        If a vote is missing or is none of the options.

    Examples
    --------
    >>> import pyarrow as pa
    >>> t = tally(pa.array(["y", "N", "yes", ""]), np.array([1.0, 1.0, 0.5, 0.5]), "row {}".format, skip_empty=True)
    >>> t.groups
    (Group(epsilon=0.5, size=1, level=None), Group(epsilon=1.0, size=2, level=None))
    >>> t.counts.tolist(), t.skipped
    ([[1, 0], [1, 1]], 1)
    """
    names = options or tuple(WORDS)
    chosen = {option: i for i, option in enumerate(names)}
    if options is None:
        chosen = {word: i for i, option in enumerate(names) for word in WORDS[option]}

    def choice(value: Any) -> int:
        text = _text(value) if options is not None else _text(value).lower()
        if text == "" and skip_empty:
            return -1
        if text == "":
            raise GraphError("there is no vote", "give one, or leave such people out with --skip-empty")
        if text not in chosen:
            hint = near(text, names) or f"the options are {', '.join(names)}; name others with --options"
            raise GraphError(f"the vote is {_text(value)!r}", hint)
        return chosen[text]

    asked = np.flatnonzero(epsilon > 0.0)
    codes, where = _decoded(votes.take(asked), choice, lambda row: place(int(asked[row])))
    code = np.array(codes, np.int64)[where]
    took_part = code >= 0
    distinct, group = np.unique(epsilon[asked][took_part], return_inverse=True)
    counts = np.bincount(group * len(names) + code[took_part], minlength=len(distinct) * len(names))
    counts = counts.reshape(len(distinct), len(names))
    called = {value: name for name, value in (levels or {}).items()}
    groups = tuple(
        Group(e, size, called.get(e)) for e, size in zip(distinct.tolist(), counts.sum(axis=1).tolist(), strict=True)
    )
    return Tally(groups, counts, int((~took_part).sum()), len(epsilon) - len(asked))


def _decoded(column: pa.Array, decode: Callable[[Any], Any], place: Place) -> tuple[list[Any], NDArray[np.int64]]:
    """Each different value of a column, decoded, and which one stands in each row; an error names its first row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    coded = pc.dictionary_encode(column, null_encoding="encode")
    where = np.asarray(coded.indices, np.int64)
    values = []
    for i, value in enumerate(coded.dictionary.to_pylist()):
        try:
            values.append(decode(value))
        except GraphError as e:
            raise GraphError(f"{place(int(np.argmax(where == i)))}: {e.message}", e.hint) from None
    return values, where


def _text(value: Any) -> str:
    """A value as people write it: nothing for null, 1 for 1.0."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# --- is it private? -------------------------------------------------------------------------------------------------


def violations(poll: Poll, counts: Counts, *, groups: Sequence[int] | None = None) -> list[str]:
    """The inequalities that the mechanism breaks between a dataset and its neighbours, decided in exact arithmetic.

    Parameters
    ----------
    groups : sequence of int, optional
        Only neighbours that differ in a person of these groups.
    """
    here = _exact(poll.distribution(counts))
    broken = []
    for other, epsilon in poll.neighbours(counts, groups):
        there = _exact(poll.distribution(other))
        for color, p, p_other in zip(poll.colors, here, there, strict=True):
            for left, right in ((p, p_other), (p_other, p)):
                if not holds(left, right, epsilon, 0.0):
                    broken.append(f"Pr[{color}] is {float(p)!r} and {float(p_other)!r}, beyond epsilon {epsilon!r}")
    return broken


def _exact(probabilities: Sequence[float]) -> list[Fraction]:
    """Every entry as the rational number that it is, the largest as one minus the rest."""
    values = [Fraction(p) for p in probabilities]
    largest = max(range(len(values)), key=values.__getitem__)
    values[largest] += 1 - sum(values)
    return values


# --- what if somebody asked for less privacy ------------------------------------------------------------------------


@dataclass(frozen=True)
class WhatIf:
    """What it would bring at some margin if a group's epsilon, or that of one of its people, were higher.

    ``worst`` and ``even`` are the accuracies of ``Margin`` then; the person counts as one of the winning side.
    """

    group: Group
    epsilon: float
    person_worst: float
    person_even: float
    group_worst: float
    group_even: float


def what_if(poll: Threshold, margin: int, raised: float) -> list[WhatIf]:
    """For every group: the accuracy at a margin if its epsilon, or one person's, were higher by `raised`.

    Each is one more pass over the groups up to the margin, since the closed form needs no search.
    """
    found = []
    sides = [s for s in (poll.needed + margin - 1, poll.people - poll.needed + margin) if s <= poll.people]
    everyone, even = poll._sizes.tolist(), [poll._even(side) for side in sides]
    for g, group in enumerate(poll.groups):
        epsilon = min(group.epsilon + raised, MAX_EPSILON)

        def wrong(winners: Sequence[int], people: int, g: int = g, epsilon: float = epsilon) -> float:
            """The chance of the wrong answer if so many of the group's winners had the higher epsilon."""
            moved = min(people, winners[g])
            parts = list(zip(poll._units, winners, strict=True))
            parts[g] = (parts[g][0], winners[g] - moved)
            return chance(cost(sorted([*parts, (units(epsilon), moved)]), margin))

        found.append(
            WhatIf(
                group,
                epsilon,
                person_worst=1.0 - wrong(everyone, 1),
                person_even=1.0 - max(wrong(winners, 1) for winners in even),
                group_worst=1.0 - wrong(everyone, group.size),
                group_even=1.0 - max(wrong(winners, group.size) for winners in even),
            )
        )
    return found
