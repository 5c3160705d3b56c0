"""Samplers without draws: the random numbers that give each answer are counted.

A sampler turns one uniform whole number below 2^bits into an answer. Each answer owns an interval of these numbers, and
bisection finds its ends. So its chance is known exactly, also where it is far too small to be drawn: as a fraction, to
which the inequalities of the edges are applied as they stand.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import types
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from neodp import sampling

__all__ = ["DIGITS", "by_floats", "chances", "diffprivlib_binary", "effective", "keeps", "neodp_choice"]

Chances = Sequence[Fraction]

DIGITS = 53
"""The number of random bits that ``random.random()`` has."""


def chances(sampler: Callable[[int], int], answers: int, bits: int) -> list[Fraction]:
    """Return the exact chance of each answer."""
    found, start = [0] * answers, 0
    while start < 2**bits:
        answer = sampler(start)
        low, high = start, 2**bits  # the answer is given at low, and not at high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sampler(middle) == answer else (low, middle)
        found[answer] += high - start
        start = high
    return [Fraction(count, 2**bits) for count in found]


def effective(one: Sequence[Fraction], other: Sequence[Fraction]) -> float:
    """Return the least epsilon that two distributions keep, both ways."""
    found = 0.0
    for p, q in [*zip(one, other, strict=True), *zip(other, one, strict=True)]:
        if p:
            found = max(found, math.inf if not q else _log(p / q))
    return found


def keeps(one: Sequence[Fraction], other: Sequence[Fraction], epsilon: float) -> bool:
    """Return whether two distributions keep an epsilon, both ways, decided in 120 digits."""
    context = Context(prec=120)
    power = Fraction(context.exp(Decimal(epsilon))) * (1 - Fraction(1, 10**118))  # not above the true one
    return all(p <= power * q for p, q in [*zip(one, other, strict=True), *zip(other, one, strict=True)])


def _log(x: Fraction) -> float:
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    return math.log(float(x / Fraction(2) ** shift)) + shift * math.log(2.0)


# --- samplers -------------------------------------------------------------------------------------------------------


def neodp_choice(probabilities: Sequence[float]) -> list[Fraction]:
    """Return the chances that ``neodp answer`` gives to stored probabilities."""
    return chances(lambda uniform: sampling.choose(probabilities, uniform), len(probabilities), sampling.BITS)


def by_floats(probabilities: Sequence[float]) -> list[Fraction]:
    """Return the chances by a sampler that compares floats, as ``random.random() < p`` does: a planted fault."""

    def choose(uniform: int) -> int:
        total = 0.0
        for answer, p in enumerate(probabilities[:-1]):
            total += p
            if uniform * 2.0**-DIGITS < total:
                return answer
        return len(probabilities) - 1

    return chances(choose, len(probabilities), DIGITS)


def diffprivlib_binary(epsilon: float) -> tuple[list[Fraction], list[Fraction]]:
    """Return the chances of diffprivlib's binary mechanism, for either value, by its own code on each random number."""
    mechanism = _binary()(epsilon=epsilon, value0="no", value1="yes")

    def of(value: str) -> list[Fraction]:
        def choose(uniform: int) -> int:
            mechanism._rng = types.SimpleNamespace(random=lambda: uniform * 2.0**-DIGITS)
            return int(mechanism.randomise(value) == "yes")

        return chances(choose, 2, DIGITS)

    return of("no"), of("yes")


def _binary() -> Any:
    """Return the class without diffprivlib's models, which need another version of scikit-learn than there is."""
    if "diffprivlib" not in sys.modules:
        found = importlib.util.find_spec("diffprivlib")
        if found is None or found.submodule_search_locations is None:
            raise ModuleNotFoundError("there is no diffprivlib: pip install '.[bench]' in the checkout")
        package = types.ModuleType("diffprivlib")
        package.__path__ = list(found.submodule_search_locations)
        sys.modules["diffprivlib"] = package
    return importlib.import_module("diffprivlib.mechanisms.binary").Binary
