"""Whole numbers and rounding: how a distribution over k outputs is stored so that privacy holds to the last bit.

Differences of prefix sums lose digits, so none is taken: the pieces of every output's interval are mapped, in decimals
of 60 digits and more or double-double arithmetic, and every output is rounded to a double by itself; the largest entry
of a row stands for one minus the rest. A stored P(A) is then off by a factor of at most 1 ± (k - 1) 2^-53, for every
set A of outputs: the largest output has probability 1/k or more, and takes on errors of at most 2^-53 of the others.
Epsilon is a whole number of units of 2^-50 (``lengths``), rounded down and lowered by k/4 + 1 units at least, which is
more than both ends of an edge need; delta is lowered likewise (``lowered``). A probability other than 0 never falls
below the smallest normal double. A row depends only on the order's alpha and on a whole number (the distance in edges,
or in units): the same bits for one dataset and for a whole graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from neodp.compiled.labels import SMALLEST
from neodp.data.kinds import checked
from neodp.data.validation import UNIT, Floats

__all__ = ["DIGITS", "FAINT", "TINY", "context", "lengths", "lowered", "rounded", "zeros"]

FAINT = 2.0**-900
"""A delta below this counts as 0: its rounding errors would not be normal doubles."""
TINY = Decimal(SMALLEST)
"""The least probability other than 0."""
DIGITS = 60
"""The number of digits of decimals, in addition to the zeros of the smallest number that is added."""


def context(digits: int = DIGITS) -> Context:
    """Return the decimal arithmetic of this package."""
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999)


@checked
def lengths(epsilon: Floats, k: int) -> NDArray[np.int64]:
    """Return epsilons in units of 2^-50, rounded down and lowered to leave room for rounding k outputs; at least 0.

    Examples
    --------
    >>> lengths(np.array([0.0, 1.0]), 3)
    array([               0, 1125899906842622])
    """
    whole = np.floor(np.asarray(epsilon, np.float64) * UNIT).astype(np.int64) - _units(k)
    short = whole.astype(np.float64)  # which the compiled search takes; beyond 2^53 some lie between two doubles
    short = np.where(short.astype(np.int64) > whole, np.nextafter(short, 0.0), short)
    return np.maximum(short.astype(np.int64), 0)


def _units(k: int) -> int:
    """Return the number of units by which an epsilon is lowered if there are k outputs."""
    return k // 4 + 2


def lowered(delta: float, k: int, length: int) -> Decimal:
    """Return delta lowered by the same units: by a share of itself, or absolutely if epsilon is too small for that."""
    less = Decimal(_units(k)) / UNIT
    exact = Decimal(0) if delta < FAINT else Decimal(delta)
    return exact * (1 - less) if length > 0 else max(exact - less, Decimal(0))


def rounded(chances: Iterable[Decimal]) -> list[float]:
    """Return decimals as doubles; a probability other than 0 stays at least ``TINY``."""
    return [float(p if p > TINY else TINY) if p else 0.0 for p in chances]


def zeros(*parts: Fraction | int) -> int:
    """Return the number of zeros after the point of the smallest part other than 0: sums must have room for them.

    Examples
    --------
    >>> zeros(Fraction(1, 3), Fraction(1, 1000), 0)
    4
    """
    return len(str(int(1 / min(Fraction(x) for x in parts if x > 0))))
