"""A timed run through README and tutorials in a fresh clone, as a new user would do it: ``python -m tools.walk``.

The last commit is cloned into an empty folder. There, ``make demo`` sets everything up, and the commands that it prints
at its end are run as they are. Then, in one folder, come the commands that need no server and the Python code of
README, of "Ten minutes" and of "In Python". Each step is timed; the first step that fails ends the walk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.pages import blocks, commands

__all__ = ["steps", "walk"]

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/start.md", "docs/python.md")


def steps(root: Path) -> list[tuple[str, list[str]]]:
    """Return the steps from the pages, in order: a name, and a command to run in a separate folder."""
    found = []
    for name in PAGES:
        page = (root / name).read_text(encoding="utf-8")
        if script := commands(page):
            found.append((f"{name}: commands", ["bash", "-euo", "pipefail", "-c", script]))
        if code := "\n".join(block.code for block in blocks(page, "python")):
            found.append((f"{name}: Python", ["python", "-c", code]))
    return found


def walk() -> None:
    """Run all steps, and print how long each one took.

    Raises
    ------
    SystemExit
        If a step fails.
    """
    with tempfile.TemporaryDirectory() as empty:
        clone, folder = Path(empty, "neodp"), Path(empty, "folder")
        folder.mkdir()
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "NEODP_"))}
        ready = plain | {"PATH": f"{clone}/.venv/bin{os.pathsep}{plain['PATH']}"}
        begin = time.monotonic()
        _step("git clone", ["git", "clone", "--quiet", str(ROOT), str(clone)], Path(empty), plain)
        shown = _step("make demo", ["make", f"PYTHON={sys.executable}", "demo"], clone, plain)
        _step("what it says to try", ["bash", "-euc", shown.partition("Try next:\n")[2]], clone, plain)
        for name, command in steps(clone):
            _step(name, command, folder, ready)
        print(f"{time.monotonic() - begin:8.1f} s  in all")


def _step(name: str, command: list[str], folder: Path, environment: dict[str, str]) -> str:
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    print(f"{time.monotonic() - begin:8.1f} s  {name}", flush=True)
    return done.stdout


if __name__ == "__main__":
    walk()
