"""Cypher as a user of the plugin writes it, and graphs put into the database by Cypher alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import neo4j
from neo4j.exceptions import Neo4jError

from neodp import DatasetGraph
from neodp.cli.hints import in_shell
from neodp.graph import plain

__all__ = ["Caller", "Refused", "refused", "with_plugin"]

_REFUSAL = re.compile(r"Caused by: neodp\.Refusal: (\w+): (.*); hint: (.*)", re.DOTALL)


@dataclass(frozen=True)
class Refused:
    """What a procedure refused, taken apart; the hint as the command line shows it."""

    kind: str
    message: str
    hint: str


def refused(error: Neo4jError) -> Refused:
    """The refusal that an error of the server tells of."""
    found = _REFUSAL.search(error.message or "")
    assert found, error.message
    kind, message, hint = found.groups()
    return Refused(kind, message, in_shell(hint))


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
        """What a statement is refused for."""
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
            "UNWIND $rows AS row CREATE (:Dataset {graph: row[0], key: row[1], color: row[2], alpha: row[3]})",
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
    return [[name, key, graph.colors[c], a] for key, c, a in zip(keys, graph.color.tolist(), alpha, strict=True)]


def _edges(name: str, graph: DatasetGraph) -> list[list[Any]]:
    keys = graph.keys.to_pylist()
    columns = (graph.source.tolist(), graph.target.tolist(), graph.epsilon.tolist(), graph.delta.tolist())
    return [[name, keys[u], keys[v], e, d] for u, v, e, d in zip(*columns, strict=True)]
