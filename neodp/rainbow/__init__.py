"""More than two colours: every dataset orders them by preference, and the mechanism is the best for that order.

An *order* is a permutation of the k colours, best first. A *boundary edge* joins datasets of different orders. Alpha is
a distribution per order: the same for all boundary datasets of one order, and given on the whole boundary (with more
than two colours a hitting set is not enough). Let S_j be the chance of the best j outputs of a dataset, its *prefix
sums*; the largest S_1, then the largest S_2, … is the best mechanism for the order (paper 003, Definition 3).

One epsilon: the table
----------------------
Every prefix sum follows the two-colour recursion S_j(d + 1) = U(S_j(d)), where d is the distance from the boundary of
the dataset's own order, and U(a) = min(e^eps a + delta, 1 - (1 - a - delta) e^-eps, 1). No mechanism exceeds any of
these sums, for U bounds the chance of any set of outputs. And it is private: as a map of [0, 1] onto itself U has slope
e^eps, then e^-eps, then 0 on a last piece of length delta, and it jumps by delta at 0. An output's probability is the
length of its interval [S_{j-1}, S_j], so that for any set A of outputs

    P'(A) <= e^eps P(A) + delta (the jump)    and    P(A) <= e^eps P'(A) + delta (the flat piece).

Datasets of one order that are neighbours have distances that differ by at most 1, hence one row per distance is enough.

Epsilon that differs between edges: the line
--------------------------------------------
Prefix sums that are each as large as their own shortest path allows can break privacy together. What always works, with
delta = 0, is one path for all of them: let t be the epsilon-distance from the boundary of the own order, and let every
prefix sum follow dS/dt = min(S, 1 - S) from its boundary value, that is S e^t up to 1/2, and 1 - (1 - S) e^-t from
there.

*It is private.* Let h(S) = min(S, 1 - S). For an output of probability p = S_j - S_{j-1},

    |dp/dt| = |h(S_j) - h(S_{j-1})| <= S_j - S_{j-1} = p,

since h has slope 1 or -1 everywhere. So |d log p / dt| <= 1, and between datasets at t and t' the probability of every
output differs by a factor of at most e^|t - t'|. Neighbours of one order have |t - t'| <= eps of their edge, by the
triangle inequality; neighbours of different orders lie on the boundary, at t = 0, where alpha is compatible. ∎

*It is close to the best.* With e the greatest epsilon of an edge, every prefix sum lies below its bound (the least of U
along any path) by at most (1 - x)^2 / (4 (1 + x)) with x = e^-e, about e^2/8: along the path that gives t, both grow
alike up to the one edge that crosses 1/2, the difference arises there, and shrinks by e^-eps on every edge beyond.

Exactness
---------
Differences of prefix sums lose digits, so none is taken: the pieces of every output's interval are mapped, in decimals
of 60 digits or double-double arithmetic, and every output is rounded to a double by itself; the largest entry of a row
stands for one minus the rest. A stored P(A) is then off by a factor of at most 1 ± (k - 1) 2^-53, for every set A of
outputs: the largest output has probability 1/k or more, and takes on errors of at most 2^-53 of the others. Epsilon is
a whole number of 2^-50, rounded down and lowered by k/4 + 1 units at least, which is more than both ends of an edge
need; delta is lowered likewise (``_lowered``). A probability that is not 0 never falls below the smallest normal
double. A row depends on the order's alpha and on a whole number (d, or t in units of 2^-50) and on nothing else: the
same bits for one dataset and for a whole graph.
"""

from __future__ import annotations

import heapq
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp import auditing, boundary
from neodp.boundary import ROUNDING, Witness
from neodp.errors import GraphError, IncompatibleAlpha, NotPrivate, PrivacyError, UnhitBoundary
from neodp.graph import MAX_EPSILON, DatasetGraph, Floats, distributions

__all__ = [
    "BoundaryAlpha",
    "Difference",
    "Extension",
    "Line",
    "Method",
    "Order",
    "Table",
    "alpha_by_order",
    "balanced",
    "distances",
    "extend",
    "homogeneous",
    "lengths",
    "line",
    "morphism",
    "order_name",
    "plurality",
    "plurality_distance",
    "plurality_order",
    "randomized_response",
    "require_orders",
    "unhit_edge",
]

Order: TypeAlias = tuple[int, ...]
"""The positions of all colours, best first."""
Method: TypeAlias = Literal["line", "prefix"]
"""What to do where epsilon differs between edges: the line, or prefix sums if they turn out to be private."""

UNIT = 2**50
"""How many units an epsilon of 1 has."""
FAINT = 2.0**-900
"""A delta below this counts as 0: its rounding errors would not be normal doubles."""
TINY = Decimal(2.0**-1022)
DIGITS = 60
BLOCK = 1024
"""How many rows of a table are made at once."""


def _context(digits: int = DIGITS) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999)


# --- epsilon and delta, lowered by what rounding needs ------------------------------------------------------------


def lengths(epsilon: Floats, k: int) -> NDArray[np.int64]:
    """Epsilons in units of 2^-50, rounded down and lowered so that k outputs can be rounded to doubles; at least 0.

    Examples
    --------
    >>> lengths(np.array([0.0, 1.0]), 3)
    array([               0, 1125899906842622])
    """
    whole = np.floor(np.asarray(epsilon, np.float64) * UNIT).astype(np.int64) - _units(k)
    short = whole.astype(np.float64)  # which the compiled search takes; beyond 2^53 some lie between two doubles
    short = np.where(short.astype(np.int64) > whole, np.nextafter(short, 0.0), short)
    return np.maximum(short.astype(np.int64), 0)


def _units(k: int) -> int:
    return k // 4 + 2


def _lowered(delta: float, k: int, length: int) -> Decimal:
    """Delta lowered by the same units: a part of itself, or absolutely where epsilon is too small to leave any room."""
    less = Decimal(_units(k)) / UNIT
    exact = Decimal(0) if delta < FAINT else Decimal(delta)
    return exact * (1 - less) if length > 0 else max(exact - less, Decimal(0))


# --- one dataset --------------------------------------------------------------------------------------------------


class _Curve(ABC):
    """The distributions of one order along whole numbers, by rank; made as they are asked for."""

    def __init__(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> None:
        self.alpha = tuple(alpha)
        with localcontext(_context()):
            self.start = [Decimal(x.numerator) / Decimal(x.denominator) for x in exact]

    @abstractmethod
    def rows(self, at: NDArray[Any]) -> Floats:
        """A row for each of many places."""


def _rounded(chances: Iterable[Decimal]) -> list[float]:
    return [float(p if p > TINY else TINY) if p else 0.0 for p in chances]


class _Steps(_Curve):
    """U applied d times to every prefix sum: step by step within blocks, and from block to block at once."""

    def __init__(self, alpha: Sequence[float], exact: Sequence[Fraction], length: int, delta: float) -> None:
        super().__init__(alpha, exact)
        self.length = length
        with localcontext(_context()):
            self.grow = (Decimal(length) / UNIT).exp()
            self.delta = _lowered(delta, len(alpha), length)
            self.bend = (1 - self.delta) / (self.grow + 1)  # where the slope of U changes
        self.begins = [self.start]
        self.blocks: dict[int, Floats] = {}

    def rows(self, at: NDArray[Any]) -> Floats:
        found = np.empty((len(at), len(self.alpha)))
        with localcontext(_context()):
            for number in np.unique(at // BLOCK).tolist():
                if number not in self.blocks:
                    self.blocks[number] = self._block(number)
                block, mine = self.blocks[number], np.flatnonzero(at // BLOCK == number)
                found[mine] = block[np.minimum(at[mine] - number * BLOCK, len(block) - 1)]
        found[at == 0] = self.alpha
        return found

    def _block(self, number: int) -> Floats:
        """The rows of a block, up to one after which nothing changes."""
        chances = self._begin(number)
        rows = [_rounded(chances)]
        for _ in range(BLOCK - 1):
            new = self._mapped(chances)
            if new[1:] == chances[1:]:  # all but the best output are as small as can be
                break
            chances = new
            rows.append(_rounded(chances))
        return np.array(rows)

    def _begin(self, number: int) -> list[Decimal]:
        """Where a block begins."""
        if self.delta == 0:
            return self._leap(number * BLOCK)
        while len(self.begins) <= number:
            chances = self.begins[-1]
            for _ in range(BLOCK):
                chances = self._mapped(chances)
            self.begins.append(chances)
        return self.begins[number]

    def _mapped(self, chances: list[Decimal]) -> list[Decimal]:
        """Every output's interval, mapped by U piece by piece."""
        worse = [Decimal(0)]
        for p in reversed(chances[1:]):
            worse.append(worse[-1] + p)
        better, new = Decimal(0), []
        for p in chances:
            steep = min(max(self.bend - better, Decimal(0)), p)
            flat = min(max(self.delta - worse.pop(), Decimal(0)), p - steep)
            mapped = self.grow * steep + (p - steep - flat) / self.grow
            new.append(max(mapped, TINY) if mapped else mapped)
            better += p
        new[0] += self.delta
        return new

    def _leap(self, steps: int) -> list[Decimal]:
        """Many steps, with delta = 0.

        Outputs below the bend grow by e^eps a step, those above shrink by it, and the one across it takes the rest; so
        it goes on until those below reach the bend.
        """
        chances = self.start
        while steps and self.length:
            sums = list(itertools.accumulate(chances, initial=Decimal(0)))
            below = sum(s <= self.bend for s in sums) - 1  # how many outputs are below
            if chances[below] < Decimal("1e-20"):  # the one across is too short for the rest to be exact
                chances, steps = self._mapped(chances), steps - 1
                continue
            leap = steps
            if sums[below]:
                leap = min(steps, int((self.bend / sums[below]).ln() * UNIT / self.length) + 1)
            grow = (Decimal(leap * self.length) / UNIT).exp()
            new = [p * grow for p in chances[:below]]
            shrunk = [p / grow for p in chances[below + 1 :]]
            rest = 1 - sum(new, Decimal(0)) - sum(shrunk, Decimal(0))
            chances = [*new, rest, *(max(p, TINY) if p else p for p in shrunk)]
            steps -= leap
        return chances


class _Flow(_Curve):
    """dS/dt = min(S, 1 - S) for every prefix sum; t in units of 2^-50."""

    def rows(self, at: NDArray[Any]) -> Floats:
        from neodp import kernel

        with localcontext(_context()):
            start = np.array([(float(p), float(p - Decimal(float(p)))) for p in self.start])
        rows: Floats = kernel.flow(at.astype(np.int64), start)
        rows[at == 0] = self.alpha
        return rows


class _Orders(ABC):
    """The distributions of all orders, in the order of the colours; orders whose alpha agrees by rank share a curve."""

    def __init__(self, alpha: Mapping[Order, Sequence[float]]) -> None:
        curves: dict[Any, _Curve] = {}
        self._of: dict[Order, _Curve] = {}
        for order, row in alpha.items():
            exact = auditing.exact(np.array(row, np.float64))
            ranked = tuple(float(row[color]) for color in order), tuple(exact[color] for color in order)
            if ranked not in curves:
                curves[ranked] = self._curve(*ranked)
            self._of[order] = curves[ranked]

    @abstractmethod
    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> _Curve:
        """The curve of an order, from its alpha by rank and the same as fractions."""

    def at(self, order: Order, distance: int) -> tuple[float, ...]:
        """The distribution of a dataset with this order, so far from the boundary of its order; -1 if it has none.

        Parameters
        ----------
        order : tuple of int
            The positions of all colours, best first.
        distance : int
            At least 0, or -1 where no boundary can be reached: the best output is then certain.

        Returns
        -------
        tuple of float
            In the order of the colours. Every entry but the largest is exact; the largest is one minus the rest.
        """
        if distance < 0:
            return tuple(float(color == order[0]) for color in range(len(order)))
        ranked = self._of[order].rows(np.array([distance]))[0].tolist()
        return tuple(ranked[order.index(color)] for color in range(len(order)))

    def rows(self, orders: NDArray[np.int8], order: NDArray[Any], distance: NDArray[Any]) -> Floats:
        """As ``at``, for many datasets; `order` are positions in `orders`."""
        ranked = np.zeros((len(order), orders.shape[1]))
        ranked[:, 0] = 1.0
        curves = list(dict.fromkeys(self._of.values()))
        number = [curves.index(self._of[key]) if (key := tuple(row)) in self._of else -1 for row in orders.tolist()]
        numbers = np.where(distance < 0, -1, np.array(number)[order])
        for i, curve in enumerate(curves):
            mine = np.flatnonzero(numbers == i)
            ranked[mine] = curve.rows(distance[mine])
        rows = np.empty_like(ranked)
        np.put_along_axis(rows, orders[order].astype(np.int64), ranked, axis=1)
        return rows


class Table(_Orders):
    """The best mechanism where one (epsilon, delta) holds on every edge: a row per order and distance.

    Parameters
    ----------
    alpha : mapping from orders to distributions
        In the order of the colours; compatible wherever two orders are neighbours.
    epsilon, delta : float

    Examples
    --------
    >>> table = Table({(2, 0, 1): [0.25, 0.25, 0.5]}, np.log(2))
    >>> [round(p, 12) for p in table.at((2, 0, 1), 1)]
    [0.125, 0.125, 0.75]
    """

    def __init__(self, alpha: Mapping[Order, Sequence[float]], epsilon: float, delta: float = 0.0) -> None:
        if not (0.0 <= epsilon <= MAX_EPSILON and 0.0 <= delta <= 1.0):
            raise PrivacyError(
                f"epsilon is {epsilon} and delta {delta}", f"give numbers from 0 to {MAX_EPSILON:g} and from 0 to 1"
            )
        self.epsilon, self.delta = float(epsilon), float(delta)
        super().__init__(alpha)

    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> _Curve:
        return _Steps(alpha, exact, int(lengths(np.array([self.epsilon]), len(alpha))[0]), self.delta)


class Line(_Orders):
    """The mechanism that is private for any mixture of epsilons: a function of the order and the epsilon-distance.

    The distance is a whole number: the least sum of ``lengths`` over paths to the boundary of the own order, and
    ``neodp.kernel.FAR`` where it is more than that.

    Parameters
    ----------
    alpha : mapping from orders to distributions
        In the order of the colours; compatible wherever two orders are neighbours.

    Examples
    --------
    >>> flow = Line({(0, 1, 2): [0.1, 0.3, 0.6]})
    >>> [round(p, 12) for p in flow.at((0, 1, 2), int(np.log(2) * 2**50))]
    [0.2, 0.4875, 0.3125]
    """

    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> _Curve:
        return _Flow(alpha, exact)


def line(alpha: Sequence[float], n: int, epsilon: float, delta: float = 0.0) -> Floats:
    """The best mechanism on the (n, c)-line: distances 0, 1, …, n - 1 from the boundary of one order.

    Every rainbow graph maps onto such lines, one for each order, by ``morphism``, and its best mechanism is what it
    takes over from them.

    Parameters
    ----------
    alpha : sequence of float
        The distribution on the boundary, best output first.
    n : int
        How many datasets.
    epsilon, delta : float

    Returns
    -------
    array of float, one row per distance, best output first

    References
    ----------
    Paper 003, Definition 7 and Theorem 3.

    Examples
    --------
    >>> line([0.1, 0.3, 0.6], 4, np.log(2)).round(12)
    array([[0.1  , 0.3  , 0.6  ],
           [0.2  , 0.5  , 0.3  ],
           [0.4  , 0.45 , 0.15 ],
           [0.7  , 0.225, 0.075]])
    """
    row = distributions([list(alpha)], _single_key(), len(alpha))[0]
    order = tuple(range(len(row)))
    table = Table({order: row.tolist()}, epsilon, delta)
    return table.rows(np.array([order], np.int8), np.zeros(n, np.int32), np.arange(n))


def _single_key() -> Any:
    import pyarrow as pa

    return pa.array(["the boundary"])


def plurality_order(votes: Sequence[int]) -> tuple[int, ...]:
    """The positions of all options by their votes, most first, ties in the order in which they stand.

    Examples
    --------
    >>> plurality_order([3, 5, 3])
    (1, 0, 2)
    """
    return tuple(sorted(range(len(votes)), key=lambda option: (-votes[option], option)))


def plurality_distance(votes: Sequence[int]) -> int:
    """How many votes must change before the next change can change the order of the options; -1 if nobody votes.

    It is the distance of a dataset of ``generate.plurality`` with one group from the boundary of its order, in closed
    form. For neighbouring ranks let g be by how many votes the better option leads, plus 1 if it also wins ties; then

        min over neighbouring ranks of ceil(g / 2), minus 1.

    A vote that changes takes at most 2 from a lead, and the order changes as soon as one of these leads is lost; votes
    that go from the better option of the closest two to the other take 2 each and no lead elsewhere. Votes for none of
    the options change nothing about that, if everybody could also vote for one.

    Examples
    --------
    >>> plurality_distance([10, 4, 1]), plurality_distance([5, 5, 0])
    (1, 0)
    """
    if sum(votes) == 0:
        return -1
    order = plurality_order(votes)
    leads = [votes[x] - votes[y] + (x < y) for x, y in itertools.pairwise(order)]
    return min((lead + 1) // 2 for lead in leads) - 1


def plurality(votes: Sequence[int], epsilon: float, delta: float = 0.0) -> tuple[float, ...]:
    """The mechanism of one dataset of ``generate.plurality`` with one group and balanced alpha, without the graph.

    Any number of people will do: the order and the distance from its boundary have a closed form, and on the boundary
    any option can become the best, so that ``balanced`` is randomised response.

    Parameters
    ----------
    votes : sequence of int
        How many votes each option has; of equal ones, the one that stands first counts as better.
    epsilon, delta : float
        What the change of one vote allows.

    Returns
    -------
    tuple of float
        The chance of each option, in the order of `votes`.

    Examples
    --------
    >>> [round(p, 6) for p in plurality([28_935, 19_584, 8_335], 0.001)]
    [0.993011, 0.003882, 0.003107]
    """
    if len(votes) < 2 or min(votes) < 0:
        raise GraphError(f"the votes are {list(votes)}", "give two numbers or more, each at least 0")
    order = plurality_order(votes)
    ranked = randomized_response(len(votes), epsilon, delta)
    alpha = [ranked[order.index(option)] for option in range(len(votes))]
    return Table({order: alpha}, epsilon, delta).at(order, plurality_distance(votes))


def morphism(graph: DatasetGraph) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Per dataset, its order (a position in ``graph.orders``) and its distance from the boundary of that order.

    It maps the graph onto lines, one for each order; -1 where no boundary can be reached. A path that leaves an order
    passes its boundary first, so distances within the order are distances in the graph.

    References
    ----------
    Paper 003, Definition 8.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(6)
    >>> morphism(g)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), array([2, 1, 0, 0, 1, 2], dtype=int32))
    """
    from neodp import kernel

    inside = graph.adjacency_of(~graph.crossing, numbered=False)
    return graph.order, kernel.hops(*inside[:2], boundary.boundary_vertices(graph))


# --- the whole graph ----------------------------------------------------------------------------------------------


class Extension(NamedTuple):
    """A mechanism's rows, whose alpha was rounded in, who took that of their order, and how the rows were found."""

    rows: Floats
    rounded: NDArray[np.int64]
    filled: NDArray[np.int64]
    method: str


@dataclass(frozen=True)
class Difference:
    """Two boundary datasets of one order whose alpha is not the same."""

    order: str
    dataset: str
    color: str
    value: float
    other: str
    other_value: float

    def __str__(self) -> str:
        return (
            f"alpha differs within the order {self.order}: Pr[{self.color}] is {self.value:.6g} at {self.dataset!r} "
            f"and {self.other_value:.6g} at {self.other!r}"
        )


def extend(graph: DatasetGraph, method: Method | None = None) -> Extension:
    """The best mechanism for every dataset's order that agrees with a graph's alpha.

    Parameters
    ----------
    graph : DatasetGraph
        With alpha on its boundary, the same for all boundary datasets of one order; one that has none takes that of its
        order. Every dataset orders the colours.
    method : "line" or "prefix", optional
        Where epsilon differs between edges, by default the line. "prefix" takes the largest prefix sums instead, and is
        refused where these break privacy together. With one epsilon the table is both private and largest; "line" can
        be asked for to compare.

    Raises
    ------
    GraphError
        If a dataset does not order the colours, or alpha is given where no boundary is.
    UnhitBoundary
        If an order has no alpha on its boundary.
    IncompatibleAlpha
        If alpha differs within an order, or between orders by more than privacy allows.
    NotPrivate
        If "prefix" is asked for and breaks privacy.
    """
    alpha, rounded, filled = alpha_by_order(graph)
    alike = graph.edges == 0 or graph.epsilon.min() == graph.epsilon.max()
    if method != "line" and alike:
        table = Table(alpha, *((graph.epsilon[0], graph.delta.min()) if graph.edges else (0.0,)))
        rows, found = table.rows(graph.orders, *morphism(graph)), "table"
    elif method == "prefix":
        rows, found = _prefix(graph, alpha), "prefix"
    else:
        rows, found = Line(alpha).rows(graph.orders, graph.order, distances(graph)), "line"
    return Extension(rows, rounded, filled, found)


class BoundaryAlpha(NamedTuple):
    """The distribution of every order on its boundary, at whose datasets it was rounded in, and who lacked it."""

    alpha: dict[Order, list[float]]
    rounded: NDArray[np.int64]
    filled: NDArray[np.int64]


def alpha_by_order(graph: DatasetGraph) -> BoundaryAlpha:
    """What a graph's alpha says about every order that has a boundary; for ``Table`` and ``Line``.

    Raises
    ------
    GraphError, UnhitBoundary, IncompatibleAlpha
        As ``extend``.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(2, epsilon=1.0).with_alpha({"0": 0.6, "1": 0.5})
    >>> alpha_by_order(g).alpha
    {(0, 1): [0.6, 0.4], (1, 0): [0.5, 0.5]}
    """
    require_orders(graph)
    ends = boundary.boundary_vertices(graph)
    given, rounded, filled = _given(graph, ends)
    rows, moved = _compatible(graph, given)
    if moved.size:
        rounded = ends[np.isin(graph.order[ends], moved)]
    named = {tuple(graph.orders[c].tolist()): rows[c].tolist() for c in np.unique(graph.order[ends]).tolist()}
    return BoundaryAlpha(named, rounded, filled)


def distances(graph: DatasetGraph) -> NDArray[np.int64]:
    """Per dataset, its epsilon-distance from the boundary of its order in ``lengths``; -1 where there is none."""
    from neodp import kernel

    each = lengths(graph.epsilon, len(graph.colors))
    inside = graph.adjacency_of(~graph.crossing)
    label = np.full(len(graph), kernel.FAR + 1, np.int64)
    ends = boundary.boundary_vertices(graph)
    label[ends] = 0
    least = int(each.min(initial=kernel.FAR))
    steps = kernel.spread(each.astype(np.float64), inside.edge)
    kernel.settle(*inside[:2], steps, np.zeros(1), kernel.ADD, max(least.bit_length() - 1, 0), label, ends)
    return np.where(label > kernel.FAR, -1, label)


def order_name(graph: DatasetGraph, order: int) -> str:
    """An order in words, as in ``a > b > c``."""
    return " > ".join(graph.colors[color] for color in graph.orders[order] if color >= 0)


def require_orders(graph: DatasetGraph) -> None:
    """Refuse datasets that leave open which colour comes after their own."""
    tied = np.flatnonzero((graph.orders < 0).any(axis=1))
    if not len(tied):
        return
    v = int(np.argmax(np.isin(graph.order, tied)))
    rest = [color for c, color in enumerate(graph.colors) if c != graph.color[v]]
    raise GraphError(
        f"dataset {graph.key(v)!r} of {graph.name!r} has no preference: which of {', '.join(rest)} comes after "
        f"{graph.colors[graph.color[v]]} is open",
        "give every dataset a preference, all colours from best to worst",
    )


def _given(graph: DatasetGraph, ends: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Alpha per order, NaN for those without a boundary; the datasets it is rounded at, and those that lacked it."""
    inside = graph.given.copy()
    inside[ends] = False
    if inside.any():
        v = int(np.argmax(inside))
        raise GraphError(
            f"alpha is given at {graph.key(v)!r}, whose neighbours all have its order",
            "with more than two colours, give it on the boundary only",
        )
    known = ends[graph.given[ends]]
    present, first = np.unique(graph.order[known], return_index=True)
    edge = unhit_edge(graph)
    if edge is not None:
        raise _unhit(graph, edge)
    alpha = np.full((len(graph.orders), len(graph.colors)), np.nan)
    alpha[present] = graph.alpha[known[first]]
    mine, common = graph.alpha[known], alpha[graph.order[known]]
    apart = np.abs(mine - common)
    off = apart > ROUNDING * common
    if off.any():
        row, color = np.unravel_index(int(np.argmax(np.where(off, apart, 0.0))), off.shape)
        order = int(graph.order[known[row]])
        raise _refused(
            Difference(
                order_name(graph, order),
                graph.key(known[row]),
                graph.colors[color],
                float(mine[row, color]),
                graph.key(known[first[np.searchsorted(present, order)]]),
                float(common[row, color]),
            ),
            "give all boundary datasets of an order the same alpha",
        )
    return alpha, known[(apart > 0.0).any(axis=1)], ends[~graph.given[ends]]


def unhit_edge(graph: DatasetGraph) -> int | None:
    """The position of a boundary edge at an order that has no alpha on its boundary, or None: a witness."""
    ends = boundary.boundary_vertices(graph)
    missing = np.setdiff1d(graph.order[ends], graph.order[ends[graph.given[ends]]])
    at = graph.crossing & (np.isin(graph.order[graph.source], missing) | np.isin(graph.order[graph.target], missing))
    return int(np.argmax(at)) if at.any() else None


def _unhit(graph: DatasetGraph, edge: int) -> UnhitBoundary:
    orders = graph.order[[graph.source[edge], graph.target[edge]]]
    hit = graph.order[graph.given]
    names = [order_name(graph, order) for order in orders.tolist() if order not in hit]
    return UnhitBoundary(
        f"no boundary dataset of the order {names[0]} has alpha, as on the edge {graph.edge_name(edge)}",
        "give it to one of them, or take graph.with_alpha(neodp.balanced(graph))",
    )


def _refused(witness: Witness | Difference, hint: str) -> IncompatibleAlpha:
    return IncompatibleAlpha(str(witness), hint, witness)


# --- alpha --------------------------------------------------------------------------------------------------------


def _compatible(graph: DatasetGraph, alpha: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Alpha per order, rounded in where it is off by a rounding error, and the orders at which it was."""
    edges = boundary.boundary_edges(graph)
    one, two = graph.order[graph.source[edges]], graph.order[graph.target[edges]]
    epsilon, delta = graph.epsilon[edges], graph.delta[edges]
    found = auditing.judge(one, two, epsilon, delta, alpha)
    broken = found.broken.any(axis=(1, 2))
    if not broken.any():
        return alpha, np.empty(0, np.int64)
    group = _joined(len(alpha), one, two)
    affected = np.unique(group[one[broken]])
    part = np.flatnonzero(np.isin(group, affected) & ~np.isnan(alpha[:, 0]))
    room = ROUNDING * (alpha[part] + delta.min())
    for halvings in range(53, 30, -1):
        new = alpha.copy()
        new[part] = _mixed(alpha, part, group, Fraction(1, 2**halvings))
        largest = np.zeros(new[part].shape, np.bool_)
        largest[np.arange(len(part)), new[part].argmax(axis=1)] = True
        if (np.abs(new[part] - alpha[part]) > np.where(largest, ROUNDING, room)).any():
            break
        if not auditing.judge(one, two, epsilon, delta, new).broken.any():
            return new, part
    worst = int(np.argmax(np.where(broken, found.tightness, -1.0)))
    raise _refused(
        _witness(graph, alpha, int(edges[worst]), found.broken[worst]),
        "bring the two closer, or see neodp.balanced for a choice that fits",
    )


def _joined(n: int, one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Which orders are joined by boundary edges, as a number per order."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    groups: NDArray[Any] = connected_components(csr_array((np.ones(len(one)), (one, two)), shape=(n, n)))[1]
    return groups


def _mixed(alpha: Floats, part: NDArray[Any], group: NDArray[Any], share: Fraction) -> list[list[float]]:
    """Rows moved towards the mean of their group by a share: all inequalities gain the same room."""
    exact = {c: auditing.exact(alpha[c]) for c in part.tolist()}
    means = {}
    for g in np.unique(group[part]).tolist():
        rows = [exact[c] for c in part.tolist() if group[c] == g]
        means[g] = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [
        [float((1 - share) * p + share * m) for p, m in zip(exact[c], means[group[c]], strict=True)]
        for c in part.tolist()
    ]


def _witness(graph: DatasetGraph, alpha: Floats, edge: int, broken: NDArray[np.bool_]) -> Witness:
    side, output = np.argwhere(broken)[0].tolist()
    u, v = int(graph.source[edge]), int(graph.target[edge])
    u, v = (u, v) if side == 0 else (v, u)
    epsilon, delta = float(graph.epsilon[edge]), float(graph.delta[edge])
    left, right = auditing.exact(alpha[graph.order[u]]), auditing.exact(alpha[graph.order[v]])
    outputs = auditing.outputs_beyond(left, right, epsilon) if delta > 0.0 else [output]
    p, q = (float(sum(values[j] for j in outputs)) for values in (left, right))
    return Witness(
        dataset=graph.key(u),
        color=" or ".join(graph.colors[j] for j in outputs),
        value=p,
        bound=min(1.0, float(np.exp(epsilon) * q + delta)),
        origin=graph.key(v),
        origin_value=q,
        path=(graph.key(v), graph.key(u)),
        epsilon=epsilon,
        delta=delta,
    )


def balanced(graph: DatasetGraph) -> Floats:
    """The alpha by rank that makes the best output of every order as likely as can be.

    All orders share one distribution by rank. Let m(r, s) be the least epsilon of a boundary edge over which some
    output changes its rank between r and s, and D(r) the length of the shortest way from rank 1 to rank r, where a step
    between r and s takes m(r, s), and one up to a better rank takes 0. Then the output of rank r has the chance

        (1 - delta) e^-D(r) / (e^-D(1) + … + e^-D(k)) + delta [r = 1],

    with the least delta of a boundary edge. It is compatible, since |D(r) - D(s)| <= m(r, s); and of all choices by
    rank that are, with delta = 0 and no output less likely than a worse one, it makes the best output likeliest: their
    log odds between ranks 1 and r are D(r) at most. Where neighbouring orders exchange neighbouring ranks, D(r) =
    (r - 1) eps; where any output can become the best, D(r) = eps for r > 1, which is randomised response; with two
    colours it is (e^eps + delta) / (e^eps + 1), as in paper 002, Corollary 2. A rank that is never exchanged has the
    chance 0.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``; given on the whole boundary, and rounded so that the exact audit holds.
    """
    require_orders(graph)
    edges = boundary.boundary_edges(graph)
    delta = float(graph.delta[edges].min(initial=1.0)) if len(edges) else 0.0
    return homogeneous(graph, _weights(_rank_distances(graph, edges), delta))


def randomized_response(k: int, epsilon: float, delta: float = 0.0) -> tuple[float, ...]:
    """What ``balanced`` gives by rank where any output can become the best over one edge.

    It is (e^eps + delta (k - 1)) / (e^eps + k - 1) for the best output, and (1 - delta) / (e^eps + k - 1) for others.

    Examples
    --------
    >>> [round(p, 12) for p in randomized_response(3, np.log(2))]
    [0.5, 0.25, 0.25]
    """
    length = int(lengths(np.array([epsilon]), k)[0])
    return _weights([0] + [length] * (k - 1), delta)


def _rank_distances(graph: DatasetGraph, edges: NDArray[np.int64]) -> list[int | None]:
    """D(r) in ``lengths`` for each rank; None where it is not bounded."""
    k = len(graph.colors)
    one, two = graph.order[graph.source[edges]], graph.order[graph.target[edges]]
    pairs, where = np.unique(one.astype(np.int64) * len(graph.orders) + two, return_inverse=True)
    least = np.full(len(pairs), np.iinfo(np.int64).max)
    np.minimum.at(least, where, lengths(graph.epsilon[edges], k))
    rank = np.argsort(graph.orders, axis=1)
    step: dict[tuple[int, int], int] = {}
    for pair, length in zip(pairs.tolist(), least.tolist(), strict=True):
        for r, s in zip(rank[pair // len(graph.orders)].tolist(), rank[pair % len(graph.orders)].tolist(), strict=True):
            if r != s:
                for key in ((r, s), (s, r)):
                    step[key] = min(step.get(key, length), length)
    for r in range(1, k):
        step[r, r - 1] = 0
    distance: list[int | None] = [0] + [None] * (k - 1)
    for _ in range(k):
        for (r, s), length in step.items():
            start, end = distance[r], distance[s]
            if start is not None and (end is None or start + length < end):
                distance[s] = start + length
    return distance


def _weights(distance: Sequence[int | None], delta: float) -> tuple[float, ...]:
    """The distribution by rank for distances D(r)."""
    with localcontext(_context()):
        weights = [Decimal(0) if d is None else (Decimal(-d) / UNIT).exp() for d in distance]
        exact = _lowered(delta, len(weights), 0 if 0 in distance[1:] else 1)
        total = sum(weights)
        chances = [(1 - exact) * w / total for w in weights]
        chances[0] += exact
        return tuple(_rounded(chances))


def homogeneous(graph: DatasetGraph, ranked: float | Sequence[float]) -> Floats:
    """The alpha that is the same by rank for all boundary datasets.

    Parameters
    ----------
    graph : DatasetGraph
    ranked : float, or sequence of float
        The chance of every rank, best first; or of the best alone, and the others share the rest as ``balanced`` does.

    Returns
    -------
    alpha : array of float
        For ``DatasetGraph.with_alpha``.
    """
    require_orders(graph)
    k = len(graph.colors)
    if isinstance(ranked, int | float):
        best = float(ranked)
        others = _weights(_rank_distances(graph, boundary.boundary_edges(graph)), 0.0)[1:]
        total = sum(others)
        ranked = [best, *((1.0 - best) * (w / total if total else 1.0 / (k - 1)) for w in others)]
    row = distributions([list(ranked)], _single_key(), k)[0]
    ends = boundary.boundary_vertices(graph)
    alpha = np.full((len(graph), k), np.nan)
    alpha[ends[:, None], graph.orders[graph.order[ends]].astype(np.int64)] = row
    return alpha


# --- prefix sums where epsilon differs ----------------------------------------------------------------------------


def _prefix(graph: DatasetGraph, alpha: dict[Order, list[float]]) -> Floats:
    """The largest prefix sums, each for itself; refused where they are not private together."""
    k, ends = len(graph.colors), boundary.boundary_vertices(graph)
    each = lengths(graph.epsilon, k)
    small = min((p for row in alpha.values() for p in row if p), default=1.0)
    far = distances(graph).max(initial=0) / UNIT
    digits = DIGITS + int(-np.log10(small)) + int(far / np.log(10.0))
    sums = [[Decimal(0)] * len(graph)]
    with localcontext(_context(digits)):
        grow = {n: (Decimal(n) / UNIT).exp() for n in np.unique(each).tolist()}
        factor = [grow[n] for n in each.tolist()]
        delta = [_lowered(d, k, n) for d, n in zip(graph.delta.tolist(), each.tolist(), strict=True)]
        orders = [tuple(row) for row in graph.orders.tolist()]
        exact = {order: auditing.exact(np.array(row)) for order, row in alpha.items()}
        for j in range(1, k):
            chances = {order: sum(row[color] for color in order[:j]) for order, row in exact.items()}
            start = {order: Decimal(p.numerator) / Decimal(p.denominator) for order, p in chances.items()}
            given = {v: start[orders[graph.order[v]]] for v in ends.tolist()}
            sums.append(_largest(graph, given, factor, delta))
        sums.append([Decimal(1)] * len(graph))
        ranked = np.array([_rounded(sums[j + 1][v] - sums[j][v] for j in range(k)) for v in range(len(graph))])
    rows = np.empty_like(ranked)
    np.put_along_axis(rows, graph.orders[graph.order].astype(np.int64), ranked, axis=1)
    if len(ends):
        rows[ends] = [alpha[orders[c]] for c in graph.order[ends].tolist()]
    found = auditing.judge(graph.source, graph.target, graph.epsilon, graph.delta, rows)
    broken = found.broken.any(axis=(1, 2))
    if broken.any():
        edge = int(np.argmax(np.where(broken, found.tightness, -1.0)))
        line = auditing.described(graph, rows, edge, float(found.tightness[edge]), found.broken[edge])
        raise NotPrivate(
            f"the largest prefix sums are not private together on {np.count_nonzero(broken):,} of {graph.edges:,} "
            f"edges, such as {line}",
            "leave the method to neodp: the line is private for any mixture of epsilons",
        )
    return rows


def _largest(
    graph: DatasetGraph, given: dict[int, Decimal], factor: list[Decimal], delta: list[Decimal]
) -> list[Decimal]:
    """The least bound that any path from the boundary puts on a prefix sum; 1 where there is no boundary."""
    indptr, neighbor, edge = (column.tolist() for column in graph.adjacency_of(~graph.crossing))
    bound = [Decimal(1)] * len(graph)
    for v, start in given.items():
        bound[v] = start
    queue = [(start, v) for v, start in given.items()]
    heapq.heapify(queue)
    while queue:
        s, u = heapq.heappop(queue)
        if s != bound[u]:
            continue
        for h in range(indptr[u], indptr[u + 1]):
            f, d, v = factor[edge[h]], delta[edge[h]], neighbor[h]
            new = min(f * s + d, 1 - (1 - s - d) / f)
            if new < bound[v]:
                bound[v] = new
                heapq.heappush(queue, (new, v))
    return bound
