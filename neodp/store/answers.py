"""Answers about stored graphs: certified beforehand, drawn once, and refused for public reasons only.

*Certified.* Whether a question is answered must not reveal which dataset is the true one. So the decision depends only
on the graph, its alpha and the ledger. The whole graph is examined once: it must be connected, its boundary hit and its
alpha compatible. Its *certificate* holds for as long as neodp knows of no change: every change by neodp gives the graph
a new revision. Changes that somebody else makes in a database, with their own Cypher, are not noticed at once; a search
that comes across such a change revokes the certificate, for every dataset alike. ``verify`` does not rely on that: it
reads the whole graph again and compares fingerprints.

*Audited.* The distribution that an answer is drawn from is checked exactly on every edge at the dataset, however the
distribution was found.

*Constant work*, on request. The whole graph is read, extended and audited before the dataset is looked up, and no path
is traced. Then one comparison per key finds the dataset, and the answer is drawn from one row. The only difference left
is the time that a processor takes for different numbers of the same size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from neodp.core.extension import check, extend
from neodp.core.inequalities import Verdict, judge
from neodp.errors import (
    DamagedRelease,
    IncompatibleAlpha,
    NeodpError,
    NotCertified,
    NotPrivate,
    PrivacyError,
    UnfinishedGraph,
    UnhitBoundary,
    UnknownGraph,
    UnknownKey,
)
from neodp.hints import Call, Hint
from neodp.ledger.answering import answer_once
from neodp.ledger.question import Question, levels_of
from neodp.ledger.release import Release
from neodp.store import demand, refusals
from neodp.store.engines import Engine, by_plugin
from neodp.store.notions import EPSILON_DELTA
from neodp.store.records import Certificate, GraphInfo, StoredGraph, fingerprint

if TYPE_CHECKING:
    from neodp.store.base import Store

__all__ = ["answer", "certified", "question"]


def certified(store: Store, name: str, *, verify: bool = False) -> GraphInfo:
    """Return what is known about a certified graph; certify the graph now if necessary.

    Parameters
    ----------
    verify : bool
        Examine the whole graph in any case, so that changes by others are noticed.

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
        stale = info.stale or not store._made_for(graph, info)
        if certificate != info.certificate or stale != info.stale:
            store._certify(info, certificate, stale)
        info = store.ready(name)
    if info.certificate is None:
        raise NotCertified(f"graph {name!r} was changed while it was checked", "try again")
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


def question(info: GraphInfo) -> Question:
    """Return the question that ``answer`` asks about a certified graph."""
    assert info.certificate is not None
    facts = {"graph": info.name, "colors": list(info.colors), "fingerprint": info.certificate.fingerprint}
    return Question(info.name, facts, info.certificate.levels, info.population, f"neodp answer {info.name} KEY")


def answer(store: Store, name: str, key: str, release: str, engine: Engine, **how: bool) -> Release:
    """Implement :meth:`neodp.store.base.Store.answer`; `how` is its `keep_key`, `constant_work` and `verify`."""
    inside = by_plugin(store, engine, lambda plugin: plugin.answer(name, key, release, how))
    kept = store.kept(name, release)
    if inside is not None and kept is not None:
        return kept
    if kept is not None and name not in {info.name for info in store.graphs()}:
        return kept  # its graph is gone, so that nothing else can be meant
    kind = store.ready(name).mechanism
    if kind is not None and kind.privacy != EPSILON_DELTA:
        raise PrivacyError(
            f"the mechanism of graph {name!r} keeps {kind.privacy} privacy, and neodp cannot account for its cost",
            Hint("run ", Call("extend", graph=name), " for (epsilon, delta)"),
        )
    info = certified(store, name, verify=how["verify"])
    if info.stale:
        raise refusals.stale(info)

    def distribution(_: Question) -> Mapping[str, float]:
        try:
            return (_drawn_from_all if how["constant_work"] else _drawn_from)(store, info, key)
        except (UnknownKey, UnknownGraph, UnfinishedGraph):
            now = next((each for each in store.graphs() if each.name == name), None)
            if now is None or (now.revision, now.state) != (info.revision, info.state):
                raise refusals.changed_while_read("graph", name, store.address) from None
            raise

    (found,) = answer_once(store, [question(info)], release, distribution, key=key if how["keep_key"] else None)
    if found.answer not in info.colors:
        raise DamagedRelease(
            f"release {release!r} of {name!r} holds {found.answer!r}, which is not one of the graph's colours: "
            "the store was damaged or edited",
            "restore the store from a backup, see docs/backup.md; nothing was answered",
        )
    return found


def _drawn_from_all(store: Store, info: GraphInfo, key: str) -> Mapping[str, float]:
    """Return the distribution at a dataset, after extending all datasets and checking all edges."""
    import pyarrow.compute as pc

    assert info.certificate is not None
    with _certified_still(store, info):
        graph, rows = demand.everywhere(store, info)
    if fingerprint(graph) != info.certificate.fingerprint:
        raise _changed_by_others(store, info)
    _require_private(info, judge(graph.source, graph.target, graph.epsilon, graph.delta, rows))
    at = np.flatnonzero(np.asarray(pc.equal(graph.keys, key)))
    if not len(at):
        raise refusals.unknown_key(info.name, key)
    return dict(zip(graph.colors, rows[at[0]].tolist(), strict=True))


def _drawn_from(store: Store, info: GraphInfo, key: str) -> Mapping[str, float]:
    """Return the distribution at a dataset, checked exactly on all its edges."""
    star = store.neighbors(info.name, [key])
    others = star.neighbor.to_pylist()
    place = {each: i for i, each in enumerate(dict.fromkeys([key, *others]))}
    with _certified_still(store, info):
        rows = demand.distributions(store, info.name, list(place))
    ends = np.array([place[other] for other in others], np.int64)
    _require_private(info, judge(np.zeros(len(ends), np.int64), ends, star.epsilon, star.delta, rows))
    return dict(zip(info.colors, rows[0].tolist(), strict=True))


@contextmanager
def _certified_still(store: Store, info: GraphInfo) -> Iterator[None]:
    """Revoke the certificate if it turns out that the graph cannot be extended."""
    try:
        yield
    except (IncompatibleAlpha, UnhitBoundary):
        raise _changed_by_others(store, info) from None


def _changed_by_others(store: Store, info: GraphInfo) -> NotCertified:
    store._mark_changed(info.name)
    return NotCertified(
        f"graph {info.name!r} was changed by others since it was certified",
        Hint("look at it with ", Call("check", graph=info.name)),
    )


def _require_private(info: GraphInfo, verdict: Verdict) -> None:
    if verdict.broken.any():
        raise NotPrivate(
            f"the mechanism of graph {info.name!r} breaks an inequality", "report this; nothing was answered"
        )
