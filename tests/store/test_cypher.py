"""The files of ``cypher/``: every statement has one name, and both dialects have what they need."""

from __future__ import annotations

import pytest

from neodp.errors import StoreError
from neodp.store import cypher
from neodp.store.cypher import SUBJECTS, canned, parse, root, statement, statements

DIALECTS = ["embedded", "neo4j"]


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
        ("// name: a\n// A.\nRETURN 1;\n// name: a\n// A.\nRETURN 2;", r"'a' in cypher/here\.cypher stands twice"),
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


def test_no_dialect_borrows_from_the_other() -> None:
    with pytest.raises(StoreError, match="there is no statement 'claim_graph' in cypher/embedded"):
        statement("claim_graph", "embedded")
