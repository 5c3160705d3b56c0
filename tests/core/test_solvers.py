"""Two colours or more: both solvers keep the same promises."""

import pickle

import numpy as np
import pytest

import neodp
from neodp import generate
from neodp.core.evaluation import evaluate_whole
from neodp.core.privacy import EpsilonDelta
from neodp.core.solvers import solver
from neodp.data.graph import DatasetGraph
from neodp.errors import PrivacyError

TWO, THREE = generate.counts([3, 4]), generate.plurality(4, options=3)


@pytest.mark.parametrize("graph", [TWO, THREE])
def test_the_public_verbs_are_those_of_the_solver(graph: DatasetGraph) -> None:
    kind = solver(graph)
    assert (kind.balanced(graph)[neodp.boundary.boundary_vertices(graph)] > 0.0).all()
    assert kind.unhit_edge(graph) is not None
    given = graph.with_alpha(neodp.balanced(graph))
    assert kind.unhit_edge(given) is None
    found, m = kind.extend(given, EpsilonDelta.of(given), None), neodp.extend(given)
    assert (found.probabilities == m.probabilities).all()
    assert found.method == m.method
    assert not neodp.audit(given, m).violations


@pytest.mark.parametrize("graph", [TWO, THREE])
def test_paths_begin_where_alpha_is_given_and_follow_edges(graph: DatasetGraph) -> None:
    g = graph.with_alpha(neodp.balanced(graph))
    found = neodp.extend(g)
    for v in range(len(g)):
        path, edges = found.path(v)
        assert g.given[path[0]]
        assert path[-1] == v
        for u, w, e in zip(path[:-1], path[1:], edges, strict=True):
            assert {u, w} == {int(g.source[e]), int(g.target[e])}


def test_other_epsilons_than_the_graph_has_are_refused_with_more_colors() -> None:
    """They were once ignored without a word."""
    g = THREE.with_alpha(neodp.balanced(THREE))
    assert neodp.extend(g, EpsilonDelta.of(g)).method == "table"
    with pytest.raises(
        PrivacyError, match=r"has 3 colours; with more than two, only the \(epsilon, delta\) of the graph"
    ):
        neodp.extend(g, EpsilonDelta(g.epsilon / 2, g.delta))


def test_chances_of_truth_and_of_anything_else() -> None:
    g = THREE.with_alpha(neodp.balanced(THREE))
    m = neodp.extend(g)
    assert m.p_true + m.p_false == pytest.approx(np.ones(len(g)))


def test_one_dataset_under_another_privacy_notion() -> None:
    g = TWO.with_alpha({TWO.key(v): 0.5 for v in neodp.boundary.boundary_vertices(TWO)})
    rule = neodp.Gaussian(0.5)
    m = neodp.extend(g, rule)
    for key in g.keys.to_pylist():
        (found,) = evaluate_whole(g, key, privacy=rule).evaluations
        assert found.probabilities == m[key]


@pytest.mark.parametrize("graph", [TWO, THREE])
def test_a_mechanism_can_be_sent_to_another_process(graph: DatasetGraph) -> None:
    m = neodp.extend(graph.with_alpha(neodp.balanced(graph)))
    again = pickle.loads(pickle.dumps(m))
    assert np.array_equal(again.probabilities, m.probabilities)
    assert [again.path(v) for v in range(len(m))] == [m.path(v) for v in range(len(m))]
