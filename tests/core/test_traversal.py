"""Searches over plain arrays of edges, against networkx."""

import itertools

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neodp.core.traversal import components, reached, trace

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


@given(EDGES)
def test_components(edges: list[tuple[int, int]]) -> None:
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(10))
    source, target = np.array(edges, np.int64).reshape(-1, 2).T
    count, of = components(10, source, target)
    groups = {frozenset(np.flatnonzero(of == c).tolist()) for c in range(count)}
    assert groups == {frozenset(group) for group in nx.connected_components(graph)}


def test_many_parallel_edges_do_not_cancel() -> None:
    ends = np.zeros(256, np.int64)
    assert components(2, ends, ends + 1)[0] == 1


@given(EDGES, st.sets(st.integers(0, 9)))
def test_reached(edges: list[tuple[int, int]], start: set[int]) -> None:
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(10))
    source, target = np.array(edges, np.int64).reshape(-1, 2).T
    found = reached(10, np.array(sorted(start), np.int64), source, target)
    expected = start.union(*(nx.descendants(graph, v) for v in start))
    assert set(np.flatnonzero(found).tolist()) == expected


@given(EDGES, st.integers(0, 9), st.integers(0, 9))
def test_trace_finds_a_shortest_path(edges: list[tuple[int, int]], origin: int, v: int) -> None:
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(range(10))

    def before(w: int) -> list[tuple[int, int]]:
        return [(a, e) for e, (a, b) in enumerate(edges) if b == w]

    path, steps = trace(v, lambda w: w == origin, before)
    if not nx.has_path(graph, origin, v):
        assert (path, steps) == ([], [])
        return
    assert len(path) - 1 == nx.shortest_path_length(graph, origin, v)
    assert [edges[e] for e in steps] == list(itertools.pairwise(path))
    assert (path[0], path[-1]) == (origin, v)
