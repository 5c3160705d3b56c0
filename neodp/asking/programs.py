"""Distances by linear programming, for witnesses of any number of people, solved by HiGHS and then exactly.

HiGHS computes in doubles, up to a tolerance, so that its value proves nothing: rounding up a value that is off by a
hundredth breaks privacy. What it finds is a *basis*: the variables that are not 0, and the inequalities that are
equations. The basis is a square system of linear equations, for the program and, transposed, for its dual. Both are
solved in rational numbers; if both solutions keep all inequalities, they have the same value, which is D exactly. If
the basis is not the best one, because of the tolerance, the simplex method goes on from there in rational numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from neodp.asking.cover import SAFE, Cover, Dual, Ints, Primal
from neodp.asking.cuts import Result

__all__ = ["Equations", "eliminate", "solve"]

TOLERANCE = 1e-9
"""The amount by which HiGHS may break an inequality."""
Number: TypeAlias = int | Fraction
"""A rational number; whole ones are Python's integers, which are many times faster than fractions."""
Row: TypeAlias = dict[int, Number]
Equations: TypeAlias = list[tuple[Row, Number]]


def solve(cover: Cover, most: int) -> Result:
    """Return best solutions for an amount that may remain, from 0 to below the total amount."""
    basic, tight = _basis(cover, most)
    found = _from_basis(cover, most, basic, tight)
    if found is None or not _is_best(cover, most, found):
        found = _simplex(cover, most)
    return found


def _is_best(cover: Cover, most: int, found: Result) -> bool:
    try:
        low, high = cover.bounds(most, *found)
    except ArithmeticError:
        return False
    return low == high


def _basis(cover: Cover, most: int) -> tuple[Any, Any]:
    """Return which columns (the x, then the z) are basic, and which rows (the witnesses, then the amount) are tight."""
    import highspy

    n, groups, rows = len(cover.weight), len(cover.amount), len(cover.group)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n + groups, rows + 1
    program.col_cost_ = np.concatenate([cover.weight, np.zeros(groups)]).astype(float)
    program.col_lower_ = np.zeros(n + groups)
    program.col_upper_ = np.ones(n + groups) * highspy.kHighsInf
    program.row_lower_ = np.concatenate([np.ones(rows), [-highspy.kHighsInf]])
    program.row_upper_ = np.concatenate([np.full(rows, highspy.kHighsInf), [float(most)]])
    matrix = program.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = n + groups, rows + 1
    start = np.concatenate([cover.first + np.arange(rows + 1), [len(cover.person) + rows + groups]])
    index = np.insert(cover.person, cover.first[1:], n + cover.group)
    matrix.start_ = start
    matrix.index_ = np.concatenate([index, n + np.arange(groups)])
    matrix.value_ = np.concatenate([np.ones(len(index)), cover.amount.astype(float)])
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {
        "output_flag": False,
        "solver": "simplex",
        "threads": 1,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
    }
    for option, value in options.items():
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    basis = solver.getBasis()
    is_basic = highspy.HighsBasisStatus.kBasic
    columns = np.array([status == is_basic for status in basis.col_status], bool)
    slack = np.array([status == is_basic for status in basis.row_status], bool)
    return columns, ~slack


def _from_basis(cover: Cover, most: int, basic: Any, tight: Any) -> Result | None:
    """Return the solutions that a basis stands for, in rational numbers; None if its equations have none."""
    n = len(cover.weight)
    if len(basic) != n + len(cover.amount) or basic.sum() != tight.sum():
        return None
    equations: Equations = []
    transposed: dict[int, Row] = {column: {} for column in np.flatnonzero(basic).tolist()}
    for row in np.flatnonzero(tight).tolist():
        if row < len(cover.group):
            people = cover.person[cover.first[row] : cover.first[row + 1]].tolist()
            entries: Row = dict.fromkeys(
                (column for column in [*people, n + int(cover.group[row])] if basic[column]), 1
            )
            sign, right = 1, 1
        else:
            entries = {n + g: c for g, c in enumerate(cover.amount.tolist()) if basic[n + g]}
            sign, right = -1, most
        for column, value in entries.items():
            transposed[column][row] = sign * value
        equations.append((entries, right))
    x = eliminate(equations)
    cost = {column: int(cover.weight[column]) if column < n else 0 for column in transposed}
    v = eliminate([(row, cost[column]) for column, row in transposed.items()])
    return None if x is None or v is None else _result(cover, x, v)


def _result(cover: Cover, x: Mapping[int, Number], v: Mapping[int, Number]) -> Result:
    """Return solutions over common denominators."""
    n, rows = len(cover.weight), len(cover.group)
    part, whole = _common([x.get(i, 0) for i in range(n)])
    price, unit = _common([v.get(m, 0) for m in range(rows + 1)])
    return Result(Primal(part, whole), Dual(price[:-1], int(price[-1]), unit))


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


def _simplex(cover: Cover, most: int) -> Result:
    """Solve the dual by the simplex method in rational numbers: slow, and needed where doubles were not enough.

    The dual starts from v = 0 and mu = 0. Bland's rule, the first column and the first row that fit, never runs in a
    circle. The prices of its inequalities at the end are the x and z.
    """
    n, rows, groups = len(cover.weight), len(cover.group), len(cover.amount)
    width = rows + 1  # v, then mu; the slacks of people and groups follow
    table: list[Row] = [{} for _ in range(n + groups)]
    for entry, m in zip(cover.person.tolist(), cover.witness.tolist(), strict=True):
        table[entry][m] = 1
    for m, g in enumerate(cover.group.tolist()):
        table[n + g][m] = 1
    for g, c in enumerate(cover.amount.tolist()):
        table[n + g][rows] = -c
    right: list[Number] = [*cover.weight.tolist(), *([0] * groups)]
    goal: Row = {**dict.fromkeys(range(rows), 1), rows: -most}
    basis = list(range(width, width + n + groups))
    for number in range(n + groups):
        table[number][width + number] = 1
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
    v = {column: right[r] for r, column in enumerate(basis) if column < width}
    x = {i: -goal.get(width + i, 0) for i in range(n)}
    return _result(cover, x, v)


def _subtract(row: Row, other: Row, factor: Number) -> None:
    for each, value in other.items():
        changed = row.get(each, 0) - factor * value
        if changed:
            row[each] = changed
        else:
            row.pop(each, None)
