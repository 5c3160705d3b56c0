"""The optimal mechanism for two colours that agrees with alpha, by one pass over labels.

Given alpha on a boundary-hitting set S that breaks no privacy condition, one mechanism is private, agrees
with alpha on S, and answers every dataset truthfully at least as often as any other such mechanism (paper 000,
Theorem 1; paper 002, Theorems 1 and 2). For v of colour c,

    Pr[M(v) = c] = min over u in S and all paths from u to v of U along the path, applied to Pr[M(u) = c].

The minimum is found by one label-setting pass (:mod:`neodp.compiled.kernel`) on labels of the own colour. A source
bounds its neighbours of the other colour by its complement; beyond that, no path need leave a colour: a path
that leaves it meets S. Alpha is compatible iff no source's own value drops or lies below what its neighbours
of the other colour need.

References
----------
S. Torkamani, J. B. Ebrahimi, P. Sadeghi, R. G. L. D'Oliveira, M. Médard: "Heterogeneous Differential Privacy via
Graphs", 2022, arXiv:2203.15429 ("paper 000"); and "Optimal Binary Differential Privacy via Graphs", 2023,
arXiv:2310.20486 ("paper 002").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core import boundary, traversal
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta, Labels, Privacy, certain
from neodp.core.traversal import Path
from neodp.core.witness import ROUNDING, Witness
from neodp.data.distributions import own_and_rest
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import position
from neodp.data.validation import Floats
from neodp.errors import IncompatibleAlpha, UnhitBoundary
from neodp.hints import Call, Hint

__all__ = ["Labeling", "extend", "rows_of", "settled", "solve", "unhit_error"]


def extend(graph: DatasetGraph, rule: Privacy) -> Mechanism:
    """Return the optimal mechanism for two colours that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        The graph, with alpha on a boundary-hitting set, and possibly elsewhere.
    rule : Privacy
        The privacy condition on every edge.

    Raises
    ------
    UnhitBoundary
        If a boundary edge has alpha at neither end.
    PrivacyError
        If the rule does not fit the graph's edges.
    IncompatibleAlpha
        If no private mechanism agrees with alpha.
    """
    unhit = boundary.unhit_edge(graph, graph.given)
    if unhit is not None:
        raise unhit_error(graph, unhit, _component_name(graph, unhit))
    rule.fit(graph)
    found = solve(graph, rule)
    return Mechanism(graph, found.rows, rule, found.rounded, method="labels", path=_ToSource(graph, rule, found.label))


@dataclass(frozen=True)
class Labeling:
    """The labels of a graph's own colours: `own` as alpha gives them, and `label` as all paths allow.

    `rounded` is as in Mechanism. Where alpha is given, both agree.
    """

    graph: DatasetGraph
    rule: Privacy
    own: Labels
    label: Labels
    rounded: NDArray[np.int64]

    @property
    def rows(self) -> Floats:
        """The probabilities by dataset and colour."""
        return rows_of(self.rule, self.graph.color, self.label)

    def path(self, vertex: int) -> Path:
        """Return the path from the dataset whose alpha decides a label to the one that has it; empty if none does."""
        return _ToSource(self.graph, self.rule, self.label)(vertex)


@dataclass(frozen=True)
class _ToSource:
    """The paths from the datasets whose alpha decides to the datasets they decide; empty if nothing bounds one."""

    graph: DatasetGraph
    rule: Privacy
    label: Labels

    def __call__(self, vertex: int) -> Path:
        place = position("vertex", vertex, len(self.graph))
        if self.label[place] >= certain(self.rule):
            return [], []
        return _trace(self.graph, self.rule, self.label, self.label, place)


def solve(graph: DatasetGraph, rule: Privacy) -> Labeling:
    """Return the labels of ``extend`` for a graph whose boundary is hit."""
    given = np.flatnonzero(graph.given)
    own = np.full(len(graph), certain(rule))
    own[given] = rule.encode(*own_and_rest(graph.alpha[given], graph.color[given]))
    label = settled(graph, rule, own)
    rounded = np.empty(0, np.int64)
    if _conflict(graph, rule, own, label) is not None:
        own, rounded = _round_in(graph, rule, own, label)
        label = settled(graph, rule, own)
    return Labeling(graph, rule, own, label, rounded)


def settled(graph: DatasetGraph, rule: Privacy, own: Labels) -> Labels:
    """Return the least labels of the own colour that all paths allow."""
    label = own.copy()
    rule.cross(graph, own, label)
    bounded = label < certain(rule)
    parts = [np.flatnonzero(bounded & (graph.color == color)) for color in range(2)]
    rule.settle_over(graph, ~graph.crossing, label, *parts)
    return label


def unhit_error(graph: DatasetGraph, edge: int, where: str = "") -> UnhitBoundary:
    """Return the error for a boundary edge without alpha."""
    ends = [graph.colors[graph.color[v]] for v in (graph.source[edge], graph.target[edge])]
    return UnhitBoundary(
        f"the boundary edge {graph.edge_name(edge)} ({ends[0]}, {ends[1]}) has alpha at neither end{where}",
        Hint("give alpha to one of them, or use ", Call("balance")),
    )


def _component_name(graph: DatasetGraph, edge: int) -> str:
    """Return the component of an edge, in words; an empty string if there is only one component."""
    count, component = traversal.components(len(graph), graph.source, graph.target)
    if count == 1:
        return ""
    members = np.flatnonzero(component == component[graph.source[edge]])
    return f", in the component of {graph.key(int(members[0]))!r} ({len(members)} datasets)"


def _conflict(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels) -> tuple[int, int | None] | None:
    """Return a source whose alpha cannot be kept, and the boundary edge over which it is too low, if that is why."""
    dropped = np.flatnonzero(graph.given & (label < own))
    if len(dropped):
        return int(dropped[np.argmax(own[dropped] - label[dropped])]), None
    return rule.too_low(graph, label)


def _round_in(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels) -> tuple[Labels, NDArray[np.int64]]:
    """Lower the labels of alpha, in Pr[first colour], until they are compatible; refuse more than a rounding error.

    Lowering in one colour settles both, since U on labels is self-adjoint.
    """
    sign = np.where(graph.color == 0, 1, -1)
    start = np.where(graph.given, sign * own, certain(rule))
    first = start.copy()
    rule.settle(graph.adjacency, first, np.flatnonzero(graph.given))
    moved = np.flatnonzero(graph.given & (first < start))
    (p, q), (p_new, q_new) = rule.decode(start[moved]), rule.decode(first[moved])
    change = np.where(p <= 0.5, p - p_new, q_new - q)
    if not len(moved) or (change > ROUNDING * p).any():
        conflict = _conflict(graph, rule, own, label)
        assert conflict is not None
        witness = _witness(graph, rule, own, label, *conflict)
        raise IncompatibleAlpha(
            str(witness),
            Hint("lower the first or raise the second, or see ", Call("suggest"), " for a compatible choice"),
            witness,
        )
    return np.where(graph.given, sign * first, own), moved


def _witness(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels, v: int, over: int | None) -> Witness:
    """Return the reason why the alpha of v cannot be kept."""
    if over is None:
        color, value, bound = graph.color[v], own[v], label[v]
        path, edges = _trace(graph, rule, own, label, v)
    else:  # v is too likely to answer as its neighbour over that edge does
        w = int(graph.source[over] + graph.target[over] - v)
        color, value = graph.color[w], -own[v]
        bound = rule.relax(label[w : w + 1], np.array([over]))[0]
        path, edges = _trace(graph, rule, own, label, w)
        path, edges = [*path, v], [*edges, over]
    origin = path[0]
    return Witness(
        dataset=graph.key(v),
        color=graph.colors[color],
        value=_probability(rule, value),
        bound=_probability(rule, bound),
        origin=graph.key(origin),
        origin_value=float(graph.alpha[origin, color]),
        path=tuple(map(graph.key, path)),
        epsilon=float(graph.epsilon[edges].sum()),
        delta=float(graph.delta[edges].sum()),
    )


def _trace(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels, v: int) -> Path:
    """Return the path from a source that gives v its label."""
    adjacency, given = graph.adjacency, graph.given

    def is_source(w: int) -> bool:  # a source of the other colour ends the path too
        return bool(graph.color[w] != graph.color[v] or (given[w] and label[w] == own[w]))

    def before(w: int) -> Iterator[tuple[int, int]]:
        """Step backwards over edges that are tight."""
        row = slice(adjacency.indptr[w], adjacency.indptr[w + 1])
        u, e = adjacency.neighbor[row], adjacency.edge[row]
        same = graph.color[u] == graph.color[w]
        tight = rule.relax(np.where(same, label[u], -own[u]), e) == label[w]
        at = np.flatnonzero(tight & (same | given[u]))
        yield from zip(u[at].tolist(), e[at].tolist(), strict=True)

    return traversal.trace(v, is_source, before)


def _probability(rule: Privacy, label: Any) -> float:
    return float(rule.decode(np.array([label]))[0][0])


def rows_of(rule: Privacy, color: NDArray[np.int8], label: Labels) -> Floats:
    """Return the probabilities by dataset and colour, from labels of the own colour."""
    rows: Floats
    if isinstance(rule, EpsilonDelta):
        rows = compiled.kernel.decode(color, label)
        return rows
    rows = np.empty((len(color), 2))
    rows[:, 0], rows[:, 1] = rule.decode(np.where(color == 0, label, -label))
    return rows
