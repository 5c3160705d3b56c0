"""A picture of a question to a graph of people before it is answered: its accuracy by distance."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from neodp.asking.inquiry import Inquiry
from neodp.asking.mechanism import AtLeast
from neodp.data.kinds import checked
from neodp.plot.files import PICTURES, checked_path, rendered, save
from neodp.plot.style import DPI, GRID, shades_of, styled
from neodp.plot.text import shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_question"]

POINTS = 200
"""The number of distances at which the chance is drawn."""


@checked
def plot_question(asked: Inquiry, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write a picture of what an answer would be worth; it does not depend on the graph.

    For "at least t?", it is the chance of a yes by the epsilon of all who would have to leave before there are fewer.
    For counts, it is the chance that the answer is at least what is left when people with this epsilon leave.

    Parameters
    ----------
    asked : Inquiry
        The question.
    path : str or path
        The file to write: ``.svg``, ``.png`` or ``.pdf``.
    title : str, optional
        The title; by default the pattern.

    Returns
    -------
    Path
        The file.
    """
    target = checked_path(path, PICTURES)
    epsilon, chance = (np.array(each) for each in zip(*asked.curve(POINTS), strict=True))
    with styled():
        figure = _asked_figure(asked, epsilon, chance, asked.pattern.text if title is None else title)
        picture = rendered(figure, target.suffix.lower()[1:], " ".join([asked.pattern.text, *asked.lines]))
    save(target, picture)
    return target


def _asked_figure(asked: Inquiry, epsilon: np.ndarray, chance: np.ndarray, title: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure((7.2, 4.4), DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(shortened(title, 90))
    (shade,) = shades_of(["neodp"])
    axes.plot(epsilon, chance, color=shade, lw=2)
    if isinstance(asked.mechanism, AtLeast):
        least = f"fewer than {asked.mechanism.threshold:,}"
        axes.axhline(asked.mechanism.false_alarm, color="0.5", lw=0.8)
        axes.annotate(f"the chance of a yes if there are {least}", (epsilon[-1], asked.mechanism.false_alarm),
                      xytext=(0, 4), textcoords="offset points", ha="right", color="0.35")  # fmt: skip
        axes.set_xlabel(f"total epsilon of the people who would have to leave before there are {least}")
        axes.set_ylabel("chance of a yes")
    else:
        axes.set_xlabel("total epsilon of the people who leave, those with the most matches first")
        axes.set_ylabel("chance that the answer is at least the number left")
    axes.set_xlim(0.0, float(epsilon[-1]))
    axes.set_ylim(-0.02, 1.02)
    axes.grid(axis="y", color=GRID, lw=0.7)
    return figure
