"""Linear programs over chances: the best private mechanism on a graph of datasets, and the prices of its inequalities.

A dataset has a chance for each of its *places*; places may share a variable. With x the variables,

    maximise  worth x    subject to  x[one] <= e^epsilon x[two]  for every row,
                         and the chances of every dataset add up to 1.

*Whole numbers.* A solution is moved towards the uniform distribution by a share h, which gives every row room of
h (e^epsilon - 1) / k; then every chance becomes a whole multiple of 2^-52, where the largest of a dataset is one minus
the others. Every single row is then checked for these whole numbers n and n': n <= f n', where f is
e^epsilon (1 - 2^-48) in doubles and so less than e^epsilon, and the rounding error of the product is smaller than the
difference; if places that share a variable differ by some units, n is the largest and n' the smallest of them. If a row
does not hold, h grows. The check decides, not the solver.

*Prices.* Let y >= 0 be the multipliers of the rows, written as e^-epsilon x[one] - x[two] <= 0. By the envelope theorem
the greatest worth V changes with the epsilon of group g at the rate

    dV / d epsilon_g  =  sum over the rows of g of  y e^-epsilon x[one].

If there are several best solutions, V may have a kink there; the sum then lies between the slopes on both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core import linear
from neodp.data.validation import Floats

__all__ = ["ChanceProgram", "Priced"]

ONE = 2.0**52
"""The resolution of chances: they are whole multiples of 2^-52."""
ITERATIONS = 200
"""The number of iterations after which a program is given up; 20 to 80 are usual."""
LARGE = 600.0
"""The greatest epsilon in the check: a greater one is replaced by this, so that no product overflows a double."""
Ints = NDArray[np.int64]


class Priced(NamedTuple):
    """The greatest worth, and the rate at which it changes with the epsilon of each group."""

    worth: float
    per_epsilon: Floats


class _Optimum(NamedTuple):
    """A solution: the variables, and the multiplier of each row."""

    x: Floats
    multiplier: Floats


class ChanceProgram(NamedTuple):
    """A program over chances.

    Attributes
    ----------
    worth : array of float
        Per variable.
    places : array of int
        The variable at every place of every dataset: datasets in rows, places in columns.
    one, two : arrays of int
        Per row, the variable that is limited, and the one that limits it.
    epsilon : array of float
        Per row.
    owner : array of int
        Per row, the group whose epsilon it is.

    Examples
    --------
    One person with epsilon ln 3, asked for yes or no: the answer is right with 3/4.

    >>> places = np.array([[0, 1], [2, 3]])
    >>> one, two = np.array([0, 2, 1, 3]), np.array([2, 0, 3, 1])
    >>> worth, epsilon, owner = np.array([0.5, 0.0, 0.0, 0.5]), np.full(4, np.log(3.0)), np.zeros(4, np.int64)
    >>> program = ChanceProgram(worth, places, one, two, epsilon, owner)
    >>> program.solve().round(6).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    >>> found = program.prices()
    >>> round(found.worth, 6), found.per_epsilon.round(6).tolist()
    (0.75, [0.1875])
    """

    worth: Floats
    places: Ints
    one: Ints
    two: Ints
    epsilon: Floats
    owner: Ints

    def solve(self) -> Floats | None:
        """Return chances, per dataset and place, that are exactly private and the best up to some 1e-8; None if none.

        There are none if the solver gives up.
        """
        found = self._optimum()
        if found is None:
            return None
        p = found.x[self.places]
        p /= p.sum(axis=1, keepdims=True)
        k = self.places.shape[1]
        loss = np.minimum(self.epsilon, LARGE)
        factor, least = (np.exp(e) * (1.0 - 2.0**-48) for e in (loss, loss.min(initial=1.0)))
        share = 1e-9
        while share < 0.5:
            rows = _whole((1.0 - share) * p + share / k)
            low, high = np.full(len(self.worth), np.inf), np.zeros(len(self.worth))
            np.minimum.at(low, self.places, rows)  # places that share a variable may differ by some units
            np.maximum.at(high, self.places, rows)
            if (high[self.one] <= factor * low[self.two]).all() and (high <= least * low).all():
                return rows / ONE
            share *= 8.0
        return None

    def prices(self) -> Priced | None:
        """Return the greatest worth and its rates of change; None if the solver gives up."""
        found = self._optimum()
        if found is None:
            return None
        each = found.multiplier * np.exp(-self.epsilon) * found.x[self.one]
        groups = int(self.owner.max(initial=-1)) + 1
        return Priced(float(self.worth @ found.x), np.bincount(self.owner, each, groups).astype(np.float64))

    def _optimum(self) -> _Optimum | None:
        (n, k), m, variables = self.places.shape, len(self.one), len(self.worth)
        number = np.arange(m)
        matrix = linear.Matrix(  # x[one] e^-epsilon <= x[two], and the chances of a dataset add up to 1
            np.concatenate([number, number, m + np.repeat(np.arange(n), k)]),
            np.concatenate([self.one, self.two, self.places.reshape(-1)]),
            np.concatenate([np.exp(-self.epsilon), -np.ones(m), np.ones(n * k)]),
        )
        least, most = np.concatenate([np.full(m, -np.inf), np.ones(n)]), np.concatenate([np.zeros(m), np.ones(n)])
        program = linear.Program(-self.worth, matrix, least, most, np.zeros(variables), np.ones(variables))
        result = program.solve("ipm", ITERATIONS)
        if result.x is None or result.dual is None:
            return None
        return _Optimum(np.clip(result.x, 0.0, 1.0), np.maximum(-result.dual[:m], 0.0))


def _whole(p: Floats) -> Floats:
    """Return rows of whole numbers that add up to 2^52: rounded down, and the largest takes the rest."""
    rows = np.floor(p * ONE)
    largest = np.argmax(rows, axis=1)
    rows[np.arange(len(rows)), largest] += ONE - rows.sum(axis=1)
    return rows
