"""Positions of the datasets of a graph in the explorer.

With two colours, the columns are the distances from the boundary, with the first colour on the left and the second on
the right; with more, the datasets lie on rings by distance, with one sector per colour (:mod:`neodp.plot.layout`). If a
graph is too large to draw, the part around one dataset is drawn, on rings by the number of edges from that dataset.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neodp.core.boundary import boundary_vertices, distance
from neodp.core.mechanism import Mechanism
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.errors import NeodpError
from neodp.explore.overview import drawable
from neodp.explore.source import Shown, Source
from neodp.plot.layout import columns, rings
from neodp.plot.scene import Scene
from neodp.plot.text import precise
from neodp.store import Store

__all__ = ["around", "columns_of", "drawing"]

ROOM = 34.0
"""The distance between the datasets of a column, in the units of the page."""
WIDE = 1.5
"""The approximate ratio of a drawing's width to its height."""
PART = 300
"""The largest number of datasets that are drawn around one dataset."""


def drawing(source: Source, name: str) -> dict[str, Any]:
    """Return all datasets and edges of a graph with their positions; for a large graph only the first key to show.

    The first key of a large graph is that of the least accurate dataset.
    """
    with source.store() as store:
        info = store.ready(name)
        if not drawable(info):
            return {"whole": False, "datasets": info.datasets, "start": _first(store, name)}
    shown = source.shown(name)
    place, cell = _places(shown)
    return {"whole": True, "cell": cell} | columns_of(shown.graph, shown.mechanism, place, distance(shown.graph))


def columns_of(graph: DatasetGraph, mechanism: Mechanism | None, place: Floats, hops: Any) -> dict[str, Any]:
    """Return a graph as columns, with one entry per dataset or per edge."""
    boundary = np.zeros(len(graph), np.bool_)
    boundary[boundary_vertices(graph)] = True
    return {
        "keys": graph.keys.to_pylist(),
        "color": graph.color.tolist(),
        "x": place[:, 0].round(1).tolist(),
        "y": place[:, 1].round(1).tolist(),
        "distance": np.asarray(hops).tolist(),
        "boundary": boundary.tolist(),
        "given": graph.given.tolist(),
        **accuracies(mechanism),
        "source": graph.source.tolist(),
        "target": graph.target.tolist(),
        "epsilon": graph.epsilon.tolist(),
        "crossing": graph.crossing.tolist(),
    }


def accuracies(mechanism: Mechanism | None) -> dict[str, Any]:
    """Return the chance of the true answer at each dataset, as a number and in words."""
    if mechanism is None:
        return {"p": None, "text": None}
    true, false = mechanism.p_true.tolist(), mechanism.p_false.tolist()
    return {"p": true, "text": [precise(p, q) for p, q in zip(true, false, strict=True)]}


def _places(shown: Shown) -> tuple[Floats, tuple[float, float] | None]:
    """Return the position of each dataset and, if they lie in columns, the distances between columns and rows."""
    graph = shown.graph
    rows = np.zeros((len(graph), len(graph.colors)))
    rows[np.arange(len(graph)), graph.color] = 1.0
    scene = Scene(shown.mechanism or Mechanism.of(graph, rows))  # places depend on the graph alone
    if scene.two_sided:
        place, _ = columns(scene)
        wide, high = (max(float(np.ptp(place[:, axis])), 1.0) for axis in range(2))
        column = max(3.0 * ROOM, WIDE * ROOM * high / wide)
        row = min(3.0 * ROOM, max(ROOM, column * wide / high / WIDE))
        return place * (column, -row), (column, row)
    place, _ = rings(scene)
    fullest = max(int(np.bincount(scene.step).max()), 6)
    return place * (ROOM * fullest / 4.0, -ROOM * fullest / 4.0), None


def _first(store: Store, name: str) -> str | None:
    """Return the key of the least accurate dataset; None if no mechanism is stored."""
    found = store.query("least_accurate", name, limit=1)["key"].to_pylist()
    return found[0] if found else None


def around(store: Store, name: str, key: str) -> dict[str, Any]:
    """Return the part of a graph around one dataset, with positions."""
    graph = store.read(name, keys=[key], radius=2)
    if len(graph) > PART:
        graph = store.read(name, keys=[key], radius=1)
    center = graph.index(key)
    hops = _hops(graph, center)
    if len(graph) > PART:  # the dataset has too many neighbours: the first of them
        hops = np.where(np.arange(len(graph)) < PART, hops, -1)
        hops[center] = 0
    keep = hops >= 0
    keys = graph.keys.filter(keep).to_pylist()
    part = store.read(name, keys=keys)
    order = np.array([graph.index(each) for each in part.keys.to_pylist()])
    mechanism = None
    try:
        found = store.evaluate(name, part.keys.to_pylist()).evaluations
        mechanism = Mechanism.of(part, [list(each.probabilities.values()) for each in found])
    except NeodpError:  # nothing is drawn paler or stronger then
        pass
    return columns_of(part, mechanism, _ringed(hops[order]), hops[order]) | {"center": key}


def _hops(graph: DatasetGraph, center: int) -> Any:
    """Return the number of edges from one dataset to each of the others."""
    hops = np.full(len(graph), -1)
    hops[center] = 0
    for step in range(1, 3):
        for one, other in ((graph.source, graph.target), (graph.target, graph.source)):
            found = other[hops[one] == step - 1]
            hops[found] = np.where(hops[found] < 0, step, hops[found])
    return hops


def _ringed(hops: Any) -> Floats:
    place = np.zeros((len(hops), 2))
    radius = 0.0
    for step in range(1, int(hops.max()) + 1):
        members = np.flatnonzero(hops == step)
        radius = max(radius + 4.0 * ROOM, len(members) * ROOM / 6.0)
        angle = 2.0 * np.pi * np.arange(len(members)) / max(len(members), 1)
        place[members] = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return place
