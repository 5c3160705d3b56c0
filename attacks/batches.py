"""Batches: many small tries in one process of their own, since one of them may end it."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import random
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from attacks.arena import Arena, children
from attacks.judges import Failed, Outcome

__all__ = ["batch", "command"]

PATIENCE = 120
"""The seconds after which a try counts as one that does not end."""

One = Callable[[random.Random, Path, str], None]
"""A try in a folder of its own, with the address of a store, or another place, where it needs one."""


def command(*words: str) -> Outcome:
    """Run a command line in this process."""
    from neodp.cli import main

    with io.StringIO() as out, io.StringIO() as err:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
        return Outcome(words, code, out.getvalue(), err.getvalue())


def batch(one: One, count: int, rng: random.Random, arena: Arena, place: Path | None = None) -> int:
    """Try something so many times; return how many times it was.

    Parameters
    ----------
    place : Path, optional
        A place that each try is given, instead of the address of a server.

    Raises
    ------
    Failed
        If a try failed; the message has the seeds of those that did.
    """
    seeds = [f"{rng.getrandbits(64):x}" for _ in range(count)]
    report = arena.folder / "report.jsonl"
    where = str(place or "") if arena.server is None else arena.address
    work = (one.__module__, one.__name__, seeds, str(report), where, arena.environment)
    child = children.Process(target=_tries, args=work)
    child.start()
    child.join()
    rows = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    wrong = [f"seed {seed}: {message}" for seed, message in rows if message]
    if len(rows) < count:
        wrong.append(f"seed {seeds[len(rows)]}: the process ended with {child.exitcode}")
    child.close()
    if wrong:
        raise Failed(f"{len(wrong)} of {len(rows)}: " + "\n".join(wrong[:5]), len(wrong), max(len(rows), 1))
    return len(rows)


def _tries(module: str, name: str, seeds: list[str], report: str, address: str, environment: dict[str, str]) -> None:
    """Make a try for each seed, and write a line of the report for each: the work of the process."""
    one: One = getattr(importlib.import_module(module), name)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGALRM, _late)
    with (
        tempfile.TemporaryDirectory(prefix="neodp-attack-") as all_of_them,
        Path(report).open("a") as lines,
        open(os.devnull, "w") as nowhere,
    ):
        os.dup2(nowhere.fileno(), 1)
        for seed in seeds:
            said = ""
            with tempfile.TemporaryDirectory(dir=all_of_them) as folder:
                os.chdir(folder)
                signal.alarm(PATIENCE)
                try:
                    one(random.Random(seed), Path(folder), address)
                except Exception as error:
                    said = f"{type(error).__name__}: {error}"[:1500] or "?"
                signal.alarm(0)
                os.chdir("/")
            lines.write(json.dumps([seed, said]) + "\n")
            lines.flush()
    os._exit(0)


def _late(number: int, frame: FrameType | None) -> None:
    raise Failed(f"it did not end within {PATIENCE} seconds")
