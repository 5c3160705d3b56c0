"""The noise: its mass, exact draws from it beside OpenDP's, and that whole steps cost exactly what they may."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodp.errors import PrivacyError
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
@pytest.mark.parametrize("scale", [0.04, 0.7, 4.0, 1100.5])
def test_draws_have_that_mass(sampler: noise.Sampler, scale: float) -> None:
    """A chi-square test; a right sampler fails it once in 10^9 runs."""
    from scipy.stats import chi2

    n = 40_000
    seen = Counter((sampler(np.full(n, 5, np.int64), scale) - 5).tolist())
    reach = int(4 * scale) + 1
    expected = {k: n * float(noise.mass(k, scale)) for k in range(-reach, reach + 1)}
    expected = {k: e for k, e in expected.items() if e > 1}
    rest = n - sum(expected.values())
    statistic = sum((seen[k] - e) ** 2 / e for k, e in expected.items())
    statistic += (n - sum(seen[k] for k in expected) - rest) ** 2 / max(rest, 1)
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


# --- exact draws: what 64 bits decide, and what they leave to further ones ------------------------------------
# These look inside, at the two comparisons that every draw is made of. Each is monotone in its word, so that its
# breakpoints say all: the words below one, the words above it, and the word that is cut by it.


def words(*given: int) -> Callable[[int], Any]:
    """A source of these words and no others."""
    left = list(given)

    def next_words(n: int) -> Any:
        taken, left[:] = left[:n], left[n:]
        assert len(taken) == n
        return np.array(taken, np.uint64)

    return next_words


def bits_of_one_minus_exp(x: Fraction, bits: int) -> int:
    """2^bits (1 - e^-x) rounded down, by the series and rational numbers: nothing of neodp's."""
    term = total = Fraction(1)
    n = 0
    while abs(term) > Fraction(1, 1 << bits + 40) or n < 2 * x:
        n += 1
        term *= -x / n
        total += term
    slack = Fraction(1, 1 << bits + 30)
    low, high = ((1 - total + by) * (1 << bits) // 1 for by in (-slack, slack))
    assert low == high
    return int(low)


@pytest.mark.parametrize("scale", [0.2, 3.0, 300.7, 1e9, 2.0**50])
def test_every_breakpoint_of_the_high_part(scale: float) -> None:
    law = noise._law(scale)
    step = Fraction(1 << law.low_bits) / Fraction(scale)
    some = range(len(law.ends)) if len(law.ends) < 100 else [0, 1, 2, 97, 1000, len(law.ends) - 2, len(law.ends) - 1]
    for a in some:
        long = bits_of_one_minus_exp((a + 1) * step, 128)
        head, tail = divmod(long, 1 << 64)
        assert int(law.ends[a]) == head
        beyond = [0] if a + 1 == len(law.ends) else []  # beyond the table A goes on with a new draw
        assert law.high(1, words(head - 1)).tolist() == [a]
        assert law.high(1, words(head, (1 << 64) - 1 - (tail - 1))).tolist() == [a]  # the rest of V = 1 - U
        assert law.high(1, words(head, (1 << 64) - 1 - (tail + 1), *beyond)).tolist() == [a + 1]
        if head < (1 << 64) - 1:
            assert law.high(1, words(head + 1, *beyond)).tolist() == [a + 1]


def test_beyond_the_table_the_high_part_goes_on() -> None:
    law = noise._law(3.0)
    end, last = len(law.ends), (1 << 64) - 1
    assert law.high(2, words(last, 0, last, int(law.ends[4]) + 1)).tolist() == [2 * end + 5, 0]


@settings(max_examples=20)
@given(st.floats(512, 2.0**50), st.data())
def test_every_breakpoint_of_the_low_part(scale: float, data: st.DataObject) -> None:
    law = noise._law(scale)  # takes far longer than a breakpoint, so each has five
    for b in data.draw(st.lists(st.integers(1, (1 << law.low_bits) - 1), min_size=5, max_size=5)):
        head, tail = divmod(bits_of_one_minus_exp(b / Fraction(scale), 128), 1 << 64)

        def kept(*given: int, b: int = b) -> bool:
            return bool(law.kept(np.array([b], np.uint64), words(*given))[0])

        assert kept(head + 1)
        assert not kept(head - 1) if head else True
        assert kept(head, (1 << 64) - 1 - (tail + 1))
        assert not kept(head, (1 << 64) - 1 - (tail - 1))


def test_nothing_is_kept_away_from_zero() -> None:
    """b = 0 needs no comparison; of the two signs of 0 one is drawn again."""
    law = noise._law(2.0**20)
    assert law.noise(1, words(0, 0, 0)).tolist() == [0]
    assert law.noise(1, words(0, 1 << 63, 0, 0, 7, 1 << 63)).tolist() == [7]
    assert law.noise(1, words(0, 7 | 1 << 63, 1 << 63)).tolist() == [-7]


@pytest.mark.parametrize("scale", [30.0, 4000.0])
def test_opendp_draws_from_the_same_distribution(scale: float) -> None:
    """Two samples in twenty classes of equal mass; a right sampler fails once in 10^9 runs."""
    import opendp.prelude as dp
    from scipy.stats import chi2

    dp.enable_features("contrib")
    n = 20_000
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    theirs = np.array(dp.m.make_laplace(*space, scale=scale)([0] * n))
    ours = noise.secure(np.zeros(n, np.int64), scale)
    ends = np.quantile(np.concatenate([theirs, ours]), np.arange(1, 20) / 20)
    one, two = (np.bincount(np.searchsorted(ends, sample), minlength=20) for sample in (theirs, ours))
    assert ((one - two) ** 2 / (one + two)).sum() < chi2.isf(1e-9, 19)


def test_huge_values_and_scales_are_refused() -> None:
    with pytest.raises(PrivacyError, match="a value is too large for noise; give values between"):
        noise.secure(np.array([2**61]), 1.0)
    with pytest.raises(PrivacyError, match=r"the scale of the noise is 0.0; give a positive number, 2\^54 at most"):
        noise.secure(np.array([1]), 0.0)


def test_noise_beyond_all_bounds_is_cut_off_like_the_sum() -> None:
    """With words that always point beyond the table, A would never end: here it ends after enough of them."""
    scale = 2.0**50
    law = noise._law(scale)
    beyond = [(1 << 64) - 1] * 1000
    noisy = noise._add(np.array([-(2**60)]), scale, words(*beyond, 0, 0, 0))
    assert noisy.tolist() == [2**61]
    assert 1000 * len(law.ends) << law.low_bits > 2**61
