"""Distances on small graphs of people, slowly and in rational numbers; nothing of neodp is imported here.

A graph is a set of people with weights and properties, and a set of friendships. Matches are found by trying all people
in all places of a pattern; the linear program is solved by the simplex method on a dense table of fractions; the true
distance by trying all sets of people who could leave. Two neighbours are compared with bounds of e^epsilon that are
closer than any two doubles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import ceil

Groups = list[list[frozenset[int]]]
"""What is counted, each with the sets of people who witness it."""


@dataclass(frozen=True)
class People:
    """A graph of people: weights in whole units, who is ill, and friendships as pairs."""

    weight: tuple[int, ...]
    ill: tuple[bool, ...]
    friends: frozenset[frozenset[int]]

    def without(self, person: int) -> People:
        """Return the graph without one person, whose number stays unused."""
        weight = tuple(0 if i == person else w for i, w in enumerate(self.weight))
        return People(weight, self.ill, frozenset(pair for pair in self.friends if person not in pair))


EDGES = {
    "people": [],
    "ill people": [],
    "pairs": [(0, 1)],
    "ill pairs": [(0, 1)],
    "one ill of a pair": [(0, 1)],
    "paths": [(0, 1), (1, 2)],
    "triangles": [(0, 1), (1, 2), (0, 2)],
    "two pairs": [(0, 1), (2, 3)],
}
"""The patterns: which places must be friends."""
PLACES = {"people": 1, "ill people": 1, "two pairs": 4} | {
    name: max(b for _, b in edges) + 1 for name, edges in EDGES.items() if edges and name != "two pairs"
}


def matches(graph: People, pattern: str) -> set[tuple[frozenset[int], frozenset[frozenset[int]]]]:
    """Return the matches: the set of their people, and the set of their friendships."""
    there = [i for i, w in enumerate(graph.weight) if w]
    found = set()
    for places in product(there, repeat=PLACES[pattern]):
        pairs = [frozenset({places[a], places[b]}) for a, b in EDGES[pattern]]
        if not all(len(pair) == 2 and pair in graph.friends for pair in pairs) or len(set(pairs)) < len(pairs):
            continue
        if pattern in ("ill people", "ill pairs") and not all(graph.ill[i] for i in places):
            continue
        if pattern == "one ill of a pair" and not graph.ill[places[0]]:
            continue
        found.add((frozenset(places), frozenset(pairs)))
    return found


def groups(graph: People, pattern: str, distinct: bool) -> list[list[frozenset[int]]]:
    """Return what is counted, each with its witnesses: every match, or every person in the first place of one."""
    if not distinct:
        return [[people] for people, _ in sorted(matches(graph, pattern), key=repr)]
    found: dict[int, set[frozenset[int]]] = {}
    for people, pairs in matches(graph, pattern):
        for order in permutations(people):
            places = order[:1] if len(people) == 1 else order
            if pattern == "one ill of a pair" and not graph.ill[places[0]]:
                continue
            found.setdefault(places[0], set()).add(people)
        assert pairs is not None
    return [sorted(witnesses, key=sorted) for _, witnesses in sorted(found.items())]


def distance(graph: People, counted: Groups, t: int) -> Fraction:
    """Return D_t: the least weight that leaves until fewer than t groups remain, by the dual of the linear program."""
    return distances(graph, counted)[t - 1] if t <= len(counted) else Fraction(0)


def distances(graph: People, counted: Groups) -> list[Fraction]:
    """Return D_t for t = 1, 2, … up to the number of groups; groups with the same witnesses are one of their number."""
    people = [i for i, w in enumerate(graph.weight) if w]
    amounts = Counter(frozenset(witnesses) for witnesses in counted)
    witnesses = [(g, m) for g, each in enumerate(amounts) for m in each]
    rows = [[Fraction(i in m) for _, m in witnesses] + [Fraction(0)] for i in people]
    rows += [
        [Fraction(g == h) for h, _ in witnesses] + [Fraction(-amount)] for g, amount in enumerate(amounts.values())
    ]
    bounds = [Fraction(graph.weight[i]) for i in people] + [Fraction(0)] * len(amounts)
    goals = ([Fraction(1)] * len(witnesses) + [Fraction(1 - t)] for t in range(len(counted), 0, -1))
    return list(greatest(goals, rows, bounds))[::-1]


def greatest(goals: Iterable[list[Fraction]], rows: list[list[Fraction]], bounds: list[Fraction]) -> Iterator[Fraction]:
    """Yield the greatest value of goal · v over v >= 0 with rows · v <= bounds, for one goal after the other.

    All bounds are at least 0. The search for a goal begins where that for the one before has ended; Bland's rule, the
    first column and the first row that fit, never runs in a circle.
    """
    m = len(rows)
    table = [
        [*row, *(Fraction(i == r) for i in range(m)), bound]
        for r, (row, bound) in enumerate(zip(rows, bounds, strict=True))
    ]
    basis: list[int] | None = None
    for goal in goals:
        n = len(goal)
        basis = list(range(n, n + m)) if basis is None else basis
        cost = [*goal, *([Fraction(0)] * (m + 1))]
        last = [-c for c in cost]
        for r, row in enumerate(table):
            _add(last, cost[basis[r]], row)
        while True:
            column = next((j for j in range(n + m) if last[j] < 0), None)
            if column is None:
                yield last[-1]
                break
            _, _, pivot = min((row[-1] / row[column], basis[r], r) for r, row in enumerate(table) if row[column] > 0)
            scale = table[pivot][column]
            table[pivot] = [value / scale if value else value for value in table[pivot]]
            for row in [*(row for r, row in enumerate(table) if r != pivot), last]:
                _add(row, -row[column], table[pivot])
            basis[pivot] = column


def _add(row: list[Fraction], factor: Fraction, other: list[Fraction]) -> None:
    if factor:
        row[:] = [a + factor * b if b else a for a, b in zip(row, other, strict=True)]


def true_distance(graph: People, counted: Groups, t: int) -> int:
    """Return the least weight of whole people who have to leave."""
    return true_distances(graph, counted)[t - 1] if t <= len(counted) else 0


def true_distances(graph: People, counted: Groups) -> list[int]:
    """Return the least weight of whole people who have to leave for t = 1, 2, … up to the number of groups."""
    people = [i for i, w in enumerate(graph.weight) if w]
    best = [sum(graph.weight)] * len(counted)
    for size in range(len(people) + 1):
        for gone in map(set, combinations(people, size)):
            left = sum(any(not (gone & m) for m in witnesses) for witnesses in counted)
            weight = sum(graph.weight[i] for i in gone)
            best[left:] = [min(weight, each) for each in best[left:]]
    return best


def units(graph: People, pattern: str, distinct: bool, t: int) -> int:
    """Return k_t = ceil(D_t)."""
    return ceil(distance(graph, groups(graph, pattern, distinct), t))


def graphs(people: int) -> Iterator[frozenset[frozenset[int]]]:
    """Yield all graphs of friends on so many people, one for each up to the order of the people."""
    pairs = [frozenset(pair) for pair in combinations(range(people), 2)]
    seen: set[frozenset[frozenset[int]]] = set()
    for chosen in product((False, True), repeat=len(pairs)):
        friends = frozenset(pair for pair, there in zip(pairs, chosen, strict=True) if there)
        if friends in seen:
            continue
        yield friends
        for order in permutations(range(people)):
            seen.add(frozenset(frozenset(order[i] for i in pair) for pair in friends))


def colorings(people: int, colors: int) -> Iterator[tuple[frozenset[frozenset[int]], tuple[int, ...]]]:
    """Yield all graphs of friends, everybody with one of some colours, one for each up to the order of the people."""
    for friends in graphs(people):
        same = [
            order
            for order in permutations(range(people))
            if frozenset(frozenset(order[i] for i in pair) for pair in friends) == friends
        ]
        for each in product(range(colors), repeat=people):
            if all(each <= tuple(each[i] for i in order) for order in same):
                yield friends, each


@cache
def power(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of e^epsilon that are closer than any two doubles."""
    with localcontext() as context:
        context.prec = 60
        value = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    exact = Fraction(value)
    return exact * (1 - Fraction(1, 10**50)), exact * (1 + Fraction(1, 10**50))


def exact(chances: Mapping[str, float]) -> tuple[Fraction, Fraction]:
    """Return the chances of yes and no as they are drawn from: the smaller one as it is, the other as the rest."""
    yes, no = chances.values()
    small = Fraction(min(yes, no))
    return (small, 1 - small) if yes <= no else (1 - small, small)


def private(one: Mapping[str, float], other: Mapping[str, float], epsilon: Fraction) -> bool:
    """Return whether both chances differ by a factor of at most e^epsilon, in both directions."""
    _, most = power(epsilon)
    return all(a <= most * b and b <= most * a for a, b in zip(exact(one), exact(other), strict=True))
