"""Random removals of people from a large graph: every distance falls by 0 to the weight of who left.

``python -m attacks.removals`` takes the friends of Deezer in Romania (:mod:`bench.deezer`), everybody with epsilon 0.1,
0.5, 1 or 2 at random, and asks for pairs of friends, pairs who both like Rock, and triangles. People who carry the
distance and people at random leave, one at a time, with all their matches; the question is then solved anew. Distances
of pairs are compared as rational numbers, before and after rounding up; those of triangles after rounding up, which is
what is released.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bench import deezer
from neodp.asking.cover import Cover
from neodp.asking.distance import Distances
from neodp.asking.matches import Matches, Units
from neodp.asking.mechanism import UNIT

__all__ = ["Fallen", "fallen", "main", "pairs", "triangles", "weights"]

LEVELS = (0.1, 0.5, 1.0, 2.0)
SHARES = (0.999, 0.9, 0.5)
"""The parts of all matches at which the distances to fewer are compared."""
Ints = NDArray[np.int64]


def main() -> int:
    """Check the three questions, and print how many removals there were and how far the distances fell."""
    parser = argparse.ArgumentParser(prog="python -m attacks.removals", description="Remove people from a large graph.")
    parser.add_argument("--people", type=int, default=20, help="how many people leave, per question")
    given = parser.parse_args()
    friends = deezer.friendships()
    people = int(friends.max()) + 1
    weight = weights(people)
    rock = deezer.likers("Rock", people)
    covers = {
        "pairs": pairs(friends, weight),
        "pairs, both like Rock": pairs(friends[rock[friends].all(axis=1)], weight),
        "triangles": triangles(friends, weight),
    }
    wrong = 0
    for name, cover in covers.items():
        found = fallen(cover, given.people, np.random.default_rng(27))
        print(f"{name}: {cover.count:,} matches, {found}", flush=True)
        wrong += found.wrong
    return 1 if wrong else 0


@dataclass
class Fallen:
    """The number of removals, of those that changed the distance, of those by the whole weight, and of violations."""

    removals: int = 0
    changed: int = 0
    whole: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return (
            f"{self.removals} removals, {self.changed} changed the distance, {self.whole} by the whole weight, "
            f"{self.wrong} violations"
        )


def fallen(cover: Cover, people: int, rng: np.random.Generator) -> Fallen:
    """Let people leave, half of them from those who carry a distance, and compare the distances.

    Parameters
    ----------
    cover : Cover
    people : int
        How many people leave, one at a time.
    rng : numpy.random.Generator
    """
    before, found = Distances(cover), Fallen()
    exact = int(cover.sizes.max(initial=0)) <= 2
    thresholds = [max(1, round(cover.count * share)) for share in SHARES]
    for t in thresholds:
        before.units(t)
    carriers = np.flatnonzero(before.leaving(thresholds[0]))
    some = rng.choice(carriers, min(len(carriers), people // 2), replace=False)
    others = np.setdiff1d(np.arange(len(cover.weight)), some)
    leaving = [*some.tolist(), *rng.choice(others, min(len(others), people - len(some)), replace=False).tolist()]
    for person in leaving:
        after = Distances(cover.without(np.array([person])))
        for t in thresholds:
            found.removals += 1
            falls: list[Fraction | int] = [(before.units(t) or 0) - (after.units(t) or 0)]
            if exact:
                one, other = before.exactly(t).upper, after.exactly(t).upper
                assert one is not None
                assert other is not None
                falls.append(one - other)
            weight = int(cover.weight[person])
            found.wrong += not all(0 <= fall <= weight for fall in falls)
            found.changed += any(falls)
            found.whole += falls[-1] == weight
    return found


def weights(people: int) -> Ints:
    """Return weights for everybody: the levels at random, in units."""
    each: Ints = np.round(np.random.default_rng(7).choice(LEVELS, people) / UNIT).astype(np.int64)
    return each


def pairs(friends: Ints, weight: Ints) -> Cover:
    """Return the program of all pairs of friends."""
    return _cover([friends[:, 0], friends[:, 1]], [np.arange(len(friends))], weight)


def triangles(friends: Ints, weight: Ints) -> Cover:
    """Return the program of all triangles of friends."""
    low, high = friends.min(axis=1), friends.max(axis=1)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    first = np.searchsorted(low, np.arange(len(weight) + 1))
    more = first[low + 1] - np.arange(len(low)) - 1  # later friends of the same person
    one = np.repeat(np.arange(len(low)), more)
    other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(more) - more, more)
    number = {pair: i for i, pair in enumerate(zip(low.tolist(), high.tolist(), strict=True))}
    third = np.array(
        [number.get(pair, -1) for pair in zip(high[one].tolist(), high[other].tolist(), strict=True)], np.int64
    )
    one, other, third = one[third >= 0], other[third >= 0], third[third >= 0]
    return _cover([low[one], high[one], high[other]], [one, other, third], weight)


def _cover(nodes: list[Ints], links: list[Ints], weight: Ints) -> Cover:
    matches = Matches(len(nodes) + len(links), most=10**8)
    matches.add(nodes, links)
    return matches.cover(Units(np.arange(len(weight)), weight))


if __name__ == "__main__":
    sys.exit(main())
