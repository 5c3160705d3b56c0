"""Errors that stores raise, in one place: the same words for both stores, and for graphs and profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from neodp.data.names import require_length, valid_name
from neodp.errors import (
    GraphError,
    GraphExists,
    Overtaken,
    ReadOnlyStore,
    StaleMechanism,
    StoreError,
    StoreUnreachable,
    UnfinishedGraph,
    UnknownGraph,
    UnknownKey,
    near,
)
from neodp.hints import Call, Hint, Option
from neodp.store.cypher import VERSION
from neodp.store.records import FOREIGN, READY, GraphInfo

if TYPE_CHECKING:
    from neodp.data.graph import DatasetGraph

__all__ = [
    "changed_while_read",
    "check_colors",
    "check_subgraph",
    "check_version",
    "exists",
    "foreign_key",
    "found",
    "gone",
    "keys_not_texts",
    "named",
    "no_datasets",
    "not_covered",
    "overtaken",
    "read_only",
    "stale",
    "unknown_key",
    "whole",
    "would_write",
]


class Info(Protocol):
    """Facts about a graph or about profiles."""

    @property
    def name(self) -> str: ...

    @property
    def state(self) -> str: ...


T = TypeVar("T", bound=Info)


# --- which graph, which profiles ----------------------------------------------------------------------------------


def found(what: str, name: str, known: Sequence[T], address: str, empty: str) -> T:
    """Return the graph or profiles of a name, in whatever state; raise UnknownGraph if there is none."""
    names: Mapping[str, T] = {info.name: info for info in known}
    if name not in names:
        try:
            require_length(what, name)
        except GraphError as e:
            raise UnknownGraph(e.message, e.hint) from None
        have = f"it has {', '.join(sorted(names)[:10])}" if names else empty
        raise UnknownGraph(f"there is no {what} {name!r} in {address}", near(name, names) or have)
    return names[name]


def gone(what: str, name: str, address: str) -> UnknownGraph:
    """Return the error for a graph or profiles that somebody else has dropped meanwhile."""
    return UnknownGraph(f"there is no {what} {name!r} in {address}", "somebody else has dropped it")


def whole(what: str, info: T) -> T:
    """Return the same facts if they are complete; raise UnfinishedGraph if a load or a drop has not finished."""
    if info.state == FOREIGN:
        raise GraphError(
            f"{what} {info.name!r} has a name or colours that are not texts, or counts that are not numbers",
            "correct the properties of its node, or delete it",
        )
    if info.state != READY:
        doing = {"loading": "load", "dropping": "drop"}.get(info.state, info.state)
        raise UnfinishedGraph(
            f"{what} {info.name!r} is incomplete: its {doing} was interrupted or is still running",
            "load it again, or drop it",
        )
    return info


def named(what: str, name: str, population: str | None) -> tuple[str, str | None]:
    """Return a name and that of a population, if one is given, in the form in which names are stored."""
    return valid_name(what, name), None if population is None else valid_name("population", population)


def exists(what: str, name: str, address: str) -> GraphExists:
    """Return the error for a name that is taken."""
    return GraphExists(
        f"there is a {what} {name!r} in {address} already", Hint("drop it, or use ", Option("replace", True))
    )


# --- which schema -------------------------------------------------------------------------------------------------


def check_version(address: str, version: object) -> int:
    """Return the version of a store's schema, 0 if it has none; refuse one of a newer neodp, which is unknown here."""
    if version is None:
        return 0
    if not isinstance(version, int):
        raise StoreUnreachable(
            f"the version of the schema of {address} is {version!r}: somebody else has changed it",
            "restore it from a backup, see docs/backup.md",
        )
    if version > VERSION:
        raise StoreUnreachable(
            f"the store {address} was made by a newer neodp: its schema is version {version}, "
            f"and this one knows {VERSION}",
            "update neodp",
        )
    return version


# --- two at once --------------------------------------------------------------------------------------------------


def overtaken(what: str, name: str, address: str, look: Call) -> Overtaken:
    """Return the error for a writer that a later one has overtaken."""
    return Overtaken(
        f"somebody else changed {what} {name!r} in {address} while it was being written; their change was kept",
        Hint("look at it with ", look, ", and repeat the change if you still want it"),
    )


def changed_while_read(what: str, name: str, address: str) -> Overtaken:
    """Return the error for data that was changed while it was read."""
    return Overtaken(f"{what} {name!r} in {address} was changed while it was read", "try again")


# --- what does not fit a graph ------------------------------------------------------------------------------------


def unknown_key(name: str, key: str) -> UnknownKey:
    """Return the error for a dataset that a stored graph does not have."""
    return UnknownKey(f"there is no dataset {key!r} in graph {name!r}", "correct the key")


def foreign_key(name: str, key: str) -> UnknownKey:
    """Return the error for a dataset that is to be written, but that the stored graph does not have."""
    return UnknownKey(f"there is no dataset {key!r} in graph {name!r}", "write to the graph it came from")


def not_covered(name: str, key: str) -> GraphError:
    """Return the error for a mechanism that lacks a dataset of a stored graph."""
    return GraphError(
        f"the mechanism has no probabilities for dataset {key!r} of graph {name!r}",
        "read the whole graph, and extend that",
    )


def keys_not_texts(what: str, name: str, things: str, called: str, count: int, seen: int) -> GraphError:
    """Return the error for datasets, users or items whose key or id is not a string, so that pages skip them."""
    return GraphError(
        f"{what} {name!r} has {count} {things}, but only {seen} of them have a text as {called}", "correct them"
    )


def check_colors(info: GraphInfo, graph: DatasetGraph) -> None:
    """Refuse to write to a stored graph that has other colours."""
    if graph.colors != info.colors:
        raise GraphError(
            f"the colours are {', '.join(graph.colors)}, those of graph {info.name!r} are {', '.join(info.colors)}",
            "write to the graph it came from",
        )


def check_subgraph(keys: Sequence[str] | None, color: str | None, radius: int | None, info: GraphInfo) -> None:
    """Refuse arguments that make no sense for ``read``."""
    if radius is not None and (keys is None or radius < 0):
        raise GraphError(f"the radius is {radius}", "give a whole number of at least 0, and keys to start from")
    if color is not None and color not in info.colors:
        raise GraphError(f"there is no colour {color!r} in graph {info.name!r}", f"use one of {', '.join(info.colors)}")


def no_datasets(name: str) -> GraphError:
    """Return the error for a part of a stored graph that contains no dataset."""
    return GraphError(
        f"no dataset of graph {name!r} is in the part that was asked for", "name other datasets or another colour"
    )


# --- who may write ------------------------------------------------------------------------------------------------


def read_only(address: str) -> ReadOnlyStore:
    """Return the error for a store that may only be read."""
    return ReadOnlyStore(f"{address} may be read but not written", "ask for the right to write, or use another store")


def stale(info: GraphInfo) -> StaleMechanism:
    """Return the error for a graph that has changed since its mechanism was written."""
    assert info.mechanism is not None
    return StaleMechanism(
        f"graph {info.name!r} has changed since its mechanism was written, {info.mechanism.written}",
        Hint("run ", Call("extend", graph=info.name), " again"),
    )


def would_write(word: str = "") -> StoreError:
    """Return the error for a user's own Cypher that contains a word which writes, or does more than read."""
    more = f" or do more than read, by {word}" if word else ""
    hint = "this command only reads: give MATCH … RETURN …" + (", with names in backticks" if word else "")
    return StoreError(f"the Cypher query would write{more}", hint)
