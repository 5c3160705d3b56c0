"""Runs of the command line, for its tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Run", "document", "tables"]

Run = Callable[..., tuple[int, str, str]]
"""Runs a command; its exit code, output and errors."""


def document(result: tuple[int, str, str]) -> Any:
    """The one JSON document on stdout, with nothing on stderr."""
    code, out, err = result
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def tables(folder: Path, nodes: str, edges: str) -> tuple[str, str]:
    """The names of two CSV files with these texts, as ``load`` takes them."""
    (folder / "n.csv").write_text(nodes)
    (folder / "e.csv").write_text(edges)
    return str(folder / "n.csv"), str(folder / "e.csv")
