"""User-supplied suitable pairs (L, U): a privacy condition that is the same on every edge, checked as it is used.

:mod:`neodp.core.privacy` defines suitable pairs (paper 002, Definition 12). A pair is a pair of Python functions, of
which nothing is known but their values. So the conditions are checked at many points when the pair is made, and again
wherever U is evaluated later.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neodp.compiled import labels
from neodp.compiled.labels import Labels
from neodp.data.graph import Adjacency, DatasetGraph
from neodp.data.kinds import require_fields, wrong_kind
from neodp.data.validation import Bools
from neodp.errors import PrivacyError

__all__ = ["SuitablePair"]

SLACK = 1e-12
"""The amount by which a pair may miss a condition, for the rounding errors of doubles."""


@dataclass(frozen=True)
class SuitablePair:
    """A user-supplied suitable pair (L, U), the same on every edge (paper 002, Definition 12).

    Parameters
    ----------
    upper : callable
        U, from a float in [0, 1] to a float in [0, 1].
    lower : callable, optional
        L; by default L(a) = 1 - U(1 - a).

    Raises
    ------
    PrivacyError
        If the pair is not suitable; the message names an `a` at which a condition fails. The conditions are checked, to
        1e-12, at some two thousand points; whenever U is evaluated later, its value must fit its earlier values.

    Examples
    --------
    >>> SuitablePair(lambda a: min(2 * a, (1 + a) / 2)).exact
    False
    >>> SuitablePair(lambda a: a * a)
    Traceback (most recent call last):
      ...
    neodp.errors.PrivacyError: (L, U) is not a suitable pair, U(a) < a at a = 0.0009765625; U(a) = 9.5...
    """

    upper: Callable[[float], float]
    lower: Callable[[float], float] | None = None
    exact: ClassVar[bool] = False
    _tried: list[tuple[float, float]] = field(default_factory=list, init=False, repr=False, compare=False)
    """The points at which U was evaluated, and its values there: ascending in both."""

    def __post_init__(self) -> None:
        require_fields(self)
        edges = np.logspace(-16, -4, 400)
        # a plain grid first, so that the counterexample is a simple one
        for name, function in (("upper", self.upper), ("lower", self.lower or self.upper)):
            try:
                float(function(0.5))
            except TypeError:
                raise wrong_kind(name, function, "a function from chances to chances") from None
        for a in map(float, np.concatenate([np.linspace(0.0, 1.0, 1025), edges, 1.0 - edges])):
            self._check(a)

    def _check(self, a: float) -> None:
        """Refuse a pair that is not suitable at a."""
        U, slack = self._above, SLACK
        L = self.lower or (lambda a: 1.0 - U(1.0 - a))
        high, low = U(a), L(a)
        if not -slack <= low <= 1.0:
            raise _unsuitable("a value outside [0, 1]", a, U=high, L=low)
        low = max(low, 0.0)
        if low > a + slack:
            raise _unsuitable("L(a) > a", a, L=low)
        if L(high) > a + slack:
            raise _unsuitable("L(U(a)) > a", a, U=high, LU=L(high))
        if U(low) < a - slack:
            raise _unsuitable("U(L(a)) < a", a, L=low, UL=U(low))
        if high > 1.0 - L(1.0 - a) + slack:
            raise _unsuitable("U(a) > 1 - L(1 - a)", a, U=high, other=1.0 - L(1.0 - a))

    def _above(self, a: float) -> float:
        """Return U(a), which must be a number from a to 1 and fit the values of U elsewhere."""
        value = float(self.upper(a))
        if not 0.0 <= value <= 1.0:
            raise _unsuitable("a value outside [0, 1]", a, U=value)
        if value < a - SLACK:
            raise _unsuitable("U(a) < a", a, U=value)
        place = bisect_left(self._tried, (a, value))
        for near in self._tried[max(0, place - 1) : place + 1]:
            if (near[0] < a and near[1] > value + SLACK) or (near[0] > a and near[1] < value - SLACK):
                raise _unsuitable("not increasing", a, U=value, other_a=near[0], near=near[1])
        if place == len(self._tried) or self._tried[place][0] != a:
            self._tried.insert(place, (a, value))
        return value

    def fit(self, graph: DatasetGraph) -> None:
        """Accept any graph, since the pair is the same on every edge."""

    uniform: ClassVar[bool] = True
    encode = staticmethod(labels.encode)
    decode = staticmethod(labels.decode)

    def cross(self, graph: DatasetGraph, own: Labels, label: Labels) -> None:
        """Lower labels, in place, to what neighbours of the other colour with the given labels `own` allow."""
        for u, v, edges in _across(graph):
            np.minimum.at(label, v, self.relax(-own[u], edges))

    def too_low(self, graph: DatasetGraph, label: Labels) -> tuple[int, int] | None:
        """Return a given vertex whose label is lower than its neighbour of the other colour allows, and their edge."""
        for u, v, edges in _across(graph):
            low = np.flatnonzero(-label[u] > self.relax(label[v], edges))
            if len(low):
                return int(u[low[0]]), int(edges[low[0]])
        return None

    def relax(self, label: Labels, edge: NDArray[Any]) -> Labels:
        """Return the greatest label that the pair allows beside each label."""
        p, q = self.decode(label)
        pairs = [self._beside(*pair) for pair in zip(p.tolist(), q.tolist(), strict=True)]
        new = np.array(pairs, np.float64).reshape(*label.shape, 2)
        bound: Labels = np.maximum(self.encode(new[..., 0], new[..., 1]), label)
        return bound

    def _beside(self, p: float, q: float) -> tuple[float, float]:
        """Return the greatest p' that is allowed beside p, and 1 - p'; the smaller of both is exact.

        Near 1, doubles cannot tell U(p) from 1. There 1 - p' is the least x with q <= U(x), which keeps the condition
        for the other answer, too.
        """
        high = self._above(p)
        if high <= 0.5:
            return high, 1.0 - high
        low, least = 0, int(np.float64(min(q, 1.0 - high)).view(np.int64))
        if self._above(np.int64(least).view(np.float64)) < q:  # the difference was rounded down
            low, least = least, int(np.float64(q).view(np.int64))
        while low < least:
            middle = (low + least) // 2
            if self._above(float(np.int64(middle).view(np.float64))) >= q:
                least = middle
            else:
                low = middle + 1
        rest = max(float(np.int64(least).view(np.float64)), 1.0 - high)
        rest = max(rest, labels.SMALLEST) if rest else rest
        return 1.0 - rest, rest

    def settle_over(self, graph: DatasetGraph, keep: Bools, label: Labels, *parts: NDArray[np.int64]) -> None:
        """Lower labels, in place, over the edges of a graph where `keep` is true."""
        self.settle(graph.adjacency_of(keep, numbered=False), label, *parts)

    def settle(self, adjacency: Adjacency, label: Labels, *parts: NDArray[np.int64]) -> None:
        """Lower labels, in place, to the least that any path from any seed allows."""
        one = np.zeros(1, np.int64)
        queue = [(int(label[v]), int(v)) for part in parts for v in part]
        heapq.heapify(queue)
        while queue:
            k, u = heapq.heappop(queue)
            if k != label[u]:
                continue
            bound = int(self.relax(np.array([k]), one)[0])
            for v in adjacency.neighbor[adjacency.indptr[u] : adjacency.indptr[u + 1]].tolist():
                if bound < label[v]:
                    label[v] = bound
                    heapq.heappush(queue, (bound, v))


def _across(graph: DatasetGraph) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield the boundary edges in either direction, if the first end is given."""
    for u, v in ((graph.source, graph.target), (graph.target, graph.source)):
        edges = np.flatnonzero(graph.crossing & graph.given[u])
        yield u[edges], v[edges], edges


def _unsuitable(what: str, a: float, **values: float) -> PrivacyError:
    names = {
        "U": "U(a)",
        "L": "L(a)",
        "LU": "L(U(a))",
        "UL": "U(L(a))",
        "other": "1 - L(1 - a)",
        "other_a": "another a",
        "near": "U there",
    }
    figures = ", ".join(f"{names[name]} = {value:.6g}" for name, value in values.items())
    return PrivacyError(f"(L, U) is not a suitable pair, {what} at a = {a!r}", figures)
