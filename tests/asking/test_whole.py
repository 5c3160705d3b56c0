"""Distances in whole people: all small graphs against trying all sets, and what privacy needs of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import neodp
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
