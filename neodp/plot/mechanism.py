"""A picture of a mechanism: the mechanism on its graph, and its accuracy by distance from the boundary.

The picture has two panels:

* left, the mechanism on its graph. A small graph is drawn dataset by dataset (:mod:`neodp.plot.network`); a large
  one is drawn as a density over distance and chance (:mod:`neodp.plot.density`), never as a tangle of edges.
* right, the least, mean and greatest chance of the true answer at every distance, and the number of datasets there
  (:mod:`neodp.plot.accuracy`).

An ``.html`` page also has the figures as tables.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from neodp.core.boundary import boundary_vertices
from neodp.core.mechanism import Mechanism
from neodp.data.kinds import checked
from neodp.plot.accuracy import draw_accuracy, draw_numbers
from neodp.plot.density import draw_density
from neodp.plot.files import checked_path, rendered, save
from neodp.plot.layout import SMALL, arrange
from neodp.plot.network import draw_network
from neodp.plot.page import page, table
from neodp.plot.scene import Scene
from neodp.plot.style import DPI, FAINT, INCHES, styled
from neodp.plot.text import precise, shortened
from neodp.plot.tips import Tips

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot"]


@checked
def plot(mechanism: Mechanism, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write a picture of a mechanism to a file.

    Parameters
    ----------
    mechanism : Mechanism
        A mechanism of any size, with any number of colours.
    path : str or path
        The file to write. The suffix determines the format: ``.svg``, ``.png``, ``.pdf``, or ``.html`` for a
        self-contained page, which also has the figures as tables, and tooltips.
    title : str, optional
        The title; by default the graph's name.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    GraphError
        If the file cannot be written, or has another suffix.
    NeodpError
        If matplotlib is not installed.

    Examples
    --------
    >>> import neodp, tempfile
    >>> g = neodp.generate.three_voters()
    >>> m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot(m, Path(folder, "voters.svg")).name
    'voters.svg'
    """
    target = checked_path(path)
    kind = target.suffix.lower()
    title = mechanism.graph.name if title is None else title
    with styled():
        scene = Scene(mechanism)
        if kind == ".html":
            tips = Tips()
            svg = tips.into(rendered(_figure(scene, "", tips), "svg", scene.alt))
            picture = page(title, svg, _tables(scene))
        else:
            picture = rendered(_figure(scene, title), kind[1:], scene.alt)
    save(target, picture)
    return target


def _figure(scene: Scene, title: str, tips: Tips | None = None) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(INCHES, DPI, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.03))
    if title:
        figure.suptitle(shortened(title, 90), fontsize=13, weight="bold")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1.0], height_ratios=[3.2, 1.0])
    left = figure.add_subplot(grid[:, 0])
    above = figure.add_subplot(grid[0, 1])
    below = figure.add_subplot(grid[1, 1], sharex=above)
    drawing = arrange(scene)
    if drawing is None:
        draw_density(left, scene, tips)
    else:
        draw_network(left, scene, drawing, tips)
    draw_accuracy(above, scene, tips)
    draw_numbers(below, scene)
    figure.align_ylabels([above, below])
    figure.supxlabel(scene.caption, fontsize=9, color=FAINT)
    return figure


def _tables(scene: Scene) -> list[str]:
    """Return the figures of the picture as tables; for a small graph, also a table of every dataset."""
    every = [_by_dataset(scene)] if len(scene.graph) <= SMALL else []
    return [_summary(scene), _by_distance(scene), *every]


def _summary(scene: Scene) -> str:
    true, false = scene.true, scene.false
    rows = [
        ("datasets", f"{len(scene.graph):,}"),
        ("edges", f"{scene.graph.edges:,}"),
        ("on the boundary", f"{len(boundary_vertices(scene.graph)):,}"),
        ("least chance of the true answer", precise(true.min(), false.max())),
        ("mean chance of the true answer", precise(true.mean(), false.mean())),
    ]
    return table("Summary", ("", ""), rows)


def _by_distance(scene: Scene) -> str:
    rows = [
        (scene.steps.name(int(step)), scene.graph.colors[layer.color], f"{number:,}", *map(precise, true, false))
        for layer in scene.layers
        for step, number, true, false in zip(layer.step, layer.number, layer.true.T, layer.false.T, strict=True)
    ]
    head = ("edges away from the boundary", "true answer", "datasets", "least chance", "mean", "greatest")
    return table("The chance of the true answer, by distance", head, rows)


def _by_dataset(scene: Scene) -> str:
    names = [scene.steps.name(int(s)) for s in scene.step]
    keys = scene.graph.keys.to_pylist()
    colors = [scene.graph.colors[c] for c in scene.graph.color]
    rows = zip(keys, colors, names, map(precise, scene.true, scene.false), strict=True)
    head = ("dataset", "true answer", "edges away from the boundary", "chance of the true answer")
    return table("Every dataset", head, rows)
