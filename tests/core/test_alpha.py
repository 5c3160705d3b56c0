"""Choices of alpha on the boundary."""

import math

import networkx as nx
import numpy as np
import pytest

import neodp
from neodp import boundary, generate
from neodp.core import binary
from neodp.core.privacy import EpsilonDelta
from neodp.errors import GraphError, PrivacyError
from neodp.study import closed_forms


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(0.0, 0.0), (1e-9, 0.0), (0.7, 0.0), (0.3, 0.05), (40.0, 0.0), (690.0, 0.0)]
)
def test_balanced_is_corollary_2_and_survives_the_exact_audit(epsilon: float, delta: float) -> None:
    for g in (generate.path(9, epsilon=epsilon, delta=delta), generate.hypercube(5, epsilon=epsilon, delta=delta)):
        g = g.with_alpha(neodp.balanced(g))
        ends = boundary.boundary_vertices(g)
        wrong = g.alpha[ends, 1 - g.color[ends]]
        assert wrong == pytest.approx((1 - delta) / (math.exp(epsilon) + 1), rel=1e-14)
        assert (wrong * (1 + 1e-14) >= (1 - delta) / (math.exp(epsilon) + 1)).all()
        m = neodp.extend(g)
        assert len(m.rounded) == 0
        assert neodp.audit(g, m).violations == 0


@pytest.mark.parametrize("seed", range(40))
def test_balanced_where_edges_differ(seed: int) -> None:
    """Compatible as it stands, and no boundary edge is shared better: some bound of each dataset is reached."""
    g = generate.random_graph(20, edges=40, epsilon=(0.0, 1.5), delta=(0.0, 0.1 * (seed % 2)), seed=seed)
    g = g.with_alpha(neodp.balanced(g))
    m = neodp.extend(g)
    assert len(m.rounded) == 0
    assert neodp.audit(g, m).violations == 0
    assert (m.p_true >= 0.5).all()
    limit = dict.fromkeys(boundary.boundary_vertices(g).tolist(), math.inf)
    for e in range(g.edges):
        u, v = int(g.source[e]), int(g.target[e])
        for a, b in ((u, v), (v, u)):
            if g.crossing[e]:
                even = closed_forms.balanced_truth(0, float(g.epsilon[e]), float(g.delta[e]))
                limit[a] = min(limit[a], even)
            elif a in limit:
                limit[a] = min(limit[a], float(neodp.privacy.upper(m.p_true[b], g.epsilon[e], g.delta[e])))
    for v, bound in limit.items():
        assert m.p_true[v] == pytest.approx(bound, abs=1e-12)


def test_homogeneous_takes_the_best_of_the_other_color() -> None:
    g = generate.path(6, epsilon=math.log(2), delta=0.1)
    for first in (0.2, 0.5, 0.7, 0.95, 1.0):
        chosen = g.with_alpha(neodp.homogeneous(g, first))
        assert chosen.alpha[2, 0] == first
        assert chosen.alpha[3, 1] == pytest.approx(float(neodp.privacy.upper(1 - first, math.log(2), 0.1)), rel=1e-14)
        m = neodp.extend(chosen)
        assert len(m.rounded) == 0
        assert neodp.audit(g, m)


def test_homogeneous_is_corollary_1() -> None:
    """Pr[truth] at distance d from the boundary is p(d, alpha) of paper 002."""
    g = generate.grid(7, 7, threshold=6, epsilon=0.4, delta=0.02)
    m = neodp.extend(g.with_alpha(neodp.homogeneous(g, 0.6, 0.55)))
    graph = g.to_networkx()
    ends = boundary.boundary_vertices(g)
    for color, alpha in ((0, 0.6), (1, 0.55)):
        inside = graph.subgraph(g.key(v) for v in np.flatnonzero(g.color == color))
        starts = {g.key(v) for v in ends if g.color[v] == color}
        for key, d in nx.multi_source_dijkstra_path_length(inside, starts, weight=None).items():
            assert m.p_true[g.index(key)] == pytest.approx(closed_forms.induced(d, alpha, 0.4, 0.02), abs=1e-12)


def test_bad_values_are_refused() -> None:
    g = generate.path(4)
    with pytest.raises(PrivacyError, match=r"alpha is 1\.5; give a probability from 0 to 1"):
        neodp.homogeneous(g, 1.5)
    three = neodp.DatasetGraph.from_columns(["a", "b", "c"], ["x", "y", "z"], ["a"], ["b"], 1.0)
    with pytest.raises(GraphError, match="'graph' has 3 colours; this is defined for two colours only"):
        neodp.minimum_hitting_set(three)


@pytest.mark.parametrize("least", [0.0, 1e-3, 0.02, 0.1, 0.3, 0.5, 0.9])
def test_balanced_takes_every_path_that_matters(least: float) -> None:
    """The labels at the boundary are those that a pass over all edges finds, however far paths matter."""
    g = neodp.generate.random_geometric(400, epsilon=(least, 1.0), seed=5)
    rule = EpsilonDelta.of(g)
    label = binary.even_shares(g, rule)  # internal: what balanced starts from
    rule.settle(g.adjacency_of(~g.crossing), label, boundary.boundary_vertices(g))
    assert np.array_equal(neodp.balanced(g), binary.alpha_of(g, label), equal_nan=True)
