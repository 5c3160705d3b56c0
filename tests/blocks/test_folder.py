"""Damaged, missing or foreign folders are refused with the place, and a killed run goes on where it was."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import neodp
from neodp import blocks
from neodp.errors import GraphError, Overtaken
from tests.blocks.test_blocks import rows, same

EXTENDED = """
import os, signal, sys
from neodp import blocks

def progress(what, done, total):
    if [what, str(done)] == sys.argv[2:]:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    blocks.extend(sys.argv[1], progress=progress)
"""


@pytest.fixture
def graph() -> neodp.DatasetGraph:
    g = neodp.generate.grid(12, 12, epsilon=[0.1, 0.3], delta=[0.0, 0.001])
    return g.with_alpha(neodp.balanced(g))


@pytest.fixture
def folder(graph: neodp.DatasetGraph, tmp_path: Path) -> Path:
    blocks.write_graph(graph, blocks.by_cubes((12, 12), 9), tmp_path / "g")
    return tmp_path / "g"


def test_a_run_that_was_killed_goes_on_where_it_was(graph: neodp.DatasetGraph, folder: Path) -> None:
    """kill -9 while blocks are read, between two steps of a round, and while the mechanism is written."""
    for moment in (("blocks read", "4"), ("own, round 1", "3"), ("own, round 3", "2"), ("mechanism", "5")):
        killed = subprocess.run([sys.executable, "-c", EXTENDED, str(folder), *moment])
        assert killed.returncode == -signal.SIGKILL
        assert not (folder / "mechanism").exists()
    heard: list[str] = []
    blocks.extend(folder, progress=lambda what, done, total: heard.append(what))
    assert set(heard) == {"mechanism"}  # all rounds were done before
    assert same(folder, neodp.extend(graph))
    assert blocks.audit(folder)


def test_work_for_another_alpha_is_not_used(graph: neodp.DatasetGraph, folder: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", EXTENDED, str(folder), "own, round 2", "1"])
    assert killed.returncode == -signal.SIGKILL
    shutil.rmtree(folder / "alpha")
    other = graph.with_alpha(neodp.homogeneous(graph, 0.5))
    blocks.write_graph(other, blocks.by_cubes((12, 12), 9), folder.with_name("other"))
    shutil.copytree(folder.with_name("other") / "alpha", folder / "alpha")
    blocks.extend(folder)
    assert same(folder, neodp.extend(other))


def test_processes_find_the_same(graph: neodp.DatasetGraph, folder: Path) -> None:
    assert blocks.extend(folder, workers=2).blocks == 9
    assert same(folder, neodp.extend(graph))


def test_one_process_at_a_time(folder: Path) -> None:
    def nested(what: str, done: int, total: int) -> None:
        with pytest.raises(Overtaken, match=r"another process is working on .*; wait until it is done"):
            blocks.extend(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blocks.extend(folder, progress=nested)
    blocks.extend(folder)


def test_extending_again_replaces_the_mechanism_and_staleness_shows(folder: Path) -> None:
    blocks.extend(folder)
    first = rows(folder)
    assert not blocks.is_stale(folder)
    blocks.balanced(folder)
    assert blocks.is_stale(folder)
    blocks.extend(folder)
    assert not blocks.is_stale(folder)
    assert rows(folder) == first


def change(file: Path, name: str, row: int, value: Any) -> None:
    table = pq.read_table(file)
    values = table[name].to_pylist()
    values[row] = value
    column = pa.array(values, table.schema.field(name).type)
    pq.write_table(table.set_column(table.column_names.index(name), name, column), file)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (
        shutil.rmtree,
        r"is not a folder of blocks: it has no graph.json; make one with `neodp.blocks.write_graph",
    ),
    "json": (lambda f: (f / "graph.json").write_text("{"), r"graph.json is damaged: .*; make the folder again"),
    "format": (lambda f: (f / "graph.json").write_text('{"format": 2}'), "has the format 2; .* reads the format 1"),
    "file": (lambda f: (f / "edges" / "00003.parquet").unlink(), "00003.parquet is missing; make the folder again"),
    "not parquet": (lambda f: (f / "edges" / "00003.parquet").write_text("x"), "has no readable columns source, block"),
    "epsilon": (
        lambda f: change(f / "edges" / "00000.parquet", "epsilon", 1, -1.0),
        r"edges/00000.parquet, row 2: epsilon is -1.0; give a number from 0 to 690",
    ),
    "delta": (lambda f: change(f / "edges" / "00000.parquet", "delta", 0, float("nan")), "row 1: delta is nan; give"),
    "block": (
        lambda f: change(f / "edges" / "00000.parquet", "block", 0, 9),
        "block is 9; there are the blocks 0 to 8",
    ),
    "source": (
        lambda f: change(f / "edges" / "00000.parquet", "source", 0, 16),
        "source is 16; block 0 has places",
    ),
    "far": (lambda f: change(f / "edges" / "00000.parquet", "target", -1, 99), "is 99; block . has places 0 to 15"),
    "loop": (lambda f: change(f / "edges" / "00000.parquet", "target", 0, 0), "row 1: target is 0; an edge joins two"),
    "color": (
        lambda f: pq.write_table(pa.table({"key": ["a"], "color": ["maybe"]}), f / "nodes" / "00002.parquet"),
        "row 1: the colour is 'maybe'; graph.json names the colours yes, no",
    ),
    "null": (
        lambda f: pq.write_table(pa.table({"key": ["a"], "color": pa.nulls(1, "str")}), f / "nodes" / "00002.parquet"),
        "has 1 rows without color; fill them",
    ),
    "alpha": (lambda f: change(f / "alpha" / "00002.parquet", "p", 0, 0.123), "p is 0.123; give p and q from 0 to 1"),
    "type": (
        lambda f: pq.write_table(
            pa.table({"place": pa.array([0], pa.int64()), "p": [0.5], "q": [0.5]}), f / "alpha" / "00002.parquet"
        ),
        "has place as int64; write it as int32",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_named(what: str, folder: Path) -> None:
    harm, message = DAMAGE[what]
    harm(folder)
    with pytest.raises(GraphError, match=message):
        blocks.extend(folder)
    assert not (folder / "mechanism").exists()


def test_nothing_is_written_over(graph: neodp.DatasetGraph, folder: Path) -> None:
    with pytest.raises(GraphError, match="already exists, and is not empty; give another folder, or delete it"):
        blocks.write_graph(graph, np.zeros(len(graph), np.int32), folder)


def test_a_folder_is_for_two_colors(tmp_path: Path) -> None:
    g = neodp.generate.plurality(3)
    with pytest.raises(GraphError, match="'plurality' has 3 colours; this is defined for two colours only"):
        blocks.write_graph(g, np.zeros(len(g), np.int32), tmp_path / "g")
    (tmp_path / "g").mkdir()
    facts = {"format": 1, "name": "g", "colors": ["a", "b", "c"], "blocks": 0, "datasets": 0, "edges": 0}
    (tmp_path / "g" / "graph.json").write_text(json.dumps(facts))
    with pytest.raises(GraphError, match="'g' has 3 colours; blocks support two colours only"):
        blocks.open_folder(tmp_path / "g")


def test_there_is_nothing_to_audit_before_extend(folder: Path) -> None:
    with pytest.raises(GraphError, match=r"has no mechanism; run `neodp.blocks.extend\(.*\)` first"):
        blocks.audit(folder)


def test_the_processes_end_with_the_one_that_is_killed(folder: Path) -> None:
    """Nobody waits for work for ever: whoever reads the output of all sees its end."""
    code = EXTENDED.replace("progress=progress", "progress=progress, workers=2")
    script = folder.with_name("script.py")
    script.write_text(code)
    words = [sys.executable, str(script), str(folder), "own, round 2", "1"]
    killed = subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": os.getcwd()})
    assert killed.communicate(timeout=120)[0] == b""  # also the end of every process that has inherited the pipe
    assert killed.returncode == -signal.SIGKILL
