"""A stored graph seen from some of its datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from neodp.core.evaluation import Ball, Evaluation
    from neodp.core.views import Found, Star
    from neodp.data.validation import Floats
    from neodp.store.records import GraphInfo, StoredGraph

__all__ = ["StoredView"]


class StoredView:
    """A stored graph seen from some of its datasets, for a search.

    Parameters
    ----------
    info : GraphInfo
    keys : strings
        The datasets.
    found : Found
        Their colours and alpha.
    stored : array of float, one row per dataset
        The probabilities that the datasets have; NaN where they have none.
    least : array of float
        As in :class:`~neodp.core.views.View`.
    neighbors, write : callables
        Ask the store for the edges at some datasets; have the store write probabilities, if the graph has not changed.
    places : sequence of int, optional
        Positions of the datasets in the graph that ``Store.read`` returns, if the store knows them.
    validated : bool
        As in :class:`~neodp.core.views.View`.
    """

    def __init__(
        self,
        info: GraphInfo,
        keys: Sequence[str],
        found: Found,
        stored: Floats,
        least: Floats,
        neighbors: Callable[[Sequence[str]], Star],
        write: Callable[[Sequence[Evaluation]], None],
        places: Sequence[int] | None = None,
        validated: bool = False,
    ) -> None:
        self.info = info
        self.name = info.name
        self.colors = info.colors
        self.stored = stored
        self.least = least
        self.validated = validated
        self.queries = 1
        """The number of queries that were made."""
        self.keys, self._found, self._places = list(keys), found, places
        self._neighbors, self._write = neighbors, write

    def find(self, keys: Sequence[str]) -> Found:
        """Return the colours and alpha of the datasets, which must be those of this view."""
        assert list(keys) == self.keys
        return self._found

    def neighbors(self, keys: Sequence[str]) -> Star:
        """Return the edges at some datasets, in one query."""
        self.queries += 1
        return self._neighbors(keys)

    def positions(self, graph: StoredGraph) -> list[int]:
        """Return the positions of the datasets in the whole graph."""
        return [graph.index(key) for key in self.keys] if self._places is None else list(self._places)

    def agrees(self, found: Ball) -> bool:
        """Return whether a result agrees with the stored mechanism, or no mechanism is stored.

        For (epsilon, delta), the computation uses integers, so that every bit must agree; other notions are computed in
        doubles, and must agree up to rounding.
        """
        if self.info.mechanism is None:
            return True
        from neodp.core.auditing import NUMERICAL
        from neodp.store.stored_privacy import EPSILON_DELTA

        rows = np.array([list(e.probabilities.values()) for e in found.evaluations])
        if self.info.mechanism.privacy == EPSILON_DELTA:
            return np.array_equal(rows, self.stored)
        return np.allclose(rows, self.stored, rtol=NUMERICAL, atol=0.0)

    def write(self, evaluations: Sequence[Evaluation]) -> None:
        """Store probabilities on their datasets, if the graph has not changed."""
        self.queries += 1
        self._write(evaluations)
