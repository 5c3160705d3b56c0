"""Asking a ladybug database of one's own: only read, with the matches of the same graph in tables."""

from __future__ import annotations

from pathlib import Path

import ladybug
import pytest

import neodp
from neodp.errors import GraphError, NotAskable
from neodp.store import open_store

NASTY = "O'Neil \" ) DETACH DELETE (n) //"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Four people, who know each other in a circle; two own an account together; all work in one office."""
    path = tmp_path / "people.lbug"
    with ladybug.Database(str(path)) as database, ladybug.Connection(database) as connection:

        def run(text: str, **parameters: object) -> None:
            connection.execute(text, parameters)

        run("CREATE NODE TABLE Person(name STRING, ill BOOL, age INT64, epsilon DOUBLE, PRIMARY KEY(name))")
        run("CREATE NODE TABLE Account(number INT64, PRIMARY KEY(number))")
        run("CREATE NODE TABLE Office(city STRING, PRIMARY KEY(city))")
        run("CREATE NODE TABLE Secret(city STRING, PRIMARY KEY(city))")
        run("CREATE REL TABLE KNOWS(FROM Person TO Person, amount DOUBLE)")
        run("CREATE REL TABLE OWNS(FROM Person TO Account)")
        run("CREATE REL TABLE AT(FROM Person TO Office, FROM Account TO Office, FROM Person TO Secret)")
        for name, ill in ((NASTY, True), ("b", True), ("c", False), ("d", None)):
            run("CREATE (:Person {name: $name, ill: $ill, age: 30, epsilon: 1.0})", name=name, ill=ill)
        run("CREATE (:Account {number: 1}), (:Account {number: 2}), (:Office {city: 'x'}), (:Secret {city: 'y'})")
        for a, b in ((NASTY, "b"), ("b", "c"), ("c", "d"), ("d", NASTY)):
            run("MATCH (a:Person {name: $a}), (b:Person {name: $b}) CREATE (a)-[:KNOWS {amount: 2.5}]->(b)", a=a, b=b)
        run("MATCH (a:Person), (o:Office) CREATE (a)-[:AT]->(o)")
        run("MATCH (a:Person), (x:Account {number: 1}) WHERE a.name IN ['b', 'c'] CREATE (a)-[:OWNS]->(x)")
        run("MATCH (x:Account), (o:Office) CREATE (x)-[:AT]->(o)")
    return path


def protected(path: Path) -> neodp.Protection:
    return neodp.Protection(
        "staff",
        "epsilon",
        people="Person",
        properties=("name", "ill", "age", "amount"),
        owned=(("Account", "OWNS"),),
        public=("Office",),
        ladybug=str(path),
    )


@pytest.mark.parametrize(
    ("question", "options", "matches"),
    [
        ("MATCH (a:Person)-[:KNOWS]-(b:Person)", {}, 4),
        ("MATCH (a:Person)-[:KNOWS]-(b:Person) WHERE a.ill AND b.ill", {}, 1),
        ("MATCH (a:Person) WHERE a.name = 'O\\'Neil \" ) DETACH DELETE (n) //'", {}, 1),
        ("MATCH (a:Person) WHERE a.ill IS NULL", {}, 1),
        ("MATCH (a:Person) WHERE a.age = 'x' OR a.name > 3", {}, 0),
        ("MATCH (a:Person)-[r:KNOWS]-(b:Person)", {"sum": "r.amount", "cap": 10}, 8),
        ("MATCH (a:Person)-[:AT]->(o:Office)<-[:AT]-(b:Person)", {}, 6),
        ("MATCH (a:Person)-[:AT]->(o:Office)<-[:AT]-(b:Person)", {"distinct": "a"}, 4),
        ("MATCH (x:Account)--(o:Office)", {}, 1),
    ],
)
def test_matches_of_a_ladybug_database(
    people: Path, tmp_path: Path, question: str, options: dict[str, object], matches: int
) -> None:
    before = people.read_bytes()
    with open_store(str(tmp_path / "answers.db")) as store:
        store.protect(protected(people))
        asked = neodp.ask(store, "staff", question, at_least=1, **options)  # type: ignore[arg-type]
        assert asked.reveal().matches == matches
        assert asked.release("spring") in ("yes", "no")
        assert neodp.Protection.read(protected(people).text) == protected(people)
    assert people.read_bytes() == before


def test_what_cannot_be_opened_or_asked_is_said(people: Path, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "answers.db")) as store:
        store.protect(protected(tmp_path / "missing.lbug"))
        asked = neodp.ask(store, "staff", "MATCH (a:Person)", at_least=1)
        with pytest.raises(GraphError, match="there is no ladybug database"):
            asked.release("spring")
        other = tmp_path / "text.lbug"
        other.write_text("id,name\n")
        store.protect(protected(other))
        with pytest.raises(GraphError, match="cannot be opened as a ladybug database"):
            neodp.ask(store, "staff", "MATCH (a:Person)", at_least=1).release("spring")
        store.protect(protected(people))
        with pytest.raises(NotAskable, match="there is no table of relationships 'LIKES'"):
            neodp.ask(store, "staff", "MATCH (a:Person)-[:LIKES]-(b:Person)", at_least=1).release("spring")
        assert neodp.ask(store, "staff", "MATCH (a:Person)", at_least=1, share=1.0).release("spring") in ("yes", "no")
    with pytest.raises(GraphError, match="give one of both"):
        neodp.Protection("p", "epsilon", people="Person", nodes=(("Person", "x.csv"),), ladybug="x.lbug")
