"""Costs of a balanced poll in whole units of 2^-50, and the chances that belong to them.

:mod:`neodp.polls.mechanism` has the definitions, and the proof that the rounded numbers are private.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from neodp.compiled.labels import SMALLEST
from neodp.data.validation import UNIT

__all__ = ["chance", "crossing", "units"]

TINY = SMALLEST
"""The smallest chance of a wrong answer."""
FAR = 709 * UNIT
"""A cost that stands for all greater ones: P is TINY at a cost of 708 and beyond."""


def units(epsilon: float, k: int) -> int:
    """Return E, the epsilon in whole units: at least k units below epsilon, or 0."""
    return max(0, math.floor(math.ldexp(epsilon, 50)) - k)


@lru_cache(maxsize=65536)
def crossing(each: int, k: int) -> int:
    """Return C, the y at which S = e^eps P = e^eps / (e^eps + k - 1), in whole units, rounded down.

    With r = 1 + (k - 1) e^-eps, it is y = log(k / r) up to S = 1/2, that is up to r = 2, and eps + log(k r / (4 k - 4))
    from there. Some finite precision always determines the floor, since y is irrational for a rational eps other than 0
    (Lindemann and Weierstrass: e^y, e^(y - eps) and 1 have no rational relation, nor have e^y, e^eps and 1).
    """
    if each == 0:
        return 0
    precision = 40
    while True:
        context = Context(prec=precision)
        power = context.exp(context.divide(Decimal(-each), Decimal(UNIT)))
        r = context.add(Decimal(1), context.multiply(Decimal(k - 1), power))
        if r >= 2:
            whole, share = 0, context.divide(Decimal(k), r)
        else:
            whole, share = each, context.divide(context.multiply(Decimal(k), r), Decimal(4 * k - 4))
        rest = context.multiply(Decimal(UNIT), context.ln(share))
        slack = Decimal(10) ** (24 - precision)
        low, high = math.floor(rest - slack), math.floor(rest + slack)
        if low == high:
            return whole + low
        precision *= 2


@lru_cache(maxsize=65536)
def chance(cost: int, k: int) -> float:
    """Return P for a cost in units: rounded up to a double, but to no more than 1/k, and at least TINY."""
    if cost >= FAR:
        return TINY
    context = Context(prec=40)
    power = k * Fraction(context.exp(context.divide(Decimal(-cost), Decimal(UNIT))))
    exact = (1 - 1 / power) / (k - 1) if power >= 2 else power / (4 * k - 4)
    exact *= 1 + Fraction(1, 10**37)  # more than the error of the decimals
    rounded = float(exact)
    if Fraction(rounded) < exact:
        rounded = math.nextafter(rounded, 1.0)
    even = 1.0 / k
    if Fraction(even) > Fraction(1, k):
        even = math.nextafter(even, 0.0)
    return min(even, max(TINY, rounded))
