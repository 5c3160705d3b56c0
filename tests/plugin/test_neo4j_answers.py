"""Answers through both doors: the plugin and the client keep and serve each other's, under one ledger."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from neo4j.exceptions import Neo4jError

import neodp
from neodp import DatasetGraph
from neodp.cli import main
from neodp.errors import NeodpError, UnhitBoundary
from neodp.hints import in_cypher
from neodp.ledger.account import Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import Store, open_store
from neodp.store.verbs import Declined, Manner
from tests.plugin.calls import Caller, Refused, refused
from tools import neo4j_server as servers

ANSWER = "CALL neodp.answer($graph, $key, $release)"
MANY = Limit(1000)


def _survey(epsilon: Any = (0.2, 1.0)) -> DatasetGraph:
    graph = neodp.generate.counts([5, 6], epsilon=list(epsilon))
    return graph.with_alpha(neodp.balanced(graph))


def _pair(alpha: dict[str, float], delta: float) -> DatasetGraph:
    """Two datasets and one edge."""
    return DatasetGraph.from_columns(["a", "b"], ["no", "yes"], ["a"], ["b"], 1.0, delta, alpha, colors=["no", "yes"])


def _plugin(caller: Caller, key: str, release: str, graph: str = "g") -> str:
    """Return what the plugin tells somebody who asks."""
    return str(caller.one(ANSWER, graph=graph, key=key, release=release)["answer"])


def _same(caller: Caller, client: Store, key: str, release: str, graph: str = "g") -> Refused:
    """The client and the plugin refuse the same, in the same words."""
    inside = caller.refusal(ANSWER, graph=graph, key=key, release=release)
    with pytest.raises(NeodpError) as error:
        client.answer(graph, key, release)
    assert inside == Refused(error.value.kind, error.value.message, in_cypher(error.value.hint, graph))
    return inside


def _plain(release: Release) -> Release:
    return replace(release, time=None)


# --- one name, one answer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["plugin", "client"])
def test_one_name_one_answer(caller: Caller, client: Store, first: str) -> None:
    """Whoever was asked first, both give the same answer from then on, for whatever dataset and without its graph."""
    client.load("g", _survey())
    doors: dict[str, Callable[[str], str]] = {
        "plugin": lambda key: _plugin(caller, key, "spring"),
        "client": lambda key: client.answer("g", key, "spring").answer,
    }
    given = doors[first]("0-0")
    for key in ("0-0", "5-6", "no such dataset"):
        assert {door(key) for door in doors.values()} == {given}
    assert client.ledger().used == 1
    client.drop("g")
    assert {door("0-0") for door in doors.values()} == {given}


def test_what_is_kept_is_the_same_in_every_byte(caller: Caller, client: Store) -> None:
    """Strange names, many levels, tiny and large numbers: the client would have kept the very same release."""
    people = "people 'é\"\\ \U0001f600"
    client.allow(people, Limit(100))
    names = ["it's", 'quo"te\\', "dot\u00b7 \ufffd", "\U0001f600 é\u00a0x"]
    first, second = "tab\t\x7f\x01", "\U0001f600 é\u2028"
    epsilons = [i / 97 for i in range(1, 101)]
    many = neodp.generate.path(101).keys.to_pylist()
    line = DatasetGraph.from_columns(
        many,
        [first] * 50 + [second] * 51,
        many[:-1],
        many[1:],
        epsilons,
        [0.0] * 98 + [1e-3, 2.0**-1000],
        colors=[first, second],
    )
    graphs = {"survey": _survey([0.1, 690.0]), names[0]: _survey([5e-324, 0.25]), names[3]: line}
    for (name, graph), release in zip(graphs.items(), names[1:], strict=True):
        client.load(name, graph.with_alpha(neodp.balanced(graph)), population=people)
        _plugin(caller, graph.key(0), release, graph=name)
        inside = client.kept(name, release)  # which checks the digest
        caller("MATCH (r:NeodpRelease) DELETE r")
        caller("MATCH (g:DatasetGraph) REMOVE g.certified")
        mine = client.answer(name, graph.key(0), release)
        assert inside is not None
        assert inside.time is not None
        assert replace(_plain(inside), answer=mine.answer) == _plain(mine)
        assert _plugin(caller, graph.key(0), release, graph=name) == mine.answer  # which checks the digest, too


def test_options(caller: Caller, client: Store) -> None:
    """The key is kept where that is wished; the work may be that of the whole graph; null and nonsense are refused."""
    client.allow("default", MANY)
    client.load("g", _survey())
    text = "CALL neodp.answer('g', '0-0', $release, $options)"
    caller.one(text, release="a", options={"keepKey": True, "constantWork": True, "verify": True})
    caller.one(text, release="b", options={})
    kept = client.kept("g", "a"), client.kept("g", "b")
    assert [release and release.key for release in kept] == ["0-0", None]
    unknown = caller.refusal(text, release="c", options={"key": True})
    assert unknown.message == "the configuration has the unknown key 'key'"
    assert caller.refusal(text, release="c", options={"verify": 1}).message == "verify is 1"
    assert caller.refusal(text, release=None, options={}).message == "an argument is null"
    assert client.ledger().used == 2


def test_the_draw(caller: Caller, client: Store) -> None:
    """Answers come as often as their chances say; what has no chance never comes."""
    client.allow("default", MANY)
    client.load("g", _pair({"a": 1.0, "b": 0.25}, delta=1.0))
    found = {}
    for key in ("a", "b"):
        rows = caller(
            "UNWIND range(1, $n) AS i CALL neodp.answer('g', $key, $key + i) YIELD answer RETURN answer",
            key=key,
            n=120 if key == "b" else 12,
        )
        found[key] = Counter(row["answer"] for row in rows)
    assert found["a"] == {"no": 12}
    assert abs(found["b"]["no"] - 30) < 29  # six standard deviations
    assert client.ledger().used == 132


def test_a_rollback_does_not_bring_another_draw(caller: Caller, client: Store) -> None:
    """An answer that was shown is kept, whatever becomes of the transaction in which it was asked."""
    client.load("g", _survey())
    with caller.driver.session(database="neo4j") as session:
        asked = session.begin_transaction()
        record = asked.run(ANSWER, graph="g", key="0-0", release="spring").single()
        asked.rollback()
    assert record is not None
    kept = client.kept("g", "spring")
    assert kept is not None
    assert kept.answer == record["answer"]
    assert _plugin(caller, "5-6", "spring") == record["answer"]


def test_what_is_not_committed_is_not_seen(caller: Caller, client: Store) -> None:
    """Nobody can change alpha, ask, and roll back: the answer comes from the graph as everybody sees it."""
    graph = neodp.generate.path(4, epsilon=0.5).with_alpha({"1": 1.0, "2": 1.0})
    client.load("g", graph)
    key = graph.key(1)
    with caller.driver.session(database="neo4j") as session:
        asked = session.begin_transaction()
        asked.run("MATCH (d:Dataset {graph: 'g'}) SET d.alpha = 0.0").consume()
        record = asked.run(ANSWER, graph="g", key=key, release="spring").single()
        asked.rollback()
    assert record is not None
    assert record["answer"] == graph.colors[0]


# --- refusals -------------------------------------------------------------------------------------------------------


def test_other_questions(caller: Caller, client: Store) -> None:
    """The graph has changed since, its population or its colours have, or the release is of another kind."""
    client.allow("default", MANY)
    client.load("g", _survey())
    _plugin(caller, "0-0", "a")
    client.answer("g", "0-0", "b")
    client.load("g", _survey([0.3, 1.0]), replace=True)
    for release in ("a", "b"):
        refusal = _same(caller, client, "0-0", release)
        assert (refusal.kind, "was asked with fingerprint '" in refusal.message) == ("other_question", True)
    asked = {"population": "default", "table": {"b": [1, 2.5, None], "a": 'x, "y": {'}, "what": "é" * 70, "n": 3}
    other = Release("g", "poll", "yes", asked=json.dumps(asked, sort_keys=True, ensure_ascii=False))
    client.keep([other])
    assert "asked with colors none, and is now asked with colors [" in _same(caller, client, "0-0", "poll").message
    for facts in ({"table": asked["table"]}, {"what": "é" * 70}, {"n": [True] * 40}):
        now = json.loads(client.kept("g", "a").asked)  # type: ignore[union-attr]
        now["fingerprint"] = client.certify("g").certificate.fingerprint  # type: ignore[union-attr]
        text = json.dumps(now | facts, sort_keys=True, ensure_ascii=False)
        name = f"with {next(iter(facts))}"
        client.keep([replace(other, name=name, asked=text)])
        assert "and is now asked with" in _same(caller, client, "0-0", name).message


def test_spent(caller: Caller, client: Store) -> None:
    """By number, by epsilon, by delta; over graphs of one population; a limit at a delta is left to the client."""
    graph = _survey()
    client.load("g", graph)
    client.load("h", _survey([0.25, 3.0]))
    _plugin(caller, "0-0", "a")
    assert "1 answer given, 1 allowed" in _same(caller, client, "0-0", "b").message
    assert "1 answer given, 1 allowed" in _same(caller, client, "0-0", "b", graph="h").message
    for limit in (Limit(None, 3.1), Limit(1000, 3.0999999999999996), Limit(None, 1.3), Limit(1, 10.0), Limit(0, 0.0)):
        client.allow("default", limit)
        assert _same(caller, client, "0-0", "b", graph="h").kind == "budget_spent"
    client.allow("default", Limit(5000, 4.0))
    _plugin(caller, "0-0", "b", graph="h")
    assert client.ledger().used == 2
    client.allow("default", MANY)
    client.keep(
        [Release("p", "poll", "7", levels=(Level(0.125, 0.0, "staff", 12, 3), Level(0.5, 0.0, "all", None, 2)))]
    )
    client.allow("default", Limit(None, 4.999))
    assert (
        "people of staff would have spent epsilon 7.375 at delta 0"
        in _same(caller, client, "0-0", "c", graph="h").message
    )
    client.allow("default", Limit(None, 100.0))
    client.load("delta", _pair({"a": 0.5}, delta=0.1))
    assert (
        "at delta 0.1, allowed is epsilon 100 in total for each person"
        in _same(caller, client, "a", "c", graph="delta").message
    )
    client.allow("default", Limit(None, 100.0, 1e-6))
    assert caller.refusal(ANSWER, graph="g", key="0-0", release="z").kind == "client"
    with pytest.raises(Declined, match="has a limit at delta 1e-06, and the plugin adds up costs only at delta 0"):
        client.answer("g", "0-0", "z", engine="server")
    assert client.answer("g", "0-0", "z", engine="auto").answer in graph.colors
    assert _plugin(caller, "0-0", "z") in graph.colors  # what is kept costs nothing


def test_graphs_that_are_not_certified(caller: Caller, client: Store) -> None:
    """Refused for every dataset alike, by public things only, in the same words; nothing is spent."""
    apart = DatasetGraph.from_columns(["a", "b", "c"], ["no", "yes", "no"], ["a"], ["b"], 1.0, 0.0, {"a": 0.5})
    client.load("parts", apart)
    bad = neodp.generate.path(60, epsilon=1.0).with_alpha({"29": 0.7, "30": 0.35, "55": 0.9, "56": 0.1})
    client.load("bad", bad)
    client.load("unhit", neodp.generate.path(6))
    client.load("g", _survey())
    client.write("g", neodp.extend(client.read("g"), neodp.Gaussian(1.0)))
    kinds = {"parts": "not_certified", "bad": "incompatible_alpha", "unhit": "unhit_boundary", "g": "privacy"}
    for graph, kind in kinds.items():
        told = {_same(caller, client, key, "spring", graph=graph) for key in ("0", "5", "a", "no such dataset")}
        assert [refusal.kind for refusal in told] == [kind]
    client.extend("g")
    for name in ("", " \u00a0\x85\t"):
        assert _same(caller, client, "0-0", name).message == "the release has no name"
    for name in ("a ", "\u3000a", "a\x00b", "a\u202eb", "\u200ba"):
        assert _same(caller, client, "0-0", name).message.startswith("the name of the release is ")
    assert _same(caller, client, "no such dataset", "spring").kind == "unknown_key"
    assert caller.refusal(ANSWER, graph="none", key="a", release="b").kind == "unknown_graph"
    assert client.ledger().used == 0


def test_the_certificate(caller: Caller, client: Store) -> None:
    """The plugin certifies as the client does, takes it back where a search meets a change, and verifies."""
    client.allow("default", MANY)
    client.load("g", _survey())
    _plugin(caller, "0-0", "a")
    inside = client.info("g").certificate
    caller("MATCH (g:DatasetGraph) REMOVE g.certified")
    assert client.info("g").certificate is None
    assert client.certify("g").certificate == inside
    client.extend("g")
    caller("MATCH (d:Dataset {graph: 'g', key: '5-6'}) SET d.note = 'nothing that matters'")
    verified = "CALL neodp.answer('g', '0-0', $release, {verify: true})"
    assert caller.one(verified, release="b")
    caller("MATCH (:Dataset {graph: 'g', key: '5-6'})-[r:NEIGHBOR]-() SET r.epsilon = 1.5")
    assert caller.refusal(verified, release="c").kind == "stale"
    assert _same(caller, client, "0-0", "c").kind == "stale"
    client.extend("g")
    assert _plugin(caller, "0-0", "c")
    caller("MATCH (d:Dataset {graph: 'g'}) WHERE d.alpha IS NOT NULL REMOVE d.alpha")
    refusal = caller.refusal(ANSWER, graph="g", key="2-3", release="d")
    assert (refusal.kind, "was changed by others since it was certified" in refusal.message) == ("not_certified", True)
    assert client.info("g").certificate is None
    assert caller.refusal(ANSWER, graph="g", key="0-0", release="d").kind == "unhit_boundary"
    with pytest.raises(UnhitBoundary):  # there are many such edges, and either may name another one
        client.answer("g", "0-0", "d")


def test_releases_and_ledgers_of_others_are_left_alone(caller: Caller, client: Store) -> None:
    caller("CREATE (:Release {graph: 'g', name: 'spring', answer: 'both'})")
    caller("CREATE (:Ledger {population: 'default', max_releases: 'many', account: 'mine'})")
    client.load("g", _survey())
    assert _plugin(caller, "0-0", "spring") == client.answer("g", "0-0", "spring").answer
    assert caller.one("MATCH (n) WHERE n:Release OR n:Ledger RETURN count(n) AS theirs")["theirs"] == 2


def test_a_release_that_was_edited(caller: Caller, client: Store) -> None:
    client.allow("default", MANY)
    client.load("g", _survey())
    _plugin(caller, "0-0", "spring")
    caller("MATCH (r:NeodpRelease) SET r.answer = r.answer + '!'")
    assert _same(caller, client, "0-0", "spring").kind == "damaged_release"
    caller("MATCH (l:NeodpLedger) SET l.account = replace(l.account, '1\t', '0\t')")  # used once less
    assert _same(caller, client, "0-0", "autumn").kind == "damaged_release"


@pytest.mark.parametrize(
    "change",
    [
        *("r.answer = 5", "r.answer = ['yes']", "r.key = 5", "r.asked = 5", "r.command = true", "r.digest = 5"),
        *("r.level_epsilons = ['1']", "r.level_epsilons = [1]", "r.level_epsilons = 'x'", "r.level_names = [5]"),
        *("r.level_people = ['x']", "r.level_people = [-1.0]", "r.level_times = [1.5]", "r.level_times = 'x'"),
    ],
)
def test_a_release_with_properties_of_other_types(caller: Caller, client: Store, change: str) -> None:
    """One sentence, the same through both doors, whatever somebody has written."""
    client.load("g", _survey())
    _plugin(caller, "0-0", "spring")
    caller(f"MATCH (r:NeodpRelease) SET {change}")
    assert _same(caller, client, "0-0", "spring").kind == "damaged_release"


@pytest.mark.parametrize("change", ["l.account = 5", "l.account = ['x']", "l.max_releases = 'many'", "l.epsilon = [1]"])
def test_an_account_with_properties_of_other_types(caller: Caller, client: Store, change: str) -> None:
    client.load("g", _survey())
    _plugin(caller, "0-0", "spring")
    caller(f"MATCH (l:NeodpLedger) SET {change}")
    assert _same(caller, client, "0-0", "autumn").kind == "damaged_release"


@pytest.mark.parametrize("change", ["g.colors = [true, false]", "g.datasets = 'x'", "g.edges = 1.5", "g.state = 5"])
def test_a_graph_with_properties_of_other_types(caller: Caller, client: Store, change: str) -> None:
    client.load("g", _survey())
    caller(f"MATCH (g:DatasetGraph) SET {change}")
    assert "that are not texts, or counts that are not numbers" in _same(caller, client, "0-0", "spring").message


@pytest.mark.parametrize("name", ["revision", "mechanism", "fingerprint", "mechanism_method", "population"])
def test_a_graph_with_other_properties_of_other_types(caller: Caller, client: Store, name: str) -> None:
    """One sentence, and the Cypher that mends it."""
    client.load("g", _survey())
    caller("CALL neodp.extend.write('g')")
    caller("MATCH (g:DatasetGraph) SET g.created = [1], g.written = ['x']")  # which are shown, and no more
    assert caller.one("CALL neodp.graph.list()")["creationTime"] is None
    caller(f"MATCH (g:DatasetGraph) SET g.{name} = 5")
    for call in ("check('g')", "extend.write('g')", "eval('g', ['0-0'])", "answer('g', '0-0', 'spring')"):
        told = caller.refusal(f"CALL neodp.{call}")
        assert told.message == f"the property {name} of graph 'g' is 5, and no text"
    (remedy,) = re.findall("`(.+?)`", told.hint)
    caller(remedy)
    assert caller.one("CALL neodp.extend.write('g')")


def test_a_database_without_constraints(caller: Caller, client: Store) -> None:
    """Nothing would make two drawers one; the client makes the constraints first, and the plugin gives the Cypher."""
    client.load("g", _survey())
    caller("DROP CONSTRAINT neodp_ledger_population")
    try:
        refusal = caller.refusal(ANSWER, graph="g", key="0-0", release="spring")
        assert refusal.kind == "client"
        (statement,) = re.findall("`(.+?)`", refusal.hint)
        caller(statement)
        assert _plugin(caller, "0-0", "spring")
    finally:
        client.init()


# --- at once --------------------------------------------------------------------------------------------------------


def test_racing_through_both_doors(caller: Caller, client: Store, plugin_server: servers.Server) -> None:
    """Of 32 who ask at once, under 8 names, exactly as many names are answered as are allowed, each with one answer."""
    client.load("g", _survey())
    client.allow("default", Limit(5))
    told: list[tuple[str, str]] = []
    start = threading.Barrier(32)

    def ask(i: int) -> None:
        name, key = f"r{i % 8}", "0-0" if i % 3 else "5-6"
        start.wait()
        try:
            if i // 8 % 2:
                with open_store(plugin_server.uri) as store:
                    told.append((name, store.answer("g", key, name).answer))
            else:
                told.append((name, _plugin(caller, key, name)))
        except Neo4jError as error:
            told.append((name, refused(error).kind))
        except NeodpError as error:
            told.append((name, error.kind))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    releases = {release.name: release.answer for release in client.ledger().releases}
    assert len(releases) == 5
    assert len(told) == 32
    assert set(told) == {(name, releases.get(name, "budget_spent")) for name in (f"r{i}" for i in range(8))}


def _ask_and_die(uri: str, release: str) -> None:
    """A client that is killed as soon as the plugin has been asked."""
    with open_store(uri) as store:
        plugin = store.plugin
        assert plugin is not None
        threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        for i in range(1000):
            plugin.answer("g", "0-0", f"{release}-{i}", Manner())


def test_a_client_that_is_killed(caller: Caller, client: Store, plugin_server: servers.Server) -> None:
    """After kill -9 of the client, what was kept is whole and served, and the ledger counts it."""
    client.load("g", _survey())
    client.allow("default", MANY)
    child = multiprocessing.get_context("spawn").Process(target=_ask_and_die, args=(plugin_server.uri, "r"))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    for i in range(3):
        given = _plugin(caller, "5-6", f"r-{i}")
        assert client.answer("g", "0-0", f"r-{i}").answer == given
    kept = [release.name for release in client.ledger().releases]
    assert len(kept) == len(set(kept))
    assert {"r-0", "r-1", "r-2"} <= set(kept)


# --- from the command line ------------------------------------------------------------------------------------------


def test_the_command_line(
    caller: Caller, client: Store, plugin_server: servers.Server, capsys: pytest.CaptureFixture[str]
) -> None:
    client.load("g", _survey())
    words = ["--store", plugin_server.uri, "answer", "g", "0-0", "--release", "spring"]
    for engine in ("server", "client", "auto"):
        assert main([*words, "--engine", engine]) == 0
    given = capsys.readouterr().out.split()
    assert given == [given[0]] * 3
    assert main([*words[:-1], "autumn", "--engine", "server"]) == 1
    assert "1 answer given, 1 allowed" in capsys.readouterr().err


def test_a_name_is_the_same_however_it_is_written(caller: Caller, client: Store) -> None:
    client.load("g", _survey())
    first = _plugin(caller, "0-0", "Zoe\u0308")
    assert [release.name for release in client.ledger().releases] == ["Zo\u00eb"]
    assert client.answer("g", "0-0", "Zoe\u0308").answer == client.answer("g", "0-0", "Zo\u00eb").answer == first
    assert _plugin(caller, "0-0", "Zo\u00eb") == _plugin(caller, "0-0", "Zoe\u0308") == first


def test_a_graph_of_no_population_is_not_answered(caller: Caller, client: Store) -> None:
    client.load("g", _survey())
    caller("MATCH (g:DatasetGraph) SET g.population = ''")
    assert _same(caller, client, "0-0", "spring").message == "the population has no name"


@pytest.mark.parametrize("colors", [2, 3])
def test_constant_work_looks_at_the_whole_graph(caller: Caller, client: Store, colors: int) -> None:
    """A change by others far from the dataset is noticed, as by the client, and takes the certificate back."""
    graph = neodp.generate.grid(3, 9) if colors == 2 else neodp.generate.plurality(5, options=3)
    client.load("g", graph.with_alpha(neodp.balanced(graph)))
    client.allow("default", Limit(9))
    first, last = graph.keys[0].as_py(), graph.keys[len(graph) - 1].as_py()
    call = "CALL neodp.answer('g', $key, $release, {constantWork: true})"
    assert caller.one(call, key=first, release="a")["answer"] in graph.colors
    client.certify("g")
    caller("MATCH (d:Dataset {graph: 'g', key: $key})-[r:NEIGHBOR]-() SET r.epsilon = r.epsilon * 2", key=last)
    told = caller.refusal(call, key=first, release="b")
    assert (told.kind, told.message) == ("not_certified", "graph 'g' was changed by others since it was certified")
    assert client.info("g").certificate is None
    assert caller("MATCH (r:NeodpRelease {name: 'b'}) RETURN r") == []
