"""The duties of every store: one suite for both."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.core.boundary import distance
from neodp.errors import GraphError, GraphExists, NoMechanism, UnknownGraph, UnknownKey, UnknownQuery
from neodp.store import Store, open_store
from neodp.store.cypher import canned
from neodp.store.records import fingerprint
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]

ODD = [
    "plain",
    "it's",
    'say "hi"',
    "back`tick",
    "\\u0060",
    "new\nline",
    "emoji 🗳",
    " ",
    "a,b;c",
    "$graph",
    "x\x1fy",
    "1:x",
]


def voters() -> DatasetGraph:
    g = generate.three_voters()
    return g.with_alpha(neodp.balanced(g))


def mixed(seed: int = 0) -> DatasetGraph:
    """A random graph with different epsilons and deltas, and alpha near both ends."""
    g = generate.random_graph(60, edges=150, epsilon=(0.0, 40.0), delta=(0.0, 1e-3), seed=seed)
    return g.with_alpha(neodp.balanced(g))


def by_key(g: DatasetGraph, m: Mechanism) -> dict[str, list[float]]:
    return dict(zip(g.keys.to_pylist(), m.probabilities.tolist(), strict=True))


# --- graphs -------------------------------------------------------------------------------------------------


def test_an_empty_store_has_no_graphs(store: Store) -> None:
    assert store.graphs() == []
    assert store.init() == []


@pytest.mark.parametrize("make", [voters, mixed])
def test_a_graph_comes_back_as_it_went_in(store: Store, make: Callable[[], DatasetGraph]) -> None:
    g = make()
    info = store.load("g", g)
    assert (info.name, info.colors, info.datasets, info.edges) == ("g", g.colors, len(g), g.edges)
    assert (info.state, info.mechanism) == ("ready", None)
    back = store.read("g")
    assert back.name == "g"
    assert fingerprint(back) == fingerprint(g)


def test_odd_names_and_keys(store: Store) -> None:
    n = len(ODD)
    g = DatasetGraph.from_columns(ODD, ["yes", "no"] * (n // 2), np.arange(n - 1), np.arange(1, n), 0.5)
    g = g.with_alpha(neodp.balanced(g))
    names = [key for key in ODD if key.isprintable() and key.strip()]
    for name in names:
        store.load(name, g)
    assert sorted(info.name for info in store.graphs()) == sorted(names)
    for name in names:
        back = store.read(name)
        assert fingerprint(back) == fingerprint(g)
        store.write(name, neodp.extend(back))
        assert store.query("neighborhood", name, key="it's").num_rows == 2
    store.drop(names[1])
    assert sorted(info.name for info in store.graphs()) == sorted(names[:1] + names[2:])


def test_graphs_never_see_each_other(store: Store) -> None:
    one, two = generate.path(4, epsilon=1.0), generate.path(6, epsilon=0.25)
    store.load("one", one.with_alpha(neodp.balanced(one)))
    store.load("two", two.with_alpha(neodp.balanced(two)))
    store.write("one", neodp.extend(store.read("one")))
    assert store.info("two").mechanism is None
    assert store.neighbors("one", ["3"]).neighbor.to_pylist() == ["2"]
    assert store.query("boundary_edges", "two").num_rows == 1
    assert store.drop("one") == 4
    assert fingerprint(store.read("two")) == fingerprint(two.with_alpha(neodp.balanced(two)))


def test_a_name_that_is_taken(store: Store) -> None:
    store.load("g", generate.path(3))
    with pytest.raises(GraphExists, match=r"there is a graph 'g' in .* already; drop it, or use `replace=True`"):
        store.load("g", generate.path(5))
    assert store.info("g").datasets == 3
    store.load("g", generate.path(5), replace=True)
    assert len(store.read("g")) == 5


def test_an_unknown_graph_is_named_with_its_neighbors(store: Store) -> None:
    with pytest.raises(UnknownGraph, match=r"there is no graph 'voters' in .*; it is empty"):
        store.read("voters")
    store.load("voters", generate.path(3))
    for act in (store.read, store.info, store.drop, store.mechanism):
        with pytest.raises(UnknownGraph, match=r"there is no graph 'voter' in .*; did you mean 'voters'\?"):
            act("voter")
    assert len(store.graphs()) == 1


def test_a_graph_without_edges_and_one_dataset(store: Store) -> None:
    g = DatasetGraph.from_columns(["only"], ["yes"], [], [], 1.0, colors=["yes", "no"])
    store.load("g", g)
    back = store.read("g")
    assert fingerprint(back) == fingerprint(g)
    store.write("g", neodp.extend(back))
    assert store.mechanism("g").mechanism["only"] == {"yes": 1.0, "no": 0.0}


# --- subgraphs ----------------------------------------------------------------------------------------------


def test_subgraphs_by_keys_color_and_ball(store: Store) -> None:
    g = mixed(1)
    store.load("g", g)
    graph = g.to_networkx()
    some = [g.key(v) for v in (0, 7, 20)]

    def same(part: DatasetGraph, keys: set[str]) -> None:
        expected = graph.subgraph(keys)
        assert set(part.keys.to_pylist()) == keys
        assert nx.utils.graphs_equal(part.to_networkx(), nx.Graph(expected, name="g")) or (
            {frozenset(e) for e in part.to_networkx().edges} == {frozenset(e) for e in expected.edges}
        )

    same(store.read("g", keys=some), set(some))
    same(store.read("g", color="yes"), {k for k, c in graph.nodes(data="color") if c == "yes"})
    for radius in (0, 1, 2):
        near = {k for s in some for k in nx.ego_graph(graph, s, radius)}
        same(store.read("g", keys=some, radius=radius), near)
        red = {k for k in near if graph.nodes[k]["color"] == "no"}
        if red:
            same(store.read("g", keys=some, radius=radius, color="no"), red)


def test_subgraphs_that_make_no_sense(store: Store) -> None:
    store.load("g", generate.path(4))
    for act in (lambda: store.read("g", keys=["1", "9"]), lambda: store.neighbors("g", ["1", "9"])):
        with pytest.raises(UnknownKey, match="there is no dataset '9' in graph 'g'"):
            act()
    with pytest.raises(GraphError, match="there is no colour 'green' in graph 'g'; use one of yes, no"):
        store.read("g", color="green")
    with pytest.raises(GraphError, match="the radius is 2; give a whole number of at least 0, and keys to start from"):
        store.read("g", radius=2)


def test_neighbors_are_all_edges_at_the_keys(store: Store) -> None:
    g = mixed(2)
    store.load("g", g)
    some = [g.key(v) for v in (1, 2, 30)]
    star = store.neighbors("g", some)
    found = {
        (k, n): (c, e, d, a)
        for k, n, c, e, d, a in zip(
            star.key.to_pylist(),
            star.neighbor.to_pylist(),
            star.color.to_pylist(),
            star.epsilon.tolist(),
            star.delta.tolist(),
            star.alpha.tolist(),
            strict=True,
        )
    }
    graph = g.to_networkx()
    assert set(found) == {(k, n) for k in some for n in graph[k]}
    for (k, n), (color, epsilon, delta, alpha) in found.items():
        assert color == graph.nodes[n]["color"]
        assert (epsilon, delta) == (graph.edges[k, n]["epsilon"], graph.edges[k, n]["delta"])
        assert np.array_equal(alpha, g.alpha[g.index(n)], equal_nan=True)


# --- mechanisms ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [voters, mixed])
def test_a_mechanism_is_written_and_read_bit_for_bit(store: Store, make: Callable[[], DatasetGraph]) -> None:
    g = make()
    store.load("g", g)
    m = neodp.extend(store.read("g"))
    assert by_key(m.graph, m) == by_key(g, neodp.extend(g))
    assert store.write("g", m) == len(g)
    stored = store.mechanism("g")
    assert not stored.stale
    assert by_key(stored.mechanism.graph, stored.mechanism) == by_key(m.graph, m)
    assert neodp.audit(stored.mechanism.graph, stored.mechanism)
    info = store.info("g").mechanism
    assert info is not None
    assert info.min_p_true == m.p_true.min()
    assert info.mean_p_true == pytest.approx(m.p_true.mean())


def test_both_stores_agree_on_a_graph_from_csv_files(tmp_path: Path, store: Store) -> None:
    """The same two files through any store give the probabilities that the core gives."""
    g = mixed(3)
    g.to_csv(tmp_path / "n.csv", tmp_path / "e.csv")
    read = DatasetGraph.from_csv(tmp_path / "n.csv", tmp_path / "e.csv", colors=g.colors)
    store.load("g", read)
    store.write("g", neodp.extend(store.read("g")))
    stored = store.mechanism("g").mechanism
    assert by_key(stored.graph, stored) == by_key(g, neodp.extend(g))


def test_what_plain_cypher_sees(store: Store, raw: Raw) -> None:
    """The data model, read and written past neodp."""
    store.load("g", voters())
    m = neodp.extend(store.read("g"))
    store.write("g", m)
    assert raw("MATCH (g:DatasetGraph {name: 'g'}) RETURN g.colors") == [[["blue", "red"]]]
    rows = raw(
        "MATCH (d:Dataset) WHERE d.graph = 'g' RETURN d.key, d.color, d.p, d.q, d.p_true, d.distance ORDER BY d.key"
    )
    assert len(rows) == 8
    hops = dict(zip(m.graph.keys.to_pylist(), distance(m.graph).tolist(), strict=True))
    for key, color, p, q, p_true, far in rows:
        assert m[key] == {"blue": p, "red": q}
        assert p_true == m[key][color]
        assert far == hops[key]
    edges = raw(
        "MATCH (a:Dataset {key: '121'})-[r:NEIGHBOR]-(b:Dataset) RETURN b.key, r.epsilon, r.delta ORDER BY b.key"
    )
    assert edges == [["111", 1.0, 0.0], ["122", 1.0, 0.0], ["221", 0.5, 0.0]]


def test_alpha_is_replaced_as_a_whole_and_unsets_the_mechanism(store: Store) -> None:
    g = generate.path(6)
    store.load("g", g.with_alpha({"0": 0.9, "2": 0.6, "3": 0.5}))
    store.write("g", neodp.extend(store.read("g")))
    new = store.read("g").with_alpha({"2": [1 - 1e-30, 1e-30]})
    assert store.write_alpha("g", new) == 1
    back = store.read("g")
    assert fingerprint(back) == fingerprint(new)
    assert back.alpha[back.index("2")].tolist() == [1.0, 1e-30]
    assert store.info("g").mechanism is None
    with pytest.raises(NoMechanism, match=r"graph 'g' has no complete mechanism; run `store.extend\('g'\)` first"):
        store.mechanism("g")


@on_neo4j
@pytest.mark.parametrize(
    "change",
    [
        "MATCH (d:Dataset {key: '1'}) SET d.color = 'no'",
        "MATCH (d:Dataset {key: '2'}) SET d.alpha = 0.55",
        "MATCH (a:Dataset {key: '0'})-[r:NEIGHBOR]-(b:Dataset {key: '1'}) SET r.epsilon = 0.5",
        "MATCH (a:Dataset {key: '0'})-[r:NEIGHBOR]-(b:Dataset {key: '1'}) SET r.delta = 0.5",
        "MATCH (a:Dataset {key: '0'})-[r:NEIGHBOR]->(b:Dataset {key: '1'}) DELETE r",
        "MATCH (a:Dataset {key: '0'}), (b:Dataset {key: '5'}) CREATE (a)-[:NEIGHBOR {epsilon: 2.0, delta: 0.0}]->(b)",
    ],
)
def test_a_change_past_neodp_makes_the_mechanism_stale(store: Store, raw: Raw, change: str) -> None:
    g = generate.path(6)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    store.write("g", neodp.extend(store.read("g")))
    assert not store.mechanism("g").stale
    raw(change)
    assert store.mechanism("g").stale
    store.write("g", neodp.extend(store.read("g").with_alpha(neodp.balanced(store.read("g")))))


def test_writing_a_mechanism_of_another_graph_changes_nothing(store: Store) -> None:
    store.load("g", voters())
    store.write("g", neodp.extend(store.read("g")))
    before = store.info("g")
    other = generate.path(9)
    with pytest.raises((UnknownKey, GraphError)):
        store.write("g", neodp.extend(other.with_alpha(neodp.balanced(other))))
    assert store.info("g") == before
    assert not store.mechanism("g").stale


def test_a_mechanism_that_misses_a_dataset_is_refused(store: Store) -> None:
    g = generate.path(6)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    part = store.read("g", keys=["1", "2", "3", "4"])
    with pytest.raises(
        GraphError, match="no probabilities for dataset '0' of graph 'g'; read the whole graph, and extend"
    ):
        store.write("g", neodp.extend(part))
    assert store.info("g").mechanism is None


# --- canned queries -----------------------------------------------------------------------------------------


def test_every_canned_query_runs_and_says_what_it_answers(store: Store) -> None:
    store.load("g", voters())
    store.write("g", neodp.extend(store.read("g")))
    for query in canned().values():
        assert query.answers.endswith(".")
        given = {"key": "121"} if "key" in query.parameters else {}
        assert store.query(query.name, "g", **given).num_columns > 2


def test_summary_by_color(store: Store) -> None:
    store.load("g", voters())
    m = neodp.extend(store.read("g"))
    store.write("g", m)
    rows = store.query("summary", "g").to_pylist()
    assert [(r["color"], r["datasets"], r["boundary"]) for r in rows] == [("blue", 4, 3), ("red", 4, 3)]
    for row in rows:
        own = m.p_true[m.graph.color == m.graph.colors.index(row["color"])]
        assert row["min_p_true"] == own.min()
        assert row["max_p_true"] == own.max()
        assert row["mean_p_true"] == pytest.approx(own.mean())


def test_least_accurate_datasets(store: Store) -> None:
    store.load("g", voters())
    m = neodp.extend(store.read("g"))
    store.write("g", m)
    rows = store.query("least_accurate", "g", limit=3).to_pylist()
    assert [r["key"] for r in rows] == ["112", "121", "212"]
    assert [r["p_true"] for r in rows] == [m.p_true.min()] * 3
    assert [r["distance"] for r in rows] == [0, 0, 0]


def test_boundary_edges_and_where_alpha_is_missing(store: Store) -> None:
    g = generate.path(4).with_alpha({"0": 0.9})
    store.load("g", g)
    (edge,) = store.query("boundary_edges", "g").to_pylist()
    assert {edge["source"], edge["target"]} == {"1", "2"}
    assert (edge["epsilon"], edge["delta"], edge["source_alpha"], edge["target_alpha"]) == (1.0, 0.0, None, None)
    (missing,) = store.query("missing_alpha", "g").to_pylist()
    assert {missing["source"], missing["target"]} == {"1", "2"}
    store.write_alpha("g", store.read("g").with_alpha({"2": 0.25}))
    assert store.query("missing_alpha", "g").num_rows == 0


def test_the_neighborhood_of_a_dataset(store: Store) -> None:
    store.load("g", voters())
    store.write("g", neodp.extend(store.read("g")))
    rows = store.query("neighborhood", "g", key="121").to_pylist()
    assert [(r["key"], r["epsilon"], r["delta"]) for r in rows] == [
        ("111", 1.0, 0.0),
        ("122", 1.0, 0.0),
        ("221", 0.5, 0.0),
    ]


def test_accuracy_by_distance(store: Store) -> None:
    g = generate.path(8)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    store.write("g", neodp.extend(store.read("g")))
    rows = store.query("accuracy_by_distance", "g").to_pylist()
    assert [(r["distance"], r["datasets"]) for r in rows] == [(0, 2), (1, 2), (2, 2), (3, 2)]
    for row in rows:
        expected = neodp.study.closed_forms.balanced_truth(row["distance"], 1.0)
        assert row["mean_p_true"] == pytest.approx(expected, abs=1e-12)


@on_neo4j
def test_the_audit_in_cypher_finds_what_is_broken(store: Store, raw: Raw) -> None:
    g = generate.path(6)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    store.write("g", neodp.extend(store.read("g")))
    assert store.query("privacy_audit", "g").num_rows == 0
    raw("MATCH (a:Dataset {key: '3'})-[r:NEIGHBOR]-(b:Dataset {key: '4'}) SET r.epsilon = 0.9")
    (row,) = store.query("privacy_audit", "g").to_pylist()
    assert {row["source"], row["target"]} == {"3", "4"}
    assert row["epsilon"] == 0.9


@on_neo4j
def test_stale_and_missing_probabilities(store: Store, raw: Raw) -> None:
    g = generate.path(6)
    store.load("g", g.with_alpha(neodp.balanced(g)))
    assert [r["reason"] for r in store.query("stale", "g").to_pylist()] == ["missing"] * 6
    store.write("g", neodp.extend(store.read("g")))
    assert store.query("stale", "g").num_rows == 0
    raw("MATCH (d:Dataset {key: '0'}) SET d.color = 'no'")
    raw("MATCH (d:Dataset {key: '2'}) SET d.alpha = 0.55")
    raw("MATCH (d:Dataset {key: '5'}) SET d.p_true = null")
    rows = {r["key"]: r["reason"] for r in store.query("stale", "g").to_pylist()}
    assert rows == {"0": "color changed", "2": "alpha changed", "5": "missing"}


def test_queries_that_do_not_exist_or_lack_a_parameter(store: Store) -> None:
    store.load("g", voters())
    for query, parameters, message in (
        ("sumary", {}, r"there is no query 'sumary'; did you mean 'summary'\?"),
        ("zzz", {}, "there is no query 'zzz'; there are accuracy_by_distance, "),
        ("neighborhood", {}, "query 'neighborhood' needs the parameter 'key'; give it as key=…"),
        ("summary", {"key": "1"}, "query 'summary' has no parameter 'key'; its parameters: none besides the graph"),
        ("least_accurate", {"limit": "many"}, "limit is 'many'; give a whole number"),
    ):
        with pytest.raises(UnknownQuery, match=message):
            store.query(query, "g", **parameters)


def test_canned_queries_never_take_half_a_mechanism_for_one(store: Store) -> None:
    store.load("g", voters())
    for query in ("summary", "least_accurate", "privacy_audit", "accuracy_by_distance"):
        assert store.query(query, "g").num_rows == 0


# --- values -------------------------------------------------------------------------------------------------


def test_extreme_numbers_survive(store: Store) -> None:
    tiny = 2.0**-1022
    g = DatasetGraph.from_columns(
        ["a", "b", "c"],
        ["yes", "no", "yes"],
        ["a", "b"],
        ["b", "c"],
        [690.0, 5e-324],
        [tiny, 1 - 2.0**-53],
        {"a": [1.0, tiny], "b": 0.1, "c": math.nextafter(0.5, 0)},
    )
    store.load("g", g)
    assert fingerprint(store.read("g")) == fingerprint(g)


def test_a_store_opened_again_has_everything(address: str) -> None:
    with open_store(address) as first:
        first.load("g", voters())
        first.write("g", neodp.extend(first.read("g")))
    with open_store(address) as second:
        assert not second.mechanism("g").stale
