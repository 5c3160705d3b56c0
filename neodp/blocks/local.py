"""Blocks on one machine: local processes over memory-mapped files, out of core.

``extend`` and ``balanced`` prepare every block, then step all blocks that have mail, round by round, until none has.
How many blocks are worked on at the same time is up to ``workers``; each of these processes needs memory for its own
block only. If the run is interrupted, in any way, the same call goes on with the round in which it was.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from neodp.blocks.folder import Alpha, Folder, open_folder, replace_folder, write_table, write_text
from neodp.blocks.passes import off
from neodp.blocks.witness import conflict_in, incompatible, worst_of
from neodp.blocks.work import Pass, Work
from neodp.core.privacy import EpsilonDelta
from neodp.data.files import OWNER, make_folder
from neodp.errors import GraphError, NeodpError, Overtaken

__all__ = [
    "Map",
    "Progress",
    "Rounds",
    "Summary",
    "alone",
    "balanced",
    "carry_out",
    "extend",
    "processes",
    "silent",
    "workforce",
]

T = TypeVar("T")
Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and out of how much."""


def silent(what: str, done: int, total: int) -> None:
    """Progress for nobody."""


class Map(Protocol):
    """Calls a function for every block, in any order or side by side; the results come in the order of the blocks."""

    def __call__(self, function: Callable[[int], T], blocks: Iterable[int], /) -> Iterable[T]: ...


@dataclass(frozen=True)
class Rounds:
    """What a pass took.

    Attributes
    ----------
    rounds : int
        How many rounds there were.
    steps : int
        How many steps of blocks, all rounds together.
    messages : int
        How many labels travelled from block to block; after an interruption without those of steps that were done.
    """

    rounds: int
    steps: int
    messages: int


@dataclass(frozen=True)
class Summary:
    """What ``extend`` found and wrote.

    Attributes
    ----------
    graph : str
    vertices, edges, blocks : int
    boundary : int
        How many datasets lie on the boundary.
    min_p_true, mean_p_true : float
        Over all datasets, the chance of answering truthfully.
    rounded : int
        How many alpha were rounded in.
    rounds, messages : int
        Of the pass that gave the mechanism; see ``Rounds``.
    state : str
        The state of the files that the mechanism was made for; see ``Folder.state``.
    """

    graph: str
    vertices: int
    edges: int
    blocks: int
    boundary: int
    min_p_true: float
    mean_p_true: float
    rounded: int
    rounds: int
    messages: int
    state: str


def extend(
    path: str | os.PathLike[str], *, workers: int = 1, master: str | None = None, progress: Progress = silent
) -> Summary:
    """Find the optimal mechanism of a graph in a folder of blocks, and write it there.

    Parameters
    ----------
    path : path
        A folder of blocks (:mod:`neodp.blocks.folder`), with alpha on a boundary-hitting set.
    workers : int
        How many processes work at the same time; with 1, this one does. With more, a script that calls this needs
        ``if __name__ == "__main__":``, as always with processes.
    master : str, optional
        A Spark cluster that does the work instead (:mod:`neodp.blocks.spark`), as in ``"spark://HOST:7077"``.
    progress : callable
        Is told about every round.

    Returns
    -------
    Summary
        The probabilities are those of ``neodp.extend``, in every bit; they stand in ``DIR/mechanism``.

    Raises
    ------
    UnhitBoundary
        If a boundary edge has alpha at neither end.
    IncompatibleAlpha
        If no private mechanism agrees with alpha. As in memory, an alpha that is off by a rounding error is rounded in.
    GraphError
        If the folder is not one, or a file is damaged; the message names the place.
    Overtaken
        If another process works on the folder.

    Examples
    --------
    >>> import tempfile, neodp
    >>> from neodp.blocks import by_growth, write_graph
    >>> g = neodp.generate.path(40)
    >>> with tempfile.TemporaryDirectory() as path:
    ...     _ = write_graph(g.with_alpha(neodp.balanced(g)), by_growth(g, 4), path)
    ...     found = extend(path)
    >>> found.vertices, found.blocks, found.rounds
    (40, 4, 3)
    """
    folder = open_folder(path)
    with alone(folder), workforce(workers, master) as run:
        return carry_out(Work(folder, "extend"), run, progress)


def balanced(
    path: str | os.PathLike[str], *, workers: int = 1, master: str | None = None, progress: Progress = silent
) -> Rounds:
    """Give a graph in a folder of blocks the alpha that shares every boundary edge evenly: ``neodp.balanced``.

    It is written to ``DIR/alpha``, in the place of any that is there.

    Parameters
    ----------
    path, workers, master, progress
        As in ``extend``.

    Raises
    ------
    GraphError, Overtaken
        As in ``extend``.
    """
    folder = open_folder(path)
    work = Work(folder, "balanced")
    with alone(folder), workforce(workers, master) as run:
        state = work.open()
        _prepared(work, state, run, progress)
        rounds = _settled(work, state, "even", run, progress)
        for _ in _told(progress, "alpha", folder.blocks, run(partial(_write_alpha, work), range(folder.blocks))):
            pass
        replace_folder(work.path / "alpha", folder.path / "alpha")
        work.clear()
    return rounds


def carry_out(work: Work, run: Map, progress: Progress = silent) -> Summary:
    """``extend``, with the blocks of every round given to `run`."""
    folder, blocks = work.folder, range(work.folder.blocks)
    state = work.open()
    boundary = _prepared(work, state, run, progress)
    final: Pass = "own"
    rounds = _settled(work, state, "own", run, progress)
    conflict = worst_of([found for found in run(partial(conflict_in, work), blocks) if found is not None])
    rounded = 0
    if conflict is not None:
        _settled(work, state, "first", run, progress)
        moved, fine = zip(*run(partial(_round_in, work), blocks), strict=True)
        rounded = sum(moved)
        if not rounded or not all(fine):
            error = incompatible(work, conflict)
            work.clear()
            raise error
        final = "rounded"
        rounds = _settled(work, state, "rounded", run, progress)
    written = run(partial(_write_mechanism, work, final), blocks)
    figures = list(_told(progress, "mechanism", folder.blocks, written))
    sizes, least, sums = zip(*figures, strict=True)
    summary = Summary(
        graph=folder.name,
        vertices=sum(sizes),
        edges=folder.edges,
        blocks=folder.blocks,
        boundary=boundary,
        min_p_true=min(least),
        mean_p_true=math.fsum(sums) / max(sum(sizes), 1),
        rounded=rounded,
        rounds=rounds.rounds,
        messages=rounds.messages,
        state=work.input,
    )
    write_text(work.path / "mechanism" / "summary.json", json.dumps(asdict(summary), ensure_ascii=False, indent=1))
    replace_folder(work.path / "mechanism", folder.path / "mechanism")
    work.clear()
    return summary


# --- the course of a run ------------------------------------------------------------------------------------


def _prepared(work: Work, state: dict[str, Any], run: Map, progress: Progress) -> int:
    """Prepare all blocks, unless that is done; how many boundary datasets there are."""
    if not state["prepared"]:
        blocks = range(work.folder.blocks)
        for _ in _told(progress, "blocks read", len(blocks), run(work.prepare, blocks)):
            pass
        state["boundary"] = sum(_told(progress, "blocks joined", len(blocks), run(work.connect, blocks)))
        state["prepared"] = True
        work.save(state)
    return int(state["boundary"])


def _settled(work: Work, state: dict[str, Any], name: Pass, run: Map, progress: Progress) -> Rounds:
    """Carry out a pass, or what is left of it: round after round until no block has mail."""
    course = state["passes"].setdefault(name, {"round": 0, "steps": 0, "messages": 0})
    if course["round"] == 0:
        course["messages"] = sum(run(partial(work.begin, name), range(work.folder.blocks)))
        course["round"] = 1
        work.save(state)
    while waiting := work.waiting(name, course["round"]):
        number = course["round"]
        steps = run(partial(work.step, name, number), waiting)
        course["messages"] += sum(_told(progress, f"{name}, round {number}", len(waiting), steps))
        course["steps"] += len(waiting)
        course["round"] += 1
        work.save(state)
        work.forget(name, number)
    return Rounds(course["round"] - 1, course["steps"], course["messages"])


def _round_in(work: Work, block: int) -> tuple[int, bool]:
    """Keep the alpha of a block as the pass "first" lowered it; at how many datasets, and whether that was rounding."""
    part, first = work.part(block), work.label(block, "first")
    moved, fine = off(part, first)
    work.save_rounded(block, np.where(part.given, np.where(part.color == 0, first, -first), part.own))
    return len(moved), fine


def _write_mechanism(work: Work, name: Pass, block: int) -> tuple[int, float, float]:
    """Write the probabilities of a block; how many datasets it has, the least chance of the truth, and the sum."""
    color = work.part(block).color
    true, false = EpsilonDelta(np.empty(0), np.empty(0)).decode(work.label(block, name))
    path = work.path / "mechanism" / work.folder.file("mechanism", block).name
    make_folder(path.parent)
    p, q = np.where(color == 0, true, false), np.where(color == 0, false, true)
    write_table(path, {"key": work.folder.keys(block), "p_true": true, "p": p, "q": q})
    return len(color), float(true.min(initial=1.0)), float(true.sum())


def _write_alpha(work: Work, block: int) -> None:
    """Write the balanced alpha of a block."""
    part = work.part(block)
    ends = part.boundary
    true, false = EpsilonDelta(np.empty(0), np.empty(0)).decode(work.label(block, "even")[ends])
    first = part.color[ends] == 0
    alpha = Alpha(ends.astype(np.int32), np.where(first, true, false), np.where(first, false, true))
    path = work.path / "alpha" / work.folder.file("alpha", block).name
    make_folder(path.parent)
    write_table(path, alpha._asdict())


def _told(progress: Progress, what: str, total: int, results: Iterable[T]) -> Iterator[T]:
    progress(what, 0, total)
    for done, result in enumerate(results):
        progress(what, done + 1, total)
        yield result


# --- processes ----------------------------------------------------------------------------------------------


def workforce(workers: int, master: str | None) -> AbstractContextManager[Map]:
    """Something that calls functions for blocks: a Spark cluster where one is named, else processes of this machine."""
    if master is None:
        return processes(workers)
    from neodp.blocks.spark import executors

    return executors(master)


@contextmanager
def processes(workers: int) -> Iterator[Map]:
    """Something that calls functions in so many processes, but no more than there are cores; with 1, in this one.

    The processes end with the one that started them, even if that is killed.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    if min(workers, cores) <= 1:
        yield _in_turn
        return
    with ProcessPoolExecutor(min(workers, cores), get_context("spawn"), _end_with_parent) as pool:
        try:
            yield partial(_side_by_side, pool)
        except BrokenProcessPool:
            raise NeodpError(
                "a process that worked on a block was killed, perhaps for want of memory",
                "do the same again to go on from there, with fewer `workers=...` or smaller blocks",
            ) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _in_turn(function: Callable[[int], T], blocks: Iterable[int]) -> Iterable[T]:
    return map(function, blocks)


def _side_by_side(pool: ProcessPoolExecutor, function: Callable[[int], T], blocks: Iterable[int]) -> Iterable[T]:
    return pool.map(function, blocks)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, instead of waiting for work for ever."""
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Keep other processes from working on the folder; the lock ends with the process."""
    if sys.platform == "win32":  # no lock there: the work of two is still right, as every file is whole
        yield
        return
    import fcntl

    path = Path(folder.path) / ".lock"
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, OWNER)
    except OSError as e:
        raise GraphError(f"{path} cannot be opened: {e.strerror}", "find out who made it, and remove it") from None
    with os.fdopen(number, "wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Overtaken(f"another process works on {folder.path}", "wait until it is done") from None
        yield
