"""All graphs of up to five people, all patterns, all neighbours: what `neodp ask` rests on, in rational numbers.

``python -m attacks.people`` goes through every graph of friends, everybody ill or not and with each of some weights, up
to the order of the people, and every pattern of ``tests/asking/reference.py``, which imports nothing of neodp. For
every number t it checks

* the distance and the distance in whole people (``--exact-distance``) against the reference: the linear program by the
  simplex method in rational numbers, and all sets of people who could leave;
* that both fall by 0 to the weight of everybody who could leave, before and after rounding up; that the chances of
  "at least t?" then differ by a factor of at most e^weight; and that no range of "how many?" moves by more than it;
* with everybody at the same epsilon, that the chances are those of `extend` on the graph of all datasets, in every bit:
  always by whole people, and by the program wherever its distance is the true one.

A distance depends on the people's weights and the witnesses alone. So questions that are the same but for the names of
the people are solved once: 5! orders are tried for the least form of each.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import ceil
from typing import TypeAlias

from neodp.asking.distance import Distances
from neodp.asking.mechanism import AtLeast, Counting
from neodp.asking.whole import WholeDistances
from tests.asking.covers import cover_of, on_all_datasets
from tests.asking.reference import EDGES, Groups, People, colorings, distances, groups, private, true_distances

__all__ = ["Solved", "Tally", "equal_epsilons", "everybody", "main", "neighbors"]

FALSE_ALARM, EPSILON = 0.05, 0.5
Form: TypeAlias = tuple[tuple[int, ...], tuple[tuple[tuple[int, ...], int], ...]]


def main() -> int:
    """Check all graphs, and print how many there were of everything."""
    parser = argparse.ArgumentParser(prog="python -m attacks.people", description="Check questions on small graphs.")
    parser.add_argument("--people", type=int, default=5, help="the greatest number of people")
    parser.add_argument("--weights", type=int, nargs="+", default=[1, 2], help="the weights that everybody may have")
    given = parser.parse_args()
    wrong = 0
    for pattern, distinct in product(sorted(EDGES), (False, True)):
        tally = neighbors(pattern, distinct, given.people, given.weights)
        tally += equal_epsilons(pattern, distinct, given.people)
        print(f"{pattern}{', distinct' if distinct else ''}: {tally}", flush=True)
        wrong += tally.wrong
    return 1 if wrong else 0


@dataclass
class Tally:
    """The number of graphs, of different questions on them, of removals, of comparisons by bits, and of violations."""

    graphs: int = 0
    questions: int = 0
    removals: int = 0
    equal: int = 0
    below: int = 0
    wrong: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self

    def __str__(self) -> str:
        return (
            f"{self.graphs:,} graphs, {self.questions:,} different questions, {self.removals:,} removals, "
            f"{self.equal:,} distances with the bits of extend ({self.below:,} where the program's is below the true "
            f"one), {self.wrong} violations"
        )


def everybody(pattern: str, people: int, weights: Sequence[int]) -> Iterator[People]:
    """Yield every graph of at most so many people, each of them with each weight, ill or not if the pattern asks."""
    kinds = list(product(weights, (True, False) if "ill" in pattern else (False,)))
    for n in range(1, people + 1):
        for friends, chosen in colorings(n, len(kinds)):
            yield People(tuple(kinds[i][0] for i in chosen), tuple(kinds[i][1] for i in chosen), friends)


@dataclass(frozen=True)
class Solved:
    """A question on a graph, solved by the reference: its distances for t = 1, 2, …, in parts and in whole people."""

    parts: list[Fraction]
    whole: list[int]
    offsets: list[list[int]] = field(default_factory=list)

    @classmethod
    def of(cls, graph: People, counted: Groups) -> Solved:
        """Solve a question."""
        found = cls(distances(graph, counted), true_distances(graph, counted))
        grid = Counting((0, 1, 2, 3, 5, 8), unit=1.0)
        known = ([ceil(each) for each in found.parts], found.whole)
        return cls(found.parts, found.whole, [grid.offsets(Listed(each)) for each in known])

    def at(self, t: int) -> tuple[Fraction | int, int, int]:
        """Return the distance, rounded up too, and that in whole people; all are 0 where there are fewer than t."""
        if t > len(self.parts):
            return 0, 0, 0
        return self.parts[t - 1], ceil(self.parts[t - 1]), self.whole[t - 1]


@dataclass(frozen=True)
class Listed:
    """Distances in whole units that are known beforehand."""

    each: list[int]

    def units(self, t: int) -> int:
        """Return the distance to fewer than t."""
        return self.each[t - 1] if t <= len(self.each) else 0

    def at_most(self, t: int, bound: int) -> bool:
        """Return whether it is at most a bound."""
        return self.units(t) <= bound


def neighbors(pattern: str, distinct: bool, people: int, weights: Sequence[int]) -> Tally:
    """Check the distances of all graphs, and everybody who could leave."""
    tally = Tally()
    solved: dict[Form, Solved] = {}
    found: dict[tuple[People, frozenset[int]], Groups] = {}

    def solve(graph: People) -> Solved:
        there = frozenset(i for i, weight in enumerate(graph.weight) if weight)
        alike = People((1,) * len(graph.weight), graph.ill, graph.friends)
        if (alike, there) not in found:
            found[alike, there] = groups(graph, pattern, distinct)
        counted = found[alike, there]
        form = least_form(graph.weight, counted)
        if form not in solved:
            solved[form] = Solved.of(graph, counted)
            tally.wrong += _differs(graph, pattern, distinct, solved[form])
        return solved[form]

    for graph in everybody(pattern, people, weights):
        before = solve(graph)
        for person, weight in enumerate(graph.weight):
            after = solve(graph.without(person))
            for t in range(1, len(before.parts) + 1):
                part, *units = before.at(t)
                left, *less = after.at(t)
                pairs = list(zip(units, less, strict=True))
                falls = [part - left, *(one - other for one, other in pairs)]
                tally.wrong += not all(0 <= fall <= weight for fall in falls)
                tally.wrong += not all(_chances_are_private(one, other, weight) for one, other in pairs)
                tally.removals += 1
            for one, other in zip(before.offsets, after.offsets, strict=True):
                tally.wrong += not all(abs(a - b) <= weight for a, b in zip(one, other, strict=True))
        tally.graphs += 1
    tally.questions = len(solved)
    return tally


def _differs(graph: People, pattern: str, distinct: bool, known: Solved) -> int:
    """Return how many distances of neodp are not those of the reference."""
    cover = cover_of(graph, pattern, distinct)
    parts, whole = Distances(cover), WholeDistances(cover)
    wrong = int(cover.count != len(known.parts))
    for t in range(1, len(known.parts) + 2):
        part, units, least = known.at(t)
        exact = parts.exactly(t)
        wrong += not (exact.lower == exact.upper == part and parts.units(t) == units and whole.units(t) == least)
    return wrong


@cache
def _chances_are_private(one: int, other: int, weight: int) -> bool:
    asked = AtLeast(1, FALSE_ALARM, 1.0)
    return private(asked.chances(one), asked.chances(other), Fraction(weight))


def equal_epsilons(pattern: str, distinct: bool, people: int) -> Tally:
    """Compare the chances with those of `extend`, everybody at the same epsilon."""
    tally, done = Tally(), set()
    for graph in everybody(pattern, people, [1]):
        counted = groups(graph, pattern, distinct)
        form = least_form(graph.weight, counted)
        if form in done:
            continue
        done.add(form)
        cover = cover_of(graph, pattern, distinct)
        parts, whole = Distances(cover), WholeDistances(cover)
        for t in range(1, len(counted) + 1):
            best = on_all_datasets(len(graph.weight), counted, t, EPSILON, FALSE_ALARM)
            asked = AtLeast(t, FALSE_ALARM, EPSILON)
            tally.wrong += asked.chances(whole.units(t)) != best
            if parts.units(t) == whole.units(t):
                tally.wrong += asked.chances(parts.units(t)) != best
                tally.equal += 1
            else:
                tally.below += 1
    return tally


def least_form(weight: Sequence[int], counted: Groups) -> Form:
    """Return the form that a question has whatever the people are called: the least of all orders of the people."""
    people = sorted({i for witnesses in counted for m in witnesses for i in m}, key=lambda i: (weight[i], i))
    bit = {person: 1 << number for number, person in enumerate(people)}
    amounts = Counter(tuple(sorted({sum(bit[i] for i in m) for m in witnesses})) for witnesses in counted)
    return _least(tuple(weight[i] for i in people), frozenset(amounts.items()))


@cache
def _least(weights: tuple[int, ...], amounts: frozenset[tuple[tuple[int, ...], int]]) -> Form:
    return weights, min(
        tuple(sorted((tuple(sorted(renamed[m] for m in witnesses)), amount) for witnesses, amount in amounts))
        for renamed in _orders(weights)
    )


@cache
def _orders(weights: tuple[int, ...]) -> list[list[int]]:
    """Return the set that every set of people becomes, as bits, in each order that keeps the weights."""
    people = range(len(weights))
    return [
        [sum(1 << order[i] for i in people if mask >> i & 1) for mask in range(1 << len(weights))]
        for order in permutations(people)
        if all(weights[i] == weights[j] for i, j in enumerate(order))
    ]


if __name__ == "__main__":
    sys.exit(main())
