"""Distances to the answers: always private, without alpha; beside literal definitions."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import neodp
from neodp import DatasetGraph, generate
from neodp.core.inequalities import judge
from neodp.core.rainbow import distance
from neodp.data.validation import MAX_EPSILON, Floats
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import graph_of

PROBLEMS = [reference.random_rainbow(random.Random(s), 5 + s % 20, 3 + s % 3, mixed=True) for s in range(60)]


def test_distances_are_those_of_dijkstra() -> None:
    for problem in PROBLEMS[:20]:
        g = graph_of(problem)
        plain = nx.Graph()
        plain.add_nodes_from(range(problem.n))
        plain.add_weighted_edges_from((u, v, eps) for u, v, eps, _ in problem.edges)
        found = distance.color_distances(g)
        for c in range(problem.k):
            ends = {v for v in range(problem.n) if g.color[v] == c}
            near = nx.multi_source_dijkstra_path_length(plain, ends) if ends else {}
            assert found[:, c].tolist() == pytest.approx([near.get(v, np.inf) for v in range(problem.n)], abs=1e-9)


def permuted(accepted: list[Fraction]) -> list[Fraction]:
    """The chances of permute-and-flip: all permutations, the first that is accepted."""
    k, chances = len(accepted), [Fraction(0)] * len(accepted)
    orders = list(itertools.permutations(range(k)))
    for order in orders:
        left = Fraction(1, len(orders))
        for j in order:
            chances[j] += left * accepted[j]
            left *= 1 - accepted[j]
    return chances


def test_permute_and_flip_by_all_permutations() -> None:
    for off in ([0.0, 0.3, 2.0], [1.5, 0.0, 0.0, 4.0], [0.1, 0.2, 0.3, 0.0, np.inf]):
        accepted = [Fraction(float(np.exp(-d / 2))) for d in off]
        found = distance.flip(np.array([off]))[0]
        assert found == pytest.approx([float(p) for p in permuted(accepted)], rel=1e-13)


def test_both_are_private_on_random_graphs_and_a_part_over_all_subsets() -> None:
    for seed, problem in enumerate(PROBLEMS):
        g = graph_of(problem)
        off = distance.color_distances(g)
        for rows in (distance.flip(off), distance.share(off)):
            assert not judge(g.source, g.target, g.epsilon, g.delta, rows).broken.any()
            if seed % 12 == 0:
                assert not reference.violations(problem.edges, rows.tolist())


numbers = st.sampled_from([0.0, 1e-13, 1e-9, 0.01, 0.3, 1.0, 5.0, 40.0, 700.0, 1400.0])


@given(st.integers(2, 7), st.data())
@settings(max_examples=60)
def test_both_are_private_for_any_distances_that_move_by_epsilon(k: int, data: st.DataObject) -> None:
    """The proofs use nothing else: two rows of distances, both with a 0, that differ by at most epsilon."""
    epsilon = data.draw(numbers)
    one = np.array([data.draw(numbers) for _ in range(k)])
    moves = np.array([data.draw(st.sampled_from([-1.0, 0.0, 0.5, 1.0])) for _ in range(k)])
    two = np.maximum(one + epsilon * moves, 0.0)
    one[data.draw(st.integers(0, k - 1))], two[data.draw(st.integers(0, k - 1))] = 0.0, 0.0
    room = float(np.abs(one - two).max()) + 2.0**-40 * k
    assume(room < MAX_EPSILON)
    for rows in (distance.flip(np.array([one, two])), distance.share(np.array([one, two]))):
        found = judge(np.array([0]), np.array([1]), np.array([room]), np.zeros(1), rows)
        assert not found.broken.any()


def test_with_one_more_answer_share_is_tight() -> None:
    """Case 1 of the proof: o comes closer, the k - 2 others that are no further than the truth go away."""
    for k in (3, 4, 6):
        epsilon = 1e-4
        near: Floats = np.array([[0.0, 30.0, *[0.0] * (k - 2)], [0.0, 30.0 - epsilon, *[epsilon] * (k - 2)]])
        rows = distance.share(near)
        used = np.log(rows[1, 1] / rows[0, 1]) / epsilon
        assert 0.999 < used <= 1.0


def test_it_needs_neither_alpha_nor_orders_and_ignores_them() -> None:
    g = generate.plurality(4, 3, epsilon=[0.3, 0.9])
    m = neodp.extend(g, method="distance")
    assert (m.method, m.optimality, m.path(0)) == ("distance", None, ([], []))
    assert np.array_equal(
        m.probabilities, neodp.extend(g.with_alpha(neodp.balanced(g)), method="distance").probabilities
    )
    bare = DatasetGraph.from_columns(g.keys, g.color, g.source, g.target, g.epsilon, colors=g.colors)
    assert np.array_equal(m.probabilities, neodp.extend(bare, method="distance").probabilities)


def test_an_answer_that_cannot_be_reached_has_no_chance() -> None:
    g = DatasetGraph.from_columns(["u", "v"], ["a", "b"], ["u"], ["v"], 1.0, colors=["a", "b", "c"])
    m = neodp.extend(g, method="distance")
    assert m["u"]["c"] == m["v"]["c"] == 0.0
    assert m["u"]["a"] > 0.5
