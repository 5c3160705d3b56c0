"""Dataset graphs through the stores: load, read, extend, write back, audit.

What is measured
----------------
Count lattices of 10^5 and 10^6 datasets with three times as many edges (``--quick``: 10^4), on the embedded store and
on a real Neo4j server, in a process of their own:

* load, read, ``extend``, write-back, and reading back and auditing the written mechanism;
* for the embedded store, in the same run, bare SQLite: the same arrays as blobs of 16 MiB, one ``tobytes()`` per
  column, with no index, digest or check; pages of 16 KiB, ``journal_mode=DELETE``, ``synchronous=FULL``, one
  transaction; a read fetches all blobs and makes arrays of them (``np.frombuffer``);
* for Neo4j, in the same run, the server's own scan (``sum(r.epsilon)``) compared with the read, its own ``SET`` of as
  many properties on all nodes compared with the write-back, and bare ``CREATE`` statements of as many nodes and
  relationships, with the same properties and indexes, compared with the load: the server makes up their values, so
  nothing is sent over the network;
* the peak of the client's memory while it reads, beyond the arrays it returns, per edge.

How
---
On Neo4j, reads, scans, SETs and write-backs take turns, twice; on the embedded store, loads, reads and write-backs take
turns with those of bare SQLite, five times, each time in new files. A time is the best of its turns. The server is the
one of the tests (``tools/neo4j_server.py``), with its full compiler and a heap of 3 GiB. Processor time is that of this
process: all that the embedded store takes, and the client's part of what Neo4j takes.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

import neodp
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, met, seconds, show, table, times
from neodp import DatasetGraph, generate
from neodp.store import Store, open_store
from neodp.store.neo4j import Neo4jPort
from tools import neo4j_server

__all__ = ["run"]

T = TypeVar("T")
SIZES = ([45, 46, 46], [99, 99, 99])
QUICK = ([20, 21, 21],)
TURNS, BARE_TURNS = 2, 5
READ_AIM, WRITE_AIM, LOAD_AIM, MEMORY_AIM = 4.0, 1.6, 1.5, 200.0
"""The largest ratios to the server's own scan, SET and CREATE; the largest number of bytes per edge."""
BARE_AIM = 3.0
"""The largest ratio of the time of the embedded store to that of bare SQLite."""
BLOB = 2**24
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
    embedded(quick)
    rows, ratios = [], []
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


def embedded(quick: bool) -> None:
    """Measure and print the embedded store, compared with bare SQLite."""
    rows, ratios = [], []
    for groups in QUICK if quick else SIZES:
        with tempfile.TemporaryDirectory() as folder, Process() as process:
            found = process.call(_measure, str(Path(folder) / "bench.db"), groups)
            rows += [_row("embedded", found), _processor(found)]
            ratios += process.call(_beside, folder, groups)
    show(table(HEADER, rows))
    show(table(("beside bare SQLite", "datasets", "bare s", "neodp s", "ratio", "aim", "bare MB", "neodp MB"), ratios))
    show("MB: what the process had at most, beyond what it had before")


OWN = (("CREATE", "load"), ("scan", "read"), ("SET", "write"))
"""The server's own operations, and the operations with which they are compared."""
AIMS = {"load": LOAD_AIM, "read": READ_AIM, "write": WRITE_AIM}


def server(**wishes: Any) -> AbstractContextManager[neo4j_server.Server]:
    """Start a real Neo4j server, with its full compiler and a heap of 3 GiB; `wishes` as in ``running``."""
    return neo4j_server.running(memory="3g", page_cache="1g", quick=False, **wishes)


def _measure(address: str, groups: list[int]) -> dict[str, float]:
    """Return all times in seconds, for one store and one size."""
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
    """Return the wall time of some work, and its result; record the least processor time as well."""
    before = time.process_time()
    spent, result = stopwatch(work)
    _keep(found, f"{what} processor", time.process_time() - before)
    return spent, result


def _beside(folder: str, groups: list[int]) -> list[tuple[str, ...]]:
    """Load, write and read a graph, in turns with bare SQLite."""
    graph = generate.counts(groups, epsilon=[0.2, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    mechanism = neodp.extend(graph)
    best: dict[str, float] = {}
    memory: dict[str, float] = {}

    def turn(what: str, work: Callable[[], T]) -> T:
        before = mark_peak()
        spent, result = stopwatch(work)
        memory[what] = min(memory.get(what, np.inf), peak() - before)
        _keep(best, what, spent)
        return result

    columns, rows = _columns(graph), {"rows": mechanism.probabilities}
    for _ in range(BARE_TURNS):
        with tempfile.TemporaryDirectory(dir=folder) as here:
            bare = Path(here) / "bare.db"
            turn("bare load", partial(_write_blobs, bare, columns))
            turn("bare write", partial(_write_blobs, bare, rows))
            turn("bare read", partial(_read_blobs, bare, columns))
            with open_store(Path(here) / "beside.db") as store:
                turn("load", partial(store.load, "bench", graph))
                turn("write", partial(store.write, "bench", neodp.extend(store.read("bench"))))
                turn("read", partial(store.read, "bench"))
    return [_ratio(step, len(graph), best, memory) for step in ("load", "write", "read")]


def _ratio(step: str, datasets: int, best: dict[str, float], memory: dict[str, float]) -> tuple[str, ...]:
    ratio = best[step] / best[f"bare {step}"]
    spent = [seconds(best[f"bare {step}"]), seconds(best[step]), times(ratio)]
    aim = f"{BARE_AIM:g}: {met(ratio <= BARE_AIM)}"
    return (step, f"{datasets:,}", *spent, aim, megabytes(memory[f"bare {step}"]), megabytes(memory[step]))


def _columns(graph: DatasetGraph) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a graph."""
    _, start, data = graph.keys.buffers()
    found: dict[str, np.ndarray[Any, Any]] = {"start": np.frombuffer(start, np.int32)[: len(graph) + 1]}
    found["keys"] = np.frombuffer(data, np.uint8)
    for name in ("color", "source", "target", "epsilon", "delta", "alpha"):
        found[name] = getattr(graph, name)
    return found


def _write_blobs(path: Path, columns: dict[str, np.ndarray[Any, Any]]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("page_size = 16384", "journal_mode = DELETE", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE IF NOT EXISTS blob (name TEXT, part INTEGER, data BLOB)")
    for name, column in columns.items():
        data = memoryview(column.tobytes())
        for first in range(0, len(data), BLOB):
            connection.execute("INSERT INTO blob VALUES (?, ?, ?)", [name, first, data[first : first + BLOB]])
    connection.execute("COMMIT")
    connection.close()


def _read_blobs(path: Path, columns: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    connection = sqlite3.connect(path, isolation_level=None)
    found: dict[str, Any] = {}
    for name, column in columns.items():
        parts = connection.execute("SELECT data FROM blob WHERE name = ? ORDER BY part", [name]).fetchall()
        data = parts[0][0] if len(parts) == 1 else b"".join(part for (part,) in parts)
        found[name] = np.frombuffer(data, column.dtype).reshape(column.shape)
    connection.close()
    return found


def _own(store: Store, datasets: int, edges: int) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
    """Return the server's own scan, SET and CREATE, which do nothing for the embedded store."""
    if not isinstance(store.port, Neo4jPort):
        return (lambda: None), (lambda: None), (lambda: None)
    driver = store.port.connection.driver

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
