"""A timed run through README and tutorials in a fresh clone, as a new user would do it: ``python -m tools.walk``.

The last commit is cloned into an empty folder. There, ``make demo`` sets everything up, and the commands that it prints
at its end are run as they are. Then come the commands that need no server and the Python code of README and of the
tutorials, each page in a folder of its own. Last, README and "Your own graph in Neo4j" are pasted, commands and Cypher,
on a real server (:mod:`tools.neo4j_server`); if this machine has none, the walk says so. Each step is timed. A page
that fails ends there, the others are still walked, and all failures are named at the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tools.neo4j_server import ServerUnavailable, running
from tools.pages import blocks, commands, served

__all__ = ["Step", "served_steps", "steps", "walk"]

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/start.md", "docs/poll.md", "docs/ask.md", "docs/publish.md", "docs/python.md")
SERVED = ("README.md", "docs/neo4j.md")
"""The pages with commands that need a server."""
CYPHER = (
    "import os, sys, neo4j\n"
    "names = ('NEO4J_USERNAME', 'NEO4J_PASSWORD')\n"
    "with neo4j.GraphDatabase.driver(os.environ['NEO4J_URI'], auth=tuple(map(os.environ.get, names))) as driver:\n"
    "    driver.execute_query(sys.argv[1])\n"
)
"""A program that runs the statement in its argument, as somebody would in Neo4j Browser."""


class Step(NamedTuple):
    """A step of the walk: the page that it is on, its name, and its command."""

    page: str
    name: str
    command: list[str]


def steps(root: Path) -> list[Step]:
    """Return the steps from the pages that need no server, in order."""
    found = []
    for page in PAGES:
        text = (root / page).read_text(encoding="utf-8")
        if script := commands(text):
            found.append(Step(page, "commands", ["bash", "-euo", "pipefail", "-c", script]))
        if code := "\n".join(_typed(block.code) for block in blocks(text, "python")):
            found.append(Step(page, "Python", ["python", "-c", code]))
    return found


def served_steps(root: Path) -> list[Step]:
    """Return the steps that need a server, in order: one for each block of commands or Cypher."""
    found = []
    for page in SERVED:
        for language, code, line in served((root / page).read_text(encoding="utf-8")):
            how = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else ["python", "-c", CYPHER]
            found.append(Step(page, f"{language} in line {line}, on a server", [*how, code]))
    return found


def _typed(code: str) -> str:
    """Return what is typed in a block: without prompts, and without what is printed."""
    if not code.startswith(">>> "):
        return code
    return "\n".join(line[4:] for line in code.splitlines() if line.startswith((">>> ", "... ")))


def walk() -> None:
    """Run all steps, and print how long each one took.

    Raises
    ------
    SystemExit
        If a step fails.
    """
    with tempfile.TemporaryDirectory(prefix="walk-") as empty:
        clone = Path(empty, "neodp")
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "NEODP_"))}
        ready = plain | {"PATH": f"{clone}/.venv/bin{os.pathsep}{plain['PATH']}"}
        begin = time.monotonic()
        _run("git clone", ["git", "clone", "--quiet", str(ROOT), str(clone)], Path(empty), plain)
        shown = _run("make demo", ["make", f"PYTHON={sys.executable}", "demo"], clone, plain)
        failed = [_failure("what it says to try", ["bash", "-euc", shown.partition("Try next:\n")[2]], clone, plain)]
        failed += _walked(steps(clone), Path(empty, "pages"), ready)
        try:
            with running() as server:
                failed += _walked(served_steps(clone), Path(empty, "served"), ready | server.environment())
        except ServerUnavailable as missing:
            print(f"pages with a server were not walked: {missing}")
        print(f"{time.monotonic() - begin:8.1f} s  in all")
        if any(failed):
            raise SystemExit("\n".join(filter(None, failed)))


def _walked(todo: Iterable[Step], folder: Path, environment: dict[str, str]) -> list[str]:
    """Run steps, those of a page in a folder of its own; return the failures, at most one for each page."""
    failed: dict[str, str] = {}
    for page, name, command in todo:
        if page in failed:
            continue
        (folder / page).mkdir(parents=True, exist_ok=True)
        if problem := _failure(f"{page}: {name}", command, folder / page, environment):
            failed[page] = problem
    return list(failed.values())


def _failure(name: str, command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a step; return an empty text, or what it said when it failed."""
    try:
        _run(name, command, folder, environment)
    except SystemExit as e:
        return str(e)
    return ""


def _run(name: str, command: list[str], folder: Path, environment: dict[str, str]) -> str:
    begin = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    print(f"{time.monotonic() - begin:8.1f} s  {name}{' FAILED' * bool(done.returncode)}", flush=True)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    walk()
