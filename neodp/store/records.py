"""What a store knows about a graph and its mechanism, and what it hands out.

A graph's own node has the properties ``name, colors, state, created, datasets, edges, revision``, and, once a whole
mechanism is stored, ``mechanism`` (its version), ``fingerprint, written, min_p_true, mean_p_true, mechanism_method,
mechanism_privacy`` and ``mechanism_mu`` (:mod:`neodp.store.notions`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.columns import Floats
from neodp.graph import DatasetGraph
from neodp.mechanism import Mechanism

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["READY", "GraphInfo", "MechanismInfo", "StoredGraph", "StoredMechanism", "fingerprint"]

READY = "ready"
"""The state of what is whole."""


@dataclass(frozen=True)
class MechanismInfo:
    """What a store knows about the mechanism that it holds for a graph.

    Attributes
    ----------
    version : str
        Different for every mechanism that is written.
    fingerprint : str
        That of the graph and the privacy notion it was made for (:func:`fingerprint`).
    written : str
        When it was written, in UTC.
    min_p_true, mean_p_true : float
    method : str or None
        How it was found (:class:`~neodp.mechanism.Mechanism`); None if it was written before this was kept.
    privacy : str
        What it keeps on every edge, "epsilon-delta" or "gaussian" (:mod:`neodp.store.notions`).
    mu : float or None
        With "gaussian", the mu of all edges; None where every edge has its own.
    """

    version: str
    fingerprint: str
    written: str
    min_p_true: float
    mean_p_true: float
    method: str | None = None
    privacy: str = "epsilon-delta"
    mu: float | None = None


@dataclass(frozen=True)
class GraphInfo:
    """What a store knows about a graph.

    Attributes
    ----------
    state : str
        "ready", "loading" or "dropping"; the latter two for as long as that goes on or after it was interrupted.
    mechanism : MechanismInfo or None
        None where no whole mechanism is stored.
    revision : str or None
        Different after the graph itself was changed, where a reader needs it to notice.
    """

    name: str
    colors: tuple[str, ...]
    datasets: int
    edges: int
    state: str
    created: str | None
    mechanism: MechanismInfo | None
    revision: str | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GraphInfo:
        """From a row of the statement ``graphs``, whose columns are called like the attributes.

        Examples
        --------
        >>> row = dict.fromkeys(["version", "fingerprint", "written", "min_p_true", "mean_p_true", "created"])
        >>> row |= {"name": "g", "colors": ["yes", "no"], "datasets": 3, "edges": 2, "state": "ready"}
        >>> GraphInfo.from_row(row).mechanism is None
        True
        """
        mechanism = None
        if row["version"] is not None:
            mechanism = MechanismInfo(**{f.name: row[f.name] for f in fields(MechanismInfo)})
        return cls(
            name=row["name"],
            colors=tuple(row["colors"] or ()),
            datasets=row["datasets"],
            edges=row["edges"],
            state=row["state"],
            created=row["created"],
            mechanism=mechanism,
            revision=row.get("revision"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class StoredGraph(DatasetGraph):
    """A graph as read from a store: `ids` are the store's own names for its datasets, for writing back."""

    ids: pa.StringArray | None = None


@dataclass(frozen=True)
class StoredMechanism:
    """A mechanism as read from a store.

    Attributes
    ----------
    mechanism : Mechanism
    info : MechanismInfo
    stale : bool
        Whether the graph has changed since the mechanism was made for it.
    """

    mechanism: Mechanism
    info: MechanismInfo
    stale: bool


def fingerprint(graph: DatasetGraph, mu: Floats | None = None) -> str:
    """A digest of a graph's keys, colours, preferences, alpha, edges, epsilons and deltas, in whatever order they are.

    Where a Gaussian mechanism was made for the graph, its `mu`, one or one per edge, is digested too.

    Examples
    --------
    >>> from neodp import generate
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3))
    True
    >>> fingerprint(generate.path(3)) == fingerprint(generate.path(3, epsilon=0.5))
    False
    """
    import pyarrow.compute as pc

    order = np.asarray(pc.sort_indices(graph.keys))
    rank = np.empty(len(graph), np.int64)
    rank[order] = np.arange(len(graph))
    one, two = rank[graph.source], rank[graph.target]
    low, high = np.minimum(one, two), np.maximum(one, two)
    edges = np.lexsort((high, low))
    digest = hashlib.sha256(repr((graph.colors, len(graph), graph.edges)).encode())
    keys = graph.keys.take(order)
    lengths = np.asarray(pc.binary_length(keys))
    for column in (lengths, graph.color[order], graph.alpha[order], low[edges], high[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    for column in (graph.epsilon[edges], graph.delta[edges]):
        digest.update(np.ascontiguousarray(column).tobytes())
    if graph.preference is not None:
        digest.update(np.ascontiguousarray(graph.preference[order]).tobytes())
    text = keys.buffers()[2]
    digest.update(memoryview(text)[: int(lengths.sum())] if text is not None else b"")
    if mu is not None:
        digest.update(b"mu" + np.ascontiguousarray(np.broadcast_to(mu, graph.edges)[edges]).tobytes())
    return digest.hexdigest()
