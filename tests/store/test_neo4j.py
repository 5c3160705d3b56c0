"""Facts of a Neo4j server alone: who may do what, other people's Cypher, plans, and servers that are not there."""

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import neo4j
import pytest

import neodp
from neodp import generate
from neodp.cli import main
from neodp.errors import GraphError, ReadOnlyStore, StoreError, StoreUnreachable
from neodp.store import GraphInfo, Settings, Store, cypher, open_store
from neodp.store.cypher import canned, statements
from neodp.store.neo4j import Neo4jPort
from neodp.store.records import fingerprint
from neodp.stretch import Profiles
from tools import neo4j_server as servers


def settings(server: servers.Server, **changes: Any) -> Settings:
    return replace(Settings(server.uri, server.user, server.password), **changes)


@pytest.fixture
def store(neo4j_server: servers.Server, neo4j_driver: neo4j.Driver) -> Iterator[Store]:
    with open_store(settings(neo4j_server)) as store:
        store.init()
        store.port.connection.init(stretching=True)  # type: ignore[attr-defined]
        yield store


# --- servers that cannot be used ------------------------------------------------------------------------------


def test_a_wrong_password_is_said_and_not_shown(neo4j_server: servers.Server) -> None:
    with pytest.raises(
        StoreUnreachable, match="refused the user or password; check NEO4J_USERNAME and NEO4J_PASSWORD"
    ) as e:
        open_store(settings(neo4j_server, password="hunter2"))
    assert "hunter2" not in str(e.value)
    assert "hunter2" not in repr(settings(neo4j_server, password="hunter2"))


def test_a_missing_password(neo4j_server: servers.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    with pytest.raises(StoreUnreachable, match="refused the user or password; set NEO4J_PASSWORD"):
        open_store(neo4j_server.uri)


def test_the_command_line_asks_for_a_missing_password(
    neo4j_server: servers.Server, neo4j_driver: neo4j.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("getpass.getpass", lambda *_: neo4j_server.password)
    assert main(["--store", neo4j_server.uri, "list", "--json"]) == 0


def test_a_database_that_does_not_exist(neo4j_server: servers.Server) -> None:
    with pytest.raises(
        StoreUnreachable, match=r"there is no such database at .* \(database nope\); correct NEO4J_DATABASE"
    ):
        open_store(settings(neo4j_server, database="nope"))


def test_no_server(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "hunter2")
    assert main(["--store", "bolt://127.0.0.1:9", "list", "--json"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    error = json.loads(err)["error"]
    assert error["kind"] == "unreachable"
    assert error["message"] == "no Neo4j server answers at bolt://127.0.0.1:9 (database neo4j)"
    assert "hunter2" not in err


# --- a driver of one's own -----------------------------------------------------------------------------------


def test_a_driver_is_used_and_stays_open(neo4j_server: servers.Server, neo4j_driver: neo4j.Driver) -> None:
    with open_store(neo4j_driver) as store:
        store.load("g", generate.path(3))
        host, _, port = neo4j_server.uri.partition("://")[2].partition(":")
        assert store.address.endswith(f":{port} (database neo4j)")
        assert host
    assert neo4j_driver.execute_query("MATCH (d:Dataset) RETURN count(d) AS n").records[0]["n"] == 3
    with pytest.raises(StoreError, match="auth is given together with a driver; leave it out: the driver has its own"):
        open_store(neo4j_driver, auth=("neo4j", "hunter2"))
    with pytest.raises(StoreUnreachable, match=r"there is no such database at .* \(database nope\)"):
        open_store(neo4j_driver, database="nope")
    assert neo4j_driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_auth_is_given_as_a_pair_or_as_the_driver_takes_it(
    neo4j_server: servers.Server, neo4j_driver: neo4j.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", "not the one")
    for auth in (
        (neo4j_server.user, neo4j_server.password),
        neo4j.basic_auth(neo4j_server.user, neo4j_server.password),
    ):
        with open_store(neo4j_server.uri, auth=auth) as store:
            assert store.graphs() == []
    with pytest.raises(StoreUnreachable, match="refused the user or password; check the auth of open_store"):
        open_store(neo4j_server.uri, auth=("neo4j", "hunter2"))
    wrong = neo4j.GraphDatabase.driver(neo4j_server.uri, auth=("neo4j", "hunter2"))
    with wrong, pytest.raises(StoreUnreachable, match="refused the user or password; check the auth of the driver"):
        open_store(wrong)


def test_what_is_no_store(tmp_path: Path) -> None:
    for options in ({"auth": ("neo4j", "hunter2")}, {"database": "neo4j"}):
        with pytest.raises(StoreError, match=r"(auth|database) is given for the file .*x\.db; leave it out"):
            open_store(tmp_path / "x.db", **options)
    assert not (tmp_path / "x.db").exists()
    with pytest.raises(StoreError, match=r"a list is not a store; give an address, a path or a neo4j\.Driver"):
        open_store([])  # type: ignore[arg-type]


def test_a_server_with_another_cypher_takes_a_folder_and_a_subclass(
    neo4j_server: servers.Server, neo4j_driver: neo4j.Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the subclass runs comes from its own folder: here a copy, whose every statement says so."""

    class Twin(Neo4jPort):
        dialect = "twin"

    folder = shutil.copytree(cypher.root() / "neo4j", tmp_path / "twin")
    for file in folder.iterdir():
        file.write_text(re.sub(r"(?m)^(// name: .*\n(?://.*\n)+)", r"\1/* twin */ ", file.read_text()))
    query = (cypher.root() / "query" / "summary.cypher").read_text()
    (tmp_path / "query" / "twin" / "profile").mkdir(parents=True)
    (tmp_path / "query" / "twin" / "summary.cypher").write_text(query)
    cypher.every()  # which is cached, and must not be read from the folder of this test
    monkeypatch.setattr(cypher, "root", lambda: tmp_path)
    monkeypatch.setattr(cypher, "canned", cypher.canned.__wrapped__)  # or the copy would be remembered
    assert cypher.statement("graphs", "twin").startswith("/* twin */")
    g = generate.path(4)
    with Store(Twin(settings(neo4j_server))) as store:
        store.load("g", g.with_alpha(neodp.balanced(g)))
        store.write("g", neodp.extend(store.read("g")))
        assert neodp.audit(store.read("g"), store.mechanism("g").mechanism)
        assert store.query("summary", "g").num_rows == 2
        assert store.answer("g", "0", "spring").answer in g.colors
        assert store.profiles.all() == []


# --- a database that may only be read -------------------------------------------------------------------------


def test_a_read_only_database_serves_all_that_only_reads(
    tmp_path: Path,
    read_only: tuple[servers.Server, GraphInfo],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*words, "--json"])
        return (code, *capsys.readouterr())

    server, before = read_only
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    for words in (
        ("list",),
        ("show", "g"),
        ("check", "g"),
        ("boundary", "g"),
        ("extend", "g", "--mode", "stats"),
        ("extend", "g", "--mode", "stream"),
        ("audit", "g"),
        ("query", "summary", "g"),
        ("export", "g", str(tmp_path)),
    ):
        code, _, err = run(*words)
        assert (code, err) == (0, ""), words
    for words in (
        ("extend", "g"),
        ("boundary", "g", "--balanced", "--write"),
        ("generate", "path", "h", "3"),
        ("drop", "g", "--yes"),
    ):
        code, out, err = run(*words)
        assert (code, out) == (1, ""), words
        error = json.loads(err)["error"]
        assert error["kind"] == "read_only"
        assert error["message"].endswith("may be read but not written")
    with open_store() as store:
        with pytest.raises(ReadOnlyStore):
            store.load("h", generate.path(3))
        assert store.info("g") == before


# --- other people's Cypher ------------------------------------------------------------------------------------


def test_a_graph_made_by_plain_cypher(store: Store, neo4j_driver: neo4j.Driver) -> None:
    """The data model is all that neodp needs; integers count as numbers, a missing delta as 0."""
    neo4j_driver.execute_query(
        """
        CREATE (:DatasetGraph {name: 'mine', colors: ['yes', 'no']})
        CREATE (a:Dataset {graph: 'mine', key: 'a', color: 'yes', alpha: 0.6})
        CREATE (b:Dataset {graph: 'mine', key: 'b', color: 'no'})
        CREATE (c:Dataset {graph: 'mine', key: 'c', color: 'no'})
        CREATE (a)-[:NEIGHBOR {epsilon: 1}]->(b)
        CREATE (c)-[:NEIGHBOR {epsilon: 0.5, delta: 0.01}]->(b)
        """
    )
    info = store.info("mine")
    assert (info.datasets, info.edges, info.state) == (3, 2, "ready")
    g = store.read("mine")
    assert g.delta.tolist() == [0.0, 0.01]
    store.write("mine", neodp.extend(g))
    assert not store.mechanism("mine").stale
    neo4j_driver.execute_query("CREATE (:Dataset {graph: 'mine', key: 'd', color: 'no'})")
    with pytest.raises(neodp.errors.NoMechanism, match="'d' of graph 'mine' has no probabilities: it came after"):
        store.mechanism("mine")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("SET d.color = null", "dataset '1': a colour is missing; give a string"),
        ("SET d.color = 'green'", "dataset '1' has the unknown colour 'green'; use one of yes, no"),
        ("SET d.alpha = 'half'", "dataset '1': alpha is 'half'; give a number or a list of numbers"),
        ("SET d.alpha = 1.5", "dataset '1': alpha is 1.5, -0.5; give probabilities from 0 to 1"),
        ("SET r.epsilon = null", "edge '1' – '2': epsilon is nan; give a number from 0 to 690"),
        ("SET r.epsilon = 'x'", "edge '1' – '2': epsilon is nan; give a number from 0 to 690"),
        ("SET r.epsilon = -1", "edge '1' – '2': epsilon is -1.0; give a number from 0 to 690"),
        (
            "CREATE (d)-[:NEIGHBOR {epsilon: 2.0}]->(e)",
            "edge '1' – '2' occurs twice, with",
        ),
        ("SET d.key = 17", "graph 'g' has 4 datasets, but only 3 of them have a text as key; correct them"),
    ],
)
def test_values_that_are_none_are_refused_by_name(
    store: Store, neo4j_driver: neo4j.Driver, change: str, message: str
) -> None:
    store.load("g", generate.path(4))
    neo4j_driver.execute_query(f"MATCH (d:Dataset {{key: '1'}})-[r:NEIGHBOR]->(e) {change}")
    with pytest.raises(GraphError, match=message):
        store.read("g")


def test_edges_into_another_graph_do_not_count(store: Store, neo4j_driver: neo4j.Driver) -> None:
    store.load("g", generate.path(4))
    store.load("h", generate.path(4))
    before = fingerprint(store.read("g"))
    neo4j_driver.execute_query(
        "MATCH (a:Dataset {graph: 'g', key: '0'}), (b:Dataset {graph: 'h', key: '3'}) "
        "CREATE (a)-[:NEIGHBOR {epsilon: 9.0}]->(b)"
    )
    assert fingerprint(store.read("g")) == before
    assert store.neighbors("g", ["0"]).neighbor.to_pylist() == ["1"]


# --- how it asks ----------------------------------------------------------------------------------------------


def test_transactions_say_who_runs_them(store: Store) -> None:
    _, rows = store.port.connection.transaction(  # type: ignore[attr-defined]
        "looking", lambda tx: tx.execute("SHOW TRANSACTIONS YIELD metaData", {})
    )
    assert [{"app": "neodp", "does": "looking"}] in rows


def test_many_clients_may_init_at_once(neo4j_server: servers.Server, neo4j_driver: neo4j.Driver) -> None:
    from concurrent.futures import ThreadPoolExecutor

    servers.wipe(neo4j_driver)

    def init(_: int) -> list[str]:
        with open_store(settings(neo4j_server)) as store:
            return store.init()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(init, range(6)))
    with open_store(settings(neo4j_server)) as store:
        assert store.init() == []


@pytest.fixture
def bare(neo4j_server: servers.Server, neo4j_driver: neo4j.Driver) -> Iterator[Store]:
    """A store on a database without neodp's constraints."""
    servers.wipe(neo4j_driver)
    with open_store(settings(neo4j_server)) as store:
        yield store
    servers.wipe(neo4j_driver)


def test_the_constraints_of_profiles_come_with_the_first_profile(bare: Store) -> None:
    made = bare.init()
    assert "neodp_release_name" in made
    assert not {"neodp_profiles_name", "neodp_user_id", "neodp_item_id"} & set(made)
    bare.profiles.load("p", Profiles.from_columns(["ann"], ["tea"]))
    names = bare.port.connection.read("show_schema")["names"]  # type: ignore[attr-defined]
    assert {"neodp_profiles_name", "neodp_user_id", "neodp_item_id"} <= set(names)


def test_other_peoples_nodes_that_are_in_the_way_are_named(bare: Store, neo4j_driver: neo4j.Driver) -> None:
    make = "UNWIND range(1, $n) AS i CREATE (n:$($label)) SET n += $values RETURN elementId(n) AS id"
    twice = {"profile": "p", "id": "7"}
    users = neo4j_driver.execute_query(make, {"n": 3, "label": "User", "values": twice}).records
    neo4j_driver.execute_query(make, {"n": 2, "label": "User", "values": {"id": "8"}})  # no profile: not in the way
    neo4j_driver.execute_query(make, {"n": 2, "label": "Item", "values": {"name": "tea"}})
    bare.init()
    with pytest.raises(StoreError) as e:
        bare.profiles.load("p", Profiles.from_columns(["ann"], ["tea"]))
    assert "has 3 nodes (:User) with profile 'p' and id '7': neodp needs one at most" in e.value.message
    assert e.value.hint is not None
    assert all(record["id"] in e.value.hint for record in users)
    assert e.value.hint.endswith("or give neodp a database of its own (NEO4J_DATABASE)")


def test_releases_that_are_in_the_way_are_named(bare: Store, neo4j_driver: neo4j.Driver) -> None:
    """Only those that have neodp's own label, and a name."""
    neo4j_driver.execute_query("UNWIND [1, 2] AS i CREATE (:NeodpRelease {version: 1}), (:DatasetGraph {name: 'a'})")
    with pytest.raises(StoreError, match=r"has 2 nodes \(:DatasetGraph\) with name 'a': neodp needs one at most; look"):
        bare.init()
    neo4j_driver.execute_query("MATCH (g:DatasetGraph) DELETE g")
    neo4j_driver.execute_query(
        "UNWIND [1, 2, 2] AS i CREATE (:NeodpRelease {graph: 'g', name: 'n' + i, population: 'x'})"
    )
    with pytest.raises(StoreError, match=r"has 2 nodes \(:NeodpRelease\) with graph 'g' and name 'n2'"):
        bare.init()


def test_an_index_that_is_in_the_way_is_named(bare: Store, neo4j_driver: neo4j.Driver) -> None:
    neo4j_driver.execute_query("CREATE INDEX theirs FOR (d:Dataset) ON (d.graph, d.key)")
    with pytest.raises(StoreError, match=r"already exists.*; drop what is in the way of neodp_dataset_key, or use"):
        bare.init()


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from _operators(child)


def _texts() -> dict[str, str]:
    own = {s.name: s.text for s in statements("neo4j").values() if s.name not in statements("neo4j", "schema")}
    return own | {f"query {q.name}": q.text for q in canned().values()}


def test_no_statement_scans_all_datasets(store: Store, neo4j_driver: neo4j.Driver) -> None:
    """Every one finds its datasets by an index, whatever else is in the database."""
    store.load("g", generate.path(4))
    values = {"graph": "g", "from": "", "done": 0, "batch": 5, "limit": 5, "key": "1", "keys": ["1"], "ids": ["x"]}
    few = ("graphs", "ledgers", "populations", "profiles", "protections")
    for name, text in _texts().items():
        plan = neo4j_driver.execute_query("EXPLAIN " + text, values).summary.plan
        assert plan is not None, name
        operators = [o.partition("@")[0] for o in _operators(plan)]
        assert "AllNodesScan" not in operators, name
        if name.startswith("read_"):
            assert not {"Top", "Sort", "PartialSort"} & set(operators), name  # in the order of the index
        assert "NodeByLabelScan" not in operators or name in few, name


def test_a_server_without_the_plugin(
    neo4j_server: servers.Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in neo4j_server.environment().items():
        monkeypatch.setenv(name, value)
    assert main(["--store", neo4j_server.uri, "plugin", "status"]) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"the server has no plugin; this is neodp {neodp.__version__}, which does the work itself\n")
    with open_store(neo4j_server.uri) as store:
        assert store.plugin is None
        with pytest.raises(StoreError, match=r"has no neodp plugin of this version; see `store\.plugin_version\(\)`"):
            store.check("g", engine="server")
