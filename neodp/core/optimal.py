"""The best mechanism for a prior, for any number of colours, with a certificate of how good it is.

Given weights w over the datasets, the most accurate private mechanism is the solution of the linear program

    maximise    sum over v of  w(v) p_v[colour of v]    over distributions p_v, one for every dataset,
    subject to  p_u(J) <= e^eps p_v(J) + delta    for all edges, in both directions, and all sets J of outputs.

If delta = 0, the sets with one output imply all others. With `fixed` rows, only mechanisms that have these rows are
considered. With two colours, :mod:`neodp.study.optimum` solves the same program by one number for each dataset.

* *Classes.* The datasets of a class of an equitable partition (:mod:`neodp.core.symmetry`) share one row, and so do
  datasets that edges with epsilon = delta = 0 join: their rows are equal in every private mechanism. Datasets can also
  be required to share a row, as the boundary datasets of an order do.
* *Interior points.* A program of more than FEW inequalities is solved by interior points; the simplex method, which is
  exacter and slower, solves the small ones, and those where interior points give up. The weights of many datasets are
  tiny, and the solver's tolerances absolute, so that the greatest weight is the unit. After WORK iterations times
  inequalities the solver gives up.
* *Inequalities on demand.* If all inequalities are too many, or delta is above 0, so that there is one for every set of
  outputs, the program starts with those that the true answers break; after each solution, those that it breaks are
  added, until there are none. For delta > 0, the set J that is added is the one that is broken most: the outputs with
  p_u[j] > e^eps p_v[j]. Where all fit, all at once is faster, since interior points cannot begin at the last solution:
  the 89,100 inequalities of the counts of two groups of nine people take 5 s, on demand 21 s; and 10 to 12 s if those
  come first that limit outputs on the way from their own datasets.
* *Rounding in.* The solver's rows break inequalities by up to its tolerance. A mechanism with the same row everywhere
  breaks none, and has slack on every edge: by (e^eps - 1) p[j] for each output. So the solution is mixed with such a
  mechanism, its *anchor*, by just as much as it takes, until the exact audit finds nothing. (Rows that are fixed and
  reach each other through datasets that are not must be equal, and are then the anchor of these datasets.)
* *Certificate.* Let y >= 0 be any multipliers of the inequalities. Adding up the inequalities with these multipliers
  shows that no private mechanism has a greater expected accuracy than

      sum over v of  max over j of r_v[j]    +    sum of y delta,
      r_v[j] = w(v) [j is the colour of v]  -  sum of the y in whose inequality v is on the left side, and j in J
                                            +  sum of the y e^eps in whose inequality v is on the right side, and j in J

  (the maximum is over distributions; at a fixed row it is the product with that row). The solver's multipliers are
  rounded to whole numbers, e^eps and w are rounded up, and the sum is computed in whole numbers: the bound holds
  whatever the solver did. The difference between the bound and what the rounded rows achieve is the *gap*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, fsum, inf, nextafter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core import linear
from neodp.core.inequalities import exact, exponential, judge
from neodp.core.symmetry import classes
from neodp.core.traversal import components
from neodp.data.graph import DatasetGraph
from neodp.data.validation import Bools, Floats
from neodp.errors import NeodpError

__all__ = ["Optimal", "best_rows", "expected_accuracy", "upper_bound"]

MANY = 2_000_000
"""The greatest number of inequalities with which the program starts with all of them, if every delta is 0."""
FEW = 5_000
"""The number of inequalities above which interior points are faster than the simplex method."""
WORK = 2 * 10**8
"""The greatest number of iterations times inequalities, in all programs together, after which the solver gives up. It
is minutes of interior points, which take some 30 to 60 iterations; the number is the same on every machine."""
ROUNDS = 100
"""The greatest number of times inequalities are added."""
SLACK = 1e-15
"""The slack that an inequality of the mixed rows must have: more than their rounding can take away."""
DIGITS_Y, DIGITS_E = 64, 44
"""The number of binary digits after the point of a multiplier, and of e^epsilon, in the certificate."""


class Optimal(NamedTuple):
    """The best mechanism that was found, and how good any other can be at most.

    Attributes
    ----------
    rows : array of float, one row per dataset
        Private to the last bit; every entry but the largest of a row is exact.
    expected, bound : float
        The expected accuracy of the rows, rounded down; a number that no private mechanism exceeds.
    classes, inequalities, rounds : int
        The number of different rows, the inequalities of the last program, and the number of programs.
    """

    rows: Floats
    expected: float
    bound: float
    classes: int
    inequalities: int
    rounds: int

    @property
    def gap(self) -> float:
        """The greatest amount by which a private mechanism can be more accurate than this one."""
        return max(0.0, self.bound - self.expected)


def best_rows(
    graph: DatasetGraph,
    weights: Floats,
    anchor: Floats,
    fixed: Bools | None = None,
    together: NDArray[np.int64] | None = None,
) -> Optimal | None:
    """Return the most accurate private mechanism for a prior.

    Parameters
    ----------
    graph : DatasetGraph
        A graph with any number of colours; its alpha is ignored.
    weights : array of float, one per dataset
        The probability of each dataset.
    anchor : array of float, one row per dataset
        A private mechanism that has the same row at both ends of every edge that the program may change.
    fixed : array of bool, one per dataset, optional
        The datasets that must have the row of the anchor.
    together : array of int, one per dataset, optional
        Datasets with the same number, other than -1, must have the same row.

    Returns
    -------
    Optimal or None
        None if no mixture with the anchor is private: the rows are then too close to 0 for the solver.

    Raises
    ------
    NeodpError
        If the solver gives up.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> best = best_rows(g, np.full(8, 1 / 8), np.full((8, 2), 0.5))
    >>> round(best.expected, 6), best.gap < 1e-8
    (0.71926, True)
    """
    fixed = np.zeros(len(graph), np.bool_) if fixed is None else fixed
    together = np.full(len(graph), -1) if together is None else together
    program = _Program.of_graph(graph, weights, anchor, fixed, together)
    solution = program.solve()
    rows = _mixed(graph, solution.rows[program.of], anchor, fixed)
    if rows is None:
        return None
    figures = len(program.weight), len(solution.inequalities.u), solution.rounds
    return Optimal(rows, expected_accuracy(graph, weights, rows), program.bound(solution), *figures)


def upper_bound(graph: DatasetGraph, weights: Floats, rows: Floats, fixed: Bools) -> float:
    """Return a number that no private mechanism with the given rows at the fixed datasets exceeds on average.

    Raises
    ------
    NeodpError
        If the solver gives up.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> round(upper_bound(g, np.full(8, 1 / 8), np.full((8, 2), 0.5), np.zeros(8, np.bool_)), 6)
    0.71926
    """
    program = _Program.of_graph(graph, weights, rows, fixed, np.full(len(graph), -1))
    return program.bound(program.solve())


def expected_accuracy(graph: DatasetGraph, weights: Floats, rows: Floats) -> float:
    """Return the expected accuracy of rows under a prior, rounded down."""
    true = rows[np.arange(len(graph)), graph.color]
    return fsum((weights * true).tolist()) - 1e-15  # more than the rounding of a chance, a product and the sum


class _Inequalities(NamedTuple):
    """Inequalities ``s p_u(J) - p_v(J) <= s delta`` with s = e^-eps; u and v are classes, J is a row of `sets`."""

    u: NDArray[np.int64]
    v: NDArray[np.int64]
    epsilon: Floats
    delta: Floats
    sets: Bools

    def joined(self, other: _Inequalities) -> _Inequalities:
        return _Inequalities(
            np.concatenate([self.u, other.u]),
            np.concatenate([self.v, other.v]),
            np.concatenate([self.epsilon, other.epsilon]),
            np.concatenate([self.delta, other.delta]),
            np.concatenate([self.sets, other.sets]),
        )


class _Solution(NamedTuple):
    """The rows of all classes, the inequalities of the last program, their multipliers, and the number of rounds."""

    rows: Floats
    inequalities: _Inequalities
    multiplier: Floats
    rounds: int


@dataclass(frozen=True)
class _Program:
    """The linear program over classes.

    Attributes
    ----------
    of : array of int
        The class of each dataset.
    weight : array of float, one row per class, one column per colour
        The weight of the datasets of the class that have the colour.
    anchor, fixed : arrays, one row and one entry per class
    u, v, epsilon, delta : arrays
        The edges between classes, each in both directions.
    """

    of: NDArray[np.int64]
    weight: Floats
    anchor: Floats
    fixed: Bools
    u: NDArray[np.int64]
    v: NDArray[np.int64]
    epsilon: Floats
    delta: Floats

    @classmethod
    def of_graph(
        cls, graph: DatasetGraph, weights: Floats, anchor: Floats, fixed: Bools, together: NDArray[np.int64]
    ) -> _Program:
        apart = np.column_stack([fixed, np.where(fixed[:, None], anchor, 0.0), together])
        of = _shared(graph, classes(graph, weights, apart), together)
        count = int(of.max()) + 1
        weight = np.zeros((count, len(graph.colors)))
        np.add.at(weight, (of, graph.color), weights)
        rows, held = np.empty((count, len(graph.colors))), np.zeros(count, np.bool_)
        rows[of] = anchor
        rows[of[fixed]], held[of[fixed]] = anchor[fixed], True
        one, two = of[graph.source], of[graph.target]
        ends = np.column_stack([np.minimum(one, two), np.maximum(one, two), graph.epsilon, graph.delta])
        edges = np.unique(ends[(one != two) & ~(held[one] & held[two])], axis=0)
        a, b = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
        both = (np.concatenate(pair) for pair in ((a, b), (b, a), (edges[:, 2],) * 2, (edges[:, 3],) * 2))
        return cls(of, weight, rows, held, *both)

    @property
    def unit(self) -> float:
        """The unit of the weights in the solver: a power of 2 that gives the greatest weight a size of about 1."""
        return float(np.exp2(np.ceil(np.log2(self.weight.max()))))

    def solve(self) -> _Solution:
        """Solve the program with all inequalities that turn out to matter."""
        truth = np.zeros_like(self.weight)
        truth[np.arange(len(truth)), self.weight.argmax(axis=1)] = 1.0
        truth[self.fixed] = self.anchor[self.fixed]
        k = truth.shape[1]
        if not self.delta.any() and len(self.u) * k <= MANY:
            kept = self._singles(np.repeat(np.arange(len(self.u)), k), np.tile(np.arange(k), len(self.u)))
        else:
            kept = self._broken(truth)
        left = WORK
        solver = self._solver(kept, left)
        for rounds in range(1, ROUNDS + 1):
            result = solver.solve()
            left -= result.iterations * len(kept.u)
            if result.x is None and len(kept.u) > FEW and left > 0:
                result = self._solver(kept, left, "simplex").solve()
                left -= result.iterations * len(kept.u)
            if result.x is None:
                raise NeodpError(
                    f"the solver gave up on a program of {len(kept.u):,} inequalities: {result.message}",
                    "take another method, such as line or distance",
                )
            rows, multiplier = self._solved(result)
            more = self._broken(rows)
            if not len(more.u):
                return _Solution(rows, kept, multiplier, rounds)
            kept = kept.joined(more)
            if len(kept.u) > FEW:
                solver = self._solver(kept, left)  # interior points do not begin at the last solution
            else:
                solver.add(*self._rows(more))
        raise NeodpError("the solver's solution breaks inequalities again and again", "take another method")

    def _solver(self, kept: _Inequalities, work: int, method: linear.Method | None = None) -> linear.Solver:
        """Return a solver of the program with some inequalities, by the method that suits their number."""
        method = method or ("ipm" if len(kept.u) > FEW else "simplex")
        solver = linear.Solver(self._begin(), method, max(0, work // max(1, len(kept.u))))
        solver.add(*self._rows(kept))
        return solver

    def _singles(self, edge: NDArray[np.int64], output: NDArray[np.int64]) -> _Inequalities:
        sets = np.zeros((len(edge), self.weight.shape[1]), np.bool_)
        sets[np.arange(len(edge)), output] = True
        return _Inequalities(self.u[edge], self.v[edge], self.epsilon[edge], self.delta[edge], sets)

    def _broken(self, rows: Floats) -> _Inequalities:
        """Return the inequalities that rows break by more than the solver's tolerance."""
        s = np.exp(-self.epsilon)
        excess = s[:, None] * rows[self.u] - rows[self.v]
        loose = self.delta > 0.0
        k = rows.shape[1]
        tight = np.flatnonzero((excess > 10 * linear.TOLERANCE).any(axis=1) & ~loose)  # all outputs of an edge at once
        single = self._singles(np.repeat(tight, k), np.tile(np.arange(k), len(tight)))
        total = np.maximum(excess, 0.0).sum(axis=1) - s * self.delta
        edge = np.flatnonzero(loose & (total > 10 * linear.TOLERANCE))
        sets = _Inequalities(self.u[edge], self.v[edge], self.epsilon[edge], self.delta[edge], excess[edge] > 0.0)
        return single.joined(sets)

    def _begin(self) -> linear.Program:
        """Return the program without inequalities: every row that is not fixed is a distribution."""
        k = self.weight.shape[1]
        free = np.flatnonzero(~self.fixed)
        cells = (free[:, None] * k + np.arange(k)).ravel()
        matrix = linear.Matrix(np.repeat(np.arange(len(free)), k), cells, np.ones(len(cells)))
        held, value = np.repeat(self.fixed, k), self.anchor.ravel()
        ends = np.where(held, value, 0.0), np.where(held, value, 1.0)
        cost = -self.weight.ravel() / self.unit
        return linear.Program(cost, matrix, np.ones(len(free)), np.ones(len(free)), *ends)

    def _rows(self, new: _Inequalities) -> tuple[linear.Matrix, Floats, Floats]:
        """Return inequalities as rows of the program."""
        k = self.weight.shape[1]
        row, output = np.nonzero(new.sets)
        s = np.exp(-new.epsilon)
        matrix = linear.Matrix(
            np.tile(row, 2),
            np.concatenate([new.u[row] * k + output, new.v[row] * k + output]),
            np.concatenate([s[row], np.full(len(row), -1.0)]),
        )
        return matrix, np.full(len(new.u), -np.inf), s * new.delta

    def _solved(self, result: linear.Solution) -> tuple[Floats, Floats]:
        """Return the best rows under the inequalities so far, and the multipliers of these."""
        assert result.x is not None
        assert result.dual is not None
        rows = np.clip(result.x.reshape(self.weight.shape), 0.0, 1.0)
        rows /= rows.sum(axis=1, keepdims=True)
        rows[self.fixed] = self.anchor[self.fixed]
        return rows, np.maximum(0.0, -self.unit * result.dual[np.count_nonzero(~self.fixed) :])

    def bound(self, solution: _Solution) -> float:
        """Return a number that the expected accuracy of no private mechanism exceeds (see the module)."""
        scale = DIGITS_Y + DIGITS_E
        reward = [[_ceil(w, scale) for w in row] for row in self.weight.tolist()]
        kept, total = solution.inequalities, Fraction(0)
        growth = {e: _ceil(exponential(e, 40)[1], DIGITS_E) for e in np.unique(kept.epsilon).tolist()}
        y = np.floor(np.ldexp(solution.multiplier * np.exp(-kept.epsilon), DIGITS_Y))
        used = np.flatnonzero(y)
        multiplier, grown = [int(x) for x in y[used].tolist()], [growth[e] for e in kept.epsilon[used].tolist()]
        u, v = kept.u[used].tolist(), kept.v[used].tolist()
        for i, j in zip(*(each.tolist() for each in np.nonzero(kept.sets[used])), strict=True):
            reward[u[i]][j] -= multiplier[i] << DIGITS_E
            reward[v[i]][j] += multiplier[i] * grown[i]
        for i in np.flatnonzero(kept.delta[used]).tolist():
            total += Fraction(float(kept.delta[used[i]])) * (multiplier[i] << DIGITS_E)
        for row, anchor, fixed in zip(reward, self.anchor.tolist(), self.fixed.tolist(), strict=True):
            total += sum((r * p for r, p in zip(row, exact(anchor), strict=True)), Fraction(0)) if fixed else max(row)
        return nextafter(float(total / (1 << scale)), inf)


def _shared(graph: DatasetGraph, of: NDArray[np.int64], together: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return classes in which datasets that must have equal rows are together.

    Those are the datasets with one number in `together`, and those that edges with epsilon = delta = 0 join.
    """
    equal = (graph.epsilon == 0.0) & (graph.delta == 0.0)
    named = np.flatnonzero(together >= 0)
    if not equal.any() and not len(named):
        return of
    first = np.unique(together[named], return_index=True)[1]
    same = named[first][np.unique(together[named], return_inverse=True)[1]] if len(named) else named
    one, two = np.concatenate([graph.source[equal], named]), np.concatenate([graph.target[equal], same])
    merged = components(int(of.max()) + 1, of[one], of[two])[1]
    found: NDArray[np.int64] = np.unique(merged[of], return_inverse=True)[1].reshape(-1)
    return found


def _mixed(graph: DatasetGraph, rows: Floats, anchor: Floats, fixed: Bools) -> Floats | None:
    """Return the mixture of rows with their anchor, closest to the rows, that is private to the last bit."""
    share = _share(graph, rows, anchor, fixed)
    while share < 0.5:
        mixed = rows + share * (anchor - rows)
        largest = mixed.argmax(axis=1)
        mixed[np.arange(len(mixed)), largest] = 1.0 - _rest(mixed)
        mixed[fixed] = anchor[fixed]
        if not judge(graph.source, graph.target, graph.epsilon, graph.delta, mixed).broken.any():
            return mixed
        share = max(4.0 * share, 1e-15)
    return None


def _share(graph: DatasetGraph, rows: Floats, anchor: Floats, fixed: Bools) -> float:
    """Return the least share of the anchor with which every inequality has slack, up to rounding."""
    share = 0.0
    edges = np.flatnonzero(~(fixed[graph.source] & fixed[graph.target]))
    source, target, s, delta = (
        graph.source[edges],
        graph.target[edges],
        np.exp(-graph.epsilon[edges]),
        graph.delta[edges],
    )
    loose = delta > 0.0
    for u, v in ((source, target), (target, source)):
        excess, room = s[:, None] * rows[u] - rows[v], anchor[v] - s[:, None] * anchor[u]
        total = np.maximum(excess, 0.0).sum(axis=1) - s * delta
        over = np.concatenate([excess[~loose].ravel(), total[loose]]) + SLACK
        slack = np.concatenate([room[~loose].ravel(), (s * delta + np.minimum(room, 0.0).sum(axis=1))[loose]])
        needed = (over > 0.0) & (slack > 0.0)
        share = max(share, float((over[needed] / (over[needed] + slack[needed])).max(initial=0.0)))
    return share


def _rest(rows: Floats) -> Floats:
    """Return the sum of all entries of each row but the largest."""
    others = rows.copy()
    others[np.arange(len(rows)), rows.argmax(axis=1)] = 0.0
    rest: Floats = others.sum(axis=1)
    return rest


def _ceil(x: float | Fraction, digits: int) -> int:
    return ceil(Fraction(x) * (1 << digits))
