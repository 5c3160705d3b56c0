"""Somebody's own Cypher reads the graph and does nothing else, on both stores."""

from collections.abc import Callable
from pathlib import Path

import pytest

from neodp import generate
from neodp.errors import StoreError
from neodp.store import Store, open_store
from neodp.store.reading import OTHER, require_reading

FINE = [
    "MATCH (d:Dataset) RETURN d.key AS key ORDER BY key;",
    "MATCH (d:Dataset) WHERE d.color <> 'COPY x TO' RETURN d.key AS `set` ORDER BY `set`",
    "UNWIND [1, 2, 3] AS x WITH x WHERE x > 1 RETURN x",
    "UNWIND [1, 2, 3] AS x2y WITH x2y WHERE x2y > 1.5e-3 AND 1e0 < 2 RETURN x2y",
    "OPTIONAL MATCH (d:Dataset {key: 'it\\'s; // no /* comment'}) RETURN d.key",
]


@pytest.mark.parametrize("text", FINE)
def test_what_reads_is_taken(store: Store, text: str) -> None:
    store.load("g", generate.path(3))
    assert store.select(text).num_rows in (1, 2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "COPY (MATCH (d:Dataset) RETURN d.key) TO '{folder}/x.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "LOAD FROM '{folder}/secret.csv' RETURN *",
        "LOAD CSV FROM 'file://{folder}/secret.csv' AS line RETURN line",
        "MATCH (d:Dataset) LOAD CSV FROM 'file://{folder}/secret.csv' AS line RETURN line",
        "MATCH (d:Dataset) WHERE d.p > 1. LOAD CSV FROM 'file://{folder}/secret.csv' AS line RETURN line",
        "MATCH (d:Dataset) WITH d WHERE 1=1LOAD FROM '{folder}/secret.csv' RETURN *",
        "MATCH (d:Dataset) WITH d WHERE 1=1.0LOAD FROM '{folder}/secret.csv' RETURN *",
        "MATCH (d:Dataset) WITH d WHERE 1=1e0LOAD FROM '{folder}/secret.csv' RETURN *",
        "MATCH (d:Dataset) WITH d WHERE 1=1e-0LOAD FROM '{folder}/secret.csv' RETURN *",
        "MATCH (d:Dataset) WITH d WHERE 1=.5LOAD FROM '{folder}/secret.csv' RETURN *",
        "WITH 1 AS x \\u004COAD CSV FROM 'file://{folder}/secret.csv' AS line RETURN line",
        "RETURN '\\u0027 AS x LOAD CSV FROM \\u0027file://{folder}/secret.csv\\u0027 AS line RETURN \\u0027'",
        "SHOW USERS",
        "CALL dbms.listConfig()",
        "CALL show_tables() RETURN *",
        "MATCH (d:Dataset) CALL db.labels() YIELD label RETURN label",
        "CALL { MATCH (d:Dataset) SET d.color = 'no' } IN TRANSACTIONS RETURN 1",
        "MATCH (d:Dataset) SET d.color = 'no'",
        "MATCH (d:Dataset) DETACH DELETE d",
        "INSTALL httpfs",
        "ATTACH '{folder}/x' AS x",
        "DROP TABLE Dataset",
        "RETURN 1; COPY (MATCH (d:Dataset) RETURN d.key) TO '{folder}/x.csv'",
        "RETURN 1 /* ' */ ; SHOW USERS // '",
        "USE system RETURN 1",
        "",
    ],
)
def test_everything_else_is_refused_before_it_runs(store: Store, text: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("secret\n")
    store.load("g", generate.path(3))
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(StoreError, match=r"the Cypher query (would write|holds)|there is no Cypher query"):
        store.select(text.replace("{folder}", str(tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert store.ready("g").datasets == len(store.read("g")) == 3


@pytest.mark.parametrize("word", sorted(OTHER))
def test_a_word_of_another_clause_may_be_a_name_and_nothing_else(word: str) -> None:
    require_reading(f"MATCH (d:{word} {{`{word}`: $`x`}}) WHERE d.{word} = '{word}' RETURN d.{word}")
    for text in (f"{word} x", f"MATCH (d) {word} x RETURN 1", f"MATCH (d) {word.lower()} x", f"RETURN 1 AS {word}"):
        with pytest.raises(StoreError, match=rf"(?i)would write or do more than read, by {word}; this command only"):
            require_reading(text)


def test_a_subquery_that_reads_is_no_procedure_neo4j(store_neo4j: Store) -> None:
    store_neo4j.load("g", generate.path(3))
    found = store_neo4j.select("MATCH (d:Dataset) CALL (d) { MATCH (d)--(n) RETURN count(n) AS n } RETURN sum(n) AS s")
    assert found["s"].to_pylist() == [4]


@pytest.fixture
def store_neo4j(neo4j_server: object, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    server: Callable[..., object] = request.getfixturevalue("neo4j_server")
    request.getfixturevalue("neo4j_driver")
    for name, value in server.environment().items():  # type: ignore[attr-defined]
        monkeypatch.setenv(name, value)
    with open_store(server.uri) as store:  # type: ignore[attr-defined]
        store.init()
        yield store
