"""The boundary, and sets that hit it."""

import networkx as nx
import numpy as np
import pytest

from neodp import boundary, generate


def test_boundary_of_three_voters() -> None:
    """Fig. 1 of paper 000: 111 and 222 are unanimous; nobody alone decides there."""
    g = generate.three_voters()
    ends = {g.key(v) for v in boundary.boundary_vertices(g)}
    assert ends == set(g.keys.to_pylist()) - {"111", "222"}
    assert len(boundary.boundary_edges(g)) == 6


def test_hitting_and_its_witness() -> None:
    g = generate.three_voters()
    blue = np.flatnonzero(g.color == 0)
    assert boundary.is_hitting_set(g, blue)
    missing = [v for v in blue if g.key(v) != "121"]
    assert not boundary.is_hitting_set(g, np.array(missing))
    witness = boundary.unhit_edge(g, np.array(missing))
    assert witness is not None
    assert "'121'" in g.edge_name(witness)


@pytest.mark.parametrize("seed", range(60))
def test_minimum_hitting_set_is_one_and_as_small_as_a_matching(seed: int) -> None:
    g = generate.random_graph(25, edges=25 + seed % 40, seed=seed)
    cover = boundary.minimum_hitting_set(g)
    assert boundary.is_hitting_set(g, cover)
    cut = nx.Graph([(int(g.source[e]), int(g.target[e])) for e in boundary.boundary_edges(g)])
    assert len(cover) == len(nx.max_weight_matching(cut, maxcardinality=True))


def test_minimum_hitting_set_without_a_boundary_is_empty() -> None:
    assert len(boundary.minimum_hitting_set(generate.path(3, split=3))) == 0
