"""The noise: its mass, OpenDP's draws from it, and that whole steps cost exactly what they may."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import NeodpError, PrivacyError
from neodp.stretch import noise


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5])
def test_mass_sums_to_one_and_falls_by_the_same_factor(scale: float) -> None:
    masses = [noise.mass(k, scale) for k in range(-1000, 1001)]
    assert abs(sum(masses, Decimal(-1))) < Decimal("1e-20")
    factor = (-1 / Decimal(scale)).exp()
    for k in range(30):
        assert abs(noise.mass(k + 1, scale) / noise.mass(k, scale) - factor) < Decimal("1e-25")
        assert noise.mass(-k, scale) == noise.mass(k, scale)


@pytest.mark.parametrize("sampler", [noise.secure, noise.insecure(7)])
@pytest.mark.parametrize("scale", [0.7, 4.0])
def test_draws_have_that_mass(sampler: noise.Sampler, scale: float) -> None:
    """A chi-square test; a right sampler fails it once in 10^9 runs."""
    from scipy.stats import chi2

    n = 40_000
    seen = Counter((sampler(np.full(n, 5, np.int64), scale) - 5).tolist())
    reach = int(4 * scale) + 1
    expected = {k: n * float(noise.mass(k, scale)) for k in range(-reach, reach + 1)}
    rest = n - sum(expected.values())
    statistic = sum((seen[k] - e) ** 2 / e for k, e in expected.items())
    statistic += (n - sum(seen[k] for k in expected) - rest) ** 2 / rest
    assert statistic < chi2.isf(1e-9, len(expected))


def test_a_wrong_scale_shows_in_that_test() -> None:
    with pytest.raises(AssertionError):
        test_draws_have_that_mass(lambda values, scale: noise.secure(values, 1.1 * scale), 4.0)


def test_shapes_and_batches() -> None:
    values = np.arange(3 * (noise.BATCH // 2), dtype=np.int64).reshape(3, -1) * 10**6
    noisy = noise.secure(values, 2.0)
    assert noisy.shape == values.shape
    assert (abs(noisy - values) < 1000).all()
    assert len(set((noisy - values).ravel().tolist())) > 5
    assert (noise.without(values, 2.0) == values).all()


def test_a_seed_repeats() -> None:
    zeros = np.zeros(50, np.int64)
    assert (noise.insecure(3)(zeros, 100.0) == noise.insecure(3)(zeros, 100.0)).all()
    assert (noise.insecure(3)(zeros, 100.0) != noise.insecure(4)(zeros, 100.0)).any()


@given(st.integers(1, 2**40), st.floats(1e-6, 690.0))
def test_the_scale_is_never_too_small(steps: int, epsilon: float) -> None:
    scale = Fraction(noise.scale_of(steps, epsilon))
    assert steps / scale <= Fraction(epsilon)
    assert steps / scale >= Fraction(epsilon) * (1 - Fraction(2) ** -51)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf"), 1e-9])
def test_what_is_no_epsilon(epsilon: float) -> None:
    with pytest.raises(PrivacyError, match=rf"epsilon is {epsilon}; give a number from 1e-06 to 690"):
        noise.scale_of(1, epsilon)


def test_without_opendp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    noise._measurement.cache_clear()
    with pytest.raises(NeodpError, match=r"noise needs OpenDP; pip install 'neodp\[stretch\]'"):
        noise.secure(np.zeros(1, np.int64), 1.0)
