"""The verbs that two engines implement: this process, and the plugin inside the server.

A store may have a *plugin*: the same algorithms inside the database, so that the graph need not travel to the client
and back. The plugin computes the same numbers bit for bit and writes the same properties, so that both can take turns
on one graph. By default, a plugin of this version is asked first, and the client does what the plugin declines; the
service chooses, once for each call (:mod:`neodp.store.service`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from neodp.errors import StoreError

if TYPE_CHECKING:
    from neodp.core.auditing import Audit
    from neodp.core.evaluation import Ball
    from neodp.core.extension import Check
    from neodp.core.rainbow import Method
    from neodp.data.progress import Progress
    from neodp.ledger.release import Release

__all__ = ["AuditedMechanism", "Declined", "Engine", "Manner", "Ran", "Row", "Summary", "Verbs"]

Engine: TypeAlias = Literal["auto", "server", "client", "ball", "whole"]
"""The place where a computation runs, and its algorithm.

"server" is the plugin, "client" is this process, and "auto" is the plugin if there is one, else this process. For
single datasets, "ball" is a search by this process, and "whole" is a pass over the whole graph by this process.
"""
Row: TypeAlias = tuple[str, str, Sequence[float], float]
"""A dataset's key, its colour, its probabilities in the order of the graph's colours, and the chance of its colour."""

T = TypeVar("T")


class Declined(StoreError):
    """The plugin declined a task: it takes a linear program, or more memory than the server has."""


@dataclass(frozen=True)
class Ran(Generic[T]):
    """A result, and the engine that computed it: "server" or "client"."""

    result: T
    engine: str


@dataclass(frozen=True)
class Summary:
    """A summary of a mechanism.

    Attributes
    ----------
    graph : str
    vertices, edges, boundary : int
        Numbers of datasets and edges of the graph, and of datasets on the boundary.
    min_p_true, mean_p_true : float
        The least and the mean chance of a true answer.
    rounded, filled, method
        As in :class:`~neodp.core.mechanism.Mechanism`; of the first two, the numbers.
    written : int
        Number of datasets on which the mechanism was stored.
    expected, bound, prior
        As in :class:`~neodp.core.mechanism.Optimality`; None if no linear program was solved.
    """

    graph: str
    vertices: int
    edges: int
    boundary: int
    min_p_true: float
    mean_p_true: float
    rounded: int
    filled: int
    method: str
    written: int
    expected: float | None = None
    bound: float | None = None
    prior: str | None = None


@dataclass(frozen=True)
class AuditedMechanism:
    """The result of an audit of a stored mechanism.

    Attributes
    ----------
    report : Audit
    stale : bool
        Whether the graph has changed since the mechanism was written.
    written : str
        Time at which the mechanism was written.
    """

    report: Audit
    stale: bool
    written: str


@dataclass(frozen=True)
class Manner:
    """The choices of somebody who asks for an answer; see :meth:`Store.answer <neodp.store.service.Store.answer>`."""

    keep_key: bool = False
    constant_work: bool = False
    verify: bool = False


class Verbs(Protocol):
    """An engine: the operations on stored graphs that compute something."""

    where: str
    """ "server" or "client"."""

    def check(self, name: str, progress: Progress) -> Check:
        """Check whether a graph can be extended."""

    def extend(self, name: str, *, method: Method | None, write: bool, progress: Progress) -> Summary:
        """Find the optimal mechanism of a graph and, with `write`, store it."""

    def stream(self, name: str, *, method: Method | None, progress: Progress) -> Iterator[Row]:
        """Return the optimal mechanism of a graph, dataset by dataset."""

    def estimate(self, name: str) -> dict[str, Any]:
        """Return the memory that an extension takes, in bytes."""

    def audit(self, name: str, worst: int, progress: Progress) -> AuditedMechanism:
        """Check the stored probabilities on every edge."""

    def evaluate(self, name: str, keys: Sequence[str], *, engine: Engine, limit: int | None, write: bool) -> Ball:
        """Return the optimal mechanism at some datasets and, with `write`, store it there."""

    def answer(self, name: str, key: str, release: str, manner: Manner) -> Release:
        """Return the stored answer, or draw one and store it now."""
