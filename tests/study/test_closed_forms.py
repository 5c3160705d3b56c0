"""The papers' closed forms against the recursion that they solve, and against extend."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neodp
from neodp import boundary, generate
from neodp.core.privacy import upper
from neodp.study import closed_forms


def test_numbers_of_example_3() -> None:
    """Paper 002, Example 3 and its footnote."""
    assert closed_forms.induced(3, 0.1, math.log(2)) == pytest.approx(0.7)
    assert closed_forms.induced(3, 0.3, math.log(2)) == pytest.approx(0.9)


@given(st.floats(0.0, 1.0), st.floats(0.0, 3.0), st.sampled_from([0.0, 0.001, 0.2, 1.0]), st.integers(0, 30))
def test_induced_is_the_bound_applied_d_times(alpha: float, epsilon: float, delta: float, d: int) -> None:
    if 0 < epsilon < 1e-6:
        epsilon = 0.0  # the formula divides by e^eps - 1
    value = alpha
    for _ in range(d):
        value = float(upper(value, epsilon, delta))
    assert closed_forms.induced(d, alpha, epsilon, delta) == pytest.approx(value, rel=1e-9, abs=1e-9)


@given(st.floats(1e-9, 1.0), st.lists(st.floats(1e-3, 2.0), min_size=1, max_size=30))
def test_theorem_3_is_what_extend_gives_on_a_path(alpha: float, epsilon: list[float]) -> None:
    """Paper 000, Theorem 3: the first dataset given, all others of the same colour."""
    n = len(epsilon) + 1
    g = generate.path(n, split=n, epsilon=np.array(epsilon)).with_alpha({"0": alpha})
    assert neodp.extend(g).p == pytest.approx(closed_forms.path_mechanism(alpha, epsilon), rel=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.01), (0.2, 0.0), (0.2, 0.003), (1.0, 0.0), (1.0, 1e-4)])
def test_balanced_formula_at_every_distance(epsilon: float, delta: float) -> None:
    """Paper 002, Corollary 2, on a path, a grid and a hypercube."""
    for g in (
        generate.path(24, epsilon=epsilon, delta=delta),
        generate.grid(9, 12, epsilon=epsilon, delta=delta),
        generate.hypercube(9, epsilon=epsilon, delta=delta),
    ):
        m = neodp.extend(g.with_alpha(neodp.balanced(g)))
        graph = g.to_networkx()
        ends = {g.key(v) for v in boundary.boundary_vertices(g)}
        distances = nx.multi_source_dijkstra_path_length(graph, ends, weight=None)
        assert len(set(distances.values())) > 3
        for key, d in distances.items():
            expected = closed_forms.balanced_truth(d, epsilon, delta)
            assert m.p_true[g.index(key)] == pytest.approx(expected, abs=1e-12)
