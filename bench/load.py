"""Many clients at once: single datasets on demand and stored answers, on one store.

What is measured
----------------
16 clients share a store with one graph (a count lattice of 2,601 datasets). Each makes one request that loads its
libraries and is not counted; then it asks for datasets at random, then for answers under names of its own. On Neo4j, a
client is a process with its own connection. The embedded file is measured twice: with threads of one process that share
a store, and with processes, each of which opens the file. The table has the throughput, the median, the 99th percentile
and the longest of all waits, and how many requests failed. For the embedded store, the table also has the target
throughput with threads, ten times that of the engine before SQLite (28.5 evals and 14.9 answers a second), and how many
transactions of one row bare SQLite commits a second on the same disk: answers, stored one at a time, cannot be faster.
After that:

* the ledger must hold exactly the answers that were given, no more and no less, and its account must be their sum;
* the last tenth of the answers must not take longer than the first tenth: ``last/first`` compares their medians, which
  would grow with the number of answers if each answer read all others (aim 1.5);
* the clients' memory must not grow: ``+MB`` is by how much the largest client grew after the first tenth of its
  requests (aim 20).

    python -m bench load                                    # all of it, the sizes below
    python -m bench.load embedded                           # one part: embedded, processes or neo4j
    python -m bench.load neo4j --evals 100000 --answers 10000 --clients 16
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import neodp
from bench.process import Process
from bench.report import machine, met, seconds, show, table, times
from bench.stores import server
from neodp import generate
from neodp.errors import NeodpError
from neodp.ledger.account import Limit
from neodp.store import Settings, Store, open_store

__all__ = ["run"]

GRAPH = generate.counts([50, 50], epsilon=[0.5, 1.0])
CLIENTS = 16
SIZES = {"embedded": (10_000, 2_000), "processes": (10_000, 2_000), "neo4j": (100_000, 10_000)}
"""The numbers of datasets and of answers that are asked for."""
QUICK = {"embedded": (160, 160), "processes": (160, 160), "neo4j": (320, 320)}
RATE_AIM = {"eval": 285.0, "answer": 149.0}
COMMITS = 200
GROWTH_AIM, MEMORY_AIM = 1.5, 20.0
HEADER = ("store", "what", "requests", "failed", "1/s", "aim", "median s", "99 % s", "longest s", "last/first", "+MB")


@dataclass(frozen=True)
class Served:
    """The measurements of one client: when each request began and how long it took, in seconds; its memory, in MB."""

    began: tuple[float, ...]
    took: tuple[float, ...]
    failures: tuple[str, ...]
    gained: float


def run(quick: bool) -> None:
    """Measure and print."""
    for kind, (evals, answers) in (QUICK if quick else SIZES).items():
        measure(kind, evals, answers, CLIENTS)


def measure(kind: str, evals: int, answers: int, clients: int) -> None:
    """Put load on one kind of store, and print the measurements."""
    if kind == "neo4j":
        with server() as neo4j:
            _by_processes(kind, Settings(neo4j.uri, neo4j.user, neo4j.password), evals, answers, clients)
        return
    with tempfile.TemporaryDirectory() as folder:
        show(f"bare SQLite keeps {_commits(folder):.0f} transactions a second on this disk")
        path = Path(folder) / "load.db"
        if kind == "processes":
            _by_processes("embedded, processes", Settings(str(path)), evals, answers, clients)
            return
        with open_store(path) as store, ThreadPoolExecutor(clients) as pool:
            _prepare(store, answers)
            _measure(kind, store, [pool.submit] * clients, None, evals, answers)


def _by_processes(kind: str, settings: Settings, evals: int, answers: int, clients: int) -> None:
    with open_store(settings) as store, ExitStack() as stack:
        _prepare(store, answers)
        processes = [stack.enter_context(Process()) for _ in range(clients)]
        _measure(kind, store, [process.begin for process in processes], settings, evals, answers)


def _commits(folder: str) -> float:
    """Return how many transactions of one row SQLite commits a second, as durably as the store."""
    with closing(sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("CREATE TABLE kept (answer TEXT)")
        start = time.perf_counter()
        for _ in range(COMMITS):
            connection.execute("INSERT INTO kept VALUES ('yes')")
        return COMMITS / (time.perf_counter() - start)


def _prepare(store: Store, answers: int) -> None:
    store.load("load", GRAPH.with_alpha(neodp.balanced(GRAPH)))
    store.extend("load")
    store.allow("default", Limit(answers, 1e9))


Begin = Callable[..., Future[Served]]


def _measure(kind: str, store: Store, begin: list[Begin], settings: Settings | None, evals: int, answers: int) -> None:
    where: Any = settings if settings is not None else store

    def ask_all(ask: Callable[[Store, int, int], object], requests: int) -> list[Served]:
        shares = [requests // len(begin) + (i < requests % len(begin)) for i in range(len(begin))]
        waiting = [each(_client, where, ask, i, n) for i, (each, n) in enumerate(zip(begin, shares, strict=True))]
        return [future.result() for future in waiting]

    rows = []
    ask_all(_eval, len(begin))
    for what, ask, requests in (("eval", _eval, evals), ("answer", _answer, answers)):
        start = time.perf_counter()
        served = ask_all(ask, requests)
        rows.append(_row(kind, what, served, time.perf_counter() - start))
        _explain(served)
    show(table(HEADER, rows))
    ledger = store.ledger()
    exact = ledger.used == answers == len({release.name for release in ledger.releases})
    same = ledger.account == store.account()
    show(
        f"{kind}: {ledger.used:,} answers are kept of {answers:,} that were asked for: "
        f"{'exact' if exact else 'WRONG'}; the account is {'their sum' if same else 'NOT their sum'}; "
        f"aims: failed 0, last/first {GROWTH_AIM:g}, +MB {MEMORY_AIM:g}"
    )


def _client(where: Store | Settings, ask: Callable[[Store, int, int], object], client: int, requests: int) -> Served:
    """Make a number of requests; count failures, and go on."""
    if isinstance(where, Settings):
        with open_store(replace(where, patience=60.0)) as store:
            return _ask(store, ask, client, requests)
    return _ask(where, ask, client, requests)


def _ask(store: Store, ask: Callable[[Store, int, int], object], client: int, requests: int) -> Served:
    began, took, failures, before = [], [], [], 0.0
    for i in range(requests):
        start = time.perf_counter()
        try:
            ask(store, client, i)
        except NeodpError as e:
            failures.append(str(e))
        began.append(start)
        took.append(time.perf_counter() - start)
        if i == requests // 10:
            before = _resident()
    return Served(tuple(began), tuple(took), tuple(failures), _resident() - before)


def _eval(store: Store, client: int, i: int) -> object:
    return store.evaluate("load", [GRAPH.key(random.randrange(len(GRAPH)))])


def _answer(store: Store, client: int, i: int) -> object:
    return store.answer("load", GRAPH.key(random.randrange(len(GRAPH))), f"client {client} release {i}")


def _resident() -> float:
    """Return the memory of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _row(kind: str, what: str, served: list[Served], spent: float) -> tuple[str, ...]:
    began = np.concatenate([each.began for each in served])
    took = np.concatenate([each.took for each in served])[np.argsort(began)]
    tenth = max(1, len(took) // 10)
    gained = max(each.gained for each in served)
    growth = float(np.median(took[-tenth:]) / np.median(took[:tenth]))
    return (
        kind,
        what,
        f"{len(took):,}",
        str(sum(len(each.failures) for each in served)),
        f"{len(took) / spent:.1f}",
        f"{RATE_AIM[what]:g}: {met(len(took) / spent >= RATE_AIM[what])}" if kind == "embedded" else "",
        *(seconds(float(x)) for x in (np.median(took), np.quantile(took, 0.99), took.max())),
        f"{times(growth)}: {met(growth <= GROWTH_AIM)}",
        f"{gained:.1f}: {met(gained <= MEMORY_AIM)}",
    )


def _explain(served: list[Served]) -> None:
    for text in sorted({failure for each in served for failure in each.failures})[:5]:
        show(f"failed: {text}")


def main() -> None:
    """Run ``python -m bench.load STORE``, with sizes from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="Many clients at once on one store.")
    parser.add_argument("store", choices=sorted(SIZES))
    parser.add_argument("--evals", type=int, default=1_000, help="how many datasets are asked for")
    parser.add_argument("--answers", type=int, default=1_000, help="how many answers are asked for")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    options = parser.parse_args()
    show(machine())
    measure(options.store, options.evals, options.answers, options.clients)


if __name__ == "__main__":
    main()
