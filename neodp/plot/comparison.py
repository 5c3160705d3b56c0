"""A picture that compares two mechanisms, dataset by dataset."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neodp.data.formatting import count, number
from neodp.data.kinds import checked
from neodp.plot.files import PICTURES, checked_path, rendered, save
from neodp.plot.style import DPI, FAINT, GREY, INCHES, SHADES, styled
from neodp.plot.text import shortened
from neodp.study.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_comparison"]

SCATTERED = 5_000
"""The greatest number of datasets that are drawn as single marks when two mechanisms are compared."""


@checked
def plot_comparison(comparison: Comparison, path: str | PathLike[str]) -> Path:
    """Write a picture that compares two mechanisms to an ``.svg``, ``.png`` or ``.pdf`` file.

    The left panel shows every dataset at its two accuracies: above the diagonal the second mechanism is better, below
    it the first. The right panel shows the differences in order of size, with the share of datasets on which each
    mechanism is better.

    Raises
    ------
    GraphError, NeodpError
        As in ``plot``.
    """
    target = checked_path(path, PICTURES)
    with styled():
        save(target, rendered(_comparison_figure(comparison), target.suffix.lower()[1:], str(comparison)))
    return target


def _comparison_figure(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(INCHES, DPI, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08, wspace=0.03))
    figure.suptitle(shortened(str(comparison), 110), fontsize=12, weight="bold")
    left, right = figure.subplots(1, 2)
    _against(left, comparison)
    _ordered(right, comparison)
    means, worsts = comparison.mean, comparison.worst
    figure.supxlabel(
        f"{count(comparison.datasets, 'dataset')}; mean accuracy {number(means[0])} and {number(means[1])}, "
        f"worst {number(worsts[0])} and {number(worsts[1])}",
        fontsize=9,
        color=FAINT,
    )
    return figure


def _against(axes: Axes, comparison: Comparison) -> None:
    """Draw every dataset at its two accuracies; if there are many datasets, draw their density."""
    one, two = comparison.first, comparison.second
    low = min(0.5, float(one.min()), float(two.min()))
    axes.plot([low, 1.0], [low, 1.0], color=GREY, lw=1.0, zorder=0)
    if len(one) <= SCATTERED:
        shade = np.where(one > two, SHADES[0], np.where(one < two, SHADES[1], FAINT))
        axes.scatter(one, two, s=16, c=shade.tolist(), alpha=0.6, lw=0)
    else:
        from matplotlib.colors import LogNorm

        axes.hist2d(one, two, bins=100, range=[[low, 1.0]] * 2, norm=LogNorm(), cmap="Blues")
    axes.set_xlabel(f"accuracy of {shortened(comparison.names[0], 40)}")
    axes.set_ylabel(f"accuracy of {shortened(comparison.names[1], 40)}")
    axes.set_title("Dataset by dataset")
    axes.set_aspect("equal")


def _ordered(axes: Axes, comparison: Comparison) -> None:
    """Draw the differences in order of size."""
    gap = np.sort(comparison.first - comparison.second)[::-1]
    share = np.arange(len(gap) + 1) / len(gap)
    axes.axhline(0.0, color=GREY, lw=1.0)
    for sign, color, name in ((1, SHADES[0], comparison.names[0]), (-1, SHADES[1], comparison.names[1])):
        height = np.maximum(sign * gap, 0.0) * sign
        label = f"{shortened(name, 30)} better"
        axes.stairs(height, share, baseline=0.0, fill=True, color=color, alpha=0.7, label=label)
    axes.set_xlabel("share of the datasets")
    axes.set_ylabel("difference in accuracy")
    axes.set_title("By how much")
    axes.legend()
