"""Distances to every answer: a mechanism that needs no alpha and no orders, and is private for any mixture of epsilons.

Let D_o(v) be the least sum of epsilons on a path from a dataset v to one whose true answer is o: what the people on the
way ask for until o is true. D_o is 0 at the datasets whose answer is o, and changes by at most eps along an edge, for
every o: it is a distance. Let k be the number of answers. There are two mechanisms that depend on these numbers alone:

* *flip*: permute-and-flip (:mod:`neodp.core.permute_and_flip`), where answer o is accepted with chance e^(-D_o / 2);
* *share*: answer o has a chance proportional to e^(-theta D_o), with theta = (k - 1) / (2k - 3).

The first is better near the boundary and for many answers, the second far from it and for few (with k = 2, theta is 1).
The one with the greater accuracy, averaged over all datasets, is taken for the whole graph: that depends on the graph
alone. Delta is not used.

*Flip is private*: the proof of permute-and-flip, with a = eps / 2.

*Share is private.* Let u and v be joined by an edge, w_j = e^(-theta D_j(v)), w'_j the same at u, and x = e^(-theta
eps); so x w_j <= w'_j <= w_j / x, all are at most 1, and the largest of each is 1. For an answer o, the ratio
p_u(o) / p_v(o) = (w'_o / w_o) (sum w_j) / (sum w'_j) increases with w'_o and decreases with every other w'_j. Let a be
the true answer of u, and c that of v. Below, R is a sum of k - 2 of the w_j, and every bound increases with R <= k - 2.

1. a != o. The ratio is at most (1/x) (w_o + 1 + R) / (w_o/x + 1 + x R), which decreases with w_o, so it is at most
   (1/x) (1 + R) / (1 + x R). The logarithm of that has the derivative theta (1 + R x / (1 + R x)) <= theta (2k - 3) /
   (k - 1) = 1 with respect to eps.
2. a = o = c. The ratio is at most (1 + R') / (1 + x R') with R' <= k - 1, of derivative at most theta (k - 1) / k <= 1.
3. a = o != c. The ratio is at most (w_o + 1 + R) / (w_o (1 + x + x R)), which decreases with w_o >= x, so it is at
   most (x + k - 1) / (x (1 + (k - 1) x)). The derivative of its logarithm is greatest at x = 1, where it is theta
   (2k - 2) / k = (2k^2 - 4k + 2) / (2k^2 - 3k) <= 1.

Each logarithm is 0 at eps = 0, so the ratio is at most e^eps. ∎

Distances are whole numbers of units of 2^-50. Every epsilon is lowered by more units than the rounding of a row to
doubles can take (:data:`ROOM`); datasets with equal distances have equal rows, to the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neodp.compiled.labels import SMALLEST
from neodp.core.rainbow.orders import nearest
from neodp.core.rainbow.units import lengths
from neodp.data.graph import DatasetGraph
from neodp.data.validation import UNIT, Floats

__all__ = ["color_distances", "distance_rows", "flip", "share"]

ROOM = 1024
"""The number of units, for each answer, by which epsilon is lowered: 2^-40, where a distance up to 1500 is rounded by
less than 2^-42."""


def color_distances(graph: DatasetGraph) -> Floats:
    """Return, for every dataset and colour, the epsilon-distance to the colour; infinite where none can be reached.

    Examples
    --------
    >>> from neodp.data import generate
    >>> color_distances(generate.path(4, epsilon=0.5)).round(6)
    array([[0. , 1. ],
           [0. , 0.5],
           [0.5, 0. ],
           [1. , 0. ]])
    """
    k = len(graph.colors)
    each = np.maximum(lengths(graph.epsilon, k) - ROOM * k, 0)
    found = np.column_stack([nearest(graph, graph.adjacency, each, np.flatnonzero(graph.color == c)) for c in range(k)])
    return np.where(found < 0, np.inf, found / UNIT)


def distance_rows(graph: DatasetGraph) -> Floats:
    """Return the better of the two mechanisms on average over the datasets, as rows."""
    off = color_distances(graph)
    rows = [flip(off), share(off)]
    return max(rows, key=lambda each: float(each[np.arange(len(graph)), graph.color].mean()))


def flip(off: Floats) -> Floats:
    """Return the chances of permute-and-flip, a row for each row of distances.

    The integrand is a polynomial of degree k - 1, for which the nodes of Gauss and Legendre are exact.

    Examples
    --------
    >>> flip(np.array([[0.0, 1.0, 2.0]])).round(3)
    array([[0.587, 0.266, 0.147]])
    """
    accepted = _decaying(off, 0.5)
    total = np.zeros_like(accepted)
    for node, weight in zip(*np.polynomial.legendre.leggauss(off.shape[1] // 2 + 1), strict=True):
        refused = 1.0 - (node + 1.0) / 2.0 * accepted
        total += weight / 2.0 * refused.prod(axis=1, keepdims=True) / refused
    return _rows(accepted * total)


def share(off: Floats) -> Floats:
    """Return chances proportional to e^(-theta D), a row for each row of distances.

    Examples
    --------
    >>> share(np.array([[0.0, 1.0, 2.0]])).round(3)
    array([[0.563, 0.289, 0.148]])
    """
    k = off.shape[1]
    return _rows(_decaying(off, (k - 1) / (2 * k - 3)))


def _decaying(off: Floats, rate: float) -> Floats:
    """Return e^(-rate D): 0 only where the distance is infinite."""
    return np.where(np.isinf(off), 0.0, np.maximum(np.exp(-rate * off), SMALLEST))


def _rows(chances: Floats) -> Floats:
    """Return distributions; a chance other than 0 is a normal number, and the largest is one minus the rest."""
    rows: Floats = chances / chances.sum(axis=1, keepdims=True)
    rows = np.where(rows > 0.0, np.maximum(rows, SMALLEST), 0.0)
    first: NDArray[np.intp] = rows.argmax(axis=1)
    at = np.arange(len(rows)), first
    rows[at] = 0.0
    rows[at] = 1.0 - rows.sum(axis=1)
    return rows
