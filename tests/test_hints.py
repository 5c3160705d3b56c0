"""Hints: Python to whoever calls Python, commands and options to whoever types commands."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import DatasetGraph
from neodp.cli import COMMANDS, program
from neodp.errors import NoMechanism, UnhitBoundary
from neodp.hints import CODE, in_shell
from neodp.store import open_store
from tests.running import Run, tables

PACKAGE = Path(neodp.__file__).parent
LIBRARY = [path for path in sorted(PACKAGE.rglob("*.py")) if not {"cli", "explore", "hints.py"} & set(path.parts)]


def texts(path: Path) -> Iterator[str]:
    """Every text in a file but docstrings, with a word where something is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | alone:
            yield node.value
        elif isinstance(node, ast.JoinedStr) and id(node) not in alone:
            filled = (value.value if isinstance(value, ast.Constant) else "'x'" for value in node.values)
            yield "".join(map(str, filled))


@pytest.fixture(scope="module")
def options() -> dict[str, set[str]]:
    """Every command, and its options."""
    made: Any = program()
    found = {}
    for name in (name for commands in COMMANDS.values() for name in commands):
        *group, last = name.split()
        later = (made.commands[group[0]] if group else made).commands[last]
        found[name] = {option for param in later.load().params for option in param.opts}
    return found


def test_the_library_names_no_command_and_no_option() -> None:
    """It is called from Python, and the command line translates what it says."""
    shell = re.compile(r"(?<![\w-])--[a-z]|'neodp [a-z]")
    found = [(path.name, text) for path in LIBRARY for text in texts(path) if shell.search(text)]
    assert [name for name, text in found if text.strip() != "--vote"] == ["survey.py"]  # a command that it keeps


def test_what_a_hint_says_exists_on_the_command_line(options: dict[str, set[str]]) -> None:
    found = {code for path in LIBRARY for text in texts(path) for code in CODE.findall(text)}
    codes = {code for code in found if re.match("[a-z]", code)}  # not Cypher's names, nor regular expressions
    assert len(codes) > 20
    every = set().union(*options.values())
    for code in codes:
        said = in_shell(f"`{code}`", "survey")
        if said.startswith("--"):
            assert said.split()[0] in every, code
            continue
        assert said.startswith("'neodp "), f"{code} is not known to the command line"
        words = said.strip("'").split()[1:]
        command = max((name for name in options if words[: len(name.split())] == name.split()), key=len)
        assert {word for word in words if word.startswith("--")} <= options[command], said


def test_a_boundary_without_alpha(run: Run, tmp_path: Path) -> None:
    graph = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 1.0)
    with pytest.raises(UnhitBoundary, match=r"or use `graph.with_alpha\(neodp.balanced\(graph\)\)`"):
        neodp.extend(graph)
    files = tables(tmp_path, "key,color\na,no\nb,yes\n", "source,target,epsilon\na,b,1\n")
    assert run("load", "my survey", *files)[0] == 0
    code, _, err = run("extend", "my survey")
    assert code == 1
    assert "or use 'neodp boundary 'my survey' --balanced --write'" in err
    assert run("boundary", "my survey", "--balanced", "--write")[0] == 0
    assert run("extend", "my survey")[0] == 0


def test_a_graph_without_mechanism(survey: Run, address: str) -> None:
    assert survey("generate", "path", "new", "4")[0] == 0
    with open_store(address) as store, pytest.raises(NoMechanism, match=r"run `store.extend\('new'\)` first"):
        store.mechanism("new")
    code, _, err = survey("audit", "new")
    assert (code, "run 'neodp extend new' first" in err) == (1, True)


def test_a_file_that_needs_an_option(run: Run, tmp_path: Path) -> None:
    nodes, edges = tables(tmp_path, "key,color\na,no\nb,yes\n", "source,target,epsilon\na,b,1\n")
    Path(nodes).write_bytes("key,color\na,né\nb,yes\n".encode("windows-1252"))
    with pytest.raises(neodp.errors.GraphError, match="as in `encoding='windows-1252'`"):
        DatasetGraph.from_tables(nodes, edges)
    code, _, err = run("load", "g", nodes, edges)
    assert (code, "name it, as in --encoding windows-1252 (Excel" in err) == (2, True)
