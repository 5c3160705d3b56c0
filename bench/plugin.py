"""The plugin inside the server, beside the client that carries the graph out and back.

What is measured
----------------
Count lattices of 10^5 and 10^6 datasets with three times as many edges (``--quick``: 10^4) on one real Neo4j server
with the plugin:

* ``neodp.extend.write`` beside the server's own ``SET`` of the same four properties on all datasets, and beside the
  client's read, extension and write-back;
* ``neodp.eval`` of datasets 0 to 3 edges away from the boundary beside the client's search;
* ``neodp.audit`` beside the client's reading and auditing.

How
---
They take turns, twice, after a turn on a small graph that compiles; a time is the best of its turns. For single
datasets it is the median of twenty. That both sides give the same numbers is checked as well.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import neodp
from bench.process import Process, stopwatch
from bench.report import seconds, show, table, times
from bench.stores import SET, server
from neodp import generate
from neodp.boundary import distance
from neodp.store import open_store

__all__ = ["run"]

SIZES = ([45, 46, 46], [99, 99, 99])
WARM, QUICK = [8, 8, 8], ([20, 21, 21],)
TURNS, SAMPLES = 2, 5
SET_AIM, CLIENT_AIM, EVAL_AIM, AUDIT_AIM = 0.9, 3.5, 10.0, 4.0
JAR = Path(__file__).parents[1] / "plugin" / "target" / "neodp-plugin.jar"


def run(quick: bool) -> None:
    """Measure and print."""
    if not JAR.exists():
        raise SystemExit("there is no plugin to measure: run 'make plugin' first")
    found = []
    with server(plugins=[JAR]) as neo4j, Process(**neo4j.environment()) as process:
        process.call(_measure, neo4j.uri, WARM)
        found += [process.call(_measure, neo4j.uri, groups) for groups in (QUICK if quick else SIZES)]
    header = (
        "datasets",
        "SET s",
        "extend.write s",
        f"of SET (aim {SET_AIM:g})",
        "read, compute, write ms",
        "client s",
        f"faster (aim {CLIENT_AIM:g})",
    )
    show(table(header, [_extended(row) for row in found]))
    aims = (f"faster (aim {EVAL_AIM:g})", f"faster (aim {AUDIT_AIM:g})")
    header = ("datasets", "eval ms", "client ms", aims[0], "audit s", "client s", aims[1])
    show(table(header, [_others(row) for row in found]))


def _measure(address: str, groups: list[int]) -> dict[str, Any]:
    """All times in seconds, for one size."""
    graph = generate.counts(groups, epsilon=[0.2, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    away = distance(graph)
    found: dict[str, Any] = {"datasets": len(graph)}
    with open_store(address) as store:
        store.load("bench", graph)
        driver = store._session._driver  # type: ignore[attr-defined]

        def call(text: str, **values: Any) -> Any:
            with driver.session(database="neo4j") as session:
                return [record.data() for record in session.run(text, graph="bench", **values)]

        for _ in range(TURNS):
            _keep(found, "set", lambda: call(SET))
            stats = _keep(found, "write", lambda: call("CALL neodp.extend.write($graph)"))[0]
            found["parts"] = [stats[f"{part}_millis"] for part in ("read", "compute", "write")]
            _keep(found, "client", lambda: store.write("bench", neodp.extend(store.read("bench"))))
            report = _keep(found, "audit", lambda: call("CALL neodp.audit($graph)"))[0]
            mine = _keep(found, "client_audit", lambda: _audited(store))
            if report["stale"] or report["violations"] != mine.violations:
                raise RuntimeError(f"the benchmark is wrong: {report}, {mine}")
        keys = [graph.key(v) for d in range(4) for v in _spread(np.flatnonzero(away == d))]
        spent: dict[str, list[float]] = {"eval": [], "client_eval": []}
        for key in keys[:3] + keys:
            one, rows = stopwatch(lambda: call("CALL neodp.eval($graph, [$key])", key=key))  # noqa: B023
            two, ball = stopwatch(lambda: store.evaluate("bench", [key], engine="ball"))  # noqa: B023
            if rows[0]["probabilities"] != ball.evaluations[0].probabilities:
                raise RuntimeError(f"the benchmark is wrong: {rows[0]}, {ball}")
            spent["eval"].append(one)
            spent["client_eval"].append(two)
        found |= {name: statistics.median(values[3:]) for name, values in spent.items()}
        store.drop("bench")
    return found


def _spread(datasets: NDArray[np.int64]) -> NDArray[np.int64]:
    return datasets[:: max(1, len(datasets) // SAMPLES)]


def _audited(store: neodp.store.Store) -> neodp.Audit:
    stored = store.mechanism("bench")
    return neodp.audit(stored.mechanism.graph, stored.mechanism)


def _keep(best: dict[str, Any], what: str, work: Callable[[], Any]) -> Any:
    spent, result = stopwatch(work)
    best[what] = min(spent, best.get(what, spent))
    return result


def _extended(found: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{found['datasets']:,}",
        seconds(found["set"]),
        seconds(found["write"]),
        times(found["write"] / found["set"]),
        ", ".join(f"{part:,}" for part in found["parts"]),
        seconds(found["client"]),
        times(found["client"] / found["write"]),
    )


def _others(found: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{found['datasets']:,}",
        f"{1000 * found['eval']:.2f}",
        f"{1000 * found['client_eval']:.2f}",
        times(found["client_eval"] / found["eval"]),
        seconds(found["audit"]),
        seconds(found["client_audit"]),
        times(found["client_audit"] / found["audit"]),
    )
