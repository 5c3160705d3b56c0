"""Arguments that a person passes: keys of any kind find their datasets, and mistakes are named."""

import networkx as nx
import numpy as np
import pytest

import neodp
from neodp.core.ball import evaluate
from neodp.core.evaluation import evaluate_whole
from neodp.data.distributions import own_and_rest
from neodp.data.graph import DatasetGraph
from neodp.errors import GraphError, UnknownKey


@pytest.fixture
def grid() -> DatasetGraph:
    """A grid of networkx, whose nodes are tuples."""
    graph = nx.grid_2d_graph(2, 3)
    nx.set_node_attributes(graph, {node: "yes" if node[1] else "no" for node in graph}, "color")
    g = DatasetGraph.from_networkx(graph, epsilon=1.0)
    return g.with_alpha(neodp.balanced(g))


def test_tuples_of_networkx_find_their_datasets(grid: DatasetGraph) -> None:
    m = neodp.extend(grid)
    assert grid.index((1, 2)) == grid.index("(1, 2)") == 5
    assert m[1, 2] == m["(1, 2)"]
    assert neodp.draw(m, (0, 0)) in grid.colors
    (found,) = evaluate(grid, [(1, 2)]).evaluations
    assert (found.key, found.probabilities) == ("(1, 2)", m[1, 2])


def test_a_string_or_a_number_is_one_key() -> None:
    g = neodp.generate.path(1000)
    g = g.with_alpha(neodp.balanced(g))
    m = neodp.extend(g)
    for search in (evaluate, evaluate_whole):
        for key in ("497", 497, np.int64(497), ["497"], [497], ("497",)):
            (found,) = search(g, key).evaluations
            assert (found.key, found.probabilities) == ("497", m[497])
        assert [e.key for e in search(g, iter(["3", 4, "3"])).evaluations] == ["3", "4", "3"]


def test_alpha_and_preferences_by_nodes(grid: DatasetGraph) -> None:
    given = grid.with_alpha({(0, 0): 0.25, (0, 1): 0.5})
    assert np.flatnonzero(given.given).tolist() == [0, 1]
    rows = DatasetGraph.from_columns(
        ["0", "1"], ["a", "b"], ["0"], ["1"], 1.0, preference={0: ["a", "c", "b"], 1: ["b", "c", "a"]}
    )
    assert rows.preference is not None
    assert rows.preference.tolist() == [[0, 2, 1], [1, 2, 0]]


@pytest.mark.parametrize("search", [evaluate, evaluate_whole])
def test_a_tuple_that_was_meant_as_one_key(grid: DatasetGraph, search: object) -> None:
    message = (
        "there is no dataset '1' in 'graph'; a tuple is read as several keys: put a tuple that names one dataset into"
    )
    with pytest.raises(UnknownKey, match=message):
        search(grid, (1, 2))  # type: ignore[operator]


def test_unknown_keys_say_what_a_key_is(grid: DatasetGraph) -> None:
    with pytest.raises(
        UnknownKey, match="there is no dataset 'q' in 'graph'; a key is a string: for datasets from netw"
    ):
        grid.index("q")
    with pytest.raises(UnknownKey, match=r"there is no dataset '\(1, 7\)' in 'graph'; did you mean '\(1, 2\)'"):
        neodp.extend(grid)[1, 7]
    with pytest.raises(GraphError, match=r"alpha is given twice for '1'; give it once: keys are compared as str\(\)"):
        neodp.generate.path(2).with_alpha({1: 0.5, "1": 0.6})


def test_the_rest_is_a_sum() -> None:
    """One minus a chance next to 1 would be 0."""
    rows = np.array([[1.0, 1e-300, 2e-300], [0.25, 0.5, 0.25], [np.nan] * 3])
    own, rest = own_and_rest(rows, np.array([0, 1, 2]))
    assert own[:2].tolist() == [1.0, 0.5]
    assert rest[:2].tolist() == [3e-300, 0.5]
    assert np.isnan(rest[2])
