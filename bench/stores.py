"""Dataset graphs through the stores: load, read, extend, write back, audit.

What is measured
----------------
Count lattices of 10^5 and 10^6 datasets with three times as many edges (``--quick``: 10^4), on the embedded store and
on a real Neo4j server, in a process of their own:

* load, read, ``extend``, write-back, and reading back and auditing what was written;
* for Neo4j, in the same run, the server's own scan (``sum(r.epsilon)``) beside the read, and its own ``SET`` of as
  many properties on all nodes beside the write-back;
* the peak of the client's memory while it reads, beyond the arrays it returns, per edge.

How
---
Reads, scans, SETs and write-backs take turns, twice; a time is the best of its turns. The server is the one of the
tests (``tools/neo4j_server.py``), with its full compiler and a heap of 3 GiB.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import neodp
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, seconds, show, table, times
from neodp import DatasetGraph, generate
from neodp.store import Store, open_store
from tools import neo4j_server

__all__ = ["run"]

SIZES = ([45, 46, 46], [99, 99, 99])
QUICK = ([20, 21, 21],)
TURNS = 2
READ_AIM, WRITE_AIM, MEMORY_AIM = 2.5, 3.0, 200.0
HEADER = ("store", "datasets", "edges", "load s", "read s", "extend s", "write s", "audit s", "read MB", "bytes/edge")
SCAN = "MATCH (:Dataset {graph: $graph})-[r:NEIGHBOR]->() RETURN sum(r.epsilon)"
SET = (
    "MATCH (d:Dataset {graph: $graph}) CALL (d) { SET d.p = rand(), d.q = rand(), d.p_true = rand(), d.distance = -7 } "
    "IN TRANSACTIONS OF 20000 ROWS"  # new values: the server skips a SET that changes nothing
)


def run(quick: bool) -> None:
    """Measure and print."""
    rows, ratios = [], []
    for groups in QUICK if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder, Process() as process:
            rows.append(_row("embedded", process.call(_measure, str(Path(folder) / "bench.lbdb"), groups)))
    show(table(HEADER, rows))
    rows.clear()
    with server() as neo4j:
        for groups in QUICK if quick else SIZES:
            with Process(**neo4j.environment()) as process:
                found = process.call(_measure, neo4j.uri, groups)
                rows.append(_row("neo4j", found))
                ratios.append(_ratios(found))
    show(table(HEADER, rows))
    aims = (f"read/scan (aim {READ_AIM:g})", f"write/SET (aim {WRITE_AIM:g})")
    show(table(("neo4j", "scan s", "read s", aims[0], "SET s", "write s", aims[1]), ratios))
    show(f"bytes/edge: the client's peak while reading, beyond the arrays; aim {MEMORY_AIM:g}")


def server(**wishes: Any) -> AbstractContextManager[neo4j_server.Server]:
    """A real Neo4j server, with its full compiler and a heap of 3 GiB; `wishes` as in ``running``."""
    return neo4j_server.running(memory="3g", page_cache="1g", quick=False, **wishes)


def _measure(address: str, groups: list[int]) -> dict[str, float]:
    """All times in seconds, for one store and one size."""
    graph = generate.counts(groups, epsilon=[0.2, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    neodp.extend(graph)  # compile
    with open_store(address) as store:
        found: dict[str, float] = {"datasets": len(graph), "edges": graph.edges}
        found["load"], _ = stopwatch(lambda: store.load("bench", graph))
        scan, set_all = _own(store)
        best: dict[str, float] = {}
        for _ in range(TURNS):
            _keep(best, "scan", stopwatch(scan)[0])
            before = mark_peak()
            spent, read = stopwatch(lambda: store.read("bench"))
            _keep(best, "read", spent)
            found["memory"] = peak() - before
            found["arrays"] = _bytes(read)
            spent, mechanism = stopwatch(lambda: neodp.extend(read))  # noqa: B023
            _keep(best, "extend", spent)
            _keep(best, "set", stopwatch(set_all)[0])
            _keep(best, "write", stopwatch(lambda: store.write("bench", mechanism))[0])  # noqa: B023
        found["audit"], _ = stopwatch(lambda: _audit(store))
        store.drop("bench")
        return found | best


def _own(store: Store) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The server's own scan and SET; nothing for the embedded store."""
    driver = getattr(store, "_driver", None)
    if driver is None:
        return (lambda: None), (lambda: None)

    def go(text: str) -> Callable[[], Any]:
        def work() -> None:
            with driver.session(database="neo4j") as session:
                session.run(text, graph="bench").consume()

        return work

    return go(SCAN), go(SET)


def _audit(store: Store) -> None:
    stored = store.mechanism("bench")
    report = neodp.audit(stored.mechanism.graph, stored.mechanism)
    if stored.stale or not report:
        raise RuntimeError(f"the benchmark is wrong: {report}, stale: {stored.stale}")


def _keep(best: dict[str, float], what: str, spent: float) -> None:
    best[what] = min(spent, best.get(what, spent))


def _bytes(graph: DatasetGraph) -> int:
    ids = getattr(graph, "ids", None)
    columns = (graph.color, graph.source, graph.target, graph.epsilon, graph.delta, graph.alpha)
    return int(graph.keys.nbytes + (ids.nbytes if ids is not None else 0) + sum(c.nbytes for c in columns))


def _row(store: str, found: dict[str, float]) -> tuple[str, ...]:
    per_edge = (found["memory"] - found["arrays"]) / found["edges"]
    spent = (seconds(found[what]) for what in ("load", "read", "extend", "write", "audit"))
    counts = (f"{found['datasets']:,.0f}", f"{found['edges']:,.0f}")
    return (store, *counts, *spent, megabytes(found["memory"]), f"{max(per_edge, 0.0):.0f}")


def _ratios(found: dict[str, float]) -> tuple[str, ...]:
    return (
        f"{found['datasets']:,.0f}",
        seconds(found["scan"]),
        seconds(found["read"]),
        times(found["read"] / found["scan"]),
        seconds(found["set"]),
        seconds(found["write"]),
        times(found["write"] / found["set"]),
    )
