"""Questions with several outcomes are private: all small tables, all people, all other answers, in exact arithmetic.

The theorems hold for every rate, so that the rate is taken as ln 2 for each unit here: all chances are then rational,
and the inequalities are decided without rounding. Chances follow from the definition, by a sum over all orders.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import Literal

import numpy as np
import pytest

from neodp.polls.outcomes.counting import Count, ranges_of
from neodp.polls.outcomes.quantile import Quantile
from neodp.polls.outcomes.query import UNIT, How, Ints, OutcomeQuery, units_of
from neodp.polls.outcomes.question import moves_too_far
from neodp.polls.outcomes.ranking import Ballot, Ranking

HALF = Fraction(1, 2)
Chances = Callable[[Ints], list[Fraction]]


def flipped(off: list[int]) -> list[Fraction]:
    """The chance of each outcome if all are visited in random order, and accepted with chance 2^-off."""
    found = [Fraction(0)] * len(off)
    orders = list(permutations(range(len(off))))
    for order in orders:
        left = Fraction(1, len(orders))
        for j in order:
            found[j] += left * HALF ** off[j]
            left *= 1 - HALF ** off[j]
    return found


def tail(least: int, step: int) -> Fraction:
    """The chance that noise with Pr[Y = y] in proportion to 2^(-step |y|) is at least a number."""
    q = HALF**step
    return q**least / (1 + q) if least > 0 else 1 - q ** (1 - least) / (1 + q)


def noisy(asked: Count, weights: Ints) -> Chances:
    """The chances of the ranges: the estimate is rounded and cut to 0 to n, as the definition says."""

    def chances(counts: Ints) -> list[Fraction]:
        score, total, n = int(weights @ counts[:, asked.option]), int(weights @ counts.sum(axis=1)), asked.people
        found = [Fraction(0)] * len(asked.starts)
        low, high, step = -n - 2 * total, n + 2 * total, math.gcd(*weights.tolist())
        for noise in range(low, high + 1):
            estimate = min(max((Fraction(n * (score + step * noise), total) + HALF).__floor__(), 0), n)
            above = tail(noise, step) if noise > low else Fraction(1)
            chance = above - tail(noise + 1, step) if noise < high else above
            found[sum(start <= estimate for start in asked.starts) - 1] += chance
        return found

    return chances


def violations(level: tuple[int, ...], columns: int, units: Ints, chances: Chances, per_unit: int) -> list[str]:
    """All inequalities p <= 2^(per_unit * units) p' between neighbouring tables that do not hold."""
    known = {}
    for table in product(range(columns), repeat=len(level)):
        counts = np.zeros((len(units), columns), np.int64)
        for vote, group in zip(table, level, strict=True):
            counts[group, vote] += 1
        known[table] = chances(counts)
        assert sum(known[table]) == 1
    broken = []
    for table, row in known.items():
        for i, group in enumerate(level):
            for vote in range(columns):
                other = (*table[:i], vote, *table[i + 1 :])
                factor = Fraction(2) ** (per_unit * int(units[group]))
                broken += [f"{table} {other} {p} {q}" for p, q in zip(row, known[other], strict=True) if p > factor * q]
    return broken


KINDS: tuple[Literal["distance"], Literal["heard"]] = ("distance", "heard")
PEOPLE = [(0, 0, 0, 0), (0, 0, 1), (0, 1, 1, 2), (0, 1, 2)]
UNITS = np.array([1, 2, 5])


@pytest.mark.parametrize("level", PEOPLE)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [HALF, Fraction(9, 10), Fraction(1, 4)])
def test_quantiles(level: tuple[int, ...], kind: Literal["distance", "heard"], share: Fraction) -> None:
    units = UNITS[: max(level) + 1]
    how = How(kind, tuple(units.tolist()))
    asked = Quantile(tuple("abc"), share)
    assert violations(level, 3, units, lambda c: flipped(asked.off(c, how).tolist()), 2) == []


@pytest.mark.parametrize("level", PEOPLE)
@pytest.mark.parametrize("starts", [(0, 1, 2), (0, 2)])
def test_counts(level: tuple[int, ...], starts: tuple[int, ...]) -> None:
    units = UNITS[: max(level) + 1]
    asked = Count(tuple("abc"), 1, len(level), starts)
    how = How("distance", tuple(units.tolist()))
    assert violations(level, 3, units, lambda c: flipped(asked.off(c, how).tolist()), 2) == []
    assert violations(level, 3, units, noisy(asked, units), 1) == []


@pytest.mark.parametrize("level", [(0, 0), (0, 1), (0, 1, 2)])
def test_rankings(level: tuple[int, ...]) -> None:
    """All ballots, also those that rank some options only; with three people, those that rank at least two."""
    units = UNITS[: max(level) + 1]
    orders: list[Ballot] = [order for n in (1, 2, 3) for order in permutations(range(3), n)]
    ballots = tuple(orders if len(level) == 2 else [order for order in orders if len(order) == 2])
    asked = Ranking(tuple("abc"), ballots)
    by_distance, heard = (How(kind, tuple(units.tolist())) for kind in KINDS)
    assert violations(level, len(ballots), units, lambda c: flipped(asked.off(c, by_distance).tolist()), 2) == []
    # scores are k - 1 = 2 times as large
    assert violations(level, len(ballots), units, lambda c: flipped(asked.off(c, heard).tolist()), 4) == []


def test_counts_of_all_options_together() -> None:
    """Each count with half of the epsilon: the product of all chances keeps everybody's epsilon."""
    units, options = np.array([2, 4]), 3
    counts_of = [Count(tuple("abc"), o, 3, (0, 1, 2)) for o in range(options)]
    how = How("distance", tuple((units // 2).tolist()))

    def product_of(rows: list[list[Fraction]]) -> list[Fraction]:
        return [a * b * c for a, b, c in product(*rows)]

    def by_distance(counts: Ints) -> list[Fraction]:
        return product_of([flipped(asked.off(counts, how).tolist()) for asked in counts_of])

    def with_noise(counts: Ints) -> list[Fraction]:
        return product_of([noisy(asked, units // 2)(counts) for asked in counts_of])

    assert violations((0, 1, 1), options, units, by_distance, 2) == []
    assert violations((0, 1, 1), options, units, with_noise, 1) == []


def test_a_weight_above_the_epsilon_is_noticed() -> None:
    """The checks can fail: with twice the weight, inequalities are broken."""
    asked = Count(tuple("abc"), 1, 3, (0, 1, 2))
    assert violations((0, 0, 1), 3, np.array([1, 2]), noisy(asked, np.array([2, 4])), 1) != []
    counts = np.array([[2, 0, 0], [0, 1, 0]])
    assert not moves_too_far(asked, counts, How("noise", (1, 2)))


class Wrong(Quantile):
    def distances(self, counts: Ints, units: Ints) -> Ints:
        return 3 * super().distances(counts, units)


def test_a_draw_is_refused_if_an_outcome_moves_too_far() -> None:
    counts, how = np.array([[2, 1, 1]]), How("distance", (4,))
    assert moves_too_far(Wrong(tuple("abc")), counts, how)
    assert not moves_too_far(Quantile(tuple("abc")), counts, how)


MIXED = units_of(0.3), units_of(1.0)


@pytest.mark.parametrize(
    ("asked", "counts", "how"),
    [
        (Quantile(tuple("abc")), [[3, 1, 2]], How("distance", (units_of(0.5),))),
        (Quantile(tuple("abc")), [[3, 1, 2]], How("heard", (units_of(0.5),))),
        (Count(tuple("ab"), 0, 6, ranges_of(6, 2)), [[3, 3]], How("noise", (units_of(0.7),))),
        (Count(tuple("ab"), 0, 6, ranges_of(6)), [[3, 1], [1, 1]], How("noise", MIXED)),
        (Count(tuple("ab"), 0, 6, ranges_of(6)), [[3, 1], [1, 1]], How("distance", MIXED)),
        (Ranking(tuple("abc"), ((0, 1, 2), (1, 2), (2, 0))), [[3, 2, 2]], How("heard", (units_of(1.0),))),
    ],
)
def test_draws_have_the_chances_that_are_shown(asked: OutcomeQuery, counts: list[list[int]], how: How) -> None:
    table, draws = np.array(counts), 1_000
    expected = asked.chances(table, how)
    assert expected.sum() == pytest.approx(1.0)
    found = Counter(asked.draw(table, how) for _ in range(draws))
    for o, chance in enumerate(expected.tolist()):
        assert abs(found[o] - draws * chance) < 6 * (draws * chance * (1 - chance)) ** 0.5 + 1


def test_noise_is_shown_as_it_is_defined() -> None:
    """The doubles of a count with noise against sums over all noises, at the real unit."""
    asked, weights = Count(tuple("ab"), 0, 4, (0, 1, 3)), np.array([60_000, 130_001])
    counts = np.array([[1, 1], [1, 1]])
    noise = np.arange(-2_000_000, 2_000_001)
    chance = np.exp(-UNIT * np.abs(noise)) * np.tanh(UNIT / 2)
    estimate = np.clip(np.floor(4 * (int(weights @ counts[:, 0]) + noise) / (2 * 60_000 + 2 * 130_001) + 0.5), 0, 4)
    expected = [chance[np.searchsorted((0, 1, 3), estimate, side="right") - 1 == o].sum() for o in range(3)]
    assert asked.chances(counts, How("noise", (60_000, 130_001))) == pytest.approx(expected, abs=1e-9)
