"""Single datasets of a stored graph on demand: a search around them (:mod:`neodp.ball`), or a pass over all of it.

The stored mechanism, if there is one, decides how it is done: its method and its privacy notion are those of the
numbers that come back. Nobody is given numbers that the stored mechanism does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from neodp import ball
from neodp.auditing import NUMERICAL
from neodp.ball import Ball, Evaluation, Found, Star
from neodp.columns import Floats
from neodp.errors import BallTooLarge, GraphError, ReadOnlyStore, StaleMechanism
from neodp.estimate import estimate
from neodp.family import family
from neodp.privacy import EpsilonDelta
from neodp.rainbow import Method
from neodp.store import refusals
from neodp.store.engines import Engine, by_plugin
from neodp.store.notions import EPSILON_DELTA
from neodp.store.records import GraphInfo, StoredGraph

if TYPE_CHECKING:
    from neodp.store.base import Store

__all__ = ["StoredView", "distributions", "evaluate", "everywhere"]


class StoredView:
    """A stored graph seen from some of its datasets, for a search.

    Parameters
    ----------
    info : GraphInfo
    keys : strings
        The datasets.
    found : Found
        Their colours and alpha.
    stored : array of float, one row per dataset
        The probabilities that the datasets have; NaN where they have none.
    least : array of float
        As in :class:`~neodp.ball.View`.
    neighbors, write : callables
        Ask the store for the edges at some datasets; have the store keep probabilities, if the graph is still what it
        was.
    """

    def __init__(
        self,
        info: GraphInfo,
        keys: Sequence[str],
        found: Found,
        stored: Floats,
        least: Floats,
        neighbors: Callable[[Sequence[str]], Star],
        write: Callable[[Sequence[Evaluation]], None],
    ) -> None:
        self.info = info
        self.name = info.name
        self.colors = info.colors
        self.stored = stored
        self.least = least
        self.queries = 1
        """How many queries were made."""
        self._keys, self._found = list(keys), found
        self._neighbors, self._write = neighbors, write

    def find(self, keys: Sequence[str]) -> Found:
        assert list(keys) == self._keys
        return self._found

    def neighbors(self, keys: Sequence[str]) -> Star:
        self.queries += 1
        return self._neighbors(keys)

    def agrees(self, found: Ball) -> bool:
        """Whether what was found is what the store has, if it holds a mechanism at all.

        (epsilon, delta) is computed in integers, so that every bit must agree; other notions are computed in doubles,
        and must agree up to rounding.
        """
        if self.info.mechanism is None:
            return True
        rows = np.array([list(e.probabilities.values()) for e in found.evaluations])
        if self.info.mechanism.privacy == EPSILON_DELTA:
            return np.array_equal(rows, self.stored)
        return np.allclose(rows, self.stored, rtol=NUMERICAL, atol=0.0)

    def write(self, evaluations: Sequence[Evaluation]) -> None:
        """Keep probabilities on their datasets, if the graph is still what it was."""
        self.queries += 1
        self._write(evaluations)


def evaluate(store: Store, name: str, keys: Sequence[str], engine: Engine, limit: int | None, write: bool) -> Ball:
    """As :meth:`neodp.store.base.Store.evaluate`."""
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
    """What the plugin finds; None where the client is to search."""
    try:
        return by_plugin(store, engine, lambda plugin: plugin.evaluate(name, keys, limit))
    except StaleMechanism:
        _mark_changed(store, name)
        raise


def _mark_changed(store: Store, name: str) -> None:
    """Now everybody knows, whichever dataset they ask for."""
    with suppress(ReadOnlyStore):
        store._mark_changed(name)


def distributions(store: Store, name: str, keys: Sequence[str]) -> Ball:
    """The mechanism at some datasets as the graph gives it now, whatever probabilities are stored on them."""
    with store.view(name, keys) as view:
        return _evaluated(store, view, list(keys), "auto", None)


def everywhere(store: Store, info: GraphInfo) -> tuple[StoredGraph, Floats]:
    """A graph and the mechanism at all its datasets as the graph gives it now, for (epsilon, delta).

    The same work whichever dataset is asked for: none is known here.
    """
    graph, kept = store.read(info.name), info.mechanism
    method = cast("Method", kept.method) if kept is not None and kept.method in ("prefix", "line") else None
    rows = family(graph).extend(graph, EpsilonDelta.of(graph), method).rows
    unknown = not family(graph).binary and kept is not None and method is None
    if unknown and not np.array_equal(rows, store._probabilities(graph, info)):
        rows = family(graph).extend(graph, EpsilonDelta.of(graph), "line").rows
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
        return ball.evaluate_whole(graph, keys, privacy=store.notion(graph, kept).privacy(graph))
    if not family(view).binary and engine != "ball":
        return _rainbow(store, view, keys)
    if engine == "whole":
        return ball.evaluate_whole(store.read(view.name), keys)
    datasets, layers = _cheaper(view.info)
    try:
        bounded = engine != "ball" and limit is None
        return ball.evaluate(view, keys, limit=limit or datasets, layers=layers if bounded else None)
    except BallTooLarge:
        if engine == "ball" or not estimate(view.info.datasets, view.info.edges).fits:
            raise
        found = ball.evaluate_whole(store.read(view.name), keys)
        return replace(found, proof="the search grew too large, so the whole graph was extended")


def _rainbow(store: Store, view: StoredView, keys: list[str]) -> Ball:
    """More than two colours: by the method of the stored mechanism; where nobody knows it, by the one that agrees."""
    graph, method = store.read(view.name), view.info.mechanism and view.info.mechanism.method
    if method in ("prefix", "line"):
        return ball.evaluate_whole(graph, keys, cast("Method", method))
    found = ball.evaluate_whole(graph, keys)
    if method in (None, "given") and not view.agrees(found):
        return ball.evaluate_whole(graph, keys, "line")
    return found


def _cheaper(info: GraphInfo) -> tuple[int, int]:
    """How many datasets and layers a search may have before a pass over the whole graph would be cheaper, roughly.

    A layer is a query and a solution. A pass takes, on both stores, about as long as three layers, and as one more for
    every thousand datasets; so a search that ends in a pass takes about twice as long as the pass alone.
    """
    return min(ball.LIMIT, max(1000, info.datasets // 8)), min(200, 3 + info.datasets // 1000)
