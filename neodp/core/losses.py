"""The exact privacy loss of each edge.

For the distributions P and Q at the two ends of an edge, over any number of outputs,

* the *least epsilon* at a delta is the least e >= 0 with  P(A) <= e^e Q(A) + delta  for all sets A of outputs and both
  ways;
* the *least delta* at an epsilon is the greatest  sum over outputs of max(0, P_j - e^epsilon Q_j),  both ways.

Both are rounded up, to the least double that the exact audit (:mod:`neodp.core.auditing`) accepts: a guess in doubles
says where to look, and bisection between a number that passes the audit and one that does not finds the very last bit.
As in all of neodp, the largest entry of a row stands for one minus the rest.

This works for any mechanism, not only for those of neodp: all it takes is a table of probabilities and a list of edges.
An accountant takes an edge's (least epsilon, delta) or (epsilon, least delta): with dp-accounting,
``from_privacy_parameters(DifferentialPrivacyParameters(epsilon, delta))``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neodp.core.inequalities import exact, holds_for_all, judge
from neodp.data.kinds import checked, wrong_kind
from neodp.data.validation import MAX_EPSILON, Bools, Floats, require_range
from neodp.errors import GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Losses", "checked_rows", "losses", "to_table"]


@dataclass(frozen=True)
class Losses:
    """The exact privacy loss of every edge.

    Attributes
    ----------
    epsilon : array of float
        The least epsilon at the edge's own delta, rounded up; infinite if no epsilon is enough.
    delta : array of float
        The least delta at the edge's own epsilon, rounded up.
    """

    epsilon: Floats
    delta: Floats

    def __len__(self) -> int:
        return len(self.epsilon)


@checked
def losses(rows: Any, source: Any, target: Any, epsilon: ArrayLike, delta: ArrayLike = 0.0) -> Losses:
    """Return the least epsilon and the least delta that each edge needs.

    Parameters
    ----------
    rows : array of float, one row per dataset, one column per output
        The probabilities.
    source, target : arrays of int
        The rows at the two ends of each edge.
    epsilon, delta : floats, or one float for all edges
        The epsilon at which to find the least delta, and the delta at which to find the least epsilon.

    Raises
    ------
    GraphError
        If a row is not a distribution, or an epsilon or delta is out of range; the message says which one.

    Examples
    --------
    >>> found = losses([[0.75, 0.25], [0.5, 0.5]], [0], [1], 0.5)
    >>> found.epsilon.round(6).tolist() == [round(float(np.log(2)), 6)]
    True
    >>> found.delta.round(6).tolist() == [round(0.5 - 0.25 * float(np.exp(0.5)), 6)]
    True
    """
    table = checked_rows(rows)
    one, two = (_ends(name, end, len(table)) for name, end in (("source", source), ("target", target)))
    n = len(one)
    if len(two) != n:
        raise GraphError(f"there are {n} sources and {len(two)} targets", "give one of each per edge")
    eps, dlt = (one_or_each(name, x, n) for name, x in (("epsilon", epsilon), ("delta", delta)))
    for name, values in (("epsilon", eps), ("delta", dlt)):
        require_range(name, values, lambda row: f"edge {row + 1}")

    def keeps(epsilons: Floats, deltas: Floats, edges: NDArray[np.int64]) -> Bools:
        """Return a mask of the edges that keep these (epsilon, delta), decided exactly."""
        near = epsilons <= MAX_EPSILON
        kept = np.zeros(len(edges), np.bool_)
        some = edges[near]
        kept[near] = ~judge(one[some], two[some], epsilons[near], deltas[near], table).broken.any(axis=(1, 2))
        for i in np.flatnonzero(~near).tolist():
            p, q = exact(table[one[edges[i]]]), exact(table[two[edges[i]]])
            each = float(epsilons[i]), float(deltas[i])
            kept[i] = holds_for_all(p, q, *each) and holds_for_all(q, p, *each)
        return kept

    guess = np.maximum(_least_epsilon(table[one], table[two], dlt), _least_epsilon(table[two], table[one], dlt))
    needed = _least(guess, 1000.0, lambda x, edges: keeps(x, dlt[edges], edges))
    grow = np.exp(eps)[:, None]
    there, back = (np.maximum(table[a] - grow * table[b], 0.0).sum(axis=1) for a, b in ((one, two), (two, one)))
    lost = _least(np.maximum(there, back), 1.0, lambda x, edges: keeps(eps[edges], x, edges))
    return Losses(np.where(needed >= 1000.0, np.inf, needed), lost)


def checked_rows(rows: Any, name: Callable[[int], str] = "row {}".format) -> Floats:
    """Return rows of probabilities as an array; each row must be a distribution.

    Raises
    ------
    GraphError
        If an entry is not a number from 0 to 1, or a row does not add up to 1 (to 1e-9); the message names the row.
    """
    try:
        table: Floats = np.ascontiguousarray(rows, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise GraphError(
            "the probabilities are not a table of numbers", "give one row per dataset, of one length"
        ) from None
    if table.ndim != 2 or table.shape[1] < 2:
        raise GraphError(
            f"the probabilities have the shape {table.shape}", "give one row per dataset, one column per output"
        )
    wrong = np.argwhere(~((table >= 0.0) & (table <= 1.0)))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise GraphError(f"{name(row)}: a probability is {table[row, column]}", "give numbers from 0 to 1")
    sums = table.sum(axis=1)
    off = np.flatnonzero(~(np.abs(sums - 1.0) <= 1e-9))
    if len(off):
        row = int(off[0])
        raise GraphError(f"{name(row)}: the probabilities add up to {sums[row]:.12g}", "they must add up to 1")
    return table


def one_or_each(name: str, values: ArrayLike, edges: int) -> Floats:
    """Return a number for each edge, from one for all or one for each."""
    column = np.asarray(values, np.float64)
    if column.shape not in ((), (1,), (edges,)):
        raise GraphError(f"{name} has the shape {column.shape} for {edges:,} edges", "give one number, or one per edge")
    return np.array(np.broadcast_to(column, (edges,)))


def _ends(name: str, given: Any, rows: int) -> NDArray[np.int64]:
    """Return the ends of edges as positions of rows."""
    ends = np.atleast_1d(np.asarray(given))
    if ends.ndim != 1 or (ends.dtype.kind not in "iu" and len(ends)):
        raise wrong_kind(name, given, "positions of rows")
    for end in ends[(ends < 0) | (ends >= rows)].tolist():
        raise GraphError(f"{name} names row {end}", f"give positions from 0 to {rows - 1:,}")
    return np.ascontiguousarray(ends, np.int64)


def _least_epsilon(p: Floats, q: Floats, delta: Floats) -> Floats:
    """Return the least e with sum of max(0, p - e^e q) <= delta, per row, in doubles.

    The outputs with the greatest p / q make up the worst set; its j greatest outputs give the bound
    e = log((P - delta) / Q), for every j.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(q > 0.0, p / q, np.where(p > 0.0, np.inf, 0.0))
        order = np.argsort(-ratio, axis=1)
        left = np.cumsum(np.take_along_axis(p, order, axis=1), axis=1) - delta[:, None]
        right = np.cumsum(np.take_along_axis(q, order, axis=1), axis=1)
        each = np.where(left > 0.0, np.where(right > 0.0, np.log(left / right), np.inf), 0.0)
    best: Floats = np.maximum(each.max(axis=1), 0.0)
    return best


def _least(guess: Floats, most: float, passes: Callable[[Floats, NDArray[np.int64]], Bools]) -> Floats:
    """Return, per edge, the least double from 0 to `most` that passes; `most` if none below it does.

    The set of numbers that pass is upward closed. The guess only says where to look first.
    """
    every = np.arange(len(guess))
    zero = passes(np.zeros(len(guess)), every) if len(guess) else np.empty(0, np.bool_)
    guess = np.minimum(np.nan_to_num(guess, nan=most, posinf=most), most)
    high = np.minimum(guess * (1.0 + 1e-14) + 2.0**-51, most)
    low = np.maximum(guess * (1.0 - 1e-14) - 2.0**-51, 0.0)
    open_ = np.flatnonzero(~zero)
    while len(failing := open_[(high[open_] < most) & ~passes(high[open_], open_)]):
        high[failing] = np.minimum(2.0 * high[failing] + 2.0**-51, most)
    while len(passing := open_[(low[open_] > 0.0) & passes(low[open_], open_)]):
        low[passing] = np.maximum(low[passing] / 2.0 - 2.0**-51, 0.0)
    a, b = low.view(np.int64).copy(), high.view(np.int64).copy()  # a fails, b passes or is the most
    while len(apart := open_[b[open_] - a[open_] > 1]):
        middle = a[apart] + (b[apart] - a[apart]) // 2  # their sum need not fit
        kept = passes(middle.view(np.float64), apart)
        b[apart[kept]] = middle[kept]
        a[apart[~kept]] = middle[~kept]
    found: Floats = np.where(zero, 0.0, b.view(np.float64))
    return found


def to_table(keys: Sequence[str], source: Any, target: Any, epsilon: Floats, delta: Floats, found: Losses) -> pa.Table:
    """Return the losses as a table: source, target, epsilon, delta, least_epsilon, least_delta."""
    import pyarrow as pa

    names = pa.array(keys, pa.string())
    return pa.table(
        {
            "source": names.take(pa.array(source)),
            "target": names.take(pa.array(target)),
            "epsilon": epsilon,
            "delta": delta,
            "least_epsilon": found.epsilon,
            "least_delta": found.delta,
        }
    )
