"""The two solvers, for two colours and for more, behind the same verbs.

:func:`solver` gives the one that fits a graph: :mod:`neodp.core.binary` for two colours, :mod:`neodp.core.rainbow` for
more. The public verbs, ``extend``, ``check``, ``balanced`` and ``homogeneous``, call it, and nothing else chooses.

*The method of a graph with more than two colours*, if none is requested, depends on the graph and its alpha alone
(:mod:`neodp.core.rainbow.methods`):

======================================================================  ========
if all edges have the same epsilon                                      table
else, if there are at most 100,000 datasets, and prefix sums            prefix
are private on every edge
else, if datasets times colours are at most 10,000                      optimal
else, or if the solver of "optimal" gives up                            line
======================================================================  ========

"optimal" is a linear program, whose solution can differ in its last bits between versions of the solver. So a stored
mechanism of that method is read, not computed again, and whoever has no solver (the plugin in Neo4j) leaves such a
graph to the client: it is one that has different epsilons, whose prefix sums are not private, and whose datasets times
colours are at most 10,000.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from neodp.core import binary, boundary, rainbow
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta, Privacy
from neodp.data.family import family
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import PrivacyError

__all__ = ["GraphSolver", "solver"]


class GraphSolver(ABC):
    """The differences between two colours and more."""

    @abstractmethod
    def require_orders(self, graph: DatasetGraph) -> None:
        """Raise GraphError if a dataset leaves open which colour comes after its own."""

    @abstractmethod
    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        """Return the position of a boundary edge at which alpha is missing; None if there is none."""

    @abstractmethod
    def extend(
        self,
        graph: DatasetGraph,
        privacy: Privacy,
        method: rainbow.Method | None,
        prior: rainbow.DatasetPrior | None = None,
    ) -> Mechanism:
        """Return the best mechanism that agrees with a graph's alpha; see :func:`neodp.core.extension.extend`."""

    @abstractmethod
    def balanced(self, graph: DatasetGraph) -> Floats:
        """Return the alpha that favours no colour; see :func:`neodp.core.alpha.balanced`."""

    @abstractmethod
    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        """Return one alpha for all boundary datasets of a kind (:func:`neodp.core.alpha.homogeneous`)."""


class _BinarySolver(GraphSolver):
    def require_orders(self, graph: DatasetGraph) -> None:
        pass  # the other colour comes second

    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        return boundary.unhit_edge(graph, graph.given)

    def extend(
        self,
        graph: DatasetGraph,
        privacy: Privacy,
        method: rainbow.Method | None,
        prior: rainbow.DatasetPrior | None = None,
    ) -> Mechanism:
        return binary.extend(graph, privacy)

    def balanced(self, graph: DatasetGraph) -> Floats:
        return binary.balanced(graph)

    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        if isinstance(first, int | float):
            return binary.homogeneous(graph, first, second)
        return _RAINBOW.homogeneous(graph, first, second)  # by rank, which two colours have as well


class _RainbowSolver(GraphSolver):
    def require_orders(self, graph: DatasetGraph) -> None:
        rainbow.require_orders(graph)

    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        return rainbow.unhit_edge(graph)

    def extend(
        self,
        graph: DatasetGraph,
        privacy: Privacy,
        method: rainbow.Method | None,
        prior: rainbow.DatasetPrior | None = None,
    ) -> Mechanism:
        own = isinstance(privacy, EpsilonDelta) and all(
            np.array_equal(*pair) for pair in ((privacy.epsilon, graph.epsilon), (privacy.delta, graph.delta))
        )
        if not own:
            raise PrivacyError(
                f"{graph.name!r} has {len(graph.colors)} colours",
                "with more than two, only the (epsilon, delta) of the graph's own edges is supported",
            )
        return rainbow.extend(graph, method, prior)

    def balanced(self, graph: DatasetGraph) -> Floats:
        return rainbow.balanced(graph)

    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        if second is not None:
            raise PrivacyError("two chances are given", "with more than two colours, give one or all as a sequence")
        return rainbow.homogeneous(graph, first)


_BINARY, _RAINBOW = _BinarySolver(), _RainbowSolver()


def solver(graph: DatasetGraph) -> GraphSolver:
    """Return the solver for the number of colours of a graph."""
    return _BINARY if family(graph).binary else _RAINBOW
