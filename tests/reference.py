"""Slow reference implementations, written from the papers alone.

Paper 000: Heterogeneous Differential Privacy via Graphs.
Paper 002: Optimal Binary Differential Privacy via Graphs.

Nothing here is fast and nothing here imports neodp. Colours are 0 (the first colour) and 1; a mechanism is
a list of Pr[M(v) = first colour], one per vertex.
"""

import decimal
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Literal

from scipy.optimize import linprog

Edge = tuple[int, int, float, float]  # u, v, eps, delta

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Problem:
    """A graph, its true colours, (eps, delta) per edge and Pr[first colour] on some vertices."""

    n: int
    color: list[int]
    edges: list[Edge]
    alpha: dict[int, float] = field(default_factory=dict)

    def neighbors(self) -> list[list[tuple[int, float, float]]]:
        """Per vertex: its neighbours with the (eps, delta) of the edge, which is symmetric."""
        result: list[list[tuple[int, float, float]]] = [[] for _ in range(self.n)]
        for u, v, eps, delta in self.edges:
            result[u].append((v, eps, delta))
            result[v].append((u, eps, delta))
        return result

    def boundary_edges(self) -> list[tuple[int, int]]:
        """The edges whose two ends have different true values (paper 002, Definition 5)."""
        return [(u, v) for u, v, _, _ in self.edges if self.color[u] != self.color[v]]

    def hits_boundary(self) -> bool:
        """Return True if alpha holds at least one end of every boundary edge (paper 002, Definition 7)."""
        return all(u in self.alpha or v in self.alpha for u, v in self.boundary_edges())


# ---------------------------------------------------------------------------------------- the suitable pair


def _exp(eps: float) -> float:
    """e^eps, infinite where it leaves the floats."""
    try:
        return math.exp(eps)
    except OverflowError:
        return math.inf


def upper(a: float, eps: float, delta: float) -> float:
    """U(a) = min(e^eps a + delta, (e^eps + delta - 1 + a) / e^eps, 1) (paper 002, equation (8)).

    The second term is written a + (1 - a)(1 - e^-eps) + delta e^-eps, the same number without cancellation.
    """
    first = _exp(eps) * a + delta if a > 0 else delta
    second = a - math.expm1(-eps) * (1 - a) + delta * math.exp(-eps)
    return min(first, second, 1.0)


def lower(a: float, eps: float, delta: float) -> float:
    """L(a) = max(e^eps a - delta - e^eps + 1, (a - delta) / e^eps, 0) (paper 002, equation (9)).

    The first term is written a - (e^eps - 1)(1 - a) - delta, the same number without cancellation.
    """
    growth = math.expm1(eps) if eps < 700 else _exp(eps)
    first = a - delta - (growth * (1 - a) if a < 1 else 0.0)
    second = (a - delta) * math.exp(-eps)
    return max(first, second, 0.0)


# ------------------------------------------------------------------------------- heterogeneous, any (eps, delta)


def strongest(problem: Problem, u: int, value: float) -> list[float]:
    """A_{u,alpha}(v): the least upper bound that p(u) = value imposes on p(v) over all (u, v)-paths.

    Paper 000, Algorithm 1, with U of paper 002 per edge: S starts as {u}; each round finds, for every
    neighbour v of S, alpha*(v) = min over its neighbours v' in S of U(A(v')), and adds the vertex with the
    least alpha*. Vertices that no path reaches are bounded by 1.
    """
    neighbors = problem.neighbors()
    A = {u: value}
    while len(A) < problem.n:
        star = {
            v: min(upper(A[w], eps, delta) for w, eps, delta in neighbors[v] if w in A)
            for v in range(problem.n)
            if v not in A and any(w in A for w, _, _ in neighbors[v])
        }
        if not star:
            break
        chosen = min(star, key=lambda v: star[v])
        A[chosen] = star[chosen]
    return [A.get(v, 1.0) for v in range(problem.n)]


def margin(problem: Problem) -> float:
    """min over ordered pairs u != v of given vertices of A_{u,p(u)}(v) - p(v): how far Definition 10 holds.

    Paper 000, Definition 10 (which bounds p(v) by U at v). Infinite if fewer than two vertices are given.
    """
    least = math.inf
    for u, given in problem.alpha.items():
        A = strongest(problem, u, given)
        for v, other in problem.alpha.items():
            if u != v:
                least = min(least, A[v] - other)
    return least


def exchanged(problem: Problem) -> Problem:
    """The same problem with the names of the colours exchanged: alpha becomes Pr[second colour]."""
    alpha = {v: 1 - a for v, a in problem.alpha.items()}
    return Problem(problem.n, [1 - c for c in problem.color], problem.edges, alpha)


def compatible(problem: Problem, tolerance: float = TOLERANCE) -> bool:
    """Return True if p(v) <= min over (u, v)-paths of U_path(p(u)) for all ordered pairs of given vertices.

    Paper 000, Definition 10, for p = Pr[first colour]; a violation of at most `tolerance` is none.
    """
    return margin(problem) >= -tolerance


def extension(problem: Problem, tolerance: float = TOLERANCE) -> list[float] | None:
    """The optimal extension of alpha to all vertices, or None if there is no private one.

    Paper 000, Algorithm 2: p(v) = alpha(v) on S; elsewhere p(v) = min over u in S of A_{u,p(u)}(v) if v has the
    first colour, and 1 - min over u in S of A_{u,1-p(u)}(v) if it has the second. S need only hit the boundary
    (paper 002, Theorem 1). The minimum over an empty S is 1. One call of Algorithm 1 bounds every v, so it is
    called once per u and colour and not again for every pair.
    """
    if not problem.hits_boundary():
        raise ValueError("alpha misses a boundary edge")
    if not compatible(problem, tolerance):
        return None
    of_first = [strongest(problem, u, a) for u, a in problem.alpha.items()]
    of_second = [strongest(problem, u, 1 - a) for u, a in problem.alpha.items()]
    p = []
    for v in range(problem.n):
        if v in problem.alpha:
            p.append(problem.alpha[v])
        elif problem.color[v] == 0:
            p.append(min((A[v] for A in of_first), default=1.0))
        else:
            p.append(1 - min((A[v] for A in of_second), default=1.0))
    return p


def path(alpha: float, eps: Sequence[float]) -> list[float]:
    """The optimal mechanism on a path v_0 .. v_n with p(v_0) = alpha, delta = 0, eps_i > 0 between v_i and v_{i+1}.

    Paper 000, Theorem 3: p(v_i) = e^(eps_0 + .. + eps_{i-1}) alpha for i <= tau, and beyond
    1 - e^-(eps_tau + .. + eps_{i-1}) (1 - p(v_tau)); tau is the least i >= 0 with
    1 / alpha <= e^(eps_0 + .. + eps_{i-1}) (e^eps_i + 1), and n if there is none.
    """
    n = len(eps)
    tau = next((i for i in range(n) if alpha * math.exp(sum(eps[:i])) * (math.exp(eps[i]) + 1) >= 1), n)
    turn = math.exp(sum(eps[:tau])) * alpha if alpha > 0 else 0.0
    return [
        math.exp(sum(eps[:i])) * alpha if i <= tau else 1 - math.exp(-sum(eps[tau:i])) * (1 - turn)
        for i in range(n + 1)
    ]


# ------------------------------------------------------------------------------------ one (eps, delta) for all


def composed(d: int, a: float, eps: float, delta: float) -> float:
    """U^d(a): U of paper 002, equation (8), applied d times (paper 002, Lemma 1)."""
    for _ in range(d):
        a = upper(a, eps, delta)
    return a


def induced(d: int, a: float, eps: float, delta: float) -> float:
    """p(d, alpha), the closed form of U^d(alpha) (paper 002, Definition 9, equations (5) and (6)).

    e^{d eps} a + delta (e^{d eps} - 1) / (e^eps - 1) for d <= tau; beyond it the least of 1 and
    e^{(2 tau - d) eps} a + 1 - e^{-(d - tau) eps}
    + delta (e^{tau eps} + e^{(d - tau) eps} - 2) / (e^{(d - tau) eps} (e^eps - 1)), where
    tau = max(0, ceil(log((e^eps + 2 delta - 1) / ((e^eps + 1) (e^eps a - a + delta))) / eps)).
    For eps = 0 it is the limit min(1, a + d delta).
    """
    if eps == 0:
        return min(1.0, a + d * delta)
    if a == 0 and delta == 0:  # tau is infinite
        return 0.0
    growth = math.expm1(eps)
    turn = math.log((growth + 2 * delta) / ((growth + 2) * (growth * a + delta))) / eps
    tau = max(0, math.ceil(turn))
    if d <= tau:
        return math.exp(d * eps) * a + delta * math.expm1(d * eps) / growth
    beyond = (d - tau) * eps
    slack = (math.expm1(tau * eps) * math.exp(-beyond) - math.expm1(-beyond)) / growth
    return min(1.0, math.exp((2 * tau - d) * eps) * a - math.expm1(-beyond) + delta * slack)


def distances(problem: Problem, source: int) -> dict[int, int]:
    """dist(source, v), the fewest edges on a path, by breadth-first search (paper 002, Definition 4)."""
    neighbors = problem.neighbors()
    found = {source: 0}
    level = [source]
    while level:
        following = []
        for u in level:
            for v, _, _ in neighbors[u]:
                if v not in found:
                    found[v] = found[u] + 1
                    following.append(v)
        level = following
    return found


def uniform_extension(
    problem: Problem,
    tolerance: float = TOLERANCE,
    bound: Callable[[int, float, float, float], float] = composed,
) -> list[float] | None:
    """The optimal private extension when all edges share one (eps, delta), or None if there is none.

    Paper 002, Algorithm 1, on a connected graph: for all u, v in H_T neither Pr[M'(u) = j] > U^d(Pr[M'(v) = j])
    nor the converse, d = dist(u, v) and j the first colour; then, for every w outside H_T,
    Pr[M(w) = T(w)] = min over u in H_T of U^dist(w,u)(Pr[M'(u) = T(w)]).
    `bound` is U^d: `composed` (U applied d times) or `induced` (the closed form of Definition 9).
    """
    if not problem.hits_boundary():
        raise ValueError("alpha misses a boundary edge")
    levels = {(eps, delta) for _, _, eps, delta in problem.edges}
    if len(levels) != 1:
        raise ValueError("the edges do not share one (eps, delta)")
    eps, delta = levels.pop()
    distance = {u: distances(problem, u) for u in problem.alpha}
    for (u, a), (v, b) in combinations(problem.alpha.items(), 2):
        d = distance[u][v]
        if a > bound(d, b, eps, delta) + tolerance or b > bound(d, a, eps, delta) + tolerance:
            return None
    p = []
    for w in range(problem.n):
        if w in problem.alpha:
            p.append(problem.alpha[w])
        elif problem.color[w] == 0:
            p.append(min((bound(distance[u][w], a, eps, delta) for u, a in problem.alpha.items()), default=1.0))
        else:
            p.append(1 - min((bound(distance[u][w], 1 - a, eps, delta) for u, a in problem.alpha.items()), default=1.0))
    return p


# ------------------------------------------------------------------------------------------ the linear program


class Unsolved(ArithmeticError):
    """The floating-point solver gave up on a linear program."""


def _solve(
    cost: list[float], rows: list[list[float]], limits: list[float], bounds: list[tuple[float, float]]
) -> list[float] | None:
    """min cost x under rows x <= limits and bounds, by HiGHS's dual simplex; None if it calls it infeasible."""
    infeasible = False
    for presolve, tolerance in ((False, 1e-10), (True, 1e-10), (False, 1e-9), (True, 1e-9)):
        result = linprog(
            cost,
            A_ub=rows or None,
            b_ub=limits or None,
            bounds=bounds,
            method="highs-ds",
            options={
                "presolve": presolve,
                "primal_feasibility_tolerance": tolerance,
                "dual_feasibility_tolerance": tolerance,
            },
        )
        if result.status == 0:
            return [float(x) for x in result.x]
        if result.status == 2 and infeasible:  # called so twice
            return None
        infeasible |= result.status == 2
    raise Unsolved(result.message)


def linear_program(problem: Problem) -> list[float] | None:
    """The mechanism with the largest sum of Pr[M(v) = T(v)] under all privacy conditions, or None if there is none.

    Paper 002, inequalities (1)-(4) on every edge, and M = M' on H_T, given as equal bounds. The optimal mechanism
    dominates every other at every vertex (paper 002, Definition 2 and Theorem 1), so it is the only maximiser.

    The rest is for the solver, which decides a condition up to 1e-10 only, and e^eps magnifies that along a path:
    what it calls infeasible is believed if the conditions cannot be met even with delta + 1e-9 for delta, and a
    solution is corrected by the same program for the error, magnified by 1e3 and 1e5, with exactly computed residuals.
    Raises Unsolved where the product of e^eps along a path is too much for it.
    """
    if not problem.hits_boundary():
        raise ValueError("alpha misses a boundary edge")
    rows: list[list[float]] = []
    limits: list[Fraction] = []
    for u, v, eps, delta in problem.edges:
        growth = math.exp(eps)
        for x, y in ((u, v), (v, u)):
            row = [0.0] * problem.n  # p(x) <= e^eps p(y) + delta: (1), (3)
            row[x], row[y] = 1.0, -growth
            rows.append(row)
            limits.append(Fraction(delta))
            row = [0.0] * problem.n  # 1 - p(x) <= e^eps (1 - p(y)) + delta: (2), (4)
            row[x], row[y] = -1.0, growth
            rows.append(row)
            limits.append(Fraction(growth) - 1 + Fraction(delta))  # of the same rounded e^eps
    cost = [-1.0 if color == 0 else 1.0 for color in problem.color]
    bounds = [(problem.alpha.get(v, 0.0), problem.alpha.get(v, 1.0)) for v in range(problem.n)]
    floats = [float(limit) for limit in limits]
    first = _solve(cost, rows, floats, bounds)
    if first is None:
        least = _solve([0.0] * problem.n + [1.0], [[*row, -1.0] for row in rows], floats, [*bounds, (0.0, 2.0)])
        if least is None or least[-1] > 1e-9:
            return None
        first = _solve(cost, rows, [limit + 2e-9 for limit in floats], bounds)
        if first is None:
            raise Unsolved("called infeasible and feasible")
    p = [Fraction(x) for x in first]
    for scale in (10**3, 10**5):
        residuals = [
            float(scale * (limit - sum(Fraction(c) * x for c, x in zip(row, p, strict=True) if c)))
            for row, limit in zip(rows, limits, strict=True)
        ]
        room = [
            (max(-100.0, float(scale * (Fraction(low) - x))), min(100.0, float(scale * (Fraction(high) - x))))
            for (low, high), x in zip(bounds, p, strict=True)
        ]
        correction = _solve(cost, rows, residuals, room)
        if correction is None:
            break
        p = [x + Fraction(y) / scale for x, y in zip(p, correction, strict=True)]
    return [float(x) for x in p]


# --------------------------------------------------------------------------------------------- exact privacy


def exponential(eps: float, digits: int) -> tuple[Fraction, Fraction]:
    """Two rationals around e^eps: the neighbours of its correctly rounded value with that many digits.

    decimal rounds exp correctly (half to even), so e^eps lies within half a unit of the value; e^0 is 1.
    """
    if eps == 0:
        return Fraction(1), Fraction(1)
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_EVEN)
    rounded = context.exp(decimal.Decimal(eps))
    low, high = Fraction(context.next_minus(rounded)), Fraction(context.next_plus(rounded))
    return max(low, Fraction(1)), high


def bounded(x: Fraction, y: Fraction, eps: float, delta: float) -> bool:
    """x <= e^eps y + delta, decided exactly: e^eps is irrational unless eps = 0, so some precision decides."""
    excess = x - Fraction(delta)
    if excess <= y:  # e^eps >= 1
        return True
    if y == 0 or eps == 0:
        return False
    digits = 60
    while True:
        low, high = exponential(eps, digits)
        if excess <= low * y:
            return True
        if excess >= high * y:
            return False
        digits *= 2


def violations(problem: Problem, p_pairs: Sequence[Fraction]) -> list[tuple[Edge, int]]:
    """The privacy conditions that fail, as (edge, number of the inequality), decided in exact arithmetic.

    Paper 002, inequalities (1)-(4) on every edge (u, v) for Pr[M(v) = first colour] = p_pairs[v], an exact
    fraction, Pr[second colour] being its exact complement: (1) p(u) <= e^eps p(v) + delta,
    (2) 1 - p(u) <= e^eps (1 - p(v)) + delta, (3) and (4) the same with u and v exchanged. eps and delta are
    the exact values of their floats.
    """
    if len(p_pairs) != problem.n or not all(0 <= p <= 1 for p in p_pairs):
        raise ValueError("one probability per vertex")
    failed: list[tuple[Edge, int]] = []
    for edge in problem.edges:
        u, v, eps, delta = edge
        p, q = p_pairs[u], p_pairs[v]
        conditions = ((p, q), (1 - p, 1 - q), (q, p), (1 - q, 1 - p))
        failed += [(edge, i) for i, (x, y) in enumerate(conditions, 1) if not bounded(x, y, eps, delta)]
    return failed


# -------------------------------------------------------------------------------------------- random problems

Mode = Literal["compatible", "arbitrary"]


def random_mechanism(rng: random.Random, problem: Problem) -> list[float]:
    """A private mechanism (up to rounding): Pr[first colour] per vertex, ignoring alpha.

    min over seeds s of A_{s,a}(v) is private, as A(v) <= U(A(w)) along every edge (paper 000, Theorem 4); so is
    the complement, and so is every convex combination, for the conditions (4)-(7) are linear.
    """

    def grown() -> list[float]:
        seeds = rng.sample(range(problem.n), rng.randint(1, min(3, problem.n)))
        bounds = [strongest(problem, s, random_value(rng)) for s in seeds]
        least = [min(A[v] for A in bounds) for v in range(problem.n)]
        return least if rng.random() < 0.5 else [1 - x for x in least]

    p = grown()
    if rng.random() < 0.5:
        share, other = rng.random(), grown()
        p = [share * x + (1 - share) * y for x, y in zip(p, other, strict=True)]
    if rng.random() < 0.4:  # towards the constant mechanism 1/2: no condition with eps > 0 is tight
        share = rng.choice([0.5, 0.9, 0.99])
        p = [share * x + (1 - share) / 2 for x in p]
    return p


def random_value(rng: random.Random) -> float:
    """A probability: mostly uniform, sometimes 0, 1/2, 1 or close to an end."""
    kind = rng.random()
    if kind < 0.6:
        return rng.random()
    if kind < 0.75:
        return rng.choice([0.0, 0.5, 1.0])
    small = 10 ** rng.uniform(-8, -1)
    return small if rng.random() < 0.5 else 1 - small


def random_eps(rng: random.Random, kind: str, large: float) -> float:
    """One eps of the kind: zero, tiny, middling, or large (up to `large`)."""
    if kind == "zero":
        return 0.0
    if kind == "tiny":
        return float(10 ** rng.uniform(-12, -3))
    if kind == "large":
        return rng.uniform(0.3 * large, large)
    return rng.uniform(0.05, 2.5)


def _random_pairs(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """A connected graph's edges: a tree between a path and a star, and some edges more."""
    reach = rng.choice([1, 2, n])
    tree = [(rng.randint(max(0, v - reach), v - 1), v) for v in range(1, n)]
    others = [pair for pair in combinations(range(n), 2) if pair not in set(tree)]
    extra = rng.choice([0, rng.randint(0, 3), rng.randint(0, n)])
    return tree + rng.sample(others, min(extra, len(others)))


def _random_colors(rng: random.Random, graph: Problem) -> list[int]:
    """Colours: a ball around a random vertex, some vertices flipped, or all of them at random."""
    kind = rng.random()
    if kind < 0.2:
        return [rng.randint(0, 1) for _ in range(graph.n)]
    distance = distances(graph, rng.randrange(graph.n))
    radius = rng.randint(0, max(1, max(distance.values()) - 1))
    inside = rng.randint(0, 1)
    colors = [inside if distance[v] <= radius else 1 - inside for v in range(graph.n)]
    if kind < 0.5:
        flipped = rng.randrange(graph.n)
        colors[flipped] = 1 - colors[flipped]
    return colors


def _random_levels(rng: random.Random, m: int, uniform: bool, large: float) -> list[tuple[float, float]]:
    """(eps, delta) for m edges: eps all equal, of few values, of one kind or mixed; delta mostly 0, at most .3."""
    kinds = ["zero", "tiny", "middling", "middling", "middling", "large"]

    def one_delta() -> float:
        return rng.choice([0.0, float(10 ** rng.uniform(-9, -2)), rng.uniform(0, 0.05), rng.uniform(0, 0.3)])

    if uniform:
        level = random_eps(rng, rng.choice(kinds), large), one_delta() if rng.random() < 0.4 else 0.0
        return [level] * m
    style = rng.random()
    if style < 0.3:
        values = [random_eps(rng, rng.choice(kinds), large) for _ in range(rng.randint(1, 3))]
        eps = [rng.choice(values) for _ in range(m)]
    elif style < 0.6:
        eps = [random_eps(rng, "middling", large) for _ in range(m)]
    else:
        eps = [random_eps(rng, rng.choice(kinds), large) for _ in range(m)]
    spread = rng.random()
    if spread < 0.6:
        delta = [0.0] * m
    elif spread < 0.8:
        delta = [one_delta()] * m
    else:
        delta = [one_delta() for _ in range(m)]
    return list(zip(eps, delta, strict=True))


def _random_hitting_set(rng: random.Random, problem: Problem) -> set[int]:
    """At least one end of every boundary edge, or the whole boundary, or more vertices; never empty."""
    boundary = problem.boundary_edges()
    if rng.random() < 0.3:
        chosen = {v for edge in boundary for v in edge}
    else:
        chosen = set()
        for u, v in rng.sample(boundary, len(boundary)):
            if u not in chosen and v not in chosen:
                chosen.add(rng.choice((u, v)))
    if rng.random() < 0.3:
        share = rng.random() / 2
        chosen |= {v for v in range(problem.n) if rng.random() < share}
    return chosen or {rng.randrange(problem.n)}


def random_problem(
    rng: random.Random,
    *,
    mode: Mode = "compatible",
    uniform: bool = False,
    smallest: int = 2,
    largest: int = 14,
    large: float = 6.0,
) -> Problem:
    """A connected random graph with alpha on a boundary-hitting set (paper 002, Definitions 5-7).

    mode "compatible": alpha is a private mechanism restricted to the set (paper 002, Definition 10), so an
    extension exists, often with conditions that are tight up to rounding; "arbitrary": alpha is anything,
    often incompatible. uniform: one (eps, delta) for all edges. No eps exceeds `large`.
    """
    n = rng.randint(smallest, largest)
    pairs = _random_pairs(rng, n)
    levels = _random_levels(rng, len(pairs), uniform, large)
    edges = [
        (u, v, eps, delta) if rng.random() < 0.5 else (v, u, eps, delta)
        for (u, v), (eps, delta) in zip(pairs, levels, strict=True)
    ]
    name = rng.sample(range(n), n)
    edges = [(name[u], name[v], eps, delta) for u, v, eps, delta in edges]
    graph = Problem(n, [0] * n, edges)
    problem = Problem(n, _random_colors(rng, graph), edges)
    chosen = sorted(_random_hitting_set(rng, problem))
    rng.shuffle(chosen)
    if mode == "arbitrary":
        middle, width = (
            rng.random(),
            rng.choice([0.01, 0.1, 0.3, 1.0]),
        )  # close to each other: often compatible
        spread = {v: min(1.0, max(0.0, middle + rng.uniform(-width, width))) for v in chosen}
        alpha = spread if rng.random() < 0.5 else {v: random_value(rng) for v in chosen}
        return Problem(n, problem.color, edges, alpha)
    while True:
        p = random_mechanism(rng, problem)
        result = Problem(n, problem.color, edges, {v: p[v] for v in chosen})
        if min(margin(result), margin(exchanged(result))) >= -1e-13:  # rounding not blown up by a large e^eps
            return result
