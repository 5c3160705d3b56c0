"""Reasons why a question cannot be asked, one sentence for each construct of Cypher that the grammar does not have.

The grammar alone decides what can be asked. What it cannot read is searched for known constructs, outside of texts,
quoted names and comments, and the first one found is named in the error.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from neodp.errors import NotAskable
from neodp.hints import Hint, Option

__all__ = ["NESTING", "nesting", "reason"]

NESTING = 40
"""The greatest number of parentheses, or of NOTs, within each other."""
HIDDEN = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)*` | //[^\n]* | /\*.*?\*/""", re.VERBOSE | re.DOTALL
)
"""Texts, quoted names and comments."""

APPEARS = "a match could appear when a person leaves"
ORACLE = "an error on one person's value would tell everybody about it"
WHOLE = "neodp counts the matches itself"


class Refused(NamedTuple):
    """A construct, how to find it, why it cannot be asked, and what to do instead."""

    construct: str
    found_by: str
    why: str
    hint: str


KEYWORD = r"(?<![\w.:`$]){}\b(?!\s*:)"
"""A word that is no property, label, or key of a map."""
CALLED = r"(?<![\w.:`$])(?:{})\s*\("
"""A function of one of some names."""


def _word(name: str, why: str, hint: str, construct: str | None = None) -> Refused:
    return Refused(construct or name, KEYWORD.format(name), why, hint)


LEAVE = "leave it out"
ONE = "ask one pattern, with WHERE for conditions on its properties"
REFUSED = (
    _word("OPTIONAL", f"it also counts what is missing, and {APPEARS}", ONE),
    Refused("NOT of a pattern", r"\bNOT\s*\(*\s*\(\s*\w*\s*(?::[^()]*)?(?:\{[^{}]*\})?\s*\)\s*<?-", APPEARS, ONE),
    Refused(
        "EXISTS", r"(?<![\w.:`$])EXISTS\b\s*[({]", f"with NOT before it {APPEARS}", "write the pattern after MATCH"
    ),
    Refused("COUNT", r"(?<![\w.:`$])COUNT\s*[({]", f"{WHOLE}, and a count of others' data is not one person's", LEAVE),
    Refused(
        "a subquery", r"(?<![\w.:`$])(?:CALL|COLLECT|VALUE)\s*[({]", f"its result is not one match, and {APPEARS}", ONE
    ),
    _word("CALL", "neodp cannot know what a procedure does", ONE, "a procedure"),
    Refused(
        "an aggregation",
        CALLED.format("sum|avg|min|max|collect|stdev|stdevp|percentileCont|percentileDisc"),
        f"its value belongs to many people, and {WHOLE}",
        Hint("for sums, use ", Option("sum", "r.amount")),
    ),
    Refused(
        "WITH", r"(?<![\w.:`$])(?<!STARTS )(?<!ENDS )WITH\b(?!\s*:)", f"it can aggregate and limit, and {APPEARS}", ONE
    ),
    _word(
        "RETURN",
        WHOLE,
        Hint("leave it out, and say what is asked: ", Option("at_least", "500"), " or ", Option("count", True)),
    ),
    _word("LIMIT", f"it keeps some matches because others are missing, and {APPEARS}", LEAVE),
    _word("SKIP", f"it keeps some matches because others are missing, and {APPEARS}", LEAVE),
    _word("OFFSET", f"it keeps some matches because others are missing, and {APPEARS}", LEAVE),
    _word(r"ORDER\s+BY", "an order does not change a count", LEAVE, "ORDER BY"),
    _word("DISTINCT", WHOLE, Hint("use ", Option("distinct", "a"))),
    _word("UNION", "the same match could count twice", "ask two questions, or join conditions by OR"),
    _word("INTERSECT", "it compares two sets of matches", ONE),
    _word("EXCEPT", f"it takes matches away, and {APPEARS}", ONE),
    Refused(
        "a shortest path",
        r"(?<![\w.:`$])(?:shortestPath\b|allShortestPaths\b|SHORTEST\b|ANY\s+SHORTEST|ALL\s+SHORTEST)",
        f"a longer path becomes the shortest, so that {APPEARS}",
        "use a bounded length, such as *1..3",
    ),
    Refused(
        "a path of unbounded length",
        r"\*\s*(?:\d+\s*)?(?:\.\.\s*)?(?=[\]{])",
        "one person could be on every match",
        "give the greatest length, such as *1..3",
    ),
    Refused(
        "a quantified path", r"\)\s*(?:\{\s*\d*\s*,?\s*\d*\s*\}|\+|\*)", "its length is not written out", "use *1..3"
    ),
    Refused(
        "a write",
        r"(?<![\w.:`$])(?:CREATE|MERGE|SET|DELETE|DETACH|REMOVE|FOREACH|LOAD|DROP|ALTER|INSERT|GRANT|DENY|REVOKE|COPY)\b(?!\s*:)",
        "a question only reads",
        LEAVE,
    ),
    _word("USE", "the database is the one that was opened", LEAVE),
    _word("UNWIND", f"it makes rows that are no matches, and {APPEARS}", ONE),
    _word("CASE", "it is not on the short list of what cannot fail", "join conditions by AND and OR"),
    _word("EXPLAIN", "a plan tells how many matches there are", LEAVE),
    _word("PROFILE", "a profile tells how many matches there are", LEAVE),
    _word("CYPHER", "options of a database are not part of a question", LEAVE),
    _word("FINISH", WHOLE, LEAVE),
    _word("LET", "it is not on the short list of what cannot fail", ONE),
    _word("FILTER", "it is not on the short list of what cannot fail", "use WHERE"),
    _word("SHOW", "a question asks about people, not about the database", ONE),
    Refused("a parameter", r"\$\s*[\w`]", "a question is public as it is written", "write the value itself"),
    Refused("an id", CALLED.format("id|elementId"), "it tells when a node was made", "ask about a listed property"),
    Refused(
        "a clock",
        CALLED.format(r"(?:date|time|datetime|localtime|localdatetime|timestamp|duration)(?:\.\w+)?"),
        f"a date is read from a text, and {ORACLE}",
        "compare texts, such as a.day >= '2024-01-01'",
    ),
    Refused("a random number", CALLED.format("rand|randomUUID"), "neodp draws, and draws once", LEAVE),
    Refused(
        "a condition on a list",
        CALLED.format("all|any|none|single|reduce"),
        "it is not on the short list of what cannot fail",
        "ask about one property",
    ),
    Refused(
        "a function",
        r"(?<![\w`$])(?!(?:AND|OR|XOR|NOT|IN|WHERE|MATCH|COALESCE)\b)[^\W\d][\w.]*\s*\((?!\s*\w*\s*[:)])",
        f"only coalesce is possible, since {ORACLE}",
        "compare the property itself",
    ),
    Refused(
        "a function",
        r"(?<![\w`$])(?:toLower|toUpper|toInteger|toFloat|toString|toBoolean|size|length|labels|type|keys|properties|nodes"
        r"|relationships|startNode|endNode|degree|trim|substring|split|point|abs)\w*\s*\(",
        f"only coalesce is possible, since {ORACLE}",
        "compare the property itself",
    ),
    Refused(
        "a label expression",
        r"\(\s*\w*\s*(?::|\bIS\b)\s*[^(){}\[\]]*[|&:!%]|\bWHERE\b.*?(?<=[\s(])\w+\s*:\s*!?\w",
        "a node has one role, by one label",
        "give each node one label in the pattern",
    ),
    Refused("a regular expression", r"=~", "its time tells about the values", "use STARTS WITH, ENDS WITH or CONTAINS"),
    Refused("a named path", r"\b\w+\s*=\s*\(", "a path has no value of its own here", "leave the name out"),
    Refused(
        "an element of a list",
        r"[\w`]\s*\[\s*[^\]:*]*\]",
        f"a value that is no list raises an error, and {ORACLE}",
        LEAVE,
    ),
    Refused(
        "a type check",
        r"::|\bIS\s+(?:NOT\s+)?(?:TYPED|NORMALIZED)\b",
        "it is not on the short list of what cannot fail",
        LEAVE,
    ),
    Refused(
        "MATCH twice", r"\bMATCH\b.*\bMATCH\b", "relationships of one match must differ", "write one MATCH, with commas"
    ),
    Refused("WHERE twice", r"\bWHERE\b.*\bWHERE\b", "there is one condition", "join conditions by AND"),
    Refused("more than one statement", r";\s*\S", "a question is one statement", "ask the others for themselves"),
    Refused(
        "arithmetic",
        r"(?<=[\w)'\"\]])\s*(?:[+*/%^]|-(?![-\[>]))(?!\s*[\]])",
        f"dividing by 0 and the like fail, and {ORACLE}",
        "compare with a constant",
    ),
    Refused("a text joined to another", r"\|\|", f"a value that is no text raises an error, and {ORACLE}", LEAVE),
    Refused("null as a value", KEYWORD.format("null"), "nothing equals null", "use IS NULL"),
)


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
    for refused in REFUSED:
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
