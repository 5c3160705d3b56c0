"""Shares of everybody's own epsilon: the cost of questions about people whose levels nobody learns.

A person's epsilon is what that person gives for life. A question spends a public *share* of it, the same for everybody,
and all shares add up to at most 1. So nobody's level is needed to know what is left, and nothing that is stored,
compared or refused depends on the people.

The cost of such a question is one :class:`~neodp.ledger.question.Level`. Its name states the share; its epsilon is the
greatest that anybody can have spent, the share of a public cap, so that accounts in epsilon remain true as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction

from neodp.ledger.question import Level

__all__ = ["share_level", "share_of", "shares_in"]

MARK = "= {} of everybody's own epsilon"
"""The name of such a level; names of levels that people give have no ``=``."""


def share_level(share: Fraction, most: float) -> Level:
    """Return the cost of a question that spends a share of everybody's own epsilon, which counts up to `most`.

    Examples
    --------
    >>> share_level(Fraction(1, 4), 2.0)
    Level(epsilon=0.5, delta=0.0, name="= 1/4 of everybody's own epsilon", people=None, times=1)
    """
    exact = share * Fraction(most)
    epsilon = float(exact)
    return Level(epsilon if Fraction(epsilon) >= exact else math.nextafter(epsilon, math.inf), name=MARK.format(share))


def share_of(level: Level) -> Fraction | None:
    """Return the share of everybody's own epsilon that a level states; None if it states none.

    Examples
    --------
    >>> share_of(share_level(Fraction(1, 4), 2.0)), share_of(Level(0.5, name="low"))
    (Fraction(1, 4), None)
    """
    found = re.fullmatch(MARK.format(r"([0-9]+(?:/[1-9][0-9]*)?)"), level.name or "")
    return Fraction(found[1]) if found else None


def shares_in(prices: Iterable[tuple[tuple[Level, ...], int]]) -> Fraction:
    """Return the sum of all shares in some prices, each with the number of releases at that price."""
    total = Fraction(0)
    for price, n in prices:
        total += n * max((level.times * (share_of(level) or 0) for level in price), default=Fraction(0))
    return total
