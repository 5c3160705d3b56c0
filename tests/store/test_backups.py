"""Backups of an embedded store: whole, checked, for their owner only, and never in place of anything better."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import neodp
from neodp import generate
from neodp.errors import DamagedRelease, DamagedStore, GraphError, StoreError
from neodp.ledger.account import Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import Settings, Store, open_store
from neodp.store.embedded.file import synchronise
from neodp.store.records import fingerprint
from neodp.store.transfer import export_ledger, import_ledger

ALONE = pytest.mark.parametrize("address", ["embedded"], indirect=True)
"""For tests of what only a file does."""

WRITER = """
import sys
from neodp.ledger.account import Limit
from neodp.ledger.question import Level
from neodp.ledger.release import Release
from neodp.store import Settings, open_store

with open_store(Settings(sys.argv[1], patience=300.0)) as store:
    store.allow("default", Limit(100_000))
    print("begun", flush=True)
    for i in range(100_000):
        store.keep([Release("g", f"r{i:05}", "yes", asked='{"a": 1}', levels=(Level(0.5),))])
        print(i, flush=True)
"""

FULL = """
import resource, sys
import neodp
with neodp.open_store(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
    try:
        store.backup(sys.argv[2], force=True)
    except neodp.errors.StoreError as e:
        print(e)
"""

DIES = """
import os, sys
import neodp
from neodp.store.embedded import backups
backups.synchronise = lambda path: os._exit(7)
neodp.open_store(sys.argv[1]).backup(sys.argv[2], force=True)
"""


def fill(store: Store) -> None:
    g = generate.path(3000, epsilon=0.5)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    store.extend("g")
    store.keep([answer("spring")])


def answer(name: str) -> Release:
    return Release("g", name, "yes", asked='{"a": 1}', levels=(Level(0.5),))


def script(code: str, *words: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


def edit(path: Path, statement: str) -> None:
    """Change a file past neodp."""
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@ALONE
def test_a_backup_is_a_store_with_all_that_there_was(store: Store, tmp_path: Path) -> None:
    fill(store)
    before = os.umask(0)
    try:
        store.backup(tmp_path / "b.db")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "b.db").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.db", "store.db"]
    with open_store(tmp_path / "b.db") as copy:
        assert fingerprint(copy.read("g")) == fingerprint(store.read("g"))
        assert copy.mechanism("g").mechanism["7"] == store.mechanism("g").mechanism["7"]
        assert copy.ledgers() == store.ledgers()
        copy.keep([answer("spring")])  # which is there
        assert copy.ledger().used == 1


@ALONE
def test_a_backup_that_is_put_in_place_is_the_store_as_it_was(store: Store, address: str, tmp_path: Path) -> None:
    fill(store)
    store.backup(tmp_path / "b.db")
    store.drop("g")
    store.close()
    (tmp_path / "b.db").replace(address)
    with open_store(address) as restored:
        assert (restored.info("g").datasets, restored.ledger().used) == (3000, 1)
        restored.drop("g")


@ALONE
def test_an_older_backup_and_a_newer_ledger_lose_no_answer(store: Store, address: str, tmp_path: Path) -> None:
    fill(store)
    store.backup(tmp_path / "b.db")
    store.allow("default", Limit(2))
    store.keep([answer("autumn")])
    export_ledger(store, tmp_path / "ledger.jsonl")
    store.close()
    (tmp_path / "b.db").replace(address)
    with open_store(address) as restored:
        assert restored.kept("g", "autumn") is None
        assert import_ledger(restored, tmp_path / "ledger.jsonl") == (1, 1, 1)
        found = restored.kept("g", "autumn")
        assert found is not None
        assert (found.answer, restored.ledger().used, restored.ledger().limit) == ("yes", 2, Limit(1))


# --- where to -------------------------------------------------------------------------------------------------------


@ALONE
def test_places_for_no_backup(store: Store, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "there.db").write_text("mine")
    (tmp_path / "link.db").symlink_to("there.db")
    (tmp_path / "dangling.db").symlink_to("nothing.db")
    (tmp_path / "journaled.db-journal").write_text("")
    os.link(address, tmp_path / "same.db")
    os.mkfifo(tmp_path / "pipe")
    before = {path: path.lstat() for path in tmp_path.iterdir()}
    for place, message in {
        "": "is a folder; name a file in it",
        "folder": "is a folder; name a file in it",
        "missing/b.db": "is in a folder that does not exist; make the folder, or name another file",
        "there.db/b.db": "is in a folder that does not exist",
        "store.db": "is the store itself; name another file",
        "./store.db": "is the store itself",
        address: "is the store itself",
        "same.db": "is the store itself",
        "store.db-journal": "is where SQLite keeps the store's journal",
        "store.db-wal": "is where SQLite keeps the store's journal",
        "journaled.db": "has journaled.db-journal beside it, which SQLite would take for its journal",
        "link.db": "is a link, which neodp does not follow; name the file itself",
        "dangling.db": "is a link, which neodp does not follow",
        "pipe": "is not a file",
        "a\0b": "cannot be written",
        "x" * 300: "cannot be written: File name too long",
    }.items():
        with pytest.raises((GraphError, StoreError), match=message):
            store.backup(place, force=True)
    with pytest.raises(GraphError, match=r"there.db already exists; name another file, or use `force=True` to replace"):
        store.backup("there.db")
    assert {path: path.lstat() for path in tmp_path.iterdir()} == before
    store.backup("there.db", force=True)
    with open_store("there.db") as copy:
        assert copy.ledgers() == store.ledgers()


@ALONE
def test_a_file_that_comes_in_between_is_not_replaced(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)

    def slow(path: Path) -> None:
        (tmp_path / "b.db").write_text("mine")
        synchronise(path)

    monkeypatch.setattr("neodp.store.embedded.backups.synchronise", slow)
    with pytest.raises(StoreError, match=r"the backup .*b.db cannot be written: File exists; choose another place"):
        store.backup(tmp_path / "b.db")
    assert (tmp_path / "b.db").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.db", "store.db"]


@pytest.mark.parametrize("address", ["neo4j"], indirect=True)
def test_a_server_is_backed_up_by_its_own_tools(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is backed up by Neo4j's own tools; use neo4j-admin .*export_ledger"):
        store.backup(tmp_path / "b.db")
    assert list(tmp_path.iterdir()) == []


# --- whole or not at all --------------------------------------------------------------------------------------------


@ALONE
@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        ("UPDATE chunk SET data = zeroblob(length(data)) WHERE part = 0", DamagedStore, "the ledger is intact"),
        ("UPDATE graph SET edges = 7", DamagedStore, "store.db is damaged: a row of its table 'graph' was altered"),
        ("UPDATE release SET answer = 'no'", DamagedRelease, "release 'spring' of 'g' was altered"),
        ("DELETE FROM release", DamagedRelease, "has 1 releases, but 0 are there"),
        ("DELETE FROM population", DamagedStore, "its table 'population' lost or gained a row"),
    ],
)
def test_a_damaged_store_takes_no_place_of_a_good_backup(
    store: Store, address: str, tmp_path: Path, statement: str, error: type[Exception], message: str
) -> None:
    fill(store)
    store.backup(tmp_path / "b.db")
    good = (tmp_path / "b.db").read_bytes()
    edit(Path(address), f"PRAGMA foreign_keys = OFF; {statement}".partition("; ")[2])
    with pytest.raises(error, match=message):
        store.backup(tmp_path / "b.db", force=True)
    assert (tmp_path / "b.db").read_bytes() == good
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.db", "store.db"]


@ALONE
def test_an_index_that_lacks_a_release_is_noticed(store: Store, address: str, tmp_path: Path) -> None:
    """SQLite's quick check does not look for it."""
    fill(store)
    store.close()
    connection = sqlite3.connect(address)
    connection.execute("PRAGMA writable_schema = ON")
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'release_by_identity'")
    ((empty,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'release_by_name'")
    connection.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'release_by_identity'", [empty])
    connection.execute("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'release_by_name'", [page])
    connection.commit()
    connection.close()
    with (
        open_store(address) as damaged,
        pytest.raises(DamagedStore, match=r"store.db is damaged: SQLite says: .*release"),
    ):
        damaged.backup(tmp_path / "b.db")
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


@ALONE
def test_a_full_disk_and_a_death_leave_the_old_backup(store: Store, address: str, tmp_path: Path) -> None:
    fill(store)
    store.backup(tmp_path / "b.db")
    good = (tmp_path / "b.db").read_bytes()
    done = script(FULL, Path(address), tmp_path / "b.db")
    assert "b.db cannot be written: " in done.stdout
    assert done.stdout.endswith("; choose another place\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.db", "store.db"]
    assert script(DIES, Path(address), tmp_path / "b.db").returncode == 7
    assert (tmp_path / "b.db").read_bytes() == good


def test_backups_while_another_process_answers(tmp_path: Path) -> None:
    """Each has the answers up to some moment, and none that it lacks was given before."""
    patient = Settings(str(tmp_path / "store.db"), patience=600.0)
    process = subprocess.Popen([sys.executable, "-c", WRITER, patient.uri], stdout=subprocess.PIPE, text=True)
    with process as other, open_store(patient) as store:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        used = []
        for i in range(8):
            said = int(other.stdout.readline())
            store.backup(tmp_path / "b.db", force=i > 0)
            with open_store(tmp_path / "b.db") as copy:
                names = [release.name for release in copy.ledger().releases]
            assert names == [f"r{n:05}" for n in range(len(names))]
            assert len(names) > said
            used.append(len(names))
        assert used == sorted(used)
        other.send_signal(signal.SIGKILL)
    with open_store(patient) as after:
        assert after.ledger().used >= used[-1]
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_store_that_somebody_keeps_locked_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("neodp.store.embedded.file.WAIT", 0.1)
    with open_store(tmp_path / "store.db") as store:
        fill(store)
        connection = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"is in use by another process, which did not finish within 0\.1 s"):
            store.backup(tmp_path / "b.db")
        connection.rollback()
        connection.close()
        assert [path.name for path in tmp_path.iterdir()] == ["store.db"]
        store.backup(tmp_path / "b.db")
