"""The best boundary for a prior.

Once alpha is fixed, the optimal mechanism is unique (:mod:`neodp.core.binary`); which alpha is best depends on how
likely each dataset is. Given weights w over the datasets, this module finds the alpha whose extension has the greatest
expected accuracy. It solves the linear program

    maximise    sum of w(v) Pr[M(v) = colour of v]    over all mechanisms M
    subject to  p_u <= e^eps p_v + delta  and  1 - p_u <= e^eps (1 - p_v) + delta,  both ways, on every edge,

where p = Pr[first colour]. The extension of the solution's values on the boundary is as good as the solution, so these
values are the alpha. Three techniques make the program small and the result exact:

* *Quotient.* An equitable partition puts datasets into classes such that all members of a class have the same colour
  and weight and the same number of neighbours in every class over edges of every (epsilon, delta). The averages of a
  private p over the classes are private as well: adding up an inequality over the d edges between two classes gives
  d mean(p_u) <= e^eps d mean(p_v) + d delta. So the program has one variable per class. Classes are found by colour
  refinement: a hypercube of 2^d datasets with one epsilon has d + 1 classes.
* *Rows on demand.* Start with the boundary edges and the inequalities that are tight for the balanced alpha; solve; add
  the inequalities that the solution violates; repeat until it violates none. The last solution is optimal for all rows.
  A program of at most ROWS_AT_ONCE rows starts with all of them: on long and narrow graphs, such as those of scores,
  adding rows on demand takes many rounds.
* *Rounding in.* A solver's solution is private only up to the solver's tolerance. Its labels
  (:mod:`neodp.compiled.kernel`) are lowered until the solution is private to the last bit. If that makes it worse than
  the balanced alpha, the balanced alpha is returned.

A *fair* alpha has the greatest possible worst accuracy, and among those the greatest expected accuracy. The two ends of
a boundary edge cannot both be more accurate than the even share of the edge, and the balanced alpha reaches this share
on the tightest edge. So the greatest worst accuracy is that of the balanced alpha, and becomes a lower bound in the
program. Labels of private mechanisms form a lattice (the pointwise minimum and maximum of two are private, since U is
monotone). A rounded solution is therefore raised to the bound exactly: it is moved between the lowest mechanism that
reaches the bound on the first colour and the highest that reaches it on the second.

With more than two colours, alpha is the same for all boundary datasets of an order. So the program of
:mod:`neodp.core.optimal` is solved with one row for the boundary of every order, and these rows are the alpha; its
bound, in whole numbers, holds for all private mechanisms that have such an alpha. (Without that condition, the best
mechanism is ``extend(graph, method="optimal")`` on the graph without alpha.) A *fair* alpha is not defined there: alpha
on the boundary does not determine the mechanism elsewhere, and the best on average may answer a dataset away from the
boundary less accurately than all of those on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.core import binary, boundary, linear, rainbow
from neodp.core.alpha import balanced, homogeneous
from neodp.core.extension import extend
from neodp.core.mechanism import Mechanism
from neodp.core.optimal import best_rows
from neodp.core.privacy import EpsilonDelta, Labels, certain
from neodp.core.rainbow import DatasetPrior
from neodp.core.symmetry import classes
from neodp.data.family import family
from neodp.data.graph import DatasetGraph
from neodp.data.kinds import checked, wrong_kind
from neodp.data.validation import Floats, positions
from neodp.errors import GraphError, NeodpError

__all__ = ["Choice", "Optimum", "best_homogeneous", "choices", "optimize", "prior"]

SNAP = 1e-9
"""The distance from 0 or 1 below which a solver's value is also tried as exactly 0 or 1."""
PATIENCE = 1_000
"""The number of iterations of the interior points after which they are given up; some 50 are usual."""
ROWS_AT_ONCE = 100_000
"""The greatest number of rows with which the program starts with all of them."""


@dataclass(frozen=True)
class Choice:
    """One choice of alpha, and the accuracy that it achieves.

    Attributes
    ----------
    name : str
    alpha : array of float
        The values for ``DatasetGraph.with_alpha``.
    expected, worst : float
        The accuracy (the chance of the true answer) of its extension: expected under the prior, and the least.
    """

    name: str
    alpha: Floats = field(repr=False)
    expected: float
    worst: float


@dataclass(frozen=True)
class Optimum(Choice):
    """The best alpha for a prior.

    Attributes
    ----------
    bound : float
        The optimum of the linear program, up to the solver's tolerance: no private mechanism is more accurate.
    classes : int
        The number of variables in the program.
    rows, rounds : int
        The number of inequalities in the last program that was solved, and how many programs were solved.
    """

    bound: float
    classes: int
    rows: int
    rounds: int


@checked
def prior(graph: DatasetGraph, how: str | Mapping[Any, float] = "uniform") -> Floats:
    """Return weights over the datasets of a graph that add up to 1.

    Parameters
    ----------
    graph : DatasetGraph
    how : "uniform", "distance", or a mapping from keys to weights
        ``uniform``: all datasets have the same weight. ``distance``: every distance from the boundary (in edges) has
        the same total weight, shared equally by the datasets at that distance, so that the many datasets far away do
        not outweigh the few at the boundary; datasets from which no boundary can be reached count as one more
        distance. A dataset that is missing from a mapping has weight 0.

    Raises
    ------
    GraphError, UnknownKey
        If a weight is not a finite number of at least 0, if all weights are 0, or if a key is not a dataset.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(5, split=1)
    >>> prior(g, "distance").round(4)
    array([0.125, 0.125, 0.25 , 0.25 , 0.25 ])
    """
    if isinstance(how, Mapping):
        return _weights(graph, how)
    if how == "uniform":
        return np.full(len(graph), 1.0 / len(graph))
    if how == "distance":
        hops = boundary.distance(graph) + 1
        number = np.bincount(hops)
        weights: Floats = 1.0 / (number[hops] * np.count_nonzero(number))
        return weights
    raise GraphError(f"there is no prior {how!r}", "give 'uniform', 'distance', or a weight per dataset")


@checked
def optimize(
    graph: DatasetGraph, weights: Floats | None = None, *, fair: bool = False, work: int | None = None
) -> Optimum:
    """Find the alpha whose extension has the greatest expected accuracy.

    Parameters
    ----------
    graph : DatasetGraph
        A graph; its alpha is ignored.
    weights : array of float, one per dataset, optional
        The weight of each dataset, for example from ``prior``; all are equally likely by default.
    fair : bool
        If true, consider only the alpha with the greatest worst accuracy; for two colours only, since with more of
        them alpha does not determine the worst accuracy.
    work : int, optional
        The greatest number of iterations times inequalities after which the solver gives up; by default no limit. For
        two colours only.

    Returns
    -------
    Optimum
        Its alpha is given on the whole boundary and survives the exact audit. It is never worse than ``balanced``.

    Raises
    ------
    NeodpError
        If the solver gives up.
    GraphError
        If `fair` is requested with more than two colours.

    Examples
    --------
    In Fig. 1 of paper 000, the balanced alpha wastes part of what the neighbours of 121 and 112 allow:

    >>> import neodp
    >>> g = neodp.generate.three_voters()
    >>> best = optimize(g)
    >>> m = neodp.extend(g.with_alpha(best.alpha))
    >>> round(best.expected, 6), round(float(neodp.extend(g.with_alpha(neodp.balanced(g))).p_true.mean()), 6)
    (0.71926, 0.709272)
    >>> bool(neodp.audit(g, m))
    True
    """
    w = DatasetPrior.of(graph, weights).weights
    if not family(graph).binary:
        if fair:
            raise GraphError(
                f"{graph.name!r} has {len(graph.colors)} colours, and with more than two, alpha does not determine the "
                "accuracy away from the boundary",
                "leave out 'fair', which needs two colours",
            )
        return _by_order(graph, w)
    even = _choice(graph, w, "balanced", balanced(graph))
    if not graph.crossing.any():
        return Optimum("optimized", even.alpha, even.expected, even.worst, even.expected, 0, 0, 0)
    of = classes(graph, w)
    start = extend(graph.with_alpha(even.alpha))
    program = _BoundaryProgram.of(graph, w, of, start.p)
    least = _worst_label(start) if fair else None
    floor = 0.0 if least is None else max(0.0, even.worst - SNAP)  # rounding in makes up for it
    p, value, rows, rounds = program.solve(floor, work)
    found = [_choice(graph, w, "optimized", alpha) for alpha in _rounded_in(graph, p[of], least)]
    best = max([even, *found], key=lambda c: (c.worst, c.expected) if fair else (c.expected, c.worst))
    bound = max(value, best.expected)
    return Optimum("optimized", best.alpha, best.expected, best.worst, bound, len(program.weight), rows, rounds)


@checked
def best_homogeneous(graph: DatasetGraph, weights: Floats, *, fair: bool = False) -> Choice:
    """Find the best alpha that is the same at all boundary datasets of a colour (``neodp.homogeneous``).

    The accuracy is a concave function of the one free number, since U is concave and increasing; golden-section search
    finds the best number to about 1e-6.
    """
    weights = DatasetPrior.of(graph, weights).weights

    def at(first: float) -> Choice:
        return _choice(graph, weights, "homogeneous", homogeneous(graph, first))

    def score(choice: Choice) -> tuple[float, float]:
        return (choice.worst, choice.expected) if fair else (choice.expected, choice.worst)

    step = (5**0.5 - 1) / 2
    low, high = 0.0, 1.0
    ends = [at(low), at(high), at(float(extend(graph.with_alpha(balanced(graph))).p_true.min()))]
    a, b = high - step, low + step
    left, right = at(a), at(b)
    while high - low > 1e-6:
        if score(left) < score(right):
            low, a, left = a, b, right
            b = low + step * (high - low)
            right = at(b)
        else:
            high, b, right = b, a, left
            a = high - step * (high - low)
            left = at(a)
    return max([left, right, *ends], key=score)


@checked
def choices(graph: DatasetGraph, weights: Floats, *, fair: bool = False) -> tuple[Optimum, *tuple[Choice, ...]]:
    """Return the optimised alpha, the balanced alpha and the best homogeneous alpha, for comparison.

    With more than two colours, the balanced alpha is homogeneous.
    """
    even = _choice(graph, DatasetPrior.of(graph, weights).weights, "balanced", balanced(graph))
    if not family(graph).binary:
        return optimize(graph, weights, fair=fair), even
    return optimize(graph, weights, fair=fair), even, best_homogeneous(graph, weights, fair=fair)


def _by_order(graph: DatasetGraph, weights: Floats) -> Optimum:
    """Return the best alpha with more than two colours: one row for the boundary datasets of each order."""
    even = _choice(graph, weights, "balanced", balanced(graph))
    ends, k = boundary.boundary_vertices(graph), len(graph.colors)
    together = np.full(len(graph), -1, np.int64)
    together[ends] = graph.order[ends]
    best = best_rows(graph, weights, np.full((len(graph), k), 1.0 / k), together=together) if len(ends) else None
    if best is None:
        return Optimum("optimized", even.alpha, even.expected, even.worst, 1.0, 0, 0, 0)
    alpha = np.full((len(graph), k), np.nan)
    alpha[ends] = best.rows[ends]
    found = max(even, _choice(graph, weights, "optimized", alpha), key=lambda choice: choice.expected)
    figures = max(best.bound, found.expected), best.classes, best.inequalities, best.rounds
    return Optimum("optimized", found.alpha, found.expected, found.worst, *figures)


class _Rows(NamedTuple):
    """Inequalities, each between two classes: ``ca p_a + cb p_b <= limit``."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    ca: Floats
    cb: Floats
    limit: Floats

    def excess(self, p: Floats) -> Floats:
        """Return the amount by which p violates each inequality (negative if there is slack)."""
        return self.ca * p[self.a] + self.cb * p[self.b] - self.limit

    def take(self, which: NDArray[np.int64]) -> _Rows:
        return _Rows(self.a[which], self.b[which], self.ca[which], self.cb[which], self.limit[which])


@dataclass(frozen=True)
class _BoundaryProgram:
    """The linear program on classes; `kept` marks the rows to start with."""

    color: NDArray[np.int8]
    weight: Floats
    rows: _Rows
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, graph: DatasetGraph, weights: Floats, of: NDArray[np.int64], start: Floats) -> _BoundaryProgram:
        count = int(of.max()) + 1
        color, p = np.empty(count, np.int8), np.empty(count)
        color[of], p[of] = graph.color, start
        one, two = of[graph.source], of[graph.target]
        ends = np.column_stack([np.minimum(one, two), np.maximum(one, two), graph.epsilon, graph.delta])
        edges = np.unique(ends[one != two], axis=0)
        u, v = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
        delta, s, ones = edges[:, 3], np.exp(-edges[:, 2]), np.ones(len(edges))
        less, more = s * delta, 1.0 - s + s * delta  # times e^-eps: s p_u - p_v <= s delta, and p_v - s p_u <= …
        rows = _Rows(
            np.concatenate([u, v, u, v]),
            np.concatenate([v, u, v, u]),
            np.concatenate([s, s, -s, -s]),
            np.concatenate([-ones, -ones, ones, ones]),
            np.concatenate([less, less, more, more]),
        )
        kept = (color[rows.a] != color[rows.b]) | (rows.excess(p) > -SNAP) | (len(rows.a) <= ROWS_AT_ONCE)
        return cls(color, np.bincount(of, weights, count).astype(np.float64), rows, kept)

    def solve(self, floor: float, work: int | None = None) -> tuple[Floats, float, int, int]:
        """Find the best p with no accuracy below `floor`; return it, its expected accuracy, the rows and the rounds."""
        first = self.color == 0
        low, high = np.where(first, floor, 0.0), np.where(first, 1.0, 1.0 - floor)
        kept, rounds = self.kept.copy(), 0
        while True:
            rounds += 1
            part = self.rows.take(np.flatnonzero(kept))
            number = np.arange(len(part.a))
            program = linear.Program(
                np.where(first, -self.weight, self.weight),
                linear.Matrix(np.tile(number, 2), np.concatenate([part.a, part.b]), np.concatenate([part.ca, part.cb])),
                np.full(len(number), -np.inf),
                part.limit,
                low,
                high,
            )
            most = None if work is None else max(0, work // len(number))
            result = program.solve("simplex", most)
            if work is not None:
                work -= result.iterations * len(number)
            if result.x is None and result.iterations != most:  # where epsilons differ by many powers of ten
                result = program.solve("ipm", PATIENCE)
            if result.x is None:
                raise NeodpError(f"the solver gave up: {result.message}", "take the balanced alpha")
            p = np.clip(result.x, 0.0, 1.0)
            broken = (self.rows.excess(p) > linear.TOLERANCE) & ~kept
            if not broken.any():
                return p, float(self.weight[~first].sum() - result.cost), len(number), rounds
            kept |= broken


def _rounded_in(graph: DatasetGraph, p: Floats, least: int | None) -> list[Floats]:
    """Return a few alpha close to p on the boundary, each private to the last bit.

    They come from the values of p unchanged, from the values with those next to 0 and 1 set to 0 and 1, and from the
    values moved slightly towards 1/2; each is lowered in the one colour and in the other.
    """
    rule = EpsilonDelta.of(graph)
    ends = boundary.boundary_vertices(graph)
    sign = np.where(graph.color == 0, 1, -1)
    p = np.where(p < SNAP * SNAP, 0.0, p)
    snapped = np.where(p < SNAP, 0.0, np.where(p > 1.0 - SNAP, 1.0, p))
    found = []
    for values in (p, snapped, 0.5 + (p - 0.5) * (1.0 - SNAP)):
        label = rule.encode(values, 1.0 - values)
        for side in (1, -1):
            first = side * _lowered(graph, rule, side * label, ends)
            if least is not None:
                first = _between(graph, rule, first, least)
            found.append(binary.alpha_of(graph, sign * first))
    return found


def _lowered(graph: DatasetGraph, rule: EpsilonDelta, label: Labels, given: NDArray[np.int64]) -> Labels:
    """Return the greatest private labels of one answer, for all datasets, that do not exceed the given ones."""
    lowered = np.full(len(graph), certain(rule))
    lowered[given] = label[given]
    rule.settle(graph.adjacency, lowered, given)
    return lowered


def _between(graph: DatasetGraph, rule: EpsilonDelta, first: Labels, least: int) -> Labels:
    """Move labels of the first colour as little as possible so that every dataset's own label is at least `least`."""
    parts = [np.flatnonzero(graph.color == color) for color in range(2)]
    lowest, highest = (
        -side * _lowered(graph, rule, np.full(len(graph), -least), part)
        for side, part in ((1, parts[0]), (-1, parts[1]))
    )
    return np.maximum(np.minimum(first, highest), lowest)


def _worst_label(mechanism: Mechanism) -> int:
    return int(EpsilonDelta.of(mechanism.graph).encode(mechanism.p_true, mechanism.p_false).min())


def _choice(graph: DatasetGraph, weights: Floats, name: str, alpha: Floats) -> Choice:
    """Return an alpha together with the accuracy of its extension."""
    given = graph.with_alpha(alpha)
    large = len(graph) * len(graph.colors) > rainbow.MOST_FOR_OPTIMAL
    mechanism = extend(given) if family(given).binary or large else extend(given, method="optimal", prior=weights)
    return Choice(name, alpha, 1.0 - float(weights @ mechanism.p_false), float(mechanism.p_true.min()))


def _weights(graph: DatasetGraph, given: Mapping[Any, float]) -> Floats:
    where = positions(given, graph.keys, "a weight")
    try:
        values = np.array(list(given.values()), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise wrong_kind("how", given, "a number for each key") from None
    wrong = np.flatnonzero(~((values >= 0.0) & np.isfinite(values)))
    if len(wrong):
        key = list(given)[int(wrong[0])]
        raise GraphError(f"the weight of {key!r} is {values[wrong[0]]}", "give finite numbers of at least 0")
    weights = np.zeros(len(graph))
    weights[where] = values
    return DatasetPrior.of(graph, weights).weights
