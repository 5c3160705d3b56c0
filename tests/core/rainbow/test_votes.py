"""Graphs by plurality: the quotient of votes, and the closed form of the distance from the boundary."""

import itertools
import math

import numpy as np
import pytest

import neodp
from neodp import rainbow
from neodp.core.rainbow import plurality_distance, plurality_order
from neodp.data.generate import hamming, plurality, votes
from neodp.errors import GraphError
from neodp.store.base import fingerprint


def order_of(totals: list[int], colors: tuple[str, ...]) -> list[str]:
    """Colours by votes, most first, ties as they stand."""
    return [color for _, color in sorted(zip(totals, colors, strict=True), key=lambda pair: -pair[0])]


@pytest.mark.parametrize(("voters", "options"), [(1, 2), (3, 3), (4, 3), (3, 5)])
def test_votes_and_hamming_by_plurality(voters: int, options: int) -> None:
    g = votes(voters, options=options, rule="plurality", epsilon=0.5)
    assert len(g) == options**voters
    for key, order in zip(g.keys.to_pylist(), g.preference_lists().to_pylist(), strict=True):
        assert order == order_of([key.count(color) for color in g.colors], g.colors)
    assert fingerprint(hamming(voters, options, rule="plurality", epsilon=0.5)) == fingerprint(g)


@pytest.mark.parametrize("groups", [[4], [1], [2, 3], [1, 2, 1]])
@pytest.mark.parametrize("options", [2, 3, 4])
def test_plurality_is_the_quotient_of_votes(groups: list[int], options: int) -> None:
    """Every vertex, order, edge and epsilon of plurality, and no others, come from votes."""
    levels = [0.5 + i for i in range(len(groups))]
    g = plurality(*groups, options=options, epsilon=levels)
    assert len(g) == math.prod(math.comb(n + options - 1, options - 1) for n in groups)
    people = [level for n, level in zip(groups, levels, strict=True) for _ in range(n)]
    w = votes(len(people), options=options, rule="plurality", epsilon=people)

    def shared(word: str) -> str:
        starts = np.cumsum([0, *groups])
        parts = [word[a:b] for a, b in itertools.pairwise(starts)]
        return "/".join("-".join(str(part.count(color)) for color in w.colors) for part in parts)

    keys = [shared(word) for word in w.keys.to_pylist()]
    assert set(keys) == set(g.keys.to_pylist())
    orders = dict(zip(g.keys.to_pylist(), g.preference_lists().to_pylist(), strict=True))
    for key, order in zip(keys, w.preference_lists().to_pylist(), strict=True):
        assert orders[key] == order
    assert {
        (frozenset((keys[u], keys[v])), e)
        for u, v, e in zip(w.source, w.target, w.epsilon, strict=True)
        if keys[u] != keys[v]
    } == {
        (frozenset((g.key(u), g.key(v))), e) for u, v, e in zip(g.source, g.target, g.epsilon, strict=True)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("people", "options"), [(1, 2), (9, 2), (1, 3), (2, 3), (13, 3), (14, 3), (30, 3), (9, 4), (6, 5)]
)
def test_the_distance_by_plurality_has_a_closed_form(people: int, options: int) -> None:
    """Against a breadth-first search over the whole lattice, and the mechanism without the graph bit for bit."""
    g = plurality(people, options=options, epsilon=0.7, delta=0.001)
    order, hops = rainbow.morphism(g)
    m = neodp.extend(g.with_alpha(neodp.balanced(g))) if options > 2 else None
    for v, key in enumerate(g.keys.to_pylist()):
        counted = [int(part) for part in key.split("-")]
        assert plurality_distance(counted) == hops[v]
        assert plurality_order(counted) == tuple(g.orders[order[v]].tolist())
        if m is not None:
            assert rainbow.plurality(counted, 0.7, 0.001) == tuple(m.probabilities[v].tolist())


def test_plurality_of_nobody_and_of_very_many() -> None:
    assert plurality_distance([0, 0, 0]) == -1
    assert plurality_distance([50_000_000, 30_000_000, 1]) == 10_000_000
    assert sum(rainbow.plurality([28_935, 19_584, 8_335], 0.001)) == pytest.approx(1.0)


def test_plurality_is_refused_by_name() -> None:
    for arguments, options, message in (
        ((), {}, r"there are no groups; give the number of people in each, as in `plurality\(20\)`"),
        ((3,), {"options": 1}, "options is 1; give a whole number from 2 to 127"),
        ((3,), {"options": 3, "colors": ["a", "b"]}, "the colours are a, b; name 3 different ones with `colors=...`"),
        ((3,), {"colors": ["a", "b", "a"]}, "the colours are a, b, a; name 3 different ones"),
        ((10_000,), {"options": 9}, "the graph has more than 2,147,483,647 edges"),
    ):
        with pytest.raises(GraphError, match=message):
            plurality(*arguments, **options)
    with pytest.raises(GraphError, match="rule is 'majority'; give 'plurality' and no threshold"):
        hamming(2, 3, rule="majority")
