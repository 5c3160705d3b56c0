"""A picture of a mechanism: on its graph, and how accurate it is away from the boundary.

The *distance* of a dataset is the number of edges between it and the nearest boundary dataset; the boundary
itself has distance 0. The picture has two panels:

* left, the mechanism on its graph. A small graph is drawn dataset by dataset: with two colours as columns by
  distance, the first colour left of the boundary and the second right of it; with more colours, or no boundary, as
  rings, one sector per colour. A large graph is drawn as a density over distance and chance, never as a tangle
  of edges.
* right, the least, mean and greatest chance of the true answer at every distance, and how many datasets are there.

Chances that come close to 0 or 1 are drawn by their decades, p at log10(2p) below 1/2 and at -log10(2(1 - p))
above, from whichever of p and 1 - p is smaller, so that 1 - 10^-30 does not fall on 1.
"""

from __future__ import annotations

import html
import io
import math
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp import rainbow
from neodp.boundary import boundary_vertices
from neodp.errors import GraphError, NeodpError
from neodp.graph import DatasetGraph, Floats
from neodp.mechanism import Mechanism
from neodp.privacy import EpsilonDelta, Gaussian
from neodp.store.base import distance
from neodp.study.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot", "plot_comparison", "plot_lines"]

FORMATS = (".svg", ".png", ".html")
PICTURES = FORMATS[:2]
SMALL = 64
"""The most datasets that are drawn one by one."""
COMFORTABLE, SMALLEST_FONT = 7.0, 5.0
"""In points: labels are shortened towards the one; below the other, datasets are not drawn one by one."""
MOST_STEPS = 80
"""The most distances that are told apart; beyond, neighbouring ones share a step."""
FEW = 24
"""Up to so many steps are drawn as single marks and bars, more as lines and bands."""
ROWS = 64
"""Into how many levels the density cuts the chances."""

SCATTERED = 5_000
"""The most datasets that are drawn as single marks when two mechanisms are compared."""

INCHES, DPI = (12.0, 5.2), 150
PANEL = (405.0, 255.0)
"""About the width and height in points that the left panel has to draw in."""
HEAD = 21.0
"""In points, the room between a panel and its title, for the names of the colours."""
INK, FAINT, GREY, GRID = "#222222", "#8a8a8a", "#b0b0b0", "#e6e6e6"
SHADES = {
    "blue": "#0072B2",
    "red": "#D55E00",
    "green": "#009E73",
    "purple": "#AA4499",
    "orange": "#E69F00",
    "cyan": "#56B4E9",
    "yellow": "#D6C600",
    "black": "#555555",
}
"""Okabe and Ito's palette, nearly: told apart by the colour-blind. An answer called by such a name gets it."""
DASHES: tuple[Any, ...] = ("-", (0, (3, 1.6)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))


def plot(mechanism: Mechanism, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write a picture of a mechanism to a file.

    Parameters
    ----------
    mechanism : Mechanism
        Of any size, with any number of colours.
    path : str or path
        Where to; the suffix says what: ``.svg``, ``.png``, or ``.html`` for a page of its own that also holds the
        figures as tables.
    title : str, optional
        By default the graph's name.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    GraphError
        If the file cannot be written, or its suffix is none of these.
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
    target = _target(path)
    kind = target.suffix.lower()
    title = mechanism.graph.name if title is None else title
    with _matplotlib():
        scene = _Scene(mechanism)
        if kind == ".html":
            picture = _page(scene, title, _rendered(_figure(scene, ""), "svg").decode()).encode()
        else:
            picture = _rendered(_figure(scene, title), kind[1:])
    _save(target, picture)
    return target


def plot_comparison(comparison: Comparison, path: str | PathLike[str]) -> Path:
    """Write a picture of two mechanisms side by side to an ``.svg`` or ``.png`` file.

    Left, every dataset at its two accuracies: above the diagonal the second mechanism is better, below it the first.
    Right, the differences in order of size, with the share of datasets on which each is better.

    Raises
    ------
    GraphError, NeodpError
        As ``plot``.
    """
    target = _target(path, PICTURES)
    with _matplotlib():
        _save(target, _rendered(_comparison_figure(comparison), target.suffix.lower()[1:]))
    return target


def plot_lines(mechanism: Mechanism | Floats, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write a picture of the chance of every answer along the line of distances from the boundary, one panel per order.

    Parameters
    ----------
    mechanism : Mechanism, or rows as from ``rainbow.line``
        Of the orders of a mechanism, the six that most datasets have are drawn. Where datasets of one order and
        distance differ, as with epsilons that do, their mean is.
    path : str or path
        Where to: ``.svg``, ``.png``, or ``.html``.
    title : str, optional
        By default the graph's name.

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
    >>> from neodp import rainbow
    >>> rows = rainbow.line([0.0545, 0.1636, 0.7819], 25, 0.1823)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_lines(rows, Path(folder, "figure-2a.svg")).name
    'figure-2a.svg'
    """
    target = _target(path)
    kind = target.suffix.lower()
    if isinstance(mechanism, Mechanism):
        colors, panels = mechanism.graph.colors, _panels(mechanism)
        title = mechanism.graph.name if title is None else title
    else:
        rows = np.asarray(mechanism, np.float64)
        named = ("blue", "red", "green") if rows.shape[1] == 3 else tuple(f"rank {j + 1}" for j in range(rows.shape[1]))
        colors, panels = named, {" > ".join(named): (np.arange(len(rows)), rows)}
    with _matplotlib():
        figure = _lines_figure(colors, panels, "" if kind == ".html" else title or "")
        picture = _rendered(figure, "svg" if kind == ".html" else kind[1:])
        if kind == ".html":
            svg = picture.decode()
            picture = PAGE.format(
                title=_escaped(title or ""), picture=svg[svg.index("<svg") :], tables=_lines_table(colors, panels)
            ).encode()
    _save(target, picture)
    return target


def _panels(mechanism: Mechanism) -> dict[str, tuple[NDArray[Any], Floats]]:
    """By the name of an order, the distances at which it has datasets, and the mean chances there."""
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


def _lines_figure(colors: Sequence[str], panels: dict[str, tuple[NDArray[Any], Floats]], title: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure((4.6 * columns + 0.6, 3.6 * rows + 0.6), DPI, layout="constrained")
    if title:
        figure.suptitle(_short(title, 90), fontsize=13, weight="bold")
    shades = _shades(colors)
    for i, (name, (steps, chances)) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, i + 1)
        for j, color in enumerate(colors):
            marker = "o" if len(steps) <= 2 * FEW else ""
            axes.plot(
                steps,
                chances[:, j],
                color=shades[j],
                ls=DASHES[j % len(DASHES)],
                marker=marker,
                ms=3.5,
                lw=1.6,
                label=_short(color, 24),
            )
        axes.set_title(_short(name, 48))
        axes.set_ylim(-0.02, 1.02)
        axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
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
    return _table("The chance of every answer, by distance", ("order", "edges away", *colors), rows)


def _save(target: Path, picture: bytes) -> None:
    try:
        target.write_bytes(picture)
    except OSError as e:
        raise GraphError(f"{target} cannot be written: {e.strerror}", "choose another file") from None


def _target(path: str | PathLike[str], formats: tuple[str, ...] = FORMATS) -> Path:
    target = Path(path)
    if target.suffix.lower() not in formats:
        what = f"files of kind {target.suffix!r}" if target.suffix else f"{str(target)!r}, which has no suffix,"
        raise GraphError(f"{what} cannot be drawn", f"use {', '.join(formats[:-1])} or {formats[-1]}")
    if not target.parent.is_dir():
        raise GraphError(f"the folder {str(target.parent)!r} does not exist", "make it, or choose another file")
    return target


@contextmanager
def _matplotlib() -> Iterator[None]:
    """Matplotlib with its defaults and ours, whatever the user has set; put back afterwards."""
    try:
        import matplotlib
    except ImportError:
        raise NeodpError("plotting needs matplotlib", "pip install 'neodp[plot]'") from None
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a key may be an emoji
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "svg.hashsalt": "neodp",
                "svg.fonttype": "none",
                "text.parse_math": False,
                "font.size": 9.5,
                "text.color": INK,
                "axes.edgecolor": FAINT,
                "axes.labelcolor": INK,
                "axes.titlesize": 10.5,
                "axes.titlelocation": "left",
                "axes.spines.top": False,
                "axes.spines.right": False,
                "xtick.color": INK,
                "ytick.color": INK,
                "legend.frameon": False,
                "legend.fontsize": 9,
            }
        )
        yield


def _rendered(figure: Figure, kind: str) -> bytes:
    """The same bytes for the same figure: no date."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
    return buffer.getvalue()


# --- what is drawn ------------------------------------------------------------------------------------------


class _Scene:
    """A mechanism with all that both panels and the tables show of it.

    Attributes
    ----------
    colors : list of str
        The names of the colours, shortened.
    present : list of int
        The colours that occur.
    hops, step : arrays of int
        Per dataset, its distance, and the step that this is drawn at.
    true, false : arrays of float
        Per dataset, the chance of the true answer, and one minus it.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.graph: DatasetGraph = mechanism.graph
        self.colors = [_short(color, 24) for color in self.graph.colors]
        self.present = [int(c) for c in np.unique(self.graph.color)]
        self.hops = distance(self.graph)
        self.steps = _Steps.of(self.hops)
        self.step = self.steps.index(self.hops)
        self.true = mechanism.p_true
        others = mechanism.probabilities.copy()
        others[np.arange(len(mechanism)), self.graph.color] = 0.0
        self.false: Floats = others.sum(axis=1)
        self.scale = _Scale.of(self.true, self.false)

    @cached_property
    def shades(self) -> list[str]:
        return _shades(self.graph.colors)

    def style(self, i: int) -> dict[str, Any]:
        """The line of the i-th colour that occurs."""
        shade, dashes = self.shades[self.present[i]], DASHES[i % len(DASHES)]
        return {"color": shade, "lw": 1.8, "ls": dashes, "marker": "o" if self.steps.count <= FEW else "", "ms": 4}

    def aside(self, i: int) -> float:
        """How far the i-th colour is drawn beside the others, so that equal ones do not hide each other."""
        room = min(0.12, 0.8 / len(self.present)) if self.steps.count <= FEW else 0.0
        return room * (i - (len(self.present) - 1) / 2)

    def label(self, color: int) -> str:
        """What a colour means."""
        return f"true answer: {self.colors[color]}" if len(self.colors) == 2 else self.colors[color]

    @cached_property
    def two_sided(self) -> bool:
        """Whether there are two sides of a boundary to draw."""
        return len(self.graph.colors) == 2 and bool((self.hops >= 0).any())

    @cached_property
    def layers(self) -> list[_Layer]:
        """Per colour, what is known of each step that has datasets."""
        return [self._layer(c) for c in self.present]

    def _layer(self, color: int) -> _Layer:
        mine = self.graph.color == color
        step, true, false = self.step[mine], self.true[mine], self.false[mine]
        size = self.steps.count + 1
        number = np.bincount(step, minlength=size)
        some = np.flatnonzero(number)
        rising, falling = _least_mean_greatest(step, true, size), _least_mean_greatest(step, false, size)[::-1]
        return _Layer(color, some, number[some], rising[:, some], falling[:, some])

    @cached_property
    def caption(self) -> str:
        """How large the graph is and what its edges allow, in one line."""
        parts = [_count(len(self.graph), "dataset"), _count(self.graph.edges, "edge")]
        parts.append(f"{len(boundary_vertices(self.graph)):,} on the boundary")
        name, values = _allowed(self.mechanism)
        parts += [_range(name, values)] if name and len(values) else []
        if name == "epsilon" and self.graph.delta.any():
            parts.append(_range("delta", self.graph.delta))
        return ", ".join(parts)


def _shades(colors: Sequence[str]) -> list[str]:
    """A shade per colour: its own if it is called by one, else the next that is free."""
    own = [SHADES.get(color.lower()) for color in colors]
    if len(own) > len(SHADES):
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        return [to_hex(colormaps["turbo"](x)) for x in np.linspace(0.05, 0.95, len(own))]
    free = iter(shade for shade in SHADES.values() if shade not in own)
    return [shade or next(free) for shade in own]


class _Layer(NamedTuple):
    """One colour, step by step: how many datasets, and the least, mean and greatest chance of the true answer."""

    color: int
    step: NDArray[np.int64]
    number: NDArray[np.int64]
    true: Floats
    false: Floats


def _least_mean_greatest(step: NDArray[np.int64], values: Floats, size: int) -> Floats:
    """Three rows, one column per step."""
    least, greatest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, step, values)
    np.maximum.at(greatest, step, values)
    mean = np.bincount(step, weights=values, minlength=size) / np.maximum(np.bincount(step, minlength=size), 1)
    return np.stack([least, mean, greatest])


def _allowed(mechanism: Mechanism) -> tuple[str, Floats]:
    """What the edges allow, and what that is called; nothing for a pair of one's own."""
    if isinstance(mechanism.privacy, EpsilonDelta):
        return "epsilon", mechanism.graph.epsilon
    if isinstance(mechanism.privacy, Gaussian):
        return "mu", np.broadcast_to(np.asarray(mechanism.privacy.mu, np.float64), mechanism.graph.edges)
    return "", np.ones(mechanism.graph.edges)


@dataclass(frozen=True)
class _Steps:
    """Distances as places on an axis: distance d fills d to d + 1; beyond a gap, what reaches no boundary.

    Attributes
    ----------
    reach : int
        One more than the greatest distance.
    width : int
        How many distances share a step.
    unreached : bool
        Whether some dataset reaches no boundary.
    """

    reach: int
    width: int
    unreached: bool

    @classmethod
    def of(cls, hops: NDArray[Any]) -> _Steps:
        reach = int(hops.max()) + 1
        return cls(reach, max(1, math.ceil(reach / MOST_STEPS)), bool((hops < 0).any()))

    @property
    def count(self) -> int:
        """How many steps; this is also the number of the one beyond the gap."""
        return math.ceil(self.reach / self.width)

    def index(self, hops: NDArray[Any]) -> NDArray[np.int64]:
        return np.where(hops < 0, self.count, hops // self.width).astype(np.int64)

    def start(self, step: Any) -> Floats:
        """Where a step begins."""
        gap = 0.05 * self.count * self.width
        return np.asarray(step) * self.width + np.where(np.asarray(step) == self.count, gap, 0.0)

    def size(self, step: Any) -> Floats:
        """How wide a step is drawn; the one beyond the gap is never lost to sight."""
        return np.where(np.asarray(step) == self.count, max(1.0, 0.03 * self.count), 1.0) * self.width

    def center(self, step: Any) -> Floats:
        return self.start(step) + self.size(step) / 2

    @property
    def end(self) -> float:
        """Where the last step ends."""
        last = self.count if self.unreached else self.count - 1
        return float(self.start(last) + self.size(last))

    def ticks(self, letters: int) -> tuple[list[float], list[str]]:
        """Round distances, as many as this many letters can name, and what is beyond the gap."""
        most = max(1, letters // (len(f"{self.reach:,}") + 2))
        sizes = (m * 10**e for e in range(10) for m in (1, 2, 5))
        size = next(s for s in sizes if self.reach <= s * most)
        at = list(range(0, self.reach, size))
        places, labels = [d + 0.5 for d in at], [f"{d:,}" for d in at]
        if self.unreached:
            places.append(float(self.center(self.count)))
            labels.append(self.name(self.count))
        return places, labels

    def name(self, step: int) -> str:
        """The distances of a step in words."""
        if step == self.count:
            return "cut off" if self.count else "no boundary"
        first, last = step * self.width, min((step + 1) * self.width, self.reach) - 1
        return f"{first:,}" if first == last else f"{first:,} to {last:,}"


@dataclass(frozen=True)
class _Scale:
    """Where a chance stands on an axis: as it is, or by its decades.

    Attributes
    ----------
    decades : float
        How many powers of ten the chances come close to 0 or 1; 0 where they are drawn as they are.
    """

    decades: float

    @classmethod
    def of(cls, p: Floats, q: Floats) -> _Scale:
        small = np.minimum(p, q)
        least = small[small > 0.0].min(initial=1.0)
        return cls(-math.log10(least) if least < 0.01 else 0.0)

    @property
    def size(self) -> int:
        """How many decades lie between ticks."""
        return max(1, math.ceil(self.decades / 6))

    @property
    def end(self) -> float:
        """Where certainty is drawn."""
        return self.decades + 0.9 * self.size

    def place(self, p: Floats, q: Floats) -> Floats:
        """Where p = 1 - q stands."""
        if not self.decades:
            return np.asarray(p)
        small = np.minimum(p, q)
        outward = np.full(small.shape, self.end)
        np.log10(2.0 * small, out=outward, where=small > 0.0)
        placed: Floats = np.copysign(outward, np.where(p < q, -1.0, 1.0))
        return placed

    def ticks(self, certain: bool, impossible: bool) -> tuple[list[float], list[str]]:
        """Places and names of round chances."""
        if not self.decades:
            at = [n / 10 for n in range(11)]
            return at, [f"{x:g}" for x in at]
        decades = range(self.size, int(self.decades) + 1, self.size)
        up = [(n - math.log10(2.0), _high(n)) for n in decades] + ([(self.end, "1")] if certain else [])
        down = [(math.log10(2.0) - n, _low(n)) for n in decades] + ([(-self.end, "0")] if impossible else [])
        both = [*down, (0.0, "0.5"), *up]
        return [place for place, _ in both], [label for _, label in both]


def _low(n: int) -> str:
    return f"{10.0**-n:g}" if n < 4 else "10" + _superscript(-n)


def _high(n: int) -> str:
    return f"{1.0 - 10.0**-n:g}" if n < 4 else f"1 − {_low(n)}"


def _superscript(n: int) -> str:
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


# --- the figure ---------------------------------------------------------------------------------------------


def _figure(scene: _Scene, title: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(INCHES, DPI, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.03))
    if title:
        figure.suptitle(_short(title, 90), fontsize=13, weight="bold")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1.0], height_ratios=[3.2, 1.0])
    left = figure.add_subplot(grid[:, 0])
    above = figure.add_subplot(grid[0, 1])
    below = figure.add_subplot(grid[1, 1], sharex=above)
    drawing = _drawing(scene)
    if drawing is None:
        _density(left, scene)
    else:
        _network(left, scene, drawing)
    _accuracy(above, scene)
    _numbers(below, scene)
    figure.align_ylabels([above, below])
    figure.supxlabel(scene.caption, fontsize=9, color=FAINT)
    return figure


def _sided_axis(axes: Axes, scene: _Scene) -> None:
    """Distances to both sides of the boundary; where they are many, one 0 is enough."""
    places, labels = scene.steps.ticks(36)
    if scene.steps.reach > 12:
        places[0] = 0.0
    sided = dict(zip([-x for x in places] + places, labels * 2, strict=True))  # -0.0 and 0.0 are one
    axes.set_xticks(list(sided), list(sided.values()))
    axes.axvline(0.0, color=FAINT, lw=1.0, ls=(0, (4, 3)), zorder=0)
    axes.set_xlabel("edges away from the boundary")
    _heading(axes, scene, 0, 0.0, "right")
    _heading(axes, scene, 1, 0.0, "left")


def _heading(axes: Axes, scene: _Scene, color: int, x: float, side: str) -> None:
    """A colour's name above its part of the axes."""
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


def _legend(axes: Axes, handles: list[Any], *, above: bool = False) -> int:
    """A legend outside the axes, where it covers nothing; how many rows it takes."""
    if not handles:
        return 0
    widths = [_width(handle.get_label()) + 7 for handle in handles]
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


# --- left, dataset by dataset -------------------------------------------------------------------------------


class _Drawing(NamedTuple):
    """Where each dataset is drawn, from what to what the axes go, the labels, and their font size."""

    place: Floats
    limits: Floats
    labels: list[str]
    font: float


def _drawing(scene: _Scene) -> _Drawing | None:
    """The drawing of a small graph, or None where its labels would overlap or be too small."""
    if len(scene.graph) > SMALL:
        return None
    place, limits = _columns(scene) if scene.two_sided else _rings(scene)
    points = (place - limits[0]) / (limits[1] - limits[0]) * PANEL
    chances = [_rounded(p, q) for p, q in zip(scene.true.tolist(), scene.false.tolist(), strict=True)]
    best = _Drawing(place, limits, [], 0.0)
    for letters, zero in ((14, "0"), (14, ""), (9, ""), (6, "")):
        keys = [_short(key, letters) for key in scene.graph.keys.to_pylist()]
        labels = [f"{key}\n{chance.replace('0.', zero + '.')}" for key, chance in zip(keys, chances, strict=True)]
        font = _font(points, labels)
        if font > best.font and len(set(keys)) == len(keys):
            best = _Drawing(place, limits, labels, font)
        if best.font > COMFORTABLE:
            break
    return best if best.font >= SMALLEST_FONT else None


def _columns(scene: _Scene) -> tuple[Floats, Floats]:
    """One column per distance, the first colour left; within a column, near one's neighbours."""
    side = np.where(scene.graph.color == 0, -1.0, 1.0)
    x = side * scene.steps.center(scene.step)
    far = scene.hops < 0
    height = max(8, int(np.unique(x[~far], return_counts=True)[1].max()))
    for s in (-1.0, 1.0):  # what reaches no boundary fills columns of its own
        rest = np.flatnonzero(far & (side == s))
        x[rest] += s * (np.arange(len(rest)) // height)
    y = _rows(scene.graph, x)
    reach = float(np.abs(y).max()) + 0.6
    return np.stack([x, y], axis=1), np.array([[x.min() - 0.5, -reach], [x.max() + 0.5, reach]])


def _rows(graph: DatasetGraph, x: Floats) -> Floats:
    """Rows within columns: each dataset near the mean of its neighbours in other columns, by some sweeps."""
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
    """n rows around 0, the first on top."""
    return (n - 1) / 2 - np.arange(n, dtype=np.float64)


def _rings(scene: _Scene) -> tuple[Floats, Floats]:
    """One sector per colour, one ring per distance, the boundary innermost: no edge runs under a third dataset."""
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
    """The largest font, up to 11 points, with which boxes at these points leave some room between them.

    In a font of size f, boxes of sizes w f and h f do not overlap iff |dx| >= w f or |dy| >= h f.
    """
    wide = np.array([0.65 * max(map(_width, label.split("\n"))) + 0.9 for label in labels])
    between = np.abs(points[:, None] - points[None, :])
    apart = np.maximum(between[..., 0] / (wide[:, None] + wide) * 2.0, between[..., 1] / 3.3)
    np.fill_diagonal(apart, np.inf)
    return float(min(11.0, 0.86 * apart.min()))


def _network(axes: Axes, scene: _Scene, drawing: _Drawing) -> None:
    """Datasets as boxes, edges as lines."""
    from matplotlib.collections import LineCollection

    _, values = _allowed(scene.mechanism)
    paths = _paths(scene.graph, drawing.place, scene.two_sided)
    axes.add_collection(LineCollection(paths, linewidths=_line_width(values, values), colors=GREY))
    _boxes(axes, scene, drawing)
    axes.spines["left"].set_visible(False)
    if scene.two_sided:
        _sided_axis(axes, scene)
    else:
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
    axes.set(xlim=drawing.limits[:, 0], ylim=drawing.limits[:, 1], yticks=[])
    axes.set_title("Every dataset, with its chance of the true answer", pad=HEAD)
    _legend(axes, _marks(scene))


def _boxes(axes: Axes, scene: _Scene, drawing: _Drawing) -> None:
    """A box per dataset, the paler the less accurate, with a frame on the boundary."""
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
            bbox={
                "boxstyle": "round,pad=0.32",
                "facecolor": tuple(fills[v]),
                "edgecolor": INK if scene.hops[v] == 0 else "none",
                "linewidth": 1.6,
            },
        )


def _marks(scene: _Scene) -> list[Any]:
    """What frames and lines mean."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    if (scene.hops == 0).any():
        handles.append(Patch(facecolor="white", edgecolor=INK, linewidth=1.6, label="on the boundary"))
    name, values = _allowed(scene.mechanism)
    if name:
        shown = _sample(values)
        lines = zip(shown.tolist(), _line_width(shown, values).tolist(), strict=True)
        handles += [Line2D([], [], color=GREY, lw=width, label=f"{name} {x:.3g}") for x, width in lines]
    return handles


def _paths(graph: DatasetGraph, place: Floats, bend: bool) -> list[Floats]:
    """Edges as lines; within a column bent outwards, around the datasets between."""
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


def _line_width(values: Floats, among: Floats) -> Floats:
    """From 0.8 to 3.4 points, the wider the more is allowed."""
    low, high = (among.min(), among.max()) if len(among) else (0.0, 0.0)
    return 1.3 + 0.0 * values if low == high else 0.8 + 2.6 * (values - low) / (high - low)


def _sample(values: Floats) -> Floats:
    """All different values if they are few, else three across."""
    different: Floats = np.unique(values)
    return different if len(different) <= 4 else np.linspace(different[0], different[-1], 3)


# --- left, as a density -------------------------------------------------------------------------------------


def _density(axes: Axes, scene: _Scene) -> None:
    """How many datasets have which distance and which chance: the more, the darker."""
    sided = len(scene.graph.colors) == 2
    p, q = (scene.mechanism.p, scene.mechanism.q) if sided else (scene.true, scene.false)
    height = scene.scale.place(p, q)
    low, high = _span(height, scene.scale)
    row = ((height - low) / (high - low) * ROWS).astype(np.int64).clip(0, ROWS - 1)
    cells = {c: _cells(scene, row, c) for c in scene.present}
    most = max(int(n.max()) for n in cells.values())
    levels = np.linspace(low, high, ROWS + 1)
    starts = _starts(scene, sided)
    for c, numbers in cells.items():
        edges, columns = _with_gaps(scene.steps, numbers)
        x = starts[c] + (-edges if sided and c == 0 else edges)
        axes.pcolormesh(x, levels, _tinted(columns, most, scene.shades[c]).transpose(1, 0, 2), rasterized=True)
    axes.set_yticks(*scene.scale.ticks(bool((q == 0.0).any()), bool((p == 0.0).any())))
    axes.set_ylim(low, high)
    axes.grid(axis="y", color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    if sided:
        _sided_axis(axes, scene)
        axes.set_xlim(-1.01 * scene.steps.end, 1.01 * scene.steps.end)
        axes.set_ylabel(f"chance of answering “{scene.colors[0]}”")
    else:
        _blocks_axis(axes, scene, starts)
        axes.set_ylabel("chance of the true answer")
    axes.set_title("All datasets, by distance and chance", pad=HEAD)
    _legend(axes, _depths(most))


def _cells(scene: _Scene, row: NDArray[np.int64], color: int) -> NDArray[np.int64]:
    """How many datasets of a colour stand in each step, and there in each row."""
    mine = scene.graph.color == color
    size = scene.steps.count + 1
    return np.bincount(scene.step[mine] * ROWS + row[mine], minlength=size * ROWS).reshape(size, ROWS)


def _starts(scene: _Scene, sided: bool) -> dict[int, float]:
    """Where the distances of each colour begin: back to back in the middle, or one block after the other."""
    block = 0.0 if sided else 1.06 * scene.steps.end
    return {c: i * block for i, c in enumerate(scene.present)}


def _with_gaps(steps: _Steps, numbers: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Columns with a little room between them, and where they begin and end."""
    every = np.arange(steps.count + 1)
    start, size = steps.start(every), steps.size(every)
    room = 0.08 if steps.count <= 40 else 0.0
    edges = np.stack([start + room * size, start + (1.0 - room) * size], axis=1).ravel()
    columns = np.zeros((2 * len(numbers) - 1, ROWS), np.int64)
    columns[::2] = numbers
    return edges, columns


def _tinted(numbers: NDArray[np.int64], most: int, shade: str) -> Floats:
    """A shade for every number, the darker the more; transparent for none."""
    from matplotlib.colors import to_rgb

    strength = _strength(numbers, most)
    color = 1.0 - strength[..., None] * (1.0 - np.array(to_rgb(shade)))
    return np.concatenate([color, (numbers > 0)[..., None]], axis=-1)


def _strength(numbers: NDArray[np.int64], most: int) -> Floats:
    if most == 1:
        return np.ones(numbers.shape)
    return np.asarray(0.25 + 0.75 * np.log(np.maximum(numbers, 1)) / math.log(most))


def _depths(most: int) -> list[Any]:
    """What lighter and darker mean."""
    from matplotlib.patches import Patch

    shown = sorted({1, round(math.sqrt(most)), most}) if most > 1 else []
    grays = 1.0 - 0.8 * _strength(np.array(shown, np.int64), most)
    return [Patch(color=(g, g, g), label=_count(n, "dataset")) for n, g in zip(shown, grays.tolist(), strict=True)]


def _blocks_axis(axes: Axes, scene: _Scene, starts: dict[int, float]) -> None:
    """Distances once per colour."""
    places, labels = scene.steps.ticks(60 // len(starts))
    axes.set_xticks([])
    if len(starts) <= 12:
        axes.set_xticks([start + x for start in starts.values() for x in places], labels * len(starts))
    axes.set_xlim(-0.1 * scene.steps.width, max(starts.values()) + scene.steps.end + 0.1 * scene.steps.width)
    axes.set_xlabel("edges away from the boundary")
    if len(starts) <= 6:
        for c, start in starts.items():
            _heading(axes, scene, c, start, "left")


# --- right --------------------------------------------------------------------------------------------------


def _accuracy(axes: Axes, scene: _Scene) -> None:
    """Least, mean and greatest chance of the true answer, by distance."""
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
        axes.fill_between(x[~bars], low[~bars], high[~bars], color=style["color"], alpha=0.22, lw=0)
    bottom, top = _span(np.concatenate(ends), scale)
    axes.set_yticks(*scale.ticks(bool((scene.false == 0.0).any()), bool((scene.true == 0.0).any())))
    axes.set_ylim(bottom, top)
    axes.set_ylabel("chance of the true answer")
    lines = [Line2D([], [], **scene.style(i), label=scene.label(c)) for i, c in enumerate(scene.present[:8])]
    rows = _legend(axes, lines, above=True)
    axes.set_title("Accuracy by distance: mean, and least to greatest", pad=HEAD + 13.0 * (rows - 1))
    axes.grid(axis="y", color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelbottom=False)


def _numbers(axes: Axes, scene: _Scene) -> None:
    """How many datasets are at each distance."""
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


def _span(height: Floats, scale: _Scale) -> tuple[float, float]:
    """From what to what the axis of chances goes: the middle is always on it."""
    middle = 0.0 if scale.decades else 0.5
    low, high = min(float(height.min()), middle), max(float(height.max()), middle if scale.decades else 1.0)
    room = 0.04 * (high - low)
    return low - room, high + room


# --- two mechanisms -----------------------------------------------------------------------------------------


def _comparison_figure(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(INCHES, DPI, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.03))
    figure.suptitle(_short(str(comparison), 110), fontsize=12, weight="bold")
    left, right = figure.subplots(1, 2)
    _against(left, comparison)
    _ordered(right, comparison)
    means, worsts = comparison.mean, comparison.worst
    figure.supxlabel(
        f"{_count(comparison.datasets, 'dataset')}; mean accuracy {means[0]:.6g} and {means[1]:.6g}, "
        f"worst {worsts[0]:.6g} and {worsts[1]:.6g}",
        fontsize=9,
        color=FAINT,
    )
    return figure


def _against(axes: Axes, comparison: Comparison) -> None:
    """Every dataset at its two accuracies; many in one place as one darker cell."""
    one, two = comparison.first, comparison.second
    low = min(0.5, float(one.min()), float(two.min()))
    axes.plot([low, 1.0], [low, 1.0], color=GREY, lw=1.0, zorder=0)
    if len(one) <= SCATTERED:
        shade = np.where(one > two, SHADES["blue"], np.where(one < two, SHADES["red"], FAINT))
        axes.scatter(one, two, s=16, c=shade.tolist(), alpha=0.6, lw=0)
    else:
        from matplotlib.colors import LogNorm

        axes.hist2d(one, two, bins=100, range=[[low, 1.0]] * 2, norm=LogNorm(), cmap="Blues")
    axes.set_xlabel(f"accuracy of {_short(comparison.names[0], 40)}")
    axes.set_ylabel(f"accuracy of {_short(comparison.names[1], 40)}")
    axes.set_title("Dataset by dataset")
    axes.set_aspect("equal")


def _ordered(axes: Axes, comparison: Comparison) -> None:
    """The differences in order of size."""
    gap = np.sort(comparison.first - comparison.second)[::-1]
    share = np.arange(len(gap) + 1) / len(gap)
    axes.axhline(0.0, color=GREY, lw=1.0)
    for sign, color, name in ((1, "blue", comparison.names[0]), (-1, "red", comparison.names[1])):
        height = np.maximum(sign * gap, 0.0) * sign
        label = f"{_short(name, 30)} better"
        axes.stairs(height, share, baseline=0.0, fill=True, color=SHADES[color], alpha=0.7, label=label)
    axes.set_xlabel("share of the datasets")
    axes.set_ylabel("difference in accuracy")
    axes.set_title("By how much")
    axes.legend()


# --- the page -----------------------------------------------------------------------------------------------

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1200px; margin: 2em auto; padding: 0 1em; }}
svg {{ width: 100%; height: auto; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
caption {{ text-align: left; font-weight: bold; padding: .4em 0; }}
th, td {{ padding: .25em .9em .25em 0; text-align: left; border-bottom: 1px solid #ddd; }}
</style>
</head>
<body>
<h1>{title}</h1>
<figure style="margin: 0">
{picture}
</figure>
{tables}
</body>
</html>
"""


def _page(scene: _Scene, title: str, picture: str) -> str:
    """A page with the picture and its figures, which needs nothing else."""
    tables = [_summary(scene), _by_distance(scene)]
    if len(scene.graph) <= SMALL:
        tables.append(_by_dataset(scene))
    svg = picture[picture.index("<svg") :]
    return PAGE.format(title=_escaped(title), picture=svg, tables="\n".join(tables))


def _summary(scene: _Scene) -> str:
    true, false = scene.true, scene.false
    rows = [
        ("datasets", f"{len(scene.graph):,}"),
        ("edges", f"{scene.graph.edges:,}"),
        ("on the boundary", f"{len(boundary_vertices(scene.graph)):,}"),
        ("least chance of the true answer", _chance(true.min(), false.max())),
        ("mean chance of the true answer", _chance(true.mean(), false.mean())),
    ]
    return _table("Summary", ("", ""), rows)


def _by_distance(scene: _Scene) -> str:
    rows = [
        (scene.steps.name(int(step)), scene.graph.colors[layer.color], f"{number:,}", *map(_chance, true, false))
        for layer in scene.layers
        for step, number, true, false in zip(layer.step, layer.number, layer.true.T, layer.false.T, strict=True)
    ]
    head = ("edges away from the boundary", "true answer", "datasets", "least chance", "mean", "greatest")
    return _table("The chance of the true answer, by distance", head, rows)


def _by_dataset(scene: _Scene) -> str:
    names = [scene.steps.name(int(s)) for s in scene.step]
    keys = scene.graph.keys.to_pylist()
    colors = [scene.graph.colors[c] for c in scene.graph.color]
    rows = zip(keys, colors, names, map(_chance, scene.true, scene.false), strict=True)
    head = ("dataset", "true answer", "edges away from the boundary", "chance of the true answer")
    return _table("Every dataset", head, rows)


def _table(caption: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f"<th>{_escaped(cell)}</th>" for cell in head)
    lines = ["".join(f"<td>{_escaped(cell)}</td>" for cell in row) for row in rows]
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    header = f"<thead><tr>{top}</tr></thead>\n" if any(head) else ""
    return f"<table>\n<caption>{_escaped(caption)}</caption>\n{header}<tbody>\n{body}\n</tbody>\n</table>"


# --- words --------------------------------------------------------------------------------------------------


def _printable(text: str) -> str:
    """A text on one line; what cannot be printed is written as in Python."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _escaped(text: str) -> str:
    return html.escape(_printable(text))


def _short(text: str, most: int) -> str:
    """A text on one line, with its middle left out where it is too long.

    >>> _short("customer-2024-000017", 12), _short("a\\nb", 12)
    ('custom…00017', 'a\\\\nb')
    """
    plain = _printable(text)
    if len(plain) <= most:
        return plain
    return plain[: most // 2] + "…" + plain[len(plain) - (most - most // 2 - 1) :]


def _width(text: str) -> int:
    """How many letters wide a text is; some scripts have letters of two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _chance(p: float, q: float) -> str:
    """p = 1 - q with three digits of the smaller of the two.

    >>> _chance(0.73105, 0.26895), _chance(1.0, 2.5e-9), _chance(3e-20, 1.0), _chance(1.0, 0.0)
    ('0.731', '1 − 2.5·10⁻⁹', '3·10⁻²⁰', '1')
    """
    if q == 0.0 or p == 0.0:
        return "1" if q == 0.0 else "0"
    if min(p, q) >= 0.0005:
        return f"{p:.3f}"
    digits, _, power = f"{min(p, q):.1e}".partition("e")
    small = f"{float(digits):g}·10{_superscript(int(power))}"
    return small if p < q else f"1 − {small}"


def _rounded(p: float, q: float) -> str:
    """p = 1 - q with three decimals, and never a 0 or 1 that is none.

    >>> _rounded(0.73105, 0.26895), _rounded(1.0, 1e-20), _rounded(1.0, 0.0)
    ('0.731', '>0.999', '1')
    """
    if p == 0.0 or q == 0.0:
        return "0" if p == 0.0 else "1"
    return "<0.001" if p < 0.0005 else ">0.999" if q < 0.0005 else f"{p:.3f}"


def _range(name: str, values: Floats) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return f"{name} {low}" if low == high else f"{name} {low} to {high}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
