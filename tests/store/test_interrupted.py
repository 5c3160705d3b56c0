"""kill -9 in the middle, and two writers at once: nothing lost, nothing mixed, on both stores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.data.progress import Progress
from neodp.errors import NoMechanism, Overtaken, UnfinishedGraph, UnknownGraph
from neodp.store import Store, evaluation, open_store
from neodp.store.neo4j import connection
from neodp.store.records import fingerprint
from tests import children

DO = """
import os, signal, sys
import neodp
from neodp import generate
from neodp.store import open_store
from neodp.store.neo4j import connection

connection.BATCH = 50
calls = 0

def die(what, done, total):
    global calls
    calls += 1
    if calls == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

with open_store(sys.argv[1]) as store:
    {action}
"""
LOAD = "store.load('g', generate.grid(20, 20, epsilon=0.5), progress=die)"
WRITE = """m = neodp.extend(store.read('g'))
    store.write('g', m, progress=die)"""


def interrupted(address: str, action: str, step: int) -> bool:
    """Run an action in a process that kills itself at its step-th sign of progress; whether it got that far."""
    code = children.run(DO.format(action=action), address, str(step))
    assert code in (0, -9)
    return code == -9


def grid() -> DatasetGraph:
    return generate.grid(20, 20, epsilon=0.5)


@pytest.mark.parametrize("step", [1, 3, 8, 12])
def test_an_interrupted_load_is_no_graph_and_can_be_repeated(address: str, step: int) -> None:
    killed = interrupted(address, LOAD, step)
    with open_store(address) as store:
        if killed:
            for use in (store.read, store.mechanism, lambda g: store.query("boundary_edges", g)):
                with pytest.raises((UnfinishedGraph, UnknownGraph), match="'g'"):
                    use("g")
        store.load("g", grid(), replace=not killed)
        assert fingerprint(store.read("g")) == fingerprint(grid())


@pytest.mark.parametrize("step", [1, 5, 9, 12, 17, 99])
def test_a_replacement_that_is_killed_leaves_the_old_graph_or_the_new_one(address: str, step: int) -> None:
    old = generate.path(30)
    old = old.with_alpha(neodp.balanced(old))
    with open_store(address) as store:
        store.load("g", old)
        store.write("g", neodp.extend(old))
    killed = interrupted(address, LOAD.replace("progress", "replace=True, progress"), step)
    with open_store(address) as store:
        assert fingerprint(store.read("g")) == fingerprint(old if killed else grid())
        assert (store.info("g").mechanism is not None) == killed
        if killed:
            assert len(store.mechanism("g").mechanism) == 30
        store.load("g", generate.path(3), replace=True)
        assert fingerprint(store.read("g")) == fingerprint(generate.path(3))
        assert [info.name for info in store.graphs()] == ["g"]


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_a_replacement_that_is_interrupted_or_overtaken_clears_up(shared: Store) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    shared.load("g", generate.path(3))
    with pytest.raises(KeyboardInterrupt):
        shared.load("g", grid(), replace=True, progress=meanwhile(stop))
    assert [(info.name, info.state, info.datasets) for info in shared.graphs()] == [("g", "ready", 3)]
    with pytest.raises(Overtaken):
        shared.load("g", grid(), replace=True, progress=meanwhile(lambda: shared.drop("g")))
    assert shared.graphs() == []
    shared.load("g", generate.path(3))
    other = meanwhile(lambda: shared.load("g", generate.path(4), replace=True))
    with pytest.raises(Overtaken):
        shared.load("g", grid(), replace=True, progress=other)
    assert [(info.name, info.state, info.datasets) for info in shared.graphs()] == [("g", "ready", 4)]


def test_an_interrupted_load_can_be_dropped(address: str) -> None:
    interrupted(address, LOAD, 1)
    with open_store(address) as store:
        if store.graphs():
            store.drop("g")
        assert store.graphs() == []
        store.load("h", generate.path(3))
        assert len(store.read("h")) == 3


@pytest.mark.parametrize("step", [1, 2, 5, 8])
def test_an_interrupted_write_is_no_mechanism_and_can_be_repeated(address: str, step: int) -> None:
    """The old mechanism or none, never a mixture; the graph itself stays whole."""
    with open_store(address) as store:
        g = grid()
        store.load("g", g.with_alpha(neodp.balanced(g)))
        store.write("g", neodp.extend(store.read("g")))
        store.write_alpha("g", store.read("g").with_alpha(neodp.homogeneous(store.read("g"), 0.9)))
        before = fingerprint(store.read("g"))
    interrupted(address, WRITE, step)
    with open_store(address) as store:
        graph = store.read("g")
        assert fingerprint(graph) == before
        best = neodp.extend(graph)
        try:
            stored = store.mechanism("g")
        except NoMechanism:
            assert store.query("summary", "g").num_rows == 0
        else:
            assert np.array_equal(stored.mechanism.probabilities, best.probabilities)
        store.write("g", best)
        assert np.array_equal(store.mechanism("g").mechanism.probabilities, best.probabilities)


def meanwhile(act: Callable[[], object]) -> Progress:
    """Progress that does something else once, in between."""
    left = [act]

    def tell(what: str, done: int, total: int) -> None:
        if left:
            left.pop()()

    return tell


# the embedded file has one process at a time, by its lock
on_neo4j = pytest.mark.parametrize("address", ["neo4j"], indirect=True)


@pytest.fixture
def shared(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store that writes in small batches, so that others can come between."""
    monkeypatch.setattr(connection, "BATCH", 50)
    return store


@on_neo4j
def test_of_two_writers_the_later_one_stands(shared: Store) -> None:
    g = grid()
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    graph = shared.read("g")
    old, new = neodp.extend(graph), neodp.extend(graph.with_alpha(neodp.homogeneous(graph, 0.8)))
    with pytest.raises(
        Overtaken, match=r"somebody else changed graph 'g' in .* while it was being written; their change was kept"
    ):
        shared.write("g", old, progress=meanwhile(lambda: shared.write("g", new)))
    assert np.array_equal(shared.mechanism("g").mechanism.probabilities, new.probabilities)


@on_neo4j
def test_a_change_of_alpha_overtakes_a_writer(shared: Store) -> None:
    g = grid()
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    graph = shared.read("g")
    other = graph.with_alpha(neodp.homogeneous(graph, 0.8))
    with pytest.raises(Overtaken):
        shared.write("g", neodp.extend(graph), progress=meanwhile(lambda: shared.write_alpha("g", other)))
    assert shared.info("g").mechanism is None


@on_neo4j
def test_of_two_loads_the_later_one_stands(shared: Store) -> None:
    with pytest.raises(Overtaken):
        shared.load("g", grid(), progress=meanwhile(lambda: shared.load("g", generate.path(300))))
    assert fingerprint(shared.read("g")) == fingerprint(generate.path(300))


@on_neo4j
def test_a_drop_overtakes_a_load(shared: Store) -> None:
    with pytest.raises(Overtaken):
        shared.load("g", grid(), progress=meanwhile(lambda: shared.drop("g")))
    assert shared.graphs() == []


@on_neo4j
def test_reading_while_somebody_writes_is_refused(shared: Store) -> None:
    g = grid()
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    graph = shared.read("g")
    shared.write("g", neodp.extend(graph))
    other = neodp.extend(graph.with_alpha(neodp.homogeneous(graph, 0.8)))
    with pytest.raises(NoMechanism, match="was replaced while it was read; try again"):
        shared.mechanism("g", progress=meanwhile(lambda: shared.write("g", other)))


@on_neo4j
@pytest.mark.parametrize("change", ["load", "alpha"])
def test_reading_while_the_graph_changes_is_refused(shared: Store, change: str) -> None:
    g = grid()
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    graph = shared.read("g")
    acts = {
        "load": lambda: shared.load("g", generate.grid(20, 20, epsilon=0.1), replace=True),
        "alpha": lambda: shared.write_alpha("g", graph.with_alpha(neodp.homogeneous(graph, 0.8))),
    }
    with pytest.raises(Overtaken, match="was changed while it was read; try again"):
        shared.read("g", progress=meanwhile(acts[change]))
    assert len(shared.read("g")) == 400


@on_neo4j
def test_a_replacement_between_reading_and_writing_is_named(shared: Store) -> None:
    """The new graph has some of the old one's datasets: what was read is not what is there."""
    g = generate.path(30)
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    mechanism = neodp.extend(shared.read("g"))
    small = generate.path(5)
    shared.load("g", small.with_alpha(neodp.balanced(small)), replace=True)
    with pytest.raises(
        Overtaken, match=r"somebody else changed graph 'g' in .* while it was being written; their change"
    ):
        shared.write("g", mechanism)


@on_neo4j
@pytest.mark.parametrize("constant_work", [False, True])
def test_a_drop_while_an_answer_is_found_is_named(
    shared: Store, monkeypatch: pytest.MonkeyPatch, constant_work: bool
) -> None:
    """And not blamed on the key, which is a secret besides."""
    g = generate.path(30)
    shared.load("g", g.with_alpha(neodp.balanced(g)))
    shared.certify("g")
    for name in ("distributions", "everywhere"):
        found = getattr(evaluation, name)

        def dropped(*words: Any, found: Any = found, **options: Any) -> Any:
            shared.drop("g")
            return found(*words, **options)

        monkeypatch.setattr(evaluation, name, dropped)
    with pytest.raises(Overtaken, match=r"graph 'g' in .* was changed while it was read; try again"):
        shared.answer("g", "17", "spring", constant_work=constant_work)
    assert shared.ledger().releases == ()
