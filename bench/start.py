"""The start of the command line, compared with an empty Typer app: processor and wall time of whole processes.

The runs take turns, so that other programs on the machine disturb all of them alike; the least time of each counts.
Modules are compiled beforehand, as those of an installed package are, even if PYTHONDONTWRITEBYTECODE is set. Most of
the time is spent on imports: ``python -X importtime -m neodp …`` shows them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
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
"""The largest ratio of the time of ``neodp --help`` to that of the empty app."""
SMALL_AIM = 2.0
"""The largest ratio of the time of a small ``poll``, ``eval`` or ``answer`` to that of ``neodp --help``."""
POLL = ["poll", "people.csv", "--vote", "vote", "--epsilon", "epsilon"]
PEOPLE = "vote,epsilon\nyes,0.5\nno,1\nyes,1\n"


def run(quick: bool) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        (Path(folder) / "people.csv").write_text(PEOPLE)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        neodp = [sys.executable, "-m", "neodp", "--store", "start.db"]
        _once([*neodp, "generate", "path", "g", "30", "--balanced"], folder, environment)
        programs = {
            "an empty Typer app, --help": [sys.executable, str(empty), "--help"],
            "neodp --help": [sys.executable, "-m", "neodp", "--help"],
            "neodp extend --help": [sys.executable, "-m", "neodp", "extend", "--help"],
            "neodp --version": [sys.executable, "-m", "neodp", "--version"],
            "neodp poll, 3 people": [*neodp, *POLL],
            "neodp poll --release, 3 people": [
                *neodp,
                *POLL,
                "--mechanism",
                "balanced",
                "--release",
                "spring",
                "--population",
                "p",
            ],
            "neodp eval, 30 datasets": [*neodp, "eval", "g", "3"],
            "neodp answer, 30 datasets": [*neodp, "answer", "g", "3", "--release", "spring"],
        }
        for words in programs.values():
            _once(words, folder, environment)  # which compiles
        best = {name: (float("inf"), float("inf")) for name in programs}
        for _ in range(4 if quick else 12):
            for name, words in programs.items():
                best[name] = tuple(map(min, best[name], _once(words, folder, environment)))  # type: ignore[assignment]
    base = best["an empty Typer app, --help"]
    rows = []
    for name, (processor, wall) in best.items():
        aim = ""
        if name == "neodp --help":
            aim = f"{AIM:g}x the empty app: {'met' if processor <= AIM * base[0] else 'missed'}"
        elif "," in name and name.startswith("neodp"):
            most = SMALL_AIM * best["neodp --help"][0]
            aim = f"{SMALL_AIM:g}x neodp --help: {'met' if processor <= most else 'missed'}"
        rows.append([name, seconds(processor), times(processor / base[0]), seconds(wall), times(wall / base[1]), aim])
    show(table(["start", "processor s", "ratio", "wall s", "ratio", "aim for processor time"], rows))


def _once(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> tuple[float, float]:
    """Return the processor and wall time of one process."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=folder, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, time.perf_counter() - begin
