r"""The two families of graphs, with two colours and with more: the one place that asks for the number of colours.

==================  ===========================================  =================================================
\                   two colours (:mod:`neodp.core.binary`)       more colours (:mod:`neodp.core.rainbow`)
==================  ===========================================  =================================================
the boundary        edges between datasets of different colours  edges between datasets of different orders
alpha               on a set that hits every boundary edge       the same for all boundary datasets of an order
the best mechanism  the most truthful on every dataset           the greatest prefix sums for every dataset's order
privacy             any suitable pair (L, U)                     (epsilon, delta)
written down as     p and q                                      probabilities
one dataset         by a search of its neighbourhood             by a pass over the whole graph
==================  ===========================================  =================================================

``family(graph)`` gives the column of the table that a graph belongs to, and :mod:`neodp.core.solvers` gives its solver.
Apart from that, only :mod:`neodp.data.distributions` knows that one number determines a whole distribution over two
colours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from neodp.data.validation import Floats
from neodp.errors import GraphError

__all__ = ["Colored", "Family", "family", "require_binary"]


class Colored(Protocol):
    """Anything that has colours: a graph, a view of one, or a store's description of one."""

    @property
    def colors(self) -> Sequence[str]:
        """The possible answers."""


class Named(Colored, Protocol):
    """Anything that has colours and a name."""

    @property
    def name(self) -> str:
        """The name of the graph."""


class Family(ABC):
    """The form in which the data model keeps distributions over two colours, or over more.

    Attributes
    ----------
    binary : bool
        True if there are two colours.
    names : tuple of str
        The properties of a dataset that hold its distribution.
    """

    binary: ClassVar[bool]
    names: ClassVar[tuple[str, ...]]

    @abstractmethod
    def properties(self, row: Sequence[float]) -> dict[str, Any]:
        """Return a distribution as the properties of a dataset."""

    @abstractmethod
    def columns(self, rows: Floats) -> dict[str, Any]:
        """Return many distributions as columns."""


class _Binary(Family):
    binary = True
    names = ("p", "q")

    def properties(self, row: Sequence[float]) -> dict[str, Any]:
        return {"p": row[0], "q": row[1]}

    def columns(self, rows: Floats) -> dict[str, Any]:
        return {"p": rows[:, 0], "q": rows[:, 1]}


class _Rainbow(Family):
    binary = False
    names = ("probabilities",)

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


def require_binary(graph: Named) -> None:
    """Raise GraphError if a graph has more than two colours."""
    if not family(graph).binary:
        raise GraphError(f"{graph.name!r} has {len(graph.colors)} colours", "this is defined for two colours only")
