"""Dataset graphs: made from columns, networkx and CSV, and what is refused, with its message."""

import math
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

from neodp import DatasetGraph
from neodp.data.tables import ReadOptions
from neodp.errors import GraphError, UnknownKey

ODD_KEYS = ["plain", "quo'te", 'dou"ble', "back`tick", "new\nline", "\\u0060", "emoji 🗳", "", "  ", "a,b", "; --"]


def columns(**changes: Any) -> dict[str, Any]:
    """Three datasets on a path, with some columns changed."""
    usual: dict[str, Any] = {
        "keys": ["a", "b", "c"],
        "color": ["red", "blue", "blue"],
        "source": ["a", "b"],
        "target": ["b", "c"],
        "epsilon": [0.5, 1.0],
        "delta": [0.0, 0.1],
        "alpha": [0.25, None, None],
    }
    return usual | changes


def same(one: DatasetGraph, two: DatasetGraph) -> bool:
    arrays = ("color", "source", "target", "epsilon", "delta", "alpha")
    return (
        one.keys.equals(two.keys)
        and one.colors == two.colors
        and all(np.array_equal(getattr(one, a), getattr(two, a), equal_nan=a == "alpha") for a in arrays)
    )


def test_columns_become_arrays() -> None:
    g = DatasetGraph.from_columns(**columns(), colors=["red", "blue"])
    assert len(g) == 3
    assert g.edges == 2
    assert g.color.tolist() == [0, 1, 1]
    assert g.source.tolist() == [0, 1]
    assert g.target.tolist() == [1, 2]
    assert g.epsilon.tolist() == [0.5, 1.0]
    assert g.delta.tolist() == [0.0, 0.1]
    assert g.given.tolist() == [True, False, False]
    assert g.alpha[0].tolist() == [0.25, 0.75]
    assert g.crossing.tolist() == [True, False]
    assert g.key(2) == "c"
    assert g.index("c") == 2


def test_colors_default_to_those_that_occur_sorted() -> None:
    assert DatasetGraph.from_columns(**columns()).colors == ("blue", "red")


def test_numpy_arrow_lists_and_positions_give_the_same_graph() -> None:
    usual = DatasetGraph.from_columns(**columns())
    arrow = columns(
        keys=pa.array(["a", "b", "c"]),
        color=pa.chunked_array([["red"], ["blue", "blue"]]),
        source=pa.array(["a", "b"], pa.large_string()),
        epsilon=pa.array([0.5, 1.0]),
        alpha=pa.array([0.25, None, None]),
    )
    positions = columns(
        source=np.array([0, 1]), target=np.array([1, 2], np.uint8), alpha=np.array([0.25, math.nan, math.nan])
    )
    listed = columns(color=[1, 0, 0], source=[0, 1], target=(1, np.int64(2)))
    assert same(DatasetGraph.from_columns(**listed, colors=["blue", "red"]), usual)
    rows = columns(alpha=np.array([[0.25, 0.75], [math.nan, math.nan], [math.nan, math.nan]]))
    for other in (arrow, positions, rows, columns(alpha={"a": 0.25}), columns(alpha={"a": [0.25, 0.75]})):
        assert same(DatasetGraph.from_columns(**other), usual)


def test_preferences_as_lists_of_positions() -> None:
    usual = columns(alpha=None, colors=["red", "blue"])
    names = DatasetGraph.from_columns(**usual, preference={"a": ["red", "blue"], "b": ["blue", "red"]})
    for preference in ([[0, 1], (1, 0), None], [[0, 1], [1, 0], [-1, -1]], {"a": [0, 1], "b": np.array([1, 0])}):
        np.testing.assert_array_equal(
            DatasetGraph.from_columns(**usual, preference=preference).preference, names.preference
        )
    for wrong, message in (
        ([0, 2], "the preference is 0, 2; name each of red, blue once"),
        ([1, 0], "has the colour red"),
    ):
        with pytest.raises(GraphError, match=message):
            DatasetGraph.from_columns(**usual, preference={"a": wrong})


def test_one_epsilon_for_all_edges_and_no_delta() -> None:
    g = DatasetGraph.from_columns(**columns(epsilon=2, delta=0.0))
    assert g.epsilon.tolist() == [2.0, 2.0]
    assert g.delta.tolist() == [0.0, 0.0]


def test_a_pair_that_stands_twice_with_equal_values_is_one_edge() -> None:
    twice = columns(source=["a", "b", "b"], target=["b", "c", "a"], epsilon=[0.5, 1.0, 0.5], delta=[0.0, 0.1, 0.0])
    assert same(DatasetGraph.from_columns(**twice), DatasetGraph.from_columns(**columns()))


def test_a_graph_without_edges() -> None:
    g = DatasetGraph.from_columns(["a"], ["red"], [], [], 1.0, colors=["red", "blue"])
    assert g.edges == 0


def test_a_distribution_is_exact_in_its_smaller_entry() -> None:
    g = DatasetGraph.from_columns(**columns(alpha=[[1e-30, 1.0], 0.1, 0.7]))
    assert g.alpha.tolist() == [[1e-30, 1.0], [0.1, 0.9], [0.7, 1 - 0.7]]


def test_arrays_cannot_be_changed() -> None:
    g = DatasetGraph.from_columns(**columns())
    with pytest.raises(ValueError, match="read-only"):
        g.epsilon[0] = 0.0
    with pytest.raises(AttributeError):
        g.name = "other"  # type: ignore[misc]


def test_networkx_and_back() -> None:
    g = DatasetGraph.from_columns(**columns(alpha=[0.25, [1.0, 1e-30], None]), name="small", colors=["red", "blue"])
    graph = g.to_networkx()
    assert graph.nodes["a"] == {"color": "red", "alpha": 0.25}
    assert graph.nodes["b"]["alpha"] == [1.0, 1e-30]
    assert graph.edges["b", "c"] == {"epsilon": 1.0, "delta": 0.1}
    back = DatasetGraph.from_networkx(graph)
    assert same(back, g)
    assert back.name == "small"


def test_networkx_nodes_and_colors_of_any_kind() -> None:
    graph = nx.Graph()
    graph.add_node((0, 1), color=1)
    graph.add_node((1, 1), color=2)
    graph.add_edge((0, 1), (1, 1))
    g = DatasetGraph.from_networkx(graph, epsilon=1.0, delta=0.25)
    assert g.keys.to_pylist() == ["(0, 1)", "(1, 1)"]
    assert g.colors == ("1", "2")
    assert g.delta.tolist() == [0.25]


def test_csv_and_back_with_every_bit_and_any_key(tmp_path: Path) -> None:
    n = len(ODD_KEYS)
    rng = np.random.default_rng(0)
    g = DatasetGraph.from_columns(
        ODD_KEYS,
        ["yes", "no"] * (n // 2) + ["no"],
        np.arange(n - 1),
        np.arange(1, n),
        rng.exponential(size=n - 1),
        rng.random(n - 1) * 1e-6,
        {"plain": 0.1, "": [1.0, 1e-30], "a,b": 1 / 3},
        colors=["yes", "no"],
    )
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    g.to_csv(nodes, edges)
    assert same(DatasetGraph.from_csv(nodes, edges, colors=["yes", "no"]), g)


def write(tmp_path: Path, nodes: str, edges: str) -> tuple[Path, Path]:
    paths = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    paths[0].write_text(nodes)
    paths[1].write_text(edges)
    return paths


def test_csv_gaps_are_filled_and_other_columns_ignored_where_asked(tmp_path: Path) -> None:
    paths = write(tmp_path, "note,key,color\nx,a,red\ny,b,blue\nz,c,blue\n", "source,target,epsilon\na,b,\nb,c,2\n")
    with pytest.raises(
        GraphError, match=r"nodes\.csv has a column 'note', which is not expected; it may have key, color, al"
    ):
        DatasetGraph.from_csv(*paths, epsilon=0.5)
    g = DatasetGraph.from_csv(*paths, epsilon=0.5, delta=0.1, options=ReadOptions(extra_columns="ignore"))
    assert g.epsilon.tolist() == [0.5, 2.0]
    assert g.delta.tolist() == [0.1, 0.1]
    assert not g.given.any()


def test_all_wrong_cells_of_both_files_are_said_at_once(tmp_path: Path) -> None:
    paths = write(
        tmp_path,
        "key,color,alpha\na,red,half\nb,blue,nan\nc,green,1.5\nd,blue,\n",
        "source,target,epsilon\na,b,lots\nb,c,-1\nc,d,\nd,x,1\n",
    )
    with pytest.raises(GraphError) as caught:
        DatasetGraph.from_csv(*paths, colors=["red", "blue"])
    hint = "give a number or numbers joined by ';', as in 0.2;0.8, or leave the cell empty"
    assert str(caught.value).splitlines() == [
        f"8 cells of {paths[0]} and {paths[1]} cannot be used:",
        f"  {paths[0]}: alpha is not a number, 2 times: line 2 ('half'), line 3 ('nan'); {hint}",
        f"  {paths[1]}: epsilon is not a number: line 2 ('lots'); correct the epsilon",
        f"  {paths[0]}: a colour is unknown: line 4 ('green'); use one of red, blue",
        f"  {paths[1]}: the end of an edge is no dataset: line 5 ('x'); add it, or remove the edge",
        f"  {paths[1]}: epsilon is missing: line 4; give it, or a default with `epsilon=...`",
        f"  {paths[1]}: epsilon is out of range: line 3 (-1.0); give a number from 0 to 690",
        f"  {paths[0]}: alpha is out of range: line 4 (1.5); give probabilities from 0 to 1",
    ]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        ("key,colour\na,red\n", "source,target\n", "nodes.csv has no column 'color'; did you mean 'colour'?"),
        ("key,color\na,red\nb,blue\n", "from,to\na,b\n", "edges.csv has no column 'source'; its columns are from, to"),
        ("", "source,target\n", "nodes.csv is empty; give a table whose first line names the columns"),
        (
            'key,color\n"a\nb",red\nc,blue\n',
            'source,target,epsilon\n"a\nb",c,1\n\nc,"a\nb",x\n',
            "edges.csv, line 5 (row 4): epsilon is 'x', not a number; correct the epsilon",
        ),
        (
            "key,color\na,red\nb,blue\n",
            "source,target,epsilon\na,b,\n",
            "edges.csv, line 2 has no epsilon; give it, or a default with `epsilon=...`",
        ),
        ("key,color\na,red\nb,blue\n", "source,target\na,b\n", "the edges have no epsilon; give it as a column or"),
        (
            "key,color\na,red\nb,blue\n",
            "source,target,epsilon\na,b,1e3\n",
            "edges.csv, line 2: epsilon is 1000.0; give a number from 0 to 690",
        ),
        (
            "key,color\na,red\nb,blue\n",
            "source,target,epsilon\na,x,1\n",
            "edges.csv, line 2: there is no dataset 'x'; add it, or remove the edge",
        ),
        (
            "key,color,alpha\na,red,.5\nb,blue,half\n",
            "source,target,epsilon\na,b,1\n",
            "nodes.csv, line 3: alpha is 'half'; give a number or numbers joined by ';', as in 0.2;0.8",
        ),
        (
            "key,color\na,red\nb,blue\na,red\n",
            "source,target,epsilon\na,b,1\n",
            "nodes.csv, line 4: the key 'a' occurs twice; make keys unique",
        ),
    ],
)
def test_csv_refused(tmp_path: Path, nodes: str, edges: str, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        DatasetGraph.from_csv(*write(tmp_path, nodes, edges))
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_csv_missing_file(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=r"there is no file .*nodes\.csv; correct the path"):
        DatasetGraph.from_csv(tmp_path / "nodes.csv", tmp_path / "edges.csv")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keys": [], "color": []}, "the graph has no datasets; give at least one"),
        ({"keys": ["a", "b", "a"]}, "dataset 'a': the key 'a' occurs twice; make keys unique"),
        ({"keys": ["a", "b", 3]}, "dataset 2 (counted from 0): a key is 3, not a text; give a string"),
        ({"keys": ["a", "b", None]}, "dataset 2 (counted from 0): a key is missing; give a string"),
        ({"keys": ["a", "b", "\ud800"]}, "dataset 2 (counted from 0): a key is '\\ud800', not a text; give a string"),
        ({"color": ["red", "blue"]}, "there are 3 keys and 2 colours; give one colour per dataset"),
        ({"color": ["red", "blue", "green"], "colors": ["red", "blue"]}, "dataset 'c' has the unknown colour 'green'"),
        ({"color": np.array([0, 1, 2]), "colors": ["red", "blue"]}, "dataset 'c' has the unknown colour 2"),
        (
            {"color": np.array([0, 1, 1])},
            "colours are given as positions, without the list of colours; name them with `colors=...`",
        ),
        ({"color": [0, 1, -1], "colors": ["red", "blue"]}, "dataset 'c' has the unknown colour -1"),
        ({"color": [0, 1, 10**30], "colors": ["red", "blue"]}, f"dataset 'c' has the unknown colour {10**30}"),
        (
            {"color": [0, 1, 1]},
            "colours are given as positions, without the list of colours; name them with `colors=...`",
        ),
        ({"color": [0, 1, True], "colors": ["red", "blue"]}, "dataset 'a': a colour is 0, not a text; give a string"),
        ({"color": ["red", "blue", None]}, "dataset 'c': a colour is missing; give a string"),
        ({"color": ["red", "red", "red"]}, "the colours are red; name at least two different ones with `colors=...`"),
        ({"colors": ["red", "red"]}, "the colours are red, red; name at least two different ones with `colors=...`"),
        ({"target": ["b", "d"]}, "edge 'b' – 'd': there is no dataset 'd'; add it, or remove the edge"),
        (
            {"target": np.array([1, 3])},
            "edge 1 (counted from 0): there is no dataset at position 3; positions go from 0",
        ),
        ({"target": [1, 3]}, "edge 1 (counted from 0): there is no dataset at position 3; positions go from 0"),
        ({"target": ["b", "b"]}, "edge 'b' – 'b' joins a dataset to itself; remove it"),
        ({"target": ["b"]}, "there are 2 sources and 1 targets; give one of each per edge"),
        ({"epsilon": [0.5, -1.0]}, "edge 'b' – 'c': epsilon is -1.0; give a number from 0 to 690"),
        ({"epsilon": [math.nan, 1.0]}, "edge 'a' – 'b': epsilon is nan; give a number from 0 to 690"),
        ({"epsilon": [0.5, math.inf]}, "edge 'b' – 'c': epsilon is inf; give a number from 0 to 690"),
        ({"epsilon": [0.5, 690.5]}, "edge 'b' – 'c': epsilon is 690.5; give a number from 0 to 690"),
        ({"epsilon": [0.5, "much"]}, "edge 'b' – 'c': epsilon is 'much', not a number; correct the epsilon"),
        ({"epsilon": [0.5, None]}, "edge 'b' – 'c' has no epsilon; give it, or a default with `epsilon=...`"),
        ({"epsilon": pa.array([0.5, None])}, "edge 'b' – 'c' has no epsilon; give it, or a default with `epsilon=...`"),
        ({"epsilon": [0.5]}, "there are 2 edges and 1 values of epsilon; give one per edge"),
        ({"epsilon": None}, "the edges have no epsilon; give it as a column or as one number with `epsilon=...`"),
        ({"delta": [0.0, 1.5]}, "edge 'b' – 'c': delta is 1.5; give a number from 0 to 1"),
        ({"delta": -0.1}, "delta is -0.1; give a number from 0 to 1"),
        ({"epsilon": "much"}, "epsilon is 'much', not a number; correct the epsilon"),
        ({"epsilon": 1j}, "epsilon is 1j, not a number; correct the epsilon"),
        ({"epsilon": [0.5, 10**400]}, "edge 'b' – 'c': epsilon is 1"),
        ({"epsilon": [[0.5, 1.0]]}, "there are 2 edges and 2 values of epsilon; give one per edge"),
        (
            {"source": ["a", "b", "b"], "target": ["b", "c", "a"], "epsilon": [0.5, 1.0, 0.6], "delta": 0.0},
            "edge 'b' – 'a' occurs twice, with (epsilon, delta) (0.5, 0) and (0.6, 0); keep one of them",
        ),
        ({"alpha": [0.25, 1.5, None]}, "dataset 'b': alpha is 1.5, -0.5; give probabilities from 0 to 1"),
        ({"alpha": [0.25]}, "there are 3 datasets and 1 values of alpha; give one per dataset"),
        (
            {"alpha": [[0.25, 0.25], None, None]},
            "dataset 'a': alpha is 0.25, 0.25 and does not add up to 1; correct it",
        ),
        ({"alpha": ["half", None, None]}, "dataset 'a': alpha is ['h', 'a', 'l', 'f']; give a number, or one for each"),
        ({"alpha": np.zeros((3, 3))}, "alpha has 3 columns; give one for each of the 2 colours"),
        (
            {"alpha": [1e-310, None, None]},
            "dataset 'a': alpha is 1e-310, 1.0; give 0 or at least 2.2250738585072014e-308",
        ),
        (
            {"alpha": [0.25, None, None], "color": ["red", "blue", "green"]},
            "dataset 'a': alpha is one number; give one for each of the 3 colours",
        ),
    ],
)
def test_columns_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError) as caught:
        DatasetGraph.from_columns(**columns(**changes))
    assert str(caught.value).startswith(message)


def test_unknown_keys_are_named_with_their_neighbors() -> None:
    g = DatasetGraph.from_columns(["12", "13", "14"], ["red", "blue", "blue"], ["12"], ["13"], 1.0)
    with pytest.raises(UnknownKey, match="there is no dataset '12x' in 'graph'; did you mean '12'"):
        g.index("12x")
    with pytest.raises(UnknownKey, match="alpha is given for '1z', which is not a dataset"):
        g.with_alpha({"1z": 0.5})


def test_networkx_refused_by_name() -> None:
    graph = nx.path_graph(2)
    with pytest.raises(GraphError, match="dataset '0': a colour is missing; give a string"):
        DatasetGraph.from_networkx(graph, epsilon=1.0)
    nx.set_node_attributes(graph, {0: "red", 1: "blue"}, "color")
    with pytest.raises(GraphError, match="has no epsilon; give it, or a default with `epsilon="):
        DatasetGraph.from_networkx(graph)
