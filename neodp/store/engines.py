"""The choice between this process and the plugin inside the server.

A store may have a *plugin*: the same algorithms inside the database, so that the graph need not travel to the client
and back. The plugin computes the same numbers bit for bit and writes the same properties, so that both can take turns
on one graph. By default, a plugin of this version is asked first, and the client does what the plugin declines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from neodp.errors import StoreError
from neodp.hints import Call, Hint, Option

if TYPE_CHECKING:
    from neodp.core.evaluation import Ball
    from neodp.core.extension import Check
    from neodp.store.base import Store
    from neodp.store.whole import AuditedMechanism, Summary

__all__ = ["Declined", "Engine", "Plugin", "Ran", "Row", "by_plugin"]

Engine: TypeAlias = Literal["auto", "server", "client", "ball", "whole"]
"""The place where a computation runs, and its algorithm.

"server" is the plugin, "client" is this process, and "auto" is the plugin if there is one, else this process. For
single datasets, "ball" is a search by this process, and "whole" is a pass over the whole graph by this process.
"""
Row: TypeAlias = tuple[str, str, Sequence[float], float]
"""A dataset's key, its colour, its probabilities in the order of the graph's colours, and the chance of its colour."""

T = TypeVar("T")


class Declined(StoreError):
    """The plugin declined a task: the graph has more than two colours, or needs more memory than the server has."""


@dataclass(frozen=True)
class Ran(Generic[T]):
    """A result, and the engine that computed it: "server" or "client"."""

    result: T
    engine: str


class Plugin(Protocol):
    """The plugin inside a server."""

    def extend(self, name: str, *, write: bool) -> Summary:
        """Find the optimal mechanism of a graph and, with `write`, store it."""

    def stream(self, name: str) -> Iterator[Row]:
        """Return the optimal mechanism of a graph, dataset by dataset."""

    def estimate(self, name: str) -> dict[str, Any]:
        """Return the memory of the server that an extension takes."""

    def check(self, name: str) -> Check:
        """Check whether a graph can be extended."""

    def audit(self, name: str, worst: int) -> AuditedMechanism:
        """Check the stored probabilities on every edge."""

    def evaluate(self, name: str, keys: Sequence[str], limit: int | None) -> Ball:
        """Return the optimal mechanism at some datasets."""

    def answer(self, name: str, key: str, release: str, options: Mapping[str, bool]) -> str:
        """Return the stored answer, or draw one and store it now."""


def by_plugin(store: Store, engine: Engine, does: Callable[[Plugin], T]) -> T | None:
    """Return the result of the plugin; None if the client is to do the task.

    Raises
    ------
    StoreError
        If `engine` is "server", and there is no plugin or it declines the task.
    """
    if engine not in ("auto", "server"):
        return None
    if store.plugin is None:
        if engine == "auto":
            return None
        raise StoreError(
            f"{store.address} has no neodp plugin of this version",
            Hint("see ", Call("plugin_version"), ", or use ", Option("engine", "client")),
        )
    try:
        return does(store.plugin)
    except Declined:
        if engine == "server":
            raise
        return None
