"""Blocks against memory: rounds, messages, peak memory and time.

Two tables. *Partitions*: the same graph in different blocks; rounds, and messages per half-edge, do not depend on the
machine. *Size*: counts of three groups with mixed epsilons, written box by box, balanced, extended and audited out of
core, by one process without workers, so that its peak memory is that of the whole run; and beside it the same in
memory, in another process, as far as that fits. Both must find the same probabilities: the table says whether they do,
by a digest of all of them.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

import numpy as np

import neodp
from bench.process import Process, mark_peak, peak, stopwatch
from bench.report import megabytes, seconds, show, table
from neodp import blocks
from neodp.columns import Ints

__all__ = ["run"]

EPSILON = (0.1, 0.5, 1.0)
"""The epsilons of the three groups."""
IN_MEMORY = 30_000_000
"""The most edges that are also extended in memory."""


def run(quick: bool) -> None:
    """Measure and print."""
    show(_partitions(16 if quick else 24))
    show(_sizes((15, 31) if quick else (63, 127)))


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


def _sizes(sides: tuple[int, ...]) -> str:
    rows = []
    for side in sides:
        with tempfile.TemporaryDirectory() as folder, Process() as one, Process() as two:
            path = str(Path(folder, "g"))
            times, facts, digest, most = one.call(_out_of_core, path, side)
            edges, rounds, messages, size = facts
            rows.append([f"blocks, {edges:,} edges", *map(seconds, times), megabytes(most), f"{rounds}", f"{size:.0f}"])
            rows[-1].append(f"{messages / (2 * edges):.2f}")
            if edges <= IN_MEMORY:
                times, other, most = two.call(_in_memory, side)
                same = "same bits" if other == digest else "OTHER BITS"
                rows.append([f"memory, {edges:,} edges", *map(seconds, times), megabytes(most), "", "", same])
            shutil.rmtree(path)
    head = ["counts, three groups", "generate s", "balanced s", "extend s", "audit s", "peak MB", "rounds"]
    return table([*head, "bytes on disk per edge", "messages per half-edge"], rows)


def _out_of_core(path: str, side: int) -> tuple[list[float], tuple[int, int, int, float], str, int]:
    """Seconds of each part, figures, a digest of the mechanism, and the peak memory of this process."""
    _warm()
    mark_peak()
    lattice = neodp.generate.counts_lattice([side] * 3, epsilon=EPSILON)
    made, folder = stopwatch(lambda: blocks.write_lattice(lattice, path, -(-lattice.datasets // 2**18)))
    even, _ = stopwatch(lambda: blocks.balanced(path))
    extended, found = stopwatch(lambda: blocks.extend(path))
    audited, report = stopwatch(lambda: blocks.audit(path, worst=0))
    assert report
    most = peak()
    size = sum(file.stat().st_size for file in Path(path).rglob("*.parquet")) / found.edges
    sums = [_digest(folder.keys(block).to_pylist(), folder.rows(block)) for block in range(folder.blocks)]
    return [made, even, extended, audited], (found.edges, found.rounds, found.messages, size), _hex(sum(sums)), most


def _in_memory(side: int) -> tuple[list[float], str, int]:
    """The same in memory."""
    _warm()
    mark_peak()
    made, graph = stopwatch(lambda: neodp.generate.counts([side] * 3, epsilon=EPSILON))
    even, graph = stopwatch(lambda: graph.with_alpha(neodp.balanced(graph)))
    extended, mechanism = stopwatch(lambda: neodp.extend(graph))
    audited, report = stopwatch(lambda: neodp.audit(graph, mechanism, worst=0))
    assert report
    most = peak()
    return [made, even, extended, audited], _hex(_digest(graph.keys.to_pylist(), mechanism.probabilities)), most


def _warm() -> None:
    """Load what is compiled, so that it is not measured."""
    graph = neodp.generate.counts([3, 3, 3], epsilon=EPSILON)
    neodp.audit(graph, neodp.extend(graph.with_alpha(neodp.balanced(graph))))


def _digest(keys: list[str], rows: np.ndarray) -> int:
    """A sum over datasets that depends on every bit, but not on their order."""
    return sum(
        int.from_bytes(hashlib.blake2b(key.encode() + row.tobytes(), digest_size=16).digest(), "big")
        for key, row in zip(keys, np.ascontiguousarray(rows), strict=True)
    )


def _hex(total: int) -> str:
    return f"{total % 2**128:032x}"
