"""Linear programs, against scipy's interface to its own copy of the solver."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from neodp.core.linear import Matrix, Method, Program, Solver


@pytest.mark.parametrize("method", ["simplex", "ipm"])
@pytest.mark.parametrize("seed", range(5))
def test_costs_as_little_as_scipy_says(seed: int, method: Method) -> None:
    """Inequalities, one equation, and entries that stand at the same place; interior points stop before a vertex."""
    off = 1e-9 if method == "simplex" else 1e-6
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, 6, 40), rng.integers(0, 8, 40)
    matrix = Matrix(rows, columns, rng.random(40))
    cost, most = rng.normal(size=8), np.ones(6)
    least = np.array([-np.inf] * 5 + [1.0])
    found = Program(cost, matrix, least, most, np.zeros(8), np.ones(8)).solve(method)
    dense = csr_array((matrix.value, (rows, columns)), shape=(6, 8)).toarray()
    expected = linprog(cost, dense[:5], most[:5], dense[5:], most[5:], bounds=(0, 1))
    assert found.x is not None
    assert found.cost == pytest.approx(expected.fun, abs=off)
    assert cost @ found.x == pytest.approx(found.cost, abs=off)
    assert (dense @ found.x <= most + off).all()


def test_rows_that_are_added_later_count() -> None:
    """The solution moves, and so do the multipliers: the change of the cost for each unit of a row's limit."""
    both = Matrix(np.array([0, 0]), np.array([0, 1]), np.ones(2))
    none = np.array([-np.inf])
    solver = Solver(Program(np.array([-1.0, -2.0]), both, none, np.array([1.5]), np.zeros(2), np.ones(2)), "simplex")
    assert solver.solve().cost == -2.5
    solver.add(Matrix(np.array([0]), np.array([1]), np.ones(1)), none, np.array([0.25]))
    found = solver.solve()
    assert found.x is not None
    assert found.dual is not None
    assert found.x.tolist() == [1.0, 0.25]
    assert found.dual.tolist() == [0.0, -2.0]


def test_why_there_is_no_solution() -> None:
    one = Matrix(np.array([0]), np.array([0]), np.ones(1))
    found = Program(np.ones(1), one, np.array([2.0]), np.array([3.0]), np.zeros(1), np.ones(1)).solve("simplex")
    assert found.x is None
    assert found.message == "Infeasible"
