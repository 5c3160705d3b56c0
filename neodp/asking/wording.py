"""The text of a question: one form for everybody who asks the same.

It is shown, and kept with an answer. Properties in braces become conditions, a path becomes pairs of nodes, and
everything is written in one way; variables keep their names.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping

from neodp.asking.pattern import (
    Coalesce,
    Compare,
    Condition,
    Constant,
    IsNull,
    Not,
    Operand,
    Pattern,
    Place,
    Property,
    Same,
    Truth,
    Within,
    properties,
)
from neodp.asking.writing import quoted

__all__ = ["as_question"]

PLAIN = re.compile(r"[^\W\d]\w*\Z", re.ASCII)
RESERVED = frozenset(
    {"match", "where", "and", "or", "xor", "not", "in", "is", "null", "true", "false", "starts", "ends", "with"}
    | {"contains", "coalesce"}
)
ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\b": r"\b", "\f": r"\f", '"': r"\"", "\\": r"\\"}


def as_question(pattern: Pattern) -> str:
    """Return a pattern as a question, whose reading gives a pattern with the same matches, and the same text again.

    Elements keep their names. One without a name gets a new one if it is needed twice: a node between two
    relationships, and an element with properties in braces, which become a condition.

    Examples
    --------
    >>> from neodp.asking.grammar import parse
    >>> as_question(parse("MATCH (a:Person)-[:KNOWS {since: 3}]-(:Person)<-[:KNOWS]-(b:Person)"))
    'MATCH (a:Person)-[r1:KNOWS]-(n1:Person), (b:Person)-[:KNOWS]->(n1) WHERE r1.since = 3'
    """
    names = _names(pattern)
    shown: set[int] = set()

    def node(number: int) -> str:
        label = _after_colon(pattern.nodes[number].label) if number not in shown else ""
        shown.add(number)
        return f"({_shown(names.get(Place('node', number), ''))}{label})"

    paths = []
    for number, link in enumerate(pattern.links):
        kinds = "|".join(_shown(kind) for kind in link.types)
        length = f"*{link.low}..{link.high}" if link.varies else ""
        inside = f"{_shown(names.get(Place('link', number), ''))}{':' if kinds else ''}{kinds}{length}"
        paths.append(f"{node(link.start)}-[{inside}]-{'>' if link.directed else ''}{node(link.end)}")
    paths += [node(number) for number in range(len(pattern.nodes)) if number not in shown]
    where = "" if pattern.condition is None else f" WHERE {_said(names, pattern.condition)}"
    return f"MATCH {', '.join(paths)}{where}"


def _names(pattern: Pattern) -> dict[Place, str]:
    """Return the names of elements: their own, and new ones, n1, n2, … and r1, r2, …, where one is needed."""
    nodes = {Place("node", number): each.name for number, each in enumerate(pattern.nodes)}
    links = {Place("link", number): each.name for number, each in enumerate(pattern.links)}
    names = {place: name for place, name in (nodes | links).items() if name is not None}
    ends = Counter(number for link in pattern.links for number in (link.start, link.end))
    needed = {each.place for each in properties(pattern.condition)}
    needed |= {Place("node", number) for number, count in ends.items() if count > 1}
    for letter, places in (("n", nodes), ("r", links)):
        taken = set(names.values())
        fresh = (name for number in itertools.count(1) if (name := f"{letter}{number}") not in taken)
        names |= {place: next(fresh) for place in places if place in needed and place not in names}
    return names


def _shown(name: str) -> str:
    return name if not name or (PLAIN.match(name) and name.lower() not in RESERVED) else quoted(name)


def _after_colon(label: str | None) -> str:
    return "" if label is None else f":{_shown(label)}"


def _said(names: Mapping[Place, str], part: Condition | Operand, within: bool = False) -> str:
    """Return a condition or an operand in words of Cypher, in parentheses if it is joined within another."""
    if isinstance(part, Property):
        return f"{_shown(names[part.place])}.{_shown(part.key)}"
    if isinstance(part, Constant):
        return _text(part.value) if isinstance(part.value, str) else json.dumps(part.value)
    if isinstance(part, Coalesce):
        return f"coalesce({', '.join(_said(names, each) for each in part.operands)})"
    if isinstance(part, Compare):
        return f"{_said(names, part.left)} {part.operator} {_said(names, part.right)}"
    if isinstance(part, Within):
        return f"{_said(names, part.operand)} IN [{', '.join(_said(names, each) for each in part.values)}]"
    if isinstance(part, IsNull):
        return f"{_said(names, part.operand)} IS {'NOT ' if part.negated else ''}NULL"
    if isinstance(part, Same):
        return f"{_shown(names[part.left])} {'<>' if part.negated else '='} {_shown(names[part.right])}"
    if isinstance(part, Truth):
        return "true" if part.value else "false"
    if isinstance(part, Not):
        return f"NOT {_said(names, part.condition, True)}"
    joined = f" {part.operator} ".join(_said(names, each, True) for each in part.conditions)
    return f"({joined})" if within else joined


def _text(value: str) -> str:
    """Return a text in quotes, with the escapes that a question may have; all other characters stand for themselves."""
    return '"' + "".join(ESCAPES.get(letter, letter) for letter in value) + '"'
