"""One valid line of every command, and the texts that take the place of an argument or of an option's value.

A line may work, or end with one sentence and an exit code of the contract; a file is made only where the line names it.
``python -m attacks.ordinary`` runs all of them, the tests a slice. A new command needs a line here.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attacks.batches import command
from attacks.judges import behaved
from neodp.cli import program

__all__ = ["LINES", "ODD", "commands", "odd_lines", "prepare", "run_line"]

ODD = (
    *("", " ", "nan", "-inf", "-1", "0", "0.5", "1e400", "1_0", "٣", "12" * 40, "x", "a,b", "a=b", "=", ",", "'", "`"),
    *("\\", "\x00", "\ud800", "x\x1b[2J", "\u202e", "é" * 300, "..", "missing.csv", "people.csv", "--", "-"),
)
"""The texts."""

FRIENDS = "MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill"
FILES = {
    "people.csv": "vote,epsilon,part,ballot\nyes,1,a,a>b\nno,0.5,b,b>a\nyes,2,a,a>b\n",
    "nodes.csv": "key,color,p\na,yes,0.6\nb,no,0.4\n",
    "edges.csv": "source,target,epsilon\na,b,1\n",
    "ratings.csv": "user,item,rating\nu1,i,5\nu2,i,3\nu2,j,4\nu3,j,2\n",
    "persons.csv": "id,ill,epsilon\n1,true,1\n2,true,0.5\n3,false,2\n",
    "friends.csv": "from,to\n1,2\n2,3\n",
}
"""The tables that lines name."""

LINES: dict[str, dict[str, str]] = {
    "demo": {},
    "poll": {"FILE": "people.csv", "--vote": "vote", "--epsilon": "epsilon"},
    "protect": {"POPULATION": "crew", "--people": "Person", "--epsilon": "epsilon", "--properties": "ill"},
    "ask": {"POPULATION": "staff", "QUESTION": FRIENDS, "--at-least": "1"},
    "doctor": {},
    "generate": {"FAMILY": "path", "GRAPH": "h", "SIZES": "4"},
    "load": {"GRAPH": "h", "NODES": "nodes.csv", "EDGES": "edges.csv", "--extra-columns": "ignore"},
    "list": {},
    "show": {"GRAPH": "g"},
    "export": {"GRAPH": "g", "FOLDER": "out"},
    "drop": {"GRAPH": "g", "--yes": ""},
    "init": {},
    "boundary": {"GRAPH": "g"},
    "check": {"GRAPH": "g"},
    "extend": {"GRAPH": "g"},
    "audit": {"GRAPH": "g"},
    "compare": {"FIRST": "g", "SECOND": "g"},
    "what-if": {"GRAPH": "g", "--by": "0.5"},
    "eval": {"GRAPH": "g", "KEYS": "0-0"},
    "answer": {"GRAPH": "g", "KEY": "0-0", "--release": "x"},
    "releases": {},
    "budget": {},
    "report": {"RELEASE": "r", "--output": "x.md"},
    "verify": {"FILE": "r.html"},
    "backup": {"FILE": "copy.db"},
    "ledger export": {"FILE": "out.jsonl"},
    "ledger import": {"FILE": "l.jsonl"},
    "query": {"NAME": "summary", "GRAPH": "g"},
    "plot": {"GRAPH": "g", "--output": "x.svg"},
    "explore": {"GRAPH": "g", "--output": "x.html"},
    "stretch load": {"RATINGS": "ratings.csv", "--name": "q"},
    "stretch list": {},
    "stretch drop": {"PROFILE": "p", "--yes": ""},
    "stretch similarity": {"PROFILE": "p", "ONE": "u1", "OTHER": "u2", "--epsilon": "1"},
    "stretch neighbors": {"PROFILE": "p", "--epsilon": "1", "-k": "1"},
    "stretch recall": {"PROFILE": "p", "--repeats": "1", "-k": "1"},
    "stretch utility": {"PROFILE": "p", "--epsilon": "1"},
    "plugin status": {},
    "plugin install": {"FOLDER": "missing"},
}
"""One valid line of each command: its arguments and options, by name; a flag has an empty value."""


@cache
def commands() -> dict[tuple[str, ...], Any]:
    """Return every command by its words, with its parameters."""
    return dict(_loaded(program(), ()))


def _loaded(group: Any, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, made in group.commands.items():
        words = (*before, name)
        if hasattr(made, "commands"):
            yield from _loaded(made, words)
        else:
            yield words, made.load()


def odd_lines(texts: tuple[str, ...] = ODD, step: int = 1) -> Iterator[list[str]]:
    """Yield the line of every command, and that line with each parameter replaced or added: one in `step` of them."""
    number = 0
    for words, made in commands().items():
        given = LINES[" ".join(words)]
        yield _line(words, given)
        for parameter in made.params:
            option = next((name for name in parameter.opts if name.startswith("-")), None)
            if option == "--output" and words == ("explore",):
                continue  # without a file it serves until somebody ends it
            if option == "--store" and words == ("doctor",):
                continue  # of which it is the result that there is no such store
            for text in ("",) if _is_flag(parameter) else texts:
                number += 1
                if number % step == 0:
                    yield _line(words, given | {option or str(parameter.name).upper(): text})


def _line(words: tuple[str, ...], given: dict[str, str]) -> list[str]:
    """Return a line: the arguments in their order, then the options; a flag is an option with no value."""
    parameters = commands()[words].params
    flags = {name for parameter in parameters if _is_flag(parameter) for name in parameter.opts}
    arguments = [given[name] for name in (str(each.name).upper() for each in parameters) if name in given]
    options = [
        word
        for name, value in given.items()
        if name.startswith("-")
        for word in ([name] if name in flags else [name, value])
    ]
    return [*words, *arguments, *options]


def _is_flag(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False))


def prepare(folder: Path) -> None:
    """Make the files that lines name, and a store that has something of every kind."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for words in (
        ["generate", "grid", "g", "3", "4", "--balanced"],
        ["extend", "g"],
        ["budget", "--releases", "1000"],
        ["stretch", "load", "ratings.csv", "--name", "p"],
        [
            *("protect", "staff", "--people", "Person", "--epsilon", "epsilon", "--properties", "ill"),
            *("--nodes", "Person=persons.csv", "--relationships", "KNOWS=friends.csv"),
        ],
        ["poll", "people.csv", "--vote", "vote", "--epsilon", "epsilon", "--mechanism", "balanced", "--release", "r"],
        ["report", "r", "-o", "r.html"],
        ["ledger", "export", "l.jsonl"],
    ):
        done = command("--store", "s.db", *words)
        assert done.code == 0, done
    (folder / "s.db").rename(folder / "kept.db")


def run_line(words: list[str], folder: Path) -> None:
    """Run a line in a prepared folder, which is the current one.

    Raises
    ------
    Failed
        If its end is neither a result nor one sentence.
    """
    (folder / "s.db").write_bytes((folder / "kept.db").read_bytes())
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(b""))
    try:
        behaved(command("--store", "s.db", *words), (0, 1, 2, 3))
    finally:
        sys.stdin = before
    for made in {path.name for path in folder.iterdir()} - {"kept.db", "s.db", "r.html", "l.jsonl", *FILES}:
        if os.path.isfile(made):
            os.unlink(made)
