"""Theorem 3 and Corollary 2: the exact tail, the bound that holds, and that Corollary 2 does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.stretch import noise
from neodp.stretch.profiles import UNIT, Profiles
from neodp.stretch.utility import bound, compare, corollary_2, tail


def profiles(users: int, items: int, weights: tuple[float, ...], seed: int = 0) -> Profiles:
    random = np.random.default_rng(seed)
    user, item = np.nonzero(random.random((users, items)) < 0.4)
    weight = random.choice(weights, len(user))
    return Profiles.from_columns([f"u{u}" for u in user], [f"i{i}" for i in item], 1.0, weight)


def test_the_tail_as_scipy_has_it() -> None:
    from scipy.stats import laplace

    r, b = np.array([-7.0, -1.0, 0.0, 0.5, 3.0, 20.0]), 1.7
    for k in (0.1, 1.0, 3.0, 10.0):
        expected = laplace.sf(k + r, scale=b) + laplace.cdf(r - k, scale=b)
        assert np.allclose(tail(r, k, b), expected, rtol=1e-12)


@given(st.floats(0, 1), st.floats(0, 50), st.floats(0.01, 60), st.floats(0.05, 5))
def test_the_repaired_bound_holds_for_what_lemma_3_allows(w: float, size: float, k: float, eps: float) -> None:
    for part in (0.0, 0.3, 1.0):
        r = part * (1 - w) * size
        assert tail(np.array([r]), k, 1 / eps)[0] <= bound(np.array([w]), np.array([size]), k, eps)[0] * (1 + 1e-12)


def test_corollary_2_does_not_hold() -> None:
    """Two users who like the same 200 items at weight 1/2: 200 become 50, which is off by far more than sqrt(400)."""
    p = Profiles.from_columns(["a"] * 200 + ["b"] * 200, [f"i{i}" for i in range(200)] * 2, weight=0.5)
    (errors,) = compare(p, 1.0, [20.0])
    assert corollary_2(400, 0.5, 1.0) < 1e-4
    assert errors.measured == 1.0
    assert errors.exact > 0.999
    assert errors.bound == 1.0


@pytest.mark.parametrize("weights", [(1.0,), (0.5, 0.75, 1.0), (0.0, 1.0)])
def test_measured_errors_are_as_foretold(weights: tuple[float, ...]) -> None:
    p = profiles(150, 60, weights)
    pairs = 150 * 149 / 2
    for errors in compare(p, 0.5, [0.5, 2.0, 5.0, 10.0]):
        spread = np.sqrt(errors.exact * (1 - errors.exact) / pairs)
        assert abs(errors.measured - errors.exact) < 6 * spread + 1e-9
        assert errors.exact <= errors.bound


def test_without_noise_only_the_bias_is_left() -> None:
    p = profiles(40, 30, (0.5,))
    d = p.matrix.toarray()
    bias = 0.75 * (d @ d.T)[np.triu_indices(40, 1)]
    for errors in compare(p, 1.0, [1.0, 4.0], sampler=noise.without):
        assert errors.measured == pytest.approx((bias > errors.beyond).mean())


def test_nobody() -> None:
    assert compare(Profiles.from_columns([], []), 1.0, [1.0])[0].measured == 0.0


@pytest.mark.parametrize("epsilon", [10.0, 100.0, 690.0])
def test_large_epsilons_leave_the_bias_alone(epsilon: float) -> None:
    """If noise is gone, an error is as likely as the bias is large: no overflow, and a chance."""
    p = profiles(60, 30, (0.5, 1.0))
    d, v = p.matrix.toarray(), p.stretched.toarray() / UNIT
    bias = (d @ d.T - v @ v.T)[np.triu_indices(60, 1)]
    for errors in compare(p, epsilon, [0.3, 1.3, 4.3], sampler=noise.without):
        assert errors.measured == pytest.approx((bias > errors.beyond).mean())
        assert abs(errors.exact - errors.measured) < 2 * np.exp(-epsilon * 0.05)
        assert errors.exact <= errors.bound <= 1.0
