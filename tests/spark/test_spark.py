"""Blocks on Spark: the same bits as in memory, also if what computes is killed; and the words where it cannot be.

Spark runs here, with two workers, and sends nothing beyond this machine. ``make test-spark`` installs it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
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
from neodp.errors import IncompatibleAlpha, UnhitBoundary
from tests.blocks.test_blocks import same
from tests.problems import random_graph

MASTER = "local[2]"
pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with executors(MASTER) as run:
        yield run


@pytest.mark.parametrize("kind", ["compatible", "rounded", "hit"])
def test_the_mechanism_is_that_of_memory(kind: str, cluster: Any, tmp_path: Path) -> None:
    graph = random_graph(kind, 1)
    blocks.write_graph(graph, blocks.by_growth(graph, 4), tmp_path / "g")
    found = carry_out(Work(open_folder(tmp_path / "g"), "extend"), cluster)
    assert same(tmp_path / "g", neodp.extend(graph))
    assert found.vertices == len(graph)


def killed_once(function: Callable[[int], Any], flags: str, block: int) -> Any:
    """Do the work, and die before anybody is told; the first time only."""
    result = function(block)
    flag = Path(flags, f"{block}-{getattr(function, 'func', function).__name__}")
    if block == 1 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return result


def test_workers_that_are_killed_change_nothing(cluster: Any, tmp_path: Path) -> None:
    """In every stage of a run, the process that has just done block 1 is killed; Spark has it done again."""
    graph = random_graph("compatible", 2)
    path, flags = tmp_path / "g", tmp_path / "flags"
    flags.mkdir()
    blocks.write_graph(graph, blocks.by_growth(graph, 3), path)

    def run(function: Callable[[int], Any], numbers: Iterable[int]) -> Any:
        return cluster(partial(killed_once, function, str(flags)), numbers)

    carry_out(Work(open_folder(path), "extend"), run)
    assert len(list(flags.iterdir())) >= 4
    assert same(path, neodp.extend(graph))


def test_what_is_wrong_with_the_graph_is_said_as_ever(cluster: Any, tmp_path: Path) -> None:
    graph = neodp.generate.path(12)
    blocks.write_graph(graph, blocks.by_growth(graph, 3), tmp_path / "unhit")
    with pytest.raises(UnhitBoundary, match="has alpha at neither end"):
        carry_out(Work(open_folder(tmp_path / "unhit"), "extend"), cluster)
    graph = graph.with_alpha({"5": 0.99, "6": 0.01})
    blocks.write_graph(graph, blocks.by_growth(graph, 3), tmp_path / "incompatible")
    with pytest.raises(IncompatibleAlpha):
        carry_out(Work(open_folder(tmp_path / "incompatible"), "extend"), cluster)


def test_counts_block_by_block_and_the_audit(tmp_path: Path) -> None:
    """Last of all, since these calls end the session that the others share."""
    graph = neodp.generate.counts([9, 9, 9], epsilon=[0.1, 0.5, 1.0])
    graph = graph.with_alpha(neodp.balanced(graph))
    path = tmp_path / "counts"
    blocks.write_graph(graph, blocks.by_growth(graph, 6), path)
    told: list[str] = []
    found = blocks.extend(path, master=MASTER, progress=lambda what, done, total: told.append(what))
    assert same(path, neodp.extend(graph))
    assert found.rounds > 1
    assert "own, round 1" in told
    report, expected = blocks.audit(path, master=MASTER), neodp.audit(graph, neodp.extend(graph))
    assert (report.edges, report.checks, report.violations) == (expected.edges, expected.checks, 0)
