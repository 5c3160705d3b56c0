"""The mechanisms: exact chances, and privacy person by person. tests/attacks/test_people.py has all small graphs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from neodp.asking.cover import Cover
from neodp.asking.distance import Distances
from neodp.asking.mechanism import AtLeast, Counting, grid_to
from neodp.core.sampling import bernoulli, geometric
from neodp.errors import NotAskable
from tests.asking.covers import cover_of
from tests.asking.reference import EDGES, People, exact, graphs, private


class Given:
    """Distances that are known beforehand, by t."""

    def __init__(self, units: Callable[[int], int | None]) -> None:
        self.units = units

    def at_most(self, t: int, bound: int) -> bool:
        found = self.units(t)
        return found is not None and found <= bound


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.9, 2.0**-60])
@pytest.mark.parametrize("unit", [2.0**-10, 0.5, 1.0])
def test_both_chances_are_private_in_rational_arithmetic_also_far_away(alpha: float, unit: float) -> None:
    """The smaller chance is exact and the other is the rest: plain doubles lose 1 - F at a distance of 40."""
    asked = AtLeast(1, alpha, unit)
    assert asked.chances(0)["yes"] == alpha
    for k in (0, 1, 7, round(40 / unit), round(60 / unit)):
        for n in (1, 3):
            near, far = asked.chances(k), asked.chances(k + n)
            assert exact(near)[0] < exact(far)[0]
            assert private(near, far, Fraction(unit) * n)


@pytest.mark.parametrize("alpha", [0.05, 0.6, 2.0**-60])
@pytest.mark.parametrize("unit", [2.0**-4, 1.0])
def test_the_distance_that_a_chance_needs_is_the_least_one_that_has_it(alpha: float, unit: float) -> None:
    asked = AtLeast(1, alpha, unit)
    for chance in (0.5, 0.9, 0.99):
        needed = asked.needed(chance)
        assert asked.chances(needed)["yes"] >= chance
        assert needed == 0 or asked.chances(needed - 1)["yes"] < chance


@pytest.mark.parametrize("pattern", sorted(EDGES))
def test_no_range_moves_by_more_than_the_weight_of_who_leaves(pattern: str) -> None:
    asked = Counting((0, 1, 2, 4), unit=1.0)
    for friends in graphs(4):
        graph = People((2, 1, 3, 1), (True, False, True, True), friends)
        before = asked.offsets(Distances(cover_of(graph, pattern)))
        assert min(before) == 0
        for person, weight in enumerate(graph.weight):
            less = graph.without(person)
            after = asked.offsets(Distances(cover_of(less, pattern)))
            assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= weight


def exact_chances(offsets: list[int], half: Fraction) -> list[Fraction]:
    """Return the chances of permute-and-flip as fractions, with p_j = half^n_j in place of e^(-n_j u / 2)."""
    p = [half**n for n in offsets]
    found = []
    for j in range(len(p)):
        polynomial = [Fraction(1)]  # the product of 1 - s p_r, by powers of s
        for r, each in enumerate(p):
            if r != j:
                shifted = [Fraction(0), *(-each * c for c in polynomial)]
                polynomial = [a + b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)]
        found.append(p[j] * sum(c / (power + 1) for power, c in enumerate(polynomial)))
    return found


def test_permute_and_flip_is_private_person_by_person_in_rational_arithmetic() -> None:
    half, cases = Fraction(2, 3), [[0, 2, 4, 4], [1, 0, 3, 4], [0, 0, 0, 0], [2, 1, 0, 2], [4, 4, 4, 0], [4, 3, 2, 0]]
    checked = 0
    for one in cases:
        assert sum(exact_chances(one, half)) == 1
        for other in cases:
            n = max(abs(a - b) for a, b in zip(one, other, strict=True))
            for p, q in zip(exact_chances(one, half), exact_chances(other, half), strict=True):
                assert p <= q / half ** (2 * n)
                checked += 1
    assert checked == 144


def test_the_draw_has_the_chances_that_are_stated() -> None:
    asked, true = Counting((0, 1, 2, 3, 4, 8), unit=2.0), {1: 40, 2: 12, 3: 6, 4: 2, 8: 0}
    stated = asked.chances(Given(true.get))
    assert math.isclose(sum(stated.values()), 1.0)
    draws = [asked.draw(Given(true.get)) for _ in range(4000)]
    for j, chance in enumerate(stated.values()):
        assert abs(draws.count(j) - 4000 * chance) <= 5 * math.sqrt(4000 * chance + 1)


def test_an_empty_graph_counts_as_nobody_nearly_always() -> None:
    for most in (10, 1_000_000):
        asked = Counting(grid_to(most))
        chances = asked.chances(Given(lambda t: 0))
        assert chances["0"] >= 0.95
        assert asked.answers[0] == "0"


def test_few_prices_are_tried_for_a_count() -> None:
    """One price decides at nearly all points of the grid: 300 pairs of friends who know nobody else."""
    n = 300
    pairs = Cover(np.full(2 * n, 200), np.ones(n, np.int64), np.arange(n), np.arange(0, 2 * n + 1, 2), np.arange(2 * n))
    asked, known = Counting(grid_to(1_000_000)), Distances(pairs)
    answers = [int(asked.answers[asked.draw(known)]) for _ in range(20)]
    assert 100 < float(np.median(answers)) <= n
    assert len(known._tangents) < 40


def test_exact_draws_have_their_chances() -> None:
    n = 20_000
    for gamma in (Fraction(0), Fraction(1, 3), Fraction(1)):
        found = sum(bernoulli(gamma) for _ in range(n))
        assert abs(found - n * math.exp(-gamma)) <= 5 * math.sqrt(n)
    draws = np.array([geometric(Fraction(2, 7)) for _ in range(n)])
    for k in (0, 1, 5, 12):
        assert abs((draws >= k).sum() - n * math.exp(-2 * k / 7)) <= 5 * math.sqrt(n)


@pytest.mark.parametrize("grid", [(0,), (1, 2), (0, 2, 2), (0, 5, 3)])
def test_ranges_ascend_from_0(grid: tuple[int, ...]) -> None:
    with pytest.raises(NotAskable, match="the ranges begin at"):
        Counting(grid)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_a_false_alarm_rate_lies_between_0_and_1(alpha: float) -> None:
    with pytest.raises(NotAskable, match="the false-alarm rate is"):
        AtLeast(5, alpha)
