"""Runs of the command line, and the stores that they are on, for the tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import neo4j_server as servers

__all__ = ["Run", "both_stores", "document", "empty_store", "tables"]

both_stores = pytest.mark.parametrize("address", ["embedded", "neo4j"], indirect=True)
"""Marks a test of the command line that also runs on a server; the others run on a file alone."""

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


def empty_store(kind: str, request: pytest.FixtureRequest) -> str:
    """The address of an empty store: a file, or a real server, whose password is then in the environment."""
    if kind == "embedded":
        return str(request.getfixturevalue("tmp_path") / "store.db")
    server: servers.Server = request.getfixturevalue("neo4j_server")
    with server.driver() as driver:
        servers.wipe(driver, keep="neodp_")
    monkeypatch = request.getfixturevalue("monkeypatch")
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return server.uri
