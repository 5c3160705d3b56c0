"""All tables of a small poll, and all inequalities between neighbours, in whole numbers; nothing of neodp is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations, product

import numpy as np

__all__ = ["broken", "tables"]

Table = tuple[tuple[int, ...], ...]
DIGITS = 1074
"""Every double is a multiple of 2^-1074."""
MORE = 200
"""The number of binary digits after the point of e^epsilon, which is rounded down."""


def parts(n: int, k: int) -> list[tuple[int, ...]]:
    """Return all ways in which n people choose among k options."""
    return [(n,)] if k == 1 else [(i, *rest) for i in range(n + 1) for rest in parts(n - i, k - 1)]


def tables(sizes: Sequence[int], options: int) -> list[Table]:
    """Return all tables: for each group, how many people choose each option."""
    return list(product(*(parts(n, options) for n in sizes)))


def whole(row: Sequence[float]) -> list[int]:
    """Return chances in units of 2^-1074; the largest is one minus the rest."""
    found = [int(Fraction(p) * 2**DIGITS) for p in row]
    largest = found.index(max(found))
    found[largest] += 2**DIGITS - sum(found)
    assert min(found) >= 0
    return found


def growth(epsilon: float) -> int:
    """Return e^epsilon in units of 2^-MORE, rounded down."""
    return int(Fraction(Context(prec=400).exp(Decimal(epsilon))) * 2**MORE) - 1


def broken(
    distribution: Callable[[np.ndarray], Sequence[float]], people: Sequence[tuple[int, float]], options: int
) -> tuple[int, list[str]]:
    """Return the number of inequalities p <= e^epsilon p' between neighbouring tables, and those that do not hold.

    `people` says how many there are with which epsilon, in the order of the groups.
    """
    rows = {table: whole(distribution(np.array(table))) for table in tables([size for size, _ in people], options)}
    grown, checked, wrong = [growth(epsilon) for _, epsilon in people], 0, []
    for table, row in rows.items():
        for g, votes in enumerate(table):
            for a, b in permutations(range(options), 2):
                if votes[a]:
                    moved = tuple(n - (i == a) + (i == b) for i, n in enumerate(votes))
                    there = rows[(*table[:g], moved, *table[g + 1 :])]
                    wrong += [
                        f"answer {j} at {table} and with {moved} in group {g}"
                        for j in range(options)
                        if row[j] << MORE > grown[g] * there[j]
                    ]
                    checked += options
    return checked, wrong
