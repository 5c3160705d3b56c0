"""Slow references for more than two outputs, written from paper 003 and the definitions; imports nothing of neodp.

An order is a tuple of outputs, best first; a mechanism is a list of rows, one probability per output.
"""

import itertools
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from tests.reference import bounded

Edge = tuple[int, int, float, float]  # u, v, eps, delta


@dataclass(frozen=True)
class Rainbow:
    """A graph, an order per vertex and (eps, delta) per edge."""

    k: int
    order: Sequence[tuple[int, ...]]
    edges: list[Edge]

    @property
    def n(self) -> int:
        return len(self.order)

    def neighbors(self) -> list[list[tuple[int, float]]]:
        result: list[list[tuple[int, float]]] = [[] for _ in range(self.n)]
        for u, v, eps, _ in self.edges:
            result[u].append((v, eps))
            result[v].append((u, eps))
        return result

    def boundary(self) -> list[int]:
        """Vertices with a neighbour of another order (paper 003, Definition 5)."""
        ends = {w for u, v, _, _ in self.edges if self.order[u] != self.order[v] for w in (u, v)}
        return sorted(ends)

    def distances(self) -> list[int]:
        """Edges to the nearest boundary vertex of the own order, along any path; -1 where there is none."""
        result = []
        for v in range(self.n):
            goals = {u for u in self.boundary() if self.order[u] == self.order[v]}
            seen, queue = {v: 0}, deque([v])
            while queue:
                u = queue.popleft()
                for w, _ in self.neighbors()[u]:
                    if w not in seen:
                        seen[w] = seen[u] + 1
                        queue.append(w)
            result.append(min((seen[u] for u in goals if u in seen), default=-1))
        return result


def exact(row: Sequence[float]) -> list[Fraction]:
    """A stored row: every entry is what it is, but the first of the largest is one minus the rest."""
    largest = max(range(len(row)), key=lambda j: row[j])
    rest = sum((Fraction(x) for j, x in enumerate(row) if j != largest), Fraction(0))
    return [1 - rest if j == largest else Fraction(x) for j, x in enumerate(row)]


def violations(edges: Sequence[Edge], rows: Sequence[Sequence[float]]) -> list[tuple[Edge, tuple[int, ...]]]:
    """Every edge and set of outputs that breaks P(A) <= e^eps Q(A) + delta, either way, in exact arithmetic."""
    values = [exact(row) for row in rows]
    k = len(values[0])
    sets = [a for size in range(1, k) for a in itertools.combinations(range(k), size)]
    failed = []
    for edge in edges:
        u, v, eps, delta = edge
        for one, two in ((values[u], values[v]), (values[v], values[u])):
            for outputs in sets:
                p, q = sum(one[j] for j in outputs), sum(two[j] for j in outputs)
                if not bounded(Fraction(p), Fraction(q), eps, delta):
                    failed.append((edge, outputs))
    return failed


def best_prefix(problem: Rainbow, alpha: dict[int, Sequence[float]], j: int) -> list[float]:
    """Per vertex, the greatest chance of its best j outputs under all privacy conditions, by linear programs."""
    n, k = problem.n, problem.k
    sets = [a for size in range(1, k) for a in itertools.combinations(range(k), size)]
    rows, limits = [], []
    for u, v, eps, delta in problem.edges:
        for one, two in ((u, v), (v, u)):
            for outputs in sets:
                row = np.zeros(n * k)
                for o in outputs:
                    row[one * k + o], row[two * k + o] = 1.0, -math.exp(eps)
                rows.append(row)
                limits.append(delta)
    sums = np.kron(np.eye(n), np.ones(k))
    bounds = [(alpha[v][o], alpha[v][o]) if v in alpha else (0.0, 1.0) for v in range(n) for o in range(k)]
    best = []
    for v in range(n):
        cost = np.zeros(n * k)
        cost[[v * k + o for o in problem.order[v][:j]]] = -1.0
        found = linprog(cost, np.array(rows), np.array(limits) + 1e-11, sums, np.ones(n), bounds, method="highs")
        assert found.status == 0, found.message
        best.append(-float(found.fun))
    return best


def random_rainbow(rng: random.Random, n: int, k: int, *, mixed: bool, delta: float = 0.0) -> Rainbow:
    """A connected graph whose vertices take the order of the nearest of a few centres, so that there is an inside."""
    pairs = {(rng.randrange(max(0, v - 3), v), v) for v in range(1, n)}
    while len(pairs) < n + n // 4:
        u, v = sorted(rng.sample(range(n), 2))
        if v - u < 6 or rng.random() < 0.05:
            pairs.add((u, v))
    uniform = rng.choice([rng.uniform(0.05, 0.4), rng.uniform(0.3, 2.0)])
    edges = [(u, v, rng.uniform(0.02, 1.5) if mixed else uniform, delta) for u, v in sorted(pairs)]
    plain = Rainbow(k, [tuple(range(k))] * n, edges)
    centers = rng.sample(range(n), min(n, rng.randint(2, 4)))
    orders = [tuple(rng.sample(range(k), k)) for _ in centers]
    nearest = []
    for v in range(n):
        seen, queue = {v: 0}, deque([v])
        while queue:
            u = queue.popleft()
            for w, _ in plain.neighbors()[u]:
                if w not in seen:
                    seen[w] = seen[u] + 1
                    queue.append(w)
        nearest.append(min(range(len(centers)), key=lambda c: (seen[centers[c]], c)))
    return Rainbow(k, [orders[c] for c in nearest], edges)


def random_alpha(rng: random.Random, problem: Rainbow) -> dict[tuple[int, ...], list[float]]:
    """A random distribution per order, compatible wherever two orders meet, with small entries among large ones."""
    orders = sorted(set(problem.order))
    k = problem.k
    rows = {}
    for order in orders:
        weights = [rng.choice([rng.random(), 10 ** rng.uniform(-12, 0)]) for _ in range(k)]
        rows[order] = [w / sum(weights) for w in weights]
    center = [sum(rows[o][j] for o in orders) / len(orders) for j in range(k)]
    meets = {
        (problem.order[a], problem.order[b], eps, delta)
        for u, v, eps, delta in problem.edges
        for a, b in ((u, v), (v, u))
        if problem.order[u] != problem.order[v]
    }
    share = 0.0
    while share < 1.0:
        mixed = {o: [(1 - share) * p + share * c for p, c in zip(rows[o], center, strict=True)] for o in orders}
        if all(_fits(mixed[a], mixed[b], eps, delta) for a, b, eps, delta in meets):
            return mixed
        share += 0.05
    return dict.fromkeys(orders, center)


def _fits(one: list[float], two: list[float], eps: float, delta: float) -> bool:
    """Return True if a distribution is compatible with another, with some room for rounding."""
    surplus = [p - math.exp(eps) * q * (1 - 1e-9) for p, q in zip(one, two, strict=True)]
    return sum(max(0.0, x) for x in surplus) <= delta * (1 - 1e-9)
