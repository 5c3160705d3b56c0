"""One private answer, exactly distributed.

A stored probability is a whole multiple of 2^-1074, so an answer is drawn with one uniform whole number below
2^1074 from the operating system: all colours but the most likely one own disjoint intervals of their exact
lengths, and the most likely one owns the rest. Nothing is rounded and no float is compared.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from neodp.core.mechanism import Mechanism

from neodp.data.kinds import checked
from neodp.errors import GraphError

__all__ = ["draw", "draw_many"]

MOST_DRAWS = 10**9
"""The greatest number of draws at once."""
BITS = 1074
"""The exponent of 2^-1074, of which every double from 0 to 1 is a whole multiple."""


@checked
def draw(mechanism: Mechanism, key: object) -> str:
    """Draw one answer for a dataset. Every call draws again, and incurs the mechanism's privacy cost again.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(2)
    >>> m = neodp.extend(g.with_alpha({"0": 0.5}))
    >>> draw(m, "0") in g.colors
    True
    """
    row = mechanism.probabilities[mechanism.graph.index(key)]
    return mechanism.graph.colors[choose(row.tolist(), secrets.randbits(BITS))]


@checked
def draw_many(probabilities: Sequence[float], n: int) -> NDArray[np.int64]:
    """Draw many independent positions, each distributed as by ``draw``: for studying a mechanism, not for releases.

    The first 64 bits of the uniform whole number decide, unless they equal those of the end of an interval: then the
    other 1010 bits are drawn as well.

    Examples
    --------
    >>> draw_many([0.0, 1.0], 3)
    array([1, 1, 1])
    """
    probabilities = _distribution(probabilities)
    if not 0 <= n <= MOST_DRAWS:
        raise GraphError(f"n is {n}", f"give a number of draws from 0 to {MOST_DRAWS:,}")
    largest, ends = _intervals(probabilities)
    rest = BITS - 64
    top = np.frombuffer(secrets.token_bytes(8 * n), np.uint64)
    heads = np.array([min(end >> rest, 2**64 - 1) for end in ends], np.uint64)
    others = np.array([i for i in range(len(probabilities)) if i != largest] + [largest])
    found: NDArray[np.int64] = others[np.searchsorted(heads, top, side="right")]
    for i in np.flatnonzero(np.isin(top, heads)).tolist():
        found[i] = choose(probabilities, (int(top[i]) << rest) | secrets.randbits(rest))
    return found


def _distribution(given: Sequence[float]) -> list[float]:
    """Return chances, after checking that they are a distribution."""
    try:
        row = np.asarray(list(given), np.float64)
    except (TypeError, ValueError, OverflowError):
        row = np.empty(0)
    if row.ndim != 1 or not ((row >= 0.0) & (row <= 1.0)).all() or not abs(row.sum() - 1.0) < 1e-9:
        raise GraphError(f"the chances are {given!r}", "give numbers from 0 to 1 that add up to 1")
    return [float(x) for x in row]


def choose(probabilities: Sequence[float], uniform: int) -> int:
    """Return the position that a uniform whole number below 2^1074 selects.

    Examples
    --------
    >>> choose([0.25, 0.75], 2**1072 - 1), choose([0.25, 0.75], 2**1072)
    (0, 1)
    """
    largest, ends = _intervals(probabilities)
    order = [i for i in range(len(probabilities)) if i != largest] + [largest]
    passed = sum([uniform >= end for end in ends])  # all are compared, or time would tell the likely from the others
    return order[passed]


def _intervals(probabilities: Sequence[float]) -> tuple[int, list[int]]:
    """Return the position of the largest probability, and the ends of the consecutive intervals of all others."""
    largest = max(range(len(probabilities)), key=probabilities.__getitem__)
    return largest, list(accumulate(n for i, n in enumerate(wholes(probabilities)) if i != largest))


def wholes(probabilities: Sequence[float]) -> list[int]:
    """Return chances as whole multiples of 2^-1074: each exactly, but the largest as one minus the rest.

    Examples
    --------
    >>> [n == k * 2**1072 for n, k in zip(wholes([0.25, 0.75]), (1, 3), strict=True)]
    [True, True]
    """
    ratios = (x.as_integer_ratio() for x in probabilities)
    values = [numerator * (2**BITS // denominator) for numerator, denominator in ratios]
    values[max(range(len(values)), key=probabilities.__getitem__)] += 2**BITS - sum(values)
    return values


def bernoulli(gamma: Fraction) -> bool:
    """Draw True with chance e^-gamma, exactly, for 0 <= gamma <= 1 (Canonne, Kamath and Steinke 2020).

    Examples
    --------
    >>> bernoulli(Fraction(0))
    True
    """
    k = 1
    while secrets.randbelow(gamma.denominator * k) < gamma.numerator:
        k += 1
    return k % 2 == 1


def geometric(gamma: Fraction) -> int:
    """Draw a whole number G with Pr[G >= n] = e^(-n gamma), exactly, for gamma > 0.

    Examples
    --------
    >>> geometric(Fraction(1)) >= 0
    True
    """
    while True:
        low = secrets.randbelow(gamma.denominator)
        if bernoulli(Fraction(low, gamma.denominator)):
            break
    high = 0
    while bernoulli(Fraction(1)):
        high += 1
    return (low + gamma.denominator * high) // gamma.numerator
