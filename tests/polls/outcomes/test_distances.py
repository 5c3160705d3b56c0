"""Medians, quantiles and counts: distances against a search in the graph of all tables, and exact draws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise, product
from math import ceil, exp

import numpy as np
import pytest
from numpy.typing import NDArray

from neodp import NeodpError
from neodp.core.permute_and_flip import draw_outcome, outcome_chances
from neodp.polls.outcomes.counting import Count
from neodp.polls.outcomes.quantile import Quantile
from neodp.polls.outcomes.query import UNIT, certain_distance, units_of

Table = tuple[int, ...]


def counted(table: Table, level: Table, options: int) -> NDArray[np.int64]:
    found = np.zeros((max(level) + 1, options), np.int64)
    for vote, group in zip(table, level, strict=True):
        found[group, vote] += 1
    return found


def quantile(table: Table, share: Fraction) -> int:
    """The first option that at least a share of the people chose, or one before it."""
    return sorted(table)[ceil(share * len(table)) - 1]


def nearest(tables: list[Table], options: int, cost: Table, outcome: dict[Table, int], o: int) -> dict[Table, int]:
    """The distance of every table from those with an outcome, by Dijkstra's algorithm over all tables."""
    best = {table: 0 for table in tables if outcome[table] == o}
    queue = [(0, table) for table in best]
    while queue:
        d, table = heappop(queue)
        if d > best[table]:
            continue
        for i, w in enumerate(cost):
            for vote in range(options):
                other = (*table[:i], vote, *table[i + 1 :])
                if d + w < best.get(other, d + w + 1):
                    best[other] = d + w
                    heappush(queue, (d + w, other))
    return best


PEOPLE = [(0, 0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 1, 2, 2), (0, 1, 2)]
UNITS = np.array([1, 3, 7])


@pytest.mark.parametrize("level", PEOPLE)
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 4), Fraction(1)])
def test_distances_of_quantiles_are_those_in_the_graph_of_tables(level: Table, share: Fraction) -> None:
    options = 3
    asked = Quantile(tuple("abc"), share)
    tables = list(product(range(options), repeat=len(level)))
    outcome = {table: quantile(table, share) for table in tables}
    cost = tuple(int(UNITS[group]) for group in level)
    units = UNITS[: max(level) + 1]
    found = {table: asked.distances(counted(table, level, options), units) for table in tables}
    for o in range(options):
        expected = nearest(tables, options, cost, outcome, o)
        assert {table: row[o] for table, row in found.items()} == expected


@pytest.mark.parametrize("level", PEOPLE)
@pytest.mark.parametrize("starts", [None, (0, 2), (0, 1, 3)])
def test_distances_of_counts_are_those_in_the_graph_of_tables(level: Table, starts: tuple[int, ...] | None) -> None:
    options, n = 3, len(level)
    begin = tuple(range(n + 1)) if starts is None else starts
    asked = Count(tuple("abc"), 1, n, begin)
    tables = list(product(range(options), repeat=n))
    outcome = {table: sum(start <= table.count(1) for start in begin) - 1 for table in tables}
    cost = tuple(int(UNITS[group]) for group in level)
    units = UNITS[: max(level) + 1]
    for o in range(len(begin)):
        expected = nearest(tables, options, cost, outcome, o)
        found = {table: asked.distances(counted(table, level, options), units)[o] for table in tables}
        assert found == expected


@pytest.mark.parametrize("level", PEOPLE)
def test_chances_of_neighbours_stay_within_their_epsilon(level: Table) -> None:
    """All tables, all people, all other answers; the chances in doubles, so up to their rounding."""
    options, unit = 3, 0.25
    units = UNITS[: max(level) + 1]
    for asked in (Quantile(tuple("abc")), Count(tuple("abc"), 0, len(level), tuple(range(len(level) + 1)))):
        chances = {}
        for table in product(range(options), repeat=len(level)):
            chances[table] = outcome_chances(asked.distances(counted(table, level, options), units).tolist(), unit / 2)
        for table, row in chances.items():
            for i, group in enumerate(level):
                for vote in range(options):
                    other = chances[(*table[:i], vote, *table[i + 1 :])]
                    assert (row <= exp(unit * units[group]) * other * (1 + 1e-9)).all()


def test_outcomes_are_drawn_with_their_chances() -> None:
    distances, unit, draws = [3, 0, 1, 8], 0.5, 5_000
    expected = outcome_chances(distances, unit / 2)
    found = Counter(draw_outcome(distances, Fraction(unit) / 2) for _ in range(draws))
    for o, chance in enumerate(expected.tolist()):
        spread = (draws * chance * (1 - chance)) ** 0.5
        assert abs(found[o] - draws * chance) < 6 * spread + 1


def test_chances_add_up_for_many_outcomes_and_the_true_one_leads() -> None:
    for k in (2, 5, 100, 2_000):
        chances = outcome_chances([abs(j - k // 2) * 512 for j in range(k)], UNIT / 2)
        assert chances.sum() == pytest.approx(1.0)
        assert int(chances.argmax()) == k // 2


def test_a_million_people() -> None:
    """The numbers are whole, whatever their size; a count far away costs the cheapest people."""
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 120_000, (3, 5))
    units = np.array([units_of(e) for e in (0.1, 1.0, 5.0)])
    n = int(counts.sum())
    median = Quantile(tuple("12345")).distances(counts, units)
    assert min(median) == 0
    asked = Count(tuple("12345"), 2, n, tuple(range(n + 1)))
    found = asked.distances(counts, units)
    now = int(counts[:, 2].sum())
    assert found[now] == 0
    assert found[0] == int((counts[:, 2] * units).sum())
    assert found[n] == int(((counts.sum(axis=1) - counts[:, 2]) * units).sum())
    assert all(a >= b for a, b in pairwise(found[: now + 1]))


def test_the_distance_that_is_certain_holds() -> None:
    distances = [units_of(float(epsilon)) for epsilon in range(40)]
    chances = outcome_chances(distances, UNIT / 2)
    far = np.array(distances) * UNIT > certain_distance(len(distances))
    assert chances[far].sum() <= 0.05


@pytest.mark.parametrize("share", [Fraction(0), Fraction(-1, 2), Fraction(3, 2)])
def test_a_quantile_that_does_not_exist_is_refused(share: Fraction) -> None:
    with pytest.raises(NeodpError, match="above 0 and at most 1"):
        Quantile(("a", "b"), share)


@pytest.mark.parametrize("starts", [(), (1, 2), (0, 2, 2), (0, 9)])
def test_ranges_that_do_not_ascend_are_refused(starts: tuple[int, ...]) -> None:
    with pytest.raises(NeodpError, match="ascend from 0"):
        Count(("a", "b"), 0, 5, starts)
