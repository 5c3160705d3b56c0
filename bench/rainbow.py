"""More than two colours: how far the line lies below the bound, and the times of the methods of extending.

What is measured
----------------
* On long paths of one order with one epsilon, by how much a prefix sum of the line lies below that of the table, which
  is its bound, at most; beside (1 - x)^2 / (4 (1 + x)) with x = e^-epsilon, which :mod:`neodp.core.rainbow` proves.
* On random graphs with epsilons drawn from (0.02, 1.5), with the boundary's alpha as ``balanced`` chooses it and drawn
    at random: on how many graphs the largest prefix sums are refused and, where they are private, the mean and the
    greatest difference between a prefix sum and the line. ``--quick``: fewer graphs.
  * The times of ``extend`` and ``audit`` with three colours, compared with two colours on graphs of the same size, in
    processor time after a warm-up.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

import neodp
from bench.report import seconds, show, table, times
from neodp import DatasetGraph, Mechanism, generate, rainbow
from neodp.compiled import kernel
from neodp.data.validation import Floats
from neodp.errors import IncompatibleAlpha, NotPrivate

__all__ = ["run"]

T = TypeVar("T")


def run(quick: bool) -> None:
    """Measure, and print tables."""
    show(_one_epsilon(), _mixed(60 if quick else 400), _cost(300 if quick else 1000))


def gap(epsilon: float) -> float:
    """Return how far a prefix sum of the line may lie below its bound."""
    x = math.exp(-epsilon)
    return (1.0 - x) ** 2 / (4.0 * (1.0 + x))


def _one_epsilon() -> str:
    rows = []
    for epsilon in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0):
        most = 0.0
        for start in np.linspace(1.0, 2.0, 41) * 0.01:
            order, alpha = (0, 1, 2), [start, start / 3, 1.0 - start - start / 3]
            best = rainbow.line(alpha, int(10 / epsilon), epsilon)
            length = int(rainbow.lengths(np.array([epsilon]), 3)[0])
            flow = rainbow.Line({order: alpha})
            line = np.array([flow.at(order, d * length) for d in range(len(best))])
            most = max(most, float((best.cumsum(axis=1) - line.cumsum(axis=1)).max()))
        rows.append((f"{epsilon}", f"{most:.5f}", f"{gap(epsilon):.5f}"))
    return table(("epsilon, one on all edges", "line below the bound by at most", "proven"), rows)


def _mixed(graphs: int) -> str:
    rows = []
    for k in (3, 4, 5):
        for name, choose in (("balanced", _balanced), ("random", _random)):
            refused, differences = 0, []
            rng = np.random.default_rng(k)
            for _ in range(graphs):
                g = choose(_graph(rng, k), rng)
                try:
                    differences.append(_below(neodp.extend(g, method="prefix"), neodp.extend(g, method="line")))
                except NotPrivate:
                    refused += 1
            every = np.concatenate(differences)
            rows.append((f"{k} colours, {name}", f"{refused} of {graphs}", f"{every.mean():.5f}", f"{every.max():.5f}"))
    return table(("random graphs, alpha", "prefix sums refused", "line below them: mean", "greatest"), rows)


def _below(best: Mechanism, flow: Mechanism) -> Floats:
    orders = best.graph.orders[best.graph.order].astype(np.int64)
    sums = [np.take_along_axis(m.probabilities, orders, axis=1).cumsum(axis=1)[:, :-1] for m in (best, flow)]
    below: Floats = (sums[0] - sums[1]).ravel()
    return below


def _graph(rng: np.random.Generator, k: int) -> DatasetGraph:
    """Return a random graph whose datasets have the order of the nearest of three."""
    n = 40
    plain = generate.random_graph(n, edges=60, epsilon=(0.02, 1.5), seed=int(rng.integers(2**31)))
    centers = rng.choice(n, 3, replace=False)
    hops = np.array([kernel.hops(*plain.adjacency[:2], np.array([c])) for c in centers])
    orders = np.array([rng.permutation(k) for _ in centers])[hops.argmin(axis=0)]
    ends = plain.source.astype(np.int64), plain.target.astype(np.int64)
    colors = [f"colour {i}" for i in range(k)]
    return DatasetGraph.from_columns(plain.keys, orders[:, 0], *ends, plain.epsilon, preference=orders, colors=colors)


def _balanced(g: DatasetGraph, rng: np.random.Generator) -> DatasetGraph:
    return g.with_alpha(neodp.balanced(g))


def _random(g: DatasetGraph, rng: np.random.Generator) -> DatasetGraph:
    """Return a graph with a random distribution per order, moved towards their mean until they are compatible."""
    alpha = rng.dirichlet(np.full(len(g.colors), 0.5), len(g.orders))
    ends = neodp.boundary.boundary_vertices(g)
    for share in np.linspace(0.0, 1.0, 21):
        rows = np.full((len(g), len(g.colors)), np.nan)
        rows[ends] = ((1 - share) * alpha + share * alpha.mean(axis=0))[g.order[ends]]
        try:
            neodp.extend(g.with_alpha(rows))
        except IncompatibleAlpha:
            continue
        return g.with_alpha(rows)
    raise AssertionError("equal distributions are compatible")


def _cost(people: int) -> str:
    graphs = {
        "two colours, one epsilon": generate.grid(people, people, epsilon=0.01),
        "three colours, one epsilon": generate.plurality(int(people * math.sqrt(2)), options=3, epsilon=0.01),
        "two colours, mixed": generate.grid(people, people, epsilon=np.array([0.01, 0.0173])),
        "three colours, mixed": generate.plurality(
            round(1.2 * math.sqrt(people)), round(1.2 * math.sqrt(people)), options=3, epsilon=[0.01, 0.0173]
        ),
    }
    for g in graphs.values():  # compile, and read what is compiled
        small = generate.plurality(3, 2, epsilon=[0.1, 0.2]) if len(g.colors) == 3 else generate.grid(3, 3)
        small = small.with_alpha(neodp.balanced(small))
        neodp.audit(small, neodp.extend(small))
    rows, first = [], 0.0
    for name, g in graphs.items():
        given = g.with_alpha(neodp.balanced(g))
        m, extending = _timed(lambda given=given: neodp.extend(given))  # type: ignore[misc]
        report, auditing = _timed(lambda given=given, m=m: neodp.audit(given, m))  # type: ignore[misc]
        assert report.violations == 0
        per_edge = extending / g.edges
        first = first or per_edge
        rows.append(
            (name, f"{len(g):,}", f"{g.edges:,}", seconds(extending), times(per_edge / first), seconds(auditing))
        )
    return table(("graph", "datasets", "edges", "extend", "per edge", "audit"), rows)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start
