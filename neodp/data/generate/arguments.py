"""Arguments of the families of graphs: checked, and completed by their defaults."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from neodp.data.tables import threshold_share
from neodp.data.validation import MAX_EPSILON, Floats, caution
from neodp.errors import GraphError
from neodp.hints import Hint, Option

__all__ = [
    "LARGEST",
    "MOST_PLACES",
    "generator",
    "named_colors",
    "number_up_to",
    "one_or_drawn",
    "one_or_each",
    "option_names",
    "people_needed",
    "require_size",
    "sum_needed",
    "whole_number",
]

LARGEST = 2**31 - 1
"""The greatest number of edges, and of characters of all keys together: as many as 32-bit positions can number."""
MOST_PLACES = 30
"""The length of the longest words: with one more place, even two letters make more than LARGEST words."""


def named_colors(colors: Sequence[str], k: int) -> tuple[str, ...]:
    """Return k different names of colours."""
    named = tuple(colors)
    if len(named) != k or len(set(named)) < k or not all(isinstance(color, str) for color in named):
        raise GraphError(
            f"the colours are {', '.join(map(str, named)) or 'none'}",
            Hint(f"name {'two' if k == 2 else k} different ones with ", Option("colors")),
        )
    return named


def option_names(colors: Sequence[str] | None, k: int) -> Sequence[str]:
    """Return the names of k options: by default 1, 2, …, k."""
    return [str(i) for i in range(1, k + 1)] if colors is None else colors


def require_size(vertices: int, edges: int, width: int) -> None:
    """Refuse sizes that 32 bits cannot number: edges, or characters of keys that are `width` long."""
    if edges > LARGEST or vertices * width > LARGEST:
        many = "edges" if edges > LARGEST else "characters of keys"
        raise GraphError(f"the graph has more than {LARGEST:,} {many}", "make it smaller")


def whole_number(value: Any, name: str, least: int, most: int = LARGEST) -> int:
    """Return an integer from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise GraphError(f"{name} is {value!r}", f"give a whole number from {least:,} to {most:,}")
    return number


def numbers_up_to(values: ArrayLike, name: str, most: float) -> Floats:
    """Return one number or a row of them, each from 0 to `most`."""
    try:
        column = np.asarray(values, dtype=np.float64) + 0.0  # 0 for -0
    except (TypeError, ValueError, OverflowError):
        column = np.full((1, 1), np.nan)
    if column.ndim > 1:
        raise GraphError(f"{name} is {values!r}", "give a number, or a row of numbers")
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= most)))
    if len(wrong):
        place = f"{name}[{wrong[0]}]" if column.ndim else name
        raise GraphError(f"{place} is {column.flat[wrong[0]]}", f"give a number from 0 to {most:,.0f}")
    return column


def number_up_to(value: ArrayLike, name: str, most: float) -> float:
    """Return one number from 0 to `most`."""
    number = numbers_up_to(value, name, most)
    if number.ndim:
        raise GraphError(f"{name} has {len(number)} values", "give one number")
    return float(number)


def one_or_each(epsilon: ArrayLike, delta: ArrayLike, n: int, each: str) -> tuple[Floats, Floats]:
    """Return `n` epsilons and deltas: one number for all, or one for each."""

    def column(values: ArrayLike, name: str, most: float) -> Floats:
        numbers = numbers_up_to(values, name, most)
        if numbers.ndim and len(numbers) != n:
            raise GraphError(f"{name} has {len(numbers)} values", f"give one number, or {n:,}: one per {each}")
        return np.broadcast_to(numbers, n).copy()

    each_epsilon = column(epsilon, "epsilon", MAX_EPSILON)
    caution(each_epsilon)
    return each_epsilon, column(delta, "delta", 1.0)


def one_or_drawn(epsilon: ArrayLike, delta: ArrayLike, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return `n` epsilons and deltas: one number for all, or drawn uniformly between two."""

    def column(values: ArrayLike, name: str, most: float) -> Floats:
        numbers = numbers_up_to(values, name, most)
        if numbers.ndim == 0:
            return np.full(n, numbers)
        if len(numbers) != 2 or numbers[0] > numbers[1]:
            raise GraphError(f"{name} is {values!r}", "give one number, or a pair (low, high)")
        return rng.uniform(numbers[0], numbers[1], n)

    each_epsilon = column(epsilon, "epsilon", MAX_EPSILON)
    caution(each_epsilon)
    return each_epsilon, column(delta, "delta", 1.0)


def sum_needed(threshold: int | None, largest: int) -> int:
    """Return the sum that is enough: by default more than half of the largest."""
    return largest // 2 + 1 if threshold is None else whole_number(threshold, "threshold", 0, largest + 1)


def people_needed(rule: str | int, people: int) -> int:
    """Return the number of people that is enough."""
    if rule == "majority":
        return people // 2 + 1
    if not isinstance(rule, str):
        return whole_number(rule, "rule", 0, people + 1)
    try:
        return math.ceil(threshold_share(rule) * people)
    except ValueError:
        hint = "give 'majority', a share from 0 to 1 as in 'threshold:2/3', or a number"
        raise GraphError(f"rule is {rule!r}", hint) from None


def generator(seed: int | None) -> np.random.Generator:
    """Return the source of random numbers for a seed; a new one for None."""
    return np.random.default_rng(None if seed is None else whole_number(seed, "seed", 0))
