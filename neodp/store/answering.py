"""Answers about stored graphs: certified beforehand, drawn once, and refused for public reasons only.

*Certified.* Whether a question is answered must not reveal which dataset is the true one. So the decision depends only
on the graph, its alpha and the ledger. The whole graph is examined once: it must be connected, its boundary hit and its
alpha compatible. Its *certificate* holds for as long as neodp knows of no change: every change by neodp gives the graph
a new revision. Changes that somebody else makes in a database, with their own Cypher, are not noticed at once; a search
that comes across such a change revokes the certificate, for every dataset alike. ``verify`` does not rely on that: it
reads the whole graph again and compares fingerprints.

*Audited.* The distribution that an answer is drawn from is checked exactly on every edge at the dataset, however the
distribution was found.

A mechanism that a linear program has found is not computed again but read (:mod:`neodp.store.evaluation`): all of it,
and all edges are checked before the dataset is looked up, so that a stored row that somebody has changed is refused for
every dataset alike. Such a mechanism, and one of distances, needs no alpha, and is certified by that check instead.

*Constant work*, on request. The whole graph is read, extended and audited before the dataset is looked up, and no path
is traced. Then one comparison per key finds the dataset, and the answer is drawn from one row. The only difference left
is the time that a processor takes for different numbers of the same size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from neodp.core import traversal
from neodp.core.estimate import estimate
from neodp.core.extension import check, extend
from neodp.core.inequalities import Verdict, judge
from neodp.data.validation import is_text
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
from neodp.ledger.answering import admit, draw_and_keep, look_up
from neodp.ledger.question import Question, levels_of
from neodp.ledger.release import Release
from neodp.store import evaluation, refusals
from neodp.store.port import Port
from neodp.store.records import Certificate, GraphInfo, StoredGraph, fingerprint
from neodp.store.stored_privacy import EPSILON_DELTA, made_for
from neodp.store.verbs import Manner

__all__ = ["answer", "certified", "drawn_from", "drawn_from_all", "question"]


def certified(port: Port, name: str, *, verify: bool = False) -> GraphInfo:
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
    info = port.ready(name)
    if info.certificate is None or verify:
        graph = port.read(name)
        try:
            certificate = _certificate(port, info, graph)
        except NeodpError:
            if info.certificate is not None:
                port.mark_changed(name)
            raise
        stale = info.stale or not made_for(port, graph, info)
        if certificate != info.certificate or stale != info.stale:
            port.certify(info, certificate, stale=stale)
        info = port.ready(name)
    if info.certificate is None:
        raise NotCertified(f"graph {name!r} was changed while it was checked", "try again")
    return info


def _certificate(port: Port, info: GraphInfo, graph: StoredGraph) -> Certificate:
    if evaluation.needs_alpha(info):
        if not check(graph):
            extend(graph, method="line")  # which says why it cannot be extended
    else:
        read, rows = evaluation.everywhere(port, info)
        _require_private(info, judge(read.source, read.target, read.epsilon, read.delta, rows))
    parts, _ = traversal.components(len(graph), graph.source, graph.target)
    if parts > 1:
        raise NotCertified(
            f"graph {graph.name!r} has {parts} parts that no edge joins, so an answer could reveal "
            "for certain which of them the dataset is in",
            "add the missing edges, or load each part as a graph of its own",
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


def answer(port: Port, name: str, key: str, release: str, manner: Manner) -> Release:
    """Return the stored answer, or draw one and store it now: look up, compute, keep."""
    found = look_up(port, [name], release)
    kept = found.releases[name]
    if kept is not None and all(info.name != name for info in port.graphs()):
        return kept  # its graph is gone, so that nothing else can be meant
    info = _answerable(port, name, verify=manner.verify)
    asked = question(info)
    found = admit(port, found, [asked])
    if found.missing:
        _require_memory(info)
    chances = {name: _chances(port, info, key, manner)} if found.missing else {}
    (given,) = draw_and_keep(port, found, [asked], chances, key=key if manner.keep_key else None)
    if given.answer not in info.colors:
        raise DamagedRelease(
            f"release {release!r} of {name!r} holds {given.answer!r}, which is not one of the graph's colours: "
            "the store was damaged or edited",
            "restore the store from a backup, see docs/backup.md; nothing was answered",
        )
    return given


def _answerable(port: Port, name: str, *, verify: bool) -> GraphInfo:
    """Return what is known about a graph that may be asked about; refuse any other, whatever the dataset."""
    kept = port.ready(name).mechanism
    if kept is not None and kept.privacy != EPSILON_DELTA:
        raise PrivacyError(
            f"the mechanism of graph {name!r} keeps {kept.privacy} privacy, and neodp cannot account for its cost",
            Hint("run ", Call("extend", graph=name), " for (epsilon, delta)"),
        )
    info = certified(port, name, verify=verify)
    if info.stale:
        raise refusals.stale(info)
    return info


def _require_memory(info: GraphInfo) -> None:
    """Refuse a graph that does not fit into memory as a whole, before the dataset is looked at.

    A search around a dataset may end in a pass over the whole graph. If that were impossible, it would depend on the
    dataset whether there is an answer.
    """
    needed = estimate(info.datasets, info.edges)
    if not needed.fits:
        raise NotCertified(
            f"graph {info.name!r} has {info.datasets:,} datasets, which do not fit into the memory of this machine, so "
            "that it cannot be answered about all of them",
            f"use a machine with at least {2 * needed.bytes_max // 10**6 + 1:,} MB, or the plugin inside the server",
        )


def _chances(port: Port, info: GraphInfo, key: str, manner: Manner) -> Mapping[str, float]:
    """Return the distribution at a dataset; if the graph was changed meanwhile, say so instead of blaming the key."""
    try:
        whole = manner.constant_work or evaluation.is_read(info)
        return (drawn_from_all if whole else drawn_from)(port, info, key)
    except (UnknownKey, UnknownGraph, UnfinishedGraph):
        now = next((each for each in port.graphs() if each.name == info.name), None)
        if now is None or (now.revision, now.state) != (info.revision, info.state):
            raise refusals.changed_while_read("graph", info.name, port.address) from None
        raise


def drawn_from_all(port: Port, info: GraphInfo, key: str) -> Mapping[str, float]:
    """Return the distribution at a dataset, after extending all datasets and checking all edges."""
    import pyarrow.compute as pc

    assert info.certificate is not None
    with _certified_still(port, info):
        graph, rows = evaluation.everywhere(port, info)
    if fingerprint(graph) != info.certificate.fingerprint:
        raise _changed_by_others(port, info)
    _require_private(info, judge(graph.source, graph.target, graph.epsilon, graph.delta, rows))
    if not is_text(key):
        raise refusals.unknown_key(info.name, key)
    at = np.flatnonzero(np.asarray(pc.equal(graph.keys, key)))
    if not len(at):
        raise refusals.unknown_key(info.name, key)
    return dict(zip(graph.colors, rows[at[0]].tolist(), strict=True))


def drawn_from(port: Port, info: GraphInfo, key: str) -> Mapping[str, float]:
    """Return the distribution at a dataset, checked exactly on all its edges."""
    star = port.neighbors(info.name, [key])
    others = star.neighbor.to_pylist()
    place = {each: i for i, each in enumerate(dict.fromkeys([key, *others]))}
    with _certified_still(port, info):
        rows = evaluation.distributions(port, info.name, list(place))
    ends = np.array([place[other] for other in others], np.int64)
    _require_private(info, judge(np.zeros(len(ends), np.int64), ends, star.epsilon, star.delta, rows))
    return dict(zip(info.colors, rows[0].tolist(), strict=True))


@contextmanager
def _certified_still(port: Port, info: GraphInfo) -> Iterator[None]:
    """Revoke the certificate if it turns out that the graph cannot be extended."""
    try:
        yield
    except (IncompatibleAlpha, UnhitBoundary):
        raise _changed_by_others(port, info) from None


def _changed_by_others(port: Port, info: GraphInfo) -> NotCertified:
    port.mark_changed(info.name)
    return NotCertified(
        f"graph {info.name!r} was changed by others since it was certified",
        Hint("look at it with ", Call("check", graph=info.name)),
    )


def _require_private(info: GraphInfo, verdict: Verdict) -> None:
    if verdict.broken.any():
        raise NotPrivate(
            f"the mechanism of graph {info.name!r} breaks an inequality",
            Hint("run ", Call("extend", graph=info.name), " again; nothing was answered"),
        )
