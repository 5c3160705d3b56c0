"""The Stretching mechanism: a privacy weight for every item.

A profile is a vector d of a semi-balanced domain, here a box around 0, and a *privacy vector* v in [0,1]^n says how
much each of its items may show: 1 as much as epsilon allows, 0 nothing at all. A mechanism M is (epsilon, v)-private if
for all profiles d and e that differ in item i only, and all outputs t,

    Pr[M(d) = t] <= e^(epsilon v_i) Pr[M(e) = t].

Let S(f) be the most that a change of one item can change f, and S_i(f, w) the most that one of item i can change
f(diag(w) .). The mechanism shrinks each item as little as will do, and adds noise as if nothing were shrunk:

    M(d) = f(diag(w) d) + Laplace(S(f) / epsilon),   w_i the largest with S_i(f, (1, .., w_i, .., 1)) <= v_i S(f).

It protects v too: if item i and its weight both change, from v_i to u_i, the chance changes by e^(epsilon max(v_i,
u_i)) at most [1]_ (Theorems 1 and 2).

How it stays exact. f is rounded to whole steps of S(f) / 2^24, and the noise is drawn on whole steps. Rounding can
part two values by one step more than they are, so the noise counts 2^24 + 1 steps for S(f), and w is found for a v that
is lower by at most 2^-23 (where v is 1, it stays 1). What is left over covers any error below half a step that `value`
itself may make.

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

from neodp.data.validation import Floats
from neodp.errors import PrivacyError
from neodp.stretch import noise
from neodp.stretch.noise import Sampler

__all__ = ["Function", "Stretching", "privacy_vector", "scalar_product", "stretching_weights", "weighted_sum"]

STEPS = 2**24
"""How many steps S(f) has."""
PRECISION = 2.0**-40
"""How far below the largest possible a weight found by bisection may lie."""
LARGEST = 2.0**30
"""How many times its sensitivity a function may be: doubles then hold it to a small part of a step."""
SMALLEST = 2.0**-52
"""The smallest weight that bisection tries before it gives 0 ..."""
NEGLIGIBLE = 2.0**-20
"""... and what part of its sensitivity a function may then still have, if it is one that shrinks."""


@dataclass(frozen=True)
class Function:
    """A function on a box of profiles, with its sensitivity.

    Attributes
    ----------
    size : int
        How many items a profile has.
    value : callable
        f itself.
    sensitivity : float
        S(f), or more.
    modular : callable
        ``modular(i, w)`` is S_i(f, (1, .., w, .., 1)), or more: how much item i can change f if it alone is shrunk by
        w. It must not fall as w grows.
    inverse : callable, optional
        ``inverse(i, b)`` is the largest w with ``modular(i, w) <= b`` in closed form; else bisection finds it.
    low, high : float
        Items lie between these; 0 is among them.
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
        w, found from `v`.
    step : float
        Outputs are whole numbers of this.
    scale : float
        The noise's, in steps.

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
        v = privacy_vector(self.v, self.function.size)
        steps = np.floor(v * STEPS) + (v == 1.0)  # at most v (2^24 + 1), without rounding
        lowered = np.maximum(steps - 1, 0) / STEPS
        object.__setattr__(self, "weights", stretching_weights(self.function, lowered))
        object.__setattr__(self, "step", self.function.sensitivity / STEPS)
        object.__setattr__(self, "scale", noise.scale_of(STEPS + 1, self.epsilon))

    def steps(self, profile: ArrayLike) -> int:
        """f(diag(w) d) in whole steps, before noise.

        Raises
        ------
        PrivacyError
            If an item lies outside the box, or f is not a number there, or a huge one.
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

    def loss(self, one: ArrayLike, other: ArrayLike) -> Fraction:
        """The most by which the logs of the chances of any output differ between two profiles, exactly."""
        return abs(self.steps(one) - self.steps(other)) / Fraction(self.scale)

    def release(self, profile: ArrayLike, sampler: Sampler = noise.secure) -> float:
        """One noisy value. Every call spends epsilon anew."""
        return int(sampler(np.array([self.steps(profile)], np.int64), self.scale)[0]) * self.step


def privacy_vector(v: ArrayLike, size: int) -> Floats:
    """A privacy vector, if it is one.

    Raises
    ------
    PrivacyError
        If an entry is not a number from 0 to 1.
    """
    vector = np.asarray(v, np.float64)
    if vector.shape != (size,):
        raise PrivacyError(f"the privacy vector has shape {vector.shape}", f"give {size} weights")
    wrong = np.flatnonzero(~((vector >= 0.0) & (vector <= 1.0)))
    if len(wrong):
        i = int(wrong[0])
        raise PrivacyError(f"the privacy weight of item {i} is {vector[i]}", "give a number from 0 to 1")
    return vector


def stretching_weights(function: Function, v: ArrayLike) -> Floats:
    """The largest w with S_i(f, (1, .., w_i, .., 1)) <= v_i S(f) for every item i.

    In closed form where the function has one. Else by bisection, which ends at a weight that satisfies the inequality
    and is at most 2^-40 below one that does not, so at most 2^-40 below the largest that does, since S_i never falls.

    Raises
    ------
    PrivacyError
        If a weight is not from 0 to 1, S_i exceeds S(f) or falls, or no positive weight is small enough where v_i is
        positive: a function whose sensitivity does not shrink, such as the number of items above 0, is nothing for
        this mechanism.

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
    """The closed form; where it was rounded up, the next double below."""
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


def weighted_sum(coefficients: ArrayLike) -> Function:
    """The sum of c_i d_i over items from 0 to 1: S_i = |c_i| w_i, so w_i = v_i S / |c_i|, or 1 if that is less.

    Examples
    --------
    >>> stretching_weights(weighted_sum([2, -1]), [0.5, 0.25]).tolist()
    [0.5, 0.5]
    """
    c = np.asarray(coefficients, np.float64)
    size = np.abs(c).tolist()
    return Function(
        len(c),
        lambda d: math.fsum(c * d),
        float(max(size, default=0.0)),
        lambda i, w: size[i] * w,
        lambda i, bound: bound / size[i],
    )


def scalar_product(items: int) -> Function:
    """The scalar product of two profiles with items from 0 to 1, the one's first, then the other's: w = v (Lemma 4).

    Item i of one profile meets at most 1 in the other, so S_i = w_i and S = 1.
    """

    def value(d: Any) -> float:
        return math.fsum(d[:items] * d[items:])

    return Function(2 * items, value, 1.0, lambda i, w: w, lambda i, bound: bound)
