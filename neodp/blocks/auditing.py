"""The exact audit of a mechanism in a folder of blocks.

Edges are independent of each other: the audit of an edge needs only the probabilities at its two ends
(:mod:`neodp.core.auditing`). So the blocks are audited one after another, each with the edges in its own file and the
probabilities at the far ends of these edges, and the counts are added up.
"""

from __future__ import annotations

import heapq
import os
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from neodp.blocks.block import runs
from neodp.blocks.folder import Folder, open_folder
from neodp.blocks.local import Map, workforce
from neodp.core.auditing import Audit, EdgeAudit, audit_pairs
from neodp.data.kinds import checked
from neodp.data.progress import Progress, silent
from neodp.data.validation import Floats, Ints
from neodp.errors import GraphError
from neodp.hints import Call, Hint

__all__ = ["audit", "audit_with", "is_stale"]

MOST_WORST = 10**9
"""The greatest number of edges that are listed."""


@checked
def audit(
    path: str | os.PathLike[str],
    *,
    worst: int = 5,
    workers: int = 1,
    master: str | None = None,
    progress: Progress = silent,
) -> Audit:
    """Check the mechanism in a folder of blocks on every edge, without a tolerance.

    Parameters
    ----------
    path : path
        A folder with a mechanism.
    worst : int
        The number of worst edges to report.
    workers, master, progress
        As in ``extend``.

    Returns
    -------
    Audit
        The counts of :func:`neodp.audit`.

    Raises
    ------
    GraphError
        If the folder has no mechanism, or a file is damaged.
    """
    with workforce(workers, master) as run:
        return audit_with(run, open_folder(path), worst, progress)


def audit_with(run: Map, folder: Folder, worst: int, progress: Progress = silent) -> Audit:
    """Carry out ``audit``, with the blocks given to `run`."""
    if folder.summary is None:
        raise GraphError(
            f"{folder.path} has no mechanism", Hint("run ", Call("extend_blocks", folder=str(folder.path)), " first")
        )
    total = Audit(0, 0, 0, 0, True, 0.0, ())
    for done, found in enumerate(run(partial(_audit_block, folder, worst), range(folder.blocks))):
        total = _both(total, found, worst)
        progress("audit", done + 1, folder.blocks)
    return total


@checked
def is_stale(path: str | os.PathLike[str]) -> bool:
    """Return whether a file of the graph or of its alpha has been written since the mechanism was computed."""
    folder = open_folder(path)
    summary = folder.summary
    return summary is not None and summary["state"] != folder.state("nodes", "edges", "alpha")


@dataclass(frozen=True, eq=False)
class _Piece:
    """The edges in the file of a block, as positions: first the datasets of the block, then the far ends."""

    folder: Folder
    home: int
    source: Ints
    target: Ints
    epsilon: Floats
    delta: Floats
    size: int
    far_block: Ints
    far_place: Ints

    @property
    def colors(self) -> tuple[str, ...]:
        return self.folder.colors

    @property
    def edges(self) -> int:
        return len(self.source)

    def key(self, vertex: int) -> str:
        if vertex < self.size:
            return self.folder.key(self.home, vertex)
        return self.folder.key(int(self.far_block[vertex - self.size]), int(self.far_place[vertex - self.size]))


def _audit_block(folder: Folder, worst: int, block: int) -> Audit:
    edges, own = folder.links(block), folder.rows(block)
    cut = np.flatnonzero(edges.block != block)
    cut = cut[np.argsort(edges.block[cut], kind="stable")]
    target = edges.target.copy()
    target[cut] = len(own) + np.arange(len(cut))
    rows = [own]
    rows += [_rows_at(folder, far, edges.target[cut[run]]) for far, run in runs(edges.block[cut])]
    columns = (edges.source, target, edges.epsilon, edges.delta)
    for ends, size in ((edges.source, len(own)), (target, len(own) + len(cut))):
        if len(ends) and not 0 <= int(ends.min()) <= int(ends.max()) < size:
            raise GraphError(
                f"{folder.file('edges', block)} names a place that the block does not have", "make it again"
            )
    piece = _Piece(folder, block, *columns, len(own), edges.block[cut], edges.target[cut])
    return audit_pairs(piece, np.concatenate(rows), worst)


def _rows_at(folder: Folder, block: int, places: Ints) -> NDArray[np.float64]:
    rows = folder.rows(block)
    if len(places) and not 0 <= int(places.min()) <= int(places.max()) < len(rows):
        raise GraphError(
            f"a cut edge leads to a place that block {block} of {folder.path} does not have", "make it again"
        )
    found: NDArray[np.float64] = rows[places]
    return found


def _both(one: Audit, two: Audit, worst: int) -> Audit:
    def order(edge: EdgeAudit) -> tuple[bool, float]:
        return not edge.broken, -edge.tightness

    return replace(
        one,
        edges=one.edges + two.edges,
        checks=one.checks + two.checks,
        violations=one.violations + two.violations,
        undecided=one.undecided + two.undecided,
        worst=tuple(islice(heapq.merge(one.worst, two.worst, key=order), max(0, min(worst, MOST_WORST)))),
    )
