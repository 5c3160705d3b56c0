"""The Stretching mechanism: a privacy weight for every item.

A profile is a vector d of a semi-balanced domain, here a box around 0, and a *privacy vector* v in [0,1]^n says how
much each item may reveal: 1 means as much as epsilon allows, 0 means nothing at all. A mechanism M is
(epsilon, v)-private if for all profiles d and e that differ only in item i, and all outputs t,

    Pr[M(d) = t] <= e^(epsilon v_i) Pr[M(e) = t].

Let S(f) be the most by which a change of one item can change f, and S_i(f, w) the most by which a change of item i can
change f(diag(w) .). The mechanism shrinks each item as little as possible, and adds noise as if nothing were shrunk:

    M(d) = f(diag(w) d) + Laplace(S(f) / epsilon),   w_i the largest with S_i(f, (1, .., w_i, .., 1)) <= v_i S(f).

It protects v too: if item i changes, and its weight changes from v_i to u_i, the chance changes at most by a factor of
e^(epsilon max(v_i, u_i)) [1]_ (Theorems 1 and 2).

The computation is exact. f is rounded to whole steps of S(f) / 2^24, and the noise is drawn on whole steps. Rounding
can move two values one step further apart, so the noise counts 2^24 + 1 steps for S(f), and w is found for a v that is
lower by at most 2^-23 (a v of 1 stays 1). The remaining slack covers an error of less than half a step in `value`
itself.

References
----------
.. [1] Alaggan, Gambs, Kermarrec, "Heterogeneous Differential Privacy", Journal of Privacy and Confidentiality 7(2),
   doi:10.29012/jpc.v7i2.652, arXiv:1504.06998.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from neodp.data.kinds import checked, require_fields
from neodp.data.validation import Floats, caution
from neodp.errors import PrivacyError
from neodp.stretch import noise
from neodp.stretch.noise import Sampler

__all__ = ["Function", "Stretching", "privacy_vector", "scalar_product", "stretching_weights", "weighted_sum"]

STEPS = 2**24
"""The number of steps in S(f)."""
PRECISION = 2.0**-40
"""The greatest distance between a weight found by bisection and the largest possible weight."""
LARGEST = 2.0**30
"""The greatest value of a function, as a multiple of its sensitivity: doubles hold it to a small part of a step."""
SMALLEST = 2.0**-52
"""The smallest weight that bisection tries before it returns 0."""
NEGLIGIBLE = 2.0**-20
"""The greatest part of its sensitivity that a function may still have at the weight SMALLEST if it shrinks at all."""


@dataclass(frozen=True)
class Function:
    """A function on a box of profiles, with its sensitivity.

    Attributes
    ----------
    size : int
        The number of items in a profile.
    value : callable
        The function f.
    sensitivity : float
        S(f), or an upper bound.
    modular : callable
        ``modular(i, w)`` is S_i(f, (1, .., w, .., 1)), or an upper bound: the most by which item i can change f if only
        item i is shrunk by w. It must not fall as w grows.
    inverse : callable, optional
        ``inverse(i, b)`` is the largest w with ``modular(i, w) <= b``, in closed form; without it, bisection is used.
    low, high : float
        The least and the greatest value of an item; 0 must lie between them.
    """

    size: int
    value: Callable[[Floats], float]
    sensitivity: float
    modular: Callable[[int, float], float]
    inverse: Callable[[int, float], float] | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.sensitivity < math.inf:
            raise PrivacyError(f"the sensitivity is {self.sensitivity}", "give a positive number")
        if not self.low <= 0.0 <= self.high:
            raise PrivacyError(
                f"items go from {self.low} to {self.high}, without 0", "shrinking leads to 0: include it"
            )


@dataclass(frozen=True)
class Stretching:
    """The Stretching mechanism of a function, a privacy vector and an epsilon.

    Attributes
    ----------
    weights : array
        The stretching weights w, computed from `v`.
    step : float
        The step: outputs are whole multiples of it.
    scale : float
        The scale of the noise, in steps.

    Examples
    --------
    >>> mechanism = Stretching(weighted_sum([1, 1]), [1.0, 0.25], epsilon=0.5)
    >>> mechanism.weights.round(6).tolist()
    [1.0, 0.25]
    >>> float(mechanism.loss([1, 0], [1, 1])) <= 0.5 * 0.25
    True
    >>> mechanism.release([1, 0]) != mechanism.release([1, 0])
    True
    """

    function: Function
    v: ArrayLike
    epsilon: float
    weights: Floats = field(init=False)
    step: float = field(init=False)
    scale: float = field(init=False)

    def __post_init__(self) -> None:
        require_fields(self)
        v = privacy_vector(self.v, self.function.size)
        steps = np.floor(v * STEPS) + (v == 1.0)  # at most v (2^24 + 1), without rounding
        lowered = np.maximum(steps - 1, 0) / STEPS
        object.__setattr__(self, "weights", stretching_weights(self.function, lowered))
        object.__setattr__(self, "step", self.function.sensitivity / STEPS)
        object.__setattr__(self, "scale", noise.scale_of(STEPS + 1, self.epsilon))
        caution(self.epsilon)

    @checked
    def steps(self, profile: ArrayLike) -> int:
        """Return f(diag(w) d) in whole steps, before noise.

        Raises
        ------
        PrivacyError
            If the profile has the wrong shape, an item lies outside the box, or the value of f is too large or not a
            number.
        """
        d = np.asarray(profile, np.float64)
        f = self.function
        if d.shape != (f.size,):
            raise PrivacyError(f"the profile has shape {d.shape}", f"give {f.size} items")
        outside = np.flatnonzero(~((f.low <= d) & (d <= f.high)))
        if len(outside):
            i = int(outside[0])
            raise PrivacyError(f"item {i} of the profile is {d[i]}", f"give a number from {f.low} to {f.high}")
        value = f.value(self.weights * d)
        if not abs(value) <= LARGEST * f.sensitivity:
            raise PrivacyError(
                f"the function gives {value}", f"give one whose values stay below {LARGEST:g} times its sensitivity"
            )
        return round(Fraction(float(value)) / Fraction(self.step))

    @checked
    def loss(self, one: ArrayLike, other: ArrayLike) -> Fraction:
        """Return the greatest difference between the log-probabilities of an output for two profiles, exactly."""
        return abs(self.steps(one) - self.steps(other)) / Fraction(self.scale)

    @checked
    def release(self, profile: ArrayLike, sampler: Sampler = noise.secure) -> float:
        """Release one noisy value. Every call spends epsilon again."""
        return int(sampler(np.array([self.steps(profile)], np.int64), self.scale)[0]) * self.step


def privacy_vector(v: ArrayLike, size: int) -> Floats:
    """Return a privacy vector as an array, after checking it.

    Raises
    ------
    PrivacyError
        If the vector has the wrong shape, or an entry is not a number from 0 to 1.
    """
    vector = np.asarray(v, np.float64)
    if vector.shape != (size,):
        raise PrivacyError(f"the privacy vector has shape {vector.shape}", f"give {size} weights")
    wrong = np.flatnonzero(~((vector >= 0.0) & (vector <= 1.0)))
    if len(wrong):
        i = int(wrong[0])
        raise PrivacyError(f"the privacy weight of item {i} is {vector[i]}", "give a number from 0 to 1")
    return vector


@checked
def stretching_weights(function: Function, v: ArrayLike) -> Floats:
    """Return the largest w with S_i(f, (1, .., w_i, .., 1)) <= v_i S(f) for every item i.

    If the function has a closed form, it is used. Otherwise, w is found by bisection, which ends at a weight that
    satisfies the inequality and is at most 2^-40 below one that does not. Since S_i never falls, it is therefore at
    most 2^-40 below the largest weight that satisfies the inequality.

    Raises
    ------
    PrivacyError
        If a weight is not from 0 to 1, if S_i exceeds S(f) or falls, or if v_i is positive but no positive weight is
        small enough: the mechanism does not work for a function whose sensitivity does not shrink, such as the number
        of items above 0.

    Examples
    --------
    >>> square = Function(1, lambda d: float(d[0] ** 2), 1.0, lambda i, w: w * w)
    >>> abs(stretching_weights(square, [0.25])[0] - 0.5) <= 2.0**-40
    np.True_
    >>> stretching_weights(scalar_product(1), [0.3, 0.7]).tolist()
    [0.3, 0.7]
    """
    vector = privacy_vector(v, function.size)
    return np.array([_weight(function, i, float(x)) for i, x in enumerate(vector)])


def _weight(f: Function, i: int, v: float) -> float:
    most = f.modular(i, 1.0)
    if not 0.0 <= most <= f.sensitivity:
        raise PrivacyError(
            f"the sensitivity to item {i} is {most}, that of the function {f.sensitivity}",
            "the function's is the largest of all items': correct it",
        )
    bound = v * f.sensitivity
    if v == 0.0:
        return 0.0
    if most <= bound:
        return 1.0
    if f.inverse is not None:
        return _closed(f, i, bound)
    least = f.modular(i, SMALLEST)
    if not least <= max(bound, NEGLIGIBLE * most):
        raise PrivacyError(
            f"the sensitivity to item {i} does not shrink with its weight",
            "the mechanism is for functions that change less when an item is shrunk",
        )
    return _bisect(f, i, bound) if least <= bound else 0.0


def _closed(f: Function, i: int, bound: float) -> float:
    """Return the weight in closed form; if it was rounded up, the next smaller double that satisfies the bound."""
    assert f.inverse is not None
    weight = float(f.inverse(i, bound))
    for _ in range(4):
        if not 0.0 <= weight <= 1.0:
            break
        if f.modular(i, weight) <= bound:
            return weight
        weight = math.nextafter(weight, 0.0)
    raise PrivacyError(f"the closed form gives item {i} a weight of {weight}, which is too much", "correct it")


def _bisect(f: Function, i: int, bound: float) -> float:
    low, high = SMALLEST, 1.0
    at_low, at_high = f.modular(i, low), f.modular(i, high)
    while high - low > PRECISION:
        middle = (low + high) / 2
        found = f.modular(i, middle)
        if not at_low <= found <= at_high:
            raise PrivacyError(
                f"the sensitivity to item {i} is {found} at weight {middle:g}, but {at_low} at {low:g} and {at_high} "
                f"at {high:g}",
                "it must not fall as the weight grows: correct it",
            )
        if found <= bound:
            low, at_low = middle, found
        else:
            high, at_high = middle, found
    return low


@checked
def weighted_sum(coefficients: ArrayLike) -> Function:
    """Return the sum of c_i d_i over items from 0 to 1: S_i = |c_i| w_i, so w_i = min(1, v_i S / |c_i|).

    Examples
    --------
    >>> stretching_weights(weighted_sum([2, -1]), [0.5, 0.25]).tolist()
    [0.5, 0.5]
    """
    c = np.atleast_1d(np.asarray(coefficients, np.float64))
    if c.ndim != 1 or not np.isfinite(c).all():
        raise PrivacyError(f"the coefficients are {coefficients!r}", "give one finite number per item")
    size = np.abs(c).tolist()
    return Function(
        len(c),
        lambda d: math.fsum(c * d),
        float(max(size, default=0.0)),
        lambda i, w: size[i] * w,
        lambda i, bound: bound / size[i],
    )


@checked
def scalar_product(items: int) -> Function:
    """Return the scalar product of two profiles with items from 0 to 1, for which w = v (Lemma 4).

    The argument is the items of one profile, followed by the items of the other. An item is multiplied by at most 1
    from the other profile, so S_i = w_i and S = 1.
    """

    def value(d: Any) -> float:
        return math.fsum(d[:items] * d[items:])

    return Function(2 * items, value, 1.0, lambda i, w: w, lambda i, bound: bound)
