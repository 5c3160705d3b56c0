"""The plugin as a guest of the server: it ends when told to, leaves nothing behind, and takes turns with the client."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import neo4j
import numpy as np
import pytest
from neo4j.exceptions import DriverError, Neo4jError

import neodp
from neodp import DatasetGraph
from neodp.errors import Overtaken
from neodp.store import Store, open_store
from tests.plugin.calls import Caller, guests, refused, with_plugin
from tools import neo4j_server as servers

Start = Callable[..., AbstractContextManager[servers.Server]]


def _survey() -> DatasetGraph:
    graph = neodp.generate.counts([30, 40], epsilon=[0.1, 0.5])
    return graph.with_alpha(neodp.balanced(graph))


@pytest.mark.parametrize(("concurrency", "batch"), [(1, 100), (2, 1), (2, 1_000_000), (7, 100)])
@pytest.mark.usefixtures("quiet")
def test_concurrency_changes_nothing(caller: Caller, client: Store, concurrency: int, batch: int) -> None:
    """However the work is cut up, the client reads the mechanism that it would have written itself."""
    graph = _survey() if batch > 1 else neodp.generate.path(40)
    graph = graph.with_alpha(neodp.balanced(graph))
    client.load("g", graph)
    row = caller.one("CALL neodp.extend.write('g', $options)", options={"concurrency": concurrency, "batchSize": batch})
    assert row["nodePropertiesWritten"] == 4 * len(graph)
    found = client.mechanism("g")
    assert not found.stale
    expected = neodp.extend(found.mechanism.graph)
    np.testing.assert_array_equal(found.mechanism.probabilities, expected.probabilities)
    mine = client.info("g").mechanism
    properties = "MATCH (d:Dataset {graph: 'g'}) RETURN properties(d) AS properties ORDER BY d.key"
    written = caller(properties)
    client.write("g", expected)
    theirs = client.info("g").mechanism
    assert mine is not None
    assert theirs is not None
    assert (mine.fingerprint, mine.min_p_true, mine.mean_p_true) == (
        theirs.fingerprint,
        theirs.min_p_true,
        theirs.mean_p_true,
    )
    assert caller(properties) == written


def test_fingerprint_of_strange_names(caller: Caller, client: Store) -> None:
    """Quotes, control characters, letters beyond 16 bits; alpha as lists; preferences; edges in either direction."""
    keys = ["", "a'b", 'a"b', "\uffee", "\U0001f600", "tab\t", "é", "\u200b", "z" * 300, "10", "9", "\ue000"]
    graph = DatasetGraph.from_columns(
        keys,
        np.array([0, 1] * 6),
        np.arange(11)[::-1].copy(),
        np.arange(11)[::-1] + 1,
        np.linspace(0.1, 3.0, 11),
        np.linspace(0.0, 0.01, 11),
        {"": [2.0**-60, 1.0], "9": 1.0, "a'b": 0.0},
        {"9": ["it's", "\x07\n\u00a0\U000e0001"], "z" * 300: ["it's", "\x07\n\u00a0\U000e0001"]},
        colors=["it's", "\x07\n\u00a0\U000e0001"],
    )
    client.load("g", graph)
    assert caller.one("CALL neodp.boundary.balanced.write('g')")["nodePropertiesWritten"] == 12
    caller.one("CALL neodp.extend.write('g')")
    assert not client.mechanism("g").stale
    client.write("g", neodp.extend(client.read("g")))
    assert not caller.one("CALL neodp.audit('g')")["stale"]
    caller("MATCH (d:Dataset {key: '9'}) REMOVE d.preference")
    assert caller.one("CALL neodp.audit('g')")["stale"]
    assert client.mechanism("g").stale


@pytest.mark.usefixtures("quiet")
def test_progress(caller: Caller, client: Store) -> None:
    """A call that waits for a lock is listed with its steps, until it has ended."""
    client.load("g", (graph := neodp.generate.path(6)).with_alpha(neodp.balanced(graph)))
    assert caller("CALL neodp.listProgress()") == []
    with ThreadPoolExecutor(1) as pool, caller.driver.session() as session, session.begin_transaction() as tx:
        tx.run("MATCH (g:DatasetGraph {name: 'g'}) SET g.note = 1").consume()
        call = pool.submit(caller.one, "CALL neodp.extend.write('g', {jobId: 'mine', batchSize: 2})")
        rows: list[dict[str, Any]] = []
        while len(rows) < 3:
            assert not call.done()
            rows = caller("CALL neodp.listProgress('mine')")
        assert (rows[1]["taskName"], rows[1]["progress"], rows[1]["status"]) == ("|-- Read", "100.0%", "FINISHED")
        assert (rows[0]["taskName"], rows[0]["status"]) == ("neodp.extend.write", "RUNNING")
        assert (rows[0]["username"], rows[0]["jobId"]) == ("neo4j", "mine")
        assert rows[1]["progressBar"] == "[##########]"
        assert caller("CALL neodp.listProgress('another')") == []
        tx.rollback()
        assert call.result()["configuration"]["jobId"] == "mine"
    assert caller("CALL neodp.listProgress()") == []


@pytest.mark.usefixtures("quiet")
def test_a_timeout_ends_it_while_it_waits(caller: Caller, client: Store, plugin_server: servers.Server) -> None:
    """Somebody else has locked the graph; the caller's patience ends, and so does the plugin's work."""
    client.load("g", _survey())
    with caller.driver.session() as other, other.begin_transaction() as holder:
        holder.run("MATCH (g:DatasetGraph {name: 'g'}) SET g.note = 'mine'").consume()
        with caller.driver.session() as session, pytest.raises(Neo4jError) as error:
            session.run(neo4j.Query("CALL neodp.extend.write('g')", timeout=1.0)).consume()
        assert "Timed" in str(error.value.code) or "Terminated" in str(error.value.code)
        assert guests(plugin_server) == []
        holder.rollback()
    assert client.info("g").mechanism is None
    caller.one("CALL neodp.extend.write('g')")
    assert not client.mechanism("g").stale


@pytest.mark.parametrize(
    ("change", "call", "what"),
    [
        ("MATCH (g:DatasetGraph {name: 'g'}) SET g.note = 1", "extend.write('g')", "graph 'g'"),
        ("MATCH (d:Dataset {graph: 'g', key: '0'}) SET d.alpha = 0.5", "extend.write('g')", "graph 'g'"),
        ("MATCH (d:Dataset {graph: 'g', key: '0'}) SET d.alpha = 0.5", "boundary.balanced.write('g')", "graph 'g'"),
        ("MATCH (d:Dataset {graph: 'g', key: '0'}) DETACH DELETE d", "graph.drop('g')", "graph 'g'"),
        ("CALL neodp.budget.set('default', {releases: 9})", "answer('g', '0', 'r')", "graph 'g' or an account"),
        ("CALL neodp.budget.set('(:P)', {releases: 9})", "poll('staff', {vote: 'v', release: 'r'})", "an account"),
        (
            "CREATE (:NeodpLedger {population: '(:P)'})",
            "ask('staff', 'MATCH (a:P)', {atLeast: 1, release: 'r'})",
            "an account",
        ),
    ],
)
@pytest.mark.usefixtures("quiet")
def test_it_does_not_wait_for_its_own_caller(caller: Caller, client: Store, change: str, call: str, what: str) -> None:
    """The caller's transaction holds what the call has to write, and would wait for the call: neither would end."""
    graph = neodp.generate.path(4)
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    client.protect(neodp.Protection("staff", "e", people="P", properties=("v",)))
    told = refused(_refused_after(caller, change, f"CALL neodp.{call}"))
    assert told.message.startswith(f"your transaction has changed {what} and is not committed")
    assert told.hint.startswith("commit first, then call neodp.")
    with caller.driver.session() as session, session.begin_transaction() as tx:
        tx.run("CREATE (:Note) WITH 1 AS one MATCH (g:DatasetGraph {name: 'g'}) RETURN g").consume()
        assert tx.run(f"CALL neodp.{call}").single()


@pytest.mark.parametrize(
    ("made", "call", "what"),
    [
        ("CREATE (:DatasetGraph {name: 'g', colors: ['a', 'b']})", "check('g')", "graph 'g'"),
        ("CREATE (:A {key: 'a', color: 'b'})", "extend.stats('g', {nodeLabel: 'A'})", "graph 'g'"),
        (
            "CALL neodp.protect('staff', {people: 'P', epsilon: 'e', properties: ['v']})",
            "poll('staff', {vote: 'v'})",
            "population 'staff'",
        ),
    ],
)
@pytest.mark.usefixtures("client", "quiet")
def test_what_the_caller_alone_sees_is_named(caller: Caller, made: str, call: str, what: str) -> None:
    told = refused(_refused_after(caller, made, f"CALL neodp.{call}"))
    assert told.message.startswith(f"{what} was made in your transaction, which is not committed")


def _refused_after(caller: Caller, change: str, call: str) -> Neo4jError:
    """Return the error of a call in a transaction that has changed something."""
    with caller.driver.session() as session, session.begin_transaction(timeout=60) as tx:
        tx.run(change).consume()
        try:
            tx.run(call).consume()
        except Neo4jError as error:
            tx.close()
            return error
    raise AssertionError(f"{call} was not refused")


def _timed_out(caller: Caller, text: str, timeout: float) -> bool:
    """Return True if a statement ends because its time is over; what else it fails for is an error here."""
    try:
        with caller.driver.session() as session:
            session.run(neo4j.Query(text, timeout=timeout)).consume()
    except Neo4jError as error:
        if "Timed" in str(error.code) or "Terminated" in str(error.code):
            return True
        raise
    return False


@pytest.mark.parametrize(
    ("lock", "call"),
    [
        (
            "MATCH (d:Dataset {graph: 'g', key: '30-40'}) SET d.note = 1",
            "CALL neodp.extend.write('g', {batchSize: 100})",
        ),
        ("MATCH (d:Dataset {graph: 'g'}) SET d.note = 1", "CALL neodp.boundary.balanced.write('g')"),
        ("MERGE (l:NeodpLedger {population: 'default'}) SET l.note = 1", "CALL neodp.answer('g', '3-4', 'spring')"),
    ],
)
@pytest.mark.usefixtures("quiet")
def test_a_timeout_ends_it_while_it_writes(caller: Caller, client: Store, lock: str, call: str) -> None:
    """Somebody holds what it has to write, for longer than its caller has patience: it ends, and nothing counts."""
    client.load("g", _survey())
    before = client.read("g")
    ended: list[bool] = []
    with caller.driver.session() as other, other.begin_transaction() as holder:
        holder.run(lock).consume()
        thread = threading.Thread(target=lambda: ended.append(_timed_out(caller, call, 1.0)))
        thread.start()
        thread.join(60)
        in_time = not thread.is_alive()  # while the lock was still held
        holder.rollback()
    thread.join()
    assert in_time
    assert ended == [True]
    assert client.info("g").mechanism is None
    np.testing.assert_array_equal(client.read("g").alpha, before.alpha)
    assert caller.one("MATCH (r:NeodpRelease) RETURN count(r) AS kept")["kept"] == 0
    caller(call)


@pytest.mark.usefixtures("quiet")
def test_a_timeout_ends_it_while_it_works(caller: Caller, client: Store) -> None:
    """A timeout far shorter than the work: what was stored before stays as it was."""
    caller("CREATE (:DatasetGraph {name: 'g', colors: ['a', 'b']})")
    caller("UNWIND range(0, 29999) AS i CREATE (:Dataset {graph: 'g', key: toString(i), color: 'a', alpha: 0.5})")
    caller("CALL neodp.extend.write('g')")
    for call in ("extend.write", "extend.stats", "extend.stream", "boundary.balanced.stats", "audit"):
        assert _timed_out(caller, f"CALL neodp.{call}('g', {{batchSize: 1}})", 0.05), call
    assert not client.mechanism("g").stale


@pytest.mark.usefixtures("quiet")
def test_a_timeout_ends_it_while_it_searches(caller: Caller) -> None:
    """The only alpha is at the far end of a long path: the search goes there step by step, and computes at each."""
    caller("CREATE (:DatasetGraph {name: 'g', colors: ['a', 'b']})")
    caller(
        "UNWIND range(0, 19999) AS i CREATE (d:Dataset {graph: 'g', key: toString(i), color: 'a'}) "
        "SET d.alpha = CASE i WHEN 0 THEN 0.5 END "
        "WITH collect(d) AS ds UNWIND range(0, 19998) AS i WITH ds[i] AS a, ds[i + 1] AS b "
        "CREATE (a)-[:NEIGHBOR {epsilon: 0.000001}]->(b)"
    )
    ended: list[bool] = []
    call = "CALL neodp.eval('g', ['19999'], {engine: 'ball', limit: 1000000})"  # minutes
    thread = threading.Thread(target=lambda: ended.append(_timed_out(caller, call, 1.0)), daemon=True)
    thread.start()
    thread.join(60)
    assert ended == [True]


@pytest.mark.usefixtures("quiet")
def test_a_timeout_ends_it_wherever_it_is(caller: Caller, client: Store) -> None:
    """Reading, computing or writing: it ends, and what is stored is the old mechanism, none, or the new one."""
    graph = neodp.generate.counts([12, 12, 12], epsilon=[0.2, 0.5, 1.0])
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    timeout, ended = 0.05, True
    while ended:
        ended = _timed_out(caller, "CALL neodp.extend.write('g', {batchSize: 50})", timeout)
        found = client.info("g").mechanism
        assert found is None or not client.mechanism("g").stale
        timeout *= 1.5
    assert client.info("g").mechanism is not None
    assert caller.one("CALL neodp.audit('g')")["violations"] == 0


@pytest.mark.usefixtures("quiet")
def test_memory_is_counted_and_given_back(caller: Caller, client: Store) -> None:
    """The caller's transaction may take 256 MB: more is refused before it reads, and what it took comes back."""
    client.load("g", _survey())
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = 1000000")
    assert caller.one("CALL neodp.extend.write.estimate('g')")["fits"]
    for call in ("extend.stats('g')", "extend.stream('g')", "check('g')", "boundary.balanced.stream('g')"):
        with pytest.raises(Neo4jError) as error, caller.driver.session() as session:
            session.run(f"CALL neodp.{call}").consume()  # of this kind, which the driver would try again for 30 s
        assert "Memory" in str(error.value.code), call
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = 300000")
    with caller.driver.session() as session, session.begin_transaction() as tx:
        for _ in range(4):  # a third of the limit each time
            tx.run("CALL neodp.extend.stats('g')").consume()
            tx.run("CALL neodp.check('g')").consume()
            tx.run("CALL neodp.extend.stream('g') YIELD key RETURN key").consume()
            tx.run("CALL neodp.extend.stream('g') YIELD key RETURN key LIMIT 1").consume()
            tx.run("CALL neodp.boundary.balanced.stream('g') YIELD key RETURN key LIMIT 1").consume()


@pytest.mark.usefixtures("quiet")
def test_an_error_in_one_thread_ends_all(caller: Caller, client: Store) -> None:
    """The last of many chunks cannot be read."""
    client.load("g", _survey())
    caller("MATCH (d:Dataset {graph: 'g'}) WITH d ORDER BY id(d) DESC LIMIT 1 SET d.color = 'grey'")
    refusal = caller.refusal("CALL neodp.extend.write('g', {concurrency: 3, batchSize: 50})")
    assert refusal.message.endswith("has the unknown colour 'grey'")


@pytest.mark.usefixtures("quiet")
def test_more_memory_than_there_is(caller: Caller, client: Store) -> None:
    """A graph that says it is huge is refused before it is read, and estimate says so beforehand."""
    client.load("g", _survey())
    estimate = caller.one("CALL neodp.extend.write.estimate('g')")
    assert estimate["fits"]
    assert estimate["bytesMin"] < estimate["bytesMax"] < estimate["bytesAvailable"]
    for datasets, edges in ((2**63 - 1, 0), (0, 2**63 - 1), (2**63 - 1, 2**63 - 1)):  # of which no sum overflows
        caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = $n, g.edges = $m", n=datasets, m=edges)
        estimate = caller.one("CALL neodp.extend.write.estimate('g')")
        assert not estimate["fits"]
        assert 2**46 < estimate["bytesMin"] <= estimate["bytesMax"]
        assert caller.refusal("CALL neodp.check('g')").kind == "memory"
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.datasets = 1000000000")
    assert not caller.one("CALL neodp.extend.write.estimate('g')")["fits"]
    for call in (
        "extend.write('g')",
        "extend.stats('g')",
        "extend.stream('g')",
        "check('g')",
        "audit('g')",
        "boundary.balanced.write('g')",
        "eval('g', ['0-0'], {engine: 'whole'})",
        "answer('g', '0-0', 'spring')",
    ):
        refusal = caller.refusal(f"CALL neodp.{call}")
        assert refusal.kind == "memory", call
        assert "of the server's heap" in refusal.message
    assert caller.one("MATCH (r:NeodpRelease) RETURN count(r) AS kept")["kept"] == 0


@pytest.mark.usefixtures("quiet")
def test_both_doors_at_once(caller: Caller, client: Store, plugin_server: servers.Server) -> None:
    """Clients and procedures write the same graph at the same time: one mechanism stands, and it is whole."""
    client.load("g", _survey())
    outcomes: list[str] = []

    def by_plugin() -> None:
        try:
            caller.one("CALL neodp.extend.write('g', {batchSize: 50})")
            outcomes.append("written")
        except Neo4jError as error:
            outcomes.append(refused(error).kind)

    def by_client() -> None:
        with open_store(plugin_server.uri) as store:
            try:
                store.write("g", neodp.extend(store.read("g")))
                outcomes.append("written")
            except Overtaken as error:
                outcomes.append(error.kind)

    threads = [threading.Thread(target=does) for does in (by_plugin, by_client, by_plugin, by_client, by_plugin)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"written", "overtaken"}
    assert "written" in outcomes
    found = client.mechanism("g")
    assert not found.stale
    assert neodp.audit(found.mechanism.graph, found.mechanism)
    assert caller.one("CALL neodp.audit('g')")["violations"] == 0


@pytest.mark.usefixtures("quiet")
def test_whoever_comes_later_takes_over(caller: Caller, client: Store, plugin_server: servers.Server) -> None:
    """A client claims the graph while the plugin writes: the plugin commits nothing more, and says so."""
    client.load("g", _survey())
    errors: list[Neo4jError] = []

    def write() -> None:
        try:
            caller.one("CALL neodp.extend.write('g', {batchSize: 1, concurrency: 2})")
        except Neo4jError as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    claimed = 0
    while thread.is_alive() and not claimed:
        claimed = caller.one(
            "MATCH (g:DatasetGraph {name: 'g'}) WHERE g.writer IS NOT NULL SET g.writer = 'mine' RETURN count(g) AS n"
        )["n"]
    thread.join()
    assert claimed == 1
    assert refused(errors[0]).kind == "overtaken"
    assert client.info("g").mechanism is None
    assert caller.one("MATCH (g:DatasetGraph {name: 'g'}) RETURN g.writer AS writer")["writer"] == "mine"


def test_a_server_that_is_killed(jar: Path, start_server: Start, tmp_path: Path, monkeypatch: Any) -> None:
    """After kill -9 in the middle of a write, the graph is there and no mechanism is; then it is written again."""
    home = with_plugin(tmp_path / "home", jar)
    failed: list[Exception] = []
    with start_server(home=home) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        with open_store(server.uri) as store:
            store.load("g", _survey())

        def write() -> None:
            try:
                with server.driver() as driver, driver.session() as session:
                    session.run("CALL neodp.extend.write('g', {batchSize: 1})").consume()
            except (DriverError, Neo4jError) as error:
                failed.append(error)

        with server.driver() as driver:
            thread = threading.Thread(target=write)
            thread.start()
            some = False
            while thread.is_alive() and not some:
                some = driver.execute_query(
                    "MATCH (d:Dataset {graph: 'g'}) WHERE d.p IS NOT NULL RETURN count(d) > 0 AS some",
                    database_="neo4j",
                ).records[0]["some"]
            assert server.pid is not None
            os.kill(server.pid, signal.SIGKILL)
            thread.join()
        assert failed
    with start_server(home=home, password=server.password) as again:
        monkeypatch.setenv("NEO4J_URI", again.uri)
        with open_store(again.uri) as store, again.driver() as driver:
            assert store.ready("g").mechanism is None
            driver.execute_query("CALL neodp.extend.write('g')", database_="neo4j")
            found = store.mechanism("g")
            assert not found.stale
            assert neodp.audit(found.mechanism.graph, found.mechanism)
