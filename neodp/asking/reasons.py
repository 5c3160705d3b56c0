"""Reasons why a question cannot be asked, one sentence for each construct of Cypher that the grammar does not have.

The grammar alone decides what can be asked. What it cannot read is searched for known constructs, outside of texts,
quoted names and comments, and the first one found is named in the error.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from neodp.errors import NotAskable
from neodp.hints import Hint, Option

__all__ = ["NESTING", "nesting", "reason", "refused_constructs"]

NESTING = 40
"""The greatest number of parentheses, or of NOTs, within each other."""
HIDDEN = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | //[^\n]* | /\*.*?\*/""", re.VERBOSE | re.DOTALL
)
"""Texts, quoted names and comments."""

KEYWORD = r"(?<![\w.:`$]){}\b(?!\s*:)"
"""A word that is no property, label, or key of a map."""
CALLED = r"(?<![\w.:`$])(?:{})\s*\("
"""A function of one of some names."""


class Refused(NamedTuple):
    """A construct, how to find it, why it cannot be asked, and what to do instead."""

    construct: str
    found_by: str
    why: str
    hint: str


@cache
def refused_constructs() -> tuple[Refused, ...]:
    """Return the constructs of ``reasons.json``, which the plugin reads too, in the order in which they are looked for.

    A construct is found by a ``word``, as a ``called`` function, or by a regular expression of its own. ``{NAMES}`` in
    sentences stand for phrases, and a hint's objects for options.
    """
    table = json.loads(Path(__file__).with_name("reasons.json").read_text("utf-8"))
    phrases: dict[str, str] = table["phrases"]
    found = []
    for each in table["refused"]:
        expression = each.get("found_by")
        if "word" in each:
            expression = KEYWORD.format(each["word"])
        elif "called" in each:
            expression = CALLED.format(each["called"])
        parts = [
            part.format(**phrases) if isinstance(part, str) else Option(*next(iter(part.items())))
            for part in each["hint"]
        ]
        found.append(Refused(each["construct"], expression, each["why"].format(**phrases), Hint(*parts)))
    return tuple(found)


def reason(text: str, place: int | None) -> NotAskable:
    """Return the error for a text that the grammar cannot read.

    Parameters
    ----------
    text : str
        The question.
    place : int or None
        Where the grammar gave up.

    Examples
    --------
    >>> reason("MATCH (a:Person) RETURN count(a)", 17).message
    "COUNT cannot be asked: neodp counts the matches itself, and a count of others' data is not one person's"
    """
    plain = HIDDEN.sub(lambda found: "''" if found[0][0] in "'\"" else ("x" if found[0][0] == "`" else " "), text)
    for refused in refused_constructs():
        if re.search(refused.found_by, plain, re.IGNORECASE | re.DOTALL):
            return NotAskable(f"{refused.construct} cannot be asked: {refused.why}", refused.hint)
    at = len(text) if place is None or place < 0 else min(place, len(text))
    near = " ".join(text[at : at + 20].split())
    where = f"at character {at + 1}, {near!r}" if near else "at its end"
    return NotAskable(
        f"the question cannot be read {where}",
        "write MATCH, a pattern such as (a:Person)-[:KNOWS]-(b:Person), and WHERE with conditions on properties",
    )


def nesting(text: str) -> int:
    """Return how deeply parentheses and NOTs lie within each other, at most.

    Examples
    --------
    >>> nesting("NOT NOT ((a.x))"), nesting("'((('")
    (4, 0)
    """
    depth = deepest = negations = 0
    for token in re.findall(r"\(|\)|\bNOT\b|[^\s()]+", HIDDEN.sub("''", text), re.IGNORECASE):
        if token == "(":
            depth += 1
        elif token == ")":
            depth = max(0, depth - 1)
        else:
            negations = negations + 1 if token.upper() == "NOT" else 0
        deepest = max(deepest, depth + negations)
    return deepest
