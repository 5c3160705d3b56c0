"""The privacy audit of a mechanism: decided edge by edge, without a tolerance.

For every edge (u, v) with its epsilon and delta, the four inequalities

    p_u <= e^eps p_v + delta,    p_v <= e^eps p_u + delta,
    q_u <= e^eps q_v + delta,    q_v <= e^eps q_u + delta

must hold for the numbers as they are stored: the smaller of p and q is taken as the rational number it is,
the larger as one minus it. With more colours, P(A) <= e^eps Q(A) + delta must hold for every set A of outputs and both
ways, where P and Q are the distributions at the two ends. :mod:`neodp.core.inequalities` decides each inequality; this
module counts those that are broken and describes the worst edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core.inequalities import exact, holds, judge, outputs_beyond
from neodp.core.mechanism import Mechanism
from neodp.core.privacy import EpsilonDelta
from neodp.data.family import family
from neodp.data.formatting import count, share
from neodp.data.frames import Tabular
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked
from neodp.data.validation import Bools, Floats
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Audit", "EdgeAudit", "audit"]

NUMERICAL = 1e-12
"""The tolerance of a condition other than (epsilon, delta), for the rounding errors of doubles."""


@dataclass(frozen=True)
class EdgeAudit:
    """One edge, its inequalities, and how much of their allowance is used.

    Attributes
    ----------
    source, target : str
    epsilon, delta : float
    tightness : float
        The greatest ratio of a left side to its right side.
    broken : tuple of str
        The inequalities that do not hold, with their figures.
    """

    source: str
    target: str
    epsilon: float
    delta: float
    tightness: float
    broken: tuple[str, ...]

    def __str__(self) -> str:
        if self.broken:
            return f"{self.source!r} – {self.target!r}: " + "; ".join(self.broken)
        delta = f", and its delta, {self.delta:g}" if self.delta else ""
        return (
            f"{self.source!r} – {self.target!r}: uses {share(self.tightness)} of its epsilon, {self.epsilon:g}{delta}"
        )


@dataclass(frozen=True, repr=False)
class Audit(Tabular):
    """The result of ``audit``; true iff no inequality is broken.

    Attributes
    ----------
    edges, checks, violations : int
        The numbers of edges, of inequalities checked, and of inequalities broken. With two colours, each edge has four
        inequalities. With k > 2 colours, it has 2k if delta is 0, one per output and direction, and otherwise 2, one
        per direction, each about the worst of all sets of outputs.
    undecided : int
        The number of inequalities that were too close for double-double and went to rational arithmetic.
    exact : bool
        True if there was no tolerance.
    tolerance : float
        The tolerance for rounding errors; 0 if exact.
    worst : tuple of EdgeAudit
        The edges closest to their limit or beyond it, worst first.
    """

    edges: int
    checks: int
    violations: int
    undecided: int
    exact: bool
    tolerance: float
    worst: tuple[EdgeAudit, ...]

    def __bool__(self) -> bool:
        return self.violations == 0

    def __repr__(self) -> str:
        return f"<Audit: {self}>"

    def to_arrow(self) -> pa.Table:
        """Return the worst edges, worst first: source, target, epsilon, delta, tightness, broken."""
        import pyarrow as pa

        kinds = {"source": pa.string(), "target": pa.string(), "broken": pa.list_(pa.string())}
        schema = pa.schema([(f.name, kinds.get(f.name, pa.float64())) for f in fields(EdgeAudit)])
        return pa.Table.from_pylist([asdict(edge) for edge in self.worst], schema)

    def __str__(self) -> str:
        how = "exactly" if self.exact else f"numerically, to {self.tolerance:g}"
        kept = "private: none" if not self.violations else f"NOT private: {self.violations:,}"
        on = f"{count(self.checks, 'inequality', 'inequalities')} on {count(self.edges, 'edge')}"
        return f"{kept} of {on} {'is' if self.violations < 2 else 'are'} broken, checked {how}"


@checked
def audit(graph: DatasetGraph, mechanism: Mechanism, *, worst: int = 5) -> Audit:
    """Check a mechanism on every edge of a graph.

    Parameters
    ----------
    graph : DatasetGraph
        The graph whose edges, epsilons and deltas the mechanism must respect.
    mechanism : Mechanism
        The mechanism to check. (epsilon, delta) is checked exactly; Gaussian and user-supplied pairs are checked in
        doubles, to 1e-12, and the result says so.
    worst : int
        The number of worst edges to report.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    >>> print(neodp.audit(g, m))
    private: none of 48 inequalities on 12 edges is broken, checked exactly
    """
    if not mechanism.graph.keys.equals(graph.keys):
        raise GraphError("the mechanism belongs to another graph", "audit it on that graph")
    if not family(graph).binary:
        return audit_rows(graph, mechanism.probabilities, worst)
    if isinstance(mechanism.privacy, EpsilonDelta):
        return audit_pairs(graph, mechanism.probabilities, worst)
    return _numerical(graph, mechanism, worst)


class AuditedEdges(Protocol):
    """Pairs of datasets, and the privacy that each pair is promised."""

    @property
    def colors(self) -> Sequence[str]:
        """The outputs."""

    @property
    def source(self) -> NDArray[Any]:
        """The first end of each edge."""

    @property
    def target(self) -> NDArray[Any]:
        """The second end of each edge."""

    @property
    def epsilon(self) -> Floats:
        """The epsilon of each edge."""

    @property
    def delta(self) -> Floats:
        """The delta of each edge."""

    @property
    def edges(self) -> int:
        """The number of edges."""

    def key(self, vertex: int) -> str:
        """Return the name of the dataset at a position."""


def audit_rows(graph: AuditedEdges, rows: Floats, worst: int) -> Audit:
    """Run ``audit`` with any number of outputs: whole distributions, all sets of outputs, exactly."""
    found = judge(graph.source, graph.target, graph.epsilon, graph.delta, rows)
    single = int(np.count_nonzero(graph.delta == 0.0))
    broken = np.asarray(found.broken.any(axis=(1, 2)))
    return Audit(
        edges=graph.edges,
        checks=2 * (single * len(graph.colors) + graph.edges - single),
        violations=int(np.count_nonzero(found.broken)),
        undecided=found.undecided,
        exact=True,
        tolerance=0.0,
        worst=tuple(
            described(graph, rows, e, float(found.tightness[e]), found.broken[e])
            for e in _worst(broken, found.tightness, worst)
        ),
    )


def described(graph: AuditedEdges, rows: Floats, edge: int, tightness: float, broken: Bools) -> EdgeAudit:
    """Describe one edge between distributions, with the broken inequalities in words."""
    ends = (int(graph.source[edge]), int(graph.target[edge]))
    epsilon, delta = float(graph.epsilon[edge]), float(graph.delta[edge])
    lines = []
    for side, output in np.argwhere(broken).tolist():
        one, two = ends if side == 0 else ends[::-1]
        left, right = exact(rows[one]), exact(rows[two])
        outputs = outputs_beyond(left, right, epsilon) if delta > 0.0 else [output]
        p, q = (float(sum(values[j] for j in outputs)) for values in (left, right))
        named = " or ".join(graph.colors[j] for j in outputs)
        lines.append(
            f"Pr[{named}] is {p!r} at {graph.key(one)!r} and {q!r} at {graph.key(two)!r}, "
            f"beyond epsilon {epsilon!r} and delta {delta!r}"
        )
    return EdgeAudit(graph.key(ends[0]), graph.key(ends[1]), epsilon, delta, tightness, tuple(lines))


def audit_pairs(graph: AuditedEdges, rows: Floats, worst: int) -> Audit:
    """Run ``audit`` with two colours and (epsilon, delta): four inequalities per edge, exactly."""
    verdict, tightness = compiled.kernel.audit(
        graph.source, graph.target, graph.epsilon, graph.delta, np.ascontiguousarray(rows)
    )
    unclear = np.flatnonzero(verdict.view(np.int32))  # four at a time
    close, which = np.nonzero(verdict[unclear] == 2)
    undecided = list(zip(unclear[close].tolist(), which.tolist(), strict=True))
    for edge, c in undecided:
        left, right = _sides(graph, rows, edge, c)
        verdict[edge, c] = not holds(left, right, float(graph.epsilon[edge]), float(graph.delta[edge]))
    broken: Bools = verdict.view(np.int32)[:, 0] != 0
    return Audit(
        edges=graph.edges,
        checks=verdict.size,
        violations=int(np.count_nonzero(verdict)),
        undecided=len(undecided),
        exact=True,
        tolerance=0.0,
        worst=tuple(
            _report(graph, rows, e, float(tightness[e]), np.flatnonzero(verdict[e]).tolist())
            for e in _worst(broken, tightness, worst)
        ),
    )


def _numerical(graph: DatasetGraph, mechanism: Mechanism, worst: int) -> Audit:
    rule = mechanism.privacy
    rule.fit(graph)
    edges = np.arange(graph.edges)
    first = rule.encode(mechanism.p, mechanism.q)
    ratio = np.zeros((graph.edges, 4))
    ends = (graph.source, graph.target)
    for which in range(4):
        label = first if which < 2 else -first
        left, right = ends[which % 2], ends[1 - which % 2]
        value, bound = rule.decode(label[left])[0], rule.decode(rule.relax(label[right], edges))[0]
        ratio[:, which] = np.divide(value, bound, out=np.where(value > 0, np.inf, 0.0), where=bound > 0)
    verdict = ratio > 1.0 + NUMERICAL
    broken = np.asarray(verdict.any(axis=1))
    tightness = ratio.max(axis=1, initial=0.0)
    return Audit(
        edges=graph.edges,
        checks=verdict.size,
        violations=int(np.count_nonzero(verdict)),
        undecided=0,
        exact=False,
        tolerance=NUMERICAL,
        worst=tuple(
            _report(
                graph,
                mechanism.probabilities,
                e,
                float(tightness[e]),
                np.flatnonzero(verdict[e]).tolist(),
                exactly=rule.exact,
            )
            for e in _worst(broken, tightness, worst)
        ),
    )


def _worst(broken: Bools, tightness: Floats, count: int) -> list[int]:
    """Return the positions of the worst edges, broken ones first."""
    score = np.where(broken, np.inf, tightness)
    count = min(max(count, 0), len(score))
    top = np.argpartition(-score, count - 1)[:count] if count else np.empty(0, np.int64)
    return [int(e) for e in top[np.lexsort((top, -tightness[top], ~broken[top]))]]


def _sides(graph: AuditedEdges, rows: Floats, edge: int, which: int) -> tuple[Fraction, Fraction]:
    """Return the exact left and right probability of one inequality."""
    ends = (int(graph.source[edge]), int(graph.target[edge]))
    left, right = (exact(rows[v])[which // 2] for v in (ends[which % 2], ends[1 - which % 2]))
    return left, right


def _report(
    graph: AuditedEdges, rows: Floats, edge: int, tightness: float, broken: list[int], *, exactly: bool = True
) -> EdgeAudit:
    source, target = graph.key(int(graph.source[edge])), graph.key(int(graph.target[edge]))
    epsilon, delta = float(graph.epsilon[edge]), float(graph.delta[edge])
    lines = []
    for which in broken:
        left, right = _sides(graph, rows, edge, which)
        one, two = (source, target) if which % 2 == 0 else (target, source)
        lines.append(
            f"Pr[{graph.colors[which // 2]}] is {float(left)!r} at {one!r} and {float(right)!r} at {two!r}, "
            + (f"beyond epsilon {epsilon!r} and delta {delta!r}" if exactly else "beyond the condition")
        )
    return EdgeAudit(source, target, epsilon, delta, tightness, tuple(lines))
