"""The Cypher of docs/plugin.md runs on a real server, in order."""

from __future__ import annotations

from pathlib import Path

import neodp
from neodp.store import Store
from tests.plugin.calls import Caller
from tools.pages import blocks

PAGE = Path(__file__).parents[2] / "docs" / "plugin.md"


def test_a_walk_through_the_page(caller: Caller, client: Store) -> None:
    """Every statement of every block returns rows, or changes something."""
    client.load("survey", neodp.generate.counts([20, 30, 10], epsilon=[0.1, 0.5, 1.0]))
    caller(
        "UNWIND range(1, 40) AS i CREATE (:Person {name: 'p' + i, ill: i % 2 = 0, epsilon: 1.0})"
        "-[:KNOWS]->(:Person {name: 'q' + i, ill: true, epsilon: 0.5})"
    )
    statements = [
        statement
        for _, code, _ in blocks(PAGE.read_text(encoding="utf-8"), "cypher")
        for statement in code.split(";\n")
        if statement.strip()
    ]
    assert len(statements) > 10
    empty = [text for text in statements if not caller(text)]
    assert [text for text in empty if "listProgress" not in text] == []  # nothing else runs here


def test_every_procedure_is_on_the_page(caller: Caller) -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = [row["name"] for row in caller("CALL neodp.list()")]
    assert len(names) > 20
    assert [name for name in names if f"`{name}" not in text and not name.endswith(".estimate")] == []
