"""Solutions at a price by linear programming, for witnesses of any number of people.

At a price mu, the prices of the witnesses are a packing: the greatest sum v_m such that nobody pays more than w_i and
no group more than mu c_g. Its multipliers are the x. The program has a row for each person, and at another price it is
solved from there.

HiGHS computes in doubles, up to a tolerance, so that its value proves nothing: rounding up a value that is off by a
hundredth breaks privacy. Both solutions are rounded to whole numbers over fixed denominators, and made to be solutions
without a doubt: every x is one, and prices are lowered until nobody pays too much. Where x has small denominators, as
it nearly always has, rounding even gives the best x itself.

Where rounding leaves a result open, what counts is the *basis* that HiGHS found: the variables between their ends, and
the inequalities that are equations. It is a square system of linear equations, for the packing and, transposed, for its
multipliers. Both are solved in rational numbers; if they keep all inequalities, they have the same value, and are best.
If not, because of the tolerance, the simplex method is run in rational numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from neodp.asking.cover import SAFE, Cover, Dual, Ints, Primal, Result
from neodp.core.linear import Matrix, Program, Solver

__all__ = ["Equations", "Programs", "eliminate", "simplex"]

PARTS = 720_720
"""The denominator of a rounded x: all whole numbers up to 16 divide it."""
CENTS = 2**24
"""The denominator of rounded prices."""
Number: TypeAlias = int | Fraction
"""A rational number; whole ones are Python's integers, which are many times faster than fractions."""
Row: TypeAlias = dict[int, Number]
Equations: TypeAlias = list[tuple[Row, Number]]


class Programs:
    """Solutions of a program at any price, by HiGHS.

    Parameters
    ----------
    cover : Cover

    Examples
    --------
    A triangle of three people of weight 5, whose one match is worth 7: one of them leaves if its price is 1.

    >>> three = Cover(np.full(3, 5), np.array([7]), np.array([0]), np.array([0, 3]), np.arange(3))
    >>> [str(three.point(Programs(three).at(p, 2).primal).rest) for p in (1, 2)]
    ['7', '0']
    """

    def __init__(self, cover: Cover) -> None:
        self._cover = cover
        n = len(cover.weight)
        witnesses = np.bincount(cover.group, minlength=len(cover.amount))
        self._several = np.flatnonzero(witnesses > 1)
        number = np.full(len(cover.amount), -1)
        number[self._several] = n + np.arange(len(self._several))
        joined = np.flatnonzero(witnesses[cover.group] > 1)
        self._alone = np.flatnonzero(witnesses[cover.group] == 1)
        self._row = np.concatenate([cover.person, number[cover.group[joined]]])
        self._column = np.concatenate([cover.witness, joined])
        self._rows = n + len(self._several)
        self._solver: Solver | None = None

    def at(self, p: int, q: int) -> Result:
        """Return solutions at the price p / q that are best but for rounding."""
        solver = self._solved(p, q)
        found = solver.solve()
        if found.x is None or found.dual is None:
            return self.exactly(p, q)
        part = np.rint(np.maximum(0.0, -found.dual[: len(self._cover.weight)]) * PARTS).astype(np.int64)
        return Result(Primal(part, PARTS), self._lowered(found.x, p * CENTS // q))

    def exactly(self, p: int, q: int) -> Result:
        """Return best solutions at the price p / q."""
        solver = self._solved(p, q)
        solved = solver.solve().x is not None
        found = self._from_basis(solver, p, q) if solved else None
        return found if found is not None and _is_best(self._cover, found) else simplex(self._cover, p, q)

    def _solved(self, p: int, q: int) -> Solver:
        """Return the solver, at a price."""
        most, high = self._limits(p / q)
        if self._solver is None:
            columns = len(self._cover.group)
            matrix = Matrix(self._row, self._column, np.ones(len(self._row)))
            ends = np.full(self._rows, -np.inf), most, np.zeros(columns), high
            self._solver = Solver(Program(np.full(columns, -1.0), matrix, *ends), "simplex")
        else:
            self._solver.move(most, high)
        return self._solver

    def _limits(self, price: Any) -> tuple[Any, Any]:
        """Return the limits of the rows and of the columns at a price: whole numbers for a whole price."""
        kind: Any = object if isinstance(price, int) else np.float64
        amount = self._cover.amount.astype(kind) * price
        high = np.full(len(self._cover.group), np.inf, kind)
        high[self._alone] = amount[self._cover.group[self._alone]]
        return np.concatenate([self._cover.weight.astype(kind), amount[self._several]]), high

    def _lowered(self, v: Any, most: int) -> Dual:
        """Return prices in whole cents, none greater than v but for rounding, that keep all limits."""
        cover = self._cover
        amount = _in_64_bits(cover.amount.astype(object) * most)
        limit = np.concatenate([_in_64_bits(cover.weight.astype(object) * CENTS), amount[self._several]])
        price = np.floor(np.maximum(v, 0.0) * CENTS).astype(np.int64)
        price[self._alone] = np.minimum(price[self._alone], amount[cover.group[self._alone]])
        for _ in range(4):
            spent = np.zeros(self._rows, np.int64)
            np.add.at(spent, self._row, price[self._column])
            above = np.maximum(0, spent - limit)
            if not above.any():
                return Dual(price, most, CENTS)
            less = np.zeros(len(price), np.int64)
            np.maximum.at(less, self._column, above[self._row])
            price = np.maximum(0, price - less)
        return Dual(np.zeros(len(price), np.int64), most, CENTS)

    def _from_basis(self, solver: Solver, p: int, q: int) -> Result | None:
        """Return the solutions that a basis stands for, in rational numbers; None if its equations have none."""
        basis, n = solver.basis(), len(self._cover.weight)
        if basis.basic.sum() != basis.tight.sum():
            return None
        _, high = self._limits(p)
        right: dict[int, Number] = {
            row: int(self._cover.weight[row]) * q for row in np.flatnonzero(basis.tight[:n]).tolist()
        }
        right |= {n + i: int(self._cover.amount[g]) * p for i, g in enumerate(self._several) if basis.tight[n + i]}
        packing: dict[int, Row] = {row: {} for row in right}
        multipliers: dict[int, Row] = {column: {} for column in np.flatnonzero(basis.basic).tolist()}
        for row, column in zip(self._row.tolist(), self._column.tolist(), strict=True):
            if row in packing and column in multipliers:
                packing[row][column] = multipliers[column][row] = 1
            elif row in packing and basis.high[column]:
                right[row] -= high[column]
        v = eliminate([(packing[row], right[row]) for row in packing])
        x = eliminate([(row, 1) for row in multipliers.values()])
        if v is None or x is None:
            return None
        return _result(self._cover, x, v | {m: high[m] for m in np.flatnonzero(basis.high).tolist()}, p, q)


def _in_64_bits(limits: Ints) -> Ints:
    """Return limits in 64 bits; a greater one becomes one that no sum of prices reaches."""
    return np.minimum(limits, SAFE).astype(np.int64)


def _is_best(cover: Cover, found: Result) -> bool:
    try:
        point, tangent = cover.point(found.primal), cover.tangent(found.dual)
    except ArithmeticError:
        return False
    return point.weight + tangent.price * point.rest == tangent.start


def _result(cover: Cover, x: Mapping[int, Number], v: Mapping[int, Number], p: int, q: int) -> Result:
    """Return solutions over common denominators, from x and q times v."""
    part, whole = _common([x.get(i, 0) for i in range(len(cover.weight))])
    price, unit = _common([v.get(m, 0) for m in range(len(cover.group))])
    return Result(Primal(part, whole), Dual(price, p * unit, q * unit))


def _common(values: list[Number]) -> tuple[Ints, int]:
    whole = lcm(*(value.denominator for value in values))
    parts = [value.numerator * (whole // value.denominator) for value in values]
    return np.array(parts, np.int64 if max(map(abs, parts), default=0) < SAFE else object), whole


def _over(a: Number, b: Number) -> Number:
    """Return a / b, as an integer if it is one."""
    if b == 1:
        return a
    found = Fraction(a) / b
    return found.numerator if found.denominator == 1 else found


def eliminate(equations: Equations) -> dict[int, Number] | None:
    """Solve a square system of sparse linear equations in rational numbers; None if it has no unique solution.

    A variable that is in only one equation, and an equation with only one variable, are taken out first, one after the
    other; the rest is solved by elimination, with the shortest equation next.

    Examples
    --------
    >>> eliminate([({0: 1, 1: 1}, 1), ({1: 1, 2: 1}, 1), ({0: 1, 2: 1}, 1)])
    {2: Fraction(1, 2), 1: Fraction(1, 2), 0: Fraction(1, 2)}
    """
    rows = [dict(row) for row, _ in equations]
    right = [value for _, value in equations]
    users: dict[int, set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        for column in row:
            users[column].add(number)
    if len(users) != len(rows):
        return None
    done: list[tuple[int, int]] = []
    queue = [(len(row), number) for number, row in enumerate(rows) if len(row) <= 1]
    lonely = [column for column, using in users.items() if len(using) == 1]
    open_rows = set(range(len(rows)))
    while open_rows:
        if lonely:
            column = lonely.pop()
            using = users.get(column)
            if using is None or len(using) != 1:
                continue
            (number,) = using
        else:
            number = -1
            while queue:
                _, near = queue.pop()
                if near in open_rows:
                    number = near
                    break
            if number < 0:
                number = min(open_rows, key=lambda each: len(rows[each]))
            if not rows[number]:
                return None
            column = min(rows[number], key=lambda each: len(users[each]))
        _pivot(rows, right, users, number, column, queue)
        for other in rows[number]:
            users[other].discard(number)
            if other != column and len(users[other]) == 1:
                lonely.append(other)
        del users[column]
        open_rows.discard(number)
        done.append((number, column))
    return _substitute(rows, right, done)


def _pivot(
    rows: list[Row], right: list[Number], users: dict[int, set[int]], number: int, column: int, queue: list[Any]
) -> None:
    """Take a variable out of all equations but one."""
    pivot = rows[number]
    for other in list(users[column]):
        if other == number:
            continue
        factor = _over(rows[other][column], pivot[column])
        for each, value in pivot.items():
            changed = rows[other].get(each, 0) - factor * value
            if changed:
                rows[other][each] = changed
                users[each].add(other)
            else:
                rows[other].pop(each, None)
                users[each].discard(other)
        right[other] -= factor * right[number]
        if len(rows[other]) <= 1:
            queue.append((len(rows[other]), other))


def _substitute(rows: list[Row], right: list[Number], done: list[tuple[int, int]]) -> dict[int, Number]:
    found: dict[int, Number] = {}
    for number, column in reversed(done):
        row = rows[number]
        known = sum(value * found[each] for each, value in row.items() if each != column)
        found[column] = _over(right[number] - known, row[column])
    return found


def simplex(cover: Cover, p: int, q: int) -> Result:
    """Solve the packing by the simplex method in rational numbers: slow, and needed where doubles were not enough.

    It starts from v = 0. Bland's rule, the first column and the first row that fit, never runs in a circle. The
    multipliers of its inequalities at the end are the x.
    """
    n, rows, groups = len(cover.weight), len(cover.group), len(cover.amount)
    table: list[Row] = [{rows + number: 1} for number in range(n + groups)]
    for entry, m in zip(cover.person.tolist(), cover.witness.tolist(), strict=True):
        table[entry][m] = 1
    for m, g in enumerate(cover.group.tolist()):
        table[n + g][m] = 1
    right: list[Number] = [*(w * q for w in cover.weight.tolist()), *(c * p for c in cover.amount.tolist())]
    goal: Row = dict.fromkeys(range(rows), 1)
    basis = list(range(rows, rows + n + groups))
    while entering := [column for column, value in goal.items() if value > 0]:
        column = min(entering)
        ratios = [(_over(right[r], row[column]), basis[r], r) for r, row in enumerate(table) if row.get(column, 0) > 0]
        _, _, pivot = min(ratios)
        scale = table[pivot][column]
        table[pivot] = {each: _over(value, scale) for each, value in table[pivot].items()}
        right[pivot] = _over(right[pivot], scale)
        for r, row in enumerate(table):
            if r != pivot and column in row:
                factor = row[column]
                right[r] -= factor * right[pivot]
                _subtract(row, table[pivot], factor)
        _subtract(goal, table[pivot], goal[column])
        basis[pivot] = column
    v = {column: right[r] for r, column in enumerate(basis) if column < rows}
    x = {i: -goal.get(rows + i, 0) for i in range(n)}
    return _result(cover, x, v, p, q)


def _subtract(row: Row, other: Row, factor: Number) -> None:
    for each, value in other.items():
        changed = row.get(each, 0) - factor * value
        if changed:
            row[each] = changed
        else:
            row.pop(each, None)
