"""A small graph, dataset by dataset: a box for each dataset and a line for each edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.data.formatting import number
from neodp.data.validation import Floats
from neodp.plot.axes import legend, sided_axis
from neodp.plot.layout import Drawing, edge_paths
from neodp.plot.scene import Scene, allowed
from neodp.plot.style import GREY, HEAD, INK
from neodp.plot.text import precise
from neodp.plot.tips import Tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_network"]


def draw_network(axes: Axes, scene: Scene, drawing: Drawing, tips: Tips | None = None) -> None:
    """Draw datasets as boxes and edges as lines."""
    from matplotlib.collections import LineCollection

    _, values = allowed(scene.mechanism)
    paths = edge_paths(scene.graph, drawing.place, scene.two_sided)
    axes.add_collection(LineCollection(paths, linewidths=_line_width(values, values), colors=GREY))
    _boxes(axes, scene, drawing, tips)
    axes.spines["left"].set_visible(False)
    if scene.two_sided:
        sided_axis(axes, scene)
    else:
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
    axes.set(xlim=drawing.limits[:, 0], ylim=drawing.limits[:, 1], yticks=[])
    axes.set_title("Every dataset, with its chance of the true answer", pad=HEAD)
    legend(axes, _marks(scene))


def _boxes(axes: Axes, scene: Scene, drawing: Drawing, tips: Tips | None) -> None:
    """Draw a box per dataset: the less accurate, the paler; boxes on the boundary have a frame."""
    from matplotlib.colors import to_rgb

    least = 1.0 / len(scene.colors)
    strength = 0.15 + 0.85 * np.maximum(scene.true - least, 0.0) / (1.0 - least)
    shades = np.array([to_rgb(shade) for shade in scene.shades])[scene.graph.color]
    fills = 1.0 - strength[:, None] * (1.0 - shades)
    dark = fills @ (0.299, 0.587, 0.114) < 0.6
    for v, label in enumerate(drawing.labels):
        axes.text(
            drawing.place[v, 0],
            drawing.place[v, 1],
            label,
            fontsize=drawing.font,
            ha="center",
            va="center",
            color="white" if dark[v] else INK,
            gid=None if tips is None else tips.add(_told(scene, v)),
            bbox={
                "boxstyle": "round,pad=0.32",
                "facecolor": tuple(fills[v]),
                "edgecolor": INK if scene.hops[v] == 0 else "none",
                "linewidth": 1.6,
            },
        )


def _told(scene: Scene, v: int) -> str:
    """Describe a dataset in words, with its full key."""
    where = "on the boundary" if scene.hops[v] == 0 else scene.steps.name(int(scene.step[v])) + " edges away"
    true, color = precise(float(scene.true[v]), float(scene.false[v])), scene.graph.colors[scene.graph.color[v]]
    return f"{scene.graph.key(v)}: the true answer, {color}, with chance {true}; {where}"


def _marks(scene: Scene) -> list[Any]:
    """Return the entries of the legend that explain frames and lines."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    if (scene.hops == 0).any():
        handles.append(Patch(facecolor="white", edgecolor=INK, linewidth=1.6, label="on the boundary"))
    name, values = allowed(scene.mechanism)
    if name:
        shown = _sample(values)
        lines = zip(shown.tolist(), _line_width(shown, values).tolist(), strict=True)
        handles += [Line2D([], [], color=GREY, lw=width, label=f"{name} {number(x)}") for x, width in lines]
    return handles


def _line_width(values: Floats, among: Floats) -> Floats:
    """Return line widths from 0.8 to 3.4 points: the more an edge allows, the wider."""
    low, high = (among.min(), among.max()) if len(among) else (0.0, 0.0)
    return 1.3 + 0.0 * values if low == high else 0.8 + 2.6 * (values - low) / (high - low)


def _sample(values: Floats) -> Floats:
    """Return all distinct values if there are few, else three values across their range."""
    different: Floats = np.unique(values)
    return different if len(different) <= 4 else np.linspace(different[0], different[-1], 3)
