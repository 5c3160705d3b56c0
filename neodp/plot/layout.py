"""The layout of a small graph: positions and a font size such that no two labels overlap.

With two colours, the datasets are in columns by distance, the first colour to the left of the boundary and the second
to the right. With more colours, or no boundary, they are on rings by distance, with one sector per colour.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.plot.scene import Scene
from neodp.plot.text import rounded, shortened, width_of

__all__ = ["SMALL", "Drawing", "arrange", "edge_paths"]

SMALL = 64
"""The greatest number of datasets that are drawn one by one."""
COMFORTABLE, SMALLEST_FONT = 7.0, 5.0
"""Font sizes in points: labels are shortened until the first is reached; if the second cannot be reached, the datasets
are not drawn one by one."""
PANEL = (405.0, 255.0)
"""The approximate width and height of the left panel, in points."""


class Drawing(NamedTuple):
    """The position of each dataset, the limits of the axes, the labels, and their font size."""

    place: Floats
    limits: Floats
    labels: list[str]
    font: float


def arrange(scene: Scene) -> Drawing | None:
    """Return the layout of a small graph, or None if its labels would overlap or be too small."""
    if len(scene.graph) > SMALL:
        return None
    place, limits = columns(scene) if scene.two_sided else rings(scene)
    points = (place - limits[0]) / (limits[1] - limits[0]) * PANEL
    chances = [rounded(p, q) for p, q in zip(scene.true.tolist(), scene.false.tolist(), strict=True)]
    best = Drawing(place, limits, [], 0.0)
    for letters, zero in ((14, "0"), (14, ""), (9, ""), (6, "")):
        keys = [shortened(key, letters) for key in scene.graph.keys.to_pylist()]
        labels = [f"{key}\n{chance.replace('0.', zero + '.')}" for key, chance in zip(keys, chances, strict=True)]
        font = _font(points, labels)
        if font > best.font and len(set(keys)) == len(keys):
            best = Drawing(place, limits, labels, font)
        if best.font > COMFORTABLE:
            break
    return best if best.font >= SMALLEST_FONT else None


def columns(scene: Scene) -> tuple[Floats, Floats]:
    """Place datasets in one column per distance, the first colour on the left; neighbours have nearby rows."""
    side = np.where(scene.graph.color == 0, -1.0, 1.0)
    x = side * scene.steps.center(scene.step)
    far = scene.hops < 0
    height = max(8, int(np.unique(x[~far], return_counts=True)[1].max()))
    for s in (-1.0, 1.0):  # datasets that reach no boundary fill columns of their own
        rest = np.flatnonzero(far & (side == s))
        x[rest] += s * (np.arange(len(rest)) // height)
    y = _rows(scene.graph, x)
    reach = float(np.abs(y).max()) + 0.6
    return np.stack([x, y], axis=1), np.array([[x.min() - 0.5, -reach], [x.max() + 0.5, reach]])


def _rows(graph: DatasetGraph, x: Floats) -> Floats:
    """Return rows within columns: several sweeps move each dataset near the mean of its neighbours in other columns."""
    ends = np.concatenate([graph.source, graph.target]), np.concatenate([graph.target, graph.source])
    across = x[ends[0]] != x[ends[1]]
    one, other = ends[0][across], ends[1][across]
    degree = np.bincount(one, minlength=len(x))
    columns = [np.flatnonzero(x == c) for c in np.unique(x)]
    y = np.zeros(len(x))
    for members in columns:
        y[members] = _centered(len(members))
    for _ in range(8):
        for members in columns:
            total = np.bincount(one, weights=y[other], minlength=len(x))
            mean = np.where(degree > 0, total / np.maximum(degree, 1), y)[members]
            order = np.lexsort((-y[members], -mean.round(9)))
            y[members[order]] = _centered(len(members))
    return y


def _centered(n: int) -> Floats:
    """Return n rows around 0, the first on top."""
    return (n - 1) / 2 - np.arange(n, dtype=np.float64)


def rings(scene: Scene) -> tuple[Floats, Floats]:
    """Place datasets in one sector per colour and on one ring per distance, with the boundary innermost.

    No edge runs under a third dataset.
    """
    color, step = scene.graph.color, scene.step
    limits = np.array([[-1.15, -1.15], [1.15, 1.15]])
    if len(color) == 1:
        return np.zeros((1, 2)), limits
    radius = (4.0 + step - step.min()) / (4.0 + step.max() - step.min())
    fullest = [np.bincount(step[color == c]).max() for c in scene.present]
    ends = np.cumsum([0, *fullest]) / sum(fullest)
    turn = np.empty(len(color))
    for c, start, end in zip(scene.present, ends[:-1], ends[1:], strict=True):
        for s in np.unique(step[color == c]):
            members = np.flatnonzero((color == c) & (step == s))
            turn[members] = start + (end - start) * (np.arange(len(members)) + 0.5) / len(members)
    angle = 2 * np.pi * (0.25 - turn)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), limits


def _font(points: Floats, labels: list[str]) -> float:
    """Return the largest font size, up to 11 points, with which boxes at these points leave some room between them.

    In a font of size f, boxes of sizes w f and h f do not overlap iff |dx| >= w f or |dy| >= h f.
    """
    wide = np.array([0.65 * max(map(width_of, label.split("\n"))) + 0.9 for label in labels])
    between = np.abs(points[:, None] - points[None, :])
    apart = np.maximum(between[..., 0] / (wide[:, None] + wide) * 2.0, between[..., 1] / 3.3)
    np.fill_diagonal(apart, np.inf)
    return float(min(11.0, 0.86 * apart.min()))


def edge_paths(graph: DatasetGraph, place: Floats, bend: bool) -> list[Floats]:
    """Return edges as lines; an edge within a column is bent outwards, around the datasets between its ends."""
    paths = []
    tallest = np.ptp(place[:, 1]) or 1.0
    for u, v in zip(place[graph.source], place[graph.target], strict=True):
        rows = abs(u[1] - v[1])
        if bend and u[0] == v[0] and rows > 1.01:
            t = np.linspace(0.0, 1.0, 17)
            bow = (0.2 + 0.26 * rows / tallest) * np.sign(u[0]) * (1.0 - (2.0 * t - 1.0) ** 4)
            paths.append(u + t[:, None] * (v - u) + np.stack([bow, np.zeros(17)], axis=1))
        else:
            paths.append(np.stack([u, v]))
    return paths
