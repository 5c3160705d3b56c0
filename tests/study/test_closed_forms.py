"""The papers' closed forms against the recursion that they solve, and against extend."""

import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import neodp
from neodp import boundary, generate
from neodp.core.privacy import upper
from neodp.errors import GraphError
from neodp.study import closed_forms


def test_numbers_of_example_3() -> None:
    """Paper 002, Example 3 and its footnote."""
    assert closed_forms.induced(3, 0.1, math.log(2)) == pytest.approx(0.7)
    assert closed_forms.induced(3, 0.3, math.log(2)) == pytest.approx(0.9)


@given(st.floats(0.0, 1.0), st.floats(0.0, 3.0), st.sampled_from([0.0, 0.001, 0.2, 1.0]), st.integers(0, 30))
def test_induced_is_the_bound_applied_d_times(alpha: float, epsilon: float, delta: float, d: int) -> None:
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


magnitudes = st.one_of(st.floats(0.0, 690.0), st.sampled_from([5e-324, 1e-300, 1e-17, 1e-9, 1e-3, 1.0, 30.0, 690.0]))
chances = st.one_of(st.floats(0.0, 1.0), st.sampled_from([5e-324, 1e-310, 2.0**-1022, 1e-17, 1 - 2.0**-53]))


@given(chances, magnitudes, chances, st.integers(0, 10**6))
def test_closed_forms_of_any_magnitude_are_chances(alpha: float, epsilon: float, delta: float, d: int) -> None:
    """At every distance, also where e^(d epsilon) is no double: from 0 to 1, growing, and one step is the bound."""
    found = [closed_forms.induced(i, alpha, epsilon, delta) for i in (0, 1, d, min(d + 1, 10**6))]
    assert found[0] == pytest.approx(alpha, rel=1e-12)
    assert found[1] == pytest.approx(float(upper(alpha, epsilon, delta)), rel=1e-9, abs=1e-300)
    assert all(0.0 <= p <= 1.0 for p in found)
    assert found[2] <= found[3] * (1 + 1e-9)
    truth = [closed_forms.balanced_truth(i, epsilon, delta) for i in (0, d)]
    assert 0.5 <= truth[0] <= truth[1] * (1 + 1e-12) <= 1.0 + 1e-12


@given(chances, st.lists(magnitudes, max_size=20))
def test_a_path_of_any_magnitude_keeps_the_bound_of_every_edge(alpha: float, epsilon: list[float]) -> None:
    assume(alpha == 0.0 or alpha >= 2.0**-1022)  # smaller ones have few digits, and e^epsilon times them has no more
    p = closed_forms.path_mechanism(alpha, epsilon)
    assert p[0] == alpha
    for i, e in enumerate(epsilon):
        assert p[i + 1] == pytest.approx(float(upper(p[i], e, 0.0)), rel=1e-9, abs=1e-300)


@given(st.floats(1e-12, 1.0), st.floats(0.0, 1.0), st.floats(1e-12, 690.0), st.integers(0, 10**6))
def test_three_outputs_of_any_magnitude_are_a_distribution(blue: float, red: float, epsilon: float, d: int) -> None:
    red = min(red, 1.0 - blue)
    found = closed_forms.ternary(d, blue, red, epsilon)
    assert all(-1e-9 <= p <= 1.0 + 1e-9 for p in found)
    assert sum(found) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    "call",
    [
        lambda: closed_forms.induced(-1, 0.5, 1.0),
        lambda: closed_forms.induced(3, 1.5, 1.0),
        lambda: closed_forms.induced(3, -0.1, 1.0),
        lambda: closed_forms.induced(3, 0.5, -1.0),
        lambda: closed_forms.induced(3, 0.5, 1000.0),
        lambda: closed_forms.induced(3, 0.5, 1.0, 2.0),
        lambda: closed_forms.balanced_truth(-3, 1.0),
        lambda: closed_forms.balanced_truth(3, math.nan),
        lambda: closed_forms.path_mechanism(40.0, [1.0]),
        lambda: closed_forms.path_mechanism(0.5, [-1.0]),
        lambda: closed_forms.path_mechanism(0.5, [1000.0]),
        lambda: closed_forms.ternary(3, 0.0, 0.5, 1.0),
        lambda: closed_forms.ternary(3, 0.7, 0.5, 1.0),
        lambda: closed_forms.ternary(3, 0.2, 0.5, 0.0),
        lambda: closed_forms.ternary(-3, 0.2, 0.5, 1.0),
        lambda: closed_forms.ternary_thresholds(0.2, -0.5, 1.0),
    ],
)
def test_arguments_out_of_range_are_refused(call: Callable[[], object]) -> None:
    """A chance of -38.9, a negative chance, a division by zero and an overflow came of these."""
    with pytest.raises(GraphError, match="give "):
        call()
