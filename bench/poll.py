"""A private answer from a table of people, and the best boundary for a prior.

What is measured
----------------
*poll*, from a CSV file of people to the probabilities of the true dataset: *read* turns the file into groups and
counts, *known* computes everything that is shown before an answer, *evaluate* computes the mechanism at the true
dataset, *check* is the exact check of its privacy towards every neighbouring dataset. The table shows how the times
grow with the numbers of people and of levels, and how many datasets the graph would have. *peak* is by how much all of
it raises the peak of memory.

*A million people in a thousand levels*: the same command, as a preview and as a release by both mechanisms, on a file
of a million rows, including the start of the program. The aim is 15 s of processor time each.

*Accuracy*: :mod:`bench.poll_accuracy`, which also has a long sweep, in parts: ``python -m bench poll --sweep 1/12``.

*Medians and counts*: :mod:`bench.poll_outcomes`.

For comparison, ``extend`` on the whole counts graph of fewer people, with which poll agrees to 1e-12.

*optimize*: all of it, and the linear program alone with rows on demand and with all rows of its classes at once. The
optima are compared, and the benchmark fails if they differ by more than 1e-6.

How
---
Each case runs in a process of its own; processor time, the best of three turns.
"""

from __future__ import annotations

import csv
import math
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import neodp
from bench import poll_accuracy, poll_outcomes
from bench.process import Process, mark_peak, peak, processor_time, stopwatch
from bench.report import megabytes, seconds, show, table, times
from neodp import polls
from neodp.core.symmetry import classes
from neodp.data.tables import read_table
from neodp.polls.costs import chance, crossing
from neodp.study import optimum as optimize

__all__ = ["run"]

TURNS = 3
AIM = 15
"""The largest processor time for a million people in a thousand levels, in seconds."""
COMMAND = "of processor time: the whole command for 100,000 people in 5 levels, from its start to its end"
STEPS = ("read", "known", "evaluate", "check")


def run(quick: bool, sweep: tuple[int, int] | None = None) -> None:
    """Measure and print: everything in about four minutes of processor time, or only one part of the sweep."""
    if sweep is not None:
        poll_accuracy.sweep(*sweep)
        return
    most = 100_000 if quick else 1_000_000
    people = [n for n in (1_000, 10_000, 100_000, 1_000_000) if n <= most]
    levels = [1, 20] if quick else [1, 20, 100]
    header = ("people", "levels", "query", "datasets", *STEPS, "total", "peak MB")
    cases = [(n, 5, "majority") for n in people] + [(100_000, n, "majority") for n in levels]
    cases += [(100_000, 5, "plurality")]
    show("poll: seconds", table(header, [_row(*case) for case in cases]), f"{_command():.1f} s: {COMMAND}")
    _million(quick)
    poll_accuracy.run(quick)
    poll_outcomes.run(quick)
    _beside(quick)
    _programs(quick)


def _row(people: int, levels: int, query: str) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder, Process() as process:
        file = str(Path(folder, "people.csv"))
        process.call(_write, file, people, levels, query)
        found = process.call(_measure, file, query)
    size = sum(found[step] for step in STEPS)
    steps = (seconds(found[step]) for step in STEPS)
    return f"{people:,}", f"{levels}", query, found["datasets"], *steps, seconds(size), megabytes(found["peak"])


def _command() -> float:
    """Return the processor time of the command, the best of some turns."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "people.csv"))
        _write(file, 100_000, 5, "majority")
        words = [sys.executable, "-m", "neodp", "poll", file, "--vote", "vote", "--epsilon", "epsilon", "--reveal"]
        return min(_child(words)[1] for _ in range(TURNS))


def _million(quick: bool) -> None:
    """Measure the command on a real file: processor time and wall time of a child process."""
    people, levels = (100_000, 100) if quick else (1_000_000, 1_000)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for query in ("majority", "plurality"):
            file = str(Path(folder, f"{query}.csv"))
            _write(file, people, levels, query)
            words = [sys.executable, "-m", "neodp", "--store", str(Path(folder, "answers.db")), "poll", file]
            words += ["--vote", "vote", "--epsilon", "epsilon", "--query", query]
            words += [] if query == "majority" else ["--options", ",".join(_options(query))]
            for mechanism, release in (("balanced", False), ("balanced", True), ("weighted", True)):
                asked = ["--mechanism", mechanism, "--release", mechanism, "--population", f"{query} {mechanism}"]
                passed, spent = _child([*words, *(asked if release else [])])
                verdict = "met" if spent <= AIM else "missed"
                what = f"release, {mechanism}" if release else "preview"
                rows.append([f"{people:,}", f"{levels:,}", query, what, seconds(spent), seconds(passed), verdict])
    header = ("people", "levels", "query", "command", "processor s", "wall s", f"at most {AIM} s of processor time")
    show("Many people in many levels, from a file", table(header, rows))


def _child(words: list[str]) -> tuple[float, float]:
    """Run a command, and return its wall time and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    passed, _ = stopwatch(lambda: subprocess.run(words, check=True, capture_output=True))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _options(query: str) -> list[str]:
    return ["yes", "no"] if query == "majority" else ["a", "b", "c"]


def _write(file: str, people: int, levels: int, query: str) -> None:
    """Write people with random votes, each with one of `levels` epsilons from 0.1 to 2."""
    rng = random.Random(1)
    epsilon = np.linspace(0.1, 2.0, levels).tolist()
    with Path(file).open("w", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["vote", "epsilon"])
        options = _options(query)
        writer.writerows([rng.choice(options), rng.choice(epsilon)] for _ in range(people))


def _measure(file: str, query: str) -> dict[str, Any]:
    """Return the best of some turns, step by step."""
    before = mark_peak()
    turns = [_turn(file, query) for _ in range(TURNS)]
    best: dict[str, Any] = {step: min(turn[step] for turn in turns) for step in STEPS}
    options, groups = len(_options(query)), _tally(file, query).groups
    size = math.prod(math.comb(group.size + options - 1, options - 1) for group in groups)
    return best | {"peak": peak() - before, "datasets": f"10^{math.log10(size):.0f}"}


def _turn(file: str, query: str) -> dict[str, float]:
    chance.cache_clear()
    crossing.cache_clear()
    read, counted = processor_time(lambda: _tally(file, query))
    poll = polls.poll(counted.groups, query, _options(query))
    evaluate, _ = processor_time(lambda: poll.distribution(counted.counts))
    check, broken = processor_time(lambda: polls.violations(poll, counted.counts))
    if broken:
        raise RuntimeError(f"the benchmark is wrong: {broken[0]}")
    known, _ = processor_time(lambda: _known(poll))
    return {"read": read, "known": known, "evaluate": evaluate, "check": check}


def _tally(file: str, query: str) -> polls.Tally:
    columns = read_table(Path(file), ("vote", "epsilon"))
    each = polls.epsilons(columns["epsilon"], {}, str)
    return polls.tally(columns["vote"], each, str, options=_options(query))


def _known(poll: polls.Poll) -> list[Any]:
    return [*map(poll.at, (1, 2, 5, 10, 20, 50, 100)), *map(poll.margin_for, (0.9, 0.95, 0.99, 0.999))]


# --- the whole graph --------------------------------------------------------------------------------------------------


def _beside(quick: bool) -> None:
    with Process() as process:
        rows = [process.call(_whole, n) for n in ([20, 46] if quick else [20, 46, 100])]
    header = ("people in three groups", "datasets", "extend, whole graph", "poll, one dataset", "times", "difference")
    show("Beside the whole graph: seconds", table(header, rows))


def _whole(n: int) -> tuple[str, ...]:
    epsilon = [0.1, 0.5, 1.0]
    graph = neodp.generate.counts([n] * 3, epsilon=epsilon)
    graph = graph.with_alpha(neodp.balanced(graph))
    neodp.extend(graph)
    spent, mechanism = processor_time(lambda: neodp.extend(graph))
    poll = polls.poll([polls.Group(e, n) for e in epsilon])
    rng = np.random.default_rng(1)
    keys = rng.choice(len(graph), 200, replace=False)
    datasets = [np.array([[int(x), n - int(x)] for x in graph.key(v).split("-")]) for v in keys]
    each, rows = processor_time(lambda: [poll.distribution(counts) for counts in datasets])
    small, exact = np.min(rows, axis=1), np.minimum(mechanism.p, mechanism.q)[keys]
    difference = float(np.max(np.abs(small / exact - 1.0)))
    if difference > 1e-12:
        raise RuntimeError(f"the benchmark is wrong: poll and extend differ by {difference:.2g}")
    one = each / len(rows)
    return f"{3 * n:,}", f"{len(graph):,}", seconds(spent), seconds(one), times(spent / one), f"{difference:.1g}"


# --- the linear program -----------------------------------------------------------------------------------------------


def _programs(quick: bool) -> None:
    with Process() as process:
        process.call(_cube, 4)
        rows = [process.call(_counts, n) for n in ([6, 10, 14] if quick else [10, 20, 30])]
        rows += [process.call(_points, 2_000 if quick else 20_000), process.call(_cube, 14)]
    header = (
        "graph",
        "datasets",
        "classes",
        "rows",
        "of",
        "optimize",
        "solve",
        "all rows",
        "times",
        "balanced",
        "best",
    )
    show("optimize, uniform prior: seconds", table(header, rows))


def _counts(n: int) -> tuple[str, ...]:
    return _solved(f"counts([{n}] * 3)", neodp.generate.counts([n] * 3, epsilon=[0.1, 0.5, 1.0]))


def _points(n: int) -> tuple[str, ...]:
    return _solved(f"random_geometric({n:,})", neodp.generate.random_geometric(n, epsilon=(0.1, 1.0), seed=1))


def _cube(d: int) -> tuple[str, ...]:
    return _solved(f"hypercube({d})", neodp.generate.hypercube(d, epsilon=0.3))


def _solved(title: str, graph: neodp.DatasetGraph) -> tuple[str, ...]:
    weights = optimize.prior(graph)
    even = neodp.extend(graph.with_alpha(neodp.balanced(graph)))
    spent, best = processor_time(lambda: optimize.optimize(graph, weights))
    program = optimize._BoundaryProgram.of(graph, weights, classes(graph, weights), even.p)
    some, _ = processor_time(lambda: program.solve(0.0))
    program.kept[:] = True
    every, (_, value, _, _) = processor_time(lambda: program.solve(0.0))
    if abs(value - best.bound) > 1e-6:
        raise RuntimeError(f"the benchmark is wrong: the optima are {value} and {best.bound}")
    figures = f"{len(graph):,}", f"{best.classes:,}", f"{best.rows:,}", f"{len(program.rows.a):,}"
    time = seconds(spent), seconds(some), seconds(every), times(every / some)
    return title, *figures, *time, f"{even.p_true.mean():.4f}", f"{best.expected:.4f}"
