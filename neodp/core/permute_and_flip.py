"""Permute-and-flip: one of several outcomes, each the likelier the less it is off.

Outcome j is off by a whole number n_j >= 0, and the best by 0. The outcomes are visited in random order, and each is
accepted with chance p_j = e^(-n_j gamma); the first that is accepted is the answer (McKenna and Sheldon 2020). It is j
with chance

    P_j = p_j ∫_0^1 prod_{r != j} (1 - s p_r) ds.

*Private.* Let every n_j move by at most n, and a = n gamma. A neighbour has e^-a p_r <= p'_r <= e^a p_r for all r, so
that P_j <= e^a p'_j times ∫_0^1 prod (1 - s e^-a p'_r) ds = e^a ∫_0^{e^-a} prod (1 - s p'_r) ds <= e^a ∫_0^1 prod
(1 - s p'_r) ds. That is P_j <= e^(2a) P'_j.

Acceptance is drawn exactly, by a whole number G with Pr[G >= n] = e^(-n gamma).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from random import SystemRandom

import numpy as np

from neodp.core.sampling import geometric
from neodp.data.validation import Floats

__all__ = ["NODES", "draw_outcome", "outcome_chances", "shuffled"]

NODES = 200
"""The greatest number of nodes with which the integral is computed."""


def shuffled(outcomes: int) -> list[int]:
    """Return the positions of all outcomes in random order."""
    order = list(range(outcomes))
    SystemRandom().shuffle(order)
    return order


def draw_outcome(off: Sequence[int], gamma: Fraction) -> int:
    """Draw the position of an outcome, exactly; the number of draws does not depend on the outcomes."""
    order = shuffled(len(off))
    accepted = [geometric(gamma) >= off[j] for j in order]
    return order[accepted.index(True)]


@lru_cache(maxsize=64)
def _quadrature(nodes: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss-Legendre quadrature from 0 to 1."""
    at, weights = np.polynomial.legendre.leggauss(nodes)
    return (at + 1.0) / 2.0, weights / 2.0


def outcome_chances(off: Sequence[int], gamma: float) -> Floats:
    """Return the chance of each outcome, in doubles: to be shown, not to be drawn from.

    Examples
    --------
    >>> outcome_chances([0, 1, 2], 0.5).round(3)
    array([0.587, 0.266, 0.147])
    """
    p = np.exp(-np.array(off, np.float64) * gamma)
    s, weights = _quadrature(min(NODES, len(p) // 2 + 1))  # exact for a polynomial of degree len(p) - 1
    factors = np.log1p(-np.minimum(np.outer(s, p), 1.0 - 1e-16))
    each = p * (weights[:, None] * np.exp(factors.sum(axis=1, keepdims=True) - factors)).sum(axis=0)
    chances: Floats = each / each.sum()
    return chances
