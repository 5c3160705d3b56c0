"""The plugin never stalls its server: every call ends by its caller's time or memory, and others are served meanwhile.

The server of these tests has a heap of 512 MB, and 16 MB of it for each transaction. While a call is under way,
somebody else asks ``RETURN 1`` all the time. Afterwards, the call's transaction and its threads must be gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import DriverError, Neo4jError

import neodp
from neodp import DatasetGraph
from neodp.errors import GraphError, UnknownGraph
from neodp.ledger.account import Limit
from neodp.store import open_store
from tests.plugin.calls import Caller, guests, refused, transactions, with_plugin
from tools import neo4j_server as servers

Start = Callable[..., AbstractContextManager[servers.Server]]

HANGS = 600
"""Seconds after which a call is taken to hang: far longer than any of these takes."""
LONG = 20_000
"""How many datasets the graph "path" has: its only alpha is at one end, so that the way from there is long."""
WIDE = 45_000
"""How many datasets the graph "star" has: all others are neighbours of '1', and the graph says that it has one."""
WORDS = 3000
"""How long the keys of the graph "wordy" are."""


@pytest.fixture(scope="module")
def server(jar: Path, start_server: Start, tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    """A server with little memory, and graphs that ask for more."""
    config = {"db.transaction.monitor.check.interval": "1ms", "db.memory.transaction.max": "16m"}
    home = with_plugin(tmp_path_factory.mktemp("small"), jar)
    with start_server(home=home, config=config, memory="512m") as server, server.driver() as driver:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in server.environment().items():
                patch.setenv(name, value)
            with open_store(server.uri) as client:
                client.init()
                client.load("g", _three())
        with driver.session() as session:
            for statement in _GRAPHS:
                session.run(statement, long=LONG, wide=WIDE, words="w" * WORDS).consume()
        yield server


def _three() -> DatasetGraph:
    graph = neodp.generate.path(3)
    return graph.with_alpha(neodp.balanced(graph))


_DATASETS = (
    "UNWIND range(0, {count} - 1) AS i CALL (i) {{ CREATE (:Dataset {{graph: '{graph}', key: {key}, color: 'a', "
    "alpha: CASE i WHEN 0 THEN 0.5 END, p: 0.5, q: 0.5}}) }} IN TRANSACTIONS OF 1000 ROWS"
)
_EDGES = (
    "UNWIND range(0, {count} - 1) AS i WITH i WHERE {where} CALL (i) {{ "
    "MATCH (a:Dataset {{graph: '{graph}', key: {end}}}), (b:Dataset {{graph: '{graph}', key: toString(i)}}) "
    "CREATE (a)-[:NEIGHBOR {{epsilon: 0.000001}}]->(b) }} "
    "IN TRANSACTIONS OF 1000 ROWS"
)
_GRAPHS = (
    "CREATE (:DatasetGraph {name: 'path', colors: ['a', 'b'], datasets: $long, edges: $long - 1, mechanism: 'm'})",
    "CREATE (:DatasetGraph {name: 'star', colors: ['a', 'b'], datasets: 1, edges: 0, mechanism: 'm'})",
    "CREATE (:DatasetGraph {name: 'wordy', colors: ['a', 'b'], mechanism: 'm'})",
    _DATASETS.format(graph="path", count="$long", key="toString(i)"),
    _DATASETS.format(graph="star", count="$wide", key="toString(i)"),
    _DATASETS.format(graph="wordy", count="$long / 4", key="$words + i"),
    _EDGES.format(graph="path", count="$long", where="i > 0", end="toString(i - 1)"),
    _EDGES.format(graph="star", count="$wide", where="i <> 1", end="'1'"),
)


@pytest.fixture
def asker(server: servers.Server) -> Iterator[Caller]:
    """Cypher on that server."""
    options: dict[str, Any] = {"notifications_min_severity": "OFF"}
    with server.driver(**options) as driver:
        yield Caller(driver)


class _Beside(threading.Thread):
    """Somebody else, who asks ``RETURN 1`` again and again."""

    def __init__(self, server: servers.Server) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._answered, self._enough = threading.Event(), threading.Event()
        self.failed: list[Exception] = []

    def run(self) -> None:
        try:
            with self._server.driver() as driver, driver.session() as session:
                while not self._enough.is_set():
                    session.run("RETURN 1").consume()
                    self._answered.set()
        except (DriverError, Neo4jError) as error:
            self.failed.append(error)

    def answered_again(self) -> bool:
        """Return True if a question that is asked from now on is answered."""
        for _ in range(2):  # the first answer may be to a question from before
            self._answered.clear()
            if not self._answered.wait(HANGS):
                return False
        return True

    def stop(self) -> None:
        self._enough.set()
        self.join(HANGS)


class Outcome:
    """The outcome of a call: its rows, or its error."""

    def __init__(self, rows: list[dict[str, Any]] | None, error: Neo4jError | None) -> None:
        self.rows = rows
        self.error = error

    @property
    def ended_by(self) -> str:
        """The limit that ended it: time or memory; a refusal of the plugin by its kind."""
        assert self.error is not None, self.rows
        code = str(self.error.code)
        if "Timed" in code or "Terminated" in code:
            return "time"
        return "memory" if "Memory" in code else refused(self.error).kind


def _ended(
    server: servers.Server, asker: Caller, text: str, timeout: float | None = None, **parameters: Any
) -> Outcome:
    """Return the outcome of a statement, after checking that the server served others meanwhile and nothing is left.

    Without a timeout, it has all the time it wants, so that how fast the machine is decides nothing.
    """
    found: list[Outcome] = []

    def call() -> None:
        try:
            with asker.driver.session() as session:
                rows = session.run(neo4j.Query(text, timeout=timeout), parameters).data()
            found.append(Outcome(rows, None))
        except Neo4jError as error:
            found.append(Outcome(None, error))

    beside, caller = _Beside(server), threading.Thread(target=call, daemon=True)
    beside.start()
    try:
        assert beside.answered_again()
        caller.start()
        assert beside.answered_again(), "while the call was under way, nobody else was answered"
        caller.join(HANGS)
        assert found, "the call did not end"
        assert beside.answered_again(), "after the call, nobody else was answered"
    finally:
        beside.stop()
    assert beside.failed == []
    assert guests(server) == []
    assert transactions(asker) == []
    return found[0]


@pytest.mark.parametrize("engine", ["whole", "ball"])
def test_a_million_times_the_same_key(server: servers.Server, asker: Caller, engine: str) -> None:
    """Rows are made one by one, so that a million of them need no memory; each dataset is computed once."""
    text = (
        "CALL neodp.eval('g', [i IN range(1, 1000000) | '0'], {engine: $engine}) YIELD pTrue "
        "RETURN count(*) AS rows, count(DISTINCT pTrue) AS different"
    )
    assert _ended(server, asker, text, engine=engine).rows == [{"rows": 1_000_000, "different": 1}]


@pytest.mark.parametrize("engine", ["whole", "ball"])
def test_long_ways_end_by_the_time(server: servers.Server, asker: Caller, engine: str) -> None:
    """Two hundred million steps in all: minutes on any machine. No row is kept, so that memory is never the reason."""
    asker("MATCH (g:DatasetGraph {name: 'path'}) REMOVE g.mechanism")
    text = (
        "CALL neodp.eval('path', [i IN range(0, $long - 1) | toString(i)], {engine: $engine, limit: 1000000}) "
        "YIELD path RETURN sum(size(path))"
    )
    assert _ended(server, asker, text, 2.0, long=LONG, engine=engine).ended_by == "time"


def test_a_search_gives_its_tables_back(server: servers.Server, asker: Caller) -> None:
    """The search of all datasets fits into the memory, and so does its first row."""
    asker("MATCH (g:DatasetGraph {name: 'path'}) REMOVE g.mechanism")
    text = (
        "CALL neodp.eval('path', [i IN range(1, $long) | toString($long - i)], {engine: 'ball', limit: 1000000}) "
        "YIELD path RETURN size(path) AS steps LIMIT 1"
    )
    assert _ended(server, asker, text, long=LONG).rows == [{"steps": LONG}]


def test_long_ways_that_come_again_end_by_the_memory(server: servers.Server, asker: Caller) -> None:
    """Keys that are asked for twice are kept until then, and counted."""
    asker("MATCH (g:DatasetGraph {name: 'path'}) REMOVE g.mechanism")
    text = (
        "CALL neodp.eval('path', [i IN range(1, 2 * $long) | toString(i % $long)], {engine: 'whole'}) "
        "YIELD path RETURN sum(size(path))"
    )
    assert _ended(server, asker, text, long=LONG).ended_by == "memory"


_WHOLE = (
    "extend.stream($graph)",
    "extend.stats($graph, {concurrency: 1})",
    "extend.write($graph, {batchSize: 1000})",
    "check($graph)",
    "audit($graph)",
    "boundary.balanced.stats($graph)",
    "boundary.balanced.write($graph)",
    "eval($graph, ['0'], {engine: 'whole'})",
    "answer($graph, '0', 'spring')",
    "answer($graph, '0', 'spring', {constantWork: true, verify: true})",
)


@pytest.mark.parametrize("graph", ["star", "wordy"])
@pytest.mark.parametrize("call", _WHOLE)
def test_what_a_graph_really_takes_is_counted(server: servers.Server, asker: Caller, call: str, graph: str) -> None:
    """One has more datasets and edges than it says, the other has long keys; each takes more than 16 MB."""
    before = asker("MATCH (g:DatasetGraph {name: $graph}) RETURN properties(g) AS properties", graph=graph)
    assert _ended(server, asker, f"CALL neodp.{call}", graph=graph).ended_by == "memory"
    assert asker("MATCH (g:DatasetGraph {name: $graph}) RETURN properties(g) AS properties", graph=graph) == before
    assert asker("MATCH (r:NeodpRelease) RETURN r") == []


PAIRS = "MATCH (a:Dataset), (b:Dataset)"
"""A question about all pairs: billions of them."""


@pytest.fixture
def protected(asker: Caller) -> Iterator[None]:
    """Datasets as people who are protected."""
    asker("CALL neodp.protect('all', {people: 'Dataset', epsilon: 'p', properties: ['key', 'color']})")
    yield
    asker("MATCH (n) WHERE n:NeodpProtection OR n:NeodpRelease OR n:NeodpLedger DELETE n")


def test_many_matches_end_by_the_memory_and_spend(server: servers.Server, asker: Caller, protected: None) -> None:
    """A look of the steward ends; a release is kept, since a failure for nothing would count exactly."""
    told = _ended(server, asker, "CALL neodp.ask.reveal('all', $q, {atLeast: 5})", q=PAIRS)
    assert told.ended_by == "memory"
    kept = _ended(server, asker, "CALL neodp.ask('all', $q, {atLeast: 5, release: 'spring'}) YIELD answer", q=PAIRS)
    assert kept.rows == [{"answer": "the matches need more memory than the server allows"}]
    assert asker("CALL neodp.protect.list() YIELD left RETURN left") == [{"left": 0.8}]


def test_a_long_search_for_matches_ends_by_the_time(server: servers.Server, asker: Caller, protected: None) -> None:
    """Billions of pairs, none of which matches: nothing is kept, so that memory is never the reason."""
    text = "CALL neodp.ask('all', $q, {atLeast: 5, release: 'spring'})"
    assert _ended(server, asker, text, 2.0, q=f"{PAIRS} WHERE a.key < b.color AND a.key > b.color").ended_by == "time"
    assert asker("MATCH (r:NeodpRelease) RETURN r") == []


@pytest.mark.parametrize("keys", ["['2']", "[i IN range(0, $wide - 1) | toString(i)]"])
def test_a_search_that_sees_much_ends_by_the_memory(server: servers.Server, asker: Caller, keys: str) -> None:
    """The many neighbours of one dataset, and many datasets that are asked for."""
    asker("MATCH (g:DatasetGraph {name: 'star'}) REMOVE g.mechanism")
    text = f"CALL neodp.eval('star', {keys}, {{engine: 'ball', limit: 1000000}}) YIELD key RETURN count(key)"
    assert _ended(server, asker, text, wide=WIDE).ended_by == "memory"
    asker("MATCH (g:DatasetGraph {name: 'star'}) SET g.mechanism = 'm'")


def test_an_answer_at_a_dataset_with_many_neighbours_ends_by_the_memory(server: servers.Server, asker: Caller) -> None:
    """Although the graph is certified, so that it need not be read."""
    certified = "r\tf\t0x1.0000000000000p+0\t0x0.0p+0"
    asker(
        "MATCH (g:DatasetGraph {name: 'star'}) REMOVE g.mechanism SET g.revision = 'r', g.certified = $certified",
        certified=certified,
    )
    assert _ended(server, asker, "CALL neodp.answer('star', '1', 'spring')").ended_by == "memory"
    asker("MATCH (g:DatasetGraph {name: 'star'}) SET g.mechanism = 'm' REMOVE g.revision, g.certified")
    assert asker("MATCH (r:NeodpRelease) RETURN r") == []


def test_all_edges_as_the_worst_end_by_the_memory(server: servers.Server, asker: Caller) -> None:
    """A few of them do not."""
    asker("MATCH (g:DatasetGraph {name: 'path'}) SET g.mechanism = 'm'")
    text = "CALL neodp.audit('path', {worst: $n}) YIELD worst RETURN size(worst) AS n"
    assert _ended(server, asker, text, n=5).rows == [{"n": 5}]
    assert _ended(server, asker, text, n=10**6).ended_by == "memory"


_TIMED = [
    "extend.stream('path', {batchSize: 1})",
    "extend.stats('path', {batchSize: 1})",
    "extend.write('path', {batchSize: 1})",
    "check('path')",
    "audit('path', {batchSize: 1, worst: 1000000})",
    "boundary.balanced.write('path', {batchSize: 1})",
    "eval('path', ['19999'], {engine: 'ball', limit: 1000000})",
    "eval('path', ['19999'], {engine: 'whole'})",
    "answer('path', '19999', 'spring')",
]


@pytest.mark.parametrize("call", _TIMED)
def test_no_time_at_all(server: servers.Server, asker: Caller, call: str) -> None:
    """A millisecond is over, and the server has noticed, before any of them has read twenty thousand datasets."""
    asker("MATCH (g:DatasetGraph {name: 'path'}) SET g.mechanism = 'm'")
    assert _ended(server, asker, f"CALL neodp.{call}", 0.001).ended_by == "time"
    assert asker.one("MATCH (g:DatasetGraph {name: 'path'}) RETURN g.mechanism AS m, g.writer AS w") == {
        "m": "m",
        "w": None,
    }


# --- huge arguments: one sentence, and no more of them in it than can be read


def _sentence(outcome: Outcome) -> str:
    assert outcome.error is not None, outcome.rows
    refusal = refused(outcome.error)
    assert len(refusal.message) + len(refusal.hint) < 1000
    assert "\n" not in refusal.message
    return refusal.message


_MEGABYTE = "x" * 1_000_000
_BEGIN = "x" * 200 + "…"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *(
            (call, "the name of the graph has 1,000,000 characters")
            for call in (*_WHOLE, "extend.write.estimate($graph)", "eval($graph, ['0'])", "eval($graph, [])")
        ),
        ("answer('g', '0', $graph)", "the name of the release has 1,000,000 characters"),
        ("answer('g', $graph, 'spring')", f"there is no dataset '{_BEGIN}' in graph 'g'"),
        ("answer('g', $graph, 'spring', {constantWork: true})", f"there is no dataset '{_BEGIN}' in graph 'g'"),
        ("eval('g', ['0', $graph])", f"there is no dataset '{_BEGIN}' in graph 'g'"),
        ("eval('g', ['0', $graph], {engine: 'whole'})", f"there is no dataset '{_BEGIN}' in graph 'g'"),
        ("eval('g', ['0'], {engine: $graph})", f"engine is '{_BEGIN}'"),
        ("eval('g', ['0'], {limit: {a: $graph}})", "limit is a map"),
        ("extend.stats('g', {batchSize: [$graph]})", f"batchSize is ['{_BEGIN}'…]"),
    ],
)
def test_a_text_of_a_megabyte(server: servers.Server, asker: Caller, call: str, message: str) -> None:
    assert _sentence(_ended(server, asker, f"CALL neodp.{call}", graph=_MEGABYTE)) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("eval('g', [i IN range(1, 1000000) | 'k' + i])", "there is no dataset 'k1' in graph 'g'"),
        ("eval('g', [i IN range(1, 1000000) | CASE WHEN i < 1000000 THEN '0' END])", "a key is null"),
        ("eval('g', [], {limit: range(1, 1000000)})", "limit is [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "),
        ("audit('g', {worst: range(1, 1000000)})", "worst is [1, 2, 3, "),
        ("extend.stream('g', {logProgress: [i IN range(1, 1000000) | $word]})", "logProgress is ['x', 'x', 'x', "),
        ("extend.write('g', $options)", "the configuration has the unknown key 'o"),
    ],
)
def test_a_million_of_them(server: servers.Server, asker: Caller, call: str, message: str) -> None:
    options = {f"o{i}": i for i in range(100_000)}
    outcome = _ended(server, asker, f"CALL neodp.{call}", word="x", options=options)
    assert _sentence(outcome).startswith(message)


def test_a_population_of_a_megabyte(server: servers.Server, asker: Caller) -> None:
    """Somebody's own Cypher can call it so."""
    asker("MATCH (g:DatasetGraph {name: 'g'}) SET g.population = $word", word=_MEGABYTE)
    outcome = _ended(server, asker, "CALL neodp.answer('g', '0', 'spring')")
    asker("MATCH (g:DatasetGraph {name: 'g'}) REMOVE g.population")
    assert _sentence(outcome) == "the name of the population has 1,000,000 characters"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("MATCH (d:Dataset {graph: 'g', key: '0'}) SET d.color = $word", "dataset '0' has the unknown colour 'xxx"),
        ("MATCH (d:Dataset {graph: 'g', key: '0'}) SET d.alpha = $numbers", "dataset '0': alpha is [0, 1, 2, "),
        (
            "MATCH (d:Dataset {graph: 'g', key: '0'}) SET d.preference = $texts",
            "dataset '0': the preference is t0, t1, ",
        ),
        ("MATCH (g:DatasetGraph {name: 'g'}) SET g.colors = $texts", "memory"),  # a chance for each, of each dataset
        ("MATCH (g:DatasetGraph {name: 'g'}) SET g.colors = $texts + 't0'", "the colours are t0, t1, "),
    ],
)
def test_a_huge_value_in_a_graph(server: servers.Server, asker: Caller, change: str, message: str) -> None:
    with asker.driver.session() as session, session.begin_transaction() as tx:
        before = tx.run("MATCH (n) WHERE 'g' IN [n.name, n.graph] RETURN n, properties(n) AS p").values()
    many = range(100_000)
    asker(change, word=_MEGABYTE, numbers=list(range(500)), texts=[f"t{i}" for i in many])
    outcome = _ended(server, asker, "CALL neodp.extend.stats('g')")
    asker(
        "UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row[0] SET n = row[1]",
        rows=[[node.element_id, properties] for node, properties in before],
    )
    assert outcome.ended_by == message if message == "memory" else _sentence(outcome).startswith(message)


def test_names_are_as_long_as_for_the_client(
    server: servers.Server, asker: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred characters in the form in which names are kept."""
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    fits, over = "e\u0308" * 200, "e\u0308" * 201
    with open_store(server.uri) as client:
        client.allow("default", Limit(2))
        asked: list[Callable[[str], Any]] = [
            lambda name: asker.one("CALL neodp.answer('g', '0', $name)", name=name)["answer"],
            lambda name: client.answer("g", "0", name, engine="client").answer,
            lambda name: client.answer("g", "0", name, engine="server").answer,
        ]
        assert len({ask(fits) for ask in asked}) == 1
        with pytest.raises(GraphError) as mine:
            asked[1](over)
        with pytest.raises(GraphError) as theirs:
            asked[2](over)
        assert str(mine.value) == str(theirs.value)
        assert str(mine.value) == "the name of the release has 201 characters; at most 200 are allowed"
        for look in (client.info, lambda name: client.check(name, engine="server")):
            with pytest.raises(UnknownGraph, match=r"^the name of the graph has 201 characters; at most 200"):
                look(over)
    asker("MATCH (n) WHERE n:NeodpRelease OR n:NeodpLedger DELETE n")
