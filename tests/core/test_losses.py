"""The exact privacy loss of every edge, of anybody's mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neodp
from neodp.core.inequalities import exact, holds_for_all
from neodp.core.losses import losses
from neodp.errors import GraphError


@st.composite
def distributions(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    k = draw(st.integers(2, 5))
    rows = []
    for _ in range(2):
        weights = draw(st.lists(st.sampled_from([0.0, 1e-200, 1e-9, 0.3, 1.0, 2.0]), min_size=k, max_size=k))
        weights[draw(st.integers(0, k - 1))] += 1.0
        rows.append([w / math.fsum(weights) for w in weights])
    return rows[0], rows[1]


def keeps(rows: tuple[list[float], list[float]], epsilon: float, delta: float) -> bool:
    p, q = (exact(np.array(row)) for row in rows)
    return holds_for_all(p, q, epsilon, delta) and holds_for_all(q, p, epsilon, delta)


@given(distributions(), st.sampled_from([0.0, 0.1, 1.0, 5.0]), st.sampled_from([0.0, 1e-12, 0.01, 0.4, 1.0]))
def test_the_least_double_that_the_exact_audit_accepts(
    rows: tuple[list[float], list[float]], epsilon: float, delta: float
) -> None:
    found = losses(rows, [0], [1], epsilon, delta)
    least = float(found.epsilon[0])
    if math.isinf(least):
        assert not keeps(rows, 900.0, delta)
    else:
        assert keeps(rows, least, delta)
        assert least == 0.0 or not keeps(rows, math.nextafter(least, 0.0), delta)
    lost = float(found.delta[0])
    assert keeps(rows, epsilon, lost)
    assert lost == 0.0 or not keeps(rows, epsilon, math.nextafter(lost, 0.0))


def test_randomized_response() -> None:
    """Truth with chance 3/4: epsilon log 3, and total variation 1/2 at epsilon 0."""
    found = losses([[0.75, 0.25], [0.25, 0.75]], [0, 0], [1, 1], [math.log(3), 0.0])
    assert found.epsilon.tolist() == [pytest.approx(math.log(3), rel=1e-15)] * 2
    assert found.epsilon[0] >= Fraction(math.log(3))
    assert found.delta[1] == 0.5
    assert found.delta[0] <= 1e-16


def test_a_mechanism_of_our_own_loses_no_more_than_its_edges_allow() -> None:
    g = neodp.generate.three_voters()
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    found = losses(m.probabilities, g.source, g.target, g.epsilon, g.delta)
    assert (found.epsilon <= g.epsilon).all()
    assert (found.delta == 0.0).all()
    assert found.epsilon.max() == pytest.approx(g.epsilon.max(), rel=1e-12)


def test_an_accountant_takes_them() -> None:
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    found = losses([[0.75, 0.2, 0.05], [0.6, 0.3, 0.1]], [0], [1], 1.0, 0.0)
    one = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(float(found.epsilon[0]), 0.0))
    assert one.self_compose(3).get_epsilon_for_delta(0.0) == pytest.approx(3 * math.log(2), abs=1e-3)


@pytest.mark.parametrize(
    ("rows", "epsilon", "message"),
    [
        ([[0.5, 0.6], [0.5, 0.5]], 1.0, "row 0: the probabilities add up to 1.1; they must add up to 1"),
        ([[0.5, math.nan], [0.5, 0.5]], 1.0, "row 0: a probability is nan; give numbers from 0 to 1"),
        ([[0.5, 0.5], [-0.5, 1.5]], 1.0, "row 1: a probability is -0.5; give numbers from 0 to 1"),
        ([[0.5, 0.5], [1.0]], 1.0, "the probabilities are not a table of numbers; give one row per dataset"),
        ([[1.0], [1.0]], 1.0, r"the probabilities have the shape \(2, 1\); give one row per dataset"),
        ([[0.5, 0.5], [0.5, 0.5]], -1.0, "edge 1: epsilon is -1.0; give a number from 0 to 690"),
    ],
)
def test_bad_tables_are_refused(rows: list[list[float]], epsilon: float, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        losses(rows, [0], [1], epsilon)


@pytest.mark.parametrize(("source", "target", "row"), [([-1], [0], -1), ([0], [-1], -1), ([0], [2], 2), ([7], [1], 7)])
def test_edges_name_rows_that_there_are(source: list[int], target: list[int], row: int) -> None:
    """Row -1 is not the last row: an edge that names it is a mistake in the table of edges."""
    with pytest.raises(GraphError, match=f"names row {row}; give positions from 0 to 1"):
        losses([[0.5, 0.5], [0.4, 0.6]], source, target, 1.0)
