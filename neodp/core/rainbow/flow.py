"""Epsilon that differs between edges: the line, on which every prefix sum flows with the epsilon-distance.

Prefix sums that are each as large as their own shortest path allows can break privacy together. With delta = 0, using
one path for all of them always works: let t be the epsilon-distance from the boundary of the own order, and let every
prefix sum follow dS/dt = min(S, 1 - S) from its boundary value, that is S e^t up to 1/2, and 1 - (1 - S) e^-t from
there.

*It is private.* Let h(S) = min(S, 1 - S). For an output of probability p = S_j - S_{j-1},

    |dp/dt| = |h(S_j) - h(S_{j-1})| <= S_j - S_{j-1} = p,

since h has slope 1 or -1 everywhere. So |d log p / dt| <= 1, and between datasets at t and t' the probability of every
output differs by a factor of at most e^|t - t'|. Neighbours of one order have |t - t'| <= eps of their edge, by the
triangle inequality; neighbours of different orders lie on the boundary, at t = 0, where alpha is compatible. ∎

*It is close to the best.* With e the greatest epsilon of an edge, every prefix sum lies below its bound (the least of U
along any path) by at most (1 - x)^2 / (4 (1 + x)) with x = e^-e, about e^2/8: along the path that gives t, both grow
alike up to the one edge that crosses 1/2, the difference arises there, and shrinks by e^-eps on every edge beyond.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core.rainbow.curves import Curve, Curves
from neodp.core.rainbow.units import context
from neodp.data.validation import Floats

__all__ = ["Line"]


class Line(Curves):
    """The mechanism that is private for any mixture of epsilons: a function of the order and the epsilon-distance.

    The distance is a whole number: the least sum of ``lengths`` over paths to the boundary of the own order, or
    ``neodp.compiled.kernel.LONGEST`` if that sum is larger.

    Parameters
    ----------
    alpha : mapping from orders to distributions
        In the order of the colours; compatible wherever two orders are neighbours.

    Examples
    --------
    >>> flow = Line({(0, 1, 2): [0.1, 0.3, 0.6]})
    >>> [round(p, 12) for p in flow.at((0, 1, 2), int(np.log(2) * 2**50))]
    [0.2, 0.4875, 0.3125]
    """

    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> Curve:
        return _Flow(alpha, exact)


class _Flow(Curve):
    """The flow dS/dt = min(S, 1 - S) of every prefix sum; t in units of 2^-50."""

    def rows(self, at: NDArray[Any]) -> Floats:
        with localcontext(context()):
            start = np.array([(float(p), float(p - Decimal(float(p)))) for p in self.start])
        rows: Floats = compiled.kernel.flow(at.astype(np.int64), start)
        rows[at == 0] = self.alpha
        return rows
