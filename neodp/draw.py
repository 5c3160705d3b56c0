"""One private answer, exactly distributed.

A stored probability is a whole number of 2^-1074, so an answer is drawn with one uniform whole number below
2^1074 from the operating system: the colours but the most likely one own disjoint intervals of their exact
lengths, the most likely one owns the rest. Nothing is rounded and no float is compared.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence

from neodp.mechanism import Mechanism

__all__ = ["choose", "draw", "draw_insecurely_for_tests"]

BITS = 1074
"""Every double from 0 to 1 is a whole number of 2^-1074."""


def draw(mechanism: Mechanism, key: str) -> str:
    """One answer for a dataset. Every call draws anew, and costs the privacy of the mechanism anew.

    Examples
    --------
    >>> import neodp
    >>> g = neodp.generate.path(2)
    >>> m = neodp.extend(g.with_alpha({"0": 0.5}))
    >>> draw(m, "0") in g.colors
    True
    """
    row = mechanism.probabilities[mechanism.graph.index(key)]
    return mechanism.graph.colors[choose(row.tolist(), secrets.randbits(BITS))]


def draw_insecurely_for_tests(mechanism: Mechanism, key: str, seed: int) -> str:
    """As ``draw``, from a seeded generator: repeatable, therefore predictable, therefore not private."""
    row = mechanism.probabilities[mechanism.graph.index(key)]
    return mechanism.graph.colors[choose(row.tolist(), random.Random(seed).getrandbits(BITS))]


def choose(probabilities: Sequence[float], uniform: int) -> int:
    """The position that a uniform whole number below 2^1074 selects.

    Examples
    --------
    >>> choose([0.25, 0.75], 2**1072 - 1), choose([0.25, 0.75], 2**1072)
    (0, 1)
    """
    largest = max(range(len(probabilities)), key=probabilities.__getitem__)
    for position, probability in enumerate(probabilities):
        if position == largest:
            continue
        numerator, denominator = probability.as_integer_ratio()
        uniform -= numerator * (2**BITS // denominator)
        if uniform < 0:
            return position
    return largest
