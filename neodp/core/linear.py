"""Linear programs, by HiGHS.

    minimise  cost x    subject to  least <= A x <= most  and  low <= x <= high.

HiGHS is called directly: scipy includes it, but ``scipy.optimize`` takes longer to load than a whole small poll takes.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Floats

__all__ = ["Basis", "Matrix", "Method", "Program", "Solution", "Solver"]

TOLERANCE = 1e-10
"""The amount by which a solution may break an inequality; the least that HiGHS accepts."""

Method = Literal["simplex", "ipm"]
"""The dual simplex method, or interior points."""


class Matrix(NamedTuple):
    """A sparse matrix by its entries; those at the same place are added up."""

    row: NDArray[Any]
    column: NDArray[Any]
    value: Floats

    def by_column(self, columns: int) -> tuple[NDArray[Any], NDArray[Any], Floats]:
        """Return the start of each column, and the rows and values of the entries, column by column.

        Examples
        --------
        >>> Matrix(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([1.0, 2.0, 5.0])).by_column(2)
        (array([0, 1, 2]), array([1, 0]), array([5., 3.]))
        """
        order = np.lexsort((self.row, self.column))
        row, column = self.row[order], self.column[order]
        first = np.flatnonzero(np.concatenate([[True], (np.diff(row) != 0) | (np.diff(column) != 0)])[: len(row)])
        start = np.searchsorted(column[first], np.arange(columns + 1))
        return start, row[first], np.add.reduceat(self.value[order], first) if len(first) else self.value


class Solution(NamedTuple):
    """A best x, its cost, the iterations that it took, and the multipliers of the rows.

    If the solver gave up, there is no x and no multiplier, but the reason. A multiplier is the change of the cost for
    each unit by which the limit of a row is moved.
    """

    x: Floats | None
    cost: float
    message: str
    iterations: int
    dual: Floats | None


class Basis(NamedTuple):
    """The vertex at which a simplex method ended.

    Attributes
    ----------
    basic, high : arrays of bool
        The columns that equations determine, and of the others those that are at their upper ends.
    tight : array of bool
        The rows that are equations.
    """

    basic: NDArray[np.bool_]
    high: NDArray[np.bool_]
    tight: NDArray[np.bool_]


class Program(NamedTuple):
    """A linear program.

    Examples
    --------
    >>> both = Matrix(np.array([0, 0]), np.array([0, 1]), np.ones(2))
    >>> ends = np.zeros(2), np.ones(2)
    >>> Program(np.array([-1.0, -2.0]), both, np.array([-np.inf]), np.array([1.5]), *ends).solve("simplex")
    Solution(x=array([0.5, 1. ]), cost=-2.5, message='Optimal', iterations=0, dual=array([-1.]))
    """

    cost: Floats
    matrix: Matrix
    least: Floats
    most: Floats
    low: Floats
    high: Floats

    def solve(self, method: Method, iterations: int | None = None) -> Solution:
        """Solve the program up to TOLERANCE; interior points, whose result is not moved to a vertex, up to some 1e-8.

        Parameters
        ----------
        method : "simplex" or "ipm"
        iterations : int, optional
            The number of iterations after which the solver gives up. It limits the work whatever the machine.
        """
        return Solver(self, method, iterations).solve()


class Solver:
    """A program that can be solved again with further rows; the last solution is where the next search begins.

    Parameters
    ----------
    program : Program
        The program to begin with.
    method, iterations
        As in ``Program.solve``.
    """

    def __init__(self, program: Program, method: Method, iterations: int | None = None) -> None:
        import highspy

        columns = len(program.cost)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, len(program.most)
        model.col_cost_, model.col_lower_, model.col_upper_ = program.cost, program.low, program.high
        model.row_lower_, model.row_upper_ = program.least, program.most
        matrix = model.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kColwise
        matrix.num_col_, matrix.num_row_ = model.num_col_, model.num_row_
        matrix.start_, matrix.index_, matrix.value_ = program.matrix.by_column(columns)
        self._method, self._least, self._low = method, program.least, program.low
        self._solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in {
            "output_flag": False,
            "solver": method,
            "presolve": "on",
            "run_crossover": "off",
            **({} if iterations is None else {f"{method}_iteration_limit": iterations}),
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }.items():
            self._solver.setOptionValue(option, value)
        self._solver.passModel(model)

    def add(self, matrix: Matrix, least: Floats, most: Floats) -> None:
        """Add rows; those of the matrix are counted from 0."""
        start, column, value = Matrix(matrix.column, matrix.row, matrix.value).by_column(len(most))
        self._solver.addRows(len(most), least, most, len(value), start[:-1], column, value)

    def move(self, most: Floats, high: Floats) -> None:
        """Set other upper limits, of the rows and of x; lower ones stay."""
        for count, limits, change in (
            (len(most), (self._least, most), self._solver.changeRowsBounds),
            (len(high), (self._low, high), self._solver.changeColsBounds),
        ):
            change(count, np.arange(count, dtype=np.int32), *limits)

    def basis(self) -> Basis:
        """Return the vertex at which the simplex method ended."""
        import highspy

        found = self._solver.getBasis()
        status = highspy.HighsBasisStatus
        columns = np.array([int(each) for each in found.col_status])
        rows = np.array([int(each) for each in found.row_status])
        return Basis(columns == int(status.kBasic), columns == int(status.kUpper), rows != int(status.kBasic))

    def solve(self) -> Solution:
        """Solve the program with all rows so far."""
        import highspy

        self._solver.run()
        status, info, found = self._solver.getModelStatus(), self._solver.getInfo(), self._solver.getSolution()
        solved = status == highspy.HighsModelStatus.kOptimal
        return Solution(
            np.array(found.col_value) if solved else None,
            float(info.objective_function_value),
            self._solver.modelStatusToString(status),
            int(info.simplex_iteration_count if self._method == "simplex" else info.ipm_iteration_count),
            np.array(found.row_dual) if solved else None,
        )
