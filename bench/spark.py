"""Blocks on Spark, compared with the same blocks in processes of this machine: the cost of Spark itself.

Counts of three groups are balanced, extended and audited by Spark with two threads (``local[2]``), and by two
processes without Spark. Both do the same steps, in as many rounds, with the same messages. *Memory* is that of all
processes together, Java's and Python's, sampled every tenth of a second. Spark is started anew for ``balanced``,
``extend`` and ``audit``; the time of a start is given below, and is part of each time.

Needs PySpark: ``make .venv-spark/ready``, then ``.venv-spark/bin/python -m bench spark``.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench.blocks import Folded, fold
from bench.core import warm
from bench.process import Process, stopwatch
from bench.report import megabytes, seconds, show, table

__all__ = ["run"]

MASTER = "local[2]"
WORKERS = 2


def run(quick: bool) -> None:
    """Measure and print."""
    if find_spec("pyspark") is None:
        show("PySpark is not installed: make .venv-spark/ready, then .venv-spark/bin/python -m bench spark")
        return
    rows = []
    for side, blocks in ((15, 8),) if quick else ((63, 8), (63, 64), (127, 8), (127, 64)):
        for master in (None, MASTER):
            with tempfile.TemporaryDirectory() as folder, Process() as process:
                found, java, python = process.call(_fold, str(Path(folder, "g")), side, blocks, master)
            name = f"Spark, {MASTER}" if master else f"{WORKERS} processes"
            rows.append([name, f"{found.edges:,}", f"{found.blocks}", *map(seconds, found.seconds[1:]), *found.way])
            rows[-1] += [f"{16 * found.messages:,}", megabytes(java), megabytes(python)]
    head = ["", "edges", "blocks", "balanced s", "extend s", "audit s", "rounds", "steps per block"]
    show(table([*head, "messages per half-edge", "bytes of messages", "MB of Java", "MB of Python"], rows))
    with Process() as process:
        start, stage = process.call(_spark)
    show(f"Spark starts in {seconds(start)} s; a round in which 64 blocks do nothing takes {seconds(stage)} s.")


def _fold(path: str, side: int, blocks: int, master: str | None) -> tuple[Folded, int, int]:
    warm()
    with _watched() as most:
        found = fold(path, side, blocks, workers=WORKERS, master=master)
    return found, most["java"], most["python"]


def _spark() -> tuple[float, float]:
    """Return the seconds to start Spark with a first round, and those of a later round."""
    from neodp.blocks.spark import executors

    begin = time.perf_counter()
    with executors(MASTER) as run:
        run(_nothing, range(64))
        start = time.perf_counter() - begin
        return start, min(stopwatch(lambda: run(_nothing, range(64)))[0] for _ in range(3))


def _nothing(block: int) -> None:
    """Do nothing, so that only the way to an executor and back costs time."""


@contextmanager
def _watched() -> Iterator[dict[str, int]]:
    """Measure the largest resident memory of this process and its descendants, in bytes: Java's, and the others'."""
    most = {"java": 0, "python": 0}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.1):
            for kind, size in _resident().items():
                most[kind] = max(most[kind], size)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()


def _resident() -> dict[str, int]:
    """Return the resident memory of this process and its descendants; shared pages count for each process."""
    parents, sizes, java = {}, {}, set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                lines = (folder / "status").read_text().splitlines()
            except OSError:  # it has ended
                continue
            facts = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
            process = int(folder.name)
            parents[process], sizes[process] = int(facts["PPid"]), int(facts.get("VmRSS", "0 kB").split()[0]) * 1024
            if facts["Name"] == "java":
                java.add(process)
    found = {"java": 0, "python": 0}
    for process, size in sizes.items():
        above = process
        while above not in (os.getpid(), 0):
            above = parents.get(above, 0)
        if above:
            found["java" if process in java else "python"] += size
    return found
