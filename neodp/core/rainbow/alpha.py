"""Alpha on the boundary of every order: read from a graph, completed, and checked.

With more than two colours alpha is a distribution per order: the same for all boundary datasets of one order, and given
on the whole boundary (with more than two colours a hitting set is not enough). A boundary dataset without alpha takes
that of its order. Alpha is *compatible* iff the distributions of two orders satisfy the privacy conditions of every
boundary edge between them. An alpha that is off by no more than a rounding error is moved, by a tiny share, towards the
mean of all orders that boundary edges join: this gives every inequality some room, since it holds between equal rows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core import boundary, inequalities, traversal
from neodp.core.rainbow.orders import Order, order_name, require_orders
from neodp.core.witness import ROUNDING, OrderConflict, Witness
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.validation import Floats
from neodp.errors import GraphError, IncompatibleAlpha, UnhitBoundary
from neodp.hints import Call, Hint

__all__ = ["BoundaryAlpha", "alpha_by_order", "unhit_edge"]


class BoundaryAlpha(NamedTuple):
    """The distribution of every order on its boundary, and the datasets where it was rounded in or missing."""

    alpha: dict[Order, list[float]]
    rounded: NDArray[np.int64]
    filled: NDArray[np.int64]


@checked
def alpha_by_order(graph: DatasetGraph) -> BoundaryAlpha:
    """Return the alpha of every order that has a boundary, from a graph's alpha; for ``Table`` and ``Line``.

    Raises
    ------
    GraphError, UnhitBoundary, IncompatibleAlpha
        As for ``extend``.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(2, epsilon=1.0).with_alpha({"0": 0.6, "1": 0.5})
    >>> alpha_by_order(g).alpha
    {(0, 1): [0.6, 0.4], (1, 0): [0.5, 0.5]}
    """
    require_orders(graph)
    ends = boundary.boundary_vertices(graph)
    given, rounded, filled = _given(graph, ends)
    rows, moved = _compatible(graph, given)
    if moved.size:
        rounded = ends[np.isin(graph.order[ends], moved)]
    named = {tuple(graph.orders[c].tolist()): rows[c].tolist() for c in np.unique(graph.order[ends]).tolist()}
    return BoundaryAlpha(named, rounded, filled)


@checked
def unhit_edge(graph: DatasetGraph) -> int | None:
    """Return the position of a boundary edge at an order that has no alpha on its boundary, or None: a witness."""
    ends = boundary.boundary_vertices(graph)
    missing = np.setdiff1d(graph.order[ends], graph.order[ends[graph.given[ends]]])
    at = graph.crossing & (np.isin(graph.order[graph.source], missing) | np.isin(graph.order[graph.target], missing))
    return int(np.argmax(at)) if at.any() else None


def _given(graph: DatasetGraph, ends: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Return alpha per order (NaN without a boundary), the datasets where it is rounded, and those that lacked it."""
    inside = graph.given.copy()
    inside[ends] = False
    if inside.any():
        v = int(np.argmax(inside))
        raise GraphError(
            f"alpha is given at {graph.key(v)!r}, whose neighbours all have its order",
            "with more than two colours, give it on the boundary only",
        )
    known = ends[graph.given[ends]]
    present, first = np.unique(graph.order[known], return_index=True)
    edge = unhit_edge(graph)
    if edge is not None:
        raise _unhit(graph, edge)
    alpha = np.full((len(graph.orders), len(graph.colors)), np.nan)
    alpha[present] = graph.alpha[known[first]]
    mine, common = graph.alpha[known], alpha[graph.order[known]]
    apart = np.abs(mine - common)
    off = apart > ROUNDING * common
    if off.any():
        row, color = np.unravel_index(int(np.argmax(np.where(off, apart, 0.0))), off.shape)
        order = int(graph.order[known[row]])
        raise _refused(
            OrderConflict(
                order_name(graph, order),
                graph.key(known[row]),
                graph.colors[color],
                float(mine[row, color]),
                graph.key(known[first[np.searchsorted(present, order)]]),
                float(common[row, color]),
            ),
            "give all boundary datasets of an order the same alpha",
        )
    return alpha, known[(apart > 0.0).any(axis=1)], ends[~graph.given[ends]]


def _unhit(graph: DatasetGraph, edge: int) -> UnhitBoundary:
    orders = graph.order[[graph.source[edge], graph.target[edge]]]
    hit = graph.order[graph.given]
    names = [order_name(graph, order) for order in orders.tolist() if order not in hit]
    return UnhitBoundary(
        f"no boundary dataset of the order {names[0]} has alpha, as on the edge {graph.edge_name(edge)}",
        Hint("give it to one of them, or use ", Call("balance")),
    )


def _refused(witness: Witness | OrderConflict, hint: str) -> IncompatibleAlpha:
    return IncompatibleAlpha(str(witness), hint, witness)


def _compatible(graph: DatasetGraph, alpha: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return alpha per order, rounded in if it is off by a rounding error, and the orders where it was."""
    edges = boundary.boundary_edges(graph)
    one, two = graph.order[graph.source[edges]], graph.order[graph.target[edges]]
    epsilon, delta = graph.epsilon[edges], graph.delta[edges]
    found = inequalities.judge(one, two, epsilon, delta, alpha)
    broken = found.broken.any(axis=(1, 2))
    if not broken.any():
        return alpha, np.empty(0, np.int64)
    _, group = traversal.components(len(alpha), one, two)
    affected = np.unique(group[one[broken]])
    part = np.flatnonzero(np.isin(group, affected) & ~np.isnan(alpha[:, 0]))
    room = ROUNDING * (alpha[part] + delta.min())
    for halvings in range(53, 30, -1):
        new = alpha.copy()
        new[part] = _mixed(alpha, part, group, Fraction(1, 2**halvings))
        largest = np.zeros(new[part].shape, np.bool_)
        largest[np.arange(len(part)), new[part].argmax(axis=1)] = True
        if (np.abs(new[part] - alpha[part]) > np.where(largest, ROUNDING, room)).any():
            break
        if not inequalities.judge(one, two, epsilon, delta, new).broken.any():
            return new, part
    worst = int(np.argmax(np.where(broken, found.tightness, -1.0)))
    raise _refused(
        _witness(graph, alpha, int(edges[worst]), found.broken[worst]),
        Hint("bring the two closer, or see ", Call("suggest"), " for a compatible choice"),
    )


def _mixed(alpha: Floats, part: NDArray[Any], group: NDArray[Any], share: Fraction) -> list[list[float]]:
    """Return rows moved towards the mean of their group by a share: all inequalities gain the same room."""
    exact = {c: inequalities.exact(alpha[c]) for c in part.tolist()}
    means = {}
    for g in np.unique(group[part]).tolist():
        rows = [exact[c] for c in part.tolist() if group[c] == g]
        means[g] = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [
        [float((1 - share) * p + share * m) for p, m in zip(exact[c], means[group[c]], strict=True)]
        for c in part.tolist()
    ]


def _witness(graph: DatasetGraph, alpha: Floats, edge: int, broken: NDArray[np.bool_]) -> Witness:
    side, output = np.argwhere(broken)[0].tolist()
    u, v = int(graph.source[edge]), int(graph.target[edge])
    u, v = (u, v) if side == 0 else (v, u)
    epsilon, delta = float(graph.epsilon[edge]), float(graph.delta[edge])
    left, right = inequalities.exact(alpha[graph.order[u]]), inequalities.exact(alpha[graph.order[v]])
    outputs = inequalities.outputs_beyond(left, right, epsilon) if delta > 0.0 else [output]
    p, q = (float(sum(values[j] for j in outputs)) for values in (left, right))
    return Witness(
        dataset=graph.key(u),
        color=" or ".join(graph.colors[j] for j in outputs),
        value=p,
        bound=min(1.0, compiled.kernel.exp_dd(epsilon)[0] * q + delta),
        origin=graph.key(v),
        origin_value=q,
        path=(graph.key(v), graph.key(u)),
        epsilon=epsilon,
        delta=delta,
    )
