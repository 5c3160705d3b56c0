"""The optimal extension of alpha to the whole graph.

Given alpha on a boundary-hitting set S that breaks no privacy condition, one mechanism is private, agrees
with alpha on S, and answers every dataset truthfully at least as often as any other that does (paper 000,
Theorem 1; paper 002, Theorems 1 and 2). With two colours, for v of colour c,

    Pr[M(v) = c] = min over u in S and all paths from u to v of U along the path, applied to Pr[M(u) = c].

The minimum is found by one label-setting pass (:mod:`neodp.kernel`) on labels of the own colour. A source
bounds its neighbours of the other colour by its complement; beyond that, no path need leave a colour: where
it does, it meets S. Alpha is compatible iff no source's own value drops, nor lies below what its neighbours
of the other colour need. With more than two colours, see :mod:`neodp.rainbow`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp import boundary, rainbow
from neodp.boundary import ROUNDING, Witness, shown
from neodp.errors import GraphError, IncompatibleAlpha, PrivacyError, UnhitBoundary
from neodp.graph import DatasetGraph, Floats
from neodp.privacy import EpsilonDelta, Labels, Privacy
from neodp.rainbow import Difference, Method

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Check", "Mechanism", "Witness", "check", "extend"]


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism:
    """A random answer for every dataset of a graph; immutable.

    Attributes
    ----------
    graph : DatasetGraph
        The graph it belongs to.
    probabilities : array of float, one row per dataset, one column per colour
        Every entry but the largest of a row is exact; the largest stands for one minus the rest.
    privacy : Privacy
        What it keeps on every edge.
    rounded : array of int
        The positions of the datasets whose alpha was rounded in.
    filled : array of int
        The positions of the boundary datasets that had no alpha and took that of their order; with two colours none.
    method : str
        How it was found: ``labels`` with two colours, ``table``, ``line`` or ``prefix`` with more, ``given`` where it
        was not.
    """

    graph: DatasetGraph
    probabilities: Floats
    privacy: Privacy
    rounded: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    filled: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    method: str = field(default="given")

    def __post_init__(self) -> None:
        for column in (self.probabilities, self.rounded, self.filled):
            column.setflags(write=False)

    @classmethod
    def of(
        cls, graph: DatasetGraph, probabilities: ArrayLike | Mapping[str, Any], privacy: Privacy | None = None
    ) -> Mechanism:
        """The mechanism with given probabilities, in any of the forms of alpha; it need not be private.

        Examples
        --------
        >>> import neodp
        >>> g = neodp.generate.path(2)
        >>> neodp.Mechanism.of(g, {"0": 0.6, "1": 0.5}).p_true
        array([0.6, 0.5])
        """
        given = graph.with_alpha(probabilities)
        if not given.given.all():
            missing = graph.key(int(np.argmin(given.given)))
            raise GraphError(f"dataset {missing!r} has no probabilities", "give them for every dataset")
        return cls(graph, given.alpha, privacy or EpsilonDelta.of(graph))

    def __getitem__(self, key: str) -> dict[str, float]:
        """The distribution at a dataset, by colour."""
        row = self.probabilities[self.graph.index(key)]
        return dict(zip(self.graph.colors, row.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.graph)

    def __repr__(self) -> str:
        return f"<Mechanism on {self.graph!r}: truthful with chance {self.p_true.min():.4g} to {self.p_true.max():.4g}>"

    @property
    def p(self) -> Floats:
        """Per dataset, Pr[first colour]."""
        return self.probabilities[:, 0]

    @property
    def q(self) -> Floats:
        """Per dataset, Pr[second colour]."""
        return self.probabilities[:, 1]

    @property
    def p_true(self) -> Floats:
        """Per dataset, the chance of answering its own colour."""
        return self.probabilities[np.arange(len(self)), self.graph.color]

    def dominates(self, other: Mechanism) -> bool:
        """Whether it is truthful at least as often as `other` on every dataset (paper 002, Definition 2).

        With more than two colours: whether on every dataset the chance of the best output is greater, or equal and that
        of the next is greater, and so on (paper 003, Definition 3).
        """
        if self.graph is not other.graph and not self.graph.keys.equals(other.graph.keys):
            raise GraphError("the two mechanisms belong to different graphs", "compare mechanisms on one graph")
        ahead = np.zeros(len(self), np.bool_)  # decided by a better output
        for mine, theirs in zip(self._ranked(), other._ranked(), strict=True):
            if (~ahead & (mine < theirs)).any():
                return False
            ahead |= mine > theirs
        return True

    def _ranked(self) -> Iterator[Labels]:
        """Labels of the chances of each dataset's best output, the next, …: they tell apart what doubles near 1 cannot.

        The last is one minus the others.
        """
        rule, every = EpsilonDelta.of(self.graph), np.arange(len(self))
        for color in self.graph.orders[self.graph.order].T[:-1]:
            if (color < 0).any():  # nobody knows what comes next
                return
            others = self.probabilities.copy()
            others[every, color] = 0.0
            yield rule.encode(self.probabilities[every, color], others.sum(axis=1))

    def to_networkx(self) -> nx.Graph:
        """The graph with ``p_true`` on every node, and ``p`` and ``q``, or ``probabilities``."""
        nxgraph = self.graph.to_networkx()
        rows = zip(nxgraph, self.p_true.tolist(), self.probabilities.tolist(), strict=True)
        for key, p_true, row in rows:
            nxgraph.nodes[key]["p_true"] = p_true
            nxgraph.nodes[key].update(
                {"p": row[0], "q": row[1]} if len(row) == 2 else {"probabilities": row},
            )
        return nxgraph


@dataclass(frozen=True)
class Check:
    """What ``check`` found; true iff the graph can be extended.

    Attributes
    ----------
    connected : bool
    components : int
    boundary : int
        How many datasets lie on it.
    boundary_hit : bool
        Whether every boundary edge has alpha at one end; with more than two colours, whether every order has alpha on
        its boundary.
    unhit : tuple of two keys, or None
        A boundary edge with alpha at neither end; with more than two colours, one at an order without alpha.
    compatible : bool or None
        None where the boundary is not hit, so that the question does not arise.
    witness : Witness, Difference or None
        Two datasets whose alpha cannot both be kept.
    rounded : int
        How many alpha would be rounded in.
    filled : int
        How many boundary datasets have no alpha and would take that of their order; with two colours 0.
    """

    connected: bool
    components: int
    boundary: int
    boundary_hit: bool
    unhit: tuple[str, str] | None
    compatible: bool | None
    witness: Witness | Difference | None
    rounded: int
    filled: int = 0

    def __bool__(self) -> bool:
        return self.boundary_hit and self.compatible is True

    def __str__(self) -> str:
        lines = [
            "connected" if self.connected else f"{self.components} components",
            f"boundary of {self.boundary} datasets, "
            + ("hit" if self.unhit is None else f"not hit at {shown(self.unhit)}: give alpha to one of them"),
        ]
        if self.compatible is not None:
            lines.append("alpha compatible" if self.witness is None else str(self.witness))
        if self.rounded:
            lines.append(f"alpha rounded in at {self.rounded} datasets")
        if self.filled:
            lines.append(f"alpha of their order at {self.filled} boundary datasets that have none")
        return "\n".join(lines)


def check(graph: DatasetGraph, privacy: Privacy | None = None) -> Check:
    """Whether a graph is connected, its boundary hit, and its alpha compatible; with a witness where not.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(4)
    >>> print(neodp.check(g))
    connected
    boundary of 2 datasets, not hit at '1' – '2': give alpha to one of them
    >>> bool(neodp.check(g.with_alpha(neodp.balanced(g))))
    True
    """
    if len(graph.colors) > 2:
        rainbow.require_orders(graph)
    components, _ = _components(graph)
    unhit = rainbow.unhit_edge(graph) if len(graph.colors) > 2 else boundary.unhit_edge(graph, graph.given)
    compatible, witness, rounded, filled = None, None, 0, 0
    if unhit is None:
        try:
            found = extend(graph, privacy)
            compatible, rounded, filled = True, len(found.rounded), len(found.filled)
        except IncompatibleAlpha as e:
            compatible, witness = False, cast("Witness | Difference", e.witness)
    return Check(
        connected=components == 1,
        components=components,
        boundary=len(boundary.boundary_vertices(graph)),
        boundary_hit=unhit is None,
        unhit=None if unhit is None else (graph.key(graph.source[unhit]), graph.key(graph.target[unhit])),
        compatible=compatible,
        witness=witness,
        rounded=rounded,
        filled=filled,
    )


def extend(graph: DatasetGraph, privacy: Privacy | None = None, *, method: Method | None = None) -> Mechanism:
    """The optimal mechanism that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        With alpha on a boundary-hitting set, and anywhere else. A component without any boundary and alpha
        answers truthfully. With more than two colours every dataset orders them, and alpha is the same for all boundary
        datasets of one order.
    privacy : Privacy, optional
        By default (epsilon, delta) as the graph has it; else, with two colours, Gaussian or a suitable pair of one's
        own.
    method : "line" or "prefix", optional
        What to do with more than two colours where epsilon differs between edges: by default the line, which is always
        private; "prefix" takes the largest prefix sums, and is refused where these are not (:mod:`neodp.rainbow`).
        With two colours it changes nothing.

    Returns
    -------
    Mechanism
        Private to the last bit for (epsilon, delta), and up to rounding otherwise.

    Raises
    ------
    UnhitBoundary
        If a boundary edge has alpha at neither end; with more than two colours, if an order has none on its boundary.
    NotPrivate
        If the method that was asked for breaks privacy on this graph.
    IncompatibleAlpha
        If no private mechanism agrees with alpha. An alpha that is off by no more than a rounding error (a
        relative 1e-12) is rounded in instead, and reported in ``rounded``.

    Examples
    --------
    Example 3 of paper 002, where the farther source is the tighter one:

    >>> import math, neodp
    >>> g = neodp.DatasetGraph.from_columns(
    ...     ["v1", "v2", "v3", "v4"], ["red", "blue", "blue", "red"], ["v1", "v2", "v3"], ["v2", "v3", "v4"],
    ...     math.log(2), alpha={"v1": 0.3, "v4": 0.1})
    >>> extend(g).p.round(12)
    array([0.3, 0.4, 0.2, 0.1])

    References
    ----------
    Paper 000, Algorithms 1 and 2; paper 002, Algorithm 1; paper 003, Theorem 3.
    """
    if method not in (None, "line", "prefix"):
        raise GraphError(f"there is no method {method!r}", "leave it out, or give 'line' or 'prefix'")
    if len(graph.colors) > 2:
        if privacy is not None and not isinstance(privacy, EpsilonDelta):
            raise PrivacyError(
                f"{graph.name!r} has {len(graph.colors)} colours",
                "with more than two, only (epsilon, delta) is known",
            )
        rows, moved, filled, found = rainbow.extend(graph, method)
        return Mechanism(graph, rows, EpsilonDelta.of(graph), moved, filled, found)
    require_hit(graph)
    rule = privacy if privacy is not None else EpsilonDelta.of(graph)
    rule.fit(graph)
    solution = solve(graph, rule)
    return Mechanism(graph, solution.rows, rule, solution.rounded, method="labels")


@dataclass(frozen=True)
class Solution:
    """Labels of the own colour: `own` where alpha is given, `label` what all paths allow; `rounded` as in Mechanism."""

    graph: DatasetGraph
    rule: Privacy
    own: Labels
    label: Labels
    rounded: NDArray[np.int64]

    @property
    def rows(self) -> Floats:
        """Probabilities by dataset and colour."""
        true, false = self.rule.decode(self.label)
        rows = np.empty((len(self.graph), 2))
        rows[np.arange(len(self.graph)), self.graph.color] = true
        rows[np.arange(len(self.graph)), 1 - self.graph.color] = false
        return rows

    def path(self, vertex: int) -> tuple[list[int], list[int]]:
        """The datasets from the one that decides a label to the one that has it, and the edges between them."""
        return _trace(self.graph, self.rule, self.own, self.label, vertex)


def solve(graph: DatasetGraph, rule: Privacy) -> Solution:
    """The labels of ``extend``, of a graph whose boundary is hit."""
    own = _given_labels(graph, rule, graph.alpha)
    label = _settle(graph, rule, own)
    rounded = np.empty(0, np.int64)
    if _conflict(graph, rule, own, label) is not None:
        own, rounded = _round_in(graph, rule, own, label)
        label = _settle(graph, rule, own)
    return Solution(graph, rule, own, label, rounded)


def _own(graph: DatasetGraph, rows: Floats) -> tuple[Floats, Floats]:
    """Pr[own colour] and Pr[other colour] of rows of two."""
    first = graph.color == 0
    return np.where(first, rows[:, 0], rows[:, 1]), np.where(first, rows[:, 1], rows[:, 0])


def _given_labels(graph: DatasetGraph, rule: Privacy, alpha: Floats) -> Labels:
    """Labels of the own colour; certainty where alpha is not given."""
    true, false = _own(graph, alpha)
    return rule.encode(np.where(graph.given, true, 1.0), np.where(graph.given, false, 0.0))


def _settle(graph: DatasetGraph, rule: Privacy, own: Labels) -> Labels:
    """The least labels of the own colour that all paths allow."""
    label = own.copy()
    rule.cross(graph, own, label)
    bounded = label < certain(rule)
    parts = [np.flatnonzero(bounded & (graph.color == color)) for color in range(2)]
    rule.settle(graph.adjacency_of(~graph.crossing, numbered=not rule.uniform), label, *parts)
    return label


def certain(rule: Privacy) -> int:
    """The label of certainty, which bounds nothing."""
    return int(rule.encode(np.ones(1), np.zeros(1))[0])


def _conflict(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels) -> tuple[int, int | None] | None:
    """A source whose alpha cannot be kept, and the boundary edge over which it lies too low, if that is why."""
    dropped = np.flatnonzero(graph.given & (label < own))
    if len(dropped):
        return int(dropped[np.argmax(own[dropped] - label[dropped])]), None
    return rule.too_low(graph, label)


def _round_in(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels) -> tuple[Labels, NDArray[np.int64]]:
    """Labels of alpha lowered, in Pr[first colour], until they are compatible; refused beyond a rounding error.

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
            str(witness), "lower the one or raise the other, or see neodp.balanced for a choice that fits", witness
        )
    return np.where(graph.given, sign * first, own), moved


def _witness(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels, v: int, over: int | None) -> Witness:
    """Why the alpha of v cannot be kept."""
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


def _trace(graph: DatasetGraph, rule: Privacy, own: Labels, label: Labels, v: int) -> tuple[list[int], list[int]]:
    """The path from a source that gives v its label, as vertices and edges."""
    adjacency = graph.adjacency
    onward: dict[int, tuple[int, int]] = {}
    queue = deque([v])
    while True:  # backwards over edges that are tight; a source of the other colour ends it too
        w = queue.popleft()
        if graph.color[w] != graph.color[v] or (graph.given[w] and label[w] == own[w]):
            break
        row = slice(adjacency.indptr[w], adjacency.indptr[w + 1])
        u, e = adjacency.neighbor[row], adjacency.edge[row]
        same = graph.color[u] == graph.color[w]
        tight = rule.relax(np.where(same, label[u], -own[u]), e) == label[w]
        for i in np.flatnonzero(tight & (same | graph.given[u])).tolist():
            if u[i] != v and int(u[i]) not in onward:
                onward[int(u[i])] = (w, int(e[i]))
                queue.append(int(u[i]))
    path, edges = [w], []
    while path[-1] != v:
        w, edge = onward[path[-1]]
        path.append(w)
        edges.append(edge)
    return path, edges


def _probability(rule: Privacy, label: Any) -> float:
    return float(rule.decode(np.array([label]))[0][0])


def _components(graph: DatasetGraph) -> tuple[int, NDArray[np.int32]]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(graph)
    links = csr_array((np.ones(graph.edges, np.int8), (graph.source, graph.target)), shape=(n, n))
    count, component = connected_components(links, directed=False)
    return int(count), component


def require_hit(graph: DatasetGraph) -> None:
    unhit = boundary.unhit_edge(graph, graph.given)
    if unhit is None:
        return
    count, component = _components(graph)
    where = ""
    if count > 1:
        members = np.flatnonzero(component == component[graph.source[unhit]])
        where = f", in the component of {graph.key(int(members[0]))!r} ({len(members)} datasets)"
    raise UnhitBoundary(*unhit_message(graph, unhit, where))


def unhit_message(graph: DatasetGraph, edge: int, where: str = "") -> tuple[str, str]:
    """What to say of a boundary edge without alpha, and what to do about it."""
    ends = [graph.colors[graph.color[v]] for v in (graph.source[edge], graph.target[edge])]
    return (
        f"the boundary edge {graph.edge_name(edge)} ({ends[0]}, {ends[1]}) has alpha at neither end{where}",
        "give alpha to one of them, or take graph.with_alpha(neodp.balanced(graph))",
    )
