"""Answers about stored graphs: what was asked, what was spent, and no refusal that tells which dataset is meant."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neodp
from attacks.audits.timing import count
from neodp import DatasetGraph, generate
from neodp.cli import main
from neodp.errors import (
    BudgetSpent,
    DamagedRelease,
    GraphError,
    IncompatibleAlpha,
    NeodpError,
    NotCertified,
    OtherQuestion,
    PrivacyError,
    StaleMechanism,
    UnknownGraph,
    UnknownKey,
)
from neodp.ledger.account import Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import Settings, Store, answering, open_store
from neodp.stretch import Profiles
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]
MANY = Limit(1000)


def balanced(graph: DatasetGraph) -> DatasetGraph:
    return graph.with_alpha(neodp.balanced(graph))


# --- refusals from public things only -------------------------------------------------------------------------------


def outcome(store: Store, graph: str, key: str, release: str, **how: Any) -> str:
    """Return what somebody who asks is told: the kind of refusal with its words, or that there was an answer."""
    try:
        store.answer(graph, key, release, **how)
    except NeodpError as error:
        return str(error)
    return "answered"


def test_a_contradiction_far_away_is_refused_for_every_dataset(store: Store) -> None:
    """It was refused for 42 and served for 41: whoever asked learned on which side of 41 the true dataset is."""
    g = generate.path(60, epsilon=1.0).with_alpha({"29": 0.7, "30": 0.35, "55": 0.9, "56": 0.1})
    store.load("g", g)
    store.allow("default", MANY)
    told = {outcome(store, "g", str(key), f"r{key}") for key in (0, 29, 30, 41, 42, 55, 56, 59)}
    assert len(told) == 1
    assert "alpha" in told.pop()
    with pytest.raises(IncompatibleAlpha):
        store.answer("g", "41", "spring")
    assert store.ledger().used == 0


def random_problem(rng: np.random.Generator) -> DatasetGraph:
    """A small graph whose alpha is compatible or not, somewhere."""
    size, seed = int(rng.integers(4, 9)), int(rng.integers(10**6))
    g = generate.random_graph(size, edges=size + 1, epsilon=0.5, seed=seed)
    chosen = {key: float(rng.uniform(0.3, 0.7)) for key in g.keys.to_pylist() if rng.random() < 0.7}
    return g.with_alpha(chosen or None) if rng.random() < 0.6 else balanced(g)


def acceptance(store: Store, graphs: int, seed: int) -> int:
    """Return how many random graphs are answered for every dataset; a graph that differs by dataset fails."""
    rng = np.random.default_rng(seed)
    store.allow("default", Limit(10**6))
    served = 0
    for i in range(graphs):
        g = random_problem(rng)
        store.load("g", g, replace=True)
        told = {outcome(store, "g", key, f"{seed}-{i}-{key}") for key in g.keys.to_pylist()}
        assert len(told) == 1, (i, told)
        served += told == {"answered"}
    return served


def test_acceptance_is_the_same_for_every_dataset(store: Store) -> None:
    graphs = 8 if "://" in store.address else 25
    assert 1 < acceptance(store, graphs, seed=13) < graphs


def test_a_graph_that_falls_apart_is_not_certified(store: Store) -> None:
    one, two = balanced(generate.path(4)), ["4", "5"]
    keys = [*one.keys.to_pylist(), *two]
    source, target = np.append(one.source, 4), np.append(one.target, 5)
    alpha = {key: row for key, row, given in zip(keys, one.alpha.tolist(), one.given, strict=False) if given}
    colors = [one.colors[c] for c in one.color.tolist()] + [one.colors[0]] * 2
    store.load("g", DatasetGraph.from_columns(keys, colors, source, target, 1.0, alpha=alpha, colors=one.colors))
    assert {outcome(store, "g", key, "spring") for key in keys} == {
        "graph 'g' has 2 parts that no edge joins, so an answer could reveal for certain which of them the "
        "dataset is in; add the missing edges, or load each part as a graph of its own"
    }


@on_neo4j
def test_what_somebody_else_changed_is_refused_for_all_once_it_is_noticed(store: Store, raw: Raw) -> None:
    """eval, answer, show and list agree from then on; --verify notices at once."""
    store.load("g", balanced(generate.path(60, epsilon=1.0)))
    store.write("g", neodp.extend(store.read("g")))
    store.allow("default", MANY)
    store.answer("g", "0", "before")
    raw("MATCH (d:Dataset) WHERE d.graph = 'g' AND d.key = '45' SET d.alpha = 0.9 RETURN 1")
    assert not store.info("g").stale
    assert store.evaluate("g", ["1"]).evaluations[0].p_true > 0.99  # nobody has noticed yet
    for key in ("0", "29", "45", "59"):
        with pytest.raises(StaleMechanism, match=r"graph 'g' has changed since its mechanism was written"):
            store.answer("g", key, f"r{key}", verify=True)
    assert store.info("g").stale
    for key in ("0", "45"):
        with pytest.raises(StaleMechanism):
            store.evaluate("g", [key])
        assert "has changed since" in outcome(store, "g", key, "after")
    assert set(store.query("stale", "g")["reason"].to_pylist()) >= {"graph changed"}
    store.write("g", neodp.extend(store.read("g")))
    assert not store.info("g").stale
    assert len(store.query("stale", "g")) == 0
    assert store.answer("g", "0", "after").answer


@on_neo4j
def test_what_the_canned_query_finds_everybody_knows(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(8, epsilon=1.0)))
    store.write("g", neodp.extend(store.read("g")))
    raw("MATCH (d:Dataset) WHERE d.graph = 'g' AND d.key = '4' SET d.alpha = 0.5 RETURN 1")
    assert not store.info("g").stale
    assert store.query("stale", "g")["key"].to_pylist() == ["4"]
    assert store.info("g").stale
    with pytest.raises(StaleMechanism):
        store.evaluate("g", ["0"])


@on_neo4j
def test_a_search_that_meets_a_contradiction_takes_the_certificate_back(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(60, epsilon=1.0)))
    store.allow("default", MANY)
    store.answer("g", "59", "before")
    raw("MATCH (d:Dataset) WHERE d.graph = 'g' AND d.key = '30' SET d.alpha = 0.0001 RETURN 1")
    raw("MATCH (d:Dataset) WHERE d.graph = 'g' AND d.key = '29' SET d.alpha = 0.9999 RETURN 1")
    with pytest.raises(NotCertified, match="graph 'g' was changed by others since it was certified; look at it with"):
        store.answer("g", "29", "near")
    assert store.info("g").certificate is None
    for key in ("0", "59"):
        with pytest.raises(IncompatibleAlpha):
            store.answer("g", key, "far")


def test_a_certificate_is_made_once_per_state(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.load("g", balanced(generate.path(30)))
    store.allow("default", MANY)
    looked: list[str] = []
    check = neodp.check
    monkeypatch.setattr("neodp.store.answering.check", lambda graph: looked.append(graph.name) or check(graph))  # type: ignore[func-returns-value]
    for release in ("a", "b", "c"):
        store.answer("g", "14", release)
    assert looked == ["g"]
    store.write_alpha("g", balanced(generate.path(30)))
    assert store.info("g").certificate is None
    store.answer("g", "14", "d")
    assert looked == ["g", "g"]


def test_gaussian_mechanisms_are_not_drawn_from(store: Store) -> None:
    g = generate.path(4).with_alpha({"1": 0.5})
    store.load("g", g)
    store.write("g", neodp.extend(store.read("g"), neodp.Gaussian(1.0)))
    with pytest.raises(PrivacyError, match="keeps gaussian privacy, and neodp cannot account for its cost; run"):
        store.answer("g", "0", "spring")


# --- one name, one question -----------------------------------------------------------------------------------------


def test_the_same_name_about_another_graph_by_that_name(store: Store) -> None:
    store.load("g", balanced(generate.path(4, epsilon=1.0)))
    first = store.answer("g", "1", "spring")
    assert store.answer("g", "2", "spring") == first
    store.load("g", balanced(generate.path(4, epsilon=2.0)), replace=True)
    with pytest.raises(OtherQuestion, match="release 'spring' of 'g' was asked with fingerprint '"):
        store.answer("g", "1", "spring")
    store.drop("g")
    assert store.answer("g", "1", "spring") == first  # nothing else can be meant


def test_a_graph_under_another_name_shares_the_budget(store: Store) -> None:
    g = balanced(generate.path(4))
    store.load("g", g)
    store.answer("g", "1", "spring")
    store.load("copy", g)
    with pytest.raises(BudgetSpent, match="about population 'default' is refused: 1 answer given"):
        store.answer("copy", "1", "spring")
    store.load("others", g, population="other people")
    assert store.info("others").population == "other people"
    store.answer("others", "1", "spring")
    store.load("others", g, replace=True)
    assert store.info("others").population == "other people"
    assert store.populations() == ["default", "other people"]


def test_the_cost_is_that_of_the_graph_that_was_answered(store: Store) -> None:
    """Answered at epsilon 5, dropped, made again at 0.1: two releases cost 5.1, not 0.2."""
    store.load("g", balanced(generate.path(4, epsilon=5.0)))
    store.answer("g", "1", "spring")
    store.drop("g")
    store.load("g", balanced(generate.path(4, epsilon=0.1)))
    store.allow("default", Limit(2))
    store.answer("g", "1", "autumn")
    totals = {spent.label: spent.total().epsilon for spent in store.ledger().spent()}
    assert totals == {"epsilon 0.1": pytest.approx(5.1), "epsilon 5": pytest.approx(5.1)}


def test_a_limit_on_epsilon_is_kept_with_the_population(store: Store) -> None:
    store.load("g", balanced(generate.path(4, epsilon=1.0)))
    store.allow("default", Limit(None, 2.0))
    assert store.ledger().limit == Limit(None, 2.0)
    store.answer("g", "1", "one")
    store.answer("g", "1", "two")
    with pytest.raises(BudgetSpent, match="people of epsilon 1 would have spent epsilon 3 at delta 0"):
        store.answer("g", "1", "three")


@on_neo4j
def test_a_damaged_release_is_not_served(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(4)))
    store.answer("g", "1", "spring")
    raw("MATCH (r:NeodpRelease) WHERE r.name = 'spring' SET r.answer = 'both' RETURN 1")
    with pytest.raises(DamagedRelease, match="release 'spring' of 'g' was altered"):
        store.answer("g", "1", "spring")


@on_neo4j
def test_an_answer_that_somebody_deleted_is_still_paid_for_and_shows(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(4)))
    store.allow("default", Limit(2))
    store.answer("g", "1", "spring")
    store.answer("g", "1", "autumn")
    raw("MATCH (r:NeodpRelease) WHERE r.name = 'spring' DELETE r RETURN 1")
    with pytest.raises(BudgetSpent, match="2 answers given, 2 allowed"):
        store.answer("g", "1", "winter")
    told = "the account of population 'default' has 2 releases, but 1 are there, or different ones: the store was"
    with pytest.raises(DamagedRelease, match=told):
        store.ledger()


@on_neo4j
def test_an_account_that_somebody_edited_decides_nothing(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(4)))
    store.answer("g", "1", "spring")
    text = store.account().text
    ((kept,),) = raw("MATCH (l:NeodpLedger) RETURN l.account")
    assert kept == text
    raw(f"MATCH (l:NeodpLedger) SET l.account = '{text.replace(chr(10) + '1', chr(10) + '0', 1)}' RETURN 1")
    with pytest.raises(DamagedRelease, match="the account of population 'default' cannot be read: the store was"):
        store.answer("g", "1", "autumn")


def test_the_work_of_an_answer_does_not_grow_with_the_answers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one runs the same statements, none of which reads all releases; what they return has the same size."""
    from neodp.store.embedded.file import File
    from neodp.store.neo4j.connection import Transaction

    store.load("g", balanced(generate.path(4)))
    store.allow("default", Limit(100, 1000.0))
    store.extend("g")
    work: list[tuple[str, int]] = []

    def counted(run: Any) -> Any:
        def counting(self: Any, text: str, *values: Any, **parameters: Any) -> Any:
            found = run(self, text, *values, **parameters)
            work.append((text, len(found or ())))
            return found

        return counting

    monkeypatch.setattr(File, "execute", counted(File.execute))
    monkeypatch.setattr(Transaction, "run", counted(Transaction.run))
    seen = []
    for i in range(60):
        work.clear()
        store.answer("g", "1", f"r{i:02}")
        seen.append(list(work))
    assert any("create_release" in text or "INSERT INTO release" in text for text, _ in seen[-1])
    assert seen[11] == seen[59]
    assert store.ledger().used == store.account().used == 60
    assert store.ledger().account == store.account()


# --- races ----------------------------------------------------------------------------------------------------------

ALLOWED = 5
CALLERS = 16


def test_many_at_once_over_one_budget(address: str) -> None:
    """Each asks under a name of its own: exactly as many are answered as are allowed."""
    settings = replace(Settings.from_env(address), patience=300.0)
    with open_store(settings) as store:
        store.load("g", balanced(generate.path(30)))
        store.allow("default", Limit(ALLOWED))
    start = multiprocessing.get_context("forkserver")
    start.set_forkserver_preload(["neodp.store.neo4j", "neodp.store.embedded", "tests.warm", __name__])
    (gate, starter), (heard, said) = start.Pipe(duplex=False), start.Pipe(duplex=False)
    callers = [start.Process(target=_answer, args=(settings, gate, said, f"r{i}")) for i in range(CALLERS)]
    for caller in callers:
        caller.start()
    starter.close()
    said.close()
    told = []
    with suppress(EOFError):
        while True:
            told.append(heard.recv())
    for caller in callers:
        caller.join()
    assert sorted(told, key=str) == sorted(["answered"] * ALLOWED + ["spent"] * (CALLERS - ALLOWED))
    with open_store(settings) as store:
        assert store.ledger().used == ALLOWED


def _answer(settings: Settings, gate: Connection, said: Connection, release: str) -> None:
    with suppress(EOFError):
        gate.recv()  # until all have been started
    with open_store(settings) as store:
        try:
            store.answer("g", str(random.randrange(30)), release)
            said.send("answered")
        except BudgetSpent:
            said.send("spent")


def test_constant_work_is_the_same_work_for_every_dataset_embedded(tmp_path: Path) -> None:
    """A corner and the boundary of a grid: other distances, other degrees, other positions in the table."""
    grid = generate.grid(9, 9)
    grid = grid.with_alpha(neodp.balanced(grid))
    keys = [grid.key(v) for v in (0, 80, 40, 41, 8, 36)]
    with open_store(tmp_path / "s.db") as store:
        store.load("g", grid)
        store.certify("g")
        store.allow("default", Limit(100))
        store.answer("g", keys[0], "warm", constant_work=True)
        info = store.ready("g")
        alike = [
            count(partial(answering.drawn_from_all, store.port, info, key)) for key in keys
        ]  # what answer draws from
        assert all(each == alike[0] for each in alike)
        searched = [count(partial(answering.drawn_from, store.port, info, key)) for key in keys]
        assert any(each != searched[0] for each in searched)  # so that the count can tell
        for key in keys:
            assert answering.drawn_from_all(store.port, info, key) == answering.drawn_from(store.port, info, key)
        with pytest.raises(UnknownKey, match="there is no dataset 'no' in graph 'g'"):
            store.answer("g", "no", "x", constant_work=True)


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_a_graph_of_somebody_else_does_not_hide_the_others(store: Store, raw: Raw) -> None:
    store.load("g", balanced(generate.path(3)))
    raw("CREATE (:DatasetGraph {name: 'bools', colors: [true, false]}), (:DatasetGraph {name: 'one', colors: 7})")
    assert {info.name: (info.state, info.colors) for info in store.graphs()} == {
        "bools": ("foreign", ("True", "False")),
        "g": ("ready", ("yes", "no")),
        "one": ("foreign", ("7",)),
    }
    with pytest.raises(GraphError, match="graph 'bools' has a name or colours that are not texts, or counts that are"):
        store.read("bools")
    raw("CREATE (:DatasetGraph {name: 5, colors: ['a', 'b']}), (:DatasetGraph {name: 'f', datasets: 'many', state: 7})")
    raw("CREATE (:DatasetGraph {name: 'm', population: 3, mechanism: 4, datasets: 1, edges: 0})")
    states = {info.name: info.state for info in store.graphs()}
    assert states == {"5": "foreign", "bools": "foreign", "f": "foreign", "g": "ready", "m": "ready", "one": "foreign"}
    assert main(["--store", store.address.split()[0], "list"]) == 0
    assert store.drop("bools") == 0


@on_neo4j
@pytest.mark.parametrize("lost", ["answer", "asked", "level_epsilons", "digest"])
def test_a_kept_answer_of_which_a_part_is_gone_is_damaged(store: Store, raw: Raw, lost: str) -> None:
    store.load("g", balanced(generate.path(3)))
    store.answer("g", "1", "spring")
    raw(f"MATCH (r:NeodpRelease) SET r.{lost} = NULL")
    for ask in (lambda: store.answer("g", "1", "spring"), store.ledger):
        with pytest.raises(DamagedRelease, match="release 'spring' of 'g' was altered"):
            ask()


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_a_limit_that_is_no_number_is_named(store: Store, raw: Raw) -> None:
    raw("CREATE (:NeodpLedger {population: 'default', max_releases: 'many'})")
    with pytest.raises(
        DamagedRelease, match="the limit of population 'default' is not a number: the store was damaged"
    ):
        store.ledger()
    assert store.allow("default", Limit(3)).limit == Limit(3)


def test_a_graph_that_does_not_fit_into_memory_is_refused_for_every_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search from the middle is short, and one from elsewhere would need the whole graph: nobody is told which."""
    with open_store(tmp_path / "s.db") as store:
        store.load("g", balanced(generate.path(40_001)))
        store.certify("g")
        kept = store.answer("g", "20300", "before")
        store.allow("default", MANY)
        monkeypatch.setattr("neodp.core.estimate.memory", lambda: 32 * 2**20)
        told = {outcome(store, "g", key, f"r{key}") for key in ("20000", "20300", "7", "no such dataset")}
        (message,) = told
        assert message.startswith("graph 'g' has 40,001 datasets, which do not fit into the memory of this machine")
        assert store.answer("g", "20000", "before") == kept
        assert store.ledger().used == 1


@on_neo4j
def test_nodes_of_others_with_ordinary_labels_are_left_alone(store: Store, raw: Raw) -> None:
    """Anybody may have releases, ledgers and profiles; neodp's have labels that only neodp uses."""
    theirs = [
        "CREATE (:Release {name: 'v0', graph: 'g', population: 'default', answer: 'both'})",
        "CREATE (:Ledger {population: 'default', max_releases: 'many', account: 'mine'})",
        "CREATE (:Profiles {name: 'p'}), (:Profiles {name: 'p'}), (:Protection {name: 'g'})",
    ]
    for text in theirs:
        raw(text)
    store.load("g", balanced(generate.path(4)))
    assert store.ledger().releases == ()
    assert (store.ledgers(), store.populations()) == ([], ["default"])
    assert store.answer("g", "1", "v0").answer in ("yes", "no")
    assert store.profiles.all() == []
    store.profiles.load("p", Profiles.from_columns(["ann"], ["tea"]))
    assert main(["--store", store.address.split()[0], "releases"]) == 0
    assert main(["--store", store.address.split()[0], "budget"]) == 0
    assert main(["--store", store.address.split()[0], "drop", "g", "--yes"]) == 0
    assert raw("MATCH (r) WHERE r:Release OR r:Ledger OR r:Profiles OR r:Protection RETURN count(r)") == [[5]]


@on_neo4j
def test_a_command_that_fails_has_changed_nothing(store: Store, raw: Raw, capsys: pytest.CaptureFixture[str]) -> None:
    store.load("g", balanced(generate.path(4)))
    store.answer("g", "1", "spring")
    raw("MATCH (r:NeodpRelease) SET r.answer = 'both'")
    for words in (["drop", "g", "--yes"], ["budget", "default", "--releases", "9"]):
        assert main(["--store", store.address.split()[0], *words]) == 1
        assert "release 'spring' of 'g'" in capsys.readouterr().err
    assert store.info("g").datasets == 4
    assert store.account().limit == Limit()


@on_neo4j
def test_a_kept_answer_that_is_no_color_is_not_served(store: Store, raw: Raw) -> None:
    """Even one with a digest that somebody made for it."""
    store.load("g", balanced(generate.path(3)))
    kept = store.answer("g", "1", "spring")
    forged = replace(kept, answer="perhaps").digest
    raw("MATCH (r:NeodpRelease) SET r.answer = 'perhaps', r.digest = $digest", digest=forged)
    with pytest.raises(DamagedRelease, match="holds 'perhaps', which is not one of the graph's colours: the store was"):
        store.answer("g", "1", "spring")


# --- names ----------------------------------------------------------------------------------------------------------


def test_what_an_older_neodp_kept_without_a_name_can_be_read(store: Store) -> None:
    """It kept releases about the population "", and then called them damaged."""
    for population in ("", "staff "):
        kept = Release("poll answer", f"spring{population}", "yes", None, None, population, '{"a": 1}', (Level(0.5),))
        (found,) = store.keep([kept])
        assert replace(found, time=None) == kept
        assert store.kept("poll answer", kept.name) == found
        assert store.ledger(population).releases == (found,)
        assert population in store.populations()


def test_a_name_is_the_same_however_it_is_written(store: Store) -> None:
    one, two = "Zo\u00eb", "Zoe\u0308"
    assert store.load(two, balanced(generate.path(6)), population=two).name == one
    first = store.answer(one, "1", two)
    assert (first.name, first.population) == (one, one)
    assert store.answer(one, "4", two) == store.answer(one, "4", one) == first
    assert store.allow(two, Limit(3)).population == one
    people = Profiles.from_columns(["u", "v"], ["a", "a"])
    for name in ("", "a ", "a\x00", "x" * 300):
        for wrong in (
            lambda name=name: store.load(name, generate.path(6)),
            lambda name=name: store.load("h", generate.path(6), population=name),
            lambda name=name: store.profiles.load(name, people),
            lambda name=name: store.profiles.load("p", people, population=name),
            lambda name=name: store.allow(name, Limit(3)),
            lambda name=name: store.answer(one, "1", name),
        ):
            with pytest.raises(GraphError, match=r"has no name|blanks at|an invisible|has 300 characters"):
                wrong()
    assert ([info.name for info in store.graphs()], store.profiles.all()) == ([one], [])


@on_neo4j
def test_a_name_that_is_too_long_to_be_there_is_said_to_be_that(store: Store, raw: Raw) -> None:
    """Names that somebody's own Cypher gave are found all the same."""
    for look in (store.info, store.profiles.info):
        with pytest.raises(UnknownGraph, match=r"^the name of the (graph|profile) has 300 characters; at most 200"):
            look("x" * 300)
    store.load("g", balanced(generate.path(6)))
    raw("MATCH (g:DatasetGraph {name: 'g'}) SET g.population = $name", name="x" * 300)
    with pytest.raises(GraphError, match=r"^the name of the population has 300 characters; at most 200 are allowed$"):
        store.answer("g", "1", "spring")
    assert store.info("g").population == "x" * 300


@on_neo4j
def test_a_graph_of_no_population_is_not_answered(store: Store, raw: Raw) -> None:
    """Somebody's own Cypher can leave it empty: it was a budget of its own in one place and the default in another."""
    store.load("g", balanced(generate.path(6)))
    raw("MATCH (g:DatasetGraph {name: 'g'}) SET g.population = ''")
    with pytest.raises(GraphError, match="the population has no name"):
        store.answer("g", "1", "spring")
