"""Parts of axes that several panels share: distances on both sides of the boundary, names of colours, a legend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from neodp.plot.scene import Scene
from neodp.plot.style import FAINT
from neodp.plot.text import width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["heading", "legend", "sided_axis"]


def sided_axis(axes: Axes, scene: Scene) -> None:
    """Label the distances on both sides of the boundary; if there are many, "boundary" stands in place of 0."""
    places, labels = scene.steps.ticks(36)
    sided = dict(zip([-x for x in places] + places, labels * 2, strict=True))
    if scene.steps.reach > 12:
        sided = {x: label for x, label in sided.items() if label != "0"} | {0.0: "boundary"}
    axes.set_xticks(list(sided), list(sided.values()))
    axes.axvline(0.0, color=FAINT, lw=1.0, ls=(0, (4, 3)), zorder=0)
    axes.set_xlabel("edges away from the boundary")
    heading(axes, scene, 0, 0.0, "right")
    heading(axes, scene, 1, 0.0, "left")


def heading(axes: Axes, scene: Scene, color: int, x: float, side: str) -> None:
    """Write a colour's name above its part of the axes."""
    axes.annotate(
        scene.label(color),
        (x, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-4.0 if side == "right" else 4.0, 3.0),
        textcoords="offset points",
        ha=side,
        color=scene.shades[color],
        weight="bold",
    )


def legend(axes: Axes, handles: list[Any], *, above: bool = False) -> int:
    """Add a legend outside the axes, where it covers nothing; return its number of rows."""
    if not handles:
        return 0
    widths = [width_of(handle.get_label()) + 7 for handle in handles]
    columns = len(handles) if sum(widths) <= 84 else max(1, 84 // max(widths))
    axes.legend(
        handles=handles,
        loc="lower left" if above else "upper center",
        bbox_to_anchor=(0.0, 1.01) if above else (0.5, -0.13),
        ncols=columns,
        handlelength=2.2,
        columnspacing=1.6,
        borderaxespad=0.0,
        borderpad=0.2,
    )
    return math.ceil(len(handles) / columns)
