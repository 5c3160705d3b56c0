"""The plugin inside the server, compared with the client, which moves the graph out and back, and with Neo4j GDS.

What is measured
----------------
Count lattices of 10^5 and 10^6 datasets with three times as many edges (``--quick``: 10^4) on one real Neo4j server
with the plugin and with GDS:

* ``neodp.extend.write``, compared with the server's own ``SET`` of the same four properties on all datasets, and with
  the client's read, extension and write-back;
* ``neodp.eval`` of datasets 0 to 3 edges away from the boundary, compared with the client's search;
* ``neodp.audit``, compared with the client's reading and auditing;
* the same two with three colours: the plurality of as many voters as make a tenth as many datasets, with one epsilon
  and with two;
* ``neodp.ask.reveal`` of a graph of people, a tenth as many as datasets with three friendships each and personal
  epsilons, at nine tenths of its pairs, compared with the client: both read the matches and find the same distance;
* ``neodp.poll.reveal`` of the same people's votes, with secret levels, compared with the client: both read the people
  and find the same chances;
* GDS (OpenGDS) doing the part of ``extend.write`` that it can do: a projection, and the two runs of shortest paths from
  a virtual source that :mod:`bench.peers` explains. The result of the first run is not written; that of the second run
  is written as ``p_true``, one property of the four. The virtual source and its offsets are made beforehand.

How
---
They take turns, twice, after a turn on a small graph that compiles the code; a time is the best of its turns. GDS has
one turn. For single datasets, a time is the median of twenty, in the last of twenty rounds: a server that has been
running for a while has compiled the code that it runs often, and so has the client. The benchmark also checks that all
sides give the same numbers: the client's agree in every bit, those of GDS, which calculates with logarithms, to 1e-9 on
a tenth of the datasets. *processor s* is what the server and this program spent together in the same turn, for the
plugin and for what it is compared with.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import neodp
from bench.process import Process, peak, stopwatch
from bench.report import megabytes, seconds, show, table, times
from bench.stores import SET, server
from neodp import generate
from neodp.core.boundary import distance
from neodp.polls.from_graph import PeopleQuery
from neodp.polls.people import People
from neodp.polls.secret_survey import SecretSurvey
from neodp.store import open_store
from neodp.store.neo4j import Neo4jPort
from neodp.store.verbs import Engine
from tools.neo4j_server import ServerUnavailable

__all__ = ["run"]

SIZES = ([45, 46, 46], [99, 99, 99])
WARM, QUICK = [8, 8, 8], ([20, 21, 21],)
TURNS, SAMPLES, ROUNDS = 2, 5, 20
JAR = Path(__file__).parents[1] / "plugin" / "target" / "neodp-plugin.jar"
GDS = ("org.neo4j.gds:proc:2.13.9", "org.neo4j.gds:opengds-extension:2.13.9")
ALLOWED = {"dbms.security.procedures.unrestricted": "gds.*"}

HEADER = ("datasets", "plugin", "s", "beside it", "s", "ratio", "aim", "", "processor s")
ROWS = (
    ("write", "extend.write", "set", "the server's own SET", "at most", 0.9),
    ("write", "extend.write", "client", "client: read, extend, write", "at least", 3.5),
    ("eval", "eval, one dataset", "client_eval", "client: search", "at least", 10.0),
    ("audit", "audit", "client_audit", "client: read, audit", "at least", 4.0),
    ("table", "extend.write, k = 3, one epsilon", "client_table", "client: read, extend, write", "", 0.0),
    ("mixed", "extend.write, k = 3, two epsilons", "client_mixed", "client: read, extend, write", "", 0.0),
    ("audit3", "audit, k = 3", "client_audit3", "client: read, audit", "", 0.0),
    ("ask", "ask, pairs of people", "client_ask", "client: read, distance", "", 0.0),
    ("poll", "poll, secret levels", "client_poll", "client: read, chances", "", 0.0),
    ("write", "extend.write", "gds_project", "GDS: projection", "", 0.0),
    ("write", "extend.write", "gds_run", "GDS: first run", "", 0.0),
    ("write", "extend.write", "gds_write", "GDS: second run, p_true written", "", 0.0),
    ("write", "extend.write", "gds", "GDS: all of it", "", 0.0),
)

SOURCE = """
MATCH (d:Dataset {graph: $graph}) WHERE d.distance = 0
WITH collect(d) AS boundary
CREATE (s:BenchSource)
WITH s, boundary UNWIND boundary AS d
CREATE (s)-[:BENCH {forward: 1 + log(d.p_true), backward: -log(1 - d.p_true)}]->(d)
RETURN count(*) AS edges
"""
PROJECT = """
CALL () {
  MATCH (a:Dataset {graph: $graph})-[r:NEIGHBOR]->(b:Dataset) WHERE a.color = b.color
  RETURN a, b, r.epsilon AS forward, r.epsilon AS backward
  UNION ALL
  MATCH (a:BenchSource)-[r:BENCH]->(b) RETURN a, b, r.forward AS forward, r.backward AS backward
}
WITH gds.graph.project('bench', a, b, {relationshipProperties: {forward: forward, backward: backward}},
                       {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.nodeCount AS nodes
"""
RUN = """
MATCH (s:BenchSource)
CALL gds.allShortestPaths.delta.stats('bench', {sourceNode: s, relationshipWeightProperty: 'forward'})
YIELD computeMillis RETURN computeMillis
"""
WRITE = """
MATCH (s:BenchSource)
CALL gds.allShortestPaths.delta.stream('bench', {sourceNode: s, relationshipWeightProperty: 'backward'})
YIELD targetNode, totalCost
WITH gds.util.asNode(targetNode) AS d, totalCost WHERE d:Dataset
CALL (d, totalCost) { SET d.p_true = 1 - exp(-totalCost) } IN TRANSACTIONS OF 20000 ROWS
"""
FORGET = """
CALL gds.graph.drop('bench', false) YIELD graphName
WITH count(*) AS dropped
MATCH (s:BenchSource) DETACH DELETE s
"""


class Spent(NamedTuple):
    """Seconds of wall time, and of processor time."""

    clock: float
    processor: float


def run(quick: bool) -> None:
    """Measure and print."""
    if not JAR.exists():
        raise SystemExit("there is no plugin to measure: run 'make plugin' first")
    try:
        _run(quick, GDS)
    except ServerUnavailable as unavailable:
        show(f"Without GDS, which is not to be had: {unavailable}")
        _run(quick, ())


def _run(quick: bool, gds: tuple[str, ...]) -> None:
    found = []
    with (
        server(plugins=[JAR], artifacts=gds, config=ALLOWED if gds else {}) as neo4j,
        Process(**neo4j.environment()) as process,
    ):
        for groups in (WARM, *(QUICK if quick else SIZES)):
            found.append(process.call(_measure, neo4j.uri, neo4j.pid, groups, bool(gds)))
    show(table(HEADER, [row for sizes in found[1:] for row in _rows(sizes)]))
    last = found[-1]
    show(
        f"extend.write of {last['datasets']:,} datasets: read, compute, write {last['parts']} ms. Peak memory: server "
        f"{megabytes(last['server_peak'])} MB (its heap is 3 GiB), client {megabytes(last['client_peak'])} MB."
    )


def _measure(address: str, pid: int | None, groups: list[int], gds: bool) -> dict[str, Any]:
    """Return the times of all engines, for one size."""
    graph = generate.counts(groups, epsilon=[0.2, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    found: dict[str, Any] = {"datasets": len(graph)}
    name = f"bench {len(graph)}"
    with open_store(address) as store:
        store.load(name, graph)
        assert isinstance(store.port, Neo4jPort)
        driver = store.port.connection.driver

        def call(text: str, **values: Any) -> Any:
            with driver.session(database="neo4j") as session:
                return [record.data() for record in session.run(text, graph=name, **values)]

        def keep(what: str, work: Callable[[], Any]) -> Any:
            spent, result = _spent(pid, work)
            found[what] = min(spent, found.get(what, spent))
            return result

        for turn in range(TURNS):
            keep("set", lambda: call(SET))
            stats = keep("write", lambda: call("CALL neodp.extend.write($graph)"))[0]
            found["parts"] = ", ".join(f"{stats[f'{part}Millis']:,}" for part in ("preProcessing", "compute", "write"))
            if gds and turn == 0:
                _gds(call, keep)
            keep("client", lambda: store.write(name, neodp.extend(store.read(name))))
            report = keep("audit", lambda: call("CALL neodp.audit($graph)"))[0]
            mine = keep("client_audit", lambda: _audited(store, name))
            if report["stale"] or report["violations"] != mine.violations:
                raise RuntimeError(f"the benchmark is wrong: {report}, {mine}")
            _asked(store, call, keep, len(graph) // 10)
            _polled(store, call, keep, len(graph) // 10)
        found |= _evaluated(store, name, call, graph, pid)
        found |= _rainbow(store, pid, len(graph))
        found |= {"server_peak": _peak(pid), "client_peak": peak()}
    return found


def _rainbow(store: neodp.store.Store, pid: int | None, datasets: int) -> dict[str, Spent]:
    """Return the times with three colours; the plugin and the client must give the same numbers."""
    voters = 2
    while (voters + 1) * (voters + 2) // 2 < datasets / 10:
        voters += 1
    found: dict[str, Spent] = {}
    engines: tuple[Engine, ...] = ("server", "client")
    for kind in ("table", "mixed"):
        graph = generate.plurality(voters, options=3, epsilon=0.5)
        if kind == "mixed":
            graph = replace(graph, epsilon=np.where(np.arange(graph.edges) % 2, 0.5, 0.75))
        name = f"bench {kind} {datasets}"
        store.load(name, graph.with_alpha(neodp.balanced(graph)))
        rows: dict[str, Any] = {}
        for _ in range(TURNS):
            for side, engine in zip((kind, f"client_{kind}"), engines, strict=True):
                spent, ran = _spent(pid, partial(store.extend, name, engine=engine))
                found[side] = min(spent, found.get(side, spent))
                rows[engine] = (replace(ran.result), store.mechanism(name).mechanism.probabilities)
        if rows["server"][0] != rows["client"][0] or not np.array_equal(rows["server"][1], rows["client"][1]):
            raise RuntimeError(f"the benchmark is wrong: {rows}")
    for _ in range(TURNS):
        for side, engine in zip(("audit3", "client_audit3"), engines, strict=True):
            spent, _ = _spent(pid, partial(store.audit, name, engine=engine))
            found[side] = min(spent, found.get(side, spent))
    return found


def _gds(call: Callable[..., Any], keep: Callable[[str, Callable[[], Any]], Any]) -> None:
    """Run GDS after the plugin has written, so that the virtual source knows the chances on the boundary."""
    truth = (
        "MATCH (d:Dataset {graph: $graph}) WHERE d.key STARTS WITH '2' RETURN d.key AS key, d.p_true AS p ORDER BY key"
    )
    expected = call(truth)
    call(SOURCE)
    keep("gds_project", lambda: call(PROJECT))
    keep("gds_run", lambda: call(RUN))
    keep("gds_write", lambda: call(WRITE))
    off = max(abs(one["p"] - other["p"]) for one, other in zip(call(truth), expected, strict=True))
    call(FORGET)
    if off > 1e-9:
        raise RuntimeError(f"the benchmark is wrong: GDS is {off} off")


def _asked(
    store: neodp.store.Store, call: Callable[..., Any], keep: Callable[[str, Callable[[], Any]], Any], people: int
) -> None:
    """Measure a question about a random graph of people, by the plugin and by the client."""
    label, chance = f"Bench{people}", np.random.default_rng(people)
    if not call(f"MATCH (p:{label}) RETURN p.id AS id LIMIT 1"):
        levels = chance.choice([0.1, 0.5, 1.0, 2.0], people).tolist()
        call(f"CREATE CONSTRAINT {label}_id FOR (p:{label}) REQUIRE p.id IS UNIQUE")
        call(
            f"UNWIND range(0, size($levels) - 1) AS i CALL (i) {{ CREATE (:{label} {{id: i, epsilon: $levels[i], "
            "vote: $votes[i]}) } IN TRANSACTIONS OF 20000 ROWS",
            levels=levels,
            votes=chance.choice(["yes", "no"], people).tolist(),
        )
        call(
            f"UNWIND $pairs AS pair CALL (pair) {{ MATCH (a:{label} {{id: pair[0]}}), (b:{label} {{id: pair[1]}}) "
            "CREATE (a)-[:KNOWS]->(b) } IN TRANSACTIONS OF 20000 ROWS",
            pairs=chance.integers(0, people, (3 * people, 2)).tolist(),
        )
    store.protect(neodp.Protection(label, "epsilon", people=label, properties=("vote",)))
    question = f"MATCH (a:{label})-[:KNOWS]-(b:{label})"
    t = 3 * people * 9 // 10
    told = keep("ask", lambda: call("CALL neodp.ask.reveal($label, $q, {atLeast: $t})", label=label, q=question, t=t))
    mine = keep("client_ask", lambda: neodp.ask(store, label, question, at_least=t).reveal())
    if (told[0]["distance"], told[0]["probabilities"]) != (mine.distance, dict(mine.probabilities)):
        raise RuntimeError(f"the benchmark is wrong: {told}, {mine}")


def _polled(
    store: neodp.store.Store, call: Callable[..., Any], keep: Callable[[str, Callable[[], Any]], Any], people: int
) -> None:
    """Measure a poll of the same people, by the plugin and by the client."""
    label = f"Bench{people}"
    told = keep("poll", lambda: call("CALL neodp.poll.reveal($label, {vote: 'vote'})", label=label))[0]
    mine = keep("client_poll", lambda: _revealed(store, label))
    if (told["votes"], told["probabilities"]) != (mine["votes"], mine["probabilities"]):
        raise RuntimeError(f"the benchmark is wrong: {told}, {mine}")


def _revealed(store: neodp.store.Store, label: str) -> Mapping[str, Any]:
    query = PeopleQuery.parse(f"MATCH (p:{label}) RETURN p.vote AS vote, p.epsilon AS epsilon")
    people = People.from_result(store.select(query.cypher), query.cypher)
    survey = neodp.poll(people, vote="vote", epsilon="epsilon", name=label, secret_levels=True)
    assert isinstance(survey, SecretSurvey)
    return survey.revealed("vote")


def _evaluated(
    store: neodp.store.Store, name: str, call: Callable[..., Any], graph: neodp.DatasetGraph, pid: int | None
) -> dict[str, Spent]:
    """Return medians over datasets near the boundary, of the last of several rounds."""
    away = distance(graph)
    keys = [graph.key(v) for d in range(4) for v in _spread(np.flatnonzero(away == d))]
    sides: dict[str, Callable[[str], Any]] = {
        "eval": lambda key: call("CALL neodp.eval($graph, [$key])", key=key)[0]["probabilities"],
        "client_eval": lambda key: store.evaluate(name, [key], engine="ball").evaluations[0].probabilities,
    }
    spent: dict[str, Spent] = {}
    found: dict[str, list[Any]] = {}
    for _ in range(ROUNDS):
        for side, search in sides.items():
            processor, clocks, found[side] = _processor(pid), [], []
            for key in keys:
                start = time.perf_counter()
                found[side].append(search(key))
                clocks.append(time.perf_counter() - start)
            spent[side] = Spent(statistics.median(clocks), (_processor(pid) - processor) / len(keys))
        if found["eval"] != found["client_eval"]:
            raise RuntimeError(f"the benchmark is wrong: {found}")
    return spent


def _spread(datasets: NDArray[np.int64]) -> NDArray[np.int64]:
    return datasets[:: max(1, len(datasets) // SAMPLES)]


def _audited(store: neodp.store.Store, name: str) -> neodp.Audit:
    stored = store.mechanism(name)
    return neodp.audit(stored.mechanism.graph, stored.mechanism)


def _spent(pid: int | None, work: Callable[[], Any]) -> tuple[Spent, Any]:
    before = _processor(pid)
    clock, result = stopwatch(work)
    return Spent(clock, _processor(pid) - before), result


def _processor(pid: int | None) -> float:
    """Return the processor time of the server and of this process, in seconds; the server's in steps of 0.01."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / 100


def _peak(pid: int | None) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return one row for each comparison."""
    if "gds_write" in found:
        parts = [found[f"gds_{part}"] for part in ("project", "run", "write")]
        found["gds"] = Spent(sum(part.clock for part in parts), sum(part.processor for part in parts))
    rows: list[tuple[str, ...]] = []
    for mine, name, other, beside, bound, aim in ROWS:
        if other not in found:
            continue
        one, two = found[mine], found[other]
        ratio = one.clock / two.clock if bound == "at most" else two.clock / one.clock
        met = ratio <= aim if bound == "at most" else ratio >= aim
        rows.append(
            (
                f"{found['datasets']:,}",
                name,
                seconds(one.clock),
                beside,
                seconds(two.clock),
                times(ratio),
                f"{bound} {aim:g}" if bound else "",
                ("met" if met else "missed") if bound else "",
                f"{one.processor:.2f}, {two.processor:.2f}",
            )
        )
    return rows
