"""The privacy notion of a mechanism, as stores keep it.

Two notions can be stored as properties:

* ``epsilon-delta``: given by the edges' own epsilon and delta. Nothing more need be stored.
* ``gaussian``: mu-Gaussian differential privacy. The property ``mechanism_mu`` of the graph's own node is the mu of all
  edges; if the edges differ, each has a ``mu`` of its own.

The property ``mechanism_privacy`` of the graph's own node names the notion; if it is missing, the notion is
``epsilon-delta``. A user's own pair (L, U) is code, which no property can hold: such a mechanism is refused when it is
written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.core.privacy import EpsilonDelta, Gaussian, Privacy
from neodp.data.validation import Floats
from neodp.errors import NoMechanism, PrivacyError
from neodp.hints import Call, Hint
from neodp.store.port import Port
from neodp.store.records import GraphInfo, MechanismInfo, StoredGraph, fingerprint

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.core.mechanism import Mechanism
    from neodp.data.graph import DatasetGraph

__all__ = ["EPSILON_DELTA", "GAUSSIAN", "StoredPrivacy", "by_edge", "edge_values", "made_for"]

EPSILON_DELTA = "epsilon-delta"
GAUSSIAN = "gaussian"


@dataclass(frozen=True)
class StoredPrivacy:
    """A privacy notion in the form in which it is stored.

    Attributes
    ----------
    name : str
        EPSILON_DELTA or GAUSSIAN.
    mu : float or None
        With GAUSSIAN, the mu of all edges, unless they differ.
    mus : array of float, or None
        With GAUSSIAN, one mu per edge if the edges differ.
    """

    name: str = EPSILON_DELTA
    mu: float | None = None
    mus: Floats | None = None

    @classmethod
    def of(cls, mechanism: Mechanism, graph: str) -> StoredPrivacy:
        """Return the notion of a mechanism that is to be written to a stored graph.

        Raises
        ------
        PrivacyError
            If the notion cannot be stored.
        """
        privacy = mechanism.privacy
        if isinstance(privacy, Gaussian):
            mu = np.atleast_1d(np.asarray(privacy.mu, np.float64))
            if (mu == mu[:1]).all():
                return cls(GAUSSIAN, mu=float(mu[0]) if len(mu) else 0.0)
            return cls(GAUSSIAN, mus=mu)
        if not isinstance(privacy, EpsilonDelta):
            raise PrivacyError(
                "a mechanism for a pair (L, U) of one's own cannot be stored: the pair is code",
                "write neodp.Mechanism.of(graph, mechanism.probabilities), which is held to the graph's epsilon and "
                "delta; or take neodp.Gaussian",
            )
        own = EpsilonDelta.of(mechanism.graph)
        if not (np.array_equal(privacy.epsilon, own.epsilon) and np.array_equal(privacy.delta, own.delta)):
            raise PrivacyError(
                f"the mechanism is for an epsilon and a delta other than those of graph {graph!r}",
                "load the graph with these values, and extend it",
            )
        return cls()

    @classmethod
    def read(cls, port: Port, graph: StoredGraph, info: MechanismInfo) -> StoredPrivacy:
        """Return the notion of the mechanism that is stored for a graph.

        Raises
        ------
        PrivacyError
            If the name of the stored notion is unknown.
        """
        if info.privacy not in (EPSILON_DELTA, GAUSSIAN):
            raise PrivacyError(
                f"the stored mechanism is for the unknown privacy notion {info.privacy!r}",
                f"it may come from a newer neodp; known are {EPSILON_DELTA} and {GAUSSIAN}",
            )
        if info.privacy == GAUSSIAN and info.mu is None:
            return cls(GAUSSIAN, mus=edge_values(graph, port.mus(graph)))
        return cls(info.privacy, info.mu)

    def privacy(self, graph: DatasetGraph) -> Privacy:
        """Return the notion on a graph, as an object of :mod:`neodp.core.privacy`."""
        if self.name == EPSILON_DELTA:
            return EpsilonDelta.of(graph)
        return Gaussian(self._mu)

    def fingerprint(self, graph: DatasetGraph) -> str:
        """Return the digest of a graph that is stored with a mechanism for this notion."""
        if self.name == EPSILON_DELTA:
            return fingerprint(graph)
        return fingerprint(graph, np.atleast_1d(self._mu))

    @property
    def _mu(self) -> Floats | float:
        """One mu, or one per edge."""
        if self.mus is not None:
            return self.mus
        assert self.mu is not None
        return self.mu

    def facts(self, mechanism: Mechanism) -> dict[str, Any]:
        """Return the facts that the statement ``finish_mechanism`` writes to the graph's own node."""
        return {
            "fingerprint": self.fingerprint(mechanism.graph),
            "min_p_true": float(mechanism.p_true.min()),
            "mean_p_true": float(mechanism.p_true.mean()),
            "datasets": len(mechanism),
            "edges": mechanism.graph.edges,
            "method": mechanism.method,
            "privacy": self.name,
            "mu": self.mu,
        }


def made_for(port: Port, graph: StoredGraph, info: GraphInfo) -> bool:
    """Return whether the stored mechanism was made for a graph as it was just read."""
    kept = info.mechanism
    if kept is None:
        return True
    if kept.fingerprint is None:  # nobody but neodp changes such a store
        return not info.stale
    return StoredPrivacy.read(port, graph, kept).fingerprint(graph) == kept.fingerprint


def by_edge(graph: DatasetGraph, source: pa.Array, target: pa.Array, values: Floats) -> Floats:
    """Return values of stored edges, given with the keys of their ends, in the order of a graph's edges; else NaN.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from neodp.data import generate
    >>> by_edge(generate.path(3), pa.array(["2"]), pa.array(["1"]), np.array([0.5]))
    array([nan, 0.5])
    """
    import pyarrow.compute as pc

    ends = [np.asarray(pc.fill_null(pc.index_in(column, graph.keys), -1), np.int64) for column in (source, target)]
    known = (ends[0] >= 0) & (ends[1] >= 0)
    stored = _pair(ends[0][known], ends[1][known], len(graph))
    wanted = _pair(graph.source, graph.target, len(graph))
    order = np.argsort(stored)
    found = np.full(graph.edges, np.nan)
    if len(order):
        place = order[np.minimum(np.searchsorted(stored, wanted, sorter=order), len(order) - 1)]
        found = np.where(stored[place] == wanted, values[known][place], np.nan)
    return found


def edge_values(graph: DatasetGraph, values: Floats) -> Floats:
    """Return mu, one per edge, if every edge has one.

    Raises
    ------
    NoMechanism
        If an edge has no mu.
    """
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        raise NoMechanism(
            f"edge {graph.edge_name(int(missing[0]))} of graph {graph.name!r} has no mu: it came after the mechanism "
            "was written",
            Hint("run ", Call("extend", graph=graph.name), " again"),
        )
    return values


def _pair(one: Any, two: Any, n: int) -> Any:
    """Return a number for each edge that does not depend on its direction."""
    return np.minimum(one, two).astype(np.int64) * n + np.maximum(one, two)
