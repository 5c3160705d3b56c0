"""Two colours or more: one place decides, and both sides keep the same promises."""

import re
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import generate
from neodp.core.ball import evaluate_whole
from neodp.core.family import family, require_binary
from neodp.core.privacy import EpsilonDelta
from neodp.data.graph import DatasetGraph
from neodp.errors import GraphError, PrivacyError

TWO, THREE = generate.counts([3, 4]), generate.plurality(4, options=3)
ASKS = re.compile(r"len\([\w.]*colors\)\s*(==|!=|<|>|<=|>=)\s*[23]\b")
CORE = ("binary", "boundary", "mechanism", "ball", "auditing", "privacy", "extension", "search", "sampling")


@pytest.mark.parametrize("graph", [TWO, THREE])
def test_the_public_verbs_are_those_of_the_family(graph: DatasetGraph) -> None:
    kind = family(graph)
    assert kind.binary == (graph is TWO)
    assert (kind.balanced(graph)[neodp.boundary.boundary_vertices(graph)] > 0.0).all()
    assert kind.unhit_edge(graph) is not None
    given = graph.with_alpha(neodp.balanced(graph))
    assert kind.unhit_edge(given) is None
    found, m = kind.extend(given, EpsilonDelta.of(given), None), neodp.extend(given)
    assert (found.rows == m.probabilities).all()
    assert found.method == m.method
    assert neodp.audit(given, m) == kind.audit(given, m, 5)
    assert not neodp.audit(given, m).violations


@pytest.mark.parametrize("graph", [TWO, THREE])
def test_paths_begin_where_alpha_is_given_and_follow_edges(graph: DatasetGraph) -> None:
    g = graph.with_alpha(neodp.balanced(graph))
    found = family(g).extend(g, EpsilonDelta.of(g), None)
    for v in range(len(g)):
        path, edges = found.path(v)
        assert g.given[path[0]]
        assert path[-1] == v
        for u, w, e in zip(path[:-1], path[1:], edges, strict=True):
            assert {u, w} == {int(g.source[e]), int(g.target[e])}


def test_what_is_defined_for_two_colors_only() -> None:
    require_binary(TWO)
    with pytest.raises(GraphError, match="has 3 colours; this is defined for two"):
        require_binary(THREE)


def test_other_epsilons_than_the_graph_has_are_refused_with_more_colors() -> None:
    """They were once ignored without a word."""
    g = THREE.with_alpha(neodp.balanced(THREE))
    assert neodp.extend(g, EpsilonDelta.of(g)).method == "table"
    with pytest.raises(
        PrivacyError, match=r"has 3 colours; with more than two, only \(epsilon, delta\) is known, as the"
    ):
        neodp.extend(g, EpsilonDelta(g.epsilon / 2, g.delta))


def test_properties_are_those_of_the_data_model() -> None:
    assert family(TWO).properties([0.25, 0.75]) == {"p": 0.25, "q": 0.75}
    assert family(THREE).properties([0.25, 0.5, 0.25]) == {"probabilities": [0.25, 0.5, 0.25]}


def test_nobody_else_in_the_core_asks_for_the_number_of_colors() -> None:
    package = Path(neodp.__file__).parent
    files = [package / "core" / f"{name}.py" for name in CORE]
    files += [*package.glob("core/rainbow/*.py"), *package.glob("study/*.py")]
    assert len(files) > 20
    assert [str(file) for file in files if ASKS.search(file.read_text(encoding="utf-8"))] == []
    assert ASKS.search((package / "core" / "family.py").read_text(encoding="utf-8"))


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
