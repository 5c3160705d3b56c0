"""The content of the explorer's first page: the list of graphs, and the accuracy of the mechanism of one graph.

All functions of this folder return values that JSON can represent. A chance comes with its wording (:func:`chance`), so
that no page rounds it to 0 or 1.
"""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from neodp.core.boundary import boundary_vertices
from neodp.data.graph import DatasetGraph
from neodp.errors import NeodpError
from neodp.explore.source import LARGEST, Shown, Source
from neodp.hints import in_shell
from neodp.ledger.question import levels_of
from neodp.plot.scene import Scene
from neodp.plot.style import shades_of
from neodp.plot.text import precise
from neodp.store import GraphInfo, Store

__all__ = ["DRAWN", "chance", "drawable", "graphs", "overview", "said"]

DRAWN = (8_000, 40_000)
"""The largest numbers of datasets and edges that are drawn one by one, and whose alpha and epsilons can be moved."""


def chance(p: float, q: float | None = None) -> dict[str, Any]:
    """Return a chance p = 1 - q as a number and in words.

    >>> chance(1.0, 2.5e-9)
    {'p': 1.0, 'text': '1 − 2.5·10⁻⁹'}
    """
    return {"p": float(p), "text": precise(float(p), float(1.0 - p if q is None else q))}


def said(error: NeodpError, graph: str | None = None) -> dict[str, Any]:
    """Return an error in the words of the command line."""
    return {"kind": error.kind, "message": in_shell(error.message, graph), "hint": in_shell(error.hint, graph)}


def drawable(info: GraphInfo) -> bool:
    """Return whether all datasets of a graph are drawn one by one."""
    return info.datasets <= DRAWN[0] and info.edges <= DRAWN[1]


def graphs(source: Source) -> dict[str, Any]:
    """Return the graphs of a store."""
    with source.store() as store:
        found = store.graphs()
    return {"store": source.address, "graphs": [_listed(info) for info in found]}


def _listed(info: GraphInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "quoted": shlex.quote(info.name),
        "colors": [
            {"name": name, "shade": shade} for name, shade in zip(info.colors, shades_of(info.colors), strict=True)
        ],
        "datasets": info.datasets,
        "edges": info.edges,
        "state": info.state,
        "population": info.population,
        "mechanism": None if info.mechanism is None else "stale" if info.stale else "stored",
        "drawable": drawable(info),
    }


def overview(source: Source, name: str) -> dict[str, Any]:
    """Return how accurate the mechanism of a graph is, by the distance from the boundary."""
    with source.store() as store:
        info = store.ready(name)
        if info.datasets > LARGEST:
            return _listed(info) | _aggregated(store, info)
    return _listed(info) | _detailed(source.shown(name))


def _detailed(shown: Shown) -> dict[str, Any]:
    graph, mechanism = shown.graph, shown.mechanism
    facts: dict[str, Any] = {
        "origin": shown.origin,
        "problem": None if shown.problem is None else said(shown.problem, shown.info.name),
        "boundary": len(boundary_vertices(graph)),
        "given": int(graph.given.sum()),
        "levels": _levels(graph),
        "written": None,
        "method": None,
        "privacy": "epsilon-delta",
        "accuracy": None,
        "layers": [],
    }
    if shown.info.mechanism is not None:
        facts |= {"written": shown.info.mechanism.written, "privacy": shown.info.mechanism.privacy}
    if mechanism is not None:
        scene = Scene(mechanism)
        facts |= {
            "method": mechanism.method,
            "accuracy": {
                "least": chance(scene.true.min(), scene.false.max()),
                "mean": chance(scene.true.mean(), scene.false.mean()),
            },
            "layers": [
                {
                    "color": layer.color,
                    "steps": [
                        {
                            "step": int(step),
                            "name": scene.steps.name(int(step)),
                            "datasets": int(number),
                            **dict(zip(("least", "mean", "greatest"), map(chance, true, false), strict=True)),
                        }
                        for step, number, true, false in zip(
                            layer.step, layer.number, layer.true.T, layer.false.T, strict=True
                        )
                    ],
                }
                for layer in scene.layers
            ],
        }
    return facts


def _levels(graph: DatasetGraph) -> list[dict[str, Any]]:
    """Return the privacy levels of the edges, and how many edges have each."""
    levels = levels_of(graph.epsilon.tolist(), graph.delta.tolist())
    ends = np.searchsorted([level.epsilon for level in levels], graph.epsilon)
    number = np.bincount(ends, minlength=len(levels)).tolist()
    return [
        {"epsilon": level.epsilon, "delta": level.delta, "edges": edges}
        for level, edges in zip(levels, number, strict=True)
    ]


def _aggregated(store: Store, info: GraphInfo) -> dict[str, Any]:
    """Return the same overview of a large graph, as the store aggregates it: all colours together."""
    kept = info.mechanism
    rows = [] if kept is None else store.query("accuracy_by_distance", info.name).to_pylist()
    steps = [
        {
            "step": place,
            "name": "cut off" if row["distance"] is None or row["distance"] < 0 else f"{row['distance']:,}",
            "datasets": row["datasets"],
            "least": chance(row["min_p_true"]),
            "mean": chance(row["mean_p_true"]),
            "greatest": chance(row["max_p_true"]),
        }
        for place, row in enumerate(rows)
    ]
    return {
        "origin": "none" if kept is None else "stale" if info.stale else "stored",
        "problem": None
        if kept is not None
        else {
            "kind": "no_mechanism",
            "message": f"graph {info.name!r} has no mechanism yet",
            "hint": f"run: neodp extend {shlex.quote(info.name)}",
        },
        "boundary": next((row["datasets"] for row in rows if row["distance"] == 0), None),
        "given": None,
        "levels": [],
        "written": None if kept is None else kept.written,
        "method": None if kept is None else kept.method,
        "privacy": "epsilon-delta" if kept is None else kept.privacy,
        "accuracy": None if kept is None else {"least": chance(kept.min_p_true), "mean": chance(kept.mean_p_true)},
        "layers": [{"color": None, "steps": steps}] if steps else [],
    }
