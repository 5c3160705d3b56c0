"""How similar users are, with privacy.

With a = diag(v) d a user's stretched profile (for scalar products the stretching weights are the privacy weights),

    dot(s, t)    = a_s . a_t + Laplace(1 / epsilon)
    cosine(s, t) = dot(s, t) / (|s| |t|),   |s|^2 = max(a_s . a_s + Laplace(1 / epsilon), ln(50 n) / epsilon, 1).

The square of a norm counts at least as much as noise alone reaches among the n norms that are released, in one table of
a hundred. Otherwise noise divided by next to nothing would make the smallest profiles everybody's neighbours.

What is private. Which users and items there are is public. The noise covers each like, its value and its weight: if
item i of one user comes, goes or changes, and its weight with it, a_i moves by at most its larger weight v_i, and meets
at most 1 in the other profile, or adds at most v_i^2 to a . a. So every number released changes by at most v_i, and its
chance by at most e^(epsilon v_i). Norms are noised too: a profile's size is a function of it. ``cosine-public-sizes``
divides by the true |d_s| |d_t| instead, for where everybody can see how many items users like; then it only protects
*which*: exchanging one for another costs the weights of both.

What it costs. Each released number that a user's profile goes into costs the user epsilon v_i for item i, and the costs
add up. One pair is one number, and one norm each for the cosine. A user is in a pair with each of the other n - 1, so
that a whole table costs n epsilon v_i: see :class:`Cost`.

How it stays exact. Stretched profiles are whole numbers of 1 / 2^15, products whole numbers of 1 / 2^30, and so is the
noise: nothing is rounded after the profiles were (down). True norms are of profiles in such whole numbers too: a sum of
doubles depends on the order of the items in its last bits, and these would tell *which* items they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Floats
from neodp.errors import PrivacyError
from neodp.ledger.composition import Loss, compose
from neodp.stretch import noise
from neodp.stretch.noise import Sampler, Whole
from neodp.stretch.profiles import UNIT, Profiles

__all__ = ["Cost", "Measure", "Similarities", "pair", "similarity"]

STEPS = UNIT * UNIT
"""A product of 1, in the whole numbers that it is kept in."""
RATIO = 2**16
"""The ratio of two norms is kept in whole numbers of 1 / RATIO."""


class Measure(StrEnum):
    """What is computed, and what is noised."""

    DOT = "dot"
    COSINE = "cosine"
    COSINE_PUBLIC_SIZES = "cosine-public-sizes"


@dataclass(frozen=True)
class Cost:
    """What releases cost a user: epsilon times the weight of an item, for each number the profile goes into.

    Attributes
    ----------
    epsilon : float
        Of each number.
    releases : int
        How many numbers a user's profile goes into.

    Examples
    --------
    >>> Cost.of_pairs(609, 0.1, Measure.COSINE)
    Cost(epsilon=0.1, releases=610)
    >>> Cost.of_pairs(609, 0.1, Measure.COSINE).total
    61.0
    """

    epsilon: float
    releases: int

    @classmethod
    def of_pairs(cls, pairs: int, epsilon: float, measure: Measure) -> Cost:
        """What so many pairs cost one who is in all of them: the cosine also takes the own norm."""
        return cls(noise.check_epsilon(epsilon), pairs + (measure is Measure.COSINE))

    @property
    def total(self) -> float:
        """The epsilon of all releases together, by basic composition, for an item of weight 1."""
        return self.epsilon * self.releases

    def at(self, delta: float, weight: float = 1.0) -> float:
        """The epsilon of all releases together for an item of some weight, if delta may be lost; never more than all.

        It is the optimal composition of :mod:`neodp.ledger.composition`.

        Examples
        --------
        >>> round(Cost(0.1, 610).at(1e-6), 3)
        14.155
        """
        return compose([Loss(self.epsilon * weight)] * self.releases, delta).epsilon


class Similarities:
    """Noisy similarities of users, by blocks. A pair that is asked for twice costs twice.

    Parameters
    ----------
    profiles : Profiles
    epsilon : float
        Of each number released.
    measure : Measure
    sampler : Sampler
        Where the noise comes from.
    users : array of int, optional
        Those who will be asked about; by default all. Only their norms are released.
    """

    def __init__(
        self,
        profiles: Profiles,
        epsilon: float,
        measure: Measure = Measure.COSINE,
        sampler: Sampler = noise.secure,
        users: Any = None,
    ) -> None:
        self._stretched = profiles.stretched
        self._epsilon = epsilon
        self._scale = noise.scale_of(STEPS, epsilon)
        self._sampler = sampler
        self._norm = np.full(len(profiles), np.nan)
        users = np.arange(len(profiles)) if users is None else np.asarray(users)
        self._norm[users] = self._norms(profiles, measure, users)

    def _norms(self, profiles: Profiles, measure: Measure, users: Any) -> Floats:
        if measure is Measure.DOT:
            return np.ones(len(users))
        matrix = (self._stretched if measure is Measure.COSINE else profiles.with_weights(1.0).stretched)[users]
        squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        least = 1.0
        if measure is Measure.COSINE:
            squares = self._sampler(squares, self._scale)
            least = max(1.0, math.log(50 * max(len(users), 1)) * self._scale / STEPS)
        return np.asarray(np.sqrt(np.maximum(squares / STEPS, least)))

    def products(self, rows: Any, columns: Any) -> Whole:
        """The scalar products of stretched profiles, in whole numbers of 1 / 2^30, without noise."""
        return np.asarray((self._stretched[rows] @ self._stretched[columns].T).toarray(), np.int64)

    def between(self, rows: Any, columns: Any) -> Floats:
        """The similarities of each user of one list with each of another that has none of the same."""
        noisy = self._sampler(self.products(rows, columns), self._scale)
        return np.asarray(noisy / STEPS / (self._norm[rows][:, None] * self._norm[columns]))

    def nearness(self, user: Any, others: Any) -> Whole:
        """By how much each of the others is near to one user, for noisy top-k (:mod:`neodp.stretch.neighborhoods`).

        Who has the largest may be released; the numbers themselves may not, since their noise is too small for that.
        """
        norm = self._norm[others]
        share = np.floor(RATIO * (norm.min(initial=np.inf) / norm)).astype(np.int64)
        high, low = np.divmod(self.products(user, others)[0], RATIO)  # so that no product leaves 64 bits
        near = high * share + low * share // RATIO
        return self._sampler(near, noise.scale_of(STEPS + UNIT, self._epsilon))

    def among(self, users: Any) -> Floats:
        """The similarities among users: symmetric, each pair released once; -inf for a user with itself."""
        n = len(users)
        upper = np.triu_indices(n, 1)
        scores = np.full((n, n), -np.inf)
        scores[upper] = self._sampler(self.products(users, users)[upper], self._scale)
        scores[upper] /= STEPS * self._norm[users][upper[0]] * self._norm[users][upper[1]]
        scores.T[upper] = scores[upper]
        return scores


def similarity(
    profiles: Profiles,
    one: str,
    other: str,
    *,
    epsilon: float,
    measure: Measure = Measure.COSINE,
    sampler: Sampler = noise.secure,
) -> float:
    """How similar two users are, with noise: it may lie outside 0 to 1.

    Costs either of them ``Cost.of_pairs(1, epsilon, measure)``, and every call anew. A user without likes is treated
    like everybody, and gets noise.

    Raises
    ------
    UnknownKey, PrivacyError
        If there is no such user, they are the same one, or epsilon is not positive.

    Examples
    --------
    >>> p = Profiles.from_columns(["ann", "ann", "bob"], ["tea", "rum", "tea"], weight=[1, 0.25, 0.5])
    >>> similarity(p, "ann", "bob", epsilon=1.0, measure=Measure.DOT, sampler=noise.without)
    0.5
    """
    users = pair(profiles, one, other)
    return float(Similarities(profiles, epsilon, measure, sampler, users).between(users[:1], users[1:])[0, 0])


def pair(profiles: Profiles, one: str, other: str) -> NDArray[np.int64]:
    """The positions of two users.

    Raises
    ------
    UnknownKey, PrivacyError
        If there is no such user, or they are the same one.
    """
    users = np.array([profiles.index(one), profiles.index(other)])
    if one == other:
        raise PrivacyError(f"{one!r} is one user", "name two")
    return users
