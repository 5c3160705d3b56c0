"""The embedded store: one SQLite file that several may use, that a kill leaves whole, and that shows damage."""

import gc
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.errors import (
    BudgetSpent,
    DamagedRelease,
    DamagedStore,
    GraphError,
    NeodpError,
    ReadOnlyStore,
    StoreError,
    StoreUnreachable,
    UnknownKey,
)
from neodp.ledger.account import Limit
from neodp.store import Settings, Store, open_store
from neodp.store.cypher import canned
from neodp.store.embedded import file, graphs
from neodp.store.embedded.file import APPLICATION, BESIDE, VERSION
from neodp.store.records import fingerprint

PRELUDE = """
import os, sys
import neodp
from neodp import generate
from neodp.store import open_store

def graph(epsilon):
    return generate.path(3000, epsilon=epsilon).with_alpha({"0": 0.75})

store = open_store(sys.argv[1])
"""
LOAD = """
two = [graph(0.25), graph(0.5)]
print("begun", flush=True)
for i in range(10000):
    store.load("old", two[i % 2], replace=True)
    store.load(f"new {i}", two[i % 2])
"""
WRITE = """
two = [neodp.extend(store.read("old").with_alpha(neodp.homogeneous(store.read("old"), a))) for a in (0.6, 0.7)]
store.write("old", two[1])
print("begun", flush=True)
for i in range(10000):
    store.write("old", two[i % 2])
"""
FULL = """
import resource, signal
store.load("g", generate.path(5))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, resource.RLIM_INFINITY))
for act in (lambda: store.load("g", graph(0.5), replace=True), lambda: print(len(store.read("g")))):
    try:
        act()
    except neodp.errors.StoreError as e:
        print(e.message)
"""
WRITING = "store.port._file._connection.execute('BEGIN IMMEDIATE')\nprint('begun', flush=True)\nsys.stdin.read()"


def path_graph(epsilon: float) -> DatasetGraph:
    return generate.path(3000, epsilon=epsilon).with_alpha({"0": 0.75})


def mixed() -> DatasetGraph:
    g = generate.random_graph(40, edges=90, epsilon=(0.0, 3.0), delta=(0.0, 1e-3), seed=1)
    return g.with_alpha(neodp.balanced(g))


def opened(path: Path, **settings: float) -> Store:
    return open_store(Settings(str(path), **settings))  # type: ignore[arg-type]


def process(path: Path, action: str) -> "subprocess.Popen[str]":
    """Start another process with the store open, doing something."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", PRELUDE + action, path], stdin=pipe, stdout=pipe, text=True)


def killed(path: Path, action: str) -> None:
    """Kill another process at some moment of what it does."""
    with process(path, action) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        time.sleep(random.uniform(0.0, 0.7))
        other.kill()


def edited(path: Path, *statements: str) -> None:
    """Change a store's file past neodp."""
    with sqlite3.connect(path) as connection:
        for text in statements:
            connection.execute(text)
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with opened(path) as store:
        yield store


@pytest.fixture
def asked(path: Path) -> str:
    """A store with the graph "g" and one release, "spring"; its answer."""
    graph = generate.path(40, epsilon=0.25)
    with opened(path) as store:
        store.load("g", graph.with_alpha(neodp.balanced(graph)))
        store.extend("g")
        return store.answer("g", "20", "spring").answer


# --- several at once ----------------------------------------------------------------------------------------------


def test_several_may_use_a_store_and_see_what_others_wrote(path: Path, store: Store) -> None:
    store.load("g", path_graph(0.5))
    with opened(path) as other, process(path, "print(len(store.read('g')))\nstore.load('h', graph(1.0))") as third:
        assert fingerprint(other.read("g")) == fingerprint(path_graph(0.5))
        assert third.communicate()[0] == "3000\n"
        assert [info.name for info in other.graphs()] == [info.name for info in store.graphs()] == ["g", "h"]
        other.drop("g")
    assert [info.name for info in store.graphs()] == ["h"]


def test_who_waits_too_long_for_a_writer_is_told(path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "WAIT", 0.1)
    with process(path, WRITING) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        told = r"is in use by another process, which did not finish within 0\.1 s; wait for it, or use another file"
        with opened(path) as impatient, pytest.raises(StoreUnreachable, match=told):
            impatient.load("g", generate.path(3))
        other.kill()
    store.load("g", generate.path(3))


def test_nothing_but_the_file_is_left_once_it_is_closed_or_forgotten(path: Path) -> None:
    with opened(path) as store:
        store.load("g", generate.path(3))
        assert [p.name for p in path.parent.iterdir()] == ["x.db"]
        store.close()
    assert [p.name for p in path.parent.iterdir()] == ["x.db"]
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(StoreError, match="was closed; open it again"):
        store.read("g")
    forgotten = opened(path)
    del forgotten
    gc.collect()
    with opened(path) as store:
        assert len(store.read("g")) == 3


def test_of_several_that_make_a_store_one_wins(path: Path) -> None:
    def make(i: int) -> int:
        with opened(path) as store:
            return store.load(f"g{i}", generate.path(3)).datasets

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(make, range(8))) == [3] * 8
    with opened(path) as store:
        assert len(store.graphs()) == 8
    assert [p.name for p in path.parent.iterdir()] == ["x.db"]


def test_threads_share_a_store(store: Store) -> None:
    g = path_graph(0.5)
    store.load("g", g)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    start = threading.Barrier(4)

    def reader() -> bool:
        start.wait()
        return all(fingerprint(store.read("g")) == fingerprint(g) for _ in range(3))

    def writer(name: str) -> bool:
        start.wait()
        return store.write("g", m) == store.load(name, g).datasets == store.drop(name)

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(reader), pool.submit(reader), pool.submit(writer, "a"), pool.submit(writer, "b")]
        assert all(future.result() for future in futures)
    assert np.array_equal(store.mechanism("g").mechanism.probabilities, m.probabilities)


# --- kill -9, Ctrl-C, full disks ----------------------------------------------------------------------------------


def test_a_load_that_is_killed_is_whole_or_has_never_been(path: Path) -> None:
    whole = {fingerprint(path_graph(e)) for e in (0.25, 0.5)}
    with opened(path) as store:
        store.load("old", path_graph(0.5))
    for _ in range(6):
        killed(path, LOAD)
        with opened(path) as store:
            for info in store.graphs():
                assert info.state == "ready"
                assert fingerprint(store.read(info.name)) in whole
                if info.name != "old":
                    store.drop(info.name)
            assert (
                len(store.port._file.execute("SELECT DISTINCT version FROM chunk")) == 2  # type: ignore[attr-defined]
            )  # of the graph and its alpha


def test_a_mechanism_that_is_killed_is_the_old_one_or_the_new_one(path: Path) -> None:
    g = path_graph(0.5)
    ones = [neodp.extend(g.with_alpha(neodp.homogeneous(g, a))).probabilities for a in (0.6, 0.7)]
    with opened(path) as store:
        store.load("old", g)
        store.write("old", Mechanism.of(g, ones[0]))
    for _ in range(2):
        killed(path, WRITE)
        with opened(path) as store:
            stored = store.mechanism("old")
            assert any(np.array_equal(stored.mechanism.probabilities, one) for one in ones)
            assert stored.info.min_p_true == stored.mechanism.p_true.min()


def test_a_signal_while_it_works_ends_with_the_old_state(path: Path) -> None:
    """Ctrl-C in the middle of a load, as a user does it."""
    with process(path, LOAD) as other:
        assert other.stdout is not None
        other.stdout.readline()
        time.sleep(0.3)
        other.send_signal(signal.SIGINT)
        other.wait(20)
    with opened(path) as store:
        assert all(len(store.read(info.name)) == 3000 for info in store.graphs())


def test_a_load_that_fails_leaves_nothing(store: Store) -> None:
    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.load("g", generate.path(4), progress=stop)
    assert store.graphs() == []
    store.load("g", generate.path(4))
    with pytest.raises(KeyboardInterrupt):
        store.load("g", generate.path(5), replace=True, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        store.drop("g", progress=stop)
    assert len(store.read("g")) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_full_disk_is_told_and_changes_nothing(path: Path) -> None:
    with process(path, FULL) as other:
        said, _ = other.communicate()
    assert other.returncode == 0
    assert said.splitlines() == [f"{path} cannot be written: the disk may be full", "5"]
    with opened(path) as store:
        assert len(store.read("g")) == 5


# --- files that are not in order ----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", BESIDE)
def test_a_journal_without_its_file(path: Path, end: str) -> None:
    path.with_name(f"x.db{end}").write_bytes(b"journal")
    with pytest.raises(StoreUnreachable, match=rf"is gone, but not its journal x\.db{end}; put the file back, or move"):
        opened(path)
    assert not path.exists()


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("end", BESIDE)
def test_a_link_where_sqlite_would_write_is_refused(tmp_path: Path, path: Path, end: str, hard: bool) -> None:
    theirs = tmp_path / "victim"
    theirs.write_text("somebody's data")
    opened(path).close()
    (os.link if hard else os.symlink)(theirs, tmp_path / f"x.db{end}")
    with pytest.raises(StoreUnreachable, match=f"has a link beside it, x.db{end}; find out who made the link"):
        opened(path)
    assert theirs.read_text() == "somebody's data"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("text", "is not a neodp store; name another file"),
        ("zeros", "is not a neodp store; name another file|is damaged: "),
        ("theirs", "is not a neodp store; name another file"),
        ("half", "is damaged: .*; restore it from a backup"),
        ("newer", f"has version 99, and this neodp reads version {VERSION}; update neodp"),
        ("wal", "was switched to the journal mode wal by another program; switch it back: sqlite3 wal 'PRAGMA"),
        ("more", "is damaged: its table or index 'mine' is not neodp's"),
        ("less", "is damaged: its table or index 'release_by_name' is missing"),
        ("trigger", "is damaged: its table or index 'forget' is not neodp's"),
        ("empty", "is an empty file: it lost what it held, or never was a store; restore it from a backup, see docs"),
        ("folder", "is a folder; name a file in it"),
        ("no/folder", "is in no folder that exists; make the folder, or correct `uri=...`"),
        ("text/x", "is in no folder that exists; make the folder, or correct `uri=...`"),
        ("circle", "cannot be opened: .*; correct `uri=...`"),
        ("zero\0byte", "cannot be opened: .*; correct `uri=...`"),
        ("long" * 100, "cannot be opened: File name too long; correct `uri=...`"),
    ],
)
def test_what_is_no_store_is_left_as_it_is(tmp_path: Path, name: str, message: str) -> None:
    with opened(tmp_path / "good") as store:
        store.load("g", generate.path(3))
    good = (tmp_path / "good").read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "text").write_text("key,color\n" * 1000)
    (tmp_path / "zeros").write_bytes(b"SQLite format 3\0" + bytes(8000))
    (tmp_path / "half").write_bytes(good[: len(good) // 2])
    (tmp_path / "empty").write_bytes(b"")
    edited(tmp_path / "theirs", "CREATE TABLE release(mine)")
    for other in ("newer", "wal", "more", "less", "trigger"):
        (tmp_path / other).write_bytes(good)
    edited(tmp_path / "newer", "PRAGMA user_version = 99")
    edited(tmp_path / "wal", "PRAGMA journal_mode = WAL")
    edited(tmp_path / "more", "CREATE TABLE mine(x)")
    edited(tmp_path / "less", "DROP INDEX release_by_name")
    edited(tmp_path / "trigger", "CREATE TRIGGER forget AFTER INSERT ON release BEGIN DELETE FROM release; END")
    before = {p: p.is_file() and p.read_bytes() for p in tmp_path.iterdir() if p.name != "circle"}
    with pytest.raises(StoreUnreachable, match=message):
        opened(tmp_path / name)
    after = {
        p: p.is_file() and p.read_bytes() for p in tmp_path.iterdir() if p.name not in ("circle", "wal-shm", "wal-wal")
    }
    assert after == before


def test_a_file_that_may_only_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    g = mixed()
    with opened(path) as store:
        store.load("g", g)
    access = os.access
    monkeypatch.setattr(os, "access", lambda p, mode: mode != os.W_OK and access(p, mode))
    with opened(path) as store:
        assert [p.name for p in path.parent.iterdir()] == ["x.db"]
        assert fingerprint(store.read("g")) == fingerprint(g)
        assert store.init() == []
        for act in (lambda: store.load("h", g), lambda: store.drop("g"), lambda: store.write("g", neodp.extend(g))):
            with pytest.raises(ReadOnlyStore, match="may be read but not written; ask for the right to write, or use"):
                act()
    with pytest.raises(StoreUnreachable, match="cannot be created in its folder; use another folder"):
        opened(path.with_name("other"))
    monkeypatch.setattr(os, "access", lambda p, mode: False)
    with pytest.raises(StoreUnreachable, match="may not be read; ask for the right to, or use another file"):
        opened(path)


def test_the_ledger_can_be_read_with_sqlite_alone(path: Path, asked: str) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        rows = connection.execute(
            "SELECT subject, release.name, answer, epsilon FROM release JOIN level ON level.release = release.id"
        ).fetchall()
        assert rows == [("g", "spring", asked, "0.25")]
        assert connection.execute("SELECT name, max_releases FROM population").fetchall() == [("default", 1)]
    connection.close()


def test_epsilons_of_every_magnitude_come_back_bit_for_bit(store: Store) -> None:
    """One after another, each in a transaction of its own: the engine of before lost the fourteenth."""
    numbers = [0.5] * 10 + [float(np.log(x)) for x in (2, 3, 5, 7)] + [5e-324, 2.0**-1022, 1 / 3, 690.0, 0.1 + 0.2]
    store.allow("default", Limit(None, 1e9, 1e-300))
    table = {"v": ["yes", "no", "no"], "e": [0.0, 0.0, 0.0]}
    for i, epsilon in enumerate(numbers):
        if epsilon >= 1e-3:
            table["e"] = [epsilon] * 3
            neodp.poll(table, vote="v", epsilon="e", name="p").with_mechanism("balanced").release(store, f"week{i}")
    kept = [release.levels[0].epsilon for release in store.ledger().releases]
    assert kept == [epsilon for epsilon in numbers if epsilon >= 1e-3]
    assert store.ledger().limit == Limit(None, 1e9, 1e-300)


# --- damage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE release SET answer = 'other'",
        "UPDATE release SET time = '2020-01-01T00:00:00.000Z'",
        "UPDATE release SET population = 'nobody'",
        "UPDATE release SET name = 'autumn'",
        "UPDATE release SET identity = 'x'",
        "UPDATE level SET epsilon = '0.125'",
        "DELETE FROM level",
        "DELETE FROM release",
        "UPDATE population SET max_releases = 9",
        "UPDATE population SET name = 'nobody'",
        "UPDATE population SET account = NULL",
        "DELETE FROM population",
        "DELETE FROM tally",
    ],
)
def test_a_ledger_that_was_edited_answers_nothing(path: Path, asked: str, change: str) -> None:
    edited(path, "PRAGMA foreign_keys = OFF", change)
    refusals = 0
    with opened(path) as store:
        for act in (
            lambda: store.ledger(),
            lambda: store.answer("g", "20", "spring"),
            lambda: store.answer("g", "20", "autumn"),
        ):
            try:
                found = act()
                assert change == "UPDATE release SET name = 'autumn'" or getattr(found, "answer", asked) == asked
            except (BudgetSpent, DamagedRelease, DamagedStore):
                refusals += 1
    assert refusals >= 2


@pytest.mark.parametrize(
    "column", ["key", "key.start", "key.hash", "source", "level", "levels", "alpha", "probabilities"]
)
@pytest.mark.parametrize(
    "how", ["data = CAST(substr(data, 2) || x'a5' AS BLOB)", "digest = zeroblob(32)", "part = part + 1"]
)
def test_a_column_that_was_edited_is_not_read(
    path: Path, asked: str, column: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "SMALL", 0)  # a small graph is read as a whole, without its index
    edited(path, f"UPDATE chunk SET {how} WHERE name = '{column}'")
    with opened(path) as store:
        read: dict[str, Callable[[], object]] = {
            "probabilities": lambda: store.mechanism("g"),
            "key.hash": lambda: store.read("g", keys=["20"]),
        }
        with pytest.raises(DamagedStore, match=f"the column '{column}' of a graph or profile was altered"):
            read.get(column, lambda: store.read("g"))()
        assert store.ledger().releases[0].answer == asked


@pytest.mark.parametrize(
    "change", ["UPDATE graph SET datasets = 39", "UPDATE graph SET stale = 1", "DELETE FROM graph"]
)
def test_a_graph_that_was_edited_is_not_read(path: Path, asked: str, change: str) -> None:
    edited(path, change)
    with (
        opened(path) as store,
        pytest.raises(DamagedStore, match=r"its table 'graph' lost|a row of its table 'graph' was"),
    ):
        store.graphs()


def test_a_flipped_bit_is_noticed_or_has_no_effect(path: Path, asked: str) -> None:
    """A slice of the attacks: whatever is read is what was written, and no question is answered anew."""
    good, draw = path.read_bytes(), random.Random(1)
    used = [i for i, byte in enumerate(good) if byte]

    def read() -> list[object]:
        with opened(path) as store:
            found = store.read("g")
            return [
                fingerprint(found),
                store.mechanism("g").mechanism.probabilities.tobytes(),
                store.graphs(),
                store.ledger(),
                store.answer("g", "20", "spring"),
            ]

    whole, refused = read(), 0
    for _ in range(150):
        damaged = bytearray(good)
        damaged[draw.choice(used)] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        try:
            assert read() == whole
        except NeodpError:
            refused += 1
        path.with_name("x.db-journal").unlink(missing_ok=True)
    assert refused > 100


# --- what is in it ------------------------------------------------------------------------------------------------


def test_names_that_look_like_other_ids(store: Store) -> None:
    """Graph "a" with key "b:c" and graph "a:b" with key "c" share no id, nor do others that might."""
    keys = ["a", "a:b", "1:a", "", ":", "a:b:c", "\\u0060", "`'\"\n\0🗳", "🗳", "é"]
    names = [key for key in keys if key.isprintable() and key]
    for name in names:
        store.load(name, DatasetGraph.from_columns([*keys, "b:c", "c"], ["x"] * 11 + ["y"], ["c"], [""], 1.0))
    for name in names:
        assert store.read(name, keys=["b:c", ""]).keys.to_pylist() == ["", "b:c"]
        assert store.neighbors(name, ["c"]).neighbor.to_pylist() == [""]
        assert store.query("neighborhood", name, key="c")["key"].to_pylist() == [""]
    for left, name in enumerate(names):
        assert len(store.graphs()) == len(names) - left
        assert store.drop(name) == 12


def test_doubles_come_back_bit_for_bit(store: Store) -> None:
    numbers = [2.0**-1022, 1 - 2.0**-53, 0.1, 5e-324, 0.0, 1.0, 2.0**-60, 1 / 3]
    keys = [f"k{i}" for i in range(9)]
    alpha = dict(
        zip(keys, [2.0**-1022, 1 - 2.0**-53, 0.1, 0.0, 1.0, [1.0, 2.0**-1022], [1 - 2.0**-53, 2.0**-53]], strict=False)
    )
    g = DatasetGraph.from_columns(
        keys, ["x"] * 8 + ["y"], keys[:8], keys[1:], numbers, numbers, alpha, colors=["x", "y"]
    )
    store.load("g", g)
    back = store.read("g")
    for column in ("alpha", "epsilon", "delta"):
        assert getattr(back, column).tobytes() == getattr(g, column).tobytes()
    rows = np.array([[p, 1 - p] for p in (*numbers[:3], 0.5, 0.0, 1.0, 2.0**-60, 1 / 3)] + [[1.0, 2.0**-1022]])
    m = Mechanism.of(back, rows)
    store.write("g", m)
    assert store.mechanism("g").mechanism.probabilities.tobytes() == m.probabilities.tobytes()


def test_a_graph_is_read_in_the_order_in_which_it_was_loaded(store: Store) -> None:
    g = generate.path(5000)
    shuffled = g.keys.take(np.random.default_rng(0).permutation(5000))
    store.load("g", DatasetGraph.from_columns(shuffled, ["x"] * 4999 + ["y"], shuffled[:-1], shuffled[1:], 1.0))
    for _ in range(2):
        assert store.read("g").keys.equals(shuffled)
        store.load("g", store.read("g"), replace=True)


def test_more_than_two_colors(store: Store) -> None:
    alpha = {"a": [0.2, 0.3, 0.5], "c": [1.0, 0.0, 2.0**-1000]}
    g = DatasetGraph.from_columns(
        list("abc"), list("rgb"), list("ab"), list("bc"), 1.0, alpha=alpha, colors=list("rgb")
    )
    store.load("g", g)
    assert fingerprint(store.read("g")) == fingerprint(g)
    assert store.query("boundary_edges", "g")["source_alpha"].to_pylist() == [[0.2, 0.3, 0.5], None]
    assert store.query("missing_alpha", "g").num_rows == 0
    assert sorted(store.neighbors("g", ["b"]).alpha.tolist()) == [[0.2, 0.3, 0.5], [1.0, 0.0, 2.0**-1000]]
    m = Mechanism.of(g, np.array([[0.2, 0.3, 0.5], [0.0, 0.5, 0.5], [0.1, 0.2, 0.7]]))
    store.write("g", m)
    stored = store.mechanism("g")
    assert not stored.stale
    assert np.array_equal(stored.mechanism.probabilities, m.probabilities)
    assert store.query("least_accurate", "g")["p_true"].to_pylist() == [0.2, 0.5, 0.7]


def test_neighbors_of_unknown_and_lonely_datasets(store: Store) -> None:
    store.load("g", DatasetGraph.from_columns(["a", "b", "c"], ["x", "x", "y"], ["a"], ["c"], 1.0))
    assert store.neighbors("g", ["b"]).neighbor.to_pylist() == []
    assert store.neighbors("g", []).neighbor.to_pylist() == []
    with pytest.raises(UnknownKey, match="there is no dataset 'd' in graph 'g'; correct the key"):
        store.neighbors("g", ["a", "d"])


def test_a_mechanism_with_other_colors_is_refused(store: Store) -> None:
    g = generate.path(3)
    store.load("g", g)
    other = DatasetGraph.from_columns(g.keys, ["a", "a", "b"], ["0", "1"], ["1", "2"], 1.0, alpha={"1": 0.5})
    acts: list[Callable[[], int]] = [
        lambda: store.write("g", neodp.extend(other)),
        lambda: store.write_alpha("g", other),
    ]
    for act in acts:
        with pytest.raises(
            GraphError, match="the colours are a, b, those of graph 'g' are yes, no; write to the graph"
        ):
            act()


# --- queries ------------------------------------------------------------------------------------------------------


def test_canned_queries_have_the_columns_that_they_have_on_neo4j(store: Store) -> None:
    g = mixed()
    store.load("g", g)
    store.write("g", neodp.extend(g))
    truth = ["min_p_true", "mean_p_true", "max_p_true"]
    columns = {
        "accuracy_by_distance": ["distance", "datasets", *truth],
        "boundary_edges": [
            *("source", "source_color", "source_alpha", "target", "target_color", "target_alpha", "epsilon", "delta")
        ],
        "least_accurate": ["key", "color", "p_true", "distance"],
        "missing_alpha": ["source", "source_color", "target", "target_color"],
        "neighborhood": ["key", "color", "preference", "alpha", "p_true", "epsilon", "delta"],
        "orders": ["order", "datasets", "boundary", *truth],
        "privacy_audit": [
            *("source", "target", "epsilon", "delta", "source_p", "target_p", "source_q", "target_q"),
            *("source_probabilities", "target_probabilities"),
        ],
        "stale": ["key", "color", "alpha", "p_true", "reason"],
        "summary": ["color", "datasets", "boundary", *truth],
    }
    assert columns.keys() == canned().keys()
    for name, query in canned("embedded").items():
        assert query.parameters.keys() == canned()[name].parameters.keys()
        assert query.answers == canned()[name].answers
        given = {"key": g.key(0)} if name == "neighborhood" else {}
        assert store.query(name, "g", **given).column_names == columns[name]
    (row,) = [r for r in store.query("summary", "g").to_pylist() if r["color"] == g.colors[0]]
    assert isinstance(row["boundary"], int)


def test_the_audit_with_the_largest_epsilon(store: Store) -> None:
    """The engine has no exp: a power of e must do, up to the largest epsilon."""
    g = DatasetGraph.from_columns(["a", "b"], ["x", "y"], ["a"], ["b"], 690.0, colors=["x", "y"])
    store.load("g", g)
    tight = np.exp(-690.0)
    store.write("g", Mechanism.of(g, np.array([[1.0, tight], [tight * (1 + 1e-13), 1.0]])))
    assert store.query("privacy_audit", "g").num_rows == 0
    store.write("g", Mechanism.of(g, np.array([[1.0, tight], [tight * 0.99, 1.0]])))
    assert store.query("privacy_audit", "g").num_rows == 1


MEMORY = """
import sys
from pathlib import Path
import neodp
from neodp import generate
from neodp.ledger.account import Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import open_store

def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

sizes = []
for i in range(31):
    with open_store(sys.argv[1]) as store:
        store.allow("default", Limit(10_000))
    sizes.append(resident())
with open_store(sys.argv[1]) as store:
    for i in range(1200):
        store.keep([Release("g", str(i), "yes", asked='{"graph": "g"}' * 10, levels=(Level(0.5),))])
        if i in (600, 1199):
            sizes.append(resident())
    assert store.ledger().account == store.account()
print(sizes[30] - sizes[0], sizes[32] - sizes[31])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_where_it_is(tmp_path: Path) -> None:
    """In MB, after opening and closing a file 30 times more, and after 600 answers more."""
    words = [sys.executable, "-c", MEMORY, str(tmp_path / "s.db")]
    found = subprocess.run(words, capture_output=True, text=True, check=True)
    closing, answering = map(float, found.stdout.split())
    assert closing < 10.0
    assert answering < 5.0
