"""Graphs of people in Neo4j: protections as nodes of their own, and the matches of a question in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.store.neo4j.connection import Connection, Transaction
from neodp.store.port import Port

if TYPE_CHECKING:
    from neodp.asking.source import PeopleFound, Wanted

__all__ = ["Neo4jPeople"]

ROWS = 50_000
"""The number of rows that are turned into columns at once."""


class Neo4jPeople(Port):
    """The operations of a Neo4j store on graphs of people."""

    connection: Connection

    def protections(self) -> dict[str, str]:
        """Return the texts of all protections by the name of their population."""
        return {row["population"]: row["text"] for row in self.connection.rows("protections")}

    def put_protection(self, population: str, text: str) -> None:
        """Keep a protection, in place of any of the same population."""
        self.init()
        self.connection.write("put_protection", population=population, text=text)

    def drop_protection(self, population: str) -> None:
        """Delete a protection."""
        self.connection.write("drop_protection", population=population)

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read the matches, the people's epsilons, and who owns what, in one transaction."""
        return self.connection.transaction("ask", lambda tx: _read(tx, wanted), read=True)


def _read(tx: Transaction, wanted: Wanted) -> PeopleFound:
    from neodp.asking.source import PeopleFound
    from neodp.asking.writing import Neo4jWriter

    writer = Neo4jWriter(wanted.protection)
    matches = wanted.matches()
    for pattern in wanted.pattern.alternatives():
        statement = writer.matches(pattern, wanted.amount)
        for columns in tx.stream(statement.text, dict(statement.parameters), ROWS):
            wanted.add(matches, statement, columns)
    units = _all(tx, writer.units(), 2)
    owned = [_all(tx, writer.owned(label), 1)[0] for label, _ in wanted.protection.owned]
    owners = [_all(tx, writer.owners(label), 2) for label, _ in wanted.protection.owned]
    return PeopleFound(
        matches,
        np.array(units[0], np.int64),
        units[1],
        _joined(owned),
        _joined([pair[0] for pair in owners]),
        _joined([pair[1] for pair in owners]),
    )


def _all(tx: Transaction, text: str, width: int) -> list[list[Any]]:
    """Return all rows of a statement as columns."""
    found: list[list[Any]] = [[] for _ in range(width)]
    for columns in tx.stream(text, {}, ROWS):
        for whole, part in zip(found, columns, strict=True):
            whole.extend(part)
    return found


def _joined(parts: list[list[Any]]) -> Any:
    return np.array([each for part in parts for each in part], np.int64)
