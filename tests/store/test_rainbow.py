"""More than two colours on both stores: preference, distributions, and the canned queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate
from neodp.errors import GraphError, NoMechanism, NotPrivate, StaleMechanism, UnhitBoundary
from neodp.store import Store, answering
from neodp.store.records import fingerprint
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]


@pytest.fixture(scope="module")
def graph() -> DatasetGraph:
    g = generate.plurality(4, 3, epsilon=[0.3, 0.9], colors=["red", "blue", "green"])
    return g.with_alpha(neodp.balanced(g))


def kept(store: Store, graph: DatasetGraph) -> neodp.Mechanism:
    store.load("p", graph)
    m = neodp.extend(store.read("p"))
    store.write("p", m)
    return m


def test_preference_alpha_and_distributions_come_back_bit_for_bit(store: Store, graph: DatasetGraph) -> None:
    m = kept(store, graph)
    read = store.read("p")
    assert fingerprint(read) == fingerprint(graph)
    stored = store.mechanism("p")
    assert not stored.stale
    order = [graph.index(key) for key in read.keys.to_pylist()]
    assert (stored.mechanism.probabilities == m.probabilities).all()
    assert (stored.mechanism.probabilities == neodp.extend(graph).probabilities[order]).all()
    assert neodp.audit(read, stored.mechanism)
    part = store.read("p", keys=["4-0-0/3-0-0"], radius=1)
    assert part.preference is not None
    assert part.preference[part.index("4-0-0/3-0-0")].tolist() == [0, 1, 2]
    reds = store.read("p", color="red")
    assert reds.preference is not None
    assert (reds.preference[:, 0] == 0).all()


def test_rows_with_two_equal_largest_entries_survive(store: Store) -> None:
    """The entry that stands for one minus the rest must not change on the way."""
    g = generate.plurality(3, options=3, epsilon=0.0)
    rows = np.tile([0.1, 0.45, 0.45], (len(g), 1))
    store.load("t", g)
    read = store.read("t")
    store.write("t", neodp.Mechanism.of(read, rows))
    assert (store.mechanism("t").mechanism.probabilities == rows).all()


def test_neighbors_have_their_preference(store: Store, graph: DatasetGraph) -> None:
    store.load("p", graph)
    star = store.neighbors("p", ["4-0-0/3-0-0"])
    assert star.preference is not None
    for key, row in zip(star.neighbor.to_pylist(), star.preference, strict=True):
        assert graph.preference is not None
        assert (graph.preference[graph.index(key)] == row).all()
    store.load("two", generate.path(3))
    assert store.neighbors("two", ["1"]).preference is None


@on_neo4j
def test_a_changed_preference_makes_the_mechanism_stale(store: Store, graph: DatasetGraph, raw: Raw) -> None:
    kept(store, graph)
    raw("MATCH (d:Dataset {graph: 'p', key: '4-0-0/3-0-0'}) SET d.preference = ['red', 'green', 'blue']")
    assert store.mechanism("p").stale
    raw("MATCH (d:Dataset {graph: 'p', key: '4-0-0/3-0-0'}) SET d.preference = ['blue', 'green', 'red']")
    with pytest.raises(GraphError, match="dataset '4-0-0/3-0-0' has the colour red and prefers blue"):
        store.read("p")


def test_replacing_a_graph_replaces_preference(store: Store, graph: DatasetGraph) -> None:
    kept(store, graph)
    again = generate.plurality(3, options=3)
    store.load("p", again, replace=True)
    assert fingerprint(store.read("p")) == fingerprint(again)
    assert store.read("p").preference is not None


def test_alpha_is_written_back(store: Store, graph: DatasetGraph) -> None:
    store.load("p", graph.with_alpha(None))
    read = store.read("p")
    assert not read.given.any()
    ends = neodp.boundary.boundary_vertices(read)
    assert store.write_alpha("p", read.with_alpha(neodp.balanced(read))) == len(ends)
    assert fingerprint(store.read("p")) == fingerprint(graph)


@on_neo4j
def test_canned_queries_with_more_than_two_colors(store: Store, graph: DatasetGraph, raw: Raw) -> None:
    m = kept(store, graph)
    read = m.graph
    orders = store.query("orders", "p").to_pylist()
    assert sum(row["datasets"] for row in orders) == len(graph)
    assert [row["order"] for row in orders][:2] == ["blue > green > red", "blue > red > green"]
    ends = neodp.boundary.boundary_vertices(read)
    assert sum(row["boundary"] for row in orders) == len(ends)
    edges = store.query("boundary_edges", "p", limit=10_000).to_pylist()
    assert len(edges) == np.count_nonzero(graph.crossing)
    assert len(edges[0]["source_alpha"]) == 3
    assert store.query("missing_alpha", "p").num_rows == 0
    assert store.query("privacy_audit", "p").num_rows == 0
    assert store.query("stale", "p").num_rows == 0
    assert store.query("summary", "p").num_rows == 3
    around = store.query("neighborhood", "p", key="4-0-0/3-0-0").to_pylist()
    assert around[0]["preference"][0] == "red"
    raw("MATCH (d:Dataset {graph: 'p', key: '4-0-0/3-0-0'}) SET d.probabilities = [0.2, 0.4, 0.4]")
    broken = store.query("privacy_audit", "p").to_pylist()
    assert broken
    assert all("4-0-0/3-0-0" in (row["source"], row["target"]) for row in broken)
    assert [row["reason"] for row in store.query("stale", "p").to_pylist()] == ["color changed"]
    key = read.key(ends[0])
    name = "alphas" if "://" not in store.address else "alpha"
    raw(f"MATCH (d:Dataset {{graph: 'p', key: '{key}'}}) SET d.{name} = [0.2, 0.4, 0.4]")
    assert "alpha changed" in [row["reason"] for row in store.query("stale", "p").to_pylist()]


def test_a_set_of_outputs_is_found_by_the_query(store: Store) -> None:
    g = DatasetGraph.from_columns(
        ["u", "v"],
        ["a", "b"],
        ["u"],
        ["v"],
        0.0,
        0.15,
        preference=[list("abcd"), list("bacd")],
        colors=list("abcd"),
    )
    store.load("s", g)
    read = store.read("s")
    store.write("s", neodp.Mechanism.of(read, {"u": [0.35, 0.35, 0.15, 0.15], "v": [0.25] * 4}))
    assert store.query("privacy_audit", "s").num_rows == 1
    store.write("s", neodp.Mechanism.of(read, {"u": [0.3, 0.3, 0.2, 0.2], "v": [0.25] * 4}))
    assert store.query("privacy_audit", "s").num_rows == 0


def test_files_keep_preference(store: Store, graph: DatasetGraph, tmp_path: Path) -> None:
    graph.to_csv(tmp_path / "n.csv", tmp_path / "e.csv")
    store.load("p", DatasetGraph.from_csv(tmp_path / "n.csv", tmp_path / "e.csv", colors=graph.colors))
    assert fingerprint(store.read("p")) == fingerprint(graph)


@pytest.mark.parametrize("epsilon", [0.5, [0.3, 0.9]])
def test_single_datasets_and_answers(store: Store, epsilon: Any, raw: Raw) -> None:
    """The numbers of the extension, in every bit; kept, and answered from, like those of two colours."""
    g = generate.plurality(3, 2, epsilon=epsilon, colors=["red", "blue", "green"])
    g = g.with_alpha(neodp.balanced(g))
    store.load("p", g)
    m, keys = neodp.extend(g), g.keys.to_pylist()
    found = store.evaluate("p", keys)
    assert {e.key: e.probabilities for e in found.evaluations} == {key: m[key] for key in keys}
    distance = neodp.rainbow.distances(g)
    for e in found.evaluations:
        assert e.path[-1] == e.key
        units = neodp.rainbow.lengths(np.array(e.epsilons), 3).sum()
        assert units == distance[g.index(e.key)]
        assert distance[g.index(e.path[0])] == 0
    store.evaluate("p", keys[:1], write=True)
    rows = raw("MATCH (d:Dataset) WHERE d.probabilities IS NOT NULL RETURN d.key, d.probabilities, d.p_true")
    assert rows == [[keys[0], list(m[keys[0]].values()), m.p_true[0]]]
    assert store.answer("p", keys[0], "spring").answer in g.colors
    with pytest.raises(
        GraphError, match=r"'p' has 3 colours; a search sees part of the graph, and cannot show that alpha agrees"
    ):
        store.evaluate("p", keys[:1], engine="ball")


def test_a_mechanism_that_was_found_in_another_way_is_not_stale(store: Store) -> None:
    """Epsilons that differ: prefix sums by default, the line where that was written."""
    g = DatasetGraph.from_columns(
        ["a", "b", "c"],
        ["x", "x", "y"],
        ["a", "b"],
        ["b", "c"],
        [0.9, 0.4],
        preference=[["x", "y", "z"], ["x", "y", "z"], ["y", "x", "z"]],
        colors=["x", "y", "z"],
    )
    g = g.with_alpha({"b": [0.45, 0.35, 0.2], "c": [0.35, 0.45, 0.2]})  # the edge to "a" crosses 1/2
    store.load("p", g)
    line, prefix = neodp.extend(g, method="line"), neodp.extend(g)
    assert line["a"] != prefix["a"]
    for m in (line, prefix):
        store.write("p", neodp.Mechanism.of(store.read("p"), m.probabilities))
        assert store.evaluate("p", ["a"]).evaluations[0].probabilities == m["a"]
    store.write("p", neodp.Mechanism.of(store.read("p"), np.full((3, 3), 1 / 3)))
    with pytest.raises(StaleMechanism):
        store.evaluate("p", ["a"])


def test_two_neighbors_are_answered_by_one_method(store: Store) -> None:
    """A mechanism that is the prefix sums but for the last bit of one entry: nothing at a dataset chooses the line.

    Datasets 0 and 1 are neighbours with epsilon 0.5. When the stored rows around a dataset chose, 1 was answered by the
    line and 0 by prefix sums: a factor of e^3.
    """
    colors = ["a", "b", "c"]
    order = [colors if v < 5 else ["b", "a", "c"] for v in range(8)]
    graph = DatasetGraph.from_columns(
        [str(v) for v in range(8)],
        [each[0] for each in order],
        [str(v) for v in range(7)],
        [str(v) for v in range(1, 8)],
        [0.5, 0.5, 0.5, 3.0, 1.0, 1.0, 1.0],
        alpha={"4": [0.1, 0.1, 0.8], "5": [0.1, 0.1, 0.8]},
        preference=dict(zip(map(str, range(8)), order, strict=True)),
        colors=colors,
    )
    store.load("g", graph)
    store.extend("g")
    stored = store.mechanism("g").mechanism
    assert stored.method == "prefix"
    rows = stored.probabilities.copy()
    rows[2, 1] = np.nextafter(rows[2, 1], 1.0)
    store.write("g", neodp.Mechanism.of(store.read("g"), rows))
    info = store.certify("g")
    drawn = [list(answering.drawn_from(store.port, info, key).values()) for key in ("0", "1", "2")]
    assert drawn == stored.probabilities[:3].tolist()
    everywhere = [list(answering.drawn_from_all(store.port, info, key).values()) for key in ("0", "1", "2")]
    assert everywhere == drawn
    line = neodp.extend(graph, method="line")
    store.write("g", neodp.Mechanism.of(store.read("g"), line.probabilities))
    assert store.mechanism("g").info.method == "line"
    assert list(store.evaluate("g", ["1"]).evaluations[0].probabilities.values()) == line.probabilities[1].tolist()


def test_alpha_and_probabilities_are_properties_of_lists(store: Store, graph: DatasetGraph) -> None:
    m = kept(store, graph)

    def column(name: str) -> dict[str, list[float]]:
        table = store.column("p", name)
        return dict(zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True))

    assert column("alpha") == {graph.key(v): graph.alpha[v].tolist() for v in np.flatnonzero(graph.given)}
    assert column("probabilities") == {key: list(row.values()) for key, row in m.items()}
    assert (column("alpha_0"), column("p")) == ({}, {})


def test_a_part_without_preferences_has_none_and_one_without_datasets_is_refused(store: Store) -> None:
    g = DatasetGraph.from_columns(
        ["a", "b", "c"],
        ["x", "y", "y"],
        ["a", "b"],
        ["b", "c"],
        0.5,
        preference={"a": ["x", "y", "z"]},
        colors=["x", "y", "z"],
    )
    store.load("p", g)
    assert store.read("p", color="y").preference is None
    assert store.read("p", keys=["c"], radius=1).preference is None
    assert store.neighbors("p", ["c"]).preference is None
    assert store.read("p", keys=["c"], radius=2).preference is not None
    told = "no dataset of graph 'p' is in the part that was asked for; name other datasets or another colour"
    for keys in (None, ["a", "b"]):
        with pytest.raises(GraphError, match=told):
            store.read("p", keys=keys, color="z")


# --- linear programs and distances --------------------------------------------------------------------------------


@pytest.fixture
def crossed() -> DatasetGraph:
    """A graph whose prefix sums are not private: from a, b bounds one prefix sum of d most, and c the other."""
    one, two, alpha = ["x", "y", "z"], ["y", "z", "x"], [0.18, 0.28, 0.54]
    return DatasetGraph.from_columns(
        list("abcde"),
        ["x", "x", "x", "x", "y"],
        list("eabac"),
        list("abdcd"),
        [1.0, 0.7, 0.8, 1.7, 0.6],
        alpha={"a": alpha, "e": alpha},
        preference=dict(zip("abcde", [one, one, one, one, two], strict=True)),
        colors=["x", "y", "z"],
    )


def bare(graph: DatasetGraph) -> DatasetGraph:
    return graph.with_alpha(np.full(graph.alpha.shape, np.nan))


def test_the_optimum_is_stored_with_its_proof_and_answers_without_alpha(store: Store, crossed: DatasetGraph) -> None:
    store.load("g", bare(crossed))
    with pytest.raises(UnhitBoundary):
        store.answer("g", "a", "spring")
    found = store.extend("g", method="optimal").result
    best = neodp.extend(bare(crossed), method="optimal")
    assert best.optimality is not None
    assert best.optimality.gap < 1e-9
    assert (found.method, found.prior) == ("optimal", "uniform")
    assert (found.expected, found.bound) == (best.optimality.expected, best.optimality.bound)
    kept = store.mechanism("g")
    assert kept.info.optimality == kept.mechanism.optimality == best.optimality
    assert np.array_equal(kept.mechanism.probabilities, best.probabilities)
    assert store.audit("g").result.report.violations == 0
    ball = store.evaluate("g", list("abcde"))
    assert [list(each.probabilities.values()) for each in ball.evaluations] == best.probabilities.tolist()
    assert ball.proof == "the stored mechanism was read"
    info = store.certify("g")
    for draw in (answering.drawn_from, answering.drawn_from_all):
        assert draw(store.port, info, "d") == best["d"]
    assert store.answer("g", "d", "spring").answer in crossed.colors
    store.write_alpha("g", crossed)
    assert store.info("g").mechanism is None


def test_replacing_alpha_takes_the_optimum_away_and_says_so(store: Store, crossed: DatasetGraph, raw: Raw) -> None:
    """By neodp: there is no mechanism until it is found again. By somebody's Cypher: the mechanism is stale."""
    store.load("g", bare(crossed))
    store.extend("g", method="optimal")
    store.certify("g")
    store.write_alpha("g", crossed)
    for ask in (lambda: store.audit("g"), lambda: store.mechanism("g")):
        with pytest.raises(NoMechanism, match=r"graph 'g' has no complete mechanism; run `store.extend\('g'\)` first"):
            ask()
    store.write_alpha("g", bare(crossed))
    store.extend("g", method="optimal")
    store.certify("g")
    if "://" not in store.address:
        return
    raw("MATCH (d:Dataset {graph: 'g', key: 'a'}) SET d.alpha = [0.2, 0.3, 0.5]")
    for verify in (False, True):
        with pytest.raises(StaleMechanism, match="graph 'g' has changed since its mechanism was written"):
            store.answer("g", "d", "spring", verify=verify)
    assert store.audit("g").result.stale


def test_a_prior_is_named_with_the_mechanism(store: Store, crossed: DatasetGraph) -> None:
    store.load("g", bare(crossed))
    for prior, name in (("distance", "distance"), ({"d": 1.0}, "given")):
        store.extend("g", method="optimal", prior=prior)
        proof = store.mechanism("g").info.optimality
        assert proof is not None
        assert (proof.prior, proof.gap < 1e-6) == (name, True)
    assert store.mechanism("g").mechanism["d"]["x"] > 0.999  # the only dataset that counts
    with pytest.raises(GraphError, match="a prior only works with the method 'optimal'"):
        store.extend("g", method="line", prior="uniform")


def test_a_stored_optimum_is_read_and_never_computed_again(store: Store, crossed: DatasetGraph) -> None:
    """Another machine may find another optimum; so rows that are private and not today's optimum stay as they are."""
    store.load("g", crossed)
    assert store.extend("g").result.method == "optimal"  # by default: prefix sums are not private here
    best = store.mechanism("g").mechanism
    other = replace(best, probabilities=best.probabilities * 0.75 + 0.25 / 3)
    store.write("g", other)
    ball = store.evaluate("g", ["d"])
    assert list(ball.evaluations[0].probabilities.values()) == other.probabilities[3].tolist()
    info = store.certify("g")
    assert list(answering.drawn_from_all(store.port, info, "d").values()) == other.probabilities[3].tolist()
    assert store.mechanism("g").stale is False


def test_a_stored_row_that_breaks_privacy_is_refused_for_every_dataset_alike(
    store: Store, crossed: DatasetGraph
) -> None:
    store.load("g", bare(crossed))
    store.extend("g", method="optimal")
    store.certify("g")
    kept = store.mechanism("g").mechanism
    rows = kept.probabilities.copy()
    rows[3] = [0.0, 0.0, 1.0]
    store.write("g", replace(kept, probabilities=rows))
    for key in "abcde":
        with pytest.raises(NotPrivate, match=r"the mechanism of graph 'g' breaks an inequality"):
            store.answer("g", key, "spring")
    assert store.audit("g").result.report.violations > 0


def test_single_rows_of_an_optimum_are_not_stored(store: Store, crossed: DatasetGraph) -> None:
    """Rows of two optima need not be private together."""
    store.load("g", crossed)
    one = store.evaluate("g", ["d"]).evaluations[0].probabilities
    assert one == neodp.extend(crossed)["d"]
    with pytest.raises(GraphError, match="is the solution of a linear program over all datasets, and is stored as"):
        store.evaluate("g", ["d"], write=True)
    with pytest.raises(GraphError, match="a search sees part of the graph"):
        store.evaluate("g", ["d"], engine="ball")


def test_distances_are_stored_and_answer_without_alpha(store: Store, crossed: DatasetGraph) -> None:
    store.load("g", bare(crossed))
    assert store.extend("g", method="distance").result.method == "distance"
    rows = neodp.extend(crossed, method="distance")
    assert store.evaluate("g", ["d"]).evaluations[0].probabilities == rows["d"]
    assert store.audit("g").result.report.violations == 0
    assert store.answer("g", "d", "spring").answer in ("x", "y")
    assert rows["d"]["z"] == 0.0  # no dataset's answer is z
