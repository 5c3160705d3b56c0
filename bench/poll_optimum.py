"""The greatest expected accuracy that privacy allows, by the linear program over all tables of votes.

The polls of neodp are compared with this optimum. It shares no code with them: the linear program follows directly from
the definition of privacy, and HiGHS solves it by interior points. What is returned is the bound by its multipliers,
which no private mechanism exceeds.

A *table* says how many people of each group chose each option. People who choose independently, with chances that
are the same within a group, make a table likely with a product of multinomial chances. A mechanism answers option j
at table t with chance p(t, j). For tables t and t' that differ in the choice of one person with epsilon e, and for
every option j,

    p(t, j) <= e^epsilon p(t', j),      p(t', j) <= e^epsilon p(t, j),      sum over j of p(t, j) = 1.

No mechanism that looks at single people can be better: averaged over everybody who could be exchanged with each
other, it is still private and as accurate, and it is one of these.

With two options p(t, 2) = 1 - p(t, 1), so that a variable for each table is enough.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from scipy.stats import binom, multinomial

__all__ = ["plurality", "tables", "threshold"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
People = Sequence[tuple[int, float]]
"""A population: how many people have which epsilon."""
TIGHT = 1e-5
"""The greatest difference between the bound and the optimum."""


def tables(people: People, options: int = 2) -> int:
    """Return the number of tables.

    Examples
    --------
    >>> tables([(10, 0.1), (10, 1.0), (11, 2.0)]), tables([(1, 0.1), (4, 2.0)], 3)
    (1452, 45)
    """
    return math.prod(math.comb(size + options - 1, options - 1) for size, _ in people)


def threshold(people: People, needed: int, share: float = 0.5) -> float:
    """Return the optimum of "do at least `needed` people say yes?" if everybody says yes with chance `share`.

    Examples
    --------
    >>> round(threshold([(10, 0.1), (10, 1.0), (11, 2.0)], 16), 4)
    0.7806
    """
    shape = tuple(size + 1 for size, _ in people)
    place = np.arange(math.prod(shape)).reshape(shape)
    likely, votes = np.ones(()), np.zeros((), np.int64)
    for size, _ in people:
        likely = np.multiply.outer(likely, binom(size, share).pmf(np.arange(size + 1)))
        votes = np.add.outer(votes, np.arange(size + 1))
    ends, epsilon = [], []
    for axis, (_, e) in enumerate(people):
        fewer, more = (np.take(place, at, axis).reshape(-1) for at in (range(shape[axis] - 1), range(1, shape[axis])))
        ends.append(np.stack([fewer, more]))
        epsilon.append(np.full(fewer.size, e))
    (a, b), grow = np.concatenate(ends, axis=1), np.exp(-np.concatenate(epsilon))
    zero = np.zeros(len(a))
    # e^-eps p_a <= p_b; e^-eps (1 - p_a) <= 1 - p_b, that is p_b - e^-eps p_a <= 1 - e^-eps; and with a, b exchanged
    rows = [
        (a, grow, b, -1.0, zero),
        (b, grow, a, -1.0, zero),
        (b, 1.0, a, -grow, 1 - grow),
        (a, 1.0, b, -grow, 1 - grow),
    ]
    yes = votes.reshape(-1) >= needed
    chance = likely.reshape(-1)
    return float(chance[~yes].sum()) - _least(-np.where(yes, chance, -chance), rows, None)


def plurality(people: People, options: int, shares: Sequence[float] | None = None) -> float:
    """Return the optimum of "which option is chosen most often?"; a tie goes to the option that is named first.

    Examples
    --------
    >>> round(plurality([(1, 0.1), (4, 2.0)], 3), 3)
    0.713
    """
    k = options
    given = np.full(k, 1.0 / k) if shares is None else np.array(shares)
    each = [_compositions(size, k) for size, _ in people]
    shape = tuple(len(rows) for rows in each)
    place = np.arange(math.prod(shape)).reshape(shape)
    chance, votes = np.ones(1), np.zeros((1, k), np.int64)
    for (size, _), rows in zip(people, each, strict=True):
        chance = np.multiply.outer(chance, multinomial(size, given).pmf(rows)).reshape(-1)
        votes = (votes[:, None, :] + rows[None, :, :]).reshape(-1, k)
    ends, epsilon = [], []
    for axis, (rows, (_, e)) in enumerate(zip(each, people, strict=True)):
        number = {tuple(row): i for i, row in enumerate(rows.tolist())}
        steps = []
        for row, i in number.items():
            for leaves, goes in itertools.combinations(range(k), 2):
                if row[leaves]:
                    moved = list(row)
                    moved[leaves] -= 1
                    moved[goes] += 1
                    steps.append((i, number[tuple(moved)]))
        one, two = np.array(steps).T
        ends.append(np.stack([np.take(place, at, axis).reshape(-1) for at in (one, two)]))
        epsilon.append(np.full(ends[-1].shape[1], e))
    (a, b), grow = np.concatenate(ends, axis=1), np.exp(-np.repeat(np.concatenate(epsilon), k))
    a, b = ((end[:, None] * k + np.arange(k)).reshape(-1) for end in (a, b))
    zero = np.zeros(len(a))
    worth = np.zeros((len(chance), k))
    worth[np.arange(len(chance)), votes.argmax(axis=1)] = chance
    return -_least(-worth.reshape(-1), [(a, grow, b, -1.0, zero), (b, grow, a, -1.0, zero)], k)


def _compositions(n: int, k: int) -> Ints:
    """Return all ways to write n as a sum of k nonnegative integers."""
    found = [each for each in itertools.product(range(n + 1), repeat=k - 1) if sum(each) <= n]
    rows = np.array(found, np.int64).reshape(len(found), k - 1)
    return np.column_stack([rows, n - rows.sum(axis=1)])


def _least(cost: Floats, rows: list[tuple[Ints, Floats | float, Ints, Floats | float, Floats]], k: int | None) -> float:
    """Return a lower bound, tight to TIGHT, on the cost of an x in [0, 1] that satisfies all rows.

    The row (a, left, b, right, limit) stands for left x[a] + right x[b] <= limit. Every k entries of x add up to 1.
    Interior points give a multiplier y >= 0 of each row. Whatever y is, cost x >= (cost + y A) x - y limit for every x
    that satisfies the rows, and the least of the right side over all x between 0 and 1, or over all x whose every k
    entries add up to 1, is found entry by entry: so the bound holds, however accurate the solver is.
    """
    n, start, parts = len(cost), 0, []
    for a, left, b, right, _ in rows:
        number = start + np.arange(len(a))
        parts += [(number, a, np.broadcast_to(left, len(a))), (number, b, np.broadcast_to(right, len(a)))]
        start += len(a)
    at, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
    less = csr_array((value, (at, column)), shape=(start, n))
    limits = np.concatenate([row[-1] for row in rows])
    bound, optimum = -math.inf, math.inf
    for crossover in (
        "off",
        "on",
    ):  # a vertex takes far longer, and is needed only where equations are hidden in the rows
        y, optimum = _multipliers(cost, less, limits, k, crossover)
        reduced = cost + less.T @ y
        best = np.minimum(reduced, 0.0) if k is None else reduced.reshape(-1, k).min(axis=1)
        bound = float(best.sum() - y @ limits)
        if optimum - bound <= TIGHT:
            return bound
    raise RuntimeError(f"the benchmark is wrong: the bound is {bound}, and the optimum {optimum}")


def _multipliers(cost: Floats, less: csr_array, limits: Floats, k: int | None, crossover: str) -> tuple[Floats, float]:
    """Return the multipliers of all rows by interior points, and the least cost."""
    m, n = less.shape
    whole = csr_array((0, n)) if k is None else csr_array((np.ones(n), (np.repeat(np.arange(n // k), k), np.arange(n))))
    matrix, ones = vstack([less, whole], format="csr"), np.ones(whole.shape[0])
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, m + len(ones)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, np.zeros(n), np.ones(n)
    lp.row_lower_, lp.row_upper_ = np.concatenate([np.full(m, -np.inf), ones]), np.concatenate([limits, ones])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = matrix.data
    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("solver", "ipm"), ("run_crossover", crossover), ("threads", 1)):
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    solver.run()
    return np.maximum(-np.array(solver.getSolution().row_dual)[:m], 0.0), solver.getInfo().objective_function_value
