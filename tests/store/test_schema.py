"""The version of the schema of a store on Neo4j: a newer one is refused, a damaged one noticed."""

from typing import Any

import pytest
from neo4j import Driver

from neodp import generate
from neodp.errors import StoreUnreachable
from neodp.store import open_store
from neodp.store.cypher import VERSION


def test_the_version_is_kept_and_a_newer_one_refused_neo4j(
    neo4j_server: Any, neo4j_driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    with open_store(neo4j_server.uri) as store:
        store.load("g", generate.path(3))
    found = neo4j_driver.execute_query("MATCH (s:NeodpSchema) RETURN s.version AS v").records
    assert [record["v"] for record in found] == [VERSION]
    neo4j_driver.execute_query("MATCH (s:NeodpSchema) SET s.version = 99")
    told = f"was made by a newer neodp: its schema is version 99, and this one knows {VERSION}; update neodp"
    with pytest.raises(StoreUnreachable, match=told):
        open_store(neo4j_server.uri)


def test_a_version_that_is_no_number_is_named_neo4j(
    neo4j_server: Any, neo4j_driver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    neo4j_driver.execute_query("CREATE (:NeodpSchema {name: 'neodp', version: 'x'})")
    with pytest.raises(StoreUnreachable, match=r"the version of the schema of .* is 'x': somebody else has changed it"):
        open_store(neo4j_server.uri)
