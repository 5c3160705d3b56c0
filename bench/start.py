"""How long the command line takes to start, beside an empty Typer app: processor and wall time of whole processes.

The runs take turns, so that what else happens on the machine disturbs all of them alike; the least of each counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.report import seconds, show, table, times

__all__ = ["run"]

EMPTY = '''
import typer

app = typer.Typer(name="empty")


@app.callback()
def start() -> None:
    """An app."""


@app.command()
def nothing() -> None:
    """Do nothing."""


app()
'''

AIM = 3.0
"""``neodp --help`` within so many times the empty app."""


def run(quick: bool) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        programs = {
            "an empty Typer app, --help": [sys.executable, str(empty), "--help"],
            "neodp --help": [sys.executable, "-m", "neodp", "--help"],
            "neodp extend --help": [sys.executable, "-m", "neodp", "extend", "--help"],
            "neodp --version": [sys.executable, "-m", "neodp", "--version"],
        }
        best = {name: (float("inf"), float("inf")) for name in programs}
        for _ in range(4 if quick else 12):
            for name, words in programs.items():
                best[name] = tuple(map(min, best[name], _once(words, folder)))  # type: ignore[assignment]
    base = best["an empty Typer app, --help"]
    rows = []
    for name, (processor, wall) in best.items():
        aim = f"{AIM:g}x: {'met' if processor <= AIM * base[0] else 'missed'}" if name == "neodp --help" else ""
        rows.append([name, seconds(processor), times(processor / base[0]), seconds(wall), times(wall / base[1]), aim])
    show(table(["start", "processor s", "ratio", "wall s", "ratio", "aim for processor time"], rows))


def _once(words: Sequence[str], folder: str) -> tuple[float, float]:
    """Processor and wall time of one process."""
    begin, before = time.perf_counter(), os.times()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=folder)
    after = os.times()
    spent = after.children_user - before.children_user + after.children_system - before.children_system
    return spent, time.perf_counter() - begin
