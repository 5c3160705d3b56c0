"""Who computes: this process, or the plugin inside the server.

A store may have a *plugin*: the same mechanism inside the database, where the graph need not be carried out and back.
It gives the same numbers in every bit and writes the same properties, so that both can take turns on one graph. By
default the plugin is asked where there is one of this version, and the client does what the plugin leaves to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from neodp.errors import StoreError

if TYPE_CHECKING:
    from neodp.core.ball import Ball
    from neodp.core.mechanism import Check
    from neodp.store.base import Store
    from neodp.store.whole import AuditedMechanism, Summary

__all__ = ["Declined", "Engine", "Plugin", "Ran", "Row", "by_plugin"]

Engine: TypeAlias = Literal["auto", "server", "client", "ball", "whole"]
"""Who computes, and how.

"server" is the plugin, "client" is this process, "auto" whichever there is. For single datasets, "ball" is a search by
this process, and "whole" a pass over the whole graph by this process.
"""
Row: TypeAlias = tuple[str, str, Sequence[float], float]
"""A dataset's key, its colour, its probabilities in the order of the graph's colours, and the chance of its colour."""

T = TypeVar("T")


class Declined(StoreError):
    """The plugin leaves something to the client: more than two colours, or more memory than the server has."""


@dataclass(frozen=True)
class Ran(Generic[T]):
    """A result, and who computed it: "server" or "client"."""

    result: T
    engine: str


class Plugin(Protocol):
    """The plugin inside a server."""

    def extend(self, name: str, *, write: bool) -> Summary:
        """Find the optimal mechanism of a graph and, where asked to, keep it."""

    def stream(self, name: str) -> Iterator[Row]:
        """The optimal mechanism of a graph, dataset by dataset."""

    def estimate(self, name: str) -> dict[str, Any]:
        """The memory of the server that an extension takes."""

    def check(self, name: str) -> Check:
        """Whether a graph can be extended."""

    def audit(self, name: str, worst: int) -> AuditedMechanism:
        """Check the stored probabilities on every edge."""

    def evaluate(self, name: str, keys: Sequence[str], limit: int | None) -> Ball:
        """The optimal mechanism at some datasets."""

    def answer(self, name: str, key: str, release: str, options: Mapping[str, bool]) -> str:
        """The answer that is kept, or one drawn and kept now."""


def by_plugin(store: Store, engine: Engine, does: Callable[[Plugin], T]) -> T | None:
    """What the plugin gives; None where the client is to do it.

    Raises
    ------
    StoreError
        If the plugin is asked for by name, and there is none or it leaves this to the client.
    """
    if engine not in ("auto", "server"):
        return None
    if store.plugin is None:
        if engine == "auto":
            return None
        raise StoreError(
            f"{store.address} has no neodp plugin of this version",
            "see `store.plugin_version()`, or use `engine='client'`",
        )
    try:
        return does(store.plugin)
    except Declined:
        if engine == "server":
            raise
        return None
