"""Laplace noise on the whole numbers, drawn exactly.

The noise k has the mass

    Pr[k] = (1 - q) / (1 + q) q^|k|,   q = e^(-1 / scale),

so that moving a value by c steps changes the log of the chance of every output by at most c / scale: a fraction, which
can be computed and compared without rounding. Values are whole multiples of a step before and after noise is added: no
floating-point arithmetic touches the noise, so low-order bits reveal nothing.

A *sampler* adds noise of a scale to an array of whole numbers. :func:`secure` is exact, and uses the randomness of the
operating system. The other two are for experiments and are not private.

:func:`secure` is exact for the following reasons. A sign and a geometric number G, Pr[G = g] = (1 - q) q^g, give the
noise, if a negative 0 is drawn again. With M = 2^m write G = M A + B, 0 <= B < M. The mass (1 - q) q^(M a + b) is a
product, so A and B are independent: A is geometric with r = q^M, and B has a mass in proportion to q^b.

* A is the least a with U < 1 - r^(a + 1), for U uniform. It is looked up in a table of these bounds, which ends at some
  length L: with chance r^L, U lies beyond the table, and then A is L plus a new draw, since a geometric number has no
  memory.
* B is m fair bits, which are kept with chance q^b, and drawn again otherwise. M is so small compared with the scale
  that they are nearly always kept.

Both compare a uniform number with an irrational one. The first 64 bits of the uniform number are drawn, and compared
with whole numbers that are known to lie below and above the irrational one. If these 64 bits do not decide, which
happens once in hundreds of thousands of draws, further bits are drawn and further digits computed until they do.

References
----------
Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020, arXiv:2004.00010, for the idea of
sampling only by comparisons of whole numbers.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import MAX_EPSILON
from neodp.errors import PrivacyError

__all__ = ["MIN_EPSILON", "Sampler", "check_epsilon", "insecure", "mass", "scale_of", "secure", "without"]

Whole: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Sampler: TypeAlias = Callable[[Whole, float], Whole]
"""A function that adds independent noise of a scale to whole numbers."""

MIN_EPSILON = 1e-6
"""The smallest epsilon: with a smaller one, noise would exceed the whole numbers that a double holds exactly."""
LARGEST = 2**60
"""The greatest absolute value without noise; noisy values are cut off at twice this number."""
BATCH = 65_536
"""The number of values that get noise at once, so that intermediate results stay in the processor's cache."""
FINE = 8
"""The fineness of the high part A: if the scale is large enough, a step of A is between 2^-9 and 2^-8 of it."""
TAIL = 12
"""The length of the table of A: the chance that A lies beyond the table is about 2^-12."""
_ALL = 2**64 - 1

Source: TypeAlias = Callable[[int], Words]
"""A function that returns a given number of uniform 64-bit words."""


def check_epsilon(epsilon: float) -> float:
    """Return epsilon, after checking it.

    Raises
    ------
    PrivacyError
        If epsilon is not a number from 1e-6 to 690.
    """
    if not MIN_EPSILON <= epsilon <= MAX_EPSILON:  # NaN fails too
        raise PrivacyError(f"epsilon is {epsilon}", f"give a number from {MIN_EPSILON:g} to {MAX_EPSILON:g}")
    return float(epsilon)


def scale_of(steps: int, epsilon: float) -> float:
    """Return the least double that is at least steps / epsilon: with it, `steps` cost at most epsilon, exactly.

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
    """Add noise with the exact distribution, from the operating system's randomness.

    Raises
    ------
    PrivacyError
        If a value does not lie between -2^60 and 2^60.

    Examples
    --------
    >>> noisy = secure(np.zeros(1000, np.int64), 50.0)
    >>> noisy.shape, bool((abs(noisy) < 5000).all())
    ((1000,), True)
    """
    return _add(values, scale, _words)


def insecure(seed: int | Sequence[int]) -> Sampler:
    """Return a sampler with the same distribution up to rounding, from a seed: predictable, and so not private.

    Examples
    --------
    >>> bool((insecure(1)(np.zeros(9, np.int64), 50.0) == insecure(1)(np.zeros(9, np.int64), 50.0)).all())
    True
    """
    random = np.random.default_rng(seed)

    def add(values: Whole, scale: float) -> Whole:
        """Add the difference of two geometric numbers."""
        hit = -math.expm1(-1.0 / scale)
        one, two = random.geometric(hit, (2, *values.shape))
        return np.asarray(values + one - two, np.int64)

    return add


def without(values: Whole, scale: float) -> Whole:
    """Return the values without noise, as a baseline for measuring the effect of noise."""
    return np.asarray(values, np.int64)


def mass(k: int, scale: float, digits: int = 50) -> Decimal:
    """Return Pr[noise = k], to this many digits.

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


def _words(n: int) -> Words:
    return np.frombuffer(secrets.token_bytes(8 * n), np.uint64)


def _add(values: Whole, scale: float, words: Source) -> Whole:
    """Add noise to values, and cut the sums off at 2^61. Noise is cut off at 2^62, which does not change the sums."""
    flat = np.ascontiguousarray(values, np.int64).ravel()
    if len(flat) and not -LARGEST <= flat.min() <= flat.max() <= LARGEST:
        raise PrivacyError("a value is too large for noise", f"give values between {-LARGEST} and {LARGEST}")
    law = _law(scale)
    noisy = np.empty_like(flat)
    for start in range(0, len(flat), BATCH):
        part = flat[start : start + BATCH]
        noisy[start : start + BATCH] = part + law.noise(len(part), words)
    return np.clip(noisy, -2 * LARGEST, 2 * LARGEST).reshape(values.shape)


@dataclass(frozen=True, eq=False)
class _Law:
    """The constants for drawing noise of one scale.

    Attributes
    ----------
    scale : Fraction
    low_bits : int
        The number m of low bits.
    ends : array of words
        2^64 (1 - r^(a + 1)) for a = 0, 1, .., L - 1, rounded down.
    """

    scale: Fraction
    low_bits: int
    ends: Words

    def noise(self, n: int, words: Source) -> Whole:
        """Draw n independent numbers."""
        found = np.empty(n, np.int64)
        todo = np.arange(n)
        while len(todo):
            high = np.minimum(self.high(len(todo), words), (4 * LARGEST) >> self.low_bits)
            low, negative = self.low(len(todo), words)
            size = (high << self.low_bits) + low
            found[todo] = np.where(negative, -size, size)
            todo = todo[negative & (size == 0)]
        return found

    def high(self, n: int, words: Source) -> Whole:
        """Draw A, the number of a >= 1 with V < r^a, for V = 1 - U uniform."""
        found = np.zeros(n, np.int64)
        todo = np.arange(n)
        step = (1 << self.low_bits) / self.scale
        while len(todo):
            u = words(len(todo))
            a = np.searchsorted(self.ends, u, side="right")  # the bounds up to u, and one that begins like it
            for i in np.flatnonzero((a > 0) & (self.ends[a - 1] == u)).tolist():
                a[i] -= not _below(_ALL - int(u[i]), int(a[i]) * step, words)
            found[todo] += a
            todo = todo[a == len(self.ends)]
        return found

    def low(self, n: int, words: Source) -> tuple[Whole, NDArray[np.bool_]]:
        """Draw B and a sign."""
        found = np.empty(n, np.uint64)
        todo = np.arange(n)
        while len(todo):
            found[todo] = words(len(todo))
            todo = todo[~self.kept(found[todo] & np.uint64((1 << self.low_bits) - 1), words)]
        return (found & np.uint64((1 << self.low_bits) - 1)).astype(np.int64), found >> np.uint64(63) == 1

    def kept(self, b: Words, words: Source) -> NDArray[np.bool_]:
        """Decide which b are kept: those with V < e^-x, x = b / scale, for V uniform.

        The bounds x - x^2 / 2 <= 1 - e^-x <= x nearly always decide.
        """
        if not self.low_bits:
            return np.ones(len(b), np.bool_)
        w = words(len(b))  # of 1 - V
        most = b * np.uint64(math.ceil(2**64 / self.scale))
        root = (most >> np.uint64(32)) + np.uint64(1)
        least = b * np.uint64(math.floor(2**64 / self.scale))
        least -= np.minimum(least, (root * root >> np.uint64(1)) + np.uint64(1))
        keep = w >= most
        for i in np.flatnonzero(~keep & (w >= least)).tolist():
            keep[i] = _below(_ALL - int(w[i]), int(b[i]) / self.scale, words)
        return keep


@lru_cache(maxsize=32)
def _law(scale: float) -> _Law:
    if not 0.0 < scale <= 2.0**54:
        raise PrivacyError(f"the scale of the noise is {scale}", "give a positive number, 2^54 at most")
    exact = Fraction(scale)
    low_bits = max(0, math.frexp(scale)[1] - 1 - FINE)
    step = (1 << low_bits) / exact
    length = math.ceil(TAIL * math.log(2) / step)
    ends = [(1 << 64) - 1 - _floor_exp(a * step, 64) for a in range(1, length + 1)]
    return _Law(exact, low_bits, np.array(ends, np.uint64))


def _floor_exp(x: Fraction, bits: int) -> int:
    """Return 2^bits e^-x, rounded down, for x > 0: since e^-x is irrational, enough digits determine the result."""
    digits = 20 + bits * 302 // 1000
    while True:
        with localcontext() as context:
            context.prec = digits
            value: Decimal = (-Decimal(x.numerator) / Decimal(x.denominator)).exp() * 2**bits
            error = value * (1 + Decimal(math.ceil(x))) * Decimal(10) ** (3 - digits)
            low, high = math.floor(value - error), math.floor(value + error)
        if low == high:
            return low
        digits *= 2


def _below(head: int, x: Fraction, words: Source) -> bool:
    """Return whether a uniform number whose first 64 bits are `head` is below e^-x, x > 0; its other bits are drawn."""
    bits = 64
    while (bound := _floor_exp(x, bits)) == head:
        head, bits = head << 64 | int(words(1)[0]), bits + 64
    return head < bound
