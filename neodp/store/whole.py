"""Operations on whole stored graphs: check, extend and audit, by the plugin inside the server or by this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from neodp.core import auditing, extension
from neodp.core.auditing import Audit
from neodp.core.boundary import boundary_vertices
from neodp.core.estimate import estimate as estimated
from neodp.core.extension import Check
from neodp.core.mechanism import Mechanism
from neodp.core.rainbow import Method
from neodp.errors import ReadOnlyStore
from neodp.store.engines import Engine, Ran, Row, by_plugin

if TYPE_CHECKING:
    from neodp.data.progress import Progress
    from neodp.store.base import Store

__all__ = ["AuditedMechanism", "Summary", "audit", "check", "estimate", "extend", "stream"]


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


def check(store: Store, name: str, engine: Engine, progress: Progress) -> Ran[Check]:
    """Check whether a stored graph can be extended (:func:`neodp.check`)."""
    found = by_plugin(store, engine, lambda plugin: plugin.check(name))
    if found is not None:
        return Ran(found, "server")
    return Ran(extension.check(store.read(name, progress=progress)), "client")


def extend(
    store: Store, name: str, engine: Engine, method: Method | None, write: bool, progress: Progress
) -> Ran[Summary]:
    """Find the optimal mechanism of a stored graph (:func:`neodp.extend`), store it with `write`, and summarise it."""
    if method is None:
        found = by_plugin(store, engine, lambda plugin: plugin.extend(name, write=write))
        if found is not None:
            return Ran(found, "server")
    extended = _extended(store, name, method, progress)
    written = store.write(name, extended, progress=progress) if write else 0
    return Ran(_summary(name, extended, written), "client")


def stream(store: Store, name: str, engine: Engine, method: Method | None, progress: Progress) -> Iterator[Row]:
    """Return the optimal mechanism of a stored graph, dataset by dataset."""
    found = by_plugin(store, engine, lambda plugin: plugin.stream(name)) if method is None else None
    if found is not None:
        return found
    extended = _extended(store, name, method, progress)
    graph, rows = extended.graph, extended.probabilities.tolist()
    colors = [graph.colors[color] for color in graph.color]
    return zip(graph.keys.to_pylist(), colors, rows, extended.p_true.tolist(), strict=True)


def estimate(store: Store, name: str, engine: Engine) -> Ran[dict[str, Any]]:
    """Return the memory of the server or of this machine that an extension takes, in bytes."""
    found = by_plugin(store, engine, lambda plugin: plugin.estimate(name))
    if found is not None:
        return Ran(found, "server")
    info = store.ready(name)
    return Ran(asdict(estimated(info.datasets, info.edges)), "client")


def audit(store: Store, name: str, engine: Engine, worst: int, progress: Progress) -> Ran[AuditedMechanism]:
    """Check the stored mechanism of a graph on every edge (:func:`neodp.audit`)."""
    found = by_plugin(store, engine, lambda plugin: plugin.audit(name, worst))
    if found is not None:
        if found.stale:
            with suppress(ReadOnlyStore):
                store._mark_changed(name)  # as ``Store.mechanism`` does
        return Ran(found, "server")
    stored = store.mechanism(name, progress=progress)
    report = auditing.audit(stored.mechanism.graph, stored.mechanism, worst=worst)
    return Ran(AuditedMechanism(report, stored.stale, stored.info.written), "client")


def _extended(store: Store, name: str, method: Method | None, progress: Progress) -> Mechanism:
    return extension.extend(store.read(name, progress=progress), method=method)


def _summary(name: str, extended: Mechanism, written: int) -> Summary:
    return Summary(
        graph=name,
        vertices=len(extended),
        edges=extended.graph.edges,
        boundary=len(boundary_vertices(extended.graph)),
        min_p_true=float(extended.p_true.min()),
        mean_p_true=float(extended.p_true.mean()),
        rounded=len(extended.rounded),
        filled=len(extended.filled),
        method=extended.method,
        written=written,
    )
