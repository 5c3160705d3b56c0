"""The exact audit: nothing private is accused, and one unit in the last place is found."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.compiled import kernel
from neodp.core.inequalities import holds
from neodp.errors import GraphError
from tests import reference


def balanced(g: DatasetGraph) -> tuple[DatasetGraph, Mechanism]:
    g = g.with_alpha(neodp.balanced(g))
    return g, neodp.extend(g)


@pytest.mark.parametrize(
    "g",
    [
        generate.path(3000, epsilon=0.5),
        generate.path(400, epsilon=7.0),
        generate.path(50, epsilon=690.0),
        generate.path(50, epsilon=0.0),
        generate.path(50, epsilon=0.0, delta=1 / 64),
        generate.path(50, epsilon=0.0, delta=0.01),
        generate.path(300, epsilon=1e-16),
        generate.path(2000, epsilon=0.01, delta=1e-9),
        generate.path(40, epsilon=36.0, delta=1e-17),
        generate.path(40, epsilon=1.0, delta=1.0),
        generate.grid(40, 50, epsilon=np.array([0.3, 1.7])),
        generate.hypercube(10, epsilon=np.linspace(0.0, 2.0, 10)),
        generate.hamming(5, 4, epsilon=0.2, delta=0.001),
        generate.counts([20, 20, 20], epsilon=np.array([0.1, 1.0, 300.0])),
        generate.random_geometric(3000, epsilon=(0.0, 3.0), seed=1),
        generate.random_graph(3000, edges=9000, epsilon=(0.0, 1.0), delta=(0.0, 0.01), seed=2),
    ],
    ids=repr,
)
def test_no_violation_on_what_extend_returns(g: DatasetGraph) -> None:
    g, m = balanced(g)
    report = neodp.audit(g, m)
    assert report.exact
    assert report.violations == 0
    assert report.checks == 4 * g.edges


def test_far_inside_the_error_is_far_below_what_one_minus_p_could_hold() -> None:
    g, m = balanced(generate.path(3000, epsilon=0.5))
    assert 0 < m.q[0] < 1e-300
    assert m.p[0] == 1.0
    assert neodp.audit(g, m)


@pytest.mark.parametrize("seed", range(30))
def test_a_planted_violation_of_one_unit_in_the_last_place_is_found(seed: int) -> None:
    """On a tight edge, the last value that is private and the next one: the audit tells them apart."""
    rng = random.Random(seed)
    epsilon, delta = rng.uniform(0.0, 3.0), rng.choice([0.0, 0.0, rng.uniform(0, 0.01)])
    start = rng.choice([rng.uniform(1e-3, 0.02), 10 ** rng.uniform(-300, -3)])
    exact = Fraction(start) * reference.exponential(epsilon, 60)[0] + Fraction(delta)
    last = float(exact)
    if Fraction(last) > exact:
        last = math.nextafter(last, 0)
    g = DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], epsilon, delta)
    assert last < 0.5
    assert neodp.audit(g, Mechanism.of(g, {"a": start, "b": last}))
    over = math.nextafter(last, 1)
    report = neodp.audit(g, Mechanism.of(g, {"a": start, "b": over}))
    assert report.violations == 1
    assert report.worst[0].broken == (
        f"Pr[x] is {over!r} at 'b' and {start!r} at 'a', beyond epsilon {epsilon!r} and delta {delta!r}",
    )


def test_a_planted_violation_in_a_large_mechanism_is_the_worst_edge() -> None:
    g, m = balanced(generate.grid(60, 60, epsilon=0.7))
    rows = m.probabilities.copy()
    victim = int(np.argmin(np.where(g.color == 0, rows[:, 1], 1.0)))
    rows[victim, 1] = np.nextafter(rows[victim, 1], 0) * (1 - 1e-15)
    report = neodp.audit(g, Mechanism.of(g, rows))
    assert not report
    assert 1 <= report.violations <= 4
    assert g.key(victim) in (report.worst[0].source, report.worst[0].target)
    assert str(report).endswith("edges are broken, checked exactly")


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.one_of(st.just(0.0), st.floats(0.0, 690.0), st.floats(0.0, 2.0)),
    st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
)
def test_the_filter_agrees_with_rational_arithmetic(p: float, r: float, epsilon: float, delta: float) -> None:
    """The decisions of the filter are right, for any numbers; the same verdicts as the slow reference."""
    source, target = np.zeros(1, np.int32), np.ones(1, np.int32)
    first, second = np.array([p, r]), 1.0 - np.array([p, r])
    rows = np.stack([first, second], axis=1)
    verdict, _ = kernel.audit(source, target, np.array([epsilon]), np.array([delta]), rows)
    value = [Fraction(a) if a <= b else 1 - Fraction(b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    sides = [(value[0], value[1]), (value[1], value[0]), (1 - value[0], 1 - value[1]), (1 - value[1], 1 - value[0])]
    for found, (left, right) in zip(verdict[0], sides, strict=True):
        assert found in (0 if holds(left, right, epsilon, delta) else 1, 2)
    problem = reference.Problem(2, [0, 1], [(0, 1, epsilon, delta)])
    assert bool(reference.violations(problem, value)) == (not all(holds(a, b, epsilon, delta) for a, b in sides))


@pytest.mark.parametrize("seed", range(200))
def test_near_ties_are_decided_as_the_reference_decides_them(seed: int) -> None:
    """Random mechanisms with values within a few units of their bounds."""
    rng = random.Random(seed)
    epsilon = rng.choice([0.0, rng.uniform(0, 1), rng.uniform(0, 40), rng.uniform(300, 690)])
    delta = rng.choice([0.0, 0.0, 10 ** rng.uniform(-20, -1)])
    a = 10 ** rng.uniform(-308, -1)
    b = float(min(Fraction(1, 2), Fraction(a) * reference.exponential(epsilon, 60)[0] + Fraction(delta)))
    for _ in range(rng.randrange(4)):
        b = math.nextafter(b, rng.choice([0, 1]))
    first = np.array([a, b])
    g = DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], epsilon, delta)
    report = neodp.audit(g, Mechanism.of(g, np.column_stack([first, 1 - first])))
    problem = reference.Problem(2, [0, 1], [(0, 1, epsilon, delta)])
    value = [Fraction(x) if x <= 0.5 else 1 - Fraction(1 - x) for x in (a, b)]
    assert report.violations == len(reference.violations(problem, value))


def test_equality_is_no_violation() -> None:
    """With epsilon 0 both sides can be equal; that is left to rational arithmetic."""
    g = DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], 0.0, 0.25)
    report = neodp.audit(g, Mechanism.of(g, {"a": 0.125, "b": 0.375}))
    assert report
    assert report.undecided > 0
    assert not neodp.audit(g, Mechanism.of(g, {"a": 0.125, "b": math.nextafter(0.375, 1)}))


def test_certainty_beside_doubt_is_found() -> None:
    g = DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], 690.0)
    report = neodp.audit(g, Mechanism.of(g, {"a": 0.0, "b": 1e-300}))
    assert report.violations == 1
    assert report.worst[0].tightness == math.inf


def test_a_mechanism_can_be_held_to_other_epsilons_but_not_to_another_graph() -> None:
    _g, m = balanced(generate.path(6, epsilon=1.0))
    assert not neodp.audit(generate.path(6, epsilon=0.9), m)
    assert neodp.audit(generate.path(6, epsilon=1.1), m)
    with pytest.raises(GraphError, match="the mechanism belongs to another graph; audit it on that graph"):
        neodp.audit(generate.path(7), m)


def test_the_worst_edges_are_listed_worst_first() -> None:
    g, m = balanced(generate.path(10, epsilon=1.0))
    report = neodp.audit(g, m, worst=3)
    assert len(report.worst) == 3
    tightness = [edge.tightness for edge in report.worst]
    assert tightness == sorted(tightness, reverse=True)
    assert "uses 100 % of its epsilon, 1" in str(report.worst[0])
    assert neodp.audit(g, m, worst=0).worst == ()
