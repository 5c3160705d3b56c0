"""Blocks on one machine: local processes over memory-mapped files, out of core.

``extend`` and ``balanced`` prepare every block, then step all blocks that have mail, round by round, until no block has
mail. ``workers`` sets how many blocks are worked on at the same time; each of these processes needs memory only for its
own block. If the run is interrupted, in whatever way, the same call continues with the round that was interrupted.
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
from typing import Any, Protocol, TypeVar

import numpy as np

from neodp.blocks.folder import Alpha, Folder, open_folder, replace_folder, write_table, write_text
from neodp.blocks.passes import off
from neodp.blocks.spark import executors
from neodp.blocks.witness import conflict_in, incompatible, worst_of
from neodp.blocks.work import Pass, Work
from neodp.core.privacy import EpsilonDelta
from neodp.data.files import OWNER, make_folder
from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.errors import GraphError, NeodpError, Overtaken
from neodp.hints import Hint, Option

__all__ = [
    "BlocksSummary",
    "Map",
    "Rounds",
    "alone",
    "balanced",
    "carry_out",
    "extend",
    "processes",
    "workforce",
]

T = TypeVar("T")


class Map(Protocol):
    """A way to call a function for every block, in any order or in parallel, with the results in order."""

    def __call__(self, function: Callable[[int], T], blocks: Iterable[int], /) -> Iterable[T]:
        """Call a function for every block, and return the results in the order of the blocks."""
        ...


@dataclass(frozen=True)
class Rounds:
    """The number of rounds, steps and messages of a pass.

    Attributes
    ----------
    rounds : int
        The number of rounds.
    steps : int
        The number of steps of blocks, over all rounds.
    messages : int
        The number of labels sent from block to block; after an interruption, labels sent by steps of the interrupted
        round that were already done are not counted.
    """

    rounds: int
    steps: int
    messages: int


@dataclass(frozen=True)
class BlocksSummary:
    """The summary of a mechanism that ``extend`` computed and wrote.

    Attributes
    ----------
    graph : str
    vertices, edges, blocks : int
    boundary : int
        The number of datasets on the boundary.
    min_p_true, mean_p_true : float
        The least and the mean chance of the true answer, over all datasets.
    rounded : int
        The number of datasets whose alpha was rounded in.
    rounds, messages : int
        The number of rounds and messages of the pass that gave the mechanism; see ``Rounds``.
    state : str
        The state of the files from which the mechanism was computed; see ``Folder.state``.
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


@checked
def extend(
    path: str | os.PathLike[str], *, workers: int = 1, master: str | None = None, progress: Progress = silent
) -> BlocksSummary:
    """Find the optimal mechanism of a graph in a folder of blocks, and write it there.

    Parameters
    ----------
    path : path
        A folder of blocks (:mod:`neodp.blocks.folder`), with alpha on a boundary-hitting set.
    workers : int
        The number of processes that work at the same time; with 1, the calling process does the work. With more, a
        script that calls this function needs ``if __name__ == "__main__":``, as usual with ``multiprocessing``.
    master : str, optional
        A Spark cluster that does the work instead (:mod:`neodp.blocks.spark`), for example ``"spark://HOST:7077"``.
    progress : callable
        A function that is called with the progress of every round.

    Returns
    -------
    BlocksSummary
        The summary. The probabilities are in ``DIR/mechanism``, and equal those of ``neodp.extend`` in every bit.

    Raises
    ------
    UnhitBoundary
        If a boundary edge has alpha at neither end.
    IncompatibleAlpha
        If no private mechanism agrees with alpha. As in memory, an alpha that is off by a rounding error is rounded in.
    GraphError
        If the path is not a folder of blocks, or a file is damaged; the message says where.
    Overtaken
        If another process is working on the folder.

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


@checked
def balanced(
    path: str | os.PathLike[str], *, workers: int = 1, master: str | None = None, progress: Progress = silent
) -> Rounds:
    """Give a graph in a folder of blocks the alpha that shares every boundary edge evenly, as ``neodp.balanced`` does.

    The alpha is written to ``DIR/alpha``, and replaces any alpha that is there.

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


def carry_out(work: Work, run: Map, progress: Progress = silent) -> BlocksSummary:
    """Carry out ``extend``, with the blocks of every round given to `run`."""
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
    summary = BlocksSummary(
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
    """Prepare all blocks, unless they are prepared already; return the number of boundary datasets."""
    if not state["prepared"]:
        blocks = range(work.folder.blocks)
        for _ in _told(progress, "blocks read", len(blocks), run(work.prepare, blocks)):
            pass
        state["boundary"] = sum(_told(progress, "blocks joined", len(blocks), run(work.connect, blocks)))
        state["prepared"] = True
        work.save(state)
    return int(state["boundary"])


def _settled(work: Work, state: dict[str, Any], name: Pass, run: Map, progress: Progress) -> Rounds:
    """Carry out a pass, or the rest of an interrupted pass: round after round until no block has mail."""
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
    """Save the alpha of a block as lowered by the pass "first"; return how many changed, and if only by rounding."""
    part, first = work.part(block), work.label(block, "first")
    moved, fine = off(part, first)
    work.save_rounded(block, np.where(part.given, np.where(part.color == 0, first, -first), part.own))
    return len(moved), fine


def _write_mechanism(work: Work, name: Pass, block: int) -> tuple[int, float, float]:
    """Write the probabilities of a block; return its size, and the least and the total chance of the true answer."""
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
    """Return a context manager that yields a ``Map``: on a Spark cluster if one is named, else on local processes."""
    if master is None:
        return processes(workers)
    return executors(master)


@contextmanager
def processes(workers: int) -> Iterator[Map]:
    """Yield a ``Map`` over this many local processes, but no more than there are cores; with 1, over this process.

    The processes end when the process that started them ends, even if it is killed.
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
                "a process that worked on a block was killed, perhaps because memory ran out",
                Hint("run it again to continue from there, with fewer ", Option("workers"), " or smaller blocks"),
            ) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _in_turn(function: Callable[[int], T], blocks: Iterable[int]) -> Iterable[T]:
    return map(function, blocks)


def _side_by_side(pool: ProcessPoolExecutor, function: Callable[[int], T], blocks: Iterable[int]) -> Iterable[T]:
    return pool.map(function, blocks)


def _end_with_parent() -> None:
    """End this process when its parent process is gone, instead of waiting for work for ever."""
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Lock the folder against other processes; the lock ends with this process."""
    if sys.platform == "win32":  # no lock: two processes still give the right result, as every file is complete
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
            raise Overtaken(f"another process is working on {folder.path}", "wait until it is done") from None
        yield
