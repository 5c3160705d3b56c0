"""The balanced poll: people, each with a choice and an epsilon, and one private answer for all of them.

The graph
---------
People of equal epsilon form a *group*. A dataset gives the number of people of each group who chose each option. An
edge changes the choice of one person, and has that person's epsilon. For a yes/no poll this is the graph of
``generate.counts``, the exact quotient of ``generate.votes``: the answer is yes iff at least `needed` people say yes.
The graph is never built: for a hundred thousand people in five groups it has 10^21 datasets.

The mechanism
-------------
With k possible answers, the true answer has the chance S = 1 - (k - 1) P, and every other answer the chance P. Both
depend only on the *cost* y of the dataset: S and P start at 1/k for y = 0, and S follows dS/dy = min(S, 1 - S):

    S = e^y / k  up to y = log(k/2), where S = 1/2;      (k - 1) P = 1 - S = e^-y k/4  from there.

So neither log S nor log P ever changes faster than y. Let C(eps) be the y at which S = e^eps P. The cost of a dataset
is that of the cheapest way to another answer: people change their choices one after another; each of them costs their
epsilon, and the last one, who crosses the boundary, costs C(eps) instead of eps. C grows with eps, but never faster
than eps. So the cheapest way takes the people with the smallest epsilons, and of these, the one with the greatest
epsilon comes last.

*Yes or no.* Only people of the winning side can change the answer; the *margin* m is the number of them who must change
their choice. With e_1 <= e_2 <= … the epsilons on the winning side, the chance of the wrong answer is

    P = exp(-(e_1 + … + e_(m-1))) / (1 + exp(e_m)).

This is the optimum for the balanced alpha (:func:`neodp.core.alpha.balanced`): with delta 0 and alpha of at least
1/2, U multiplies P by e^-eps on every edge, and 1 / (1 + e^eps) is the even share of a boundary edge.

*Plurality.* A rival overtakes the winner once it has gained G votes on it: the winner's lead, and one more if the
winner would win a tie. A person of the winning side who goes over to the rival contributes 2 to G, and a person of any
other side contributes 1. For every rival, and every number of people from the winning side, prefix sums of sorted
epsilons give the cost.

Exactness
---------
The cost is a whole number of units of 2^-50. An epsilon becomes E = floor(2^50 eps) - k, or 0; C(eps) becomes
floor(2^50 C(2^-50 E)). P is rounded up to a double, but not beyond 1/k, and S is 1 - (k - 1) P, exactly.

*Neighbours of one true answer*, over an edge of a person with E, have costs that differ by at most E. C grows, and not
faster than its argument (if f(a) - f(b) <= a - b for whole a - b, the same holds for floor f), so the cost is the least
of E(D without d) + C(E_d) over all sets D of people who can change the answer and all d in D. If D can do it from one
of the two datasets, then D and the person can do it from the other. Hence P, as stored, changes by a factor of at most
exp(2^-50 E) (1 + 2^-51), and S by at most exp(2^-50 E) (1 + (k - 1) 2^-51) (1 + (k - 1) 2^-53), since P <= S; both are
less than e^eps, which has k units more. If E is 0, the costs are equal, and so are P and S.

*Neighbours across the boundary*: both costs are at most C(E), so both P are at least 1 / (exp(2^-50 E) + k - 1), or
equal to the double below 1/k. Then S = 1 - (k - 1) P <= exp(2^-50 E) / (exp(2^-50 E) + k - 1) at one end, which is at
most e^eps P at the other; and the P of other answers differ by less, since (exp(2^-50 E) + k - 1) / k <= exp(2^-50 E).

So privacy holds for the doubles as they are stored, with each person's own epsilon. With two answers, P exceeds the
optimum by a factor of at most 1 + m 2^-48. With more, an E of 0 would need S = P = 1/k, which may not be a double: so
small an epsilon is refused. :func:`violations` checks all inequalities at one dataset, independently of this reasoning.

Epsilon 0
---------
The answer must not depend on a person with epsilon 0 at all: the two ends of an edge with epsilon 0 have the same
distribution. If their true answers differ, neither answer can be preferred. Counting such a person would therefore only
turn datasets into coin tosses. So the question is put to the others: people with epsilon 0 belong to no group, and
:func:`neodp.polls.table.tally` records only their number.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.core.inequalities import exponential, holds
from neodp.core.sampling import BITS, wholes
from neodp.data.kinds import checked, explained, wrong_kind
from neodp.data.validation import UNIT
from neodp.errors import GraphError
from neodp.polls.costs import FAR, chance, crossing, units

__all__ = ["Counts", "Group", "Margin", "Plurality", "Poll", "Threshold", "violations"]

SHOWN = 6
"""The greatest number of options that a question names."""
Counts: TypeAlias = NDArray[np.int64]
"""A dataset: per group (row) and option (column), the number of people of the group who chose the option."""


@dataclass(frozen=True)
class Group:
    """People of equal epsilon; `level` is the name of this epsilon, if it has one."""

    epsilon: float
    size: int
    level: str | None = None

    @property
    def factor(self) -> float:
        """The factor by which one person's choice can change the chance of an answer: e^epsilon."""
        return math.exp(self.epsilon)

    @property
    def belief(self) -> float:
        """The greatest certainty about a person's choice for someone who guessed 50:50 before: e^eps / (1 + e^eps)."""
        return 1.0 / (1.0 + math.exp(-self.epsilon))


@dataclass(frozen=True)
class Margin:
    """The accuracy at datasets where `margin` people would have to change their choice to change the answer.

    Attributes
    ----------
    margin : int
    worst : float
        A lower bound on the chance of the true answer at datasets with this margin.
    best : float or None
        The greatest chance of the true answer at such a dataset, if it is known.
    even : float or None
        The chance of the true answer if the winning side is spread evenly over the groups, the smaller of those for yes
        and no; only for yes/no polls.
    """

    margin: int
    worst: float
    even: float | None = None
    best: float | None = None


@dataclass(frozen=True)
class Poll(ABC):
    """A question to groups of people, and the mechanism that answers it.

    Attributes
    ----------
    groups : tuple of Group
        The groups, by ascending epsilon.
    options : tuple of str
        The options: the columns of a dataset, and the possible answers.
    """

    groups: tuple[Group, ...]
    options: tuple[str, ...]

    @property
    @abstractmethod
    def question(self) -> str:
        """The question in words."""

    @abstractmethod
    def truth(self, counts: Counts) -> int:
        """Return the position of the true answer of a dataset in ``options``."""

    @abstractmethod
    def margin(self, counts: Counts) -> int | None:
        """Return how many people would have to change their choice to change the answer; None if nobody can."""

    @abstractmethod
    def cost(self, counts: Counts) -> int | None:
        """Return the cost of a dataset in units of 2^-50; None if nobody can change the answer."""

    @property
    @abstractmethod
    def largest_margin(self) -> int:
        """The greatest margin that a dataset can have; 0 if there is only one possible answer."""

    @abstractmethod
    def at(self, margin: int) -> Margin:
        """Return the accuracy at a margin, without reading anybody's choice."""

    @explained
    def distribution(self, counts: Counts) -> tuple[float, ...]:
        """Return the chance of each answer.

        All chances but the largest are exact, and the largest is one minus the rest, rounded.
        """
        cost, k = self.cost(counts), len(self.options)
        other = 0.0 if cost is None else chance(cost, k)
        true = 1.0 - (k - 1) * other
        if k * Fraction(other) < 1:  # then the true answer has the largest chance, whatever rounding says
            true = max(true, math.nextafter(other, 1.0))
        row = [other] * k
        row[self.truth(counts)] = true
        return tuple(row)

    @explained
    def worst_at(self, margin: int) -> float:
        """Return the least accuracy of a dataset with this margin: the smallest epsilons are on its winning side."""
        return self.accuracy_at(self.cheapest(self.sizes.tolist(), margin))

    @explained
    def accuracy_at(self, cost: int) -> float:
        """Return the accuracy of a dataset with this cost."""
        return 1.0 - (len(self.options) - 1) * chance(cost, len(self.options))

    @explained
    def cheapest(self, winners: Sequence[int], margin: int) -> int:
        """Return the cost if the `margin` winners with the smallest epsilons must change their choices."""
        if len(winners) != len(self.groups):
            raise GraphError(
                f"there are winners of {len(winners)} groups", f"give one number for each of {len(self.groups)}"
            )
        total, left = 0, margin
        for each, size in zip(self.units, winners, strict=True):
            if size >= left:
                return total + (left - 1) * each + crossing(each, len(self.options))
            total += size * each
            left -= size
        raise GraphError(f"the margin is {margin}", "give at most as many as there are people")

    @cached_property
    def sizes(self) -> Counts:
        """The number of people in each group."""
        return np.array([group.size for group in self.groups], np.int64)

    @cached_property
    def units(self) -> list[int]:
        """The epsilon of each group, in whole units."""
        return [units(group.epsilon, len(self.options)) for group in self.groups]

    @property
    def people(self) -> int:
        """The number of people."""
        return sum(group.size for group in self.groups)

    @property
    def worst(self) -> float:
        """A lower bound on the chance of the true answer at every dataset."""
        return self.worst_at(1) if self.largest_margin else 1.0

    @explained
    def margin_for(self, accuracy: float) -> int | None:
        """Return the least margin that guarantees at least this accuracy; None if there is none.

        The worst accuracy grows with the margin, so that bisection finds this margin.
        """
        low, high = 0, self.largest_margin + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.worst_at(middle) >= accuracy:
                high = middle
            else:
                low = middle
        return high if high <= self.largest_margin else None

    def neighbors(self, counts: Counts, groups: Sequence[int] | None = None) -> Iterator[tuple[Counts, float]]:
        """Yield the datasets in which one person of these groups chose another option, and that person's epsilon.

        Their number is the same whatever the counts are, so that it reveals nothing: if nobody chose an option, a
        person who chose the largest option moves instead, and some datasets come twice.
        """
        for g in range(len(self.groups)) if groups is None else groups:
            if not self.groups[g].size:
                continue
            most = int(np.argmax(counts[g]))
            for option, other in permutations(range(len(self.options)), 2):
                there, here = option if counts[g, option] else most, other
                if here == there:
                    here = option
                changed = counts.copy()
                changed[g, there] -= 1
                changed[g, here] += 1
                yield changed, self.groups[g].epsilon


@dataclass(frozen=True)
class Threshold(Poll):
    """The balanced poll on whether at least `needed` people choose the first of two options."""

    needed: int

    @property
    def question(self) -> str:
        """The question in words."""
        return f"do at least {self.needed:,} of {self.people:,} people choose {self.options[0]!r}?"

    @explained
    def truth(self, counts: Counts) -> int:
        """Return 0 if enough people choose the first option, else 1."""
        return 0 if counts[:, 0].sum() >= self.needed else 1

    @explained
    def margin(self, counts: Counts) -> int | None:
        """Return how many people would have to change their choice to cross the threshold; None if nobody can."""
        if not self.largest_margin:
            return None
        yes = int(counts[:, 0].sum())
        return yes - self.needed + 1 if yes >= self.needed else self.needed - yes

    @explained
    def cost(self, counts: Counts) -> int | None:
        """Return the cost of the winners with the smallest epsilons, as many as the margin."""
        margin = self.margin(counts)
        return None if margin is None else self.cheapest(counts[:, self.truth(counts)].tolist(), margin)

    @property
    def largest_margin(self) -> int:
        """The margin if everybody agrees, the greater of yes and no; 0 if nobody can change the answer."""
        if not 0 < self.needed <= self.people:
            return 0
        return max(self.people - self.needed + 1, self.needed)

    @explained
    def at(self, margin: int) -> Margin:
        """Return the accuracy at a margin: the least, the greatest, and that of evenly spread winners."""
        if not 1 <= margin <= self.largest_margin:
            raise GraphError(f"the margin is {margin}", f"give a number from 1 to {self.largest_margin:,}")
        sides = [self.needed + margin - 1, self.people - self.needed + margin]  # the winners, if yes and if no
        possible = [side for side in sides if side <= self.people]
        return Margin(
            margin,
            worst=self.worst_at(margin),
            even=min(self.accuracy_at(self.cheapest(self.spread(side), margin)) for side in possible),
            best=max(self.accuracy_at(self.cheapest(self._dearest(side), margin)) for side in possible),
        )

    @explained
    def spread(self, winners: int) -> list[int]:
        """Return the number of winners per group, spread over the groups in proportion to their sizes."""
        if not 0 <= winners <= self.people:
            raise GraphError(f"there are {winners} winners", f"give from 0 to {self.people:,}")
        share = self.sizes * winners
        whole = share // self.people
        rest = np.argsort(-(share % self.people), kind="stable")[: winners - int(whole.sum())]
        whole[rest] += 1
        found: list[int] = whole.tolist()
        return found

    def _dearest(self, winners: int) -> list[int]:
        """Return the number of winners per group if the people with the greatest epsilons win."""
        before = np.cumsum(self.sizes[::-1])[::-1] - self.sizes
        found: list[int] = np.clip(winners - before, 0, self.sizes).tolist()
        return found


@dataclass(frozen=True)
class Plurality(Poll):
    """The balanced poll on which of three or more options is chosen most often.

    A tie goes to the option that is named first.
    """

    def __post_init__(self) -> None:
        if not self.units[0]:
            least = (len(self.options) + 1) / UNIT
            raise GraphError(f"epsilon is {self.groups[0].epsilon!r}", f"give 0 or at least {least:.2g}")

    @property
    def question(self) -> str:
        """The question in words."""
        names = ", ".join(map(repr, self.options[:SHOWN]))
        if len(self.options) > SHOWN:
            names += f" and {len(self.options) - SHOWN:,} more options"
        return f"which of {names} do most of {self.people:,} people choose?"

    @explained
    def truth(self, counts: Counts) -> int:
        """Return the position of the option that is chosen most often."""
        return int(np.argmax(counts.sum(axis=0)))

    @explained
    def gaps(self, counts: Counts) -> dict[int, int]:
        """Return, per rival, the number of votes it must gain on the winner to overtake it."""
        total, winner = counts.sum(axis=0).tolist(), self.truth(counts)
        return {r: total[winner] - n + (r > winner) for r, n in enumerate(total) if r != winner}

    @explained
    def margin(self, counts: Counts) -> int:
        """Return how many of the winner's people would have to go over to the closest rival."""
        return min((gap + 1) // 2 for gap in self.gaps(counts).values())

    @property
    def largest_margin(self) -> int:
        """The greatest margin that a dataset can have."""
        return self.people // 2 + 1

    @explained
    def at(self, margin: int) -> Margin:
        """Return the least accuracy at a margin."""
        return Margin(margin, worst=self.worst_at(margin))

    @explained
    def cost(self, counts: Counts) -> int:
        """Return the cost of the cheapest way in which a rival overtakes the winner."""
        winner = self.truth(counts)
        winning, won = self._sums(counts[:, winner])
        best = FAR
        for rival, gap in self.gaps(counts).items():
            rest, other = self._sums(counts.sum(axis=1) - counts[:, winner] - counts[:, rival])
            fewest, most = max(0, (gap - len(rest) + 2) // 2), min((gap + 1) // 2, len(winning) - 1)
            a = np.arange(fewest, most + 1)  # empty, if it takes more people than are considered
            b = np.maximum(gap - 2 * a, 0)
            last = np.maximum(won[a], other[b])  # the group with the greatest epsilon among them
            found = winning[a] + rest[b] + self._instead[last]
            best = min(best, int(found.min(initial=FAR)))
        return best

    @cached_property
    def _instead(self) -> Counts:
        """Per group, the addition to the cost if the last person is in this group: C(E) - E."""
        return np.array([crossing(each, len(self.options)) - each for each in self.units], np.int64)

    def _sums(self, people: Counts) -> tuple[Counts, Counts]:
        """Return the sums of E over the cheapest 0, 1, 2, … of these people, until 2 FAR, and each last one's group."""
        each = np.array(self.units, np.int64)
        paid = people * each.astype(np.float64)
        room = np.ceil(np.maximum(0.0, 2.0 * FAR - (np.cumsum(paid) - paid)) / each)
        group = np.repeat(np.arange(len(people)), np.minimum(people, room.astype(np.int64)))
        return np.concatenate([[0], np.cumsum(each[group])]), np.concatenate([[0], group])


@checked
def violations(poll: Poll, counts: Counts, *, groups: Sequence[int] | None = None) -> list[str]:
    """Return the inequalities that the mechanism violates between a dataset and its neighbours, in exact arithmetic.

    Chances are whole multiples of 2^-1074 here, and each inequality is computed in the same way, so that neither the
    number of steps nor the size of the numbers depends on the votes.

    Parameters
    ----------
    groups : sequence of int, optional
        The groups whose people may differ between neighbours; by default all.
    """
    table = np.asarray(counts)
    if table.shape != (len(poll.groups), len(poll.options)) or table.dtype.kind not in "iu":
        raise wrong_kind("counts", counts, "whole numbers, one row per group and one column per option")
    if (table < 0).any() or (table.sum(axis=1) != poll.sizes).any():
        raise GraphError("the counts do not add up to the sizes of the groups", "count every person once")
    one, here = 2**BITS, wholes(poll.distribution(counts))
    broken = []
    for other, epsilon in poll.neighbors(counts, groups):
        there = wholes(poll.distribution(other))
        least = exponential(epsilon, 40)[0]  # below e^epsilon, by less than one in 10^39
        for color, p, p_other in zip(poll.options, here, there, strict=True):
            for left, right in ((p, p_other), (p_other, p)):
                clear = left * least.denominator <= least.numerator * right
                if not clear and not holds(Fraction(left, one), Fraction(right, one), epsilon, 0.0):
                    shown = " and ".join(repr(float(Fraction(x, one))) for x in (p, p_other))
                    broken.append(f"Pr[{color}] is {shown}, beyond epsilon {epsilon!r}")
    return broken
