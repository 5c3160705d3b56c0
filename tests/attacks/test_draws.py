"""Draws of the program, through its own ways: private, as declared and independent; planted faults are found."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest
from scipy import stats

import neodp
from attacks.audits import bounds, faults, subjects
from attacks.audits.subjects import coin, examined
from neodp import generate
from neodp.core.sampling import BITS
from neodp.ledger.account import Limit
from neodp.store import Store, open_store

DRAWS = 80_000
"""So many draws of either neighbour miss an epsilon that is understated by 5 % less often than once in 10^4 times."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One embedded store for the graphs that are audited."""
    path: Path = tmp_path_factory.mktemp("audits") / "s.db"
    with open_store(path) as store:
        yield store


# --- the tests of the test ------------------------------------------------------------------------------------------


def test_bounds_are_wrong_as_rarely_as_they_say() -> None:
    """Over all counts of 200 draws, exactly: the bounds' definition, at every chance of a grid."""
    n, level = 200, 0.01
    counts = range(n + 1)
    low, high = bounds.lower(counts, n, level), bounds.upper(counts, n, level)
    for chance in (0.001, 0.02, 0.3, 0.5, 0.77, 0.999):
        mass = stats.binom.pmf(counts, n, chance)
        assert mass[low > chance].sum() <= level
        assert mass[high < chance].sum() <= level


def test_the_miss_is_that_of_all_pairs_of_counts() -> None:
    n, epsilon, level, (p, q) = 60, 0.5, 0.01, (0.9, 0.2)
    slow = sum(
        stats.binom.pmf(x, n, p) * stats.binom.pmf(y, n, q)
        for x in range(n + 1)
        for y in range(n + 1)
        if not bounds.broken(x, y, n, epsilon, 0.0, level)
    )
    assert bounds.miss(p, q, n, epsilon, 0.0, level) == pytest.approx(slow, abs=1e-9)


# --- what the program draws -----------------------------------------------------------------------------------------


def test_draws_of_answer(shelf: Store) -> None:
    shelf.load("coin", coin(faults.EPSILON), replace=True)
    found = examined(subjects.stored(shelf, "coin", coin(faults.EPSILON)), DRAWS)
    assert found.faults == ()
    assert found.miss(0.05) < 1e-4


def test_draws_of_answer_on_a_graph_with_deltas(shelf: Store) -> None:
    graph = generate.votes(3, epsilon=[0.5, 1.0, 2.0], delta=0.01)
    graph = graph.with_alpha(neodp.balanced(graph))
    shelf.load("votes", graph, replace=True)
    assert examined(subjects.stored(shelf, "votes", graph), 2_000).faults == ()


def test_draws_of_poll() -> None:
    found = examined(subjects.polled(2.0, 2.0), 1_500)
    assert found.faults == ()
    assert found.miss(0.4) < 1e-3
    assert examined(subjects.polled(2.8, 2.0), 1_500).faults


def test_draws_of_stretch() -> None:
    found = examined(subjects.stretched(2.0, 2.0), 3_000)
    assert found.faults == ()
    assert found.miss(0.5) < 1e-3
    assert examined(subjects.stretched(3.0, 2.0), 3_000).faults


@pytest.mark.parametrize("name", faults.FAULTS)
def test_a_planted_fault_is_found(shelf: Store, name: str) -> None:
    fault, words = faults.FAULTS[name]
    found = fault(shelf, DRAWS if words == "not private" else 20_000)
    assert any(text.startswith(words) for text in found.faults), found.faults


# --- answer itself, with the numbers next to the end of an interval --------------------------------------------------


def test_answer_turns_at_exactly_its_probability(store: Store) -> None:
    """The last random number of the one answer and the first of the other, through all of ``store.answer``."""
    graph = generate.votes(3, epsilon=[0.5, 1.0, 20.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    store.load("g", graph)
    store.allow("default", Limit(100))
    mechanism = neodp.extend(graph)
    for key in ("111", "122"):
        likely, other = sorted(mechanism[key], key=lambda color: -mechanism[key][color])
        end = Fraction(mechanism[key][other]) * 2**BITS
        assert end.denominator == 1
        ends = ((end - 1, other), (end, likely), (2**BITS - 1, likely), (0, other))
        for i, (number, answer) in enumerate(ends):
            numbers = mock.Mock(return_value=int(number))
            with mock.patch.object(secrets, "randbits", numbers):
                assert store.answer("g", key, f"{key} {i}").answer == answer
            numbers.assert_called_once_with(BITS)
