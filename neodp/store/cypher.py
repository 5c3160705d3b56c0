"""The Cypher that stores run, read from the files of ``cypher/``.

There is a folder per *dialect*, ``neo4j`` and ``embedded``, with the same five files in each: ``schema``, ``graphs``,
``mechanisms``, ``releases`` and ``profiles``. A file holds the statements about its subject one after another, each
under a heading (the convention of yesql and aiosql):

    // name: claim_graph
    // What the statement does, in one or more lines.
    MATCH (g:DatasetGraph {name: $graph})
    …
    RETURN count(g) AS claimed;

A line ``// name: NAME`` begins a statement, the comment lines that follow say what it does, and everything up to the
next such line is its text, without the semicolon at the end. Lines before the first name describe the file. A name
occurs once in a dialect, and no dialect borrows a statement from another.

``cypher/query`` holds the canned queries, one file each, which can be pasted into Neo4j Browser. Queries on profiles
are in ``profile/``, and the variants of another dialect are in a folder of its name, as in ``query/embedded``. Such a
file opens with comments: what the query answers, then a line ``// $name = default`` or ``// $name`` for each parameter
other than ``$graph`` or ``$profiles``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from neodp.errors import StoreError, UnknownQuery, near

__all__ = [
    "SUBJECTS",
    "VERSION",
    "Canned",
    "Dialect",
    "Statement",
    "Subject",
    "bound",
    "canned",
    "every",
    "parse",
    "root",
    "schema",
    "statement",
    "statements",
    "subject",
]

Dialect: TypeAlias = str
"""The name of a folder of ``cypher/``: "neo4j", "embedded", or that of a future store."""
Subject: TypeAlias = Literal["graph", "profile"]
"""The kind of data that a canned query is about."""

VERSION = 1
"""The version of the schema of a store on Neo4j, kept there as ``(:NeodpSchema {version})``. A change that makes older
programs misread a store gives it the next number, and a way from the number before."""

SUBJECTS = ("schema", "graphs", "mechanisms", "releases", "profiles")
"""The files of a dialect."""

_REQUIRED = object()


@dataclass(frozen=True)
class Statement:
    """One of the statements that stores run: its name, what it does, and its text."""

    name: str
    does: str
    text: str


@dataclass(frozen=True)
class Canned:
    """A canned query: what it answers, its text, and its parameters besides the subject's name with their defaults."""

    name: str
    answers: str
    text: str
    parameters: dict[str, Any]


@cache
def root() -> Path:
    """Return the folder of all Cypher: ``neodp/cypher`` of an installed neodp, else ``cypher`` of the checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "cypher", package.parent / "cypher"):
        if folder.is_dir():
            return folder
    raise StoreError(f"the folder cypher/ is missing beside {package}", "install neodp again")


# --- the stores' own statements -----------------------------------------------------------------------------------


@cache
def statements(dialect: Dialect, subject: str | None = None) -> dict[str, Statement]:
    """Return the statements of a dialect by name, in the order of the files: those on one subject, or all.

    Raises
    ------
    StoreError
        If a name occurs twice in the dialect.
    """
    if subject is not None:
        return parse((root() / dialect / f"{subject}.cypher").read_text(encoding="utf-8"), f"{dialect}/{subject}")
    found: dict[str, Statement] = {}
    for each in SUBJECTS:
        more = statements(dialect, each)
        if doubled := found.keys() & more.keys():
            raise StoreError(f"the statement {min(doubled)!r} of {dialect} stands in two files", "give it another name")
        found |= more
    return found


def schema(dialect: Dialect) -> list[str]:
    """Return the names of the parts of a dialect's schema."""
    return [name for name in statements(dialect, "schema") if not name.startswith(("show_", "set_"))]


def statement(name: str, dialect: Dialect) -> str:
    """Return the text of one of the statements that stores run."""
    try:
        return statements(dialect)[name].text
    except KeyError:
        raise StoreError(f"there is no statement {name!r} in cypher/{dialect}", "write it there") from None


def parse(text: str, place: str) -> dict[str, Statement]:
    r"""Return the statements in the text of a file, by name.

    Examples
    --------
    >>> parse("// About.\n// name: one\n// Says\n// one.\nRETURN 1;\n", "example")
    {'one': Statement(name='one', does='Says one.', text='RETURN 1')}
    """
    found: dict[str, Statement] = {}
    _, *parts = re.split(r"(?m)^// name: ", text)
    for part in parts:
        name, *lines = part.splitlines()
        count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
        does = " ".join(line.removeprefix("//").strip() for line in lines[:count])
        body = "\n".join(lines[count:]).strip().removesuffix(";")
        if name in found or not does or not body:
            wrong = "occurs twice" if name in found else "has no text" if not body else "does not say what it does"
            raise StoreError(f"the statement {name!r} in cypher/{place}.cypher {wrong}", "correct the file")
        found[name] = Statement(name, does, body)
    return found


# --- the canned queries -------------------------------------------------------------------------------------------


@cache
def canned(dialect: Dialect = "neo4j", on: Subject = "graph") -> dict[str, Canned]:
    """Return all canned queries on graphs, or on profiles, by name."""
    folder = root() / "query"
    for inner in ([] if dialect == "neo4j" else [dialect]) + (["profile"] if on == "profile" else []):
        folder /= inner
    return {file.stem: _query(file.stem, file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.cypher"))}


def every(dialect: Dialect = "neo4j") -> dict[str, Canned]:
    """Return all canned queries by name, on graphs and on profiles."""
    return canned(dialect) | canned(dialect, "profile")


def subject(query: str) -> Subject:
    """Return the kind of data that a canned query is about."""
    return "profile" if query in canned(on="profile") else "graph"


def bound(query: str, parameters: dict[str, Any], dialect: Dialect = "neo4j") -> tuple[str, dict[str, Any]]:
    """Return a canned query's text and all its parameters but the name: those given, and defaults for the others.

    Raises
    ------
    UnknownQuery
        If there is no such query, the query has no parameter of a given name, or a parameter is missing.
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


def _query(name: str, text: str) -> Canned:
    head = [line.removeprefix("//").strip() for line in text.splitlines() if line.startswith("//")]
    parameters: dict[str, Any] = {}
    for line in head:
        if match := re.fullmatch(r"\$(\w+)(?: = (.+))?", line):
            parameters[match[1]] = ast.literal_eval(match[2]) if match[2] else _REQUIRED
    return Canned(name, " ".join(line for line in head if not line.startswith("$")), text, parameters)
