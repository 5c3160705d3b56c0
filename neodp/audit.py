"""Is a mechanism private? Decided edge by edge, without a tolerance.

For every edge (u, v) with its epsilon and delta, the four inequalities

    p_u <= e^eps p_v + delta,    p_v <= e^eps p_u + delta,
    q_u <= e^eps q_v + delta,    q_v <= e^eps q_u + delta

must hold for the numbers as they are stored: the smaller of p and q is taken as the rational number it is,
the larger as one minus it. Double-double arithmetic with a proven error decides all that is clear; the rest
is decided with rational numbers and an enclosure of e^eps that is narrowed until it tells. That ends: for a
rational eps other than 0, e^eps is irrational (Lindemann), so no two sides are equal unless p = q = 0.

The audit shares only the double-double exponential with the code that finds mechanisms.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np

from neodp.errors import GraphError
from neodp.graph import Bools, DatasetGraph, Floats
from neodp.mechanism import Mechanism
from neodp.privacy import EpsilonDelta

__all__ = ["Audit", "EdgeAudit", "audit", "holds"]

NUMERICAL = 1e-12
"""By how much a condition that is not (epsilon, delta) may be exceeded: rounding errors of doubles."""


@dataclass(frozen=True)
class EdgeAudit:
    """One edge, its four inequalities, and how much of what they allow is used.

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
        limit = f"epsilon {self.epsilon:g}, delta {self.delta:g}"
        return f"{self.source!r} – {self.target!r}: uses {self.tightness:.6g} of {limit}"


@dataclass(frozen=True)
class Audit:
    """What ``audit`` found; true iff no inequality is broken.

    Attributes
    ----------
    edges, checks, violations : int
        How many edges were looked at, inequalities checked, and inequalities broken.
    undecided : int
        How many were too close for double-double and went to rational arithmetic.
    exact : bool
        Whether there was no tolerance.
    tolerance : float
        How much was allowed for rounding; 0 if exact.
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

    def __str__(self) -> str:
        how = "exactly" if self.exact else f"numerically, to {self.tolerance:g}"
        return f"{self.violations} of {self.checks} inequalities on {self.edges} edges broken, checked {how}"


def audit(graph: DatasetGraph, mechanism: Mechanism, *, worst: int = 5) -> Audit:
    """Check a mechanism on every edge of a graph.

    Parameters
    ----------
    graph : DatasetGraph
        Whose edges, epsilons and deltas to hold it to.
    mechanism : Mechanism
        With two colours. (epsilon, delta) is checked exactly; Gaussian and user-supplied pairs are checked in
        doubles, to 1e-12, and the result says so.
    worst : int
        How many of the worst edges to report.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    >>> print(neodp.audit(g, m))
    0 of 48 inequalities on 12 edges broken, checked exactly
    """
    if not mechanism.graph.keys.equals(graph.keys):
        raise GraphError("the mechanism belongs to another graph", "audit it on its own")
    if isinstance(mechanism.privacy, EpsilonDelta):
        return _exact(graph, mechanism, worst)
    return _numerical(graph, mechanism, worst)


def holds(left: Fraction, right: Fraction, epsilon: float, delta: float) -> bool:
    """Whether left <= e^epsilon right + delta, in exact arithmetic.

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
        context = Context(prec=precision)
        e = context.exp(Decimal(epsilon))  # correctly rounded, so its neighbours enclose e^epsilon
        if excess <= Fraction(context.next_minus(e)) * right:
            return True
        if excess > Fraction(context.next_plus(e)) * right:
            return False
        precision *= 2


def _exact(graph: DatasetGraph, mechanism: Mechanism, worst: int) -> Audit:
    from neodp import kernel

    p, q = np.ascontiguousarray(mechanism.p), np.ascontiguousarray(mechanism.q)
    verdict, tightness = kernel.audit(graph.source, graph.target, graph.epsilon, graph.delta, p, q)
    undecided = np.argwhere(verdict == 2)
    for edge, which in undecided.tolist():
        left, right = _sides(graph, mechanism, edge, which)
        verdict[edge, which] = not holds(left, right, float(graph.epsilon[edge]), float(graph.delta[edge]))
    broken: Bools = verdict.any(axis=1)
    return Audit(
        edges=graph.edges,
        checks=verdict.size,
        violations=int(np.count_nonzero(verdict)),
        undecided=len(undecided),
        exact=True,
        tolerance=0.0,
        worst=tuple(
            _report(graph, mechanism, e, float(tightness[e]), np.flatnonzero(verdict[e]).tolist())
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
            _report(graph, mechanism, e, float(tightness[e]), np.flatnonzero(verdict[e]).tolist())
            for e in _worst(broken, tightness, worst)
        ),
    )


def _worst(broken: Bools, tightness: Floats, count: int) -> list[int]:
    """The positions of the worst edges, broken ones first."""
    score = np.where(broken, np.inf, tightness)
    count = min(count, len(score))
    top = np.argpartition(-score, count - 1)[:count] if count else np.empty(0, np.int64)
    return [int(e) for e in top[np.lexsort((top, -tightness[top], ~broken[top]))]]


def _sides(graph: DatasetGraph, mechanism: Mechanism, edge: int, which: int) -> tuple[Fraction, Fraction]:
    """The exact left and right probability of one inequality."""
    ends = (int(graph.source[edge]), int(graph.target[edge]))
    left, right = ends[which % 2], ends[1 - which % 2]
    return _value(mechanism, left, which // 2), _value(mechanism, right, which // 2)


def _value(mechanism: Mechanism, vertex: int, color: int) -> Fraction:
    own, other = mechanism.probabilities[vertex, color], mechanism.probabilities[vertex, 1 - color]
    return Fraction(float(own)) if own <= other else 1 - Fraction(float(other))


def _report(graph: DatasetGraph, mechanism: Mechanism, edge: int, tightness: float, broken: list[int]) -> EdgeAudit:
    source, target = graph.key(graph.source[edge]), graph.key(graph.target[edge])
    epsilon, delta = float(graph.epsilon[edge]), float(graph.delta[edge])
    lines = []
    for which in broken:
        left, right = _sides(graph, mechanism, edge, which)
        one, two = (source, target) if which % 2 == 0 else (target, source)
        lines.append(
            f"Pr[{graph.colors[which // 2]}] is {float(left)!r} at {one!r} and {float(right)!r} at {two!r}, "
            + (f"beyond epsilon {epsilon!r} and delta {delta!r}" if mechanism.privacy.exact else "beyond the condition")
        )
    return EdgeAudit(source, target, epsilon, delta, tightness, tuple(lines))
