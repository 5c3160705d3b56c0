"""Hints on the command line.

The library speaks to Python programmers: its messages and hints give the code to type as Python in backquotes, as in
"run `store.extend('survey')` first" or "name another `encoding=...`". This module translates the code to a shell:
"run 'neodp extend survey' first", "name another --encoding".
"""

from __future__ import annotations

import ast
import re
import shlex

__all__ = ["COMMANDS", "OPTIONS", "in_shell"]

COMMANDS = {
    "grid": "generate grid {graph} {0} {1}",
    "graph.with_alpha": "boundary {graph} --balanced --write",
    "neodp.balanced": "boundary {graph} --balanced",
    "neodp.blocks.balanced": "generate FAMILY NAME … --balanced --to {0}",
    "neodp.blocks.extend": "extend {0} --engine blocks",
    "neodp.blocks.write_graph": "export GRAPH {2} --blocks N",
    "neodp.blocks.write_lattice": "generate FAMILY NAME … --to {1}",
    "neodp.store.neo4j.plugin.install": "plugin install DIR",
    "neodp.store.transfer.export_ledger": "ledger export {1}",
    "open_store": "init --store {0}",
    "plurality": "generate plurality {graph} {0}",
    "store.allow": "budget {0} --releases N --epsilon none",
    "store.change_limit": "budget {0}",
    "store.check": "check {0}",
    "store.extend": "extend {0}",
    "store.info": "show {0}",
    "store.init": "init",
    "store.ledger": "releases",
    "store.ledger().spent": "budget {0}",
    "store.load": "load GRAPH NODES EDGES",
    "store.plugin_version": "plugin status",
    "store.profiles.all": "stretch list",
    "store.profiles.load": "stretch load RATINGS",
}
"""Names of functions, and the commands that do the same; {0}, {1}, … are arguments, {graph} is the current graph."""

WITH_OPTIONS = {"store.change_limit"}
"""Functions whose named arguments are options of the command."""

OPTIONS = {"mapping": "map", "uri": "store"}
"""Arguments whose options have another name."""

CODE = re.compile("`([^`]+)`")
ARGUMENT = re.compile(r"(\w+)=(.+)")


def in_shell(text: str, graph: str | None = None) -> str:
    """Translate a message or hint of the library, with commands and options instead of Python.

    Parameters
    ----------
    text : str
        The message or hint of the library.
    graph : str, optional
        The graph that the command is about.

    Examples
    --------
    >>> in_shell("run `store.extend('my survey')` first")
    "run 'neodp extend 'my survey'' first"
    >>> in_shell("use `skip_empty=True`, or name another `encoding=...`, as in `encoding='windows-1252'`")
    'use --skip-empty, or name another --encoding, as in --encoding windows-1252'
    >>> in_shell("use `graph.with_alpha(neodp.balanced(graph))`", "survey")
    "use 'neodp boundary survey --balanced --write'"
    """
    return CODE.sub(lambda code: _argument(code[1]) or _call(code[1], graph or "GRAPH") or code[0], text)


def _argument(code: str) -> str | None:
    """Return ``name=value`` as an option."""
    found = ARGUMENT.fullmatch(code)
    if found is None:
        return None
    name, value = found.groups()
    option = "--" + OPTIONS.get(name, name).replace("_", "-")
    return option if value in ("True", "...") else f"{option} {_word(ast.parse(value, mode='eval').body)}"


def _call(code: str, graph: str) -> str | None:
    """Return a call as a command."""
    try:
        call = ast.parse(code, mode="eval").body
    except SyntaxError:
        return None
    name, words = _parts(call)
    if name not in COMMANDS:
        return None
    given = call.keywords if isinstance(call, ast.Call) and name in WITH_OPTIONS else []
    options = [f" --{each.arg} {_word(each.value)}" for each in given]
    return f"'neodp {COMMANDS[name].format(*words, graph=shlex.quote(graph))}{''.join(options)}'"


def _parts(code: ast.expr) -> tuple[str, list[str]]:
    """Return the function of a call and its arguments: for ``f(1).g(2)``, ``f().g`` and ``["1", "2"]``."""
    if isinstance(code, ast.Call):
        name, words = _parts(code.func)
        return name.removesuffix("()"), words + [_word(value) for value in code.args]
    if isinstance(code, ast.Attribute):
        name, words = _parts(code.value)
        return f"{name}{'()' if isinstance(code.value, ast.Call) else ''}.{code.attr}", words
    return ast.unparse(code), []


def _word(value: ast.expr) -> str:
    """Return an argument as a word for a shell."""
    return shlex.quote(str(value.value)) if isinstance(value, ast.Constant) else ast.unparse(value)
