"""Graphs of people in Neo4j: protections as nodes of their own, and the matches of a question in one transaction.

Neo4j isolates transactions as *read committed*: a statement sees what others commit while it runs, and there is no
snapshot, neither of a transaction nor of a statement. If nobody writes meanwhile, what is read is one state of the
graph. If somebody does, every row of a match is what it was when it was read, and two rows may be of different states.

Privacy requires that each row counts for everybody who takes it along. So who has which role is
read *after* the matches, and *before* them as well if that could differ by more than people who come and go: if a node
of the pattern may be public, since a person's label may have been removed, or if there are owners. A row counts
for all who had any of its elements before or after. An element that is nobody's must be there after all matches were
read, with no label of people or of what they own; if it is not, it may have been somebody's who came and left in
between, and the row does not count. Everybody has the epsilon that was read last. Ids stand for the same elements all
the time, since the server does not reuse the id of a deleted element while a transaction is open that was open then.

Time remains: who is in the graph changes how long the reading takes, and so which changes of others it sees.
Only a database that nobody writes to, or a copy, rules that out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neodp.store.neo4j.connection import Connection, Transaction
from neodp.store.port import Port

if TYPE_CHECKING:
    from neodp.asking.matches import Matches
    from neodp.asking.source import PeopleFound, Wanted
    from neodp.asking.writing import Neo4jWriter

__all__ = ["Neo4jPeople"]

ROWS = 50_000
"""The number of rows that are turned into columns at once."""


class Neo4jPeople(Port):
    """The operations of a Neo4j store on graphs of people."""

    connection: Connection

    def protections(self) -> dict[str, str]:
        """Return the texts of all protections by the name of their population."""
        rows = self.connection.rows("protections")
        return {row["population"]: str(row["text"]) for row in rows if isinstance(row["population"], str)}

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
    mixed = wanted.may_match_others
    before = _Roles.read(tx, writer) if mixed or wanted.protection.owned else None
    matches = wanted.matches()
    for pattern in wanted.alternatives():
        statement = writer.matches(pattern, wanted.amount)
        for columns in tx.stream(statement.text, dict(statement.parameters), ROWS):
            wanted.add(matches, statement, columns)
    wanted.progress("reading people", 0, 0)
    found = _Roles.read(tx, writer)
    if before is not None:
        found = found.with_those_of(before)
    others = _others(tx, writer, matches, found) if mixed else np.empty(0, np.int64)
    return PeopleFound(
        matches,
        np.array(list(found.epsilon), np.int64),
        list(found.epsilon.values()),
        found.owned,
        found.owners[:, 0],
        found.owners[:, 1],
        others=others,
    )


@dataclass(frozen=True)
class _Roles:
    """The units with their epsilons, the owned nodes, and pairs of an owned node and an owner."""

    epsilon: dict[int, Any]
    owned: NDArray[np.int64]
    owners: NDArray[np.int64]

    @classmethod
    def read(cls, tx: Transaction, writer: Neo4jWriter) -> _Roles:
        ids, values = _all(tx, writer.units(), 2)
        labels = list(writer.protection.owners)
        owned = [_all(tx, writer.owned(label), 1)[0] for label in labels]
        owners = [np.array(_all(tx, writer.owners(label), 2), np.int64).T for label in labels]
        return cls(
            dict(zip(ids, values, strict=True)), _joined(owned), np.concatenate([np.empty((0, 2), int), *owners])
        )

    def with_those_of(self, other: _Roles) -> _Roles:
        """Return the roles of both readings; whoever is in this one has the epsilon of this one."""
        return _Roles(
            other.epsilon | self.epsilon,
            np.concatenate([other.owned, self.owned]),
            np.unique(np.concatenate([other.owners, self.owners]), axis=0),
        )


def _others(tx: Transaction, writer: Neo4jWriter, matches: Matches, found: _Roles) -> NDArray[np.int64]:
    """Return the ids in the matches that are nobody's: still there, and without a private label or type."""
    known = np.concatenate([np.array(list(found.epsilon), np.int64), found.owned])
    asked = np.setdiff1d(matches.ids(links=writer.protection.people is None), known)
    parts = [asked[start : start + ROWS].tolist() for start in range(0, len(asked), ROWS)]
    return _joined([_all(tx, writer.others(), 1, {"ids": part})[0] for part in parts])


def _all(tx: Transaction, text: str, width: int, parameters: dict[str, Any] | None = None) -> list[list[Any]]:
    """Return all rows of a statement as columns."""
    found: list[list[Any]] = [[] for _ in range(width)]
    for columns in tx.stream(text, parameters or {}, ROWS):
        for whole, part in zip(found, columns, strict=True):
            whole.extend(part)
    return found


def _joined(parts: list[list[Any]]) -> NDArray[np.int64]:
    return np.array([each for part in parts for each in part], np.int64)
