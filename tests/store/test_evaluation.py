"""Single datasets of stored graphs: the numbers of the whole graph, few queries, and answers given exactly once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.errors import (
    BallTooLarge,
    BudgetSpent,
    GraphError,
    IncompatibleAlpha,
    NoMechanism,
    StaleMechanism,
    UnfinishedGraph,
    UnhitBoundary,
    UnknownGraph,
    UnknownKey,
)
from neodp.ledger.account import Limit
from neodp.store import Settings, Store, open_store
from tests.children import children
from tests.problems import random_graph
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]


def beside(graphs: list[DatasetGraph]) -> DatasetGraph:
    """Graphs as the parts of one."""
    first = np.cumsum([0, *map(len, graphs)])
    columns = [(g.color, g.source + n, g.target + n, g.epsilon, g.delta) for g, n in zip(graphs, first, strict=False)]
    color, source, target, epsilon, delta = (np.concatenate(c) for c in zip(*columns, strict=True))
    keys = [f"{i}.{key}" for i, g in enumerate(graphs) for key in g.keys.to_pylist()]
    alpha = np.concatenate([g.alpha for g in graphs])
    return DatasetGraph.from_columns(keys, color, source, target, epsilon, delta, alpha, colors=graphs[0].colors)


@pytest.mark.parametrize("kind", ["compatible", "rounded", "uniform", "hit"])
def test_equals_the_extension_of_the_whole_graph_bit_for_bit(store: Store, kind: str) -> None:
    """Every dataset of random graphs, with delta and saturation among them; each graph a part of one that is stored."""
    parts = [random_graph(kind, seed) for seed in range(200, 208 if kind == "hit" else 230)]
    g = beside(parts)
    store.load("g", g)
    m = neodp.extend(g)
    for i, part in enumerate(parts):
        keys = [f"{i}.{key}" for key in part.keys.to_pylist()]
        for asked in (keys, [keys[i % len(keys)]]):
            found = store.evaluate("g", asked, engine="ball", limit=10**6)
            assert {e.key: e.probabilities for e in found.evaluations} == {key: m[key] for key in asked}
            assert found.queries <= found.layers + 2


def survey() -> DatasetGraph:
    g = generate.counts([8, 9, 10], epsilon=[0.2, 0.5, 1.0])
    return g.with_alpha(neodp.balanced(g))


def test_near_the_boundary_a_search_touches_little(store: Store) -> None:
    g = survey()
    store.load("g", g)
    found = store.evaluate("g", [g.key(v) for v in neodp.boundary.boundary_vertices(g)[:1]], engine="ball")
    assert found.seen < 60 < len(g)
    assert 0 < found.layers <= found.queries <= found.layers + 2


@pytest.mark.parametrize("engine", ["ball", "whole"])
def test_write_keeps_what_extend_would(store: Store, engine: Any, raw: Raw) -> None:
    g = survey()
    store.load("g", g)
    keys = ["4-4-4", "0-0-0", "5-4-5"]
    store.evaluate("g", keys, engine=engine, write=True)
    rows = raw("MATCH (d:Dataset) WHERE d.p IS NOT NULL RETURN d.key, d.p, d.q, d.p_true ORDER BY d.key")
    m = neodp.extend(g)
    assert rows == [[key, *m[key].values(), m.p_true[g.index(key)]] for key in sorted(keys)]
    with pytest.raises(NoMechanism):
        store.mechanism("g")  # some datasets are not a mechanism
    store.write("g", neodp.extend(store.read("g")))
    store.evaluate("g", keys, engine=engine, write=True)  # the same numbers: it stays whole
    assert not store.mechanism("g").stale


def test_the_whole_graph_is_taken_where_that_is_cheaper(store: Store) -> None:
    g = generate.path(3000)
    g = g.with_alpha(neodp.balanced(g))
    store.load("g", g)
    found = store.evaluate("g", ["1400"], limit=20)
    assert (found.layers, found.seen) == (0, 3000)
    assert found.proof == "the search grew too large, so the whole graph was extended"
    assert found.evaluations[0].probabilities == neodp.extend(g)["1400"]
    assert store.evaluate("g", ["1400"], engine="ball").layers > 6
    assert store.evaluate("g", ["1400"], limit=1000).layers > 6, "whoever gives a limit is not stopped before it"
    assert store.evaluate("g", ["1400"]).layers == 0, "as many datasets are read sooner than seven layers are searched"
    near = store.evaluate("g", ["1499"]).layers
    assert 0 < near <= 6 if store.dialect == "neo4j" else near == 0, "a small graph of a file is not searched"
    with pytest.raises(BallTooLarge, match="a pass over the whole graph is cheaper"):
        store.evaluate("g", ["1400"], engine="ball", limit=20)


def stored(store: Store, raw: Raw) -> tuple[list[list[Any]], int]:
    """Everything that a refusal must not change."""
    rows = raw("MATCH (d:Dataset) RETURN d.key, d.p, d.q, d.alpha ORDER BY d.key")
    return rows, store.ledger().used


def test_refusals_change_nothing(store: Store, raw: Raw) -> None:
    """Unknown key, unhit boundary, incompatible alpha inside the ball: one sentence each."""
    g = generate.path(8, epsilon=0.5)
    store.load("g", g)
    cases: list[tuple[DatasetGraph, str, type[Exception], str]] = [
        (g.with_alpha(neodp.balanced(g)), "99", UnknownKey, "there is no dataset '99' in graph 'g'; correct the key"),
        (g, "0", UnhitBoundary, r"the boundary edge '3' – '4' \(yes, no\) has alpha at neither end; give alpha to one"),
        (
            g.with_alpha({"3": 0.9, "4": 0.1}),
            "2",
            IncompatibleAlpha,
            r"alpha at '3' makes Pr\[yes\] 0.9, at most 0.16.* is possible: '4' has 0.1 and is epsilon 0.5 away",
        ),
    ]
    for graph, key, error, message in cases:
        store.load("g", graph, replace=True)
        before = stored(store, raw)
        for act in (
            lambda key=key: store.evaluate("g", [key], write=True),
            lambda key=key: store.evaluate("g", [key], write=True, engine="whole"),
            lambda key=key: store.answer("g", key, "spring"),
        ):
            with pytest.raises(error, match=message):
                act()
        assert stored(store, raw) == before


@on_neo4j
def test_a_stale_mechanism_is_refused(store: Store, raw: Raw) -> None:
    """A graph that was changed by hand after its mechanism was written: nobody is answered by a mixture."""
    store.load("g", survey())
    store.write("g", neodp.extend(store.read("g")))
    raw("MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) SET r.epsilon = r.epsilon / 2")
    raw("MATCH (d:Dataset) SET d.alpha = 0.5") if "://" in store.address else raw(
        "MATCH (d:Dataset) SET d.alpha = 0.5, d.alphas = NULL"
    )
    before = stored(store, raw)
    for act in (
        lambda: store.evaluate("g", ["4-4-4"], write=True),
        lambda: store.evaluate("g", ["4-4-4"], write=True, engine="whole"),
        lambda: store.answer("g", "4-4-4", "spring"),
    ):
        with pytest.raises(StaleMechanism, match=r"graph 'g' has changed since its mechanism was written, .*extend\("):
            act()
    assert stored(store, raw) == before
    store.write("g", neodp.extend(store.read("g")))
    assert store.answer("g", "4-4-4", "spring").answer in ("yes", "no")


@on_neo4j
def test_unknown_and_unfinished_graphs(store: Store, raw: Raw) -> None:
    with pytest.raises(UnknownGraph, match="there is no graph 'g'"):
        store.evaluate("g", ["a"])
    store.load("g", survey())
    raw("MATCH (g:DatasetGraph) SET g.state = 'loading'")
    with pytest.raises(UnfinishedGraph, match="is incomplete"):
        store.answer("g", "4-4-4", "spring")


def test_extreme_alpha_is_found(store: Store) -> None:
    """The least alpha of all datasets bounds the search, also where only the smaller entry says how small it is."""
    tiny = 2.0**-900
    g = generate.path(6, epsilon=0.5)
    rows = np.array([[1 - tiny, tiny], [1.0, tiny / 2], [1.0, tiny * 1.25], [0.2, 0.8], [np.nan] * 2, [np.nan] * 2])
    store.load("g", g.with_alpha(rows))
    with store.view("g", ["5"]) as view:
        assert view.least.tolist() == [[0.2, 0.8], [tiny / 2, 1.0]]
    store.load("g", g.with_alpha({"0": 0.25, "3": 0.75}), replace=True)
    with store.view("g", ["5"]) as view:
        assert view.least.tolist() == [[0.25, 0.75], [0.25, 0.75]]
    store.load("g", g, replace=True)
    with store.view("g", ["5"]) as view:
        assert view.least.tolist() == [[1.0, 0.0], [1.0, 0.0]]


# --- answers ------------------------------------------------------------------------------------------------------


def test_an_answer_is_given_once_and_kept(store: Store) -> None:
    """The dataset may change afterwards, and the graph may go; the answer does not."""
    store.load("g", survey())
    first = store.answer("g", "4-4-4", "spring")
    assert first.answer in ("yes", "no")
    assert store.ledger().releases == (first,)
    for _ in range(5):
        assert store.answer("g", "4-4-4", "spring") == first
    assert store.answer("g", "0-0-0", "spring") == first
    assert store.answer("g", "no such dataset", "spring") == first
    with pytest.raises(
        BudgetSpent, match="release 'autumn' about population 'default' is refused: 1 answer given, 1 allowed"
    ):
        store.answer("g", "4-4-4", "autumn")
    store.drop("g")
    assert store.answer("g", "4-4-4", "spring") == first
    store.load("g", survey())
    with pytest.raises(BudgetSpent):
        store.answer("g", "4-4-4", "autumn")
    store.allow("default", Limit(2))
    store.answer("g", "4-4-4", "autumn", constant_work=True)
    assert [r.name for r in store.ledger().releases] == ["spring", "autumn"]
    assert (store.ledger().left, store.ledger("other").left) == (0, 1)
    with pytest.raises(GraphError, match="the release has no name"):
        store.answer("g", "4-4-4", " ")
    assert [(r.graph, r.key) for r in store.ledger().releases] == [("g", None), ("g", None)]


def test_the_key_is_stored_only_where_that_is_wished(store: Store) -> None:
    store.load("g", survey())
    store.allow("default", Limit(2))
    store.answer("g", "4-4-4", "open", keep_key=True)
    store.answer("g", "4-4-4", "closed")
    assert [(r.name, r.key) for r in store.ledger().releases] == [("open", "4-4-4"), ("closed", None)]


def test_the_answer_is_the_one_that_was_drawn(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One draw of 1074 bits from the operating system: 0 selects the first colour with any chance at all."""
    import secrets

    store.load("g", survey())
    store.allow("default", Limit(2))
    asked: list[int] = []

    def drawn(value: int) -> Callable[[int], int]:
        return lambda bits: asked.append(bits) or value  # type: ignore[func-returns-value]

    monkeypatch.setattr(secrets, "randbits", drawn(0))
    assert store.answer("g", "0-0-0", "low").answer == "yes"
    monkeypatch.setattr(secrets, "randbits", drawn(2**1074 - 1))
    assert store.answer("g", "0-0-0", "high").answer == "no"
    assert asked == [1074, 1074]


def _answer(settings: Settings, gate: Connection, said: Connection) -> None:
    """Waits until the gate's other end is closed. No lock is held that a killed process would keep for ever, and an
    answer is one write of a few bytes, which a pipe takes whole or not at all."""
    with suppress(EOFError):
        gate.recv()
    with open_store(settings) as store:
        said.send(store.answer("g", "4-4-4", "spring").answer)


MANY = 16


def test_many_at_once_half_of_them_killed(address: str) -> None:
    """One answer for all who live, and one row in the ledger."""
    rng = random.Random(64)
    settings = replace(Settings.from_env(address), patience=300.0)
    with open_store(settings) as store:
        store.load("g", survey())
    (gate, starter), (heard, said) = children.Pipe(duplex=False), children.Pipe(duplex=False)
    callers = [children.Process(target=_answer, args=(settings, gate, said)) for _ in range(MANY)]
    for caller in callers:
        caller.start()
    starter.close()
    said.close()
    doomed = rng.sample(callers, MANY // 2)
    for caller in doomed:
        time.sleep(rng.expovariate(20.0))
        if caller.pid is not None and caller.is_alive():
            os.kill(caller.pid, signal.SIGKILL)
    for caller in callers:
        caller.join()
    assert {c.exitcode for c in callers if c not in doomed} == {0}
    answers = set()
    with suppress(EOFError):
        while True:
            answers.add(heard.recv())
    with open_store(address) as store:
        ledger = store.ledger()
        assert ledger.used == 1
        assert answers == {ledger.releases[0].answer}
