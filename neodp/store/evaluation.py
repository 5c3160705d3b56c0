"""Evaluation of single datasets: by a search around them (:mod:`neodp.core.ball`), or by a pass over the whole graph.

If a mechanism is stored, the evaluation uses its method and its privacy notion. It never returns probabilities that
differ from the stored ones. A mechanism of the method "optimal" is read as it was stored: its linear program need not
give the same bits on another machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

import numpy as np

from neodp.core import ball
from neodp.core.estimate import estimate
from neodp.core.evaluation import Ball, evaluate_at, evaluate_whole
from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.core.rainbow import Method
from neodp.data.family import family
from neodp.data.progress import Progress, silent
from neodp.data.validation import Floats
from neodp.errors import BallTooLarge, GraphError, NoMechanism, ReadOnlyStore
from neodp.hints import Call, Hint
from neodp.store import refusals
from neodp.store.port import Port
from neodp.store.records import GraphInfo, StoredGraph, StoredMechanism
from neodp.store.stored_privacy import EPSILON_DELTA, StoredPrivacy, made_for
from neodp.store.verbs import Engine
from neodp.store.views import StoredView

__all__ = ["distributions", "evaluate", "everywhere", "is_read", "keep", "method_of", "needs_alpha", "stored"]

COMPUTED = ("prefix", "line", "distance")
"""The methods by which a stored mechanism is computed again."""


def evaluate(port: Port, name: str, keys: Sequence[str], *, engine: Engine, limit: int | None, write: bool) -> Ball:
    """Return the optimal mechanism at some datasets and, with `write`, store it there.

    Raises
    ------
    StaleMechanism
        If the graph has changed since the stored mechanism was made.
    """
    with port.view(name, keys, write=write) as view:
        found = None if view.info.stale else _evaluated(port, view, list(keys), engine, limit, write=write)
        agrees = found is not None and _settled(view, found, write=write)
    return _accepted(port, view, found if agrees else None)


def keep(port: Port, name: str, found: Ball) -> Ball:
    """Store a result on its datasets, if it agrees with the stored mechanism.

    Raises
    ------
    StaleMechanism
        If it does not.
    """
    with port.view(name, [evaluation.key for evaluation in found.evaluations], write=True) as view:
        agrees = not view.info.stale and _settled(view, found, write=True)
    return _accepted(port, view, found if agrees else None)


def _settled(view: StoredView, found: Ball, *, write: bool) -> bool:
    """Return whether a result agrees with the stored mechanism; if so and with `write`, store the result."""
    agrees = view.agrees(found)
    if agrees and write:
        view.write(found.evaluations)
    return agrees


def _accepted(port: Port, view: StoredView, found: Ball | None) -> Ball:
    """Return a result that agrees; if there is none, mark the graph as changed for everybody, and refuse."""
    if found is None:
        if not view.info.stale:
            with suppress(ReadOnlyStore):
                port.mark_changed(view.name)
        raise refusals.stale(view.info)
    return replace(found, queries=view.queries)


def distributions(port: Port, name: str, keys: Sequence[str]) -> Floats:
    """Compute the mechanism at some datasets from the present graph, as rows; stored probabilities are ignored."""
    with port.view(name, keys) as view:
        kept = view.info.mechanism
        if is_read(view.info):
            graph, rows = everywhere(port, view.info)
            return rows[view.positions(graph)]
        if family(view).binary and (kept is None or kept.privacy == EPSILON_DELTA) and not port.layers(view.info):
            graph = port.read(name)
            return graph.extension.probabilities[view.positions(graph)]  # no path is asked for
        found = _evaluated(port, view, list(keys), "auto", None)
    return np.array([list(evaluation.probabilities.values()) for evaluation in found.evaluations])


def everywhere(port: Port, info: GraphInfo) -> tuple[StoredGraph, Floats]:
    """Return a graph and its mechanism at all datasets, for (epsilon, delta): computed from the present graph, or read.

    The work does not depend on the dataset in question, which is not known here.

    Raises
    ------
    StaleMechanism
        If the mechanism is read, and the graph has changed since it was made.
    """
    if is_read(info):
        found = stored(port, info.name)
        if found.stale:
            raise refusals.stale(info)
        return cast("StoredGraph", found.mechanism.graph), found.mechanism.probabilities
    graph = port.read(info.name)
    return graph, extend(graph, method=method_of(info)).probabilities


def method_of(info: GraphInfo) -> Method | None:
    """Return the method by which all datasets of a graph are evaluated; None for that of :func:`neodp.extend`.

    It stands in the record of the stored mechanism, which was written for the whole graph. Nothing that is found at a
    dataset changes it: two neighbours are never answered by two methods.
    """
    kept = info.mechanism
    return cast("Method", kept.method) if kept is not None and kept.method in COMPUTED else None


def is_read(info: GraphInfo) -> bool:
    """Return whether the mechanism of a graph is read as it was stored, and not computed again."""
    kept = info.mechanism
    return kept is not None and kept.method == "optimal" and kept.privacy == EPSILON_DELTA


def needs_alpha(info: GraphInfo) -> bool:
    """Return whether the method by which a graph is evaluated needs alpha; if not, a mechanism of it is stored."""
    return not is_read(info) and method_of(info) != "distance"


def stored(port: Port, name: str, progress: Progress = silent) -> StoredMechanism:
    """Return the stored mechanism of a graph, complete or not at all; notice whether the graph has changed.

    Raises
    ------
    NoMechanism
        If there is none, or it is not complete.
    """
    info = port.ready(name)
    if info.mechanism is None:
        raise NoMechanism(
            f"graph {name!r} has no complete mechanism", Hint("run ", Call("extend", graph=name), " first")
        )
    graph = port.read(name, progress=progress)
    rows = port.probabilities(graph, info)
    missing = np.flatnonzero(np.isnan(rows).any(axis=1))
    if len(missing):
        raise NoMechanism(
            f"dataset {graph.key(int(missing[0]))!r} of graph {name!r} has no probabilities: it came after the "
            "mechanism was written",
            Hint("run ", Call("extend", graph=name), " again"),
        )
    privacy = StoredPrivacy.read(port, graph, info.mechanism)
    after = port.ready(name).mechanism
    if after is None or after.version != info.mechanism.version:
        raise NoMechanism(f"the mechanism of graph {name!r} was replaced while it was read", "try again")
    found = Mechanism.of(graph, rows, privacy.privacy(graph))
    found = replace(found, method=info.mechanism.method or found.method, optimality=info.mechanism.optimality)
    stale = not made_for(port, graph, info)
    if stale and not info.stale:
        with suppress(ReadOnlyStore):
            port.mark_changed(name)
    return StoredMechanism(found, info.mechanism, stale or info.stale)


def _evaluated(
    port: Port, view: StoredView, keys: list[str], engine: Engine, limit: int | None, *, write: bool = False
) -> Ball:
    kept = view.info.mechanism
    if is_read(view.info) and engine != "ball":
        found = stored(port, view.name).mechanism
        proof = "the stored mechanism was read"
        return replace(evaluate_at(view.positions(cast("StoredGraph", found.graph)), found), proof=proof)
    if kept is not None and kept.privacy != EPSILON_DELTA:
        if engine == "ball":
            raise GraphError(
                f"the mechanism of graph {view.name!r} is {kept.privacy}",
                "leave the engine out, or take 'whole': a search knows (epsilon, delta) only",
            )
        graph = port.read(view.name)
        return evaluate_whole(graph, keys, privacy=StoredPrivacy.read(port, graph, kept).privacy(graph))
    if not family(view).binary and engine != "ball":
        return _rainbow(port, view, write=write)
    datasets, layers = min(ball.LIMIT, max(1000, view.info.datasets // 8)), port.layers(view.info)
    bounded = engine != "ball" and limit is None
    if engine == "whole" or (bounded and not layers):
        return _whole(port, view)
    try:
        return ball.evaluate(view, keys, limit=limit or datasets, layers=layers if bounded else None)
    except BallTooLarge:
        if engine == "ball" or not estimate(view.info.datasets, view.info.edges).fits:
            raise
        return replace(_whole(port, view), proof="the search grew too large, so the whole graph was extended")


def _whole(port: Port, view: StoredView) -> Ball:
    graph = port.read(view.name)
    return evaluate_at(view.positions(graph), graph.extension)


def _rainbow(port: Port, view: StoredView, *, write: bool) -> Ball:
    """Evaluate more than two colours by the method that holds for the whole graph."""
    graph, method = port.read(view.name), method_of(view.info)
    if method is None:
        if write and graph.extension.method == "optimal":
            raise GraphError(
                f"the mechanism of graph {view.name!r} is the solution of a linear program over all datasets, and is "
                "stored as a whole only",
                Hint("run ", Call("extend", graph=view.name)),
            )
        return evaluate_at(view.positions(graph), graph.extension)
    return evaluate_whole(graph, view.keys, method)
