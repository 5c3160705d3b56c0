r"""The two families of mechanisms, for two colours and for more: the one place that tells them apart.

==================  ===========================================  =================================================
\                   two colours (:mod:`neodp.core.binary`)            more colours (:mod:`neodp.core.rainbow`)
==================  ===========================================  =================================================
the boundary        edges between datasets of different colours  edges between datasets of different orders
alpha               on a set that hits every boundary edge       the same for all boundary datasets of an order
the best mechanism  the most truthful on every dataset           the greatest prefix sums for every dataset's order
privacy             any suitable pair (L, U)                     (epsilon, delta)
written down as     p and q                                      probabilities
one dataset         by a search of its neighbourhood             by a pass over the whole graph
==================  ===========================================  =================================================

``family(graph)`` gives the column of the table that a graph belongs to. No other module branches on the number of
colours; only the modules that the families build on, :mod:`neodp.data.validation` and :mod:`neodp.data.graph`,
know that one number determines a whole distribution over two colours, and that two colours leave nothing to order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from neodp.core import auditing, binary, boundary, rainbow
from neodp.core.extension import Extension
from neodp.core.privacy import EpsilonDelta, Privacy
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import GraphError, PrivacyError

if TYPE_CHECKING:
    from neodp.core.mechanism import Mechanism

__all__ = ["Colored", "Family", "family", "require_binary"]


class Colored(Protocol):
    """Anything that has colours: a graph, a view of one, or a store's description of one."""

    @property
    def colors(self) -> Sequence[str]:
        """The possible answers."""


class Family(ABC):
    """The differences between two colours and more.

    Attributes
    ----------
    binary : bool
        True if there are two colours.
    """

    binary: ClassVar[bool]

    @abstractmethod
    def require_orders(self, graph: DatasetGraph) -> None:
        """Raise GraphError if a dataset leaves open which colour comes after its own."""

    @abstractmethod
    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        """Return the position of a boundary edge at which alpha is missing; None if there is none."""

    @abstractmethod
    def extend(self, graph: DatasetGraph, privacy: Privacy, method: rainbow.Method | None) -> Extension:
        """Return the best mechanism that agrees with a graph's alpha; see :func:`neodp.core.mechanism.extend`."""

    @abstractmethod
    def balanced(self, graph: DatasetGraph) -> Floats:
        """Return the alpha that favours no colour; see :func:`neodp.core.boundary.balanced`."""

    @abstractmethod
    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        """Return one alpha for all boundary datasets of a kind (:func:`neodp.core.boundary.homogeneous`)."""

    @abstractmethod
    def audit(self, graph: DatasetGraph, mechanism: Mechanism, worst: int) -> auditing.Audit:
        """Check a mechanism on every edge; see :func:`neodp.core.auditing.audit`."""

    @abstractmethod
    def properties(self, row: Sequence[float]) -> dict[str, Any]:
        """Return a distribution as the properties of a dataset, in the terms of the data model."""

    @abstractmethod
    def columns(self, rows: Floats) -> dict[str, Any]:
        """Return many distributions as columns, in the terms of the data model."""


class _Binary(Family):
    binary = True

    def require_orders(self, graph: DatasetGraph) -> None:
        pass  # the other colour comes second

    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        return boundary.unhit_edge(graph, graph.given)

    def extend(self, graph: DatasetGraph, privacy: Privacy, method: rainbow.Method | None) -> Extension:
        return binary.extend(graph, privacy)

    def balanced(self, graph: DatasetGraph) -> Floats:
        return binary.balanced(graph)

    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        if isinstance(first, int | float):
            return binary.homogeneous(graph, first, second)
        return _RAINBOW.homogeneous(graph, first, second)  # by rank, which two colours have as well

    def audit(self, graph: DatasetGraph, mechanism: Mechanism, worst: int) -> auditing.Audit:
        return auditing.audit_colors(graph, mechanism, worst)

    def properties(self, row: Sequence[float]) -> dict[str, Any]:
        return {"p": row[0], "q": row[1]}

    def columns(self, rows: Floats) -> dict[str, Any]:
        return {"p": rows[:, 0], "q": rows[:, 1]}


class _Rainbow(Family):
    binary = False

    def require_orders(self, graph: DatasetGraph) -> None:
        rainbow.require_orders(graph)

    def unhit_edge(self, graph: DatasetGraph) -> int | None:
        return rainbow.unhit_edge(graph)

    def extend(self, graph: DatasetGraph, privacy: Privacy, method: rainbow.Method | None) -> Extension:
        own = isinstance(privacy, EpsilonDelta) and all(
            np.array_equal(*pair) for pair in ((privacy.epsilon, graph.epsilon), (privacy.delta, graph.delta))
        )
        if not own:
            raise PrivacyError(
                f"{graph.name!r} has {len(graph.colors)} colours",
                "with more than two, only (epsilon, delta) is known, as the graph's own edges have it",
            )
        return rainbow.extend(graph, method)

    def balanced(self, graph: DatasetGraph) -> Floats:
        return rainbow.balanced(graph)

    def homogeneous(self, graph: DatasetGraph, first: float | Sequence[float], second: float | None) -> Floats:
        if second is not None:
            raise PrivacyError("two chances are given", "with more than two colours, give one or all as a sequence")
        return rainbow.homogeneous(graph, first)

    def audit(self, graph: DatasetGraph, mechanism: Mechanism, worst: int) -> auditing.Audit:
        return auditing.audit_rows(graph, mechanism.probabilities, worst)

    def properties(self, row: Sequence[float]) -> dict[str, Any]:
        return {"probabilities": row}

    def columns(self, rows: Floats) -> dict[str, Any]:
        return {"probabilities": list(rows)}


_BINARY, _RAINBOW = _Binary(), _Rainbow()


def family(colored: Colored) -> Family:
    """Return the family for the number of colours of a graph.

    Examples
    --------
    >>> from neodp.data import generate
    >>> family(generate.path(4)).binary
    True
    """
    return _BINARY if len(colored.colors) == 2 else _RAINBOW


def require_binary(graph: DatasetGraph) -> None:
    """Raise GraphError if a graph has more than two colours."""
    if not family(graph).binary:
        raise GraphError(f"{graph.name!r} has {len(graph.colors)} colours", "this is defined for two")
