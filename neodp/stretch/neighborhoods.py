"""The k nearest neighbours of users, with privacy.

Every pair of users gets one noisy similarity (:mod:`neodp.stretch.similarities`), pairs without a common item too: who
has none with whom is as private as the rest. A user's neighbours are the k others with the largest. Choosing them from
noisy numbers costs nothing more; equal numbers are taken in the order of the users.

Pairs are computed block by block, so that memory holds one block and the neighbours found so far, not all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.columns import Floats, Ints
from neodp.errors import PrivacyError
from neodp.stretch import noise
from neodp.stretch.noise import Sampler
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Cost, Measure, Similarities

__all__ = ["Neighbors", "Progress", "nearest", "neighbors"]

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""

BLOCK = 512
"""How many users' pairs with as many others are computed at once."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Neighbours, nearest first.

    Attributes
    ----------
    users : array of int
        Whose neighbours they are.
    neighbour : array of int, one row per user
        Fewer than k columns where there are fewer others.
    score : array of float, one row per user
    cost : Cost
        What it cost each of `users`.
    cost_of_others : Cost
        What it cost all others; nothing where there are none.
    """

    users: Ints
    neighbor: Ints
    score: Floats
    cost: Cost
    cost_of_others: Cost


def neighbors(
    profiles: Profiles,
    k: int = 10,
    *,
    epsilon: float,
    measure: Measure = Measure.COSINE,
    sampler: Sampler = noise.secure,
    progress: Progress = lambda *_: None,
) -> Neighbors:
    """The k nearest neighbours of all users: of n users, it costs everybody n - 1 pairs.

    Raises
    ------
    PrivacyError
        If epsilon is not positive or k is not at least 1.

    Examples
    --------
    >>> p = Profiles.from_columns(list("aabbc"), list("xyxyx"))
    >>> found = neighbors(p, 2, epsilon=1.0, sampler=noise.without)
    >>> found.neighbor.tolist()
    [[1, 2], [0, 2], [0, 1]]
    >>> found.cost
    Cost(epsilon=1.0, releases=3)
    """
    n = len(profiles)
    best = _Best(n, min(_positive(k), max(n - 1, 0)))
    similarities = Similarities(profiles, epsilon, measure, sampler)
    done = 0
    for rows, columns in blocks(n):
        if rows is columns:
            best.offer(rows, rows, similarities.among(rows))
        else:
            scores = similarities.between(rows, columns)
            best.offer(rows, columns, scores)
            best.offer(columns, rows, scores.T)
        done += len(rows) * (len(rows) - 1) // 2 if rows is columns else scores.size
        progress("pairs", done, n * (n - 1) // 2)
    cost = Cost.of_pairs(max(n - 1, 0), epsilon, measure)
    return Neighbors(np.arange(n, dtype=np.int32), best.user, best.score, cost, Cost(cost.epsilon, 0))


def nearest(
    profiles: Profiles,
    user: str,
    k: int = 10,
    *,
    epsilon: float,
    measure: Measure = Measure.COSINE,
    sampler: Sampler = noise.secure,
) -> Neighbors:
    """The k nearest neighbours of one user: it costs that user n - 1 pairs, and everybody else one.

    Examples
    --------
    >>> p = Profiles.from_columns(list("aabbc"), list("xyxyx"))
    >>> found = nearest(p, "c", 1, epsilon=0.5)
    >>> found.cost.total, found.cost_of_others.total
    (1.5, 1.0)
    """
    n = len(profiles)
    me = np.array([profiles.index(user)], np.int32)
    others = np.delete(np.arange(n, dtype=np.int32), me)
    best = _Best(n, min(_positive(k), n - 1))
    similarities = Similarities(profiles, epsilon, measure, sampler)
    for start in range(0, len(others), BLOCK * BLOCK):
        part = others[start : start + BLOCK * BLOCK]
        best.offer(me, part, similarities.between(me, part))
    cost, other = (Cost.of_pairs(pairs, epsilon, measure) for pairs in (n - 1, 1))
    return Neighbors(me, best.user[me], best.score[me], cost, other)


class _Best:
    """The k best of all candidates offered so far, per user; of equals the first offered."""

    def __init__(self, n: int, k: int) -> None:
        self.user = np.full((n, k), -1, np.int32)
        self.score = np.full((n, k), -np.inf)

    def offer(self, rows: NDArray[np.int32], candidates: NDArray[np.int32], scores: Floats) -> None:
        """Candidates for rows, whose scores are a column each."""
        k = self.user.shape[1]
        users = np.concatenate([self.user[rows], np.broadcast_to(candidates, scores.shape)], axis=1)
        both = np.concatenate([self.score[rows], scores], axis=1)
        order = np.argsort(-both, axis=1, kind="stable")[:, :k]
        self.user[rows] = np.take_along_axis(users, order, axis=1)
        self.score[rows] = np.take_along_axis(both, order, axis=1)


def blocks(n: int) -> Iterator[tuple[Any, Any]]:
    """All pairs of blocks of users, each once; a user meets the others in their order."""
    parts = [np.arange(start, min(start + BLOCK, n), dtype=np.int32) for start in range(0, n, BLOCK)]
    for i, rows in enumerate(parts):
        yield rows, rows
        for columns in parts[i + 1 :]:
            yield rows, columns


def _positive(k: int) -> int:
    if k < 1:
        raise PrivacyError(f"k is {k}", "ask for at least 1 neighbour")
    return k
