"""How much memory an extension takes, before it is started.

The columns of a graph, its adjacency, labels, probabilities and keys, per dataset and per edge, as they are laid out in
:mod:`neodp.graph` and :mod:`neodp.kernel`. The greatest is for different epsilons and deltas on every edge.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

__all__ = ["Estimate", "estimate", "memory"]

PER_DATASET = 200
"""Key and store id (100), alpha (16), labels and their working copies (32), adjacency (16), queue (20), result (16)."""
PER_EDGE_LEAST, PER_EDGE_MOST = 40, 120
"""Columns (24) and adjacency (16); where edges differ, also factors (8), half-edge copies (32) and checks."""


@dataclass(frozen=True)
class Estimate:
    """The memory of an extension, in bytes."""

    vertices: int
    edges: int
    bytes_min: int
    bytes_max: int

    @property
    def fits(self) -> bool:
        """Whether it takes no more than half of this machine's memory."""
        return self.bytes_max <= memory() // 2 or not memory()


def estimate(vertices: int, edges: int) -> Estimate:
    """The memory that extending a graph of this size takes at least and at most.

    Examples
    --------
    >>> estimate(1_000_000, 3_000_000).bytes_max // 10**6
    560
    """
    fixed = PER_DATASET * vertices
    return Estimate(vertices, edges, fixed + PER_EDGE_LEAST * edges, fixed + PER_EDGE_MOST * edges)


def memory() -> int:
    """The machine's memory in bytes; 0 where it is not known."""
    if sys.platform == "win32":
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
