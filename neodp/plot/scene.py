"""The data that a picture of a mechanism shows: distances, chances, and their summary per distance.

The *distance* of a dataset is the number of edges between it and the nearest boundary dataset; a boundary dataset has
distance 0.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core.boundary import boundary_vertices, distance
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta, Gaussian
from neodp.data.family import family
from neodp.data.formatting import count
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats
from neodp.plot.scales import Scale, Steps
from neodp.plot.style import FEW, layered, shades_of
from neodp.plot.text import precise, range_of, shortened

__all__ = ["Layer", "Scene", "allowed"]


class Scene:
    """A mechanism with all the data that the panels and the tables show.

    Attributes
    ----------
    colors : list of str
        The names of the colours, shortened.
    present : list of int
        The colours that occur in the graph.
    hops, step : arrays of int
        Per dataset, its distance from the boundary, and the step of the axis at which it is drawn.
    true, false : arrays of float
        Per dataset, the chance of the true answer, and the chance of any other answer.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.graph: DatasetGraph = mechanism.graph
        self.colors = [shortened(color, 24) for color in self.graph.colors]
        self.present = [int(c) for c in np.unique(self.graph.color)]
        self.hops = distance(self.graph)
        self.steps = Steps.of(self.hops)
        self.step = self.steps.index(self.hops)
        self.true = mechanism.p_true
        others = mechanism.probabilities.copy()
        others[np.arange(len(mechanism)), self.graph.color] = 0.0
        self.false: Floats = others.sum(axis=1)
        self.scale = Scale.of(self.true, self.false)

    @cached_property
    def shades(self) -> list[str]:
        """The shade of each colour."""
        return shades_of(self.graph.colors)

    def style(self, i: int) -> dict[str, Any]:
        """Return the line style of the i-th colour that occurs."""
        return layered(i, self.shades[self.present[i]], marks=self.steps.count <= FEW)

    def aside(self, i: int) -> float:
        """Return the sideways shift of the i-th colour, which keeps equal values from hiding each other."""
        room = min(0.12, 0.8 / len(self.present)) if self.steps.count <= FEW else 0.0
        return room * (i - (len(self.present) - 1) / 2)

    def label(self, color: int) -> str:
        """Describe the meaning of a colour in words."""
        return f"true answer: {self.colors[color]}" if family(self.graph).binary else self.colors[color]

    @cached_property
    def two_sided(self) -> bool:
        """True if there are two sides of a boundary to draw."""
        return family(self.graph).binary and bool((self.hops >= 0).any())

    @cached_property
    def layers(self) -> list[Layer]:
        """The summary of each colour, step by step."""
        return [self._layer(c) for c in self.present]

    def _layer(self, color: int) -> Layer:
        mine = self.graph.color == color
        step, true, false = self.step[mine], self.true[mine], self.false[mine]
        size = self.steps.count + 1
        number = np.bincount(step, minlength=size)
        some = np.flatnonzero(number)
        rising, falling = _least_mean_greatest(step, true, size), _least_mean_greatest(step, false, size)[::-1]
        return Layer(color, some, number[some], rising[:, some], falling[:, some])

    def told(self, layer: Layer, place: int) -> str:
        """Describe one step of a colour in words."""
        name, number = self.steps.name(int(layer.step[place])), int(layer.number[place])
        least, mean, greatest = map(precise, layer.true[:, place], layer.false[:, place])
        where = f"{name} edges away" if layer.step[place] < self.steps.count else name
        return (
            f"{where}, {self.label(layer.color)}: {count(number, 'dataset')}, mean {mean}, from {least} to {greatest}"
        )

    @cached_property
    def alt(self) -> str:
        """A description of the picture for people who cannot see it."""
        true, false = self.true, self.false
        return (
            f"A mechanism on {self.caption}. The chance of the true answer is at least "
            f"{precise(true.min(), false.max())}, and {precise(true.mean(), false.mean())} on average."
        )

    @cached_property
    def caption(self) -> str:
        """The size of the graph and the privacy parameters of its edges, in one line."""
        parts = [count(len(self.graph), "dataset"), count(self.graph.edges, "edge")]
        parts.append(f"{len(boundary_vertices(self.graph)):,} on the boundary")
        name, values = allowed(self.mechanism)
        parts += [range_of(name, values)] if name and len(values) else []
        if name == "epsilon" and self.graph.delta.any():
            parts.append(range_of("delta", self.graph.delta))
        return ", ".join(parts)


class Layer(NamedTuple):
    """One colour, step by step: the number of datasets, and the least, mean and greatest chance of the true answer."""

    color: int
    step: NDArray[np.int64]
    number: NDArray[np.int64]
    true: Floats
    false: Floats


def _least_mean_greatest(step: NDArray[np.int64], values: Floats, size: int) -> Floats:
    """Return three rows (the least, mean and greatest value) with one column per step."""
    least, greatest = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, step, values)
    np.maximum.at(greatest, step, values)
    mean = np.bincount(step, weights=values, minlength=size) / np.maximum(np.bincount(step, minlength=size), 1)
    return np.stack([least, mean, greatest])


def allowed(mechanism: Mechanism) -> tuple[str, Floats]:
    """Return the name of the edges' privacy parameter and its value per edge; no name for a custom privacy notion."""
    if isinstance(mechanism.privacy, EpsilonDelta):
        return "epsilon", mechanism.graph.epsilon
    if isinstance(mechanism.privacy, Gaussian):
        return "mu", np.broadcast_to(np.asarray(mechanism.privacy.mu, np.float64), mechanism.graph.edges)
    return "", np.ones(mechanism.graph.edges)
