"""Laplace noise on the whole numbers, by OpenDP.

The noise k has the mass

    Pr[k] = (1 - q) / (1 + q) q^|k|,   q = e^(-1 / scale),

so that moving a value by c steps changes the log of the chance of every output by at most c / scale: a fraction, which
can be computed and compared without rounding. Values are whole numbers of a step before noise is added and stay so: no
floating-point number meets the noise, and its low bits say nothing.

A *sampler* adds noise of a scale to an array of whole numbers. :func:`secure` is OpenDP's exact one, from the operating
system's randomness. The other two are for experiments and are not private.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.columns import MAX_EPSILON
from neodp.errors import NeodpError, PrivacyError

__all__ = ["MIN_EPSILON", "Sampler", "check_epsilon", "insecure", "mass", "scale_of", "secure", "without"]

Whole: TypeAlias = NDArray[np.int64]
Sampler: TypeAlias = Callable[[Whole, float], Whole]
"""Adds independent noise of a scale to whole numbers."""

MIN_EPSILON = 1e-6
"""The smallest epsilon: noise beyond it would leave the whole numbers that a double holds."""
BATCH = 65_536
"""How many values go to OpenDP at once: it answers in Python numbers."""


def check_epsilon(epsilon: float) -> float:
    """Epsilon itself, if it is one.

    Raises
    ------
    PrivacyError
        If it is not a number from 1e-6 to 690.
    """
    if not MIN_EPSILON <= epsilon <= MAX_EPSILON:  # NaN fails too
        raise PrivacyError(f"epsilon is {epsilon}", f"give a number from {MIN_EPSILON:g} to {MAX_EPSILON:g}")
    return float(epsilon)


def scale_of(steps: int, epsilon: float) -> float:
    """The least double that is at least steps / epsilon: with it, `steps` cost at most epsilon, exactly.

    Examples
    --------
    >>> scale_of(3, 0.5)
    6.0
    >>> Fraction(scale_of(1, 0.1)) * Fraction(0.1) >= 1
    True
    """
    exact = steps / Fraction(check_epsilon(epsilon))
    scale = float(exact)
    return scale if Fraction(scale) >= exact else math.nextafter(scale, math.inf)


def secure(values: Whole, scale: float) -> Whole:
    """Add noise by OpenDP's sampler, which is exact and draws from the operating system.

    Raises
    ------
    NeodpError
        If OpenDP is not installed.
    """
    measurement = _measurement(scale)
    flat = np.ascontiguousarray(values, np.int64).ravel()
    noisy = np.empty_like(flat)
    for start in range(0, len(flat), BATCH):
        noisy[start : start + BATCH] = measurement(flat[start : start + BATCH])
    return noisy.reshape(values.shape)


def insecure(seed: int | Sequence[int]) -> Sampler:
    """A sampler with the same distribution but for rounding, from a seed: repeatable, so predictable, so not private.

    Examples
    --------
    >>> bool((insecure(1)(np.zeros(9, np.int64), 50.0) == insecure(1)(np.zeros(9, np.int64), 50.0)).all())
    True
    """
    random = np.random.default_rng(seed)

    def add(values: Whole, scale: float) -> Whole:
        """The difference of two geometric numbers."""
        hit = -math.expm1(-1.0 / scale)
        one, two = random.geometric(hit, (2, *values.shape))
        return np.asarray(values + one - two, np.int64)

    return add


def without(values: Whole, scale: float) -> Whole:
    """No noise at all: what the noise costs is measured against it."""
    return np.asarray(values, np.int64)


def mass(k: int, scale: float, digits: int = 50) -> Decimal:
    """Pr[noise = k], to so many digits.

    Examples
    --------
    >>> f"{mass(0, 1.0):.12f} {mass(-3, 1.0) / mass(0, 1.0):.12f}"
    '0.462117157260 0.049787068368'
    """
    with localcontext() as context:
        context.prec = digits + 5
        q = (-1 / Decimal(scale)).exp()
        value = (1 - q) / (1 + q) * (-abs(k) / Decimal(scale)).exp()
        context.prec = digits
        return +value


@lru_cache(maxsize=32)
def _measurement(scale: float) -> Any:
    """OpenDP's own mechanism: whole numbers in, whole numbers out."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise NeodpError("noise needs OpenDP", "pip install 'neodp[stretch]'") from None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_laplace(*space, scale=scale)
