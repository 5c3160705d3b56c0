"""All graphs of up to five people, all patterns, all neighbours: the distances behind `neodp ask`, in rational numbers.

``python -m attacks.people`` compares every distance with the reference of ``tests/asking/reference.py``, which imports
nothing of neodp, and checks for everybody who could leave that it falls by 0 to their weight, before and after rounding
up.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from math import ceil

from neodp.asking.distance import Distances
from tests.asking.covers import cover_of
from tests.asking.reference import EDGES, People, distance, graphs, groups

__all__ = ["main", "violations"]


def main() -> int:
    """Check all graphs, and print how many removals were checked."""
    parser = argparse.ArgumentParser(prog="python -m attacks.people", description="Check distances on small graphs.")
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument("--weights", type=int, default=3, help="how many choices of weights and of the ill, per graph")
    given = parser.parse_args()
    checked, wrong = 0, 0
    for pattern in sorted(EDGES):
        for distinct in (False, True):
            for graph in everybody(given.people, given.weights):
                done, failed = violations(graph, pattern, distinct)
                checked, wrong = checked + done, wrong + failed
            print(f"{pattern}{', distinct' if distinct else ''}: {checked:,} removals, {wrong} violations", flush=True)
    return 1 if wrong else 0


def everybody(people: int, choices: int) -> Iterator[People]:
    """Yield every graph of at most so many people, with some choices of weights and of the ill each."""
    rng = random.Random(27)
    for n in range(1, people + 1):
        for friends in graphs(n):
            for _ in range(choices):
                yield People(tuple(rng.choices((1, 2, 3, 5), k=n)), tuple(rng.choices((True, False), k=n)), friends)


def violations(graph: People, pattern: str, distinct: bool) -> tuple[int, int]:
    """Return how many removals were checked on a graph, and how many of them were violations."""
    counted = groups(graph, pattern, distinct)
    before, checked, wrong = Distances(cover_of(graph, pattern, distinct)), 0, 0
    for t in range(1, len(counted) + 1):
        units, found = before.units(t), before.exactly(t)
        true = distance(graph, counted, t)
        wrong += not (found.lower == found.upper == true and units == ceil(true))
        for person, weight in enumerate(graph.weight):
            less = graph.without(person)
            after = distance(less, groups(less, pattern, distinct), t)
            wrong += not (0 <= true - after <= weight and 0 <= ceil(true) - ceil(after) <= weight)
            checked += 1
    return checked, wrong


if __name__ == "__main__":
    sys.exit(main())
