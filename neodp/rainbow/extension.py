"""The best mechanism for every dataset's order, on a whole graph.

With one epsilon on all edges it is the table (:mod:`neodp.rainbow.table`). Where epsilon differs, it is the line
(:mod:`neodp.rainbow.flow`), which is always private and close to the best; or, by choice, the largest prefix sums
(:mod:`neodp.rainbow.prefix`), which are refused where they are not private.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.columns import Floats
from neodp.graph import DatasetGraph
from neodp.rainbow.boundary import alpha_by_order
from neodp.rainbow.flow import Line
from neodp.rainbow.orders import distances, morphism
from neodp.rainbow.prefix import prefix_sums
from neodp.rainbow.table import Table

__all__ = ["Extension", "Method", "extend"]

Method: TypeAlias = Literal["line", "prefix"]
"""What to do where epsilon differs between edges: the line, or prefix sums if they turn out to be private."""


class Extension(NamedTuple):
    """A mechanism's rows, whose alpha was rounded in, who took that of their order, and how the rows were found."""

    rows: Floats
    rounded: NDArray[np.int64]
    filled: NDArray[np.int64]
    method: str


def extend(graph: DatasetGraph, method: Method | None = None) -> Extension:
    """The best mechanism for every dataset's order that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        With alpha on its boundary, the same for all boundary datasets of one order; one that has none takes that of its
        order. Every dataset orders the colours.
    method : "line" or "prefix", optional
        Where epsilon differs between edges, by default the line. "prefix" takes the largest prefix sums instead, and is
        refused where these break privacy together. With one epsilon the table is both private and largest; "line" can
        be asked for to compare.

    Raises
    ------
    GraphError
        If a dataset does not order the colours, or alpha is given where no boundary is.
    UnhitBoundary
        If an order has no alpha on its boundary.
    IncompatibleAlpha
        If alpha differs within an order, or between orders by more than privacy allows.
    NotPrivate
        If "prefix" is asked for and breaks privacy.
    """
    alpha, rounded, filled = alpha_by_order(graph)
    alike = graph.edges == 0 or graph.epsilon.min() == graph.epsilon.max()
    if method != "line" and alike:
        table = Table(alpha, *((graph.epsilon[0], graph.delta.min()) if graph.edges else (0.0,)))
        rows, found = table.rows(graph.orders, *morphism(graph)), "table"
    elif method == "prefix":
        rows, found = prefix_sums(graph, alpha), "prefix"
    else:
        rows, found = Line(alpha).rows(graph.orders, graph.order, distances(graph)), "line"
    return Extension(rows, rounded, filled, found)
