"""Datasets that are alike: an equitable partition of a graph.

In an *equitable partition*, all members of a class have the same colour and weight, and the same number of neighbours
in every class over edges of every (epsilon, delta). The averages over the classes of a private mechanism are private as
well: adding up an inequality over the d edges between two classes gives d mean(p_u) <= e^eps d mean(p_v) + d delta. So
a linear program over mechanisms needs one variable for each class, not for each dataset.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neodp.data.graph import DatasetGraph
from neodp.data.validation import Floats

__all__ = ["classes"]

ROUNDS = 64
"""The greatest number of refinement rounds: a refinement that takes more finds too many classes to be of use."""


def classes(graph: DatasetGraph, weights: Floats, apart: Floats | None = None) -> NDArray[np.int64]:
    """Return the class of each dataset in an equitable partition: the coarsest one, or one class per dataset.

    Colour refinement: start from colours, weights and the rows of `apart`, if given; split classes by how many
    neighbours their members have in each class over edges of each (epsilon, delta), until nothing splits.
    Neighbourhoods are told apart by sums of 64 random bits; two different neighbourhoods have the same sum with chance
    2^-64. If the refinement takes more than ROUNDS rounds, it would find very many classes, so every dataset becomes a
    class of its own.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.hypercube(4)
    >>> len(np.unique(classes(g, np.full(len(g), 1 / 16))))
    5
    """
    kind = _numbered(np.column_stack([graph.epsilon, graph.delta])).astype(np.uint64)
    known = (graph.color.astype(np.float64), weights)
    of = _numbered(np.column_stack(known if apart is None else (*known, apart)))
    ends, others = np.concatenate([graph.source, graph.target]), np.concatenate([graph.target, graph.source])
    kinds = np.concatenate([kind, kind])
    count = 0
    for _ in range(ROUNDS):
        if of.max() + 1 == count:
            return of
        count = int(of.max()) + 1
        signature = _scattered(of.astype(np.uint64))
        np.add.at(signature, ends, _scattered(_scattered(of[others].astype(np.uint64)) + kinds))
        of = np.unique(signature, return_inverse=True)[1]
    return np.arange(len(graph))


def _numbered(rows: Floats) -> NDArray[np.int64]:
    """Assign numbers from 0 to rows, the same number to equal rows."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _scattered(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble each number (a permutation of the 64-bit integers: multiply and fold, twice)."""
    x = (x + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(32))
