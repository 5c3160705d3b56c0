"""A bounded slice of the attacks on graphs of people: ``python -m attacks.people`` and ``attacks.removals`` do more."""

from __future__ import annotations

import numpy as np
import pytest

from attacks import people, removals
from bench import deezer
from neodp.asking.distance import Distance, Distances
from tests.asking.reference import EDGES


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("pattern", sorted(EDGES))
def test_all_graphs_of_three_people_and_all_neighbors(pattern: str, distinct: bool) -> None:
    found = people.neighbors(pattern, distinct, 3, (1, 2))
    assert found.wrong == 0
    assert found.removals >= 3 if pattern == "triangles" else found.removals > 40


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("pattern", sorted(EDGES))
def test_with_equal_epsilons_the_chances_have_the_bits_of_the_optimum_on_all_datasets(
    pattern: str, distinct: bool
) -> None:
    """All graphs of four people: always by whole people, and by the program where its distance is the true one."""
    found = people.equal_epsilons(pattern, distinct, 4)
    assert found.wrong == 0
    assert found.equal > 0


class Doubled(Distances):
    """Distances that are wrong: twice as far."""

    def units(self, t: int) -> int | None:
        found = super().units(t)
        return None if found is None else 2 * found

    def exactly(self, t: int) -> Distance:
        found = super().exactly(t)
        return Distance(found.lower, None if found.upper is None else 2 * found.upper)


def test_a_wrong_distance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (people, removals):
        monkeypatch.setattr(module, "Distances", Doubled)
    assert people.neighbors("pairs", False, 3, (1,)).wrong > 0
    star = np.array([[0, 1], [0, 2], [0, 3]])
    assert removals.fallen(removals.pairs(star, np.ones(4, np.int64)), 4, np.random.default_rng(1)).wrong > 0


def hubs(count: int, people: int, seed: int) -> np.ndarray:
    """Friendships at random, some people with many."""
    rng = np.random.default_rng(seed)
    ends = np.minimum(rng.integers(0, people, (count, 2)), rng.integers(0, people, (count, 2)))
    return np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)


def test_removals_from_a_made_up_graph() -> None:
    friends, weight = hubs(900, 300, 27), removals.weights(300)
    for cover in (removals.pairs(friends, weight), removals.triangles(hubs(700, 90, 5), weight[:90])):
        found = removals.fallen(cover, 6, np.random.default_rng(1))
        assert (found.removals, found.wrong) == (18, 0)
        assert found.changed > 3


def test_triangles_are_those_of_the_graph() -> None:
    friends = hubs(120, 25, 3)
    joined = np.zeros((25, 25), np.int64)
    joined[friends[:, 0], friends[:, 1]] = joined[friends[:, 1], friends[:, 0]] = 1
    assert removals.triangles(friends, np.ones(25, np.int64)).count == np.trace(joined @ joined @ joined) // 6 > 0


def test_removals_from_the_friends_of_romania() -> None:
    """Pairs who both like Rock, if the data are there; ``python -m attacks.removals`` has all pairs and triangles."""
    try:
        friends = deezer.friendships()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    rock = deezer.likers("Rock", int(friends.max()) + 1)
    cover = removals.pairs(friends[rock[friends].all(axis=1)], removals.weights(len(rock)))
    assert cover.count == 21_892
    found = removals.fallen(cover, 2, np.random.default_rng(1))
    assert (found.removals, found.wrong) == (6, 0)
    assert found.changed > 0
