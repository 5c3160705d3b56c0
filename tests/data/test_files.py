"""Files with private data: for their owner only, whole or not at all, and not through links."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import blocks, generate
from neodp.data.files import OpenFileWarning, make_folder, masked, private
from neodp.errors import GraphError
from neodp.store import open_store
from tests.running import Run


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_mask() -> object:
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022


JOURNAL = """
import os, sys
from neodp import generate
from neodp.store import open_store

store = open_store(sys.argv[1])
store.load("g", generate.path(4), replace=True, progress=lambda *_: os._exit(9))
"""


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_store_and_its_journal_have_the_same_rights(tmp_path: Path, mode: int) -> None:
    """A new store is for its owner only; one that its owner opened to a group stays so."""
    with open_store(tmp_path / "s.db") as store:
        store.load("g", generate.path(3))
    assert rights(tmp_path / "s.db") == 0o600
    (tmp_path / "s.db").chmod(mode)
    subprocess.run([sys.executable, "-c", JOURNAL, tmp_path / "s.db"], check=False)
    assert {path.name: rights(path) for path in tmp_path.iterdir()} == {"s.db": mode, "s.db-journal": mode}
    with open_store(tmp_path / "s.db") as store:
        assert len(store.read("g")) == 3
        store.load("h", generate.path(3))
    assert {path.name: rights(path) for path in tmp_path.iterdir()} == {"s.db": mode}


@pytest.mark.parametrize("address", ["embedded"], indirect=True)
def test_exports_and_pictures_are_for_their_owner_only(survey: Run, tmp_path: Path) -> None:
    assert survey("export", "survey", str(tmp_path / "out" / "deep"))[0] == 0
    assert survey("plot", "survey", "-o", str(tmp_path / "p.svg"))[0] == 0
    assert survey("audit", "survey", "--losses", str(tmp_path / "losses.csv"))[0] == 0
    files = [tmp_path / "out/deep/nodes.csv", tmp_path / "out/deep/edges.csv", tmp_path / "p.svg"]
    assert {rights(file) for file in (*files, tmp_path / "losses.csv")} == {0o600}
    assert {rights(folder) for folder in (tmp_path / "out", tmp_path / "out/deep")} == {0o700}


def test_a_folder_of_blocks_is_for_its_owner_only(tmp_path: Path) -> None:
    graph = generate.grid(4, 4)
    made = tmp_path / "made"
    made.mkdir()  # open to others, and still empty
    blocks.write_graph(graph.with_alpha(neodp.balanced(graph)), np.arange(16, dtype=np.int32) // 8, made)
    blocks.extend(made)
    inside = list(made.rglob("*"))
    assert {rights(path) for path in inside if path.is_file()} == {0o600}
    assert {rights(path) for path in inside if path.is_dir()} == {0o700}
    (tmp_path / "victim").write_text("theirs")
    (made / ".lock").unlink()
    (made / ".lock").symlink_to(tmp_path / "victim")
    with pytest.raises(GraphError, match=r"\.lock cannot be opened: .*; find out who made it, and remove it"):
        blocks.extend(made)
    assert (tmp_path / "victim").read_text() == "theirs"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("theirs")
    (tmp_path / "nodes.csv").symlink_to(tmp_path / "victim")
    with pytest.raises(GraphError, match=r"nodes\.csv is a link, which neodp does not follow; name the file itself"):
        generate.path(3).to_csv(tmp_path / "nodes.csv", tmp_path / "edges.csv")
    assert (tmp_path / "victim").read_text() == "theirs"


def test_what_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    with pytest.raises(TypeError), private(tmp_path / "x") as file:
        file.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x", "old")]
    with pytest.raises(GraphError, match="cannot be written: No such file or directory; choose another file"):
        neodp.generate.path(2).to_csv(tmp_path / "no" / "nodes.csv", tmp_path / "edges.csv")
    with pytest.raises(GraphError, match=r"the folder .* cannot be made: File exists; choose another"):
        make_folder(tmp_path / "x" / "y")


def test_a_file_system_without_rights_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a memory stick: whatever is asked for, everybody may read. Here another hand opens the file at once."""
    replace = Path.replace

    def opened(self: Path, target: Path) -> Path:
        self.chmod(0o777)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", opened)
    with pytest.warns(OpenFileWarning, match="holds private data and can be read by others: its file system keeps no"):
        generate.path(2).to_csv(tmp_path / "nodes.csv", tmp_path / "edges.csv")


def test_threads_that_mask_at_once_give_the_mask_back() -> None:
    def often() -> None:
        for _ in range(500):
            with masked():
                pass

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_folder_that_another_process_makes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, is_dir = tmp_path / "mail", Path.is_dir
    looks: list[bool] = []

    def look(path: Path) -> bool:
        """Another process makes the folder just after the first look at it."""
        found = is_dir(path)
        if path == folder and not looks:
            looks.append(found)
            folder.mkdir()
        return found

    monkeypatch.setattr(Path, "is_dir", look)
    assert make_folder(folder) == folder
    assert looks == [False]
