"""The privacy conditions between two distributions, decided exactly.

For distributions P and Q at the ends of an edge with epsilon and delta, P(A) <= e^eps Q(A) + delta must hold for every
set A of outputs and both ways, for the numbers as they are stored: every entry is taken as the rational number it is,
except that the largest entry of a distribution is one minus the rest. With delta = 0 single outputs are enough: their
inequalities add up to those of all sets. Otherwise one sum decides about all 2^k sets: the worst of them is
A = {j : P_j > e^eps Q_j}, so all hold iff

    sum over j of max(0, P_j - e^eps Q_j) <= delta.

Double-double arithmetic with a proven error decides every clear case; the rest is decided with rational numbers and an
enclosure of e^eps that is narrowed until it decides. This terminates: for a rational eps other than 0, e^eps is
irrational (Lindemann), so no two sides are equal unless both probabilities are 0.

Only the double-double exponential is shared with the code that finds mechanisms.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.data.validation import Floats

__all__ = ["Verdict", "exact", "exponential", "holds", "holds_for_all", "judge", "outputs_beyond"]


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
    verdict, tightness = compiled.kernel.audit_rows(source, target, epsilon, delta, np.ascontiguousarray(rows))
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
