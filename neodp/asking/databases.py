"""Graphs of people in a user's own ladybug database.

The file is opened read-only for each question, and the tables of the labels that have a role, with the relationships
between them, are read as in :mod:`neodp.asking.tables`: a cell means the same there and here. Only the columns
that are asked about, and the epsilons, are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neodp.asking.source import PeopleFound, Wanted
from neodp.asking.tables import MAX_SIZE, ROWS, Tables, asked_keys
from neodp.errors import GraphError

if TYPE_CHECKING:
    import ladybug
    import pyarrow as pa

__all__ = ["LadybugFile"]


@dataclass(frozen=True)
class LadybugFile:
    """A ladybug database with a graph of people.

    Parameters
    ----------
    path : str
        The database; it is never written to.
    """

    path: str

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read the tables that have a role, in one state of the database, and the matches in them.

        Raises
        ------
        GraphError
            If the database cannot be opened.
        NotAskable
            If the question names a label or a type that has no table.
        TooManyMatches
            If there are more matches than the population's public limit.
        """
        return self._tables(wanted).people(wanted)

    def _tables(self, wanted: Wanted) -> Tables:
        import ladybug

        from neodp.core.estimate import memory

        if not Path(self.path).exists():
            raise GraphError(f"there is no ladybug database {self.path}", "correct the path, and protect again")
        pool = max(2**26, memory() // 4)
        try:
            database = ladybug.Database(self.path, read_only=True, max_db_size=MAX_SIZE, buffer_pool_size=pool)
            connection = ladybug.Connection(database)
        except RuntimeError as error:
            raise GraphError(
                f"{self.path} cannot be opened as a ladybug database: {' '.join(str(error).split())}",
                "close the program that writes to it, or correct the path",
            ) from None
        with database, connection:
            return _read(connection, wanted)


def _read(connection: ladybug.Connection, wanted: Wanted) -> Tables:
    """Return the tables of the labels that have a role, and of the relationships between them."""
    keys = [*asked_keys(wanted), wanted.protection.epsilon]
    kinds = {row["name"]: row["type"] for row in _rows(connection, "CALL show_tables() RETURN *").to_pylist()}
    labels = [label for label in wanted.protection.labels if kinds.get(label) == "NODE"]
    nodes = {}
    for label in labels:
        columns = {"id": "offset(id(n))", **_columns(connection, label, "n", keys)}
        nodes[label] = _table(connection, f"MATCH (n:{_quoted(label)})", columns)
    links = {}
    for kind in sorted(name for name, each in kinds.items() if each == "REL"):
        found = _rows(connection, f"CALL show_connection({_text(kind)}) RETURN *").to_pylist()
        ends = [(row["source table name"], row["destination table name"]) for row in found]
        cells = _columns(connection, kind, "r", keys)
        for one, other in (pair for pair in ends if set(pair) <= set(labels)):
            pattern = f"MATCH (a:{_quoted(one)})-[r:{_quoted(kind)}]->(b:{_quoted(other)})"
            columns = {"from": "offset(id(a))", "to": "offset(id(b))", **cells}
            links[f"{kind}:{one}:{other}"] = _table(connection, pattern, columns)
    return Tables(nodes, links)


def _columns(connection: ladybug.Connection, table: str, variable: str, keys: list[str]) -> dict[str, str]:
    """Return the expressions for the properties of a table that are asked."""
    info = _rows(connection, f"CALL table_info({_text(table)}) RETURN *").to_pylist()
    there = {row["name"] for row in info} - {"id", "from", "to"}
    return {key: f"{variable}.{_quoted(key)}" for key in keys if key in there}


def _table(connection: ladybug.Connection, pattern: str, columns: Mapping[str, str]) -> pa.Table:
    """Return the rows of a pattern, with names for the columns."""
    result = _rows(connection, f"{pattern} RETURN {', '.join(columns.values())}")
    return result.rename_columns(list(columns))


def _rows(connection: ladybug.Connection, statement: str) -> pa.Table:
    result: Any = connection.execute(statement)
    with result:
        return result.get_as_arrow(ROWS)


def _quoted(name: str) -> str:
    """Return a name of the database between backticks."""
    if "`" in name or ":" in name:
        raise GraphError(f"the ladybug database has the name {name!r}", "give its tables names without ` and :")
    return f"`{name}`"


def _text(name: str) -> str:
    """Return a name of the database as a text."""
    _quoted(name)
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
