"""The memory that an extension takes, known before it starts: measured, per dataset and per edge.

The lower bound is a graph in memory that is extended and audited; the upper bound is a graph that the embedded store
reads first, whose engine takes more memory than the graph. Measured on counts of up to a hundred million edges in
memory (``python -m bench blocks --largest 100000000``, its rows "memory"), and on counts and hypercubes of up to a
million datasets in a store. The 250 MB that Python and its libraries take, and some 100 MB of the store's engine, come
on top.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

__all__ = ["Estimate", "estimate", "memory"]

BYTES_IN_MEMORY = 135, 40
"""Bytes per dataset and per edge in memory."""
BYTES_FROM_STORE = 300, 260
"""Bytes per dataset and per edge when read from the embedded store."""


@dataclass(frozen=True)
class Estimate:
    """The memory of an extension, in bytes."""

    vertices: int
    edges: int
    bytes_min: int
    bytes_max: int

    @property
    def fits(self) -> bool:
        """True if the extension takes no more than half of this machine's memory."""
        return self.bytes_max <= memory() // 2 or not memory()


def estimate(vertices: int, edges: int) -> Estimate:
    """Return the memory that extending a graph of this size takes at least and at most.

    Examples
    --------
    >>> estimate(1_000_000, 3_000_000).bytes_max // 10**6
    1080
    """
    least, most = (
        per_dataset * vertices + per_edge * edges for per_dataset, per_edge in (BYTES_IN_MEMORY, BYTES_FROM_STORE)
    )
    return Estimate(vertices, edges, least, most)


def memory() -> int:
    """Return the machine's memory in bytes; 0 if it is not known."""
    if sys.platform == "win32":
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
