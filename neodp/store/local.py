"""The verbs on stored graphs, carried out by this process over any port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from neodp.core import auditing, extension
from neodp.core.boundary import boundary_vertices
from neodp.core.estimate import estimate
from neodp.core.evaluation import Ball
from neodp.core.extension import Check
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta
from neodp.core.rainbow import DatasetPrior, Method
from neodp.data.family import family
from neodp.data.progress import Progress, silent
from neodp.errors import NeodpError
from neodp.ledger.release import Release
from neodp.store import answering, evaluation
from neodp.store.port import Port
from neodp.store.records import GraphInfo, StoredMechanism
from neodp.store.stored_privacy import StoredPrivacy
from neodp.store.verbs import AuditedMechanism, Engine, Manner, Row, Summary

__all__ = ["Local"]


class Local:
    """The verbs, computed by this process (:class:`neodp.store.verbs.Verbs`)."""

    where = "client"

    def __init__(self, port: Port) -> None:
        self._port = port

    def check(self, name: str, progress: Progress) -> Check:
        """Check whether a stored graph can be extended (:func:`neodp.check`)."""
        return extension.check(self._port.read(name, progress=progress))

    def extend(
        self,
        name: str,
        *,
        method: Method | None,
        write: bool,
        progress: Progress,
        prior: str | Mapping[str, float] | None = None,
    ) -> Summary:
        """Find the optimal mechanism of a stored graph (:func:`neodp.extend`) and, with `write`, store it."""
        graph = self._port.read(name, progress=progress)
        weights = None
        if prior is not None:
            from neodp.study import prior as weights_of

            weights = DatasetPrior(prior if isinstance(prior, str) else "given", weights_of(graph, prior))
        extended = extension.extend(graph, method=method, prior=weights)
        return _summary(name, extended, self.write(name, extended, progress) if write else 0)

    def stream(self, name: str, *, method: Method | None, progress: Progress) -> Iterator[Row]:
        """Return the optimal mechanism of a stored graph, dataset by dataset."""
        extended = extension.extend(self._port.read(name, progress=progress), method=method)
        graph, rows = extended.graph, extended.probabilities.tolist()
        colors = [graph.colors[color] for color in graph.color]
        return zip(graph.keys.to_pylist(), colors, rows, extended.p_true.tolist(), strict=True)

    def estimate(self, name: str) -> dict[str, Any]:
        """Return the memory of this machine that an extension takes, in bytes."""
        info = self._port.ready(name)
        return asdict(estimate(info.datasets, info.edges))

    def audit(self, name: str, worst: int, progress: Progress) -> AuditedMechanism:
        """Check the stored mechanism of a graph on every edge (:func:`neodp.audit`)."""
        stored = self.mechanism(name, progress)
        report = auditing.audit(stored.mechanism.graph, stored.mechanism, worst=worst)
        return AuditedMechanism(report, stored.stale, stored.info.written)

    def evaluate(self, name: str, keys: Sequence[str], *, engine: Engine, limit: int | None, write: bool) -> Ball:
        """Return the optimal mechanism at some datasets (:mod:`neodp.store.evaluation`)."""
        return evaluation.evaluate(self._port, name, keys, engine=engine, limit=limit, write=write)

    def answer(self, name: str, key: str, release: str, manner: Manner) -> Release:
        """Return the stored answer, or draw one and store it now (:mod:`neodp.store.answering`)."""
        return answering.answer(self._port, name, key, release, manner)

    def certified(self, name: str, *, verify: bool = False) -> GraphInfo:
        """Return what is known about a certified graph; certify it now if necessary."""
        return answering.certified(self._port, name, verify=verify)

    # --- whole mechanisms ---------------------------------------------------------------------------------

    def write(self, name: str, found: Mechanism, progress: Progress = silent) -> int:
        """Store a mechanism, and return how many datasets there are."""
        self._port.write(name, _named(found), StoredPrivacy.of(found, name), progress)
        return len(found)

    def mechanism(self, name: str, progress: Progress = silent) -> StoredMechanism:
        """Return the stored mechanism of a graph, complete or not at all; notice whether the graph has changed."""
        return evaluation.stored(self._port, name, progress)


def _named(found: Mechanism) -> Mechanism:
    """Return a mechanism with the method that finds the same one, if it was given without its method.

    The method decides how the whole graph is evaluated from then on (:func:`~neodp.store.evaluation.method_of`).
    """
    graph = found.graph
    if found.method != "given" or family(graph).binary or not isinstance(found.privacy, EpsilonDelta):
        return found
    with suppress(NeodpError):  # it cannot be extended
        for other in (extension.extend(graph), extension.extend(graph, method="line")):
            if np.array_equal(other.probabilities, found.probabilities):
                return replace(found, method=other.method)
    return found


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
        **({} if extended.optimality is None else extended.optimality._asdict()),
    )
