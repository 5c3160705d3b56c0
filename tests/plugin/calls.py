"""Cypher as a user of the plugin writes it, and graphs put into the database by Cypher alone."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import neo4j
from neo4j.exceptions import Neo4jError

from neodp import DatasetGraph
from neodp.data.distributions import plain
from tools import neo4j_server as servers

__all__ = ["Caller", "Refused", "guests", "refused", "transactions", "with_plugin"]

_REFUSAL = re.compile(r"(.*);\n(.*) \[(\w+)\]", re.DOTALL)


@dataclass(frozen=True)
class Refused:
    """A refusal of a procedure, taken apart; the hint in Cypher."""

    kind: str
    message: str
    hint: str


def refused(error: Neo4jError) -> Refused:
    """The refusal that an error of the server tells of."""
    found = _REFUSAL.fullmatch(error.message or "")
    assert found, error.message
    message, hint, kind = found.groups()
    if kind not in ("client", "memory"):  # which send one to the client
        assert not re.search(r"'neodp |--\w|`(store|graph|neodp)\.|`\w+=", hint), hint
    return Refused(kind, message, hint)


class Caller:
    """Runs Cypher on one server."""

    def __init__(self, driver: neo4j.Driver) -> None:
        self.driver = driver

    def __call__(self, text: str, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement."""
        return [dict(record) for record in self.driver.execute_query(text, parameters, database_="neo4j").records]

    def one(self, text: str, **parameters: Any) -> dict[str, Any]:
        """The one row of a statement."""
        (row,) = self(text, **parameters)
        return row

    def refusal(self, text: str, **parameters: Any) -> Refused:
        """Return the reason why a statement is refused."""
        try:
            rows = self(text, **parameters)
        except Neo4jError as error:
            return refused(error)
        raise AssertionError(f"it was not refused: {rows}")

    def put(self, graphs: Mapping[str, DatasetGraph]) -> None:
        """Graphs by name, in three statements for all of them together."""
        self(
            "UNWIND $rows AS row CREATE (:DatasetGraph {name: row[0], colors: row[1]})",
            rows=[[name, list(graph.colors)] for name, graph in graphs.items()],
        )
        self(
            "UNWIND $rows AS row CREATE (:Dataset {graph: row[0], key: row[1], color: row[2], alpha: row[3], "
            "preference: row[4]})",
            rows=[row for name, graph in graphs.items() for row in _datasets(name, graph)],
        )
        self(
            "UNWIND $rows AS row "
            "MATCH (a:Dataset {graph: row[0], key: row[1]}), (b:Dataset {graph: row[0], key: row[2]}) "
            "CREATE (a)-[:NEIGHBOR {epsilon: row[3], delta: row[4]}]->(b)",
            rows=[row for name, graph in graphs.items() for row in _edges(name, graph)],
        )


def with_plugin(home: Path, jar: Path) -> Path:
    """A server's home, with the plugin put where the server looks for it."""
    (home / "plugins").mkdir(parents=True)
    shutil.copy(jar, home / "plugins")
    return home


def _datasets(name: str, graph: DatasetGraph) -> list[list[Any]]:
    keys = graph.keys.to_pylist()
    alpha = [plain(row) if given else None for row, given in zip(graph.alpha, graph.given, strict=True)]
    columns = (keys, graph.color.tolist(), alpha, graph.preference_lists().to_pylist())
    return [[name, key, graph.colors[c], a, order] for key, c, a, order in zip(*columns, strict=True)]


def _edges(name: str, graph: DatasetGraph) -> list[list[Any]]:
    keys = graph.keys.to_pylist()
    columns = (graph.source.tolist(), graph.target.tolist(), graph.epsilon.tolist(), graph.delta.tolist())
    return [[name, keys[u], keys[v], e, d] for u, v, e, d in zip(*columns, strict=True)]


def guests(server: servers.Server) -> list[str]:
    """The threads of the plugin in the server's process, once those that are just ending have ended."""
    found: list[str] = []
    for _ in range(50):
        found = [name for name in _threads(server) if name.startswith("neodp")]
        if not found:
            break
        time.sleep(0.1)
    return found


def _threads(server: servers.Server) -> Iterator[str]:
    files = list(Path(f"/proc/{server.pid}/task").glob("*/comm"))
    assert files
    for file in files:
        with suppress(OSError):  # a thread that has ended meanwhile
            yield file.read_text().strip()


def transactions(caller: Caller) -> list[str]:
    """Return what other transactions are doing."""
    rows = caller("SHOW TRANSACTIONS YIELD currentQuery, outerTransactionId RETURN currentQuery AS text")
    return [row["text"] for row in rows if "SHOW TRANSACTIONS" not in row["text"]]
