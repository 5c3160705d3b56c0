"""The privacy audit of a mechanism: decided edge by edge, without a tolerance.

For every edge (u, v) with its epsilon and delta, the four inequalities

    p_u <= e^eps p_v + delta,    p_v <= e^eps p_u + delta,
    q_u <= e^eps q_v + delta,    q_v <= e^eps q_u + delta

must hold for the numbers as they are stored: the smaller of p and q is taken as the rational number it is,
the larger as one minus it. Double-double arithmetic with a proven error decides every clear case; the rest
is decided with rational numbers and an enclosure of e^eps that is narrowed until it decides. This terminates: for a
rational eps other than 0, e^eps is irrational (Lindemann), so no two sides are equal unless p = q = 0.

With more colours, P(A) <= e^eps Q(A) + delta must hold for every set A of outputs and both ways, where P and Q are the
distributions at the two ends; every entry is taken as the rational number it is, except that the largest entry of a
distribution is one minus the rest. With delta = 0 single outputs are enough: their inequalities add up to those of all
sets. Otherwise one sum decides about all 2^k sets: the worst of them is A = {j : P_j > e^eps Q_j}, so all hold iff

    sum over j of max(0, P_j - e^eps Q_j) <= delta.

The audit shares only the double-double exponential with the code that finds mechanisms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from neodp.core.privacy import EpsilonDelta
from neodp.data.formatting import count, share
from neodp.data.frames import Tabular
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Bools, Floats
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

    from neodp.core.mechanism import Mechanism

__all__ = [
    "Audit",
    "EdgeAudit",
    "Verdict",
    "audit",
    "audit_colors",
    "audit_pairs",
    "audit_rows",
    "described",
    "exact",
    "holds",
    "holds_for_all",
    "judge",
    "outputs_beyond",
]

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
        raise GraphError("the mechanism belongs to another graph", "audit it on its own")
    from neodp.core.family import family

    return family(graph).audit(graph, mechanism, worst)


def holds(left: Fraction, right: Fraction, epsilon: float, delta: float) -> bool:
    """Return True if left <= e^epsilon right + delta, in exact arithmetic.

    Examples
    --------
    >>> holds(Fraction(1, 2), Fraction(1, 2), 0.0, 0.0)
    True
    >>> import math
    >>> holds(Fraction(2), Fraction(1), math.log(2), 0.0)   # math.log(2) lies just below log 2
    False
    """
    excess = left - Fraction(delta)
    if epsilon == 0.0 or right == 0 or excess <= right:
        return excess <= right
    precision = 40
    while True:
        low, high = exponential(epsilon, precision)
        if excess <= low * right:
            return True
        if excess > high * right:
            return False
        precision *= 2


def holds_for_all(left: list[Fraction], right: list[Fraction], epsilon: float, delta: float) -> bool:
    """Return True if left(A) <= e^epsilon right(A) + delta for every set A of outputs, in exact arithmetic.

    Examples
    --------
    >>> third, half, none = Fraction(1, 3), Fraction(1, 2), Fraction(0)
    >>> holds_for_all([half, half, none], [third, third, third], 0.0, 0.25)
    False
    >>> holds_for_all([half, half, none], [third, third, third], 0.0, 0.5)
    True
    """
    if delta == 0.0:
        return all(holds(p, q, epsilon, 0.0) for p, q in zip(left, right, strict=True))
    precision = 40
    while True:  # the sum of surpluses falls as e^epsilon grows
        low, high = exponential(epsilon, precision)
        if _surplus(left, right, low) <= Fraction(delta):
            return True
        if _surplus(left, right, high) > Fraction(delta):
            return False
        precision *= 2


def outputs_beyond(left: list[Fraction], right: list[Fraction], epsilon: float) -> list[int]:
    """Return the worst set of outputs: those with left > e^epsilon right."""
    return [j for j, (p, q) in enumerate(zip(left, right, strict=True)) if not holds(p, q, epsilon, 0.0)]


def exact(row: Floats | Sequence[float]) -> list[Fraction]:
    """Return a stored distribution as rational numbers: the entries as they are, but the largest as one minus the rest.

    Examples
    --------
    >>> exact([0.25, 0.5, 0.25])
    [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    """
    values = [Fraction(float(x)) for x in row]
    largest = int(np.argmax(row))
    values[largest] += 1 - sum(values)
    return values


class Verdict(NamedTuple):
    """Per edge and direction, which inequalities are broken; see ``neodp.compiled.kernel.audit_rows``."""

    broken: NDArray[np.bool_]
    tightness: Floats
    undecided: int


def judge(source: NDArray[Any], target: NDArray[Any], epsilon: Floats, delta: Floats, rows: Floats) -> Verdict:
    """Decide every inequality between the distributions at the ends of edges, without a tolerance."""
    from neodp.compiled import kernel

    verdict, tightness = kernel.audit_rows(source, target, epsilon, delta, np.ascontiguousarray(rows))
    undecided = np.argwhere(verdict == 2)
    for edge, side, output in undecided.tolist():
        ends = (source[edge], target[edge]) if side == 0 else (target[edge], source[edge])
        left, right = exact(rows[ends[0]]), exact(rows[ends[1]])
        allowed = float(epsilon[edge]), float(delta[edge])
        if allowed[1] > 0.0:
            verdict[edge, side, output] = not holds_for_all(left, right, *allowed)
        else:
            verdict[edge, side, output] = not holds(left[output], right[output], *allowed)
    return Verdict(verdict != 0, tightness, len(undecided))


def exponential(epsilon: float, precision: int) -> tuple[Fraction, Fraction]:
    """Return two rational numbers that enclose e^epsilon."""
    if epsilon == 0.0:
        return Fraction(1), Fraction(1)
    context = Context(prec=precision)
    e = context.exp(Decimal(epsilon))  # correctly rounded, so its neighbours enclose e^epsilon
    return Fraction(context.next_minus(e)), Fraction(context.next_plus(e))


def _surplus(left: list[Fraction], right: list[Fraction], grow: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - grow * q) for p, q in zip(left, right, strict=True)), Fraction(0))


class Edges(Protocol):
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
    def epsilon(self) -> Floats: ...

    @property
    def delta(self) -> Floats: ...

    @property
    def edges(self) -> int:
        """The number of edges."""

    def key(self, vertex: int) -> str:
        """Return the name of the dataset at a position."""


def audit_rows(graph: Edges, rows: Floats, worst: int) -> Audit:
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


def described(graph: Edges, rows: Floats, edge: int, tightness: float, broken: Bools) -> EdgeAudit:
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


def audit_colors(graph: DatasetGraph, mechanism: Mechanism, worst: int) -> Audit:
    """Run ``audit`` with two colours, both ways; exactly for (epsilon, delta), and numerically otherwise."""
    if isinstance(mechanism.privacy, EpsilonDelta):
        return audit_pairs(graph, mechanism.probabilities, worst)
    return _numerical(graph, mechanism, worst)


def audit_pairs(graph: Edges, rows: Floats, worst: int) -> Audit:
    """Run ``audit`` with two colours and (epsilon, delta): four inequalities per edge, exactly."""
    from neodp.compiled import kernel

    verdict, tightness = kernel.audit(
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
    count = min(count, len(score))
    top = np.argpartition(-score, count - 1)[:count] if count else np.empty(0, np.int64)
    return [int(e) for e in top[np.lexsort((top, -tightness[top], ~broken[top]))]]


def _sides(graph: Edges, rows: Floats, edge: int, which: int) -> tuple[Fraction, Fraction]:
    """Return the exact left and right probability of one inequality."""
    ends = (int(graph.source[edge]), int(graph.target[edge]))
    left, right = (exact(rows[v])[which // 2] for v in (ends[which % 2], ends[1 - which % 2]))
    return left, right


def _report(
    graph: Edges, rows: Floats, edge: int, tightness: float, broken: list[int], *, exactly: bool = True
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
