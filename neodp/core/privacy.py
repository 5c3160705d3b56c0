"""Privacy conditions: the bounds that an edge puts on probabilities.

A privacy condition on an edge bounds the chance p of an answer at one end by the chance at the other end:
``L(p) <= p' <= U(p)``, where (L, U) is a *suitable pair* (paper 002, Definition 12): both increasing, and

    1.  L(a) <= a <= U(a)
    2.  L(U(a)) <= a <= U(L(a))
    3.  U(a) <= 1 - L(1 - a)

There are three kinds:

* :class:`EpsilonDelta`, (epsilon, delta)-differential privacy per edge, in exact arithmetic;
* :class:`Gaussian`, mu-Gaussian differential privacy per edge: U(a) = Phi(Phi^-1(a) + mu), in doubles;
* :class:`~neodp.core.suitable_pair.SuitablePair`, any user-supplied pair (L, U), the same on every edge, in doubles.

A condition works on *labels*, integers that order like probabilities and change sign with the complement
(:mod:`neodp.compiled.labels`).

References
----------
S. Torkamani, J. B. Ebrahimi, P. Sadeghi, R. G. L. D'Oliveira, M. Médard: "Optimal Binary Differential Privacy via
Graphs", 2023, arXiv:2310.20486 ("paper 002").
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp import compiled
from neodp.compiled import labels
from neodp.compiled.labels import Labels
from neodp.data.graph import Adjacency, DatasetGraph
from neodp.data.kinds import checked, require_fields
from neodp.data.validation import Bools, Floats, Ints, require_range
from neodp.errors import PrivacyError

__all__ = ["EpsilonDelta", "Gaussian", "Labels", "Privacy", "lower", "upper"]


@checked
def upper(a: ArrayLike, epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Return U(a) = min(e^eps a + delta, 1 - (1 - a - delta) e^-eps, 1), in doubles (paper 002, equation 8).

    Examples
    --------
    >>> import math
    >>> float(upper(0.3, math.log(2)))
    0.6
    """
    a, eps, more = np.asarray(a, np.float64), np.asarray(epsilon, np.float64), np.asarray(delta, np.float64)
    kept: Floats = (a + more) * np.exp(-eps) - np.expm1(-eps)  # the second bound, also where it is tiny
    bound: Floats = np.minimum(np.minimum(np.exp(eps) * a + more, kept), 1.0)
    return bound


@checked
def lower(a: ArrayLike, epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Floats:
    """Return L(a) = 1 - U(1 - a), in doubles (paper 002, equation 9 and Lemma 10)."""
    return 1.0 - upper(1.0 - np.asarray(a, np.float64), epsilon, delta)


class Privacy(Protocol):
    """A privacy condition on the edges of one graph, on labels."""

    @property
    def exact(self) -> bool:
        """True if mechanisms under this condition are private to the last bit; False if up to rounding."""

    def fit(self, graph: DatasetGraph) -> None:
        """Raise PrivacyError unless there is a condition for each of the graph's edges."""

    def encode(self, p: Floats, q: Floats) -> Labels:
        """Return the labels of probabilities p, where q = 1 - p; the smaller of both is exact."""

    def decode(self, label: Labels) -> tuple[Floats, Floats]:
        """Return the probabilities p and q = 1 - p of labels."""

    def relax(self, label: Labels, edge: NDArray[Any]) -> Labels:
        """Return U: the greatest label that each edge allows beside each label."""

    @property
    def uniform(self) -> bool:
        """True if all edges are alike, so that ``settle`` need not know which edge is which."""

    def settle(self, adjacency: Adjacency, label: Labels, *parts: NDArray[np.int64]) -> None:
        """Lower labels, in place, to the least that any path from any seed allows.

        The seeds are in one or more parts that no path joins; the parts are settled in parallel.
        """

    def settle_over(self, graph: DatasetGraph, keep: Bools, label: Labels, *parts: NDArray[np.int64]) -> None:
        """Lower labels as ``settle`` does, over the edges of a graph where `keep` is true."""

    def cross(self, graph: DatasetGraph, own: Labels, label: Labels) -> None:
        """Lower labels, in place, to what neighbours of the other colour with the given labels `own` allow."""

    def too_low(self, graph: DatasetGraph, label: Labels) -> tuple[int, int] | None:
        """Return a given vertex whose label is lower than its neighbour of the other colour allows, and their edge."""


def certain(rule: Privacy) -> int:
    """Return the label of certainty, which bounds nothing.

    Examples
    --------
    >>> rule = EpsilonDelta(np.empty(0), np.empty(0))
    >>> [float(p[0]) for p in rule.decode(np.array([certain(rule)]))]
    [1.0, 0.0]
    """
    return int(rule.encode(np.ones(1), np.zeros(1))[0])


class _Compiled(ABC):
    """A condition whose relaxation is compiled, of a kind that the kernel supports."""

    _kind: ClassVar[int]

    @property
    @abstractmethod
    def parameters(self) -> tuple[Floats, Floats]:
        """The kernel's two parameters, per edge or of length one if all edges are alike."""

    @property
    @abstractmethod
    def shift(self) -> int:
        """The number of low bits of a label that the queue may ignore."""

    @property
    def uniform(self) -> bool:
        return all(len(x) == 1 for x in self.parameters)

    def relax(self, label: Labels, edge: NDArray[Any]) -> Labels:
        bound: Labels = compiled.kernel.relax_edges(label, *_at(self.parameters, edge), self._kind)
        return bound

    def settle(self, adjacency: Adjacency, label: Labels, *parts: NDArray[np.int64]) -> None:
        first, second = (compiled.kernel.spread(x, adjacency.edge) if len(x) > 1 else x for x in self.parameters)
        self._settle(adjacency.indptr, adjacency.neighbor, compiled.kernel.NO_LEVELS, first, second, label, parts)

    def settle_over(self, graph: DatasetGraph, keep: Bools, label: Labels, *parts: NDArray[np.int64]) -> None:
        number = compiled.kernel.numbering(len(graph), graph.source, graph.target)
        if number is None:
            links = compiled.kernel.links(len(graph), graph.source, graph.target, keep, *self.parameters)
            self._settle(*links, label, parts)
            return
        ends = compiled.kernel.renumbered(number, graph.source, graph.target)
        links = compiled.kernel.links(len(graph), *ends, keep, *self.parameters)
        del ends
        moved = np.empty_like(label)
        moved[number] = label
        self._settle(*links, moved, [number[part] for part in parts])
        label[:] = moved[number]

    def _settle(
        self,
        indptr: NDArray[np.int64],
        neighbor: Ints,
        level: NDArray[np.uint8],
        first: Floats,
        second: Floats,
        label: Labels,
        parts: Sequence[NDArray[np.int64]],
    ) -> None:
        def settle(seeds: NDArray[np.int64]) -> None:
            compiled.kernel.settle(indptr, neighbor, level, first, second, self._kind, self.shift, label, seeds)

        compiled.kernel.side_by_side(settle, parts, len(neighbor))

    def cross(self, graph: DatasetGraph, own: Labels, label: Labels) -> None:
        edges, given = graph.boundary, graph.given

        def cross(color: int) -> None:
            compiled.kernel.cross(
                *(graph.source, graph.target, edges, graph.color, color, given),
                *(*self.parameters, self._kind, own, label),
            )

        compiled.kernel.side_by_side(cross, range(2), len(edges))

    def too_low(self, graph: DatasetGraph, label: Labels) -> tuple[int, int] | None:
        edges, given = graph.boundary, graph.given

        def too_low(piece: tuple[int, int]) -> tuple[int, int]:
            found: tuple[int, int] = compiled.kernel.too_low(
                *(graph.source, graph.target, edges[slice(*piece)], given), *(*self.parameters, self._kind, label)
            )
            return found

        found = compiled.kernel.side_by_side(too_low, compiled.kernel.pieces(len(edges)))
        edge, vertex = next((place for place in found if place[0] >= 0), (-1, -1))
        return None if edge < 0 else (int(vertex), int(edge))


@dataclass(frozen=True)
class EpsilonDelta(_Compiled):
    """(epsilon, delta) per edge: p' <= e^eps p + delta and 1 - p <= e^eps (1 - p') + delta, both ways.

    Parameters
    ----------
    epsilon, delta : arrays of float, one entry per edge
    """

    epsilon: Floats
    delta: Floats
    exact: ClassVar[bool] = True
    _kind: ClassVar[int] = 0  # compiled.kernel.EPSILON_DELTA

    def __post_init__(self) -> None:
        require_fields(self)
        for name in ("epsilon", "delta"):
            each: Floats = np.atleast_1d(np.asarray(getattr(self, name), np.float64))
            require_range(name, each)
            object.__setattr__(self, name, each)

    @classmethod
    @checked
    def of(cls, graph: DatasetGraph) -> EpsilonDelta:
        """Return the condition that a graph's own epsilon and delta state."""
        return cls(graph.epsilon, graph.delta)

    def fit(self, graph: DatasetGraph) -> None:
        """Raise PrivacyError unless there is an epsilon and a delta for each of the graph's edges."""
        _one_per_edge(graph, "epsilon", len(self.epsilon))
        _one_per_edge(graph, "delta", len(self.delta))

    encode = staticmethod(labels.encode)
    decode = staticmethod(labels.decode)

    @cached_property
    def parameters(self) -> tuple[Floats, Floats]:
        """The kernel's factor and delta per edge, or of length one if all edges are alike."""
        delta = _alike(self.delta)
        if ((delta > 0.0) & (delta < labels.SMALLEST)).any():
            delta = _alike(np.where(delta < labels.SMALLEST, 0.0, delta))
        return compiled.kernel.factors(_alike(self.epsilon)), delta

    @cached_property
    def step(self) -> int:
        """The least amount by which any edge raises a label, short of certainty."""
        return max(0, int(self.parameters[0].min(initial=np.inf).view(np.int64)) - labels.ONE - 2)

    @property
    def shift(self) -> int:
        """The number of low bits that the queue may ignore, since every edge raises a label by at least as much."""
        return min(52, max(0, self.step.bit_length() - 1))

    def balance(self, edge: NDArray[Any]) -> Labels:
        """Return, per edge, the greatest label that both ends can have for their own answers, if these differ."""
        shape = (1,) if self.uniform else edge.shape
        label: Labels = compiled.kernel.balance(*(np.broadcast_to(x, shape) for x in _at(self.parameters, edge)))
        return np.broadcast_to(label, edge.shape)


@dataclass(frozen=True)
class Gaussian(_Compiled):
    """Gaussian differential privacy with a mu per edge: U(a) = Phi(Phi^-1(a) + mu).

    It is a suitable pair, and additive in the probit Phi^-1(a), which is the label here.

    Parameters
    ----------
    mu : float, or one per edge
        At least 0.

    Examples
    --------
    >>> Gaussian(-1.0)
    Traceback (most recent call last):
      ...
    neodp.errors.PrivacyError: mu is -1.0; give finite numbers of at least 0
    """

    mu: ArrayLike
    exact: ClassVar[bool] = False
    _kind: ClassVar[int] = 1  # compiled.kernel.PROBIT

    def __post_init__(self) -> None:
        require_fields(self)
        mu = np.atleast_1d(np.asarray(self.mu, np.float64))
        wrong = ~((mu >= 0.0) & np.isfinite(mu))
        if wrong.any():
            raise PrivacyError(f"mu is {float(mu[wrong][0])!r}", "give finite numbers of at least 0")

    def fit(self, graph: DatasetGraph) -> None:
        """Raise PrivacyError unless there is one mu, or one for each of the graph's edges."""
        if np.ndim(self.mu):
            _one_per_edge(graph, "mu", np.size(self.mu))

    @cached_property
    def parameters(self) -> tuple[Floats, Floats]:
        """The kernel's mu per edge, or of length one if all edges are alike, and a delta of 0."""
        return _alike(np.atleast_1d(np.asarray(self.mu, np.float64))), np.zeros(1)

    @property
    def shift(self) -> int:
        """The number of low bits of a label that the queue may ignore."""
        return 1  # so that the difference of two labels fits a key

    def encode(self, p: Floats, q: Floats) -> Labels:
        """Return the labels of probabilities p: the bits of |Phi^-1(p)| under its sign."""
        from scipy.special import ndtri

        small = np.minimum(p, q)
        distance = np.where(small > 0.0, np.minimum(-ndtri(small), compiled.kernel.MAX_PROBIT), np.inf) + 0.0
        label: Labels = np.where(p <= q, -1, 1) * distance.view(np.int64)
        return label

    def decode(self, label: Labels) -> tuple[Floats, Floats]:
        """Return the probabilities p and q = 1 - p of labels."""
        from scipy.special import ndtr

        distance = np.copysign(np.abs(label).view(np.float64), label)
        return ndtr(distance), ndtr(-distance)


def _one_per_edge(graph: DatasetGraph, name: str, count: int) -> None:
    if count != graph.edges:
        raise PrivacyError(f"there are {graph.edges} edges and {count} values of {name}", "give one, or one per edge")


def _alike(column: Floats) -> Floats:
    """Return the column, or its one value if all are the same."""
    if len(column) == 0:
        return np.zeros(1)
    few = column[:1000]
    alike = few.min() == few.max() and column.min() == column.max()
    return column[:1].copy() if alike else np.ascontiguousarray(column)


def _at(parameters: tuple[Floats, Floats], edge: NDArray[Any]) -> tuple[Floats, Floats]:
    first, second = (x[edge] if len(x) > 1 else x for x in parameters)
    return first, second
