"""Evaluation of single datasets: by a search around them (:mod:`neodp.core.ball`), or by a pass over the whole graph.

If a mechanism is stored, the evaluation uses its method and its privacy notion. It never returns probabilities that
differ from the stored ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from neodp.core import ball
from neodp.core.estimate import estimate
from neodp.core.evaluation import Ball, evaluate_at, evaluate_whole
from neodp.core.extension import extend
from neodp.core.rainbow import Method
from neodp.data.family import family
from neodp.data.validation import Floats
from neodp.errors import BallTooLarge, GraphError, ReadOnlyStore, StaleMechanism
from neodp.store import refusals
from neodp.store.engines import Engine, by_plugin
from neodp.store.notions import EPSILON_DELTA
from neodp.store.records import GraphInfo, StoredGraph

if TYPE_CHECKING:
    from neodp.store.base import Store
    from neodp.store.views import StoredView

__all__ = ["distributions", "evaluate", "everywhere"]


def evaluate(store: Store, name: str, keys: Sequence[str], engine: Engine, limit: int | None, write: bool) -> Ball:
    """Implement :meth:`neodp.store.base.Store.evaluate`."""
    wanted = list(dict.fromkeys(keys))
    inside = _inside(store, name, wanted, engine, limit) if wanted else None
    if inside is not None and not write:
        return inside
    with store.view(name, wanted, write=write) as view:
        found = None
        if not view.info.stale:
            found = inside or _evaluated(store, view, wanted, engine, limit)
        agrees = found is not None and view.agrees(found)
        if agrees and found is not None and write:
            view.write(found.evaluations)
    if not agrees or found is None:
        if not view.info.stale:
            _mark_changed(store, name)
        raise refusals.stale(view.info)
    return replace(found, queries=view.queries)


def _inside(store: Store, name: str, keys: list[str], engine: Engine, limit: int | None) -> Ball | None:
    """Return the result of the plugin; None if the client is to search."""
    try:
        return by_plugin(store, engine, lambda plugin: plugin.evaluate(name, keys, limit))
    except StaleMechanism:
        _mark_changed(store, name)
        raise


def _mark_changed(store: Store, name: str) -> None:
    """Mark a graph as changed for everybody, whichever dataset they ask for."""
    with suppress(ReadOnlyStore):
        store._mark_changed(name)


def distributions(store: Store, name: str, keys: Sequence[str]) -> Floats:
    """Compute the mechanism at some datasets from the present graph, as rows; stored probabilities are ignored."""
    with store.view(name, keys) as view:
        kept = view.info.mechanism
        if family(view).binary and (kept is None or kept.privacy == EPSILON_DELTA) and not store._layers(view.info):
            graph = store.read(name)
            return graph.extension.probabilities[view.positions(graph)]  # no path is asked for
        found = _evaluated(store, view, list(keys), "auto", None)
    return np.array([list(evaluation.probabilities.values()) for evaluation in found.evaluations])


def everywhere(store: Store, info: GraphInfo) -> tuple[StoredGraph, Floats]:
    """Return a graph and its mechanism at all datasets, computed from the present graph, for (epsilon, delta).

    The work does not depend on the dataset in question, which is not known here.
    """
    graph, kept = store.read(info.name), info.mechanism
    method = cast("Method", kept.method) if kept is not None and kept.method in ("prefix", "line") else None
    rows = extend(graph, method=method).probabilities
    unknown = not family(graph).binary and kept is not None and method is None
    if unknown and not np.array_equal(rows, store._probabilities(graph, info)):
        rows = extend(graph, method="line").probabilities
    return graph, rows


def _evaluated(store: Store, view: StoredView, keys: list[str], engine: Engine, limit: int | None) -> Ball:
    kept = view.info.mechanism
    if kept is not None and kept.privacy != EPSILON_DELTA:
        if engine == "ball":
            raise GraphError(
                f"the mechanism of graph {view.name!r} is {kept.privacy}",
                "leave the engine out, or take 'whole': a search knows (epsilon, delta) only",
            )
        graph = store.read(view.name)
        return evaluate_whole(graph, keys, privacy=store.notion(graph, kept).privacy(graph))
    if not family(view).binary and engine != "ball":
        return _rainbow(store, view)
    datasets, layers = min(ball.LIMIT, max(1000, view.info.datasets // 8)), store._layers(view.info)
    bounded = engine != "ball" and limit is None
    if engine == "whole" or (bounded and not layers):
        return _whole(store, view)
    try:
        return ball.evaluate(view, keys, limit=limit or datasets, layers=layers if bounded else None)
    except BallTooLarge:
        if engine == "ball" or not estimate(view.info.datasets, view.info.edges).fits:
            raise
        return replace(_whole(store, view), proof="the search grew too large, so the whole graph was extended")


def _whole(store: Store, view: StoredView) -> Ball:
    graph = store.read(view.name)
    return evaluate_at(view.positions(graph), graph.extension)


def _rainbow(store: Store, view: StoredView) -> Ball:
    """Evaluate more than two colours by the method of the stored mechanism; if unknown, by the method that agrees."""
    graph, method = store.read(view.name), view.info.mechanism and view.info.mechanism.method
    if method in ("prefix", "line"):
        return evaluate_whole(graph, view.keys, cast("Method", method))
    found = evaluate_at(view.positions(graph), graph.extension)
    if method in (None, "given") and not view.agrees(found):
        return evaluate_whole(graph, view.keys, "line")
    return found
