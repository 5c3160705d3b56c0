"""The version of a store's schema: older stores are brought up to date, newer ones refused, damaged ones noticed.

``files/version-0.gz`` was written by a neodp that kept no version: the graph "survey" with its mechanism, and one
release, "spring", of which that neodp kept neither a population nor what was asked.

``files/version-1.gz`` was written by one that kept no accounts: the graph "survey", and two releases, "spring" and
"summer", of the three that are allowed.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ladybug
import pytest

import neodp
from neodp import generate
from neodp.errors import BudgetSpent, OtherQuestion, StoreUnreachable
from neodp.release import Limit
from neodp.store import Store, open_store
from neodp.store.cypher import VERSION

OLD = Path(__file__).parent / "files" / "version-0.gz"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress(OLD.read_bytes()))
    return path


def test_a_store_without_a_version_is_brought_up_to_date(old: Path) -> None:
    with open_store(old) as store:
        (info,) = store.graphs()
        assert (info.name, info.datasets, info.edges, info.population) == ("survey", 12, 17, "default")
        assert neodp.audit(store.mechanism("survey").mechanism.graph, store.mechanism("survey").mechanism)
        kept = store.kept("survey", "spring")
        assert kept is not None
        assert (kept.answer, kept.population) == ("no", "default")
        assert store.ledger().releases == (kept,)
        with pytest.raises(BudgetSpent):  # the old answer counts
            store.answer("survey", "1-1", "autumn")
        with pytest.raises(OtherQuestion, match="was kept by an older neodp, without what was asked"):
            store.answer("survey", "1-1", "spring")
        store.allow("default", Limit(2))
        new = store.answer("survey", "1-1", "autumn")
    with open_store(old) as store:
        assert store.kept("survey", "autumn") == new
        assert store.query("summary", "survey").num_rows == 2


def test_the_answers_of_a_store_without_accounts_are_summed_up(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((OLD.parent / "version-1.gz").read_bytes()))
    with open_store(path) as store:
        assert (store.account().used, store.account().left) == (2, 1)
        first = store.answer("survey", "1-1", "spring")
        assert first == store.ledger().releases[0]
        store.answer("survey", "1-1", "autumn")
    with open_store(path) as store:
        assert store.account() == store.ledger().account
        with pytest.raises(BudgetSpent, match="used 3, allowed 3"):
            store.answer("survey", "1-1", "winter")


def test_an_older_store_that_may_not_be_written_says_so(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from neodp.store.embedded import file

    monkeypatch.setattr(file, "_is_writable", lambda path: False)
    with pytest.raises(StoreUnreachable, match=r"was made by an older neodp and lacks \S+; open it once where it may"):
        open_store(old)


def test_the_version_is_kept_and_a_newer_one_refused(
    store: Store, raw: Callable[..., list[list[Any]]], address: str
) -> None:
    store.load("g", generate.path(3))
    assert raw("MATCH (s:NeodpSchema) RETURN s.version") == [[VERSION]]
    raw("MATCH (s:NeodpSchema) SET s.version = 99")
    store.close()
    told = f"was made by a newer neodp: its schema is version 99, and this one knows {VERSION}; update neodp"
    with pytest.raises(StoreUnreachable, match=told):
        open_store(address)


@pytest.mark.parametrize("table", ["Release", "Ledger"])
def test_a_store_without_its_releases_answers_nothing(tmp_path: Path, table: str) -> None:
    """Or a question that was answered would be answered anew."""
    graph = generate.path(3)
    with open_store(tmp_path / "s.db") as store:
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
        store.answer("g", "1", "spring")
        with store._session.transaction(write=True):  # type: ignore[attr-defined]
            store._session.execute(f"DROP TABLE {table}", {})  # type: ignore[attr-defined]
    with pytest.raises(StoreUnreachable, match=f"has lost its table {table}: somebody else has changed it; take it"):
        open_store(tmp_path / "s.db")


@pytest.mark.parametrize("table", ["DatasetGraph", "Release", "NeodpSchema"])
def test_tables_of_somebody_else_are_left_alone(tmp_path: Path, table: str) -> None:
    with ladybug.Database(tmp_path / "s.db") as database, ladybug.Connection(database) as connection:
        connection.execute(f"CREATE NODE TABLE {table}(mine INT64 PRIMARY KEY)")
    with pytest.raises(StoreUnreachable, match=rf"has a table {table} without a column \w+: it is not neodp's; use"):
        open_store(tmp_path / "s.db")


def test_a_version_that_is_no_number_is_named_neo4j(
    neo4j_server: Any, neo4j_driver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    neo4j_driver.execute_query("CREATE (:NeodpSchema {name: 'neodp', version: 'x'})")
    with pytest.raises(StoreUnreachable, match=r"the version of the schema of .* is 'x': somebody else has changed it"):
        open_store(neo4j_server.uri)


def test_what_an_older_neodp_wrote_to_neo4j_counts(
    neo4j_server: Any, neo4j_driver: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    graph = generate.path(3)
    with open_store(neo4j_server.uri) as store:
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
    neo4j_driver.execute_query("MATCH (s:NeodpSchema) DELETE s")
    neo4j_driver.execute_query("MATCH (g:DatasetGraph) REMOVE g.population, g.revision")
    neo4j_driver.execute_query(
        "CREATE (:Ledger {graph: 'g', max_releases: 7}), (:Ledger {graph: 'default', max_releases: 100}), "
        "(:Release {graph: 'g', name: 'spring', answer: '0', time: datetime()})"
    )
    with open_store(neo4j_server.uri) as store:
        assert [(r.name, r.population) for r in store.ledger().releases] == [("spring", "default")]
        assert (store.ledger().limit, store.ledger("g").limit) == (Limit(1), Limit(7))
        with pytest.raises(BudgetSpent):
            store.answer("g", "1", "autumn")
    found = neo4j_driver.execute_query("MATCH (s:NeodpSchema) RETURN s.version AS v").records
    assert [record["v"] for record in found] == [VERSION]
