"""Patterns written as Cypher, for Neo4j and for the in-memory engine.

No part of a question's text reaches an engine unchanged. Variables get new names, constants become parameters, and
names of labels, types and properties are quoted, or, in the in-memory engine, replaced by those of its tables.

The engines differ, so everything that a match means is written out: its relationships differ from each other, and every
node on the way has a role. A comparison means the same in both: of different kinds, ``=`` is false and ``<`` is null.
In Neo4j that is so, value by value. The in-memory engine has a kind for each column, would cast a whole column, and
fail on one person's value. So each property is three columns there, of numbers, truth values and texts; a cell that
reads as a number has a number and a text, whatever the other cells of its column are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from neodp.asking.pattern import (
    Coalesce,
    Compare,
    Condition,
    IsNull,
    Link,
    Logic,
    Not,
    Operand,
    Pattern,
    Property,
    Same,
    Truth,
    Within,
    properties,
)
from neodp.asking.protection import Protection

__all__ = ["Neo4jWriter", "QuestionText", "Schema", "TableWriter", "ValueColumns", "Writer", "quoted"]

TEXTUAL = frozenset({"STARTS WITH", "ENDS WITH", "CONTAINS"})


@dataclass(frozen=True)
class QuestionText:
    """A statement with its parameters.

    Attributes
    ----------
    text : str
    parameters : mapping
    nodes, links : int
        The number of columns with ids of nodes, and after them of relationships.
    amount : bool
        True if the last column holds the amounts that are to be added up.
    """

    text: str
    parameters: Mapping[str, Any]
    nodes: int
    links: int
    amount: bool = False


def quoted(name: str) -> str:
    """Return a name as Neo4j reads it, whatever it contains; backslashes were refused before.

    Examples
    --------
    >>> quoted("A`) DETACH DELETE (n")
    '`A``) DETACH DELETE (n`'
    """
    return "`" + name.replace("`", "``") + "`"


class Writer(ABC):
    """The statements that an engine is asked."""

    def __init__(self, protection: Protection) -> None:
        self.protection = protection
        self.parameters: dict[str, Any] = {}

    def matches(self, pattern: Pattern, amount: Property | None = None) -> QuestionText:
        """Return the statement for the matches of a pattern of fixed lengths: the ids of its nodes and relationships.

        Parameters
        ----------
        pattern : Pattern
            One of :meth:`Pattern.alternatives`.
        amount : Property, optional
            A property to be returned as the last column.
        """
        self.parameters = {}
        paths = [self._path(pattern, number, link) for number, link in enumerate(pattern.links)]
        joined = {number for link in pattern.links for number in (link.start, link.end)}
        paths += [self._node(pattern, number) for number in range(len(pattern.nodes)) if number not in joined]
        conditions = [f"{self.id('r', a)} <> {self.id('r', b)}" for a, b in combinations(range(len(pattern.links)), 2)]
        conditions += [self.has_role(f"n{number}") for number, node in enumerate(pattern.nodes) if node.label is None]
        asked = [*properties(pattern.condition), *([amount] if amount is not None else [])]
        conditions += [self.is_public(f"n{number}") for number in sorted(self._must_be_public(pattern, asked))]
        if pattern.condition is not None:
            conditions.append(self.condition(pattern, pattern.condition))
        where = " WHERE " + " AND ".join(f"({each})" for each in conditions if each) if any(conditions) else ""
        columns = [f"{self.id('n', number)} AS n{number}" for number in range(len(pattern.nodes))]
        columns += [f"{self.id('r', number)} AS r{number}" for number in range(len(pattern.links))]
        if amount is not None:
            columns.append(f"{self.returned(self.operand(pattern, amount))} AS amount")
        most = self.protection.most_matches + 1  # one more than is allowed is enough to know
        text = f"MATCH {', '.join(paths)}{where} RETURN {', '.join(columns)} LIMIT {most}"
        return QuestionText(text, dict(self.parameters), len(pattern.nodes), len(pattern.links), amount is not None)

    def _path(self, pattern: Pattern, number: int, link: Link) -> str:
        arrow = "->" if link.directed else "-"
        kinds = self.types(link)
        return f"{self._node(pattern, link.start)}-[r{number}{kinds}]{arrow}{self._node(pattern, link.end)}"

    def _node(self, pattern: Pattern, number: int) -> str:
        return f"(n{number}{self.label(pattern.nodes[number].label)})"

    def _must_be_public(self, pattern: Pattern, asked: list[Property]) -> set[int]:
        """Return the nodes with a property that is asked and not listed: such nodes must be public alone."""
        found: set[int] = set()
        if self.protection.people is None:
            return found
        for each in asked:
            if each.key in self.protection.properties:
                continue
            link = pattern.links[each.place.number] if each.place.kind == "link" else None
            found |= {each.place.number} if link is None else {link.start, link.end}
        return found

    # --- conditions ---------------------------------------------------------------------------------------

    def condition(self, pattern: Pattern, part: Condition) -> str:
        """Return a condition as the engine reads it."""
        if isinstance(part, Logic):
            return f" {part.operator} ".join(f"({self.condition(pattern, each)})" for each in part.conditions)
        if isinstance(part, Not):
            return f"NOT ({self.condition(pattern, part.condition)})"
        if isinstance(part, Truth):
            return "true" if part.value else "false"
        if isinstance(part, Same):
            sign = "<>" if part.negated else "="
            return f"{self.id('n', part.left.number)} {sign} {self.id('n', part.right.number)}"
        if isinstance(part, IsNull):
            return self.missing(self.operand(pattern, part.operand), part.negated)
        if isinstance(part, Within):
            equal = [Compare("=", part.operand, value) for value in part.values]
            return " OR ".join(f"({self.condition(pattern, each)})" for each in equal) or "false"
        return self.comparison(part.operator, self.operand(pattern, part.left), self.operand(pattern, part.right))

    def operand(self, pattern: Pattern, part: Operand) -> Any:
        """Return an operand in the engine's own form."""
        if isinstance(part, Property):
            return self.property(pattern, part)
        if isinstance(part, Coalesce):
            return self.coalesce([self.operand(pattern, each) for each in part.operands])
        name = f"p{len(self.parameters)}"
        self.parameters[name] = part.value
        return self.constant(f"${name}", part.value)

    @abstractmethod
    def label(self, label: str | None) -> str:
        """Return a label after its colon; that of a node on the way, which may have any role, if it is None."""

    @abstractmethod
    def types(self, link: Link) -> str:
        """Return the types of a relationship after their colon."""

    @abstractmethod
    def id(self, kind: str, number: int) -> str:
        """Return the expression for the id of a node (n) or a relationship (r)."""

    @abstractmethod
    def has_role(self, variable: str) -> str:
        """Return the condition that a node on the way has a role; empty if there are no other nodes."""

    @abstractmethod
    def is_public(self, variable: str) -> str:
        """Return the condition that a node has no label of people or of owned nodes; empty if nodes have one label."""

    @abstractmethod
    def property(self, pattern: Pattern, part: Property) -> Any:
        """Return the operand that stands for a property."""

    @abstractmethod
    def constant(self, name: str, value: object) -> Any:
        """Return the operand that stands for a parameter with a value."""

    @abstractmethod
    def coalesce(self, operands: list[Any]) -> Any:
        """Return the operand that stands for the first of several that is not null."""

    @abstractmethod
    def missing(self, operand: Any, negated: bool) -> str:
        """Return the condition that an operand is null, or that it is not."""

    @abstractmethod
    def comparison(self, operator: str, left: Any, right: Any) -> str:
        """Return a comparison that cannot fail, whatever the values."""

    @abstractmethod
    def returned(self, operand: Any) -> str:
        """Return the expression for an amount in a result."""


class Neo4jWriter(Writer):
    """Cypher for Neo4j, where values have kinds and properties do not.

    Examples
    --------
    >>> from neodp.asking.grammar import parse
    >>> people = Protection("p", "epsilon", people="Person", properties=["name"])
    >>> Neo4jWriter(people).matches(parse('MATCH (a:Person) WHERE a.name = "x"')).text
    'MATCH (n0:`Person`) WHERE (n0.`name` = $p0) RETURN id(n0) AS n0 LIMIT 10000001'
    """

    def label(self, label: str | None) -> str:
        """Return a label after its colon."""
        return "" if label is None else f":{quoted(label)}"

    def types(self, link: Link) -> str:
        """Return the types of a relationship after their colon."""
        return ":" + "|".join(quoted(kind) for kind in link.types) if link.types else ""

    def id(self, kind: str, number: int) -> str:
        """Return the expression for an id."""
        return f"id({kind}{number})"

    def has_role(self, variable: str) -> str:
        """Return the condition that a node on the way has a role."""
        return " OR ".join(f"{variable}:{quoted(label)}" for label in self.protection.labels)

    def is_public(self, variable: str) -> str:
        """Return the condition that a node is public alone."""
        private = (str(self.protection.people), *self.protection.owners)
        return " AND ".join(f"NOT {variable}:{quoted(label)}" for label in private)

    def property(self, pattern: Pattern, part: Property) -> str:
        """Return the expression for a property."""
        return f"{'n' if part.place.kind == 'node' else 'r'}{part.place.number}.{quoted(part.key)}"

    def constant(self, name: str, value: object) -> str:
        """Return the parameter."""
        return name

    def coalesce(self, operands: list[str]) -> str:
        """Return the first operand that is not null."""
        return f"coalesce({', '.join(operands)})"

    def missing(self, operand: str, negated: bool) -> str:
        """Return the condition that an operand is null, or that it is not."""
        return f"{operand} IS {'NOT ' if negated else ''}NULL"

    def comparison(self, operator: str, left: str, right: str) -> str:
        """Return a comparison that cannot fail."""
        return f"{left} {operator} {right}"

    def returned(self, operand: str) -> str:
        """Return the expression for an amount in a result."""
        return operand

    def units(self) -> str:
        """Return the statement for the ids of all units and their epsilons."""
        unit = self.protection.people
        if unit is not None:
            return f"MATCH (u:{quoted(unit)}) RETURN id(u) AS id, u.{quoted(self.protection.epsilon)} AS epsilon"
        kind = quoted(self.protection.relationships or "")
        return f"MATCH ()-[u:{kind}]->() RETURN id(u) AS id, u.{quoted(self.protection.epsilon)} AS epsilon"

    def owned(self, label: str) -> str:
        """Return the statement for the ids of the nodes of an owned label."""
        return f"MATCH (x:{quoted(label)}) RETURN id(x) AS id"

    def others(self) -> str:
        """Return the statement for those of some ids that are nobody's: there, and without a private label or type."""
        if self.protection.people is not None:
            return f"MATCH (x) WHERE id(x) IN $ids AND {self.is_public('x')} RETURN id(x) AS id"
        kind = quoted(self.protection.relationships or "")
        return f"MATCH ()-[x]->() WHERE id(x) IN $ids AND NOT x:{kind} RETURN id(x) AS id"

    def owners(self, label: str) -> str:
        """Return the statement for the owned nodes of a label, each with every owner."""
        people, kind = quoted(self.protection.people or ""), quoted(self.protection.owners[label])
        return f"MATCH (x:{quoted(label)})-[:{kind}]-(u:{people}) RETURN id(x) AS id, id(u) AS owner"


@dataclass(frozen=True)
class Schema:
    """The tables of the in-memory engine.

    Attributes
    ----------
    nodes, links : mapping
        The name of the table of each label, and of each type.
    columns : mapping
        The beginning of the names of a property's columns, by table and property; they end with n, b and t.
    """

    nodes: Mapping[str, str]
    links: Mapping[str, str]
    columns: Mapping[tuple[str, str], str]


class ValueColumns(NamedTuple):
    """The expressions for a value as a number, a truth value and a text; None where it never is one."""

    number: str | None = None
    truth: str | None = None
    text: str | None = None

    @property
    def there(self) -> str:
        """The condition that there is a value at all."""
        return " OR ".join(f"{each} IS NOT NULL" for each in self if each is not None) or "false"


class TableWriter(Writer):
    """Cypher for the in-memory engine, whose tables and columns have names and kinds of their own."""

    def __init__(self, protection: Protection, schema: Schema) -> None:
        super().__init__(protection)
        self.schema = schema

    def label(self, label: str | None) -> str:
        """Return a label after its colon."""
        there = [each for each in self.protection.labels if each in self.schema.nodes]
        return ":" + ":".join(self.schema.nodes[each] for each in ([label] if label is not None else there))

    def types(self, link: Link) -> str:
        """Return the types of a relationship after their colon."""
        return ":" + "|".join(self.schema.links[each] for each in link.types or self.schema.links)

    def id(self, kind: str, number: int) -> str:
        """Return the expression for an id."""
        return f"{kind}{number}.id"

    def has_role(self, variable: str) -> str:
        """Return nothing: every table has a role, or is not in the pattern."""
        return ""

    def is_public(self, variable: str) -> str:
        """Return nothing: a node has one label."""
        return ""

    def property(self, pattern: Pattern, part: Property) -> ValueColumns:
        """Return the columns of a property."""
        if part.place.kind == "node":
            tables, variable = [self.schema.nodes[str(pattern.nodes[part.place.number].label)]], "n"
        else:
            types = pattern.links[part.place.number].types or tuple(self.schema.links)
            tables, variable = [self.schema.links[each] for each in types], "r"
        found = {self.schema.columns[table, part.key] for table in tables if (table, part.key) in self.schema.columns}
        if not found:
            return ValueColumns()
        column = f"{variable}{part.place.number}.{found.pop()}"
        return ValueColumns(f"{column}n", f"{column}b", f"{column}t")

    def constant(self, name: str, value: object) -> ValueColumns:
        """Return the parameter, as the one kind that it has."""
        if isinstance(value, bool):
            return ValueColumns(truth=name)
        return ValueColumns(text=name) if isinstance(value, str) else ValueColumns(number=f"CAST({name} AS DOUBLE)")

    def coalesce(self, operands: list[ValueColumns]) -> ValueColumns:
        """Return the first operand that is not null, as each kind."""
        first, *others = operands
        if not others:
            return first
        rest = self.coalesce(others)
        kinds = ("DOUBLE", "BOOL", "STRING")
        each = (
            None
            if one is None and other is None
            else f"CASE WHEN {first.there} THEN {one or null(kind)} ELSE {other or null(kind)} END"
            for one, other, kind in zip(first, rest, kinds, strict=True)
        )
        return ValueColumns(*each)

    def missing(self, operand: ValueColumns, negated: bool) -> str:
        """Return the condition that an operand is null, or that it is not."""
        return f"({operand.there})" if negated else f"NOT ({operand.there})"

    def comparison(self, operator: str, left: ValueColumns, right: ValueColumns) -> str:
        """Return a comparison that cannot fail: of numbers, else of truth values, else of texts."""
        pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
        if operator in TEXTUAL:
            pairs = [(left.text, right.text)] if left.text is not None and right.text is not None else []
        each = [f"{a} {operator} {b}" for a, b in pairs]
        both = f"(({left.there}) AND ({right.there}))"
        if operator == "=":
            each.append(f"(NOT {both} AND {null('BOOL')})")
        elif operator == "<>":
            each.append(f"({both} OR {null('BOOL')})")
        return f"coalesce({', '.join(each)})" if len(each) > 1 else (each or [null("BOOL")])[0]

    def returned(self, operand: ValueColumns) -> str:
        """Return the expression for an amount in a result."""
        return operand.number or null("DOUBLE")


def null(kind: str) -> str:
    """Return a null of a kind."""
    return f"CAST(NULL AS {kind})"
