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

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from random import SystemRandom

import numpy as np
from numpy.typing import NDArray

from neodp.core.sampling import geometric
from neodp.data.validation import Floats

__all__ = ["NODES", "draw_outcome", "outcome_chances", "shuffled"]

NODES = 200
"""The greatest number of nodes with which the integral is computed."""
NEWTON = 6
"""The steps of Newton's method; four suffice for every number of nodes up to 200."""


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
    """Return the nodes and weights of Gauss-Legendre quadrature from 0 to 1: Newton's method from a cosine."""
    step = math.pi / (nodes + 0.5)
    cosine, sine = _turn(step)
    points = [_turn(0.75 * step)]
    while len(points) < nodes:
        x, y = points[-1]
        points.append((x * cosine - y * sine, y * cosine + x * sine))
    at = np.array([x for x, _ in points])
    for _ in range(NEWTON):
        value, slope = _legendre(nodes, at)
        at = at - value / slope
    _, slope = _legendre(nodes, at)
    return (at + 1.0) / 2.0, 1.0 / ((1.0 - at * at) * slope * slope)


def _turn(angle: float) -> tuple[float, float]:
    """Return the cosine and the sine of an angle up to 2."""
    cosine = sine = 1.0
    for n in range(28, 1, -2):
        cosine = 1.0 - angle * angle / (n * (n - 1)) * cosine
        sine = 1.0 - angle * angle / (n * (n + 1)) * sine
    return cosine, angle * sine


def _legendre(degree: int, at: Floats) -> tuple[Floats, Floats]:
    """Return the Legendre polynomial of a degree, and its derivative, at some points."""
    before, value = np.ones_like(at), at
    for n in range(2, degree + 1):
        before, value = value, ((2 * n - 1) * at * value - (n - 1) * before) / n
    return value, degree * (before - at * value) / (1.0 - at * at)


def _falling(x: Floats) -> Floats:
    """Return e^-x for numbers from 0 on; e^-700 beyond 700."""
    small = np.minimum(x, 700.0) / 2.0**10
    found = np.ones_like(small)
    for n in range(16, 0, -1):
        found = 1.0 - small * found / n
    for _ in range(10):
        found = found * found
    return found


def outcome_chances(off: Sequence[int] | NDArray[np.int64], gamma: float) -> Floats:
    """Return the chance of each outcome, in doubles: to be shown, not to be drawn from. Rows are separate cases.

    All of it is + - * / in a fixed order, so that the plugin for Neo4j shows the same bits.

    Examples
    --------
    >>> outcome_chances([0, 1, 2], 0.5).round(3)
    array([0.587, 0.266, 0.147])
    """
    p = _falling(np.array(off, np.float64) * gamma)
    each, outcomes = np.zeros_like(p), p.shape[-1]
    before, after = np.ones_like(p), np.ones_like(p)
    nodes = min(NODES, outcomes // 2 + 1)  # exact for a polynomial of degree outcomes - 1
    for s, weight in zip(*(column.tolist() for column in _quadrature(nodes)), strict=True):
        flips = 1.0 - s * p
        np.multiply.accumulate(flips[..., :-1], axis=-1, out=before[..., 1:])
        np.multiply.accumulate(flips[..., :0:-1], axis=-1, out=after[..., 1:])
        each += weight * (before * after[..., ::-1])
    each *= p
    chances: Floats = each / np.add.accumulate(each, axis=-1)[..., -1:]
    return chances
