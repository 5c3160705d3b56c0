"""A picture of the chance of every answer by distance from the boundary, one panel per order of the answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.core import rainbow
from neodp.core.mechanism import Mechanism
from neodp.data.kinds import checked
from neodp.data.validation import Floats
from neodp.errors import GraphError
from neodp.plot.files import checked_path, rendered, save
from neodp.plot.page import page, table
from neodp.plot.style import DPI, FEW, GRID, layered, shades_of, styled
from neodp.plot.text import precise, shortened
from neodp.plot.tips import Tips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_lines"]


@checked
def plot_lines(mechanism: Mechanism | Floats, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write a picture of the chance of every answer by distance from the boundary, one panel per order.

    Parameters
    ----------
    mechanism : Mechanism, or rows as from ``rainbow.line``
        The mechanism. The six orders that most datasets have are drawn. If datasets with the same order and distance
        differ, for example because their epsilons differ, their mean is drawn.
    path : str or path
        The file to write: ``.svg``, ``.png``, ``.pdf``, or ``.html``.
    title : str, optional
        The title; by default the graph's name.

    Returns
    -------
    Path
        The file.

    References
    ----------
    Paper 003, Fig. 2.

    Examples
    --------
    >>> import tempfile
    >>> from neodp.core import rainbow
    >>> rows = rainbow.line([0.0545, 0.1636, 0.7819], 25, 0.1823)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_lines(rows, Path(folder, "figure-2a.svg")).name
    'figure-2a.svg'
    """
    target = checked_path(path)
    kind = target.suffix.lower()
    if isinstance(mechanism, Mechanism):
        colors, panels = mechanism.graph.colors, _panels(mechanism)
        title = mechanism.graph.name if title is None else title
    else:
        rows = np.asarray(mechanism, np.float64)
        if rows.ndim != 2 or not rows.size:
            raise GraphError(f"the rows have the shape {rows.shape}", "give a mechanism, or one row for each distance")
        named = ("blue", "red", "green") if rows.shape[1] == 3 else tuple(f"rank {j + 1}" for j in range(rows.shape[1]))
        colors, panels = named, {" > ".join(named): (np.arange(len(rows)), rows)}
    with styled():
        alt = f"The chance of each of the answers {', '.join(colors)} by distance from the boundary, {_orders(panels)}."
        if kind == ".html":
            tips = Tips()
            svg = tips.into(rendered(_lines_figure(colors, panels, "", tips), "svg", alt))
            picture = page(title or "", svg, [_lines_table(colors, panels)])
        else:
            picture = rendered(_lines_figure(colors, panels, title or ""), kind[1:], alt)
    save(target, picture)
    return target


def _panels(mechanism: Mechanism) -> dict[str, tuple[NDArray[Any], Floats]]:
    """Return, by the name of each order, the distances at which it has datasets, and the mean chances there."""
    order, hops = rainbow.morphism(mechanism.graph)
    number = np.bincount(order[hops >= 0], minlength=len(mechanism.graph.orders))
    panels = {}
    for c in np.argsort(-number, kind="stable")[:6].tolist():
        mine = np.flatnonzero((order == c) & (hops >= 0))
        if len(mine):
            steps, where = np.unique(hops[mine], return_inverse=True)
            sums = np.zeros((len(steps), len(mechanism.graph.colors)))
            np.add.at(sums, where, mechanism.probabilities[mine])
            panels[rainbow.order_name(mechanism.graph, c)] = (steps, sums / np.bincount(where)[:, None])
    if not panels:
        raise GraphError(f"{mechanism.graph.name!r} has no boundary", "there are no distances to draw")
    return panels


def _orders(panels: dict[str, Any]) -> str:
    return "for one order of them" if len(panels) == 1 else f"for {len(panels)} orders of them"


def _lines_figure(
    colors: Sequence[str], panels: dict[str, tuple[NDArray[Any], Floats]], title: str, tips: Tips | None = None
) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure((4.6 * columns + 0.6, 3.6 * rows + 0.6), DPI, layout="constrained")
    if title:
        figure.suptitle(shortened(title, 90), fontsize=13, weight="bold")
    shades = shades_of(colors)
    for i, (name, (steps, chances)) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, i + 1)
        for j, color in enumerate(colors):
            style = layered(j, shades[j], marks=len(steps) <= FEW)
            axes.plot(steps, chances[:, j], **style, label=shortened(color, 24))
            if tips is not None:
                each = zip(steps.tolist(), chances[:, j].tolist(), strict=True)
                told = [f"{name}: {step:,} edges away, {color} with chance {precise(p, 1.0 - p)}" for step, p in each]
                tips.over(axes, steps, chances[:, j], told)
        axes.set_title(shortened(name, 48))
        axes.set_ylim(-0.04, 1.04)
        room = 0.5 if len(steps) == 1 else 0.03 * float(np.ptp(steps))
        axes.set_xlim(steps.min() - room, steps.max() + room)
        axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
        axes.set_xlabel("edges away from the boundary")
        axes.set_ylabel("chance of each answer")
        axes.grid(axis="y", color=GRID, lw=0.7)
        axes.set_axisbelow(True)
        if i == 0 and len(colors) <= 8:
            axes.legend(loc="best")
    return figure


def _lines_table(colors: Sequence[str], panels: dict[str, tuple[NDArray[Any], Floats]]) -> str:
    rows = [
        (name, f"{step:,}", *(f"{p:.6g}" for p in row))
        for name, (steps, chances) in panels.items()
        for step, row in list(zip(steps.tolist(), chances.tolist(), strict=True))[:200]
    ]
    return table("The chance of every answer, by distance", ("order", "edges away", *colors), rows)
