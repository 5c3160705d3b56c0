"""A large graph as a density: the number of datasets at each distance and chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.family import family
from neodp.data.formatting import count
from neodp.data.validation import Floats
from neodp.plot.axes import heading, legend, sided_axis
from neodp.plot.scales import Steps
from neodp.plot.scene import Scene
from neodp.plot.style import GRID, HEAD
from neodp.plot.tips import Tips

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_density"]

ROWS = 64
"""The number of levels into which the density divides the chances."""


def draw_density(axes: Axes, scene: Scene, tips: Tips | None = None) -> None:
    """Draw the number of datasets at each distance and chance: the more datasets, the darker."""
    sided = family(scene.graph).binary
    p, q = (scene.mechanism.p, scene.mechanism.q) if sided else (scene.true, scene.false)
    height = scene.scale.place(p, q)
    low, high = scene.scale.span(height)
    row = ((height - low) / (high - low) * ROWS).astype(np.int64).clip(0, ROWS - 1)
    cells = {c: _cells(scene, row, c) for c in scene.present}
    most = max(int(n.max()) for n in cells.values())
    levels = np.linspace(low, high, ROWS + 1)
    starts = _starts(scene, sided)
    for c, numbers in cells.items():
        edges, columns = _with_gaps(scene.steps, numbers)
        x = starts[c] + (-edges if sided and c == 0 else edges)
        axes.pcolormesh(x, levels, _tinted(columns, most, scene.shades[c]).transpose(1, 0, 2), rasterized=True)
    if tips is not None:
        _columns_told(axes, scene, starts, sided, low, high, tips)
    axes.set_yticks(*scene.scale.ticks(bool((q == 0.0).any()), bool((p == 0.0).any())))
    axes.set_ylim(low, high)
    axes.grid(axis="y", color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    if sided:
        sided_axis(axes, scene)
        axes.set_xlim(-1.01 * scene.steps.end, 1.01 * scene.steps.end)
        axes.set_ylabel(f"chance of answering “{scene.colors[0]}”")
    else:
        _blocks_axis(axes, scene, starts)
        axes.set_ylabel("chance of the true answer")
    axes.set_title("All datasets, by distance and chance", pad=HEAD)
    legend(axes, _depths(most))


def _columns_told(
    axes: Axes, scene: Scene, starts: dict[int, float], sided: bool, low: float, high: float, tips: Tips
) -> None:
    """Add an invisible bar over every column, with a tooltip that describes the column."""
    for layer in scene.layers:
        start, size = scene.steps.start(layer.step), scene.steps.size(layer.step)
        for place in range(len(layer.step)):
            left, wide = float(start[place]), float(size[place])
            x = starts[layer.color] + (-left - wide if sided and layer.color == 0 else left)
            told = tips.add(scene.told(layer, place))
            axes.bar(x, high - low, wide, low, align="edge", alpha=0.0, zorder=9).patches[0].set_gid(told)


def _cells(scene: Scene, row: NDArray[np.int64], color: int) -> NDArray[np.int64]:
    """Count the datasets of a colour in each cell, by step and row."""
    mine = scene.graph.color == color
    size = scene.steps.count + 1
    return np.bincount(scene.step[mine] * ROWS + row[mine], minlength=size * ROWS).reshape(size, ROWS)


def _starts(scene: Scene, sided: bool) -> dict[int, float]:
    """Return the start of each colour's distances: back to back in the middle, or one block after another."""
    block = 0.0 if sided else 1.06 * scene.steps.end
    return {c: i * block for i, c in enumerate(scene.present)}


def _with_gaps(steps: Steps, numbers: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Return the edges of the columns, with a little room between columns, and the numbers in them."""
    every = np.arange(steps.count + 1)
    start, size = steps.start(every), steps.size(every)
    room = 0.08 if steps.count <= 40 else 0.0
    edges = np.stack([start + room * size, start + (1.0 - room) * size], axis=1).ravel()
    columns = np.zeros((2 * len(numbers) - 1, ROWS), np.int64)
    columns[::2] = numbers
    return edges, columns


def _tinted(numbers: NDArray[np.int64], most: int, shade: str) -> Floats:
    """Return a shade for every number: the greater the number, the darker; transparent for 0."""
    from matplotlib.colors import to_rgb

    strength = _strength(numbers, most)
    color = 1.0 - strength[..., None] * (1.0 - np.array(to_rgb(shade)))
    return np.concatenate([color, (numbers > 0)[..., None]], axis=-1)


def _strength(numbers: NDArray[np.int64], most: int) -> Floats:
    if most == 1:
        return np.ones(numbers.shape)
    return np.asarray(0.25 + 0.75 * np.log(np.maximum(numbers, 1)) / math.log(most))


def _depths(most: int) -> list[Any]:
    """Return the entries of the legend that explain lighter and darker shades."""
    from matplotlib.patches import Patch

    shown = sorted({1, round(math.sqrt(most)), most}) if most > 1 else []
    grays = 1.0 - 0.8 * _strength(np.array(shown, np.int64), most)
    return [Patch(color=(g, g, g), label=count(n, "dataset")) for n, g in zip(shown, grays.tolist(), strict=True)]


def _blocks_axis(axes: Axes, scene: Scene, starts: dict[int, float]) -> None:
    """Label the distances once per colour."""
    places, labels = scene.steps.ticks(60 // len(starts))
    axes.set_xticks([])
    if len(starts) <= 12:
        axes.set_xticks([start + x for start in starts.values() for x in places], labels * len(starts))
    axes.set_xlim(-0.1 * scene.steps.width, max(starts.values()) + scene.steps.end + 0.1 * scene.steps.width)
    axes.set_xlabel("edges away from the boundary")
    if len(starts) <= 6:
        for c, start in starts.items():
            heading(axes, scene, c, start, "left")
