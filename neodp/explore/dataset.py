"""One dataset, looked up by its key: its distribution, the reason for the distribution, and its neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from neodp.core.evaluation import Evaluation, evaluate_whole
from neodp.core.mechanism import Mechanism
from neodp.data.graph import DatasetGraph
from neodp.errors import NeodpError
from neodp.explore.changes import Changes, extended
from neodp.explore.drawing import around
from neodp.explore.overview import chance, drawable, said
from neodp.explore.source import Source
from neodp.store import Store

__all__ = ["dataset"]


def dataset(source: Source, name: str, key: str, changes: Changes | None = None) -> dict[str, Any]:
    """Return what is known about one dataset and, in a large graph, a drawing of its surroundings.

    Raises
    ------
    UnknownKey
        If there is no such dataset.
    """
    with source.store() as store:
        if not drawable(store.ready(name)):
            return _from_store(store, name, key)
    shown = source.shown(name)
    graph, mechanism, problem = shown.graph, shown.mechanism, shown.problem
    if changes:
        graph = changes.of(graph)
        try:
            mechanism, problem = extended(shown, graph), None
        except NeodpError as e:
            mechanism, problem = None, e
    v = graph.index(key)
    return _facts(graph, v) | {
        "distribution": None if mechanism is None else _distribution(graph, mechanism.probabilities[v].tolist()),
        "decided": None if mechanism is None else _decided(graph, mechanism, v),
        "problem": None if problem is None else said(problem, name),
        "neighbors": _neighbors(graph, mechanism, v),
        "around": None,
    }


def _facts(graph: DatasetGraph, v: int) -> dict[str, Any]:
    preference = graph.preference_lists()[v].as_py()
    return {
        "key": graph.key(v),
        "color": graph.colors[graph.color[v]],
        "preference": preference,
        "alpha": graph.alpha[v].tolist() if graph.given[v] else None,
    }


def _distribution(graph: DatasetGraph, row: list[float]) -> list[dict[str, Any]]:
    others = [sum(row[:j] + row[j + 1 :]) for j in range(len(row))]
    return [{"color": c, **chance(p, q)} for c, p, q in zip(graph.colors, row, others, strict=True)]


def _decided(graph: DatasetGraph, mechanism: Mechanism, v: int) -> dict[str, Any] | None:
    """Return the path from the dataset whose alpha decides; None if the stored mechanism is not that of the graph."""
    if mechanism.method in ("optimal", "distance"):
        return None
    method: Any = mechanism.method if mechanism.method in ("line", "prefix") else None
    try:
        found = evaluate_whole(graph, [graph.key(v)], method, mechanism.privacy).evaluations[0]
    except NeodpError:
        return None
    if not np.allclose(list(found.probabilities.values()), mechanism.probabilities[v], rtol=1e-12, atol=0.0):
        return None
    return _path(found)


def _path(found: Evaluation) -> dict[str, Any]:
    return {"path": list(found.path), "epsilons": list(found.epsilons), "deltas": list(found.deltas)}


def _neighbors(graph: DatasetGraph, mechanism: Mechanism | None, v: int) -> list[dict[str, Any]]:
    indptr, neighbor, edge = graph.adjacency
    found = []
    for w, e in zip(
        neighbor[indptr[v] : indptr[v + 1]].tolist(), edge[indptr[v] : indptr[v + 1]].tolist(), strict=True
    ):
        true = None if mechanism is None else chance(mechanism.p_true[w], mechanism.p_false[w])
        found.append(
            {
                "key": graph.key(w),
                "color": graph.colors[graph.color[w]],
                "true": true,
                "epsilon": float(graph.epsilon[e]),
                "delta": float(graph.delta[e]),
            }
        )
    return sorted(found, key=lambda each: str(each["key"]))


def _from_store(store: Store, name: str, key: str) -> dict[str, Any]:
    """Return what is known about a dataset of a large graph, by a search around it instead of reading the graph."""
    part = store.read(name, keys=[key])
    v = part.index(key)
    distribution = decided = problem = None
    try:
        found = store.evaluate(name, [key]).evaluations[0]
        distribution, decided = _distribution(part, list(found.probabilities.values())), _path(found)
    except NeodpError as e:
        problem = said(e, name)
    rows = store.query("neighborhood", name, key=key).to_pylist()
    return _facts(part, v) | {
        "distribution": distribution,
        "decided": decided,
        "problem": problem,
        "neighbors": [
            {
                "key": row["key"],
                "color": row["color"],
                "true": None if row["p_true"] is None else chance(row["p_true"]),
                "epsilon": row["epsilon"],
                "delta": row["delta"],
            }
            for row in rows
        ],
        "around": around(store, name, key),
    }
