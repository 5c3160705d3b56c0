"""Patterns: what a question looks for in a graph, as a tree.

A pattern is *positive*: it names nodes and relationships that must be there, and conditions on the properties of what
was found. So a match depends on its own elements alone: it vanishes when one of them leaves, and none ever appears.
Everything that an answer promises rests on this.

A **match** is the set of the distinct nodes and relationships that one assignment of the pattern's places uses; a
pair that was found in both directions is one match. The relationships of a match differ from each other.

A relationship of variable length stands for several patterns, one for each length, with everybody on the way as nodes
of their own (:meth:`Pattern.alternatives`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any, Literal, TypeAlias

from neodp.asking.protection import Protection, Role
from neodp.errors import NotAskable

__all__ = [
    "Coalesce",
    "Compare",
    "Condition",
    "Constant",
    "IsNull",
    "Link",
    "Logic",
    "Node",
    "Not",
    "Operand",
    "Pattern",
    "Place",
    "Property",
    "Same",
    "Truth",
    "Within",
]

LONGEST_PATH = 8
"""The greatest number of relationships in a pattern, every relationship of variable length at its longest."""
MOST_ALTERNATIVES = 64
"""The greatest number of patterns that relationships of variable length may stand for."""


@dataclass(frozen=True)
class Place:
    """A place of a pattern: a node or a relationship, by its number."""

    kind: Literal["node", "link"]
    number: int


@dataclass(frozen=True)
class Node:
    """A node of a pattern. A node on the way of a relationship of variable length has no label of its own."""

    name: str | None
    label: str | None


@dataclass(frozen=True)
class Link:
    """A relationship of a pattern, between two nodes by their numbers, or a path of several of them."""

    name: str | None
    types: tuple[str, ...]
    start: int
    end: int
    directed: bool
    low: int = 1
    high: int = 1

    @property
    def varies(self) -> bool:
        """True if it is a path, even of one length: then it has no properties of its own to ask about."""
        return (self.low, self.high) != (1, 1)


@dataclass(frozen=True)
class Property:
    """A property of a matched element."""

    place: Place
    key: str


@dataclass(frozen=True)
class Constant:
    """A text, a number or a truth value."""

    value: str | int | float | bool


@dataclass(frozen=True)
class Coalesce:
    """The first of several operands that is not null."""

    operands: tuple[Operand, ...]


Operand: TypeAlias = "Property | Constant | Coalesce"


@dataclass(frozen=True)
class Compare:
    """A comparison of two operands; it is null, and so does not match, if their kinds differ or one is null."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Within:
    """An operand that is one of some constants."""

    operand: Operand
    values: tuple[Constant, ...]


@dataclass(frozen=True)
class IsNull:
    """An operand that is missing, or is there."""

    operand: Operand
    negated: bool


@dataclass(frozen=True)
class Same:
    """Two places that hold the same node, or do not."""

    left: Place
    right: Place
    negated: bool


@dataclass(frozen=True)
class Truth:
    """A condition that always holds, or never."""

    value: bool


@dataclass(frozen=True)
class Not:
    """The opposite of a condition on properties."""

    condition: Condition


@dataclass(frozen=True)
class Logic:
    """Several conditions, joined by AND, OR or XOR."""

    operator: Literal["AND", "OR", "XOR"]
    conditions: tuple[Condition, ...]


Condition: TypeAlias = "Compare | Within | IsNull | Same | Truth | Not | Logic"


@dataclass(frozen=True)
class Pattern:
    """A question's pattern: its nodes, its relationships, and the condition on their properties."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    condition: Condition | None = None

    def place(self, name: str) -> Place:
        """Return the place of a variable.

        Raises
        ------
        NotAskable
            If the pattern has no such variable.
        """
        for number, node in enumerate(self.nodes):
            if node.name == name:
                return Place("node", number)
        for number, link in enumerate(self.links):
            if link.name == name:
                return Place("link", number)
        names = [node.name for node in self.nodes] + [link.name for link in self.links]
        known = sorted({each for each in names if each is not None})
        raise NotAskable(f"the pattern has no variable {name!r}", f"it has {', '.join(known) or 'none'}")

    def checked(self, protection: Protection) -> Pattern:
        """Return this pattern if everything in it has a role in the protection, and may be asked.

        Raises
        ------
        NotAskable
            If not; the message says what, and why.
        """
        for node in self.nodes:
            _check_label(node, protection)
        if not self._touches(protection):
            raise NotAskable(
                "the pattern contains no people, so there is nobody to protect",
                "ask the database itself, or add a node of the people"
                if protection.people is not None
                else f"add a relationship of type {protection.relationships}",
            )
        length = sum(link.high for link in self.links)
        if length > LONGEST_PATH:
            raise NotAskable(f"the pattern has up to {length} relationships", f"at most {LONGEST_PATH} are possible")
        count = math.prod(link.high - link.low + 1 for link in self.links)
        if count > MOST_ALTERNATIVES:
            raise NotAskable(
                f"the pattern stands for {count} patterns of fixed lengths", f"at most {MOST_ALTERNATIVES}"
            )
        for found in properties(self.condition):
            self.require_property(found, protection)
        return self

    def _touches(self, protection: Protection) -> bool:
        """Return whether a protected unit can be in a match, by the labels and types that the pattern names."""
        if protection.people is None:
            return any(protection.relationships in link.types for link in self.links)
        return any(protection.role(node.label or "") in (Role.UNIT, Role.OWNED) for node in self.nodes)

    def require_property(self, found: Property, protection: Protection) -> None:
        """Refuse a property that must not be asked."""
        if found.key == protection.epsilon:
            raise NotAskable(f"{found.key!r} holds the epsilons, which are protected too", "ask about other properties")
        if found.key in protection.properties or self._is_public(found.place, protection):
            return
        raise NotAskable(
            f"the property {found.key!r} may not be asked about: it might have been computed from other people's data",
            "list it when the population is protected, if it depends on one person only",
        )

    def _is_public(self, place: Place, protection: Protection) -> bool:
        """Return whether the element at a place is public by its label, or by the labels at its ends."""
        if place.kind == "node":
            return protection.role(self.nodes[place.number].label or "") is Role.PUBLIC
        link = self.links[place.number]
        if protection.people is None:
            return bool(link.types) and protection.relationships not in link.types
        ends = (self.nodes[link.start], self.nodes[link.end])
        return all(protection.role(node.label or "") is Role.PUBLIC for node in ends)

    def alternatives(self) -> Iterator[Pattern]:
        """Yield the patterns of fixed lengths that this one stands for; the places that it names keep their numbers."""
        for lengths in product(*(range(link.low, link.high + 1) for link in self.links)):
            yield self._of_lengths(lengths)

    def _of_lengths(self, lengths: tuple[int, ...]) -> Pattern:
        nodes, links, more = list(self.nodes), list(self.links), []
        for number, (link, length) in enumerate(zip(self.links, lengths, strict=True)):
            way = [link.start, *range(len(nodes), len(nodes) + length - 1), link.end]
            nodes += [Node(None, None)] * (length - 1)
            each = [replace(link, start=a, end=b, low=1, high=1) for a, b in pairwise(way)]
            links[number] = each[0]
            more += each[1:]
        return Pattern(tuple(nodes), (*links, *more), self.condition)

    @property
    def text(self) -> str:
        """The pattern in Cypher, in one form for everybody who asks the same; names of variables are kept."""
        from neodp.asking.wording import as_question

        return as_question(self)


def _check_label(node: Node, protection: Protection) -> None:
    shown = f"({node.name})" if node.name is not None else "()"
    if node.label is None:
        raise NotAskable(
            f"the node {shown} has no label, so neodp cannot know whose it is",
            f"write a label, such as ({node.name or ''}:{protection.labels[0] if protection.labels else 'Person'})",
        )
    if protection.role(node.label) is None:
        raise NotAskable(
            f"the label {node.label!r} is neither protected, owned nor public, so neodp cannot know whose it is",
            f"population {protection.population!r} has {', '.join(protection.labels) or 'no labels'}",
        )


def properties(part: Any) -> Iterator[Property]:
    """Yield the properties in a condition or an operand, as often as they occur."""
    if isinstance(part, Property):
        yield part
    elif isinstance(part, Coalesce):
        for operand in part.operands:
            yield from properties(operand)
    elif isinstance(part, Compare):
        yield from properties(part.left)
        yield from properties(part.right)
    elif isinstance(part, Within | IsNull):
        yield from properties(part.operand)
    elif isinstance(part, Not):
        yield from properties(part.condition)
    elif isinstance(part, Logic):
        for condition in part.conditions:
            yield from properties(condition)
