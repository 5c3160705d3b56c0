"""The files of ``cypher/``: every statement has one name, and every canned query a variant for each store."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from neodp import store
from neodp.errors import StoreError
from neodp.store import cypher
from neodp.store.cypher import SUBJECTS, canned, parse, root, statement, statements

DIALECTS = ["neo4j"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_has_its_subjects_and_nothing_else(dialect: str) -> None:
    assert sorted(file.name for file in (root() / dialect).iterdir()) == sorted(f"{s}.cypher" for s in SUBJECTS)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_stands_once_and_says_what_it_does(dialect: str) -> None:
    files = [statements(dialect, subject) for subject in SUBJECTS]
    assert sum(map(len, files)) == len(statements(dialect)) > 30
    for found in statements(dialect).values():
        assert found.does.endswith(".")
        assert not found.text.endswith(";")


def test_both_dialects_have_all_canned_queries() -> None:
    """So that none is ever taken from the other dialect."""
    assert canned("embedded").keys() == canned("neo4j").keys()
    assert canned("embedded", "profile").keys() == canned("neo4j", "profile").keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// name: a\n// A.\nRETURN 1;\n// name: a\n// A.\nRETURN 2;", r"'a' in cypher/here\.cypher occurs twice"),
        ("// name: a\n// A.\n", r"'a' in cypher/here\.cypher has no text"),
        ("// name: a\nRETURN 1;", r"'a' in cypher/here\.cypher does not say what it does"),
    ],
)
def test_a_file_that_is_not_in_order_is_refused(text: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        parse(text, "here")


def test_a_name_in_two_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    all_alike = parse("// name: a\n// A.\nRETURN 1;", "here")
    whole = cypher.statements.__wrapped__
    monkeypatch.setattr(cypher, "statements", lambda dialect, subject=None: all_alike)
    with pytest.raises(StoreError, match="the statement 'a' of neo4j stands in two files; give it another name"):
        whole("neo4j")


def test_a_statement_that_is_missing_is_named() -> None:
    with pytest.raises(StoreError, match="there is no statement 'claim' in cypher/neo4j; write it there"):
        statement("claim", "neo4j")


# --- which names the code uses ------------------------------------------------------------------------------------

RUNS = {"run", "read", "rows", "pages", "write", "repeated", "owned", "statement"}
"""The methods of a session, and the functions, whose first argument is a statement's name."""


def source(dialect: str) -> list[ast.AST]:
    """All that the modules of a store are made of."""
    folder = Path(store.__file__).parent / dialect
    return [node for file in sorted(folder.glob("*.py")) for node in ast.walk(ast.parse(file.read_text()))]


def texts(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_name_that_the_store_runs_is_there(dialect: str) -> None:
    calls = [node for node in source(dialect) if isinstance(node, ast.Call) and called(node) in RUNS and node.args]
    asked = texts(call.args[0] for call in calls)
    assert len(asked) > 20
    assert asked <= statements(dialect).keys()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_statement_is_used(dialect: str) -> None:
    """By its name in full, so that whoever looks for it finds it; the schema is made of all that its file holds."""
    listed = {name for name in statements(dialect, "schema") if not name.startswith("show_")}
    assert statements(dialect).keys() - listed <= texts(source(dialect))


def test_a_file_without_a_checkout_or_an_installation_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cypher, "__file__", str(tmp_path / "neodp" / "store" / "cypher.py"))
    with pytest.raises(StoreError, match=r"the folder cypher/ is missing beside .*neodp; install neodp again"):
        root.__wrapped__()
    for folder in (tmp_path / "cypher", tmp_path / "neodp" / "cypher"):
        folder.mkdir(parents=True)
        assert root.__wrapped__() == folder  # the installed one before the checkout's
