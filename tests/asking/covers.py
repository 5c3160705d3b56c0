"""Covers and graphs of datasets of small graphs of people, for tests and attacks."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import neodp
from neodp.asking.cover import Cover
from neodp.asking.matches import Matches, Units
from tests.asking.reference import Groups, People, groups, matches


def cover_of(graph: People, pattern: str, distinct: bool = False) -> Cover:
    """Return the cover that neodp makes of rows as an engine gives them: ids of people, and of friendships."""
    number = {pair: i for i, pair in enumerate(sorted(graph.friends, key=sorted))}
    found = Matches(8, most=10**6)
    counted = groups(graph, pattern, True) if distinct else []
    for people, pairs in matches(graph, pattern):
        nodes = [np.array([i]) for i in people]
        links = [np.array([number[pair]]) for pair in pairs]
        if distinct:
            for i, witnesses in enumerate(counted):
                if people in witnesses:
                    found.add(nodes, links, group=np.array([i]))
        else:
            found.add(nodes, links)
    return found.cover(Units(np.arange(len(graph.weight)), np.array(graph.weight)), distinct=distinct)


def on_all_datasets(people: int, counted: Groups, t: int, epsilon: float, alpha: float = 0.05) -> dict[str, float]:
    """Return the chances that `extend` gives, where everybody is there, on the graph of all who may take part."""
    sets = [frozenset(chosen) for size in range(people + 1) for chosen in combinations(range(people), size)]
    colors = {s: "yes" if sum(any(m <= s for m in each) for each in counted) >= t else "no" for s in sets}
    key = {s: "".join(map(str, sorted(s))) or "nobody" for s in sets}
    ends = [(key[s], key[s - {i}]) for s in sets for i in s]
    built = neodp.DatasetGraph.from_columns(
        list(key.values()),
        list(colors.values()),
        [a for a, _ in ends],
        [b for _, b in ends],
        epsilon,
        alpha={key[s]: alpha for s in sets if colors[s] == "no"},
        colors=["yes", "no"],
    )
    row = neodp.extend(built).probabilities[built.index(key[frozenset(range(people))])]
    return {"yes": float(row[0]), "no": float(row[1])}
