"""Answers about stored graphs: certified beforehand, drawn once, and refused by public things only.

*Certified.* Whether a question is answered must not tell which dataset is the true one. So it is decided by the graph,
its alpha and the ledger alone. A graph is looked at as a whole, once: it must be connected, its boundary hit and its
alpha compatible. Its *certificate* holds for as long as neodp knows of no change: every change by neodp gives the graph
a new revision. What somebody else changes in a database, by Cypher of their own, is not seen at once; a search that
comes across such a change takes the certificate back, for every dataset alike. ``verify`` does not rely on that: it
reads the whole graph again and compares fingerprints.

*Audited.* What is drawn from is checked exactly on every edge at the dataset, whatever found it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from neodp.auditing import judge
from neodp.ball import Evaluation
from neodp.errors import (
    IncompatibleAlpha,
    NeodpError,
    NotCertified,
    NotPrivate,
    PrivacyError,
    UnhitBoundary,
)
from neodp.mechanism import check, extend
from neodp.release import Question, Release, answer_once, levels_of
from neodp.store import demand, refusals
from neodp.store.engines import Engine, by_plugin
from neodp.store.notions import EPSILON_DELTA
from neodp.store.records import Certificate, GraphInfo, StoredGraph, fingerprint

if TYPE_CHECKING:
    from neodp.store.base import Store

__all__ = ["answer", "certified", "question"]


def certified(store: Store, name: str, *, verify: bool = False) -> GraphInfo:
    """What is known about a graph that is certified; certified now if it is not.

    Parameters
    ----------
    verify : bool
        Look at the whole graph in any case, so that changes by others are noticed.

    Raises
    ------
    NotCertified
        If the graph is not connected.
    UnhitBoundary, IncompatibleAlpha
        If its boundary is not hit, or its alpha contradicts itself.
    """
    info = store.ready(name)
    if info.certificate is None or verify:
        graph = store.read(name)
        try:
            certificate = _certificate(graph)
        except NeodpError:
            if info.certificate is not None:
                store._mark_changed(name)
            raise
        stale = info.stale or _changed(store, graph, info)
        if certificate != info.certificate or stale != info.stale:
            store._certify(info, certificate, stale)
        info = store.ready(name)
    if info.certificate is None:
        raise NotCertified(f"graph {name!r} was changed while it was looked at", "try again")
    return info


def _certificate(graph: StoredGraph) -> Certificate:
    found = check(graph)
    if not found:
        extend(graph)  # which says why it cannot be extended
    if not found.connected:
        raise NotCertified(
            f"graph {graph.name!r} has {found.components} parts that no edge joins, so that an answer could tell "
            "for certain in which of them the dataset is",
            "add the edges that are missing, or load each part as a graph of its own",
        )
    epsilon, level = np.unique(graph.epsilon, return_inverse=True)
    delta = np.zeros(len(epsilon))
    np.maximum.at(delta, level, graph.delta)
    return Certificate(fingerprint(graph), levels_of(epsilon.tolist(), delta.tolist()))


def _changed(store: Store, graph: StoredGraph, info: GraphInfo) -> bool:
    """Whether the stored mechanism was made for another graph."""
    kept = info.mechanism
    return kept is not None and store.notion(graph, kept).fingerprint(graph) != kept.fingerprint


def question(info: GraphInfo) -> Question:
    """What ``answer`` asks about a graph that is certified."""
    assert info.certificate is not None
    facts = {"graph": info.name, "colors": list(info.colors), "fingerprint": info.certificate.fingerprint}
    return Question(info.name, facts, info.certificate.levels, info.population, f"neodp answer {info.name} KEY")


def answer(store: Store, name: str, key: str, release: str, engine: Engine, **how: bool) -> Release:
    """As :meth:`neodp.store.base.Store.answer`; `how` is its `keep_key`, `constant_work` and `verify`."""
    inside = by_plugin(store, engine, lambda plugin: plugin.answer(name, key, release, how))
    kept = store.kept(name, release)
    if inside is not None and kept is not None:
        return kept
    if kept is not None and name not in {info.name for info in store.graphs()}:
        return kept  # its graph is gone, so that nothing else can be meant
    kind = store.ready(name).mechanism
    if kind is not None and kind.privacy != EPSILON_DELTA:
        raise PrivacyError(
            f"the mechanism of graph {name!r} keeps {kind.privacy} privacy, whose cost nobody adds up here",
            f"run 'neodp extend {name}' for (epsilon, delta)",
        )
    info = certified(store, name, verify=how["verify"])
    if info.stale:
        raise refusals.stale(info)

    def distribution(_: Question) -> Mapping[str, float]:
        return _drawn_from(store, info, key, how["constant_work"]).probabilities

    (found,) = answer_once(store, [question(info)], release, distribution, key=key if how["keep_key"] else None)
    return found


def _drawn_from(store: Store, info: GraphInfo, key: str, constant_work: bool) -> Evaluation:
    """The distribution at a dataset, checked exactly on all its edges."""
    star = store.neighbors(info.name, [key])
    others = star.neighbor.to_pylist()
    try:
        found = demand.distributions(store, info.name, [key, *dict.fromkeys(others)], constant_work)
    except (IncompatibleAlpha, UnhitBoundary):
        store._mark_changed(info.name)
        raise NotCertified(
            f"graph {info.name!r} was changed by others since it was certified",
            f"look at it with 'neodp check {info.name}'",
        ) from None
    place = {evaluation.key: i for i, evaluation in enumerate(found.evaluations)}
    rows = np.array([list(evaluation.probabilities.values()) for evaluation in found.evaluations])
    ends = np.array([place[other] for other in others], np.int64)
    verdict = judge(np.zeros(len(ends), np.int64), ends, star.epsilon, star.delta, rows)
    if verdict.broken.any():
        raise NotPrivate(
            f"the mechanism of graph {info.name!r} breaks an inequality", "report this; nothing was answered"
        )
    return found.evaluations[0]
