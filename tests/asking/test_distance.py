"""Distances against a slow reference in rational numbers, and what privacy needs of them, without exception."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from neodp.asking import cuts, programs
from neodp.asking.cover import Cover, Dual, Primal
from neodp.asking.distance import Distance, Distances
from tests.asking.covers import cover_of
from tests.asking.reference import EDGES, People, distance, graphs, groups, true_distance

LEVELS = {1: (1,), 2: (2, 1), 3: (1, 3, 2), 4: (2, 1, 3, 1)}
ILL = (True, False, True, True)


def small() -> Iterator[People]:
    """All graphs of up to four people, some of whom are ill; attacks.ask has all of five, with more weights."""
    for people in range(1, 5):
        for friends in graphs(people):
            yield People(LEVELS[people], ILL[:people], friends)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("pattern", sorted(EDGES))
def test_all_small_graphs_have_the_distance_of_the_reference_and_it_falls_by_at_most_the_weight(
    pattern: str, distinct: bool
) -> None:
    checked = 0
    for graph in small():
        counted = groups(graph, pattern, distinct)
        mine = Distances(cover_of(graph, pattern, distinct))
        assert mine.cover.count == len(counted)
        for t in range(1, len(counted) + 2):
            found = mine.at(t)
            assert found.upper is not None
            assert found.lower == found.upper == distance(graph, counted, t)
            assert found.upper <= true_distance(graph, counted, t)
            for person, weight in enumerate(graph.weight):
                after = Distances(cover_of(graph.without(person), pattern, distinct)).at(t)
                assert after.upper is not None
                assert found.units is not None
                assert after.units is not None
                assert 0 <= found.upper - after.upper <= weight
                assert 0 <= found.units - after.units <= weight
                checked += 1
    assert checked > 50


def random_cover(rng: random.Random, people: int, size: int, center: bool = False) -> Cover:
    sets: set[tuple[int, frozenset[int]]] = set()
    for g in range(rng.randint(1, 6)):
        middle = rng.randrange(people)
        for _ in range(rng.randint(1, 3)):
            others = rng.sample(range(people), rng.randint(1, min(size, people)))
            sets.add((g, frozenset({middle, others[0]}) if center else frozenset(others)))
    ordered = sorted(sets, key=lambda each: (each[0], sorted(each[1])))
    names = sorted({g for g, _ in ordered})
    return Cover(
        np.array([rng.randint(1, 9) for _ in range(people)]),
        np.array([rng.randint(1, 4) for _ in names]),
        np.array([names.index(g) for g, _ in ordered]),
        np.cumsum([0, *(len(m) for _, m in ordered)]),
        np.array([i for _, m in ordered for i in sorted(m)]),
    )


@pytest.mark.parametrize("center", [True, False])
def test_cuts_programs_and_the_rational_simplex_method_agree(center: bool) -> None:
    rng, by_cuts = random.Random(27), 0
    for _ in range(30):
        cover = random_cover(rng, rng.randint(1, 6), 3, center)
        network = cuts.network(cover)
        known = cuts.Cuts(cover, network) if network is not None else None
        for most in range(cover.total):
            low, high = cover.bounds(most, *programs.solve(cover, most))
            assert low == high
            assert cover.bounds(most, *programs._simplex(cover, most)) == (
                low,
                high,
            )
            if known is not None:
                assert cover.bounds(most, *cuts.solve(known, most)) == (low, high)
                by_cuts += 1
    assert by_cuts > (80 if center else 5)


def test_the_weights_and_amounts_of_a_large_question_do_not_overflow() -> None:
    """Python's integers take over where 64 bits are not enough: the same graph, everything 10^12 times as great."""
    small = Cover(
        np.array([3, 1, 2]), np.array([2, 3, 1]), np.arange(3), np.array([0, 2, 4, 5]), np.array([0, 1, 1, 2, 0])
    )
    large = Cover(small.weight * 10**12, small.amount * 10**12, small.group, small.first, small.person)
    for most in range(small.total):
        one, other = Distances(small).at(most + 1), Distances(large).at(most * 10**12 + 1)
        assert one.upper is not None
        assert other.lower == other.upper == one.upper * 10**12


@pytest.mark.parametrize(
    ("primal", "dual"),
    [
        (Primal(np.array([0, 0]), 1), Dual(np.array([1]), 1, 1)),
        (Primal(np.array([1, -1]), 1), Dual(np.array([1]), 1, 1)),
        (Primal(np.array([1, 0]), 1), Dual(np.array([2]), 2, 1)),
        (Primal(np.array([1, 0]), 1), Dual(np.array([1]), 0, 1)),
        (Primal(np.array([1, 0]), 1), Dual(np.array([-1]), 1, 1)),
    ],
)
def test_a_wrong_certificate_is_refused(primal: Primal, dual: Dual) -> None:
    pair = Cover(np.array([1, 1]), np.array([1]), np.array([0]), np.array([0, 2]), np.array([0, 1]))
    assert pair.bounds(0, Primal(np.array([1, 0]), 1), Dual(np.array([1]), 1, 1)) == (Fraction(1), Fraction(1))
    with pytest.raises(ArithmeticError, match="a certificate of a distance is wrong"):
        pair.bounds(0, primal, dual)


def test_a_distance_that_is_not_certain_is_not_rounded() -> None:
    assert Distance(Fraction(5, 2), Fraction(3)).units == 3
    with pytest.raises(ArithmeticError, match="a distance is not certain"):
        _ = Distance(Fraction(3), Fraction(301, 100)).units


def test_removing_people_from_a_random_graph_of_many() -> None:
    """Random removals from a graph of 300 people with hubs: D falls by 0 to the weight of who left."""
    rng = np.random.default_rng(27)
    ends = np.sort(np.minimum(rng.integers(0, 300, (900, 2)), rng.integers(0, 300, (900, 2))), axis=1)
    pairs = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
    weight = rng.integers(1, 2000, 300)
    cover = Cover(
        weight, np.ones(len(pairs), np.int64), np.arange(len(pairs)), np.arange(0, 2 * len(pairs) + 1, 2), pairs.ravel()
    )
    for t in (len(pairs) // 2, len(pairs) - 20):
        before = Distances(cover).at(t).upper
        for person in rng.choice(300, 12, replace=False).tolist():
            after = Distances(cover.without(np.array([person]))).at(t).upper
            assert before is not None
            assert after is not None
            assert 0 <= before - after <= int(weight[person])
