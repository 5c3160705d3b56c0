"""Bounds that a number of draws proves.

An event that came x times in n draws has a chance of at least ``lower(x, n)`` and at most ``upper(x, n)``, each of them
wrong with a probability of at most `level` (Clopper and Pearson 1934): no approximation, for any n. An inequality

    Pr[E at one] <= e^epsilon Pr[E at other] + delta

is called *broken* where ``lower`` at one is above e^epsilon ``upper`` at other + delta. Where it holds, that happens
with a probability of at most 2 `level`: the *false alarm*. With what probability a given violation goes unnoticed, the
*miss*, is a sum over all pairs of counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["broken", "dependent", "lower", "miss", "unlike", "upper"]

Floats = NDArray[np.float64]


def lower(count: Any, n: int, level: float) -> Floats:
    """Return a chance that the true one is below with a probability of at most `level`."""
    x = np.asarray(count)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(x == 0, 0.0, stats.beta.ppf(level, x, n - x + 1))
    return found


def upper(count: Any, n: int, level: float) -> Floats:
    """Return a chance that the true one is above with a probability of at most `level`."""
    x = np.asarray(count)
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(x == n, 1.0, stats.beta.isf(level, x + 1, n - x))
    return found


def broken(one: int, other: int, n: int, epsilon: float, delta: float, level: float) -> bool:
    """Return whether counts of an event at the two ends of an edge show that its inequality does not hold."""
    return bool(lower(one, n, level) > math.exp(epsilon) * upper(other, n, level) + delta)


def unlike(count: int, n: int, chance: float, level: float) -> bool:
    """Return whether a count shows that a chance is not as declared; wrong with a probability of at most 2 `level`."""
    return not lower(count, n, level) <= chance <= upper(count, n, level)


def dependent(one: NDArray[np.bool_], other: NDArray[np.bool_], level: float) -> bool:
    """Return whether two sequences of events depend on each other, place by place: Fisher's exact test."""
    both = [[int(np.sum((one == a) & (other == b))) for b in (True, False)] for a in (True, False)]
    return bool(stats.fisher_exact(both).pvalue <= level)


def miss(one: float, other: float, n: int, epsilon: float, delta: float, level: float) -> float:
    """Return the probability that ``broken`` overlooks an event with these chances at the two ends of an edge."""
    counts = np.arange(n + 1)
    chance = stats.binom.pmf(counts, n, other)
    near = np.flatnonzero(chance > 1e-18)
    bound = math.exp(epsilon) * upper(near, n, level) + delta
    enough = np.searchsorted(lower(counts, n, level), bound, side="right")  # so many at the one end are too many
    return float(np.sum(chance[near] * stats.binom.cdf(enough - 1, n, one))) + 1e-12
