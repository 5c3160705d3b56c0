"""The gain from a higher epsilon, against the mechanism of the changed graph."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neodp
from neodp import DatasetGraph, generate
from neodp.errors import PrivacyError
from neodp.study.levels import what_if


def balanced(graph: DatasetGraph) -> neodp.Mechanism:
    return neodp.extend(graph.with_alpha(neodp.balanced(graph)))


def levelled(seed: int, edges: int, delta: float) -> DatasetGraph:
    """A random graph with few epsilons, 0 among them."""
    graph = generate.random_graph(30, edges=edges, delta=delta, seed=seed)
    levels = np.random.default_rng(seed).choice([0.0, 0.2, 0.5, 3.0, 40.0], graph.edges)
    return replace(graph, epsilon=levels)


@given(st.integers(0, 10**6), st.integers(29, 70), st.sampled_from([0.0, 0.0, 0.01]), st.sampled_from([0.1, 1.0]))
@settings(max_examples=60)
def test_it_is_the_mechanism_of_the_changed_graph(seed: int, edges: int, delta: float, raised: float) -> None:
    graph = levelled(seed, edges, delta)
    now, *rows = what_if(graph, raised)
    before = balanced(graph)
    assert now.mean == pytest.approx(before.p_true.mean(), abs=1e-14)
    assert now.worst == before.p_true.min()
    for row in rows:
        assert row.epsilon is not None
        raised_edges = graph.epsilon + raised * (graph.epsilon == row.epsilon)
        after = balanced(replace(graph, epsilon=raised_edges))
        assert row.worst == after.p_true.min()
        assert row.mean == pytest.approx(after.p_true.mean(), abs=1e-14)
        assert row.changed == np.count_nonzero(next(after._ranked()) > next(before._ranked()))
        assert row.edges == np.count_nonzero(graph.epsilon == row.epsilon)


def test_a_group_of_counts() -> None:
    """Raising the group with the least epsilon helps most datasets; the worst case is theirs."""
    graph = generate.counts([6, 6], epsilon=[0.2, 1.0])
    now, low, high = what_if(graph, 0.3)
    assert low.worst > now.worst == high.worst
    assert low.mean > high.mean > now.mean
    assert what_if(graph, 0.3, most=1) == [now, low]


def test_only_what_can_change_is_settled_again() -> None:
    """An edge far away from everything else leaves the rest alone."""
    graph = generate.path(9, epsilon=[1.0] * 7 + [0.5])
    _, one, _ = what_if(graph, 1.0)
    assert (one.epsilon, one.changed) == (0.5, 1)


@pytest.mark.parametrize("raised", [0.0, -1.0, float("nan")])
def test_nothing_is_lowered(raised: float) -> None:
    with pytest.raises(PrivacyError, match=r"an epsilon is raised by .*; give a number above 0"):
        what_if(generate.path(3), raised)


def test_more_than_two_colors_gain_what_solving_again_says() -> None:
    graph = generate.plurality(3, 2, epsilon=[0.3, 1.0])
    now, *rows = what_if(graph, 0.5)
    assert now.mean == neodp.extend(graph, method="optimal").p_true.mean()
    for row in rows:
        changed = replace(graph, epsilon=graph.epsilon + 0.5 * (graph.epsilon == row.epsilon))
        assert row.mean == neodp.extend(changed, method="optimal").p_true.mean() > now.mean
        assert row.changed > 0


def test_large_graphs_of_many_colors_gain_by_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neodp.study.levels.MOST_CHANCES", 0)
    graph = generate.plurality(3, 2, epsilon=[0.3, 1.0])
    now, low, _ = what_if(graph, 0.5)
    assert now.mean == neodp.extend(graph, method="distance").p_true.mean() < low.mean
