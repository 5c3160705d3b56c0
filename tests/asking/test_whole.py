"""Distances in whole people: all small graphs against trying all sets, and what privacy needs of them."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp.asking import whole
from neodp.asking.cover import Cover
from neodp.asking.distance import Distances
from neodp.asking.whole import WholeDistances
from neodp.store import open_store
from tests.asking.covers import cover_of
from tests.asking.reference import EDGES, People, graphs, groups, true_distance

LEVELS = {1: (1,), 2: (2, 1), 3: (1, 3, 2), 4: (2, 1, 3, 1)}
ILL = (True, False, True, True)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("pattern", sorted(EDGES))
def test_all_small_graphs_have_the_distance_of_all_sets_of_people_and_it_falls_by_at_most_the_weight(
    pattern: str, distinct: bool
) -> None:
    """All graphs of up to four people, everybody who could leave."""
    checked = 0
    for graph in (People(LEVELS[n], ILL[:n], friends) for n in range(1, 5) for friends in graphs(n)):
        counted = groups(graph, pattern, distinct)
        known, parts = WholeDistances(cover_of(graph, pattern, distinct)), Distances(cover_of(graph, pattern, distinct))
        for t in range(1, len(counted) + 2):
            units, less = known.units(t), parts.units(t)
            assert units == true_distance(graph, counted, t)
            assert units is not None
            assert less is not None
            assert less <= units
            assert [known.at_most(t, bound) for bound in range(8)] == [units <= bound for bound in range(8)]
            for person, weight in enumerate(graph.weight):
                left = graph.without(person)
                assert 0 <= units - true_distance(left, groups(left, pattern, distinct), t) <= weight
                checked += 1
    assert checked > 50


def test_what_is_fixed_counts_once() -> None:
    """Two pairs of friends beside three matches without people: fewer than five are left when one person leaves."""
    pairs = Cover(np.ones(4, np.int64), np.ones(2, np.int64), np.arange(2), np.array([0, 2, 4]), np.arange(4), fixed=3)
    for distances in (Distances(pairs), WholeDistances(pairs)):
        assert [distances.units(t) for t in range(3, 7)] == [None, 2, 1, 0]
    assert WholeDistances(pairs).leaving(5).sum() == 1


def test_many_people_are_no_deep_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 20 pairs, 20 people leave, one after the other: it takes no call within a call for each of them."""
    n, depths = 20, []

    def next_person(cover: Cover) -> int:
        depths.append(len(inspect.stack(0)))
        return int(cover.person[0])

    monkeypatch.setattr(whole, "_next", next_person)
    first = np.arange(0, 2 * n + 1, 2)
    pairs = Cover(np.full(2 * n, 2), np.ones(n, np.int64), np.arange(n), first, np.arange(2 * n))
    assert WholeDistances(pairs).units(1) == 2 * n
    assert len(depths) >= n
    assert len(set(depths)) == 1


def test_a_question_by_whole_people_is_another_question_with_a_better_answer(tmp_path: Path) -> None:
    """A triangle of friends: a half of everybody leaves no pair, but it takes two whole people."""
    people = {"id": [1, 2, 3], "epsilon": [10.0] * 3}
    given = {"nodes": {"Person": people}, "relationships": {"KNOWS": {"from": [1, 2, 3], "to": [2, 3, 1]}}}
    pairs = "MATCH (a:Person)-[:KNOWS]-(b:Person)"
    with open_store(str(tmp_path / "answers.db")) as store:
        store.protect(neodp.Protection("staff", "epsilon", people="Person"))
        asked = [
            neodp.ask(store, "staff", pairs, at_least=1, exact_distance=exact, **given)  # type: ignore[arg-type]
            for exact in (False, True)
        ]
        parts, whole = (each.reveal() for each in asked)
        assert (parts.distance, whole.distance) == (3.0, 4.0)
        assert whole.probabilities["yes"] > parts.probabilities["yes"]
        assert asked[1].to_dict()["exact_distance"] is True
        assert asked[1].release("whole") in ("yes", "no")
        with pytest.raises(neodp.errors.OtherQuestion):
            asked[0].release("whole")
