"""The Stretching mechanism: its weights, and the inequality for every item and for the privacy vector, exactly."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import PrivacyError
from neodp.stretch import noise
from neodp.stretch.mechanism import (
    PRECISION,
    Function,
    Stretching,
    scalar_product,
    stretching_weights,
    weighted_sum,
)
from tests.stretch.odds import worst_odds

WEIGHTS = (0.0, 2.0**-30, 0.1, 0.5, 0.75, 1 / 3, 1 - 2.0**-53, 1.0)
weight = st.one_of(st.sampled_from(WEIGHTS), st.floats(0.0, 1.0))
epsilon = st.floats(1e-3, 50.0)


def power(n: int, exponent: float) -> Function:
    """The sum of d_i^exponent: S_i = w_i^exponent, so w_i = v_i^(1 / exponent). Without a closed form."""
    return Function(n, lambda d: float((d**exponent).sum()), 1.0, lambda i, w: w**exponent)


def algorithm_1(f: Function, v: list[float], delta: float) -> list[float]:
    """The paper's Algorithm 1, line by line."""
    w = []
    for i in range(len(v)):
        alpha = 1.0
        while alpha >= 0 and f.modular(i, alpha) > v[i] * f.sensitivity:
            alpha -= delta
        w.append(max(alpha, 0.0))
    return w


# --- weights ----------------------------------------------------------------------------------------------------


def test_scalar_product_has_the_privacy_weights() -> None:
    """Lemma 4: w = v."""
    v = [0.1, 0.7, 1 / 3, 1.0, 0.0, 0.5]
    assert stretching_weights(scalar_product(3), v).tolist() == v


@given(st.lists(weight, min_size=1, max_size=4), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_bisection_finds_the_largest(v: list[float], exponent: float) -> None:
    """Within 2^-40 of the closed form, and never above."""
    f = power(len(v), exponent)
    for i, (x, w) in enumerate(zip(v, stretching_weights(f, v), strict=True)):
        assert f.modular(i, w) <= x or w == 0.0
        assert abs(w - x ** (1 / exponent)) <= PRECISION * 1.001


@pytest.mark.parametrize("f", [power(5, 1.0), power(5, 2.0), weighted_sum([2, 1, -2, 0.5, 1.5])])
def test_as_algorithm_1_does(f: Function) -> None:
    v = [0.0, 0.2, 0.55, 0.9, 1.0]
    ours, theirs = stretching_weights(f, v), algorithm_1(f, v, delta := 1e-3)
    assert all(t - 1e-9 <= o <= t + delta + 1e-9 for o, t in zip(ours, theirs, strict=True))


@given(st.lists(weight, min_size=3, max_size=3))
def test_more_privacy_never_means_a_larger_weight(v: list[float]) -> None:
    f = weighted_sum([1, 2, 4])
    assert (stretching_weights(f, [x / 2 for x in v]) <= stretching_weights(f, v)).all()


def test_all_ones_changes_nothing() -> None:
    """T(1) is the identity."""
    for f in (power(3, 2.0), weighted_sum([1, 2, 3]), scalar_product(2)):
        assert (Stretching(f, np.ones(f.size), 1.0).weights == 1.0).all()


# --- privacy, exactly -------------------------------------------------------------------------------------------

BINARY = list(itertools.product([0.0, 1.0], repeat=3))


def functions() -> list[Function]:
    return [weighted_sum([1, 1, 1]), weighted_sum([3, -1, 0.7]), power(3, 2.0), power(3, 1.0)]


def test_theorem_1_on_the_mass_of_every_output() -> None:
    """Pr[M(d) = t] <= e^(epsilon v_i) Pr[M(e) = t]: both masses' exponents are fractions, so nothing is rounded."""
    eps = 0.8
    for f, v in itertools.product(functions(), itertools.product(WEIGHTS[::2] + WEIGHTS[-1:], repeat=3)):
        mechanism = Stretching(f, v, eps)
        scale = Fraction(mechanism.scale)
        value = {d: mechanism.steps(d) for d in BINARY}
        outputs = {t + k for t in value.values() for k in (-1, 0, 1)}
        for d, i in itertools.product(BINARY, range(3)):
            e = (*d[:i], 1.0 - d[i], *d[i + 1 :])
            allowed = Fraction(eps) * Fraction(v[i])
            for t in outputs:
                assert (abs(t - value[e]) - abs(t - value[d])) / scale <= allowed
            assert mechanism.loss(d, e) <= allowed


@given(epsilon, st.lists(weight, min_size=4, max_size=4), st.data())
def test_theorem_2_where_an_item_and_its_weight_change(eps: float, v: list[float], data: st.DataObject) -> None:
    """e^(epsilon max(v_i, u_i)), whatever the other items and weights are."""
    f = data.draw(st.sampled_from([scalar_product(2), weighted_sum([1, 0.3, 2, -1]), power(4, 1.0)]))
    i = data.draw(st.integers(0, 3))
    d = data.draw(st.lists(st.floats(0, 1), min_size=4, max_size=4))
    u, e = list(v), list(d)
    u[i], e[i] = data.draw(weight), data.draw(st.floats(0, 1))
    one, other = Stretching(f, v, eps), Stretching(f, u, eps)
    assert one.scale == other.scale
    loss = abs(one.steps(d) - other.steps(e)) / Fraction(one.scale)
    assert loss <= Fraction(eps) * Fraction(max(v[i], u[i]))


def test_the_bound_is_met_closely() -> None:
    """Less noise would not do: an item that counts uses its whole budget but a millionth."""
    mechanism = Stretching(weighted_sum([1, 1]), [0.4, 1.0], 2.0)
    assert 0.8 * (1 - 1e-6) < mechanism.loss([0, 0], [1, 0]) <= Fraction(2) * Fraction(0.4)
    assert 2.0 * (1 - 1e-6) < mechanism.loss([0, 0], [0, 1]) <= 2


def test_releases_are_whole_steps_around_the_value() -> None:
    mechanism = Stretching(weighted_sum([1, 1]), [1.0, 0.5], 1.0)
    drawn = np.array([mechanism.release([1, 1]) for _ in range(400)])
    assert (np.mod(drawn / mechanism.step, 1) == 0).all()
    assert abs(drawn.mean() - 1.5) < 6 * math.sqrt(2 / 400)
    assert mechanism.release([1, 1], noise.without) == pytest.approx(1.5, abs=1e-6)


# --- privacy, as the real sampler has it ------------------------------------------------------------------------


def sampled(f: Function, v: list[float], eps: float, d: list[float], n: int = 15_000, faster: float = 1.0) -> Any:
    mechanism = Stretching(f, v, eps)
    return noise.secure(np.full(n, mechanism.steps(d), np.int64), mechanism.scale / faster)


def test_the_sampler_keeps_the_inequality_and_faults_are_caught() -> None:
    f, v, eps = scalar_product(2), [0.5, 1.0, 1.0, 1.0], 1.0
    d, e = [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]
    right = worst_odds(sampled(f, v, eps, d), sampled(f, v, eps, e))
    assert 0.3 < right <= eps * v[0]
    wrong_scale = worst_odds(sampled(f, v, eps, d, faster=2.0), sampled(f, v, eps, e, faster=2.0))
    assert wrong_scale > eps * v[0]
    ignored = [1.0, *v[1:]]
    assert worst_odds(sampled(f, ignored, eps, d), sampled(f, ignored, eps, e)) > eps * v[0]


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_weight_outside_0_to_1(wrong: float) -> None:
    with pytest.raises(PrivacyError, match=rf"the privacy weight of item 1 is {wrong}; give a number from 0 to 1"):
        Stretching(weighted_sum([1, 1]), [0.5, wrong], 1.0)


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan")])
def test_an_epsilon_that_is_not_positive(wrong: float) -> None:
    with pytest.raises(PrivacyError, match="epsilon is"):
        Stretching(weighted_sum([1, 1]), [0.5, 0.5], wrong)


def test_a_function_that_does_not_shrink() -> None:
    """The number of items above 0 changes by 1 whatever the weight (section 6 of the paper)."""
    count = Function(2, lambda d: float((d > 0).sum()), 1.0, lambda i, w: 1.0 if w > 0 else 0.0)
    with pytest.raises(PrivacyError, match="to item 1 does not shrink with its weight; the mechanism is for"):
        stretching_weights(count, [1.0, 0.5])
    assert stretching_weights(count, [1.0, 0.0]).tolist() == [1.0, 0.0]


def test_sensitivities_that_cannot_be_true() -> None:
    falls = Function(1, lambda d: 0.0, 1.0, lambda i, w: 0.1 if w == 0.75 else w)
    with pytest.raises(PrivacyError, match=r"to item 0 is 0.1 at weight 0.75, but 0.5.* at 0.5 .* correct it"):
        stretching_weights(falls, [0.6])
    beyond = Function(1, lambda d: 0.0, 1.0, lambda i, w: 2 * w)
    with pytest.raises(
        PrivacyError, match=r"to item 0 is 2.0, that of the function 1.0; the function's is the largest"
    ):
        stretching_weights(beyond, [0.5])
    closed = Function(1, lambda d: 0.0, 1.0, lambda i, w: w, lambda i, b: 2 * b)
    with pytest.raises(PrivacyError, match=r"the closed form gives item 0 a weight of .*, which is too much"):
        stretching_weights(closed, [0.3])
    for s in (0.0, math.inf, math.nan):
        with pytest.raises(PrivacyError, match=f"the sensitivity is {s}; give a positive number"):
            Function(1, lambda d: 0.0, s, lambda i, w: w)
    with pytest.raises(PrivacyError, match=r"items go from 1.0 to 2.0, without 0"):
        Function(1, lambda d: 0.0, 1.0, lambda i, w: w, low=1.0, high=2.0)


def test_profiles_outside_the_domain() -> None:
    mechanism = Stretching(weighted_sum([1, 1]), [0.5, 0.5], 1.0)
    for wrong in (-0.5, 1.5, math.nan):
        with pytest.raises(PrivacyError, match=rf"item 1 of the profile is {wrong}; give a number from 0.0 to 1.0"):
            mechanism.release([0.5, wrong])
    with pytest.raises(PrivacyError, match=r"the profile has shape \(3,\); give 2 items"):
        mechanism.steps([0, 0, 0])
    with pytest.raises(PrivacyError, match=r"the privacy vector has shape \(1,\); give 2 weights"):
        Stretching(weighted_sum([1, 1]), [0.5], 1.0)
    for huge in (math.inf, math.nan, 1e30):
        with pytest.raises(PrivacyError, match="the function gives"):
            Stretching(Function(1, lambda d, x=huge: x, 1.0, lambda i, w: w), [1.0], 1.0).steps([0.0])  # type: ignore[misc]
