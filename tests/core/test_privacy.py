"""The bounds that an edge allows: (epsilon, delta), Gaussian mu, and suitable pairs of one's own."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import neodp
from neodp import DatasetGraph, Gaussian, SuitablePair
from neodp.core.privacy import lower, upper
from neodp.errors import PrivacyError

chance = st.floats(0.0, 1.0)


@given(chance, st.floats(0.0, 5.0), st.floats(0.0, 1.0))
def test_the_bounds_of_epsilon_delta_are_those_of_paper_002(a: float, epsilon: float, delta: float) -> None:
    """Equations (8) and (9), and Proposition 2: they are a suitable pair."""
    e = math.exp(epsilon)
    assert upper(a, epsilon, delta) == pytest.approx(min(e * a + delta, (e + delta - 1 + a) / e, 1), abs=1e-12)
    assert lower(a, epsilon, delta) == pytest.approx(max(e * a - delta - e + 1, (a - delta) / e, 0), abs=1e-11)


def test_epsilon_delta_is_suitable() -> None:
    for epsilon, delta in ((0.0, 0.0), (0.5, 0.0), (1.0, 0.1), (0.0, 0.3)):
        SuitablePair(lambda a, e=epsilon, d=delta: float(upper(a, e, d)))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("upper", "lower", "message"),
    [
        (lambda a: a * a, None, "U(a) < a at a = 0.0009765625"),
        (lambda a: min(1.0, 2 * a), lambda a: min(1.0, 2 * a), "L(a) > a at a = 0.0009765625"),
        (lambda a: 1.5, lambda a: 0.0, "a value outside [0, 1] at a = 0.0"),
        (lambda a: math.nan, lambda a: 0.0, "a value outside [0, 1] at a = 0.0"),
        (lambda a: min(1.0, 2 * a), lambda a: a / 4, "U(L(a)) < a at a = 0.0009765625"),
        (lambda a: min(1.0, 2 * a), lambda a: a / 1.5, "L(U(a)) > a at a = 0.0009765625"),
        (lambda a: min(1.0, 2 * a), lambda a: a / 2, "U(a) > 1 - L(1 - a) at a = 0.33398"),
        (lambda a: 1.0 if a < 0.5 else a, lambda a: 0.0 if a <= 0.5 else 2 * a - 1, "(L, U) is not a suitable pair"),
    ],
)
def test_unsuitable_pairs_are_refused_with_a_counterexample(
    upper: Callable[[float], float], lower: Callable[[float], float] | None, message: str
) -> None:
    with pytest.raises(PrivacyError) as caught:
        SuitablePair(upper, lower)
    assert message in str(caught.value)


def path(n: int, alpha: float) -> DatasetGraph:
    """A path whose first dataset is given and of the other colour."""
    return neodp.generate.path(n, split=1).with_alpha({"0": alpha})


def test_a_pair_of_ones_own_gives_what_epsilon_delta_gives() -> None:
    """Algorithm 1 of paper 002 for the pair of (epsilon, delta)."""
    g = neodp.generate.grid(5, 6, epsilon=0.3, delta=0.01)
    g = g.with_alpha(neodp.balanced(g))
    pair = SuitablePair(lambda a: float(upper(a, 0.3, 0.01)))
    m = neodp.extend(g, pair)
    assert m.p == pytest.approx(neodp.extend(g).p, abs=1e-12)
    report = neodp.audit(g, m)
    assert report
    assert not report.exact
    assert report.tolerance == 1e-12


def test_gaussian_is_additive_in_the_probit() -> None:
    mu = np.array([0.5, 0.0, 1.0, 0.25])
    g = path(5, 0.9)  # the second colour starts at 0.1
    m = neodp.extend(g, Gaussian(mu))
    expected = norm.cdf(norm.ppf(0.1) + np.concatenate([[0.0], np.cumsum(mu)]))
    assert m.q == pytest.approx(expected, rel=1e-12)
    assert neodp.audit(g, m)


def test_gaussian_takes_the_tightest_path() -> None:
    g = DatasetGraph.from_columns(
        ["s", "x", "y"], ["no", "yes", "yes"], ["s", "s", "x"], ["x", "y", "y"], 1.0, alpha={"s": [0.9, 0.1]}
    )
    m = neodp.extend(g, Gaussian([1.0, 0.1, 0.2]))
    assert m["y"]["yes"] == pytest.approx(norm.cdf(norm.ppf(0.1) + 0.1))
    assert m["x"]["yes"] == pytest.approx(norm.cdf(norm.ppf(0.1) + 0.3))


def test_the_numerical_audit_finds_a_planted_violation() -> None:
    g = path(3, 0.9)
    m = neodp.extend(g, Gaussian(1.0))
    q = m.q * (1, 1, 1 + 1e-9)
    broken = neodp.Mechanism.of(g, np.column_stack([1 - q, q]), Gaussian(1.0))
    report = neodp.audit(g, broken)
    assert report.violations == 2  # the two sides of one bound
    assert "Pr[no] is 0.76" in str(report.worst[0])


def test_gaussian_mu_is_checked() -> None:
    for mu in (-1.0, math.nan, [0.5, math.inf]):
        with pytest.raises(PrivacyError, match="give finite numbers of at least 0"):
            Gaussian(mu)
    with pytest.raises(PrivacyError, match="there are 3 edges and 2 values of mu; give one, or one per edge"):
        neodp.extend(path(4, 0.5), Gaussian([1.0, 2.0]))


@pytest.mark.parametrize("mu", [0.5, 1.0, 3.0, 30.0])
@pytest.mark.parametrize("alpha", [0.9, 1e-300, 1 - 1e-16, 2.0**-1022])
def test_gaussian_mechanisms_pass_the_audit_in_the_far_tails(mu: float, alpha: float) -> None:
    """A chance of 4.7e-304 stood beside 0.0."""
    g = path(120, alpha)
    m = neodp.extend(g, Gaussian(mu))
    assert neodp.audit(g, m)
    assert m.probabilities.min() >= 2.0**-1022


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 8.0])
@pytest.mark.parametrize("alpha", [0.9, 1e-300, 1 - 1e-16])
@pytest.mark.parametrize("delta", [0.0, 1e-12, 0.01])
def test_pairs_of_ones_own_pass_the_audit_in_the_far_tails(epsilon: float, alpha: float, delta: float) -> None:
    g = path(60, alpha)
    m = neodp.extend(g, SuitablePair(lambda a: float(upper(a, epsilon, delta))))
    assert neodp.audit(g, m)


def laplace(a: float) -> float:
    return float(upper(a, 1.0, 0.0))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a: math.nan if 0.3001 < a < 0.3002 else laplace(a), r"a value outside \[0, 1\] at a = 0\.3001"),
        (lambda a: 0.99 if 0.3001 < a < 0.3002 else laplace(a), r"not increasing at a = 0\.300"),
        (lambda a: 0.1 if 0.3001 < a < 0.3002 else laplace(a), r"U\(a\) < a at a = 0\.3001"),
    ],
)
def test_a_spike_between_the_points_that_are_tried_first_is_noticed_where_it_is_met(
    wrong: Callable[[float], float], message: str
) -> None:
    pair = SuitablePair(wrong)
    g = neodp.generate.path(4, split=1).with_alpha({"0": 1 - 0.30015})
    with pytest.raises(PrivacyError, match=message):
        neodp.extend(g, pair)
