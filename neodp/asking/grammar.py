"""The language of questions: a part of Cypher, read by a grammar into a pattern.

The store's own Cypher is written from the tree (:mod:`neodp.asking.writing`), so that what the grammar does not have
cannot be asked::

    MATCH path, path, …  WHERE condition

    path        (a:Person)-[r:KNOWS]-(b:Person), with <- and ->, types A|B, lengths *1..3, and {key: constant}
    condition   comparisons, IN, IS NULL, STARTS WITH, ENDS WITH, CONTAINS of properties and constants,
                joined by AND, OR, XOR and NOT; a <> b of nodes
    operand     a.key, constants, coalesce(…)

There is no arithmetic, no cast, no function of strings and no date: an error caused by one person's value would reveal
that value to everybody. A property that is a condition by itself is read as ``a.ill = true``, since Neo4j
raises an error if a string is used as a boolean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from neodp.asking.pattern import (
    Coalesce,
    Compare,
    Condition,
    Constant,
    IsNull,
    Link,
    Logic,
    Node,
    Not,
    Operand,
    Pattern,
    Place,
    Property,
    Same,
    Truth,
    Within,
)
from neodp.asking.protection import require_word
from neodp.asking.reasons import NESTING, nesting, reason
from neodp.data.validation import is_text
from neodp.errors import GraphError, NotAskable

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

__all__ = ["parse", "parse_property"]

LONGEST = 10_000
"""The greatest length of a question in characters."""
GREATEST = 2**63
"""Whole numbers lie below this one, in size, as in both engines."""
MOST_DIGITS = 400
"""The greatest number of digits of a whole number; Python itself refuses to read a few thousand."""

GRAMMAR = r"""
question: _MATCH path ("," path)* [_WHERE condition] ";"?
path: node (link node)*
node: "(" [NAME] [":" NAME] [map] ")"
link: "-" [detail] "-"          -> undirected
    | "-" [detail] "->"         -> right
    | "<-" [detail] "-"         -> left
    | "--"                      -> undirected_bare
    | "-->"                     -> right_bare
    | "<--"                     -> left_bare
detail: "[" [NAME] [types] [length] [map] "]"
types: ":" NAME ("|" [":"] NAME)*
length: "*" INTEGER             -> exactly
      | "*" INTEGER ".." INTEGER -> between
      | "*" ".." INTEGER        -> up_to
map: "{" NAME ":" constant ("," NAME ":" constant)* "}"

?condition: xor (_OR xor)*      -> any_of
?xor: both (_XOR both)*         -> one_of
?both: opposite (_AND opposite)* -> all_of
?opposite: _NOT opposite        -> negation
         | predicate
?predicate: "(" condition ")"
          | operand (OPERATOR operand)+     -> comparison
          | operand _STARTS _WITH operand   -> starts
          | operand _ENDS _WITH operand     -> ends
          | operand _CONTAINS operand       -> contains
          | operand _IN "[" [constant ("," constant)*] "]" -> within
          | operand _IS _NULL               -> missing
          | operand _IS _NOT _NULL          -> present
          | property                        -> flag
          | NAME SAMENESS NAME              -> same
          | truth
?operand: property | constant | coalesce
property: NAME "." NAME
coalesce: _COALESCE "(" operand ("," operand)* ")"
?constant: STRING               -> string
         | [MINUS] INTEGER      -> integer
         | [MINUS] DECIMAL      -> decimal
         | _TRUE                -> true
         | _FALSE               -> false
?truth: _TRUE                   -> always
      | _FALSE                  -> never

MINUS: "-"
OPERATOR.3: "<>" | "<=" | ">=" | "=" | "<" | ">"
SAMENESS.2: "<>" | "="
_MATCH.2: /match\b/i
_WHERE.2: /where\b/i
_AND.2: /and\b/i
_OR.2: /or\b/i
_XOR.2: /xor\b/i
_NOT.2: /not\b/i
_IN.2: /in\b/i
_IS.2: /is\b/i
_NULL.2: /null\b/i
_TRUE.2: /true\b/i
_FALSE.2: /false\b/i
_STARTS.2: /starts\b/i
_ENDS.2: /ends\b/i
_WITH.2: /with\b/i
_CONTAINS.2: /contains\b/i
_COALESCE.2: /coalesce(?=\s*\()/i
NAME: /[^\W\d]\w*/ | /`(?:[^`]|``)+`/
STRING: /'(?:[^'\\]|\\.)*'/s | /"(?:[^"\\]|\\.)*"/s
DECIMAL.2: /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/
INTEGER.1: /\d+/
%ignore /\s+/
%ignore /\/\/[^\n]*/
%ignore /\/\*(?:[^*]|\*(?!\/))*\*\//
"""


def parse(text: str) -> Pattern:
    """Return the pattern of a question.

    Raises
    ------
    NotAskable
        If the text is not a question of this language; the message says why its construct cannot be asked.

    Examples
    --------
    >>> parse("MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.age >= 18").text
    'MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill = true AND b.age >= 18'
    >>> parse("MATCH (a:Person) WHERE NOT (a)-[:KNOWS]-()")
    Traceback (most recent call last):
      ...
    neodp.errors.NotAskable: NOT of a pattern cannot be asked: a match could appear when a person leaves; ...
    """
    from lark.exceptions import UnexpectedInput

    if not isinstance(text, str) or not text.strip():
        raise NotAskable("there is no question", "write one, such as MATCH (a:Person)-[:KNOWS]-(b:Person)")
    if not is_text(text):
        raise NotAskable("the question has a character that is not valid Unicode", "leave it out")
    if len(text) > LONGEST:
        raise NotAskable(f"the question has {len(text):,} characters", f"at most {LONGEST:,} are possible")
    if nesting(text) > NESTING:
        raise NotAskable(
            "the question is nested too deeply", f"at most {NESTING} parentheses or NOTs within each other"
        )
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        raise reason(text, None if ended else error.pos_in_stream) from None
    return _Reader().question(tree)


def parse_property(pattern: Pattern, text: str) -> Property:
    """Return the property of a pattern that a text such as ``r.amount`` names.

    Raises
    ------
    NotAskable
        If the text is not a variable of the pattern, a dot and a key.
    """
    from lark.exceptions import UnexpectedInput

    try:
        tree = _parser().parse(f"MATCH (a:A) WHERE {text} IS NULL")
    except UnexpectedInput:
        tree = None
    where: Any = tree.children[-1] if tree is not None else None
    while where is not None and where.data in JOINED and len(where.children) == 1:
        where = where.children[0]
    if where is None or where.data != "missing" or where.children[0].data != "property":
        raise NotAskable(
            f"{text!r} is not a property of the pattern", "give a variable and a property, such as r.amount"
        )
    name, key = where.children[0].children
    place = pattern.place(_word(name))
    if place.kind == "link" and pattern.links[place.number].varies:
        raise _many(_word(name))
    return Property(place, _word(key))


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(GRAMMAR, parser="lalr", start="question", maybe_placeholders=True)


def _word(token: Token) -> str:
    """Return a name without its backticks."""
    text = str(token)
    name = text[1:-1].replace("``", "`") if text.startswith("`") else text
    try:
        return require_word("a name in the question", name)
    except GraphError as error:
        raise NotAskable(error.message, error.hint) from None


def _whole(text: str) -> int:
    """Return a whole number; refuse one that is too large before Python would."""
    if len(text) > MOST_DIGITS or int(text) >= GREATEST:
        raise _too_large(text)
    return int(text)


def _too_large(text: str) -> NotAskable:
    return NotAskable(f"the number {text[:40]} is too large", "give a smaller one")


def _many(name: str) -> NotAskable:
    return NotAskable(
        f"{name!r} stands for several relationships, so that it has no property of its own",
        "give it a fixed length of 1",
    )


class _Reader:
    """The step from lark's tree to a pattern: variables become places."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.links: list[Link] = []
        self.places: dict[str, Place] = {}
        self.conditions: list[Condition] = []

    def question(self, tree: Tree[Token]) -> Pattern:
        *paths, where = tree.children
        for path in paths:
            self.path(path)
        if where is not None:
            self.conditions.append(self.condition(where))
        whole = self.conditions[0] if len(self.conditions) == 1 else Logic("AND", tuple(self.conditions))
        return Pattern(tuple(self.nodes), tuple(self.links), whole if self.conditions else None)

    # --- the pattern --------------------------------------------------------------------------------------

    def path(self, tree: Any) -> None:
        first, *rest = tree.children
        here = self.node(first)
        for link, node in zip(rest[::2], rest[1::2], strict=True):
            there = self.node(node)
            self.link(link, here, there)
            here = there

    def node(self, tree: Any) -> int:
        name, label, map_ = tree.children
        word = None if name is None else _word(name)
        kind = None if label is None else _word(label)
        number = self.known(word, "node")
        if number is None:
            number = len(self.nodes)
            self.nodes.append(Node(word, kind))
            if word is not None:
                self.places[word] = Place("node", number)
        elif kind is not None:
            other = self.nodes[number].label
            if other not in (None, kind):
                raise NotAskable(f"{word!r} has two labels, {other!r} and {kind!r}", "give each variable one label")
            self.nodes[number] = Node(word, kind)
        self.map(map_, Place("node", number))
        return number

    def known(self, word: str | None, kind: str) -> int | None:
        """Return the number of a variable that has occurred before."""
        place = self.places.get(word) if word is not None else None
        if place is None:
            return None
        if place.kind != kind or kind == "link":
            raise NotAskable(f"the variable {word!r} stands for two things", "give each relationship its own variable")
        return place.number

    def link(self, tree: Any, here: int, there: int) -> None:
        kind = tree.data
        detail = tree.children[0] if tree.children else None
        name, types, length, map_ = detail.children if detail is not None else (None,) * 4
        word = None if name is None else _word(name)
        self.known(word, "link")
        low, high = self.length(length)
        named = () if types is None else tuple(_word(each) for each in types.children if each is not None)
        start, end = (there, here) if kind.startswith("left") else (here, there)
        directed = not kind.startswith("undirected")
        place = Place("link", len(self.links))
        self.links.append(Link(word, tuple(dict.fromkeys(named)), start, end, directed, low, high))
        if word is not None:
            self.places[word] = place
        if map_ is not None and self.links[-1].varies:
            raise NotAskable("a path of several relationships has properties in braces", "give it a fixed length of 1")
        self.map(map_, place)

    def length(self, tree: Any) -> tuple[int, int]:
        if tree is None:
            return 1, 1
        numbers = [_whole(str(each)) for each in tree.children]
        low, high = {"exactly": (numbers[0],) * 2, "up_to": (1, numbers[-1])}.get(tree.data, (numbers[0], numbers[-1]))
        if not 1 <= low <= high:
            raise NotAskable(
                f"a path has from {low} to {high} relationships", "give a length of at least 1, such as *1..3"
            )
        return low, high

    def map(self, tree: Any, place: Place) -> None:
        if tree is not None:
            for key, value in zip(tree.children[::2], tree.children[1::2], strict=True):
                self.conditions.append(Compare("=", Property(place, _word(key)), self.constant(value)))

    # --- conditions ---------------------------------------------------------------------------------------

    def condition(self, tree: Any) -> Condition:
        kind, parts = tree.data, tree.children
        if kind in JOINED:
            each = tuple(self.condition(part) for part in parts)
            return each[0] if len(each) == 1 else Logic(JOINED[kind], each)  # type: ignore[arg-type]
        if kind == "negation":
            return Not(self.condition(parts[0]))
        if kind in ("always", "never"):
            return Truth(kind == "always")
        if kind == "same":
            return self.same(*parts)
        if kind == "comparison":
            return self.comparison(parts)
        if kind == "within":
            return Within(self.operand(parts[0]), tuple(self.constant(part) for part in parts[1:] if part is not None))
        if kind in ("missing", "present"):
            return IsNull(self.operand(parts[0]), kind == "present")
        if kind == "flag":
            return Compare("=", self.operand(parts[0]), Constant(True))
        return Compare(TEXTUAL[kind], self.operand(parts[0]), self.operand(parts[1]))

    def comparison(self, parts: Sequence[Any]) -> Condition:
        operands = [self.operand(part) for part in parts[::2]]
        each = tuple(
            Compare(str(sign), left, right)
            for left, sign, right in zip(operands, parts[1::2], operands[1:], strict=False)
        )
        return each[0] if len(each) == 1 else Logic("AND", each)

    def same(self, left: Any, sign: Any, right: Any) -> Condition:
        one, other = self.variable(_word(left)), self.variable(_word(right))
        if "link" in (one.kind, other.kind):
            raise NotAskable("a relationship is compared", "the relationships of a match always differ; leave it out")
        return Same(one, other, str(sign) == "<>")

    def operand(self, tree: Any) -> Operand:
        if tree.data == "property":
            name, key = (_word(token) for token in tree.children)
            place = self.variable(name)
            if place.kind == "link" and self.links[place.number].varies:
                raise _many(name)
            return Property(place, key)
        if tree.data == "coalesce":
            return Coalesce(tuple(self.operand(each) for each in tree.children))
        return self.constant(tree)

    def variable(self, name: str) -> Place:
        if name not in self.places:
            raise NotAskable(
                f"the variable {name!r} is not in the pattern", "add it to the pattern, or use another variable"
            )
        return self.places[name]

    def constant(self, tree: Any) -> Constant:
        if tree.data in ("true", "false"):
            return Constant(tree.data == "true")
        if tree.data == "string":
            return Constant(_unquoted(str(tree.children[0])))
        sign = -1 if len(tree.children) == 2 and tree.children[0] is not None else 1
        text = str(tree.children[-1])
        if tree.data == "integer":
            return Constant(sign * _whole(text))
        if math.isinf(float(text)):
            raise _too_large(text)
        return Constant(sign * float(text))


JOINED = {"any_of": "OR", "one_of": "XOR", "all_of": "AND"}
TEXTUAL = {"starts": "STARTS WITH", "ends": "ENDS WITH", "contains": "CONTAINS"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "'": "'", '"': '"', "\\": "\\"}


def _unquoted(text: str) -> str:
    """Return the text between quotes, with its escapes replaced."""
    found, inside = [], iter(text[1:-1])
    for letter in inside:
        if letter == "\\":
            escape = next(inside)
            if escape not in ESCAPES:
                raise NotAskable(f"the escape \\{escape} is not known", "write the character itself")
            found.append(ESCAPES[escape])
        else:
            found.append(letter)
    return "".join(found)
