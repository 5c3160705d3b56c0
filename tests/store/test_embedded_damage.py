"""Damage to the embedded file that SQLite does not notice: an answer that was told is served as it was, or refused."""

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from neodp import generate
from neodp.errors import DamagedRelease, DamagedStore
from neodp.ledger.account import Limit
from neodp.store import Store, open_store

PAGE = 8192
CROWD = "the people of the village"


def asked(path: Path, count: int) -> dict[str, str]:
    """Make a store with so many answers of twice as many that are allowed; return the answers."""
    with open_store(path) as store:
        store.load("survey", generate.path(20).with_alpha({"9": 0.6, "10": 0.4}), population=CROWD)
        store.allow(CROWD, Limit(2 * count))
        return {name: store.answer("survey", "3", name).answer for name in map(long_name, range(count))}


def long_name(number: int) -> str:
    """Return the name of a release, so long that few of them fit on a page."""
    return f"{number:03} {'x' * 150}"


def found(path: Path, read: Callable[[Store], object]) -> object:
    """Return what is read from a store, or None if the store says that it is damaged."""
    try:
        with open_store(path) as store:
            return read(store)
    except (DamagedStore, DamagedRelease):
        return None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


def meddle(path: Path, *statements: str) -> None:
    """Change the file past neodp."""
    other = sqlite3.connect(path)
    for statement in statements:
        other.execute(statement)
    other.commit()
    other.close()


def without_indexes(path: Path, *statements: str) -> None:
    """Change the table of releases, but not its indexes."""
    other = sqlite3.connect(path)
    named = "FROM sqlite_schema WHERE name LIKE 'release_by_%'"
    indexes = other.execute(f"SELECT * {named}").fetchall()
    other.close()
    meddle(path, "PRAGMA writable_schema = ON", f"DELETE {named}")
    meddle(path, *statements)
    other = sqlite3.connect(path)
    other.execute("PRAGMA writable_schema = ON")
    other.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", indexes)
    other.commit()
    other.close()


def test_a_population_is_never_read_from_an_index_alone(path: Path) -> None:
    """One bit of each place where the name of a population stands is flipped."""
    asked(path, 3)
    whole, copy = path.read_bytes(), path.with_name("copy.db")
    reads: list[Callable[[Store], object]] = [
        lambda store: store.populations(),
        lambda store: store.population_of("survey"),
        lambda store: store.ledger(CROWD).used,
    ]
    with open_store(path) as store:
        before = [read(store) for read in reads]
    places = [place.start() for place in re.finditer(CROWD.encode(), whole)]
    assert len(places) > 8  # releases, their index, their account, the graph
    refused = 0
    for place in places:
        copy.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        for read, fact in zip(reads, before, strict=True):
            now = found(copy, read)
            assert now in (fact, None)
            refused += now is None
    assert refused > len(places)


def test_a_release_that_only_the_indexes_have_is_damage(path: Path) -> None:
    name = next(iter(asked(path, 2)))
    without_indexes(path, "DELETE FROM level WHERE release = 1", "DELETE FROM release WHERE id = 1")
    with open_store(path) as store, pytest.raises(DamagedStore, match=r"is damaged: .*; restore it from a backup"):
        store.kept("survey", name)


def test_a_release_that_vanished_is_not_drawn_again(path: Path) -> None:
    """The account remembers it, and there would be room for another answer."""
    name = next(iter(asked(path, 2)))
    meddle(path, "DELETE FROM level WHERE release = 1", "DELETE FROM release WHERE id = 1")
    said = "its accounts state 2 releases, but a different number is there"
    for release in (name, "another"):
        with open_store(path) as store, pytest.raises(DamagedStore, match=said):
            store.answer("survey", "3", release)


@pytest.mark.parametrize("count", [12, 24, 47])
def test_pages_of_a_change_that_are_lost_lose_no_answer(path: Path, count: int) -> None:
    """Each page that an answer changed is the old one while the others are new, and the new one while they are old.

    So it is in a copy that was made while somebody wrote, and after a kill if the journal is deleted. With so many
    releases, pages of the table or of an index are split in two.
    """
    told = asked(path, count)
    before = path.read_bytes()
    with open_store(path) as store:
        store.answer("survey", "3", long_name(count))
    after = path.read_bytes()
    changed = [
        start for start in range(0, len(before), PAGE) if before[start : start + PAGE] != after[start : start + PAGE]
    ]
    assert len(changed) >= 6
    refused = 0
    for one, other in ((before, after), (after, before)):
        for start in changed:
            path.write_bytes(other[:start] + one[start : start + PAGE] + other[start + PAGE :])
            now = [found(path, lambda store, name=name: store.kept("survey", name)) for name in told]  # type: ignore[misc]
            assert [getattr(each, "answer", None) for each in now] in ([*told.values()], [None] * count)
            refused += now[0] is None
    assert refused > len(changed)


def test_a_release_that_cannot_be_kept_is_not_told(path: Path) -> None:
    """The account is damaged after the store was opened and checked."""
    asked(path, 2)
    with open_store(path) as store:
        assert store.account(CROWD).used == 2
        meddle(path, "UPDATE population SET account = replace(account, '2', '1')")
        with pytest.raises(DamagedStore, match="a row of its table 'population' was altered"):
            store.answer("survey", "3", "another")
