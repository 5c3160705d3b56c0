"""The lock beside a store's file: it keeps others out, and nothing is written through links."""

import os
from pathlib import Path

import pytest

from neodp import generate
from neodp.errors import StoreUnreachable
from neodp.store import open_store
from neodp.store.embedded.file import BESIDE


def victim(folder: Path) -> Path:
    file = folder / "victim"
    file.write_text("somebody's data")
    return file


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_where_the_lock_should_be_is_not_written_through(tmp_path: Path, link: object) -> None:
    theirs = victim(tmp_path)
    lock = tmp_path / "s.db.lock"
    os.symlink(theirs, lock) if link is os.symlink else os.link(theirs, lock)
    told = r"the lock .*s\.db\.lock of the store .* is a link or no plain file: nothing was written to it; find out"
    with pytest.raises(StoreUnreachable, match=told):
        open_store(tmp_path / "s.db")
    assert theirs.read_text() == "somebody's data"
    assert lock.exists()
    assert not (tmp_path / "s.db").exists()


def test_a_pipe_where_the_lock_should_be_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.db.lock")
    with pytest.raises(StoreUnreachable, match="is a link or no plain file"):
        open_store(tmp_path / "s.db")


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("end", BESIDE)
def test_a_link_where_the_engine_would_write_is_refused(tmp_path: Path, end: str, hard: bool) -> None:
    theirs = victim(tmp_path)
    with open_store(tmp_path / "s.db") as store:
        store.load("g", generate.path(3))
    (os.link if hard else os.symlink)(theirs, tmp_path / f"s.db{end}")
    with pytest.raises(StoreUnreachable, match=f"has a link beside it, s.db{end}; find out who made the link"):
        open_store(tmp_path / "s.db")
    assert theirs.read_text() == "somebody's data"
