"""The k nearest neighbours of users, with privacy.

Every pair of users gets one noisy similarity (:mod:`neodp.stretch.similarities`). This includes pairs without a common
item, since the fact that two users have no common item is as private as the rest. A user's neighbours are the k other
users with the largest noisy similarities. Choosing them from noisy numbers has no further cost; ties are broken by the
order of the users.

Pairs are computed block by block, so that memory holds one block and the neighbours found so far, not all pairs.

Noisy top-k. If only the list of the k neighbours of one user u is released, nearest first, without the similarities,
then u pays for k numbers, instead of one for each of the other n - 1 users. The norms |t| of the others (1 for scalar
products) are released as usual. With c_t = floor(2^16 min|.| / |t|), the nearness of t to u is the whole number

    y_t = floor(2^-16 c_t (a_u . a_t))    in steps of 2^-30,

and the k largest y_t + z_t make the list, where z_t is noise of the scale (2^30 + 2^15) / epsilon.

*The cost for u.* Let item i of u change, with a weight of at most v. Each a_u . a_t then moves by d a_ti for one and
the same d, |d| <= v 2^15, and 0 <= a_ti <= 2^15: all move in the same direction, by at most v 2^30 steps. Hence so do
all y_t, to y'_t, by at most v 2^30 + 1 <= C = v (2^30 + 2^15), since v >= 2^-15 if d is not 0. Take any noise z that
gives a list T. If the y rose, let m be the largest rise, and change z_t to z_t + m - (y'_t - y_t) for t in T; if they
fell, to z_t + (y_t - y'_t). Then the list is T again: in the first case all in T are m higher than before, and no other
is more than m higher; in the second all in T are where they were, and no other is higher. This maps noise one to one to
noise and moves k of its numbers by at most C, so that the chance of T changes at most by a factor of
e^(k C / scale) <= e^(k epsilon v).

*The cost for another user t.* The list depends on t only through one number, y_t + z_t, and the norm of t. So t pays as
for any pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.progress import Progress, silent
from neodp.data.validation import Floats, Ints, caution
from neodp.errors import PrivacyError
from neodp.stretch import noise
from neodp.stretch.noise import Sampler
from neodp.stretch.profiles import Profiles
from neodp.stretch.similarities import Cost, Measure, Similarities

__all__ = ["Neighbors", "cost_of_nearest", "nearest", "neighbors"]

BLOCK = 512
"""The number of users in a block: the pairs of one block with another are computed at once."""


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest neighbours of some users, nearest first.

    Attributes
    ----------
    users : array of int
        The users whose neighbours these are.
    neighbor : array of int, one row per user
        The neighbours; there are fewer than k columns if there are fewer other users.
    score : array of float, one row per user
        The noisy similarities; NaN if only the neighbours were released.
    cost : Cost
        The cost for each of `users`.
    cost_of_others : Cost
        The cost for each of the other users; nothing if there are none.
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
    progress: Progress = silent,
) -> Neighbors:
    """Find the k nearest neighbours of all n users; each user pays for n - 1 pairs.

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
    if sampler is not noise.without:
        caution(noise.check_epsilon(epsilon))
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
    scores: bool = False,
    sampler: Sampler = noise.secure,
) -> Neighbors:
    """Find the k nearest neighbours of one user by noisy top-k.

    The user pays for k numbers, and every other user for one pair. With `scores`, the noisy similarities of the
    neighbours are released too: then the user pays for n - 1 pairs.

    Examples
    --------
    >>> p = Profiles.from_columns(list("aabbc"), list("xyxyx"))
    >>> found = nearest(p, "c", 1, epsilon=0.5)
    >>> found.cost.total, found.cost_of_others.total
    (0.5, 1.0)
    >>> nearest(p, "c", 1, epsilon=0.5, scores=True).cost.total
    1.5
    """
    n = len(profiles)
    me = np.array([profiles.index(user)], np.int32)
    others = np.delete(np.arange(n, dtype=np.int32), me)
    k = min(_positive(k), n - 1)
    cost, of_others = cost_of_nearest(n, k, epsilon, measure, scores=scores)
    caution(epsilon)
    if not scores:
        near = Similarities(profiles, epsilon, measure, sampler, others).nearness(me, others)
        first = others[np.argsort(-near, kind="stable")[:k]]
        return Neighbors(me, first[None, :], np.full((1, k), np.nan), cost, of_others)
    best = _Best(n, k)
    similarities = Similarities(profiles, epsilon, measure, sampler)
    for start in range(0, n - 1, BLOCK * BLOCK):
        part = others[start : start + BLOCK * BLOCK]
        best.offer(me, part, similarities.between(me, part))
    return Neighbors(me, best.user[me], best.score[me], cost, of_others)


def cost_of_nearest(n: int, k: int, epsilon: float, measure: Measure, *, scores: bool = False) -> tuple[Cost, Cost]:
    """Return the cost of the k nearest neighbours of one of n users, for that user and for every other user.

    Examples
    --------
    >>> [cost.releases for cost in cost_of_nearest(610, 10, 0.1, Measure.COSINE)]
    [10, 2]
    >>> [cost.releases for cost in cost_of_nearest(610, 10, 0.1, Measure.COSINE, scores=True)]
    [610, 2]
    """
    own = Cost.of_pairs(n - 1, epsilon, measure) if scores else Cost(noise.check_epsilon(epsilon), min(k, n - 1))
    return own, Cost.of_pairs(1, epsilon, measure)


class _Best:
    """The k best of all candidates offered so far, per user; among equals, the first one offered."""

    def __init__(self, n: int, k: int) -> None:
        self.user = np.full((n, k), -1, np.int32)
        self.score = np.full((n, k), -np.inf)

    def offer(self, rows: NDArray[np.int32], candidates: NDArray[np.int32], scores: Floats) -> None:
        """Offer candidates to the users `rows`; each column of `scores` belongs to a candidate."""
        k = self.user.shape[1]
        users = np.concatenate([self.user[rows], np.broadcast_to(candidates, scores.shape)], axis=1)
        both = np.concatenate([self.score[rows], scores], axis=1)
        order = np.argsort(-both, axis=1, kind="stable")[:, :k]
        self.user[rows] = np.take_along_axis(users, order, axis=1)
        self.score[rows] = np.take_along_axis(both, order, axis=1)


def blocks(n: int) -> Iterator[tuple[Any, Any]]:
    """Yield every pair of blocks of users once, such that each user meets the others in their order."""
    parts = [np.arange(start, min(start + BLOCK, n), dtype=np.int32) for start in range(0, n, BLOCK)]
    for i, rows in enumerate(parts):
        yield rows, rows
        for columns in parts[i + 1 :]:
            yield rows, columns


def _positive(k: int) -> int:
    if k < 1:
        raise PrivacyError(f"k is {k}", "ask for at least 1 neighbour")
    return k
