"""Hints: Python to whoever calls Python, commands and options to whoever types commands."""

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import DatasetGraph
from neodp.cli import COMMANDS, program
from neodp.errors import NoMechanism, UnhitBoundary
from neodp.hints import VERBS, Call, Hint, Option, in_cypher, in_shell
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
    """It is called from Python, and the command line shows commands instead."""
    shell = re.compile(r"(?<![\w-])--[a-z]|'neodp [a-z]")
    found = [(path.name, text) for path in LIBRARY for text in texts(path) if shell.search(text)]
    kept = {"survey.py", "secret_survey.py"}  # the commands that ask again, which releases keep
    assert [name for name, text in found if text.strip() != "--vote" and name not in kept] == []


def test_code_is_data() -> None:
    """Code in a message is a call or an option, so that every language can write it; no text has it in backquotes."""
    found = [(path.name, text) for path in LIBRARY for text in texts(path) if re.search(r"`[a-z][\w.]*[(=]", text)]
    assert found == []


def test_no_hint_is_formatted() -> None:
    """An f-string would keep the Python of a hint and lose the rest."""
    for path in LIBRARY:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FormattedValue) and path.name != "errors.py":
                assert not re.search(r"\bhint\b|\bHint\(", ast.unparse(node.value)), (path, node.lineno)


def used(name: str) -> list[ast.Call]:
    """Every call of ``Call`` or ``Option`` in the library."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in LIBRARY)
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == name]


def test_every_verb_is_a_command(options: dict[str, set[str]]) -> None:
    """And every verb is used; a shell can type what it says."""
    for verb in VERBS:
        call = Call(verb, graph="survey", population="p", folder="f", address="a")
        words = in_shell(Hint(call)).strip("'").split()[1:]
        command = max((name for name in options if words[: len(name.split())] == name.split()), key=len)
        assert {word for word in words if word.startswith("--")} <= options[command] | {"--store"}, verb
    strings = {text for path in LIBRARY for text in texts(path)}
    assert set(VERBS) <= strings


def test_every_option_is_one(options: dict[str, set[str]]) -> None:
    every = set().union(*options.values())
    named = [node.args[0].value for node in used("Option") if isinstance(node.args[0], ast.Constant)]
    assert len(named) > 20
    for name in named:
        assert in_shell(Hint(Option(str(name)))) in every


def test_a_hint_stays_a_hint() -> None:
    """It can be joined, stored and sent to another process."""
    hint = "first, " + Hint("run ", Call("extend", graph="it's")) + " again"
    for same in (hint, pickle.loads(pickle.dumps(hint)), copy.deepcopy(hint)):
        assert same == 'first, run `store.extend("it\'s")` again'
        assert in_shell(same) == """first, run `neodp extend 'it'"'"'s'` again"""
        assert in_cypher(same, "g") == r"first, run `CALL neodp.extend.write('it\'s')` again"
    with pytest.raises(KeyError):
        Call("extnd", graph="g")
    with pytest.raises(KeyError):
        Call("extend", grpah="g")


def test_names_do_not_break_out_of_cypher() -> None:
    hint = Hint(Call("check", graph="a'}) DETACH DELETE n //\\`\n"))
    assert in_cypher(hint, "g") == r"`CALL neodp.check('a\'}) DETACH DELETE n //\\\u0060\u000a')`"


def test_a_boundary_without_alpha(run: Run, tmp_path: Path) -> None:
    graph = DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 1.0)
    with pytest.raises(UnhitBoundary, match=r"or use `graph.with_alpha\(neodp.balanced\(graph\)\)`"):
        neodp.extend(graph)
    files = tables(tmp_path, "key,color\na,no\nb,yes\n", "source,target,epsilon\na,b,1\n")
    assert run("load", "my survey", *files)[0] == 0
    code, _, err = run("extend", "my survey")
    assert code == 1
    assert "or use `neodp boundary 'my survey' --balanced --write`" in err
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
