"""The best mechanism on average for more than two colours: its accuracy, its certified gap, and the time it takes.

What is measured
----------------
* On random graphs with three to five colours and epsilons drawn from (0.02, 1.5): the mean accuracy of the line and of
  prefix sums (with the balanced alpha), of the best mechanism with that alpha, of the distances to the answers, and of
  the best of all private mechanisms; on how many graphs distances are more accurate than the line; the greatest
  certified gap of the two programs; by how much a program lies below the line or prefix sums, at most; and the
  inequalities that are broken, over all sets of answers, in rational numbers. ``--quick``: fewer graphs.
* The processor time of the program on larger graphs with three colours: with all inequalities by the simplex method,
  and as neodp solves it.
"""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

import neodp
from bench.report import seconds, show, table
from neodp import DatasetGraph, generate
from neodp.compiled import kernel
from neodp.core import optimal
from neodp.core.inequalities import exact, holds
from neodp.data.validation import Floats

__all__ = ["run"]


def run(quick: bool) -> None:
    """Measure, and print tables."""
    show(sweep(20 if quick else 200), times((1_000,) if quick else (1_000, 4_000, 12_000, 34_000)))


class _Swept(NamedTuple):
    """The figures of one graph."""

    line: float
    prefix: float | None
    agreeing: float
    distance: float
    best: float
    gap: float
    below: float
    broken: int
    checked: int


def sweep(graphs: int) -> str:
    """Return the figures of random graphs as a table."""
    rows = []
    for k in (3, 4, 5):
        rng = np.random.default_rng(k)
        found = [
            _swept(random_graph(rng, int(rng.integers(8, 21)), k)) for _ in range(graphs // 3 + (k <= graphs % 3 + 2))
        ]
        means = [
            float(np.mean([getattr(each, name) for each in found])) for name in ("line", "agreeing", "distance", "best")
        ]
        private = sum(each.prefix is not None for each in found)
        ahead = sum(each.distance > each.line for each in found)
        figures = f"{max(each.gap for each in found):.1e}", f"{max(each.below for each in found):.1e}"
        broken = f"{sum(each.broken for each in found)} of {sum(each.checked for each in found):,}"
        name = f"{k} colours, {len(found)} graphs"
        rows.append((name, str(private), *(f"{x:.4f}" for x in means), str(ahead), *figures, broken))
    heads = ("random graphs", "prefix sums private", "line", "best with that alpha", "distances", "best of all")
    more = ("distances above the line on", "greatest gap", "below the others by at most", "broken inequalities")
    return table((*heads, *more), rows)


def _swept(graph: DatasetGraph) -> _Swept:
    given = graph.with_alpha(neodp.balanced(graph))
    line, agreeing = neodp.extend(given, method="line"), neodp.extend(given, method="optimal")
    try:
        prefix = float(neodp.extend(given, method="prefix").p_true.mean())
    except neodp.errors.NotPrivate:
        prefix = None
    best, distance = neodp.extend(graph, method="optimal"), neodp.extend(graph, method="distance")
    assert best.optimality is not None
    assert agreeing.optimality is not None
    low, kept, far, most = (float(m.p_true.mean()) for m in (line, agreeing, distance, best))
    counts = [broken(graph, m.probabilities) for m in (agreeing, distance, best)]
    return _Swept(
        line=low,
        prefix=prefix,
        agreeing=kept,
        distance=far,
        best=most,
        gap=max(best.optimality.gap, agreeing.optimality.gap),
        below=max(0.0, max(low, prefix or 0.0) - kept, max(low, kept, far) - most),
        broken=sum(wrong for wrong, _ in counts),
        checked=sum(checked for _, checked in counts),
    )


def broken(graph: DatasetGraph, rows: Floats) -> tuple[int, int]:
    """Return how many inequalities are broken, and how many there are: all edges, ways and sets of answers."""
    values, k, wrong, checked = [exact(row) for row in rows], rows.shape[1], 0, 0
    sets = [each for size in range(1, k) for each in combinations(range(k), size)]
    for e in range(graph.edges):
        ends = int(graph.source[e]), int(graph.target[e])
        for u, v in (ends, ends[::-1]):
            for outputs in sets:
                left, right = (sum((values[x][j] for j in outputs), Fraction(0)) for x in (u, v))
                wrong += not holds(left, right, float(graph.epsilon[e]), float(graph.delta[e]))
                checked += 1
    return wrong, checked


def random_graph(rng: np.random.Generator, n: int, k: int) -> DatasetGraph:
    """Return a random graph whose datasets have the order of the nearest of some."""
    plain = generate.random_graph(n, edges=3 * n // 2, epsilon=(0.02, 1.5), seed=int(rng.integers(2**31)))
    centers = rng.choice(n, k, replace=False)
    hops = np.array([kernel.hops(*plain.adjacency[:2], np.array([c])) for c in centers])
    orders = np.array([np.roll(rng.permutation(k), i) for i in range(k)])
    orders[:, :] = [[first, *(c for c in order if c != first)] for first, order in enumerate(orders.tolist())]
    chosen = orders[hops.argmin(axis=0)]
    ends = plain.source.astype(np.int64), plain.target.astype(np.int64)
    colors = [f"colour {i}" for i in range(k)]
    return DatasetGraph.from_columns(plain.keys, chosen[:, 0], *ends, plain.epsilon, preference=chosen, colors=colors)


def times(sizes: tuple[int, ...]) -> str:
    """Return the processor times of the program as a table: random graphs and, if there are large ones, counts."""
    graphs = {f"random, {n:,} datasets": random_graph(np.random.default_rng(n), n, 3) for n in sizes}
    if len(sizes) > 1:
        counts = generate.plurality(11, 11, options=3, epsilon=[0.2, 1.2])
        graphs |= {f"counts of two groups of 11, {len(counts):,} datasets": counts}
    rows = []
    for name, graph in graphs.items():
        full = _solved(graph, few=10**9) if len(graph) <= 4_000 else None
        ours = _solved(graph, few=optimal.FEW)
        name += f", {3 * len(graph):,} chances, {6 * graph.edges:,} inequalities"
        rows.append((name, "–" if full is None else seconds(full[0]), seconds(ours[0]), f"{ours[1]:.1e}"))
    return table(("three colours, epsilons that differ", "simplex, all inequalities", "neodp", "certified gap"), rows)


def _solved(graph: DatasetGraph, few: int) -> tuple[float, float]:
    """Return the processor time that the program takes, and its gap, if it is small up to a number of inequalities."""
    before, optimal.FEW = optimal.FEW, few
    try:
        start = time.process_time()
        found = neodp.extend(graph, method="optimal")
        assert found.optimality is not None
        return time.process_time() - start, found.optimality.gap
    finally:
        optimal.FEW = before
