"""Views: a graph seen through the edges at some of its datasets, so that a search need not see all of it.

A view is over a graph in memory, over a rule that computes datasets on demand, or over a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from neodp.compiled import labels
from neodp.data.distributions import distributions
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import GraphError, UnknownKey

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrayView", "Found", "Rule", "RuleView", "Star", "View", "least_of"]

MOST_NEIGHBORS = 100_000
"""The number of neighbours that a rule may give a dataset."""


class Found(NamedTuple):
    """Some datasets, as columns."""

    color: Sequence[str]
    alpha: Floats


class Star(NamedTuple):
    """The edges at some datasets, as columns: from `key` to `neighbor`, which has `color` and `alpha`.

    `preference` holds the neighbours' colours as positions, best first; None if no neighbour orders them.
    """

    key: pa.StringArray
    neighbor: pa.StringArray
    color: pa.StringArray
    alpha: Floats
    epsilon: Floats
    delta: Floats
    preference: NDArray[np.int8] | None = None


class View(Protocol):
    """A graph seen through the edges at some of its datasets."""

    @property
    def name(self) -> str:
        """The name of the graph."""

    @property
    def colors(self) -> tuple[str, ...]:
        """The possible answers."""

    @property
    def validated(self) -> bool:
        """True if all values were validated when the graph was made, so that a search need not do it again."""

    @property
    def least(self) -> Floats:
        """Per colour, a lower bound of its chance at any dataset that has alpha; 1 if none has.

        One row per colour: the chance of that colour, and the chance of the other.
        """

    def find(self, keys: Sequence[str]) -> Found:
        """Return some datasets; raise UnknownKey if one does not exist."""

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""


class ArrayView:
    """A graph in memory."""

    validated = True

    def __init__(self, graph: DatasetGraph) -> None:
        self.graph = graph
        self.name = graph.name
        self.colors = graph.colors
        self._position = {key: v for v, key in enumerate(graph.keys.to_pylist())}

    @property
    def least(self) -> Floats:
        """Per colour, the least chance that alpha gives it at any dataset."""
        given = self.graph.alpha[self.graph.given]
        return least_of(given)

    def find(self, keys: Sequence[str]) -> Found:
        """Return some datasets of the graph."""
        at = self._positions(keys)
        return Found([self.graph.colors[c] for c in self.graph.color[at]], self.graph.alpha[at])

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets of the graph."""
        import pyarrow as pa

        at = self._positions(keys)
        indptr, neighbor, edge = self.graph.adjacency
        half = np.concatenate([np.arange(indptr[v], indptr[v + 1]) for v in at] or [np.empty(0, np.int64)])
        start, end, edge = np.repeat(at, indptr[at + 1] - indptr[at]), neighbor[half], edge[half]
        graph = self.graph
        color = pa.array(graph.colors, pa.string()).take(pa.array(graph.color[end]))
        key, neighbor = (graph.keys.take(pa.array(v)) for v in (start, end))
        return Star(key, neighbor, color, graph.alpha[end], graph.epsilon[edge], graph.delta[edge])

    def _positions(self, keys: Sequence[str]) -> NDArray[np.int64]:
        for key in keys:
            if key not in self._position:
                self.graph.index(key)  # which says so
        return np.array([self._position[key] for key in keys], np.int64)


@dataclass(frozen=True)
class Rule:
    """A graph that is computed on demand, for graphs that are too large to store.

    Parameters
    ----------
    colors : two strings
    color : callable
        From a key to the true answer of that dataset; None if there is no such dataset.
    neighbors : callable
        From a key to its neighbours, as pairs (key, epsilon) or triples (key, epsilon, delta). If a is a neighbour of
        b, then b must be a neighbour of a, with the same values.
    alpha : callable
        From a key to Pr[first colour] or both probabilities, if alpha is given at that dataset; else None. It must be
        given at an end of every boundary edge.
    least : two floats, optional
        Lower bounds of Pr[first colour] and of Pr[second colour] at any dataset with alpha: the search stops where
        no chance as low as that could matter. By default 0: then only certainty ends the search.

    Examples
    --------
    A path of 2^200 datasets, half of them "yes":

    >>> import math, neodp
    >>> half, odds = 2**199, 1 / (1 + math.e)
    >>> path = Rule(
    ...     ("yes", "no"),
    ...     color=lambda key: "yes" if int(key) < half else "no",
    ...     neighbors=lambda key: [(str(n), 1.0) for n in (int(key) - 1, int(key) + 1) if 0 <= n < 2 * half],
    ...     alpha=lambda key: odds if int(key) == half else None,
    ...     least=(0.2, 0.7))
    >>> round(neodp.evaluate(path, [str(half - 2)]).evaluations[0].p_true, 6)
    0.901062
    """

    colors: tuple[str, str]
    color: Callable[[str], str | None]
    neighbors: Callable[[str], Iterable[tuple[str, float] | tuple[str, float, float]]]
    alpha: Callable[[str], float | Sequence[float] | None]
    least: tuple[float, float] = (0.0, 0.0)
    name: str = "rule"


class RuleView:
    """A graph that a rule computes; edges that are not mutual are refused as soon as they are seen."""

    validated = False

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.name = rule.name
        self.colors = tuple(rule.colors)
        self.least = np.array([[p, 1.0 - p] for p in rule.least])
        self._edges: dict[str, dict[str, tuple[float, float]]] = {}
        self._named_by: dict[str, list[str]] = {}

    def find(self, keys: Sequence[str]) -> Found:
        """Return some datasets of the rule."""
        color = [self.rule.color(key) for key in keys]
        if None in color:
            raise UnknownKey(f"there is no dataset {keys[color.index(None)]!r} in {self.name!r}", "correct the key")
        return Found([str(c) for c in color], self._alpha(keys))

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets of the rule."""
        import pyarrow as pa

        start, end, epsilon, delta = [], [], [], []
        for key in keys:
            for neighbor, values in self._star(key).items():
                start.append(key)
                end.append(neighbor)
                epsilon.append(values[0])
                delta.append(values[1])
        found = self.find(end)
        key, neighbor, color = (pa.array(column, pa.string()) for column in (start, end, found.color))
        return Star(key, neighbor, color, found.alpha, np.array(epsilon, np.float64), np.array(delta, np.float64))

    def _star(self, key: str) -> dict[str, tuple[float, float]]:
        """Return the neighbours of a dataset with epsilon and delta; refuse edges that are not mutual."""
        found: dict[str, tuple[float, float]] = {}
        for neighbor, *values in self.rule.neighbors(key):
            found[neighbor] = (values[0], values[1] if len(values) > 1 else 0.0)
            if len(found) > MOST_NEIGHBORS:
                where = f"dataset {key!r} of {self.name!r}"
                raise GraphError(f"{where} has more than {MOST_NEIGHBORS:,} neighbours", "correct the rule")
        self._edges[key] = found
        for neighbor, both in found.items():
            self._named_by.setdefault(neighbor, []).append(key)
            if neighbor in self._edges and self._edges[neighbor].get(key) != both:
                raise self._not_mutual(key, neighbor)
        for other in self._named_by.get(key, ()):
            if other not in found:
                raise self._not_mutual(other, key)
        return found

    def _not_mutual(self, one: str, other: str) -> GraphError:
        return GraphError(
            f"in {self.name!r}, {other!r} is a neighbour of {one!r}, but not the other way round with the same values",
            "correct the rule: neighbours are mutual",
        )

    def _alpha(self, keys: Sequence[str]) -> Floats:
        import pyarrow as pa

        return distributions([self.rule.alpha(key) for key in keys], pa.array(keys, pa.string()), 2)


def least_of(given: Floats) -> Floats:
    """Return ``View.least`` of two colours, from the alpha of all datasets that have one."""
    if not len(given):
        return np.array([[1.0, 0.0], [1.0, 0.0]])
    label = labels.encode(given[:, 0].copy(), given[:, 1].copy())
    return np.array([given[np.argmin(label)], given[np.argmax(label), ::-1]])
