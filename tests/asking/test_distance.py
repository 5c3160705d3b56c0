"""Distances against a slow reference in rational numbers, and what privacy needs of them, without exception."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from neodp.asking import cuts, programs
from neodp.asking.cover import Cover, Dual, Primal, Result
from neodp.asking.distance import Distance, Distances
from neodp.core.linear import Solver
from tests.asking.covers import cover_of
from tests.asking.reference import EDGES, People, distance, graphs, groups, true_distance

LEVELS = {1: (1,), 2: (2, 1), 3: (1, 3, 2), 4: (2, 1, 3, 1)}
ILL = (True, False, True, True)


def small() -> Iterator[People]:
    """All graphs of up to four people, some of whom are ill; attacks.people has all of five, with more weights."""
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
            units, found = mine.units(t), mine.exactly(t)
            assert found.upper is not None
            assert found.lower == found.upper == distance(graph, counted, t)
            assert found.units == units == Distances(mine.cover).units(t)
            assert found.upper <= true_distance(graph, counted, t)
            assert [mine.at_most(t, bound) for bound in range(8)] == [found.upper <= bound for bound in range(8)]
            for person, weight in enumerate(graph.weight):
                after = Distances(cover_of(graph.without(person), pattern, distinct)).exactly(t)
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


def best(cover: Cover, found: Result) -> Fraction:
    """Return the value of solutions that prove each other to be best."""
    point, tangent = cover.point(found.primal), cover.tangent(found.dual)
    assert point.weight + tangent.price * point.rest == tangent.start
    return tangent.start


@pytest.mark.parametrize("center", [True, False])
def test_cuts_programs_and_the_rational_simplex_method_agree(center: bool) -> None:
    rng, by_cuts = random.Random(27), 0
    for _ in range(30):
        cover = random_cover(rng, rng.randint(1, 6), 3, center)
        network = cuts.network(cover)
        known = cuts.Cuts(cover, network) if network is not None else None
        solver = programs.Programs(cover)
        for p, q in ((1, 3), (1, 1), (7, 5), (3, 1), (9, 1)):
            value = best(cover, programs.simplex(cover, p, q))
            assert best(cover, solver.exactly(p, q)) == value
            rounded = solver.at(p, q)
            above, below = cover.point(rounded.primal), cover.tangent(rounded.dual)
            assert above.weight + Fraction(p, q) * above.rest == value
            assert below.price <= Fraction(p, q)
            assert 0 <= value - below.start < Fraction(1, 1000)
            if known is not None:
                assert best(cover, known.at(p, q)) == value
                by_cuts += 1
    assert by_cuts > (40 if center else 5)


def test_the_weights_and_amounts_of_a_large_question_do_not_overflow() -> None:
    """Python's integers take over where 64 bits are not enough: the same graph, everything 10^12 times as great."""
    small = Cover(
        np.array([3, 1, 2]), np.array([2, 3, 1]), np.arange(3), np.array([0, 2, 4, 5]), np.array([0, 1, 1, 2, 0])
    )
    large = Cover(small.weight * 10**12, small.amount * 10**12, small.group, small.first, small.person)
    for most in range(small.total):
        one, other = Distances(small).exactly(most + 1), Distances(large).exactly(most * 10**12 + 1)
        assert one.upper is not None
        assert other.lower == other.upper == one.upper * 10**12
    sets_of_three = np.array([0, 3, 6]), np.arange(6)
    three = Distances(Cover(np.full(6, 102_400), np.array([10**9, 1]), np.arange(2), *sets_of_three))
    assert [three.units(t) for t in (1, 2, 10**9 + 1, 10**9 + 2)] == [204_800, 102_400, 1, 0]


@pytest.mark.parametrize(
    "dual",
    [
        Dual(np.array([2]), 2, 1),
        Dual(np.array([1]), 0, 1),
        Dual(np.array([-1]), 1, 1),
        Dual(np.array([1]), 1, 0),
    ],
)
def test_wrong_prices_are_refused(dual: Dual) -> None:
    pair = Cover(np.array([1, 1]), np.array([1]), np.array([0]), np.array([0, 2]), np.array([0, 1]))
    assert pair.tangent(Dual(np.array([1]), 1, 1)) == (Fraction(1), Fraction(1))
    with pytest.raises(ArithmeticError, match="a certificate of a distance is wrong"):
        pair.tangent(dual)


@pytest.mark.parametrize("primal", [Primal(np.array([1, -1]), 1), Primal(np.array([1, 0]), 0)])
def test_wrong_people_are_refused(primal: Primal) -> None:
    pair = Cover(np.array([1, 1]), np.array([1]), np.array([0]), np.array([0, 2]), np.array([0, 1]))
    assert pair.point(Primal(np.array([1, 0]), 1)) == (Fraction(1), Fraction(0))
    assert pair.point(Primal(np.array([1, 0]), 3)) == (Fraction(1, 3), Fraction(2, 3))
    with pytest.raises(ArithmeticError, match="a certificate of a distance is wrong"):
        pair.point(primal)


class Careless(programs.Programs):
    """A solver whose rounded solutions prove nothing at all, as the worst that a tolerance can do."""

    def at(self, p: int, q: int) -> Result:
        n, rows = len(self._cover.weight), len(self._cover.group)
        return Result(Primal(np.ones(n, np.int64), 1), Dual(np.zeros(rows, np.int64), 0, 1))

    def _from_basis(self, solver: Solver, p: int, q: int) -> None:
        return None


def test_where_rounding_and_the_basis_prove_nothing_the_distance_is_found_in_rational_numbers() -> None:
    rng = random.Random(3)
    for _ in range(10):
        cover = random_cover(rng, 5, 3)
        careless = Distances(cover)
        careless.__dict__["_solver"] = Careless(cover)
        for t in range(1, cover.total + 1):
            assert careless.units(t) == Distances(cover).units(t)


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
        before = Distances(cover).exactly(t).upper
        for person in rng.choice(300, 12, replace=False).tolist():
            after = Distances(cover.without(np.array([person]))).exactly(t).upper
            assert before is not None
            assert after is not None
            assert 0 <= before - after <= int(weight[person])
