"""Dataset graphs through the stores: load, read, extend, write back, audit.

What is measured
----------------
Count lattices of 10^5 and 10^6 datasets with three times as many edges (``--quick``: 10^4), on the embedded store and
on a real Neo4j server, in a process of their own:

* load, read, ``extend``, write-back, and reading back and auditing what was written;
* for Neo4j, in the same run, the server's own scan (``sum(r.epsilon)``) beside the read, its own ``SET`` of as many
  properties on all nodes beside the write-back, and bare ``CREATE`` statements of as many nodes and relationships, with
  the same properties and indexes, beside the load: the server makes up their values, so nothing goes over the wire;
* for the embedded store, the same by an older neodp, if NEODP_BENCH_BEFORE names a checkout of it, as in
  ``git worktree add /tmp/before COMMIT``;
* the peak of the client's memory while it reads, beyond the arrays it returns, per edge.

How
---
Reads, scans, SETs and write-backs take turns, twice; a time is the best of its turns. The server is the one of the
tests (``tools/neo4j_server.py``), with its full compiler and a heap of 3 GiB. Processor time is that
of this process: all that the embedded store takes, and the client's part of what Neo4j takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

import neodp
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, met, seconds, show, table, times
from neodp import DatasetGraph, generate
from neodp.store import Store, open_store
from tools import neo4j_server

__all__ = ["run"]

T = TypeVar("T")
SIZES = ([45, 46, 46], [99, 99, 99])
QUICK = ([20, 21, 21],)
TURNS = 2
READ_AIM, WRITE_AIM, LOAD_AIM, MEMORY_AIM = 4.0, 1.6, 1.5, 200.0
"""At most so many times the server's own scan, SET and CREATE; at most so many bytes per edge."""
BEFORE_AIMS = {"load": 2.0, "write": 3.0}
"""At least so many times as fast as before."""
STEPS = ("load", "read", "extend", "write", "audit")
HEADER = ("store", "datasets", "edges", *(f"{step} s" for step in STEPS), "read MB", f"bytes/edge (aim {MEMORY_AIM:g})")
SCAN = "MATCH (:Dataset {graph: $graph})-[r:NEIGHBOR]->() RETURN sum(r.epsilon)"
SET = (
    "MATCH (d:Dataset {graph: $graph}) CALL (d) { SET d.p = rand(), d.q = rand(), d.p_true = rand(), d.distance = -7 } "
    "IN TRANSACTIONS OF 20000 ROWS"  # new values: the server skips a SET that changes nothing
)
CREATE_NODES = (
    "UNWIND range(0, $datasets - 1) AS i CALL (i) { CREATE (:Dataset {graph: 'bare', key: toString(i), color: 'yes', "
    "alpha: CASE WHEN i % 50 = 0 THEN 0.5 END}) } IN TRANSACTIONS OF 50000 ROWS"
)
CREATE_EDGES = (
    "CYPHER 5 MATCH (d:Dataset {graph: 'bare'}) WITH min(id(d)) AS low UNWIND range(0, $edges - 1) AS i "
    "WITH low + i % $datasets AS one, low + (i + 1 + i / $datasets * 99) % $datasets AS two "
    "CALL (one, two) { MATCH (a) WHERE id(a) = one MATCH (b) WHERE id(b) = two "
    "CREATE (a)-[:NEIGHBOR {epsilon: 0.5, delta: 0.0}]->(b) } IN TRANSACTIONS OF 50000 ROWS"
)


def run(quick: bool) -> None:
    """Measure and print."""
    rows, ratios, older = [], [], []
    for groups in QUICK if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder, Process() as process:
            found = process.call(_measure, str(Path(folder) / "bench.db"), groups)
            rows.append(_row("embedded", found))
            rows.append(_processor(found))
            if "NEODP_BENCH_BEFORE" in os.environ:
                older.append(_faster(_before(os.environ["NEODP_BENCH_BEFORE"], folder, groups), found))
    show(table(HEADER, rows))
    if older:
        header = [x for step in ("load", "read", "write", "audit") for x in (f"{step} before s", "now s", "faster")]
        show(table(("embedded", *header), older))
    rows.clear()
    for groups in QUICK if quick else SIZES:
        with server() as neo4j, Process(**neo4j.environment()) as process:
            found = process.call(_measure, neo4j.uri, groups)
            rows.append(_row("neo4j", found))
            rows.append(_processor(found))
            ratios.append(_ratios(found))
    show(table(HEADER, rows))
    header = [x for own, step in OWN for x in (f"{own} s", f"{step} s", f"{step}/{own}")]
    show(table(("neo4j", *header), ratios))
    show("bytes/edge: the client's peak while reading, beyond the arrays")


OWN = (("CREATE", "load"), ("scan", "read"), ("SET", "write"))
"""What the server does by itself, and what it is compared with."""
AIMS = {"load": LOAD_AIM, "read": READ_AIM, "write": WRITE_AIM}


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
        scan, set_all, create = _own(store, len(graph), graph.edges)
        store.init()
        found["CREATE"], _ = stopwatch(create)  # first: a new server numbers its nodes one after the other
        found["load"], _ = _both(found, "load", lambda: store.load("bench", graph))
        best: dict[str, float] = {}
        for _ in range(TURNS):
            _keep(best, "scan", stopwatch(scan)[0])
            before = mark_peak()
            spent, read = _both(found, "read", lambda: store.read("bench"))
            _keep(best, "read", spent)
            found["memory"] = peak() - before
            found["arrays"] = _bytes(read)
            spent, mechanism = _both(found, "extend", lambda: neodp.extend(read))  # noqa: B023
            _keep(best, "extend", spent)
            _keep(best, "SET", stopwatch(set_all)[0])
            _keep(best, "write", _both(found, "write", lambda: store.write("bench", mechanism))[0])  # noqa: B023
        found["audit"], _ = _both(found, "audit", lambda: _audit(store))
        return found | best


def _both(found: dict[str, float], what: str, work: Callable[[], T]) -> tuple[float, T]:
    """The wall time of some work, and what it returns; the least processor time is kept beside it."""
    before = time.process_time()
    spent, result = stopwatch(work)
    _keep(found, f"{what} processor", time.process_time() - before)
    return spent, result


def _before(checkout: str, folder: str, groups: list[int]) -> dict[str, float]:
    """The same by an older neodp."""
    code = f"import json; from bench.stores import _measure; print(json.dumps(_measure('old.db', {groups})))"
    environment = os.environ | {"PYTHONPATH": checkout}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _own(store: Store, datasets: int, edges: int) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
    """The server's own scan, SET and CREATE; nothing for the embedded store."""
    driver = getattr(getattr(store, "_session", None), "_driver", None)
    if driver is None:
        return (lambda: None), (lambda: None), (lambda: None)

    def go(*texts: str) -> Callable[[], Any]:
        def work() -> None:
            with driver.session(database="neo4j") as session:
                for text in texts:
                    done = session.run(text, graph="bench", datasets=datasets, edges=edges).consume()
                    if text == CREATE_EDGES and done.counters.relationships_created != edges:
                        raise RuntimeError("the benchmark is wrong: the server did not create all edges")

        return work

    return go(SCAN), go(SET), go(CREATE_NODES, CREATE_EDGES)


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
    per_edge = max(0.0, (found["memory"] - found["arrays"]) / found["edges"])
    spent = (seconds(found[step]) for step in STEPS)
    counts = (f"{found['datasets']:,.0f}", f"{found['edges']:,.0f}")
    memory = f"{per_edge:.0f}: {met(per_edge <= MEMORY_AIM)}"
    return (store, *counts, *spent, megabytes(found["memory"]), memory)


def _processor(found: dict[str, float]) -> tuple[str, ...]:
    return ("  processor time", "", "", *(seconds(found[f"{step} processor"]) for step in STEPS), "", "")


def _ratios(found: dict[str, float]) -> tuple[str, ...]:
    cells = [f"{found['datasets']:,.0f}"]
    for own, step in OWN:
        ratio, aim = found[step] / found[own], AIMS[step]
        cells += [seconds(found[own]), seconds(found[step]), f"{times(ratio)} (aim {aim:g}: {met(ratio <= aim)})"]
    return tuple(cells)


def _faster(before: dict[str, float], found: dict[str, float]) -> tuple[str, ...]:
    cells = [f"{found['datasets']:,.0f}"]
    for step in ("load", "read", "write", "audit"):
        ratio, aim = before[step] / found[step], BEFORE_AIMS.get(step)
        verdict = f" (aim {aim:g}: {met(ratio >= aim)})" if aim else ""
        cells += [seconds(before[step]), seconds(found[step]), times(ratio) + verdict]
    return tuple(cells)
