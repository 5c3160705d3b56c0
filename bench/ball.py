"""One dataset on demand, compared with reading and extending the whole graph.

What is measured
----------------
Count lattices of 10^4, 10^5 and 10^6 datasets (``--quick``: 10^4) in the embedded store and on a real Neo4j server, in
a process of their own. For datasets 0, 1, 2, 3, 5 and 8 edges away from the boundary: how many datasets a search visits
and what share of the graph that is, how many layers and queries it takes, and how long, compared with the time to read
and extend the whole graph in the same process. The benchmark also checks that both give the same numbers. The embedded
store does not search small graphs: it extends them once and keeps the result in memory, so at 10^4 datasets a search
there is a lookup.

How
---
For each distance, five datasets are spread over the graph. Each is searched four times, and the best of the last three
counts; the time is the median over the datasets, and so is the number of visited datasets. The whole graph is read and
extended five times, and the best time counts.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import numpy as np

import neodp
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, met, seconds, show, table
from bench.stores import server
from neodp import generate
from neodp.core.boundary import distance
from neodp.store import open_store

__all__ = ["run"]

SIZES = ([20, 21, 21], [45, 46, 46], [99, 99, 99])
DISTANCES = (0, 1, 2, 3, 5, 8)
SAMPLES, TURNS = 5, 3
SHARE_AIM, TIME_AIM = 0.1, 1.0
HEADER = (
    "store",
    "datasets",
    "edges away",
    "seen",
    "% of all",
    "layers",
    "queries",
    "search s",
    "whole s",
    "% of whole",
    "aim",
)


def run(quick: bool) -> None:
    """Measure and print."""
    sizes = SIZES[:1] if quick else SIZES
    rows = []
    for groups in sizes:
        with tempfile.TemporaryDirectory() as folder, Process() as process:
            rows += process.call(_measure, "embedded", str(Path(folder) / "bench.db"), groups)
    show(table(HEADER, rows))
    rows = []
    with server() as neo4j:
        for groups in sizes:
            with Process(**neo4j.environment()) as process:
                rows += process.call(_measure, "neo4j", neo4j.uri, groups)
    show(table(HEADER, rows))
    show(
        f"up to 3 edges away at 10^6 datasets, aims: {SHARE_AIM:g} % of all, {TIME_AIM:g} % of the whole, and at most "
        "2 queries more than layers"
    )


def _measure(kind: str, address: str, groups: list[int]) -> list[tuple[str, ...]]:
    graph = generate.counts(groups, epsilon=[0.2, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    expected, away = neodp.extend(graph), distance(graph)
    rows: list[tuple[str, ...]] = []
    with open_store(address) as store:
        store.load("bench", graph, replace=True)
        mark_peak()
        whole = min(stopwatch(lambda: neodp.extend(store.read("bench")))[0] for _ in range(TURNS + 2))
        memory = peak()
        for edges in DISTANCES:
            found = np.flatnonzero(away == edges)
            spent, balls = [], []
            for v in found[np.linspace(0, len(found) - 1, SAMPLES + 2).astype(int)[1:-1]].tolist():
                key = graph.key(v)
                store.evaluate("bench", [key])
                turns = [stopwatch(lambda: store.evaluate("bench", [key])) for _ in range(TURNS)]  # noqa: B023
                time, ball = min(turns, key=lambda turn: turn[0])
                if ball.evaluations[0].probabilities != expected[key]:
                    raise RuntimeError(f"the benchmark is wrong: {key}")
                spent.append(time)
                balls.append(ball)
            seen, layers, queries = (
                statistics.median_high(getattr(ball, what) for ball in balls) for what in ("seen", "layers", "queries")
            )
            search = statistics.median_high(spent)
            judged = edges <= 3 and len(graph) >= 10**6
            rows.append(
                (
                    kind,
                    f"{len(graph):,}",
                    str(edges),
                    f"{seen:,}",
                    f"{100 * seen / len(graph):.3g}",
                    str(layers),
                    str(queries),
                    seconds(search),
                    f"{seconds(whole)} ({megabytes(memory)} MB)",
                    f"{100 * search / whole:.2g}",
                    f"{TIME_AIM:g}: {met(100 * search / whole <= TIME_AIM)}" if judged else "",
                )
            )
        store.drop("bench")
    return rows
