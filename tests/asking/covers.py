"""Covers of small graphs of people, for tests."""

from __future__ import annotations

import numpy as np

from neodp.asking.cover import Cover
from neodp.asking.matches import Matches, Units
from tests.asking.reference import People, groups, matches


def cover_of(graph: People, pattern: str, distinct: bool = False) -> Cover:
    """Return the cover that neodp makes of rows as an engine gives them: ids of people, and of friendships."""
    number = {pair: i for i, pair in enumerate(sorted(graph.friends, key=sorted))}
    found = Matches(8, most=10**6)
    for people, pairs in matches(graph, pattern):
        nodes = [np.array([i]) for i in people]
        links = [np.array([number[pair]]) for pair in pairs]
        if distinct:
            for i, witnesses in named(graph, pattern).items():
                if people in witnesses:
                    found.add(nodes, links, group=np.array([i]))
        else:
            found.add(nodes, links)
    return found.cover(Units(np.arange(len(graph.weight)), np.array(graph.weight)), distinct=distinct)


def named(graph: People, pattern: str) -> dict[int, list[frozenset[int]]]:
    """Return the witnesses of every person that is counted once."""
    return dict(enumerate(groups(graph, pattern, True)))
