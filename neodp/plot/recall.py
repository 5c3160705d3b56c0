"""A picture of the recall experiment: recall by epsilon and by slices, by attitude, with the baselines."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neodp.errors import GraphError
from neodp.plot.files import PICTURES, rendered, save
from neodp.plot.style import DASHES, FAINT, GRID, SHADES, styled
from neodp.stretch.recall import Plan, RecallLine, RecallResult, by_epsilon, by_slices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]


def draw(results: Sequence[RecallResult], plan: Plan, path: str | PathLike[str], title: str = "") -> Path:
    """Write the picture to a .svg, .png or .pdf file.

    Raises
    ------
    GraphError
        If the file cannot be written, or has another suffix.
    NeodpError
        If matplotlib is not installed.
    """
    target = check(path)
    lines = {line.label: line for line in by_epsilon(results, plan)}
    slices = [line for label, line in lines.items() if label.startswith("slices")]
    groups = [line for label, line in lines.items() if label.startswith(("westin", "naive"))]
    panels = [
        (slices, "epsilon of each number released", "Weights in slices, all users alike"),
        (by_slices(results, plan), "number of slices", "The same by slices, over all epsilons"),
        (groups, "epsilon of each number released", "Users by attitude, 23 / 43 / 34 %"),
    ]
    if len(plan.slices) == 1:
        del panels[1]
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.0 * len(panels), 4.8), layout="constrained")
        for axes, (shown, what, heading) in zip(figure.subplots(1, len(panels), sharey=True), panels, strict=True):
            _panel(axes, shown, what, heading)
            _baselines(axes, lines["exact"], lines["blind"])
        figure.axes[0].set_ylabel(f"recall of held-out items, k = {plan.k}")
        figure.suptitle(title, x=0.01, ha="left")
        alt = f"Recall of held-out items by {' and by '.join(dict.fromkeys(what for _, what, _ in panels))}. {title}"
        picture = rendered(figure, target.suffix.lower()[1:], alt.strip())
    save(target, picture)
    return target


def check(path: str | PathLike[str]) -> Path:
    """Return the path of the file, after checking that the picture can be written to it."""
    target = Path(path)
    if target.suffix.lower() not in PICTURES or not target.parent.is_dir():
        raise GraphError(f"{str(target)!r} cannot be drawn", "name a .svg, .png or .pdf file in a folder that exists")
    return target


def _panel(axes: Axes, lines: Sequence[RecallLine], what: str, title: str) -> None:
    shades = SHADES
    for number, line in enumerate(lines):
        style: dict[str, Any] = {"color": shades[number % len(shades)], "ls": DASHES[number % len(DASHES)]}
        means, margins = zip(*line.by.values(), strict=True)
        axes.errorbar(
            list(line.by), means, yerr=margins, label=line.label, marker="o", ms=3, capsize=2, lw=1.4, **style
        )
    axes.set_xlabel(what)
    axes.set_title(title)
    axes.grid(axis="y", color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, fontsize=8)


def _baselines(axes: Axes, exact: RecallLine, blind: RecallLine) -> None:
    for line, name, x, side in ((exact, "no privacy", 0.01, "left"), (blind, "at random", 0.99, "right")):
        y = line.overall.mean
        axes.axhline(y, color=FAINT, lw=1.0, ls=(0, (1, 2)))
        axes.annotate(name, (x, y), xycoords=("axes fraction", "data"), ha=side, va="bottom", size=8)
