"""Blocks compared with memory: rounds, messages, peak memory and time.

Three tables. *Partitions*: the same graph in blocks of different kinds, and *cubes*: in more and more blocks. Rounds,
steps and messages do not depend on the machine; a message has 16 bytes. *Size*: counts of three groups with mixed
epsilons, written box by box, balanced, extended and audited out of core, by one process without workers that may have
at most 4 GiB: the system refuses more (RLIMIT_AS, which counts every address of the process, used or not). Next to it
stands the same work in memory, in another process without that limit. Both must find the same probabilities: all of
them are compared, bit by bit. ``--largest 100000000`` adds a graph of that many edges.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import neodp
from bench.core import warm
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, met, seconds, show, table
from neodp import blocks
from neodp.data.validation import Ints

__all__ = ["Folded", "fold", "run"]

EPSILON = (0.1, 0.5, 1.0)
"""The epsilons of the three groups."""
MEMORY = 4 * 2**30
"""The largest number of bytes of the process that works out of core."""
BLOCK = 2**18
"""The approximate number of datasets in a block."""


class Folded(NamedTuple):
    """The measurements of a graph in blocks; the bytes of its files, and of those that ``extend`` works with."""

    edges: int
    blocks: int
    seconds: list[float]
    rounds: int
    steps: int
    messages: int
    stored: int
    working: int
    peak: int

    @property
    def way(self) -> list[str]:
        """Rounds, steps per block and messages per half-edge, as cells of a table."""
        return [f"{self.rounds}", f"{self.steps / self.blocks:.1f}", f"{self.messages / (2 * self.edges):.2f}"]


def run(quick: bool, largest: int = 0) -> None:
    """Measure and print."""
    show(_partitions(16 if quick else 24), _cubes(15 if quick else 47))
    sizes = [(15, BLOCK), (31, BLOCK)] if quick else [(63, BLOCK), (127, BLOCK), (127, 8 * BLOCK)]
    show(*_sizes([*sizes, (_side(largest), BLOCK)] if largest else sizes))


def _partitions(side: int) -> str:
    shape = (side,) * 3
    graph = neodp.generate.grid(*shape, epsilon=EPSILON)
    graph = graph.with_alpha(neodp.balanced(graph))
    count = (side // 8) ** 3
    cuts: dict[str, Ints] = {
        f"{count} cubes": blocks.by_cubes(shape, count),
        f"{count} grown": blocks.by_growth(graph, count),
        f"{count} slabs": np.repeat(blocks.by_cubes(shape[:1], count), side * side),
        f"{count} at random": np.random.default_rng(1).integers(0, count, side**3).astype(np.int32),
    }
    rows = []
    for name, cut in cuts.items():
        with tempfile.TemporaryDirectory() as folder:
            blocks.write_graph(graph, cut, Path(folder, "g"))
            found = blocks.extend(Path(folder, "g"))
        share = np.count_nonzero(cut[graph.source] != cut[graph.target]) / graph.edges
        rows.append([name, str(found.rounds), f"{share:.1%}", f"{found.messages / (2 * graph.edges):.2f}"])
    head = [f"grid {side}^3, {graph.edges:,} edges", "rounds", "edges cut", "messages per half-edge"]
    return table(head, rows)


def _cubes(side: int) -> str:
    rows = []
    for cut in (1, 2, 3, 4, 6, 8):
        with tempfile.TemporaryDirectory() as folder:
            found = fold(str(Path(folder, "g")), side, cut**3)
        rows.append([f"{cut} x {cut} x {cut}", *found.way])
    head = [
        f"boxes of {side + 1}^3 counts, {found.edges:,} edges",
        "rounds",
        "steps per block",
        "messages per half-edge",
    ]
    return table(head, rows)


def _side(edges: int) -> int:
    """Return how many people each of three groups needs for their counts to have at least this many edges."""
    side = 1
    while 3 * side * (side + 1) ** 2 < edges:
        side += 1
    return side


def _sizes(sizes: Sequence[tuple[int, int]]) -> tuple[str, str]:
    rows, same, most = [], True, 0
    for side, block in sizes:
        with tempfile.TemporaryDirectory() as folder, Process() as one, Process() as two:
            path = str(Path(folder, "g"))
            found = one.call(_out_of_core, path, side, -(-((side + 1) ** 3) // block))
            edges = found.edges
            files = [f"{found.stored / edges:.0f}", f"{found.working / edges:.0f}"]
            rows.append([f"blocks: {found.blocks}", f"{edges:,}", *map(seconds, found.seconds), megabytes(found.peak)])
            rows[-1] += [*found.way, *files, ""]
            spent, needed, equal = two.call(_in_memory, path, side)
            rows.append(["memory", f"{edges:,}", *map(seconds, spent), megabytes(needed), *[""] * 5])
            rows[-1].append("same bits" if equal else "OTHER BITS")
            same, most = same and equal, max(most, found.peak)
    head = ["counts, three groups", "edges", "generate s", "balanced s", "extend s", "audit s", "peak MB", "rounds"]
    head += ["steps per block", "messages per half-edge", "bytes per edge", "bytes per edge at work", ""]
    aims = [
        ["memory of the blocks' process, GiB", f"<= {MEMORY / 2**30:g}", f"{most / 2**30:.2f}", met(most <= MEMORY)],
        ["probabilities of both", "equal", "equal" if same else "different", met(same)],
    ]
    return table(head, rows), table([f"up to {edges:,} edges", "aim", "found", ""], aims)


def _out_of_core(path: str, side: int, count: int) -> Folded:
    """Write, balance, extend and audit a graph in blocks, in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warm()
    mark_peak()
    return fold(path, side, count)


def fold(path: str, side: int, count: int, *, workers: int = 1, master: str | None = None) -> Folded:
    """Write counts of three groups in `count` blocks, balance, extend and audit them, and measure each step."""
    lattice = neodp.generate.counts_lattice([side] * 3, epsilon=EPSILON)
    made, _ = stopwatch(lambda: blocks.write_lattice(lattice, path, count))
    even, _ = stopwatch(lambda: blocks.balanced(path, workers=workers, master=master))
    working = steps = 0

    def watch(what: str, done: int, total: int) -> None:
        nonlocal working, steps
        if done == 0:
            working = max(working, _size(Path(path, "work")))
            steps += total if "round" in what else 0

    extended, found = stopwatch(lambda: blocks.extend(path, workers=workers, master=master, progress=watch))
    audited, report = stopwatch(lambda: blocks.audit(path, worst=0, workers=workers, master=master))
    assert report
    spent = [made, even, extended, audited]
    stored = _size(Path(path))
    return Folded(found.edges, found.blocks, spent, found.rounds, steps, found.messages, stored, working, peak())


def _size(path: Path) -> int:
    """Return the number of bytes in the files of a folder."""
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _in_memory(path: str, side: int) -> tuple[list[float], int, bool]:
    """Do the same in memory; return the seconds of each part, peak memory, and whether the probabilities agree."""
    warm()
    mark_peak()
    made, graph = stopwatch(lambda: neodp.generate.counts([side] * 3, epsilon=EPSILON))
    even, graph = stopwatch(lambda: graph.with_alpha(neodp.balanced(graph)))
    extended, mechanism = stopwatch(lambda: neodp.extend(graph))
    audited, report = stopwatch(lambda: neodp.audit(graph, mechanism, worst=0))
    assert report
    most = peak()
    return [made, even, extended, audited], most, _same(blocks.open_folder(path), graph, mechanism, side)


def _same(folder: blocks.Folder, graph: neodp.DatasetGraph, mechanism: neodp.Mechanism, side: int) -> bool:
    """Return whether a folder has the keys and probabilities of a mechanism, box by box."""
    box = blocks.by_cubes([side + 1] * 3, folder.blocks)
    order = np.argsort(box, kind="stable")
    ends = np.cumsum(np.bincount(box, minlength=folder.blocks))
    places = np.split(order, ends[:-1])
    return all(
        folder.keys(block).equals(graph.keys.take(place))
        and folder.rows(block).tobytes() == mechanism.probabilities[place].tobytes()
        for block, place in enumerate(places)
    )
