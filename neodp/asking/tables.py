"""Graphs of people in tables: one table of nodes for each label, and tables of relationships for each type.

A table of nodes has a column ``id``, one of relationships has ``from`` and ``to``; all other columns are properties.
The tables are read into the in-memory Cypher engine, ladybug, for each question, under names of neodp's own: no name in
a table reaches the engine.

What a cell means depends on the cell alone: its text; a number if it reads as one; a truth value if it is true or
false. If a column had a kind, one person's cell could change what all the others' mean. Rows without an id, further
rows of the same id, and relationships with a missing end are left out without a message.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neodp.asking.cover import Ints
from neodp.asking.pattern import Pattern, properties
from neodp.asking.protection import Protection, require_word
from neodp.asking.source import PeopleFound, Wanted
from neodp.asking.writing import Schema, TableWriter
from neodp.data.frames import arrow_table
from neodp.data.tables import as_text, header, read_table, values_of
from neodp.data.tables.cells import NUMBER
from neodp.errors import GraphError, NotAskable

if TYPE_CHECKING:
    import ladybug
    import pyarrow as pa

__all__ = ["MAX_SIZE", "ROWS", "Tables", "asked_keys", "ends"]

ROWS = 100_000
"""The number of matches that are taken from the engine at once."""
MAX_SIZE = 2**36
"""The greatest size of the engine's tables in bytes: addresses, not memory."""


def ends(type_and_ends: str, default: str | None) -> tuple[str, str, str]:
    """Return a type and the labels at its ends, from ``KNOWS`` or ``WORKS_IN:Person:Office``.

    Raises
    ------
    GraphError
        If the labels are missing and there is no default.

    Examples
    --------
    >>> ends("KNOWS", "Person"), ends("WORKS_IN:Person:Office", None)
    (('KNOWS', 'Person', 'Person'), ('WORKS_IN', 'Person', 'Office'))
    """
    kind, *labels = type_and_ends.split(":")
    require_word("the type of a table of relationships", kind)
    if not labels and default is not None:
        labels = [default, default]
    if len(labels) != 2:
        raise GraphError(
            f"the table of relationships {type_and_ends!r} does not say which nodes it joins",
            f"write the labels of both ends, such as {kind}:Person:Office",
        )
    return kind, labels[0], labels[1]


def asked_keys(wanted: Wanted) -> list[str]:
    """Return the properties that a question reads, but for the epsilons."""
    asked = {each.key for each in properties(wanted.pattern.condition)}
    return sorted(asked | ({wanted.amount.key} if wanted.amount is not None else set()))


@dataclass(frozen=True)
class Tables:
    """A graph of people in tables.

    Parameters
    ----------
    nodes : mapping
        The table of each label: a file, a frame, or a dict of columns.
    relationships : mapping
        The table of each type; the labels at its ends follow the type, as in ``WORKS_IN:Person:Office``, or are both
        the people's.
    """

    nodes: Mapping[str, Any]
    relationships: Mapping[str, Any]

    def people(self, wanted: Wanted) -> PeopleFound:
        """Read the tables, and the matches in them.

        Raises
        ------
        GraphError
            If a table cannot be read.
        NotAskable
            If the question names a label or a type that has no table.
        TooManyMatches
            If there are more matches than the population's public limit.
        """
        read = _Read(self, wanted)
        matches = wanted.matches()
        with read.engine() as connection:
            for pattern in wanted.alternatives():
                statement = TableWriter(wanted.protection, read.schema).matches(pattern, wanted.amount)
                result: Any = connection.execute(statement.text, dict(statement.parameters))
                with result:
                    for batch in result.get_as_arrow(ROWS).to_batches():
                        columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
                        wanted.add(matches, statement, columns)
        return read.found(matches)


class _Read:
    """The tables of one question, read: numbers in place of ids, and only the properties that are asked."""

    def __init__(self, tables: Tables, wanted: Wanted) -> None:
        self.wanted, self.protection = wanted, wanted.protection
        default = self.protection.people or (next(iter(tables.nodes)) if len(tables.nodes) == 1 else None)
        self._check(wanted.pattern, self.protection, tables, default)
        self.asked = asked_keys(wanted)
        self.nodes: dict[str, _Nodes] = {}
        start = 0
        for label, table in tables.nodes.items():
            columns = _columns(table, f"the table of {label}", ["id"], [*self.asked, self.protection.epsilon])
            self.nodes[label] = _Nodes.of(columns, start)
            start += len(self.nodes[label].number)
        self.links: list[_Links] = []
        start = 0
        for name, table in tables.relationships.items():
            kind, one, other = ends(name, default)
            for label in (one, other):
                if label not in self.nodes:
                    raise GraphError(f"the relationships {name!r} join {label!r}, which has no table", "give its table")
            optional = [*self.asked, self.protection.epsilon]
            columns = _columns(table, f"the table of {name}", ["from", "to"], optional)
            self.links.append(_Links.of(kind, (one, other), columns, self.nodes, start))
            start += len(self.links[-1].source)
        self.schema = self._schema()

    @staticmethod
    def _check(pattern: Pattern, protection: Protection, tables: Tables, default: str | None) -> None:
        kinds = [ends(name, default)[0] for name in tables.relationships]
        for node in pattern.nodes:
            if node.label not in tables.nodes:
                raise NotAskable(f"there is no table of nodes {node.label!r}", f"there are {', '.join(tables.nodes)}")
        for kind in (kind for link in pattern.links for kind in link.types):
            if kind not in kinds:
                known = ", ".join(dict.fromkeys(kinds)) or "none"
                raise NotAskable(f"there is no table of relationships {kind!r}", f"there are {known}")
        if pattern.links and not kinds:
            raise NotAskable("there is no table of relationships", "give one, such as KNOWS")
        if protection.people is not None and protection.people not in tables.nodes:
            raise GraphError(f"there is no table of the people, {protection.people!r}", "give it as a table of nodes")

    def _schema(self) -> Schema:
        nodes = {label: f"N{number}" for number, label in enumerate(self.nodes)}
        kinds = list(dict.fromkeys(each.kind for each in self.links))
        links = {kind: f"L{number}" for number, kind in enumerate(kinds)}
        columns: dict[tuple[str, str], str] = {}
        for number, key in enumerate(self.asked):
            columns |= {(nodes[label], key): f"c{number}" for label, each in self.nodes.items() if key in each.columns}
            columns |= {(links[each.kind], key): f"c{number}" for each in self.links if key in each.columns}
        return Schema(nodes, links, columns)

    # --- the engine ---------------------------------------------------------------------------------------

    def engine(self) -> Any:
        """Return a connection to an engine that holds the tables, for use in a ``with`` statement."""
        import ladybug

        from neodp.core.estimate import memory

        database = ladybug.Database(
            ":memory:", compression=False, max_db_size=MAX_SIZE, buffer_pool_size=max(2**26, memory() // 2)
        )
        connection = ladybug.Connection(database)
        self._fill(connection)
        return connection

    def _fill(self, connection: ladybug.Connection) -> None:
        for label, each in self.nodes.items():
            table = self.schema.nodes[label]
            declared = self._declared(table)
            connection.execute(f"CREATE NODE TABLE {table}(id INT64{declared}, PRIMARY KEY(id))")
            self._copy(connection, table, {"id": each.number}, each.columns, "")
        for kind, table in self.schema.links.items():
            pairs = dict.fromkeys(each.labels for each in self.links if each.kind == kind)
            joined = ", ".join(f"FROM {self.schema.nodes[a]} TO {self.schema.nodes[b]}" for a, b in pairs)
            connection.execute(f"CREATE REL TABLE {table}({joined}, id INT64{self._declared(table)})")
        for link in self.links:
            a, b = (self.schema.nodes[label] for label in link.labels)
            first = {"from": link.source, "to": link.target, "id": link.number}
            how = f" (from='{a}', to='{b}')"
            self._copy(connection, self.schema.links[link.kind], first, link.columns, how)

    def _declared(self, table: str) -> str:
        found = [self.schema.columns[table, key] for key in self.asked if (table, key) in self.schema.columns]
        return "".join(f", {each}n DOUBLE, {each}b BOOL, {each}t STRING" for each in found)

    def _copy(
        self, connection: ladybug.Connection, table: str, first: Mapping[str, Any], cells: Mapping[str, Any], how: str
    ) -> None:
        import pyarrow as pa

        columns: dict[str, Any] = {name: pa.array(values, pa.int64()) for name, values in first.items()}
        for key in self.asked:
            if (table, key) in self.schema.columns:
                column = self.schema.columns[table, key]
                kinds = _kinds(cells[key]) if key in cells else _nulls(len(columns["id"]))
                columns |= {f"{column}{end}": values for end, values in zip("nbt", kinds, strict=True)}
        if len(columns["id"]):
            connection.execute(f"COPY {table} FROM $rows{how}", {"rows": pa.table(columns)})

    # --- units --------------------------------------------------------------------------------------------

    def found(self, matches: Any) -> PeopleFound:
        """Return what was read, with the units and the owners."""
        epsilon = self.protection.epsilon
        if self.protection.people is None:
            mine = [each for each in self.links if each.kind == self.protection.relationships]
            values = [value for each in mine for value in _epsilons(each.columns.get(epsilon), len(each.number))]
            return PeopleFound(
                matches, np.concatenate([np.empty(0, np.int64), *(each.number for each in mine)]), values
            )
        people = self.nodes[self.protection.people]
        owned, belongs, owner = [[np.empty(0, np.int64)] for _ in range(3)]
        for label, kind in self.protection.owned:
            if label not in self.nodes:
                continue
            owned.append(self.nodes[label].number)
            for link in self.links:
                if link.kind == kind:
                    pair = {link.labels: (link.source, link.target), link.labels[::-1]: (link.target, link.source)}
                    if (label, self.protection.people) in pair:
                        thing, person = pair[label, self.protection.people]
                        belongs.append(thing)
                        owner.append(person)
        values = _epsilons(people.columns.get(epsilon), len(people.number))
        every = [np.concatenate(each) for each in (owned, belongs, owner)]
        return PeopleFound(matches, people.number, values, every[0], every[1], every[2], people.id.to_pylist())


@dataclass(frozen=True)
class _Nodes:
    """Nodes of a label: their ids as texts, their numbers among all nodes, and their properties as texts."""

    id: pa.Array
    number: Ints
    columns: Mapping[str, Any]

    @classmethod
    def of(cls, columns: Mapping[str, Any], start: int) -> _Nodes:
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = pc.unique(columns["id"]).drop_null()
        place, first = np.unique(_places(columns["id"], ids), return_index=True)
        rows = pa.array(first[place >= 0], pa.int64())
        others = {name: column.take(rows) for name, column in columns.items() if name != "id"}
        return cls(ids, start + np.arange(len(ids)), others)

    def places(self, texts: pa.Array) -> Ints:
        """Return the number of the node with each id; -1 if there is none."""
        found: Ints = np.append(self.number, -1)[_places(texts, self.id)]
        return found


@dataclass(frozen=True)
class _Links:
    """Relationships of a table: the numbers of their ends, their own numbers, and their properties as texts."""

    kind: str
    labels: tuple[str, str]
    source: Ints
    target: Ints
    number: Ints
    columns: Mapping[str, Any]

    @classmethod
    def of(
        cls, kind: str, labels: tuple[str, str], columns: Mapping[str, Any], nodes: Mapping[str, _Nodes], start: int
    ) -> _Links:
        import pyarrow as pa

        source, target = (nodes[label].places(columns[end]) for label, end in zip(labels, ("from", "to"), strict=True))
        row = np.flatnonzero((source >= 0) & (target >= 0))
        rows = pa.array(row, pa.int64())
        others = {name: column.take(rows) for name, column in columns.items() if name not in ("from", "to")}
        return cls(kind, labels, source[row], target[row], start + np.arange(len(row)), others)


def _places(texts: pa.Array, among: pa.Array) -> Ints:
    """Return the place of each text among others; -1 if it is null or not there."""
    import pyarrow.compute as pc

    found: Ints = pc.fill_null(pc.index_in(texts, among), -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _columns(table: Any, what: str, needed: Sequence[str], optional: Sequence[str]) -> dict[str, pa.Array]:
    """Return the columns of a file or a frame as texts without blanks around them; an empty one is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, Any]
    if isinstance(table, str | os.PathLike):
        there = set(header(table))
        found = dict(read_table(table, needed, [name for name in optional if name in there]).columns)
    else:
        frame = arrow_table(table, what)
        missing = [name for name in needed if name not in frame.column_names]
        if missing:
            known = ", ".join(frame.column_names) or "none"
            raise GraphError(f"{what} has no column {missing[0]!r}", f"its columns are {known}")
        names = [name for name in dict.fromkeys([*needed, *optional]) if name in frame.column_names]
        found = {name: frame.column(name).combine_chunks() for name in names}
    texts = {}
    for name, column in found.items():
        column = pc.utf8_trim_whitespace(_as_texts(column))
        texts[name] = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    return texts


def _as_texts(column: pa.Array) -> pa.Array:
    """Return a column as people write it; where values repeat, each is written once."""
    import pyarrow as pa

    kind = column.type
    if any(fits(kind) for fits in (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer)):
        return column.cast(pa.string())
    if pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        encoded = column.dictionary_encode()
        return _as_written(encoded.dictionary).take(encoded.indices)
    return _as_written(column)


def _as_written(column: pa.Array) -> pa.Array:
    import pyarrow as pa

    return pa.array([as_text(value) for value in values_of(column)], pa.string())


def _kinds(column: pa.Array) -> tuple[Any, Any, Any]:
    """Return a column of texts as numbers, truth values and texts; each cell by itself."""
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing = pa.scalar(None, pa.string())
    number = pc.if_else(pc.match_substring_regex(column, NUMBER), column, nothing)
    number = pc.replace_substring_regex(number, r"^\+", "").cast(pa.float64())
    number = pc.if_else(pc.is_finite(number), number, pa.scalar(None, pa.float64()))
    lower = pc.utf8_lower(column)
    known = pc.if_else(
        pc.is_in(lower, pa.array(["true", "false"])), pc.equal(lower, "true"), pa.scalar(None, pa.bool_())
    )
    return number, known, column


def _nulls(count: int) -> tuple[Any, Any, Any]:
    import pyarrow as pa

    return pa.nulls(count, pa.float64()), pa.nulls(count, pa.bool_()), pa.nulls(count, pa.string())


def _epsilons(column: Any, count: int) -> list[Any]:
    """Return epsilons: a number, null if the cell is empty, and else a text, which counts as 0."""
    if column is None:
        return [None] * count
    number, _, text = _kinds(column)
    return [t if n is None else n for n, t in zip(number.to_pylist(), text.to_pylist(), strict=True)]
