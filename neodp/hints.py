"""Hints: advice that names something to type, in the language of whoever reads it.

A hint is text with code in it, and the code is data: a *call* is a verb with its arguments, an *option* is one argument
of what was called. Python, a shell and Cypher each render it in their own way::

    Hint("run ", Call("extend", graph="survey"), " first")

    Python    run `store.extend('survey')` first
    shell     run 'neodp extend survey' first
    Cypher    run `CALL neodp.extend.write('survey')` first

A hint is a string, the one for Python, so that errors and warnings carry it like any other text. Join hints with ``+``:
an f-string keeps the Python and loses the data.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from types import EllipsisType
from typing import NamedTuple, SupportsIndex, TypeAlias

__all__ = ["VERBS", "Call", "Hint", "Option", "Verb", "in_cypher", "in_shell"]


class Verb(NamedTuple):
    """One thing that can be done, as it is written in each language; {names} are arguments."""

    python: str
    shell: str
    cypher: str | None = None


VERBS: Mapping[str, Verb] = {
    "allow": Verb(
        "store.allow({population}, Limit(...))",
        "budget {population} --releases N --epsilon none",
        "CALL neodp.budget.set({population}, {{releases: N, epsilon: null}})",
    ),
    "allow_epsilon": Verb(
        "store.change_limit({population}, epsilon=E)",
        "budget {population} --epsilon E",
        "CALL neodp.budget.set({population}, {{epsilon: E}})",
    ),
    "allow_releases": Verb(
        "store.change_limit({population}, releases=N)",
        "budget {population} --releases N",
        "CALL neodp.budget.set({population}, {{releases: N}})",
    ),
    "balance": Verb(
        "graph.with_alpha(neodp.balanced(graph))",
        "boundary {graph} --balanced --write",
        "CALL neodp.boundary.balanced.write({graph})",
    ),
    "balance_blocks": Verb("neodp.blocks.balanced({folder})", "generate FAMILY NAME … --balanced --to {folder}"),
    "check": Verb("store.check({graph})", "check {graph}", "CALL neodp.check({graph})"),
    "export_ledger": Verb("neodp.store.transfer.export_ledger(store, FILE)", "ledger export FILE"),
    "extend": Verb("store.extend({graph})", "extend {graph}", "CALL neodp.extend.write({graph})"),
    "extend_blocks": Verb("neodp.blocks.extend({folder})", "extend {folder} --engine blocks"),
    "grid": Verb("grid(3, 4)", "generate grid {graph} 3 4"),
    "info": Verb("store.info({graph})", "show {graph}", "MATCH (g:DatasetGraph {{name: {graph}}}) RETURN g"),
    "install_plugin": Verb("neodp.store.neo4j.plugin.install(folder)", "plugin install DIR"),
    "load_profiles": Verb("store.profiles.load(name, profiles)", "stretch load RATINGS"),
    "make_store": Verb("open_store({address})", "init --store {address}"),
    "plugin_version": Verb("store.plugin_version()", "plugin status"),
    "plurality": Verb("plurality(20)", "generate plurality {graph} 20"),
    "profiles": Verb("store.profiles.all()", "stretch list"),
    "protect": Verb("store.protect(neodp.Protection(...))", "protect POPULATION --people LABEL --epsilon PROPERTY"),
    "releases": Verb("store.ledger({population})", "releases", "CALL neodp.releases({population})"),
    "spent": Verb("store.ledger({population}).spent()", "budget {population}", "CALL neodp.budget({population})"),
    "suggest": Verb(
        "neodp.balanced(graph)", "boundary {graph} --balanced", "CALL neodp.boundary.balanced.stream({graph})"
    ),
    "write_blocks": Verb("neodp.blocks.write_graph(graph, partition, {folder})", "export GRAPH {folder} --blocks N"),
    "write_lattice": Verb(
        "neodp.blocks.write_lattice(lattice, {folder}, blocks)", "generate FAMILY NAME … --to {folder}"
    ),
}
"""Every verb that hints use. If a call does not name the graph, a shell or Cypher takes the one that is worked with."""

SHELL_NAMES = {"mapping": "map", "uri": "store"}
"""Arguments whose options on the command line have another name."""
CYPHER_PROPERTIES = {"colors": "SET g.colors = [...]"}
"""Arguments that are a property of the graph's node in Cypher, not an option of a procedure."""


@dataclass(frozen=True, init=False)
class Call:
    """A verb of :data:`VERBS` with its arguments, as in ``Call("extend", graph="survey")``."""

    verb: str
    arguments: Mapping[str, str]

    def __init__(self, verb: str, **arguments: str) -> None:
        VERBS[verb].python.format(**arguments)  # a misspelt verb or argument fails here, not where the hint is shown
        object.__setattr__(self, "verb", verb)
        object.__setattr__(self, "arguments", arguments)


@dataclass(frozen=True)
class Option:
    """An argument of what was called, as in ``Option("encoding", "utf-16")``; without a value, any value of it."""

    name: str
    value: str | int | EllipsisType = ...


Part: TypeAlias = str | Call | Option


class Hint(str):
    """Text with code in it, as a string for Python programmers; :attr:`parts` render it for others.

    Parameters
    ----------
    parts : strings, Calls, Options and Hints
        The text, in order.

    Examples
    --------
    >>> hint = Hint("run ", Call("extend", graph="my survey"), " first")
    >>> hint
    "run `store.extend('my survey')` first"
    >>> in_shell(hint + ", or name another " + Hint(Option("encoding")))
    "run `neodp extend 'my survey'` first, or name another --encoding"
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Hint:
        """Join the parts."""
        flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Hint) else (part,)))
        made = super().__new__(cls, "".join(part if isinstance(part, str) else f"`{_python(part)}`" for part in flat))
        made.parts = flat
        return made

    def __add__(self, other: str) -> Hint:
        return Hint(self, other)

    def __radd__(self, other: str) -> Hint:
        return Hint(other, self)

    def __mul__(self, times: SupportsIndex) -> Hint:
        return Hint(*self.parts * times.__index__())


def in_shell(text: str, graph: str | None = None) -> str:
    """Return a text of the library with commands and options instead of Python.

    Parameters
    ----------
    text : str
        A message or hint; one without code is returned as it is.
    graph : str, optional
        The graph that the command is about.

    Examples
    --------
    >>> in_shell(Hint("use ", Option("skip_empty", True), ", or ", Option("encoding", "windows-1252")))
    'use --skip-empty, or --encoding windows-1252'
    >>> in_shell(Hint("use ", Call("balance")), "survey")
    "use 'neodp boundary survey --balanced --write'"
    """
    if not isinstance(text, Hint):
        return text
    return "".join(part if isinstance(part, str) else _shell(part, graph or "GRAPH") for part in text.parts)


def in_cypher(text: str, graph: str) -> str:
    r"""Return a text of the library with Cypher instead of Python, as far as Cypher can do it.

    Examples
    --------
    >>> in_cypher(Hint("run ", Call("balance"), " or use ", Option("engine", "whole")), "it's")
    "run `CALL neodp.boundary.balanced.write('it\\'s')` or use `{engine: 'whole'}`"
    """
    if not isinstance(text, Hint):
        return text
    return "".join(part if isinstance(part, str) else f"`{_cypher(part, graph)}`" for part in text.parts)


def _python(code: Call | Option) -> str:
    if isinstance(code, Option):
        return f"{code.name}={'...' if code.value is ... else repr(code.value)}"
    return VERBS[code.verb].python.format(**{name: repr(value) for name, value in code.arguments.items()})


def _shell(code: Call | Option, graph: str) -> str:
    if isinstance(code, Option):
        option = "--" + SHELL_NAMES.get(code.name, code.name).replace("_", "-")
        has_value = isinstance(code.value, str | int) and not isinstance(code.value, bool)
        return f"{option} {shlex.quote(str(code.value))}" if has_value else option
    arguments = {"graph": graph, **code.arguments}
    command = VERBS[code.verb].shell.format(**{name: shlex.quote(value) for name, value in arguments.items()})
    return f"`neodp {command}`" if "'" in command else f"'neodp {command}'"


def _cypher(code: Call | Option, graph: str) -> str:
    if isinstance(code, Option):
        if code.name in CYPHER_PROPERTIES:
            return CYPHER_PROPERTIES[code.name]
        return f"{{{code.name}: {'...' if code.value is ... else _literal(code.value)}}}"
    arguments = {"graph": graph, **code.arguments}
    template = VERBS[code.verb].cypher
    if template is None:
        return _python(code)
    return template.format(**{name: _literal(value) for name, value in arguments.items()})


def _literal(value: object) -> str:
    """Return a value as Cypher writes it."""
    if not isinstance(value, str):
        return str(value).lower()
    return "'" + "".join(map(_character, value)) + "'"


def _character(c: str) -> str:
    if c in "'\\":
        return f"\\{c}"
    return f"\\u{ord(c):04x}" if c == "`" or (c < "\U00010000" and not c.isprintable()) else c
