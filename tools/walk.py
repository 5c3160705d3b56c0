"""README and tutorial, walked through in a fresh clone as a stranger would, and timed: ``python -m tools.walk``.

A clone of the last commit goes into an empty folder. There ``make demo`` sets everything up; then come the README's
commands that need no server, its Python, and the tutorial's. Each step is timed; the first that fails ends the walk.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["steps", "walk"]

ROOT = Path(__file__).parents[1]
NEEDS_MORE = ("make ", "NEO4J_URI", "staff.csv")
"""Blocks that are walked otherwise, or need a server or tables of one's own."""


def steps(root: Path) -> list[tuple[str, list[str]]]:
    """What is walked, in order: a name, and a command for a folder of one's own beside the clone's environment."""
    readme, tutorial = (root / name for name in ("README.md", "docs/python.md"))
    found = []
    for page in (readme, tutorial):
        text = page.read_text(encoding="utf-8")
        for language, block in re.findall(r"^```(sh|python)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if language == "sh" and not any(word in block for word in NEEDS_MORE):
                found.append((f"{page.name}: commands", ["bash", "-euo", "pipefail", "-c", block]))
        code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
        found.append((f"{page.name}: Python", ["python", "-c", code]))
    return found


def walk() -> None:
    """Walk, and print how long each step took.

    Raises
    ------
    SystemExit
        If a step fails.
    """
    with tempfile.TemporaryDirectory() as empty:
        clone, folder = Path(empty, "neodp"), Path(empty, "folder")
        folder.mkdir()
        environment = {"PATH": f"{clone}/.venv/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)}
        begin = time.monotonic()
        _step("git clone", ["git", "clone", "--quiet", str(ROOT), str(clone)], Path(empty), None)
        _step("make demo", ["make", f"PYTHON={sys.executable}", "demo"], clone, None)
        for name, command in steps(clone):
            _step(name, command, folder, environment)
        print(f"{time.monotonic() - begin:8.1f} s  in all")


def _step(name: str, command: list[str], folder: Path, environment: dict[str, str] | None) -> None:
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    print(f"{time.monotonic() - begin:8.1f} s  {name}", flush=True)


if __name__ == "__main__":
    walk()
