"""Accuracy by distance: the least, mean and greatest chance of the true answer, and the number of datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.plot.axes import legend
from neodp.plot.scene import Scene
from neodp.plot.style import FEW, GRID, HATCHES, HEAD
from neodp.plot.tips import Tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_accuracy", "draw_numbers"]


def draw_accuracy(axes: Axes, scene: Scene, tips: Tips | None = None) -> None:
    """Draw the least, mean and greatest chance of the true answer by distance."""
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D

    scale, steps = scene.scale, scene.steps
    ends = []
    for i, layer in enumerate(scene.layers):
        low, mean, high = scale.place(layer.true, layer.false)
        ends += [low, high]
        x = steps.center(layer.step) + scene.aside(i)
        near = layer.step < steps.count
        style = scene.style(i)
        axes.plot(x[near], mean[near], **style)
        axes.plot(x[~near], mean[~near], **{**style, "marker": "o"})
        bars = ~near | (steps.count <= FEW)
        axes.vlines(x[bars], low[bars], high[bars], color=style["color"], lw=4, alpha=0.3)
        band: dict[str, Any] = {
            "facecolor": to_rgba(style["color"], 0.12),
            "edgecolor": to_rgba(style["color"], 0.55),
            "lw": 0.8,
        }
        axes.fill_between(x[~bars], low[~bars], high[~bars], hatch=HATCHES[i % len(HATCHES)], **band)
        if tips is not None:
            tips.over(axes, x, mean, [scene.told(layer, place) for place in range(len(layer.step))])
    bottom, top = scale.span(np.concatenate(ends))
    axes.set_yticks(*scale.ticks(bool((scene.false == 0.0).any()), bool((scene.true == 0.0).any())))
    axes.set_ylim(bottom, top)
    axes.set_ylabel("chance of the true answer")
    lines = [Line2D([], [], **scene.style(i), label=scene.label(c)) for i, c in enumerate(scene.present[:8])]
    rows = legend(axes, lines, above=True)
    axes.set_title("Accuracy by distance: mean, and least to greatest", pad=HEAD + 13.0 * (rows - 1))
    axes.grid(axis="y", color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelbottom=False)


def draw_numbers(axes: Axes, scene: Scene) -> None:
    """Draw the number of datasets at each distance."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    steps = scene.steps
    for i, layer in enumerate(scene.layers):
        bars = (layer.step == steps.count) | (steps.count <= FEW)
        width = 0.8 * steps.size(layer.step) / len(scene.layers)
        x = steps.center(layer.step) + width * (i - (len(scene.layers) - 1) / 2)
        axes.bar(x[bars], layer.number[bars], width[bars], color=scene.shades[layer.color])
        axes.plot(steps.center(layer.step)[~bars], layer.number[~bars], **scene.style(i))
    axes.set_xticks(*steps.ticks(60))
    axes.set_xlim(-0.02 * steps.end, 1.02 * steps.end)
    axes.set_ylim(bottom=0.0)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_xlabel("edges away from the boundary")
    axes.set_ylabel("datasets")
