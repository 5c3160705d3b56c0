"""Executors that are processes of their own, as on a cluster, and are killed in the middle of a run."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import neodp
from neodp import blocks
from neodp.blocks.folder import open_folder
from neodp.blocks.local import carry_out
from neodp.blocks.spark import executors
from neodp.blocks.work import Work
from tests.blocks.test_blocks import same

MASTER = "local-cluster[2,1,1024]"
"""A master, two workers, and for each an executor: a Java process with one core and 1024 MB."""
pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own


def executor() -> int:
    """The process of the executor that this is called on."""
    process = os.getpid()
    while True:
        asked = subprocess.run(["ps", "-o", "ppid=,args=", "-p", f"{process}"], capture_output=True, text=True)
        parent, command = asked.stdout.split(maxsplit=1)
        if "CoarseGrainedExecutorBackend" in command:
            return process
        process = int(parent)


def with_a_kill(function: Callable[[int], Any], killed: str, block: int) -> Any:
    """Do the work, and kill the executor before it can tell; with the first of all blocks to get here only."""
    result = function(block)
    try:
        Path(killed).mkdir()
    except FileExistsError:
        return result
    victim = executor()
    Path(killed, str(victim)).touch()
    os.kill(victim, signal.SIGKILL)
    time.sleep(60)  # Spark ends this process when it finds out
    return result


def test_an_executor_that_is_killed_in_a_round_changes_nothing(tmp_path: Path) -> None:
    """It is killed after it has done a step, and before anybody is told of it."""
    graph = neodp.generate.counts([7, 7], epsilon=[0.1, 0.5])
    graph = graph.with_alpha(neodp.balanced(graph))
    path = tmp_path / "g"
    blocks.write_graph(graph, blocks.by_growth(graph, 3), path)
    work = Work(open_folder(path), "extend")
    with executors(MASTER) as cluster:

        def run(function: Callable[[int], Any], numbers: Iterable[int]) -> Any:
            if getattr(function, "func", None) == work.step:
                function = partial(with_a_kill, function, str(tmp_path / "killed"))
            return cluster(function, numbers)

        found = carry_out(work, run)
    assert same(path, neodp.extend(graph))
    assert found.rounds > 1
    (victim,) = (tmp_path / "killed").iterdir()
    with pytest.raises(ProcessLookupError):
        os.kill(int(victim.name), 0)
