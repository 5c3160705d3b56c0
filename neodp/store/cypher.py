"""The Cypher that a store runs, one statement per file in ``neodp/cypher``.

``cypher/store`` holds the store's own statements, ``cypher/query`` the canned queries on graphs, and
``cypher/query/profile`` those on profiles. A file opens with comments: what it does or answers, then a line
``// $name = default`` or ``// $name`` per parameter besides ``$graph``, or ``$profiles``.
``NAME.cypher`` is for Neo4j and can be pasted into Neo4j Browser; ``NAME.embedded.cypher`` beside it is the embedded
store's variant where its dialect differs.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from neodp.errors import UnknownQuery, near

__all__ = ["Canned", "Dialect", "Subject", "bound", "canned", "every", "statement", "subject"]

Dialect: TypeAlias = Literal["neo4j", "embedded"]
Subject: TypeAlias = Literal["graph", "profile"]
"""What a query is about, by name."""

_ROOT = files("neodp") / "cypher"
_REQUIRED = object()


@dataclass(frozen=True)
class Canned:
    """A canned query: what it answers, its text, and its parameters besides the subject's name with their defaults."""

    name: str
    answers: str
    text: str
    parameters: dict[str, Any]


@cache
def statement(name: str, dialect: Dialect = "neo4j") -> str:
    """The text of one of the store's own statements."""
    return _text("store", name, dialect)


@cache
def canned(dialect: Dialect = "neo4j", on: Subject = "graph") -> dict[str, Canned]:
    """All canned queries on graphs, or on profiles, by name."""
    folder = {"graph": "query", "profile": "query/profile"}[on]
    names = sorted(f.name.removesuffix(".cypher") for f in (_ROOT / folder).iterdir() if f.name.count(".") == 1)
    return {name: _parse(name, _text(folder, name, dialect)) for name in names}


def every(dialect: Dialect = "neo4j") -> dict[str, Canned]:
    """All canned queries by name, whatever they are about."""
    return canned(dialect) | canned(dialect, "profile")


def subject(query: str) -> Subject:
    """What a canned query is about."""
    return "profile" if query in canned(on="profile") else "graph"


def bound(query: str, parameters: dict[str, Any], dialect: Dialect = "neo4j") -> tuple[str, dict[str, Any]]:
    """A canned query's text and all its parameters but the name: those given, and defaults for the others.

    Raises
    ------
    UnknownQuery
        If there is no such query, a parameter is not one of its own, or one is missing.
    """
    known = every(dialect)
    if query not in known:
        raise UnknownQuery(f"there is no query {query!r}", near(query, known) or f"there are {', '.join(known)}")
    found = known[query]
    for name in parameters:
        if name not in found.parameters:
            takes = ", ".join(found.parameters) or f"none besides the {subject(query)}"
            raise UnknownQuery(f"query {query!r} has no parameter {name!r}", f"its parameters: {takes}")
    values = found.parameters | parameters
    for name, value in values.items():
        if value is _REQUIRED:
            raise UnknownQuery(f"query {query!r} needs the parameter {name!r}", f"give it as {name}=…")
        default = found.parameters[name]
        if isinstance(default, int) and not isinstance(value, int):
            raise UnknownQuery(f"{name} is {value!r}", "give a whole number")
    return found.text, values


def _text(folder: str, name: str, dialect: Dialect) -> str:
    special = _ROOT / folder / f"{name}.{dialect}.cypher"
    usual = _ROOT / folder / f"{name}.cypher"
    return (special if special.is_file() else usual).read_text(encoding="utf-8")


def _parse(name: str, text: str) -> Canned:
    head = [line.removeprefix("//").strip() for line in text.splitlines() if line.startswith("//")]
    parameters: dict[str, Any] = {}
    for line in head:
        if match := re.fullmatch(r"\$(\w+)(?: = (.+))?", line):
            parameters[match[1]] = ast.literal_eval(match[2]) if match[2] else _REQUIRED
    return Canned(name, " ".join(line for line in head if not line.startswith("$")), text, parameters)
