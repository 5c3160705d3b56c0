"""Similarities between users, with privacy.

Let a = diag(v) d be a user's stretched profile (for scalar products, the stretching weights are the privacy weights).
Then

    dot(s, t)    = a_s . a_t + Laplace(1 / epsilon)
    cosine(s, t) = dot(s, t) / (|s| |t|),   |s|^2 = max(a_s . a_s + Laplace(1 / epsilon), ln(50 n) / epsilon, 1).

The square of a norm has a lower bound, ln(50 n) / epsilon. With a chance of one in a hundred, noise alone exceeds this
bound somewhere among the n released norms. Without the bound, noise would be divided by numbers close to 0, and the
smallest profiles would become everybody's neighbours.

*Privacy.* The lists of users and items are public. The noise protects each like, its value and its weight: if item i of
one user is added, removed or changed, and its weight with it, a_i moves by at most its larger weight v_i, and is
multiplied by at most 1 from the other profile, or adds at most v_i^2 to a . a. So every released number changes by at
most v_i, and its chance at most by a factor of e^(epsilon v_i). Norms get noise too, since the size of a profile is a
function of the profile. To divide by the true |d_s| |d_t|, as the paper does, would publish a number that depends on
every like, also on those of weight 0: there is no such measure here.

*Cost.* Each released number that depends on a user's profile costs the user epsilon v_i for item i, and the costs add
up. A pair takes one number, and for the cosine one norm of each user. A user is in a pair with each of the other n - 1
users, so that a whole table costs n epsilon v_i: see :class:`Cost`.

*Exactness.* Stretched profiles are whole multiples of 1 / 2^15, products are whole multiples of 1 / 2^30, and so is the
noise: profiles are rounded down, and after that nothing is rounded before the noise is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp.data.kinds import checked
from neodp.data.validation import Floats, caution
from neodp.errors import PrivacyError
from neodp.ledger.composition import Loss, compose
from neodp.stretch import noise
from neodp.stretch.noise import Sampler, Whole
from neodp.stretch.profiles import UNIT, Profiles

__all__ = ["Cost", "Measure", "Similarities", "pair", "similarity"]

STEPS = UNIT * UNIT
"""The number of units in a product of 1: products are whole multiples of 1 / STEPS."""
RATIO = 2**16
"""The resolution of the ratio of two norms: ratios are whole multiples of 1 / RATIO."""


class Measure(StrEnum):
    """The measure of similarity, which also determines which numbers get noise."""

    DOT = "dot"
    COSINE = "cosine"

    @classmethod
    def _missing_(cls, value: object) -> Measure:
        """Refuse a value that is no measure: any of them would otherwise be taken for one with less noise."""
        raise PrivacyError(f"the measure is {value!r}", f"give one of {', '.join(cls)}")


@dataclass(frozen=True)
class Cost:
    """The cost of releases for a user: epsilon times the weight of an item, for each number that uses the profile.

    Attributes
    ----------
    epsilon : float
        The epsilon of each number.
    releases : int
        The number of released numbers that use the user's profile.

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
    @checked
    def of_pairs(cls, pairs: int, epsilon: float, measure: Measure) -> Cost:
        """Return the cost for a user who is in all of these pairs; the cosine also needs the user's norm."""
        return cls(noise.check_epsilon(epsilon), pairs + (Measure(measure) is Measure.COSINE))

    @property
    def total(self) -> float:
        """The epsilon of all releases together, by basic composition, for an item of weight 1."""
        return self.epsilon * self.releases

    @checked
    def at(self, delta: float, weight: float = 1.0) -> float:
        """Return the epsilon of all releases together at a delta, for an item of some weight.

        It is the optimal composition of :mod:`neodp.ledger.composition`, and never more than the sum of the epsilons.

        Examples
        --------
        >>> round(Cost(0.1, 610).at(1e-6), 3)
        14.155
        """
        if not 0.0 <= weight <= 1.0:
            raise PrivacyError(f"the weight is {weight!r}", "give a number from 0 to 1")
        return compose({Loss(self.epsilon * weight): self.releases}, delta).epsilon


class Similarities:
    """Noisy similarities of users, by blocks. A pair that is requested twice costs twice.

    Parameters
    ----------
    profiles : Profiles
    epsilon : float
        The epsilon of each released number.
    measure : Measure
    sampler : Sampler
        The source of the noise.
    users : array of int, optional
        The users whose norms are needed, and released; by default all users.
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
        self._norm[users] = self._norms(Measure(measure), users)

    def _norms(self, measure: Measure, users: Any) -> Floats:
        if measure is Measure.DOT:
            return np.ones(len(users))
        matrix = self._stretched[users]
        squares = self._sampler(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel(), self._scale)
        least = max(1.0, math.log(50 * max(len(users), 1)) * self._scale / STEPS)
        return np.asarray(np.sqrt(np.maximum(squares / STEPS, least)))

    def products(self, rows: Any, columns: Any) -> Whole:
        """Return the scalar products of stretched profiles, in units of 1 / 2^30, without noise."""
        return np.asarray((self._stretched[rows] @ self._stretched[columns].T).toarray(), np.int64)

    def between(self, rows: Any, columns: Any) -> Floats:
        """Return the similarities of each user of one list with each user of another; the lists must be disjoint."""
        noisy = self._sampler(self.products(rows, columns), self._scale)
        return np.asarray(noisy / STEPS / (self._norm[rows][:, None] * self._norm[columns]))

    def nearness(self, user: Any, others: Any) -> Whole:
        """Return the noisy nearness of each of the others to one user, for top-k (:mod:`neodp.stretch.neighborhoods`).

        The list of the users with the largest numbers may be released; the numbers themselves may not, since their
        noise is too small for that.
        """
        norm = self._norm[others]
        share = np.floor(RATIO * (norm.min(initial=np.inf) / norm)).astype(np.int64)
        high, low = np.divmod(self.products(user, others)[0], RATIO)  # so that no product leaves 64 bits
        near = high * share + low * share // RATIO
        return self._sampler(near, noise.scale_of(STEPS + UNIT, self._epsilon))

    def among(self, users: Any) -> Floats:
        """Return the similarities among users: symmetric, each pair released once; -inf for a user with itself."""
        n = len(users)
        upper = np.triu_indices(n, 1)
        scores = np.full((n, n), -np.inf)
        scores[upper] = self._sampler(self.products(users, users)[upper], self._scale)
        scores[upper] /= STEPS * self._norm[users][upper[0]] * self._norm[users][upper[1]]
        scores.T[upper] = scores[upper]
        return scores


@checked
def similarity(
    profiles: Profiles,
    one: str,
    other: str,
    *,
    epsilon: float,
    measure: Measure = Measure.COSINE,
    sampler: Sampler = noise.secure,
) -> float:
    """Release the noisy similarity of two users; it may lie outside 0 to 1.

    Every call costs each of them ``Cost.of_pairs(1, epsilon, measure)``. A user without likes is treated like any
    other, and gets noise.

    Raises
    ------
    UnknownKey, PrivacyError
        If a user does not exist, both users are the same, or epsilon is not positive.

    Examples
    --------
    >>> p = Profiles.from_columns(["ann", "ann", "bob"], ["tea", "rum", "tea"], weight=[1, 0.25, 0.5])
    >>> similarity(p, "ann", "bob", epsilon=1.0, measure=Measure.DOT, sampler=noise.without)
    0.5
    """
    users = pair(profiles, one, other)
    caution(noise.check_epsilon(epsilon))
    return float(Similarities(profiles, epsilon, measure, sampler, users).between(users[:1], users[1:])[0, 0])


def pair(profiles: Profiles, one: str, other: str) -> NDArray[np.int64]:
    """Return the positions of two users.

    Raises
    ------
    UnknownKey, PrivacyError
        If a user does not exist, or both users are the same.
    """
    users = np.array([profiles.index(one), profiles.index(other)])
    if one == other:
        raise PrivacyError(f"{one!r} is one user", "name two")
    return users
