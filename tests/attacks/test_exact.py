"""Samplers whose random numbers are counted: neodp's is exact, and faults too small to be drawn are found."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import neodp
from attacks.audits import exact
from attacks.audits.subjects import coin
from neodp import generate


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 35.0, 36.4, 100.0, 600.0])
def test_the_draw_of_a_coin_keeps_its_epsilon(epsilon: float) -> None:
    mechanism = neodp.extend(coin(epsilon))
    one, other = (exact.neodp_choice(row) for row in mechanism.probabilities.tolist())
    assert sum(one) == sum(other) == 1
    assert exact.keeps(one, other, epsilon)
    assert exact.effective(one, other) == pytest.approx(epsilon, rel=1e-12)
    assert min(one) == min(map(Fraction, mechanism.probabilities[0].tolist()))  # the smaller one is exact


def test_a_comparison_of_floats_is_caught() -> None:
    """On a path whose chances pass 2^-53, what ``random() < p`` draws does not keep the edges' epsilon."""
    graph = generate.path(800, epsilon=0.1)
    rows = neodp.extend(graph.with_alpha(neodp.balanced(graph))).probabilities.tolist()
    near = [i for i, row in enumerate(rows[:-1]) if 2.0**-56 < min(row) < 2.0**-50]
    assert len(near) > 20
    for sampler, private in ((exact.neodp_choice, True), (exact.by_floats, False)):
        found = {i: sampler(rows[i]) for j in near for i in (j, j + 1)}
        assert all(exact.keeps(found[i], found[i + 1], 0.1) for i in near) == private
    assert max(exact.effective(found[i], found[i + 1]) for i in near) > 0.6  # six times what is promised


def test_diffprivlib_as_an_example_of_what_is_caught() -> None:
    """Its binary mechanism compares floats: more than epsilon from about 30 on, and without bound from 36.3 on."""
    found = {epsilon: exact.effective(*exact.diffprivlib_binary(epsilon)) for epsilon in (1.0, 35.0, 36.4, 50.0)}
    assert found[1.0] == pytest.approx(1.0, abs=1e-12)
    assert found[35.0] == pytest.approx(35.35, abs=0.005)
    assert found[36.4] == found[50.0] == math.inf
    assert not exact.keeps(*exact.diffprivlib_binary(35.0), 35.0)
