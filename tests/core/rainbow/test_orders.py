"""Preference: where it comes from, and what is refused."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate, rainbow
from neodp.errors import GraphError, PrivacyError, UnknownKey
from tests.core.rainbow.problems import COLORS, path_of


def test_preference_goes_through_csv_parquet_and_networkx(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    g = generate.plurality(4, options=3, epsilon=0.5)
    g = g.with_alpha(neodp.balanced(g))
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    g.to_csv(nodes, edges)
    assert "0-0-4,3,0.2" in nodes.read_text().replace('"', "")
    assert "3;1;2" in nodes.read_text()
    back = DatasetGraph.from_csv(nodes, edges, colors=g.colors)
    again = DatasetGraph.from_networkx(g.to_networkx())
    table = {"key": g.keys, "color": pa.array(g.colors).take(pa.array(g.color)), "preference": g.preference_lists()}
    pq.write_table(pa.table(table), tmp_path / "nodes.parquet")
    ends = {name: g.keys.take(pa.array(column)) for name, column in (("source", g.source), ("target", g.target))}
    pq.write_table(pa.table(ends), tmp_path / "edges.parquet")
    third = DatasetGraph.from_parquet(
        tmp_path / "nodes.parquet", tmp_path / "edges.parquet", colors=g.colors, epsilon=0.5
    )
    for other in (back, again, third):
        assert other.preference is not None
        assert (other.preference == g.preference).all()
        assert (neodp.boundary.boundary_vertices(other) == neodp.boundary.boundary_vertices(g)).all()
    assert np.array_equal(back.alpha, g.alpha, equal_nan=True)
    assert (neodp.extend(back).probabilities == neodp.extend(g).probabilities).all()


@pytest.mark.parametrize(
    ("preference", "said"),
    [
        ([["a", "b"], ["b", "a", "c"]], "dataset 'x': the preference is a, b; name each of a, b, c once, best first"),
        ([["a", "b", "b"], ["b", "a", "c"]], "dataset 'x': the preference is a, b, b; name each of a, b, c once"),
        ([["a", "b", "d"], ["b", "a", "c"]], "dataset 'x': the preference is a, b, d; name"),
        ([None, ["a", "b", "c"]], "dataset 'y' has the colour b and prefers a; name its colour first"),
        ([["a", "b", "c"]], "there are 2 datasets and 1 preferences; give one per dataset"),
        (["abc", ["b", "a", "c"]], "dataset 'x': the preference is 'abc'; name each of"),
        (np.array([[0, 1, 3], [1, 0, 2]]), "dataset 'x': the preference is 0, 1, 3; name"),
    ],
)
def test_a_preference_that_is_none_is_refused_by_name(preference: object, said: str) -> None:
    with pytest.raises(GraphError, match=said):
        DatasetGraph.from_columns(
            ["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, preference=preference, colors=["a", "b", "c"]
        )


def test_other_kinds_of_preference(tmp_path: Path) -> None:
    import networkx as nx
    import pyarrow as pa

    graph = nx.Graph()
    graph.add_node("x", color="a", preference=("a", "b", "c"))
    graph.add_node("y", color="b", preference="bac")
    with pytest.raises(GraphError, match="dataset 'y': the preference is 'bac'; name each of"):
        DatasetGraph.from_networkx(graph)
    graph.nodes["y"]["preference"] = ["b", "a", "c"]
    assert DatasetGraph.from_networkx(graph).colors == ("a", "b", "c")
    ends = ["x", "y"], ["a", "b"], ["x"], ["y"], 1.0
    with pytest.raises(GraphError, match="preference is a column of string; give one of lists"):
        DatasetGraph.from_columns(*ends, preference=pa.array(["a;b;c", "b;a;c"]), colors=["a", "b", "c"])
    large = pa.array([["a", "b", "c"], ["b", "a", "c"]], pa.large_list(pa.large_string()))
    assert DatasetGraph.from_columns(*ends, preference=large).crossing.all()
    named = DatasetGraph.from_columns(*ends, preference={"y": ["b", "a", "c"]}, colors=["a", "b", "c"])
    assert named.orders.tolist() == [[0, -1, -1], [1, 0, 2]]


def test_words_that_are_no_method_and_numbers_that_are_no_epsilon() -> None:
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    with pytest.raises(
        GraphError, match="there is no method 'sums'; leave it out, or give one of line, prefix, optimal, distance"
    ):
        neodp.extend(g, method="sums")  # type: ignore[arg-type]
    with pytest.raises(PrivacyError, match=r"epsilon is -1 and delta 0\.0; give numbers from 0 to 690 and from 0 to 1"):
        rainbow.line([0.5, 0.5], 3, -1)


def test_a_preference_for_nobody_is_refused() -> None:
    with pytest.raises(UnknownKey, match="a preference is given for 'z', which is not a dataset"):
        DatasetGraph.from_columns(["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, preference={"z": ["a", "b"]})


def test_many_orders_are_told_apart() -> None:
    orders = list(itertools.permutations(range(5)))
    n = len(orders)
    g = DatasetGraph.from_columns(
        [str(i) for i in range(n)], np.array(orders)[:, 0], np.arange(n - 1), np.arange(1, n), 1.0,
        preference=np.array(orders), colors=COLORS[:5],
    )  # fmt: skip
    assert len(g.orders) == n
    assert (g.orders[g.order] == np.array(orders)).all()
    assert g.crossing.all()
