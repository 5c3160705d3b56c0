"""Graphs of datasets that are named otherwise: the plugin works on them where they are, and the client copies them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph
from neodp.cli import main
from neodp.data.distributions import plain
from neodp.store import Store
from neodp.store.labels import Labels, read_labels
from tests.plugin.calls import Caller

NAMES = {
    "nodeLabel": "Stand der Dinge",
    "relationshipType": "NEAR",
    "keyProperty": "id",
    "colorProperty": "vote",
    "alphaProperty": "start",
    "preferenceProperty": "order",
    "epsilonProperty": "eps",
    "deltaProperty": "risk",
}
LABELS = Labels("Stand der Dinge", "NEAR", "id", "vote", "start", "order", "eps", "risk")


def graph_with(colors: int) -> DatasetGraph:
    """A graph with a boundary; with more than two colours, with a delta."""
    rng = np.random.default_rng(colors)
    graph = neodp.generate.plurality(5, options=colors, delta=1e-9) if colors > 2 else neodp.generate.grid(4, 5)
    graph = replace(graph, epsilon=rng.choice([0.25, 0.5] if colors == 2 else [0.5], graph.edges))
    return graph.with_alpha(neodp.balanced(graph))


def put(caller: Caller, graph: DatasetGraph, names: Mapping[str, str] = NAMES) -> None:
    """Put a graph into the database under other names, with a node and a relationship that do not belong to it."""
    label = names["nodeLabel"]
    rows = [
        [v, graph.colors[graph.color[v]], plain(graph.alpha[v]) if graph.given[v] else None, order]
        for v, order in enumerate(graph.preference_lists().to_pylist())
    ]
    caller(
        f"UNWIND $rows AS row CREATE (:`{label}` {{id: row[0], vote: row[1], start: row[2], order: row[3]}})", rows=rows
    )
    edges = zip(*(column.tolist() for column in (graph.source, graph.target, graph.epsilon, graph.delta)), strict=True)
    caller(
        f"UNWIND $rows AS row MATCH (a:`{label}` {{id: row[0]}}), (b:`{label}` {{id: row[1]}}) "
        "CREATE (a)-[:NEAR {eps: row[2], risk: CASE WHEN row[3] > 0 THEN row[3] END}]->(b)",
        rows=[list(edge) for edge in edges],
    )
    caller(f"MATCH (a:`{label}`) WITH a LIMIT 1 CREATE (a)-[:NEAR {{eps: 'x'}}]->(:Other {{id: 'x'}}), (a)-[:FAR]->(a)")


@pytest.mark.parametrize("colors", [2, 3, 4])
def test_every_bit_is_that_of_the_client(caller: Caller, client: Store, colors: int) -> None:
    """Keys are numbers there, and the client's texts."""
    graph = graph_with(colors)
    put(caller, graph)
    read = read_labels(client, LABELS, colors=graph.colors)
    expected = neodp.extend(read)
    options: dict[str, Any] = NAMES | {"colors": list(graph.colors)}
    rows = caller("CALL neodp.extend.stream('mine', $o)", o=options)
    found = {row["key"]: [row["probabilities"][color] for color in graph.colors] for row in rows}
    assert found == dict(zip(read.keys.to_pylist(), expected.probabilities.tolist(), strict=True))
    assert caller.one("CALL neodp.check('mine', $o)", o=options)["compatible"]
    assert caller.one("CALL neodp.extend.stats('mine', $o)", o=options)["meanPTrue"] == expected.p_true.mean()
    assert caller.one("CALL neodp.extend.write.estimate('mine', $o)", o=options)["nodeCount"] == len(graph)
    before = caller("MATCH (n) WHERE NOT n:NeodpSchema RETURN n {.*} AS n ORDER BY toString(n.id)")
    assert caller.refusal("CALL neodp.audit('mine', $o)", o=options).kind == "no_mechanism"
    written = caller.one("CALL neodp.extend.write('mine', $o)", o=options | {"batchSize": 5})
    assert written["nodePropertiesWritten"] == len(graph) * (4 if colors == 2 else 3)
    assert written["configuration"]["nodeLabel"] == "Stand der Dinge"
    after = caller("MATCH (n) WHERE NOT n:NeodpSchema RETURN n {.*} AS n ORDER BY toString(n.id)")
    ours = {"neodp_p", "neodp_q", "neodp_probabilities", "neodp_p_true", "neodp_distance"}
    assert [{k: v for k, v in row["n"].items() if k not in ours} for row in after] == [row["n"] for row in before]
    chances = {
        str(row["n"]["id"]): row["n"].get("neodp_probabilities") or [row["n"]["neodp_p"], row["n"]["neodp_q"]]
        for row in after
        if "neodp_p_true" in row["n"]
    }
    assert chances == found
    audited = caller.one("CALL neodp.audit('mine', $o)", o=options)
    assert (audited["violations"], audited["checks"], audited["stale"]) == (0, neodp.audit(read, expected).checks, None)
    keys = read.keys.to_pylist()[:3]
    evaluated = caller("CALL neodp.eval('mine', $keys, $o)", keys=keys, o=options)
    assert {row["key"]: [row["probabilities"][c] for c in graph.colors] for row in evaluated} == {
        key: found[key] for key in keys
    }
    assert client.graphs() == []


def test_alpha_is_written_under_its_own_name(caller: Caller, client: Store) -> None:
    graph = graph_with(2)
    put(caller, graph)
    caller("MATCH (n:`Stand der Dinge`) SET n.start = 0.9")
    caller("CALL neodp.boundary.balanced.write('mine', $o)", o=NAMES)
    read = read_labels(client, LABELS)
    np.testing.assert_array_equal(read.alpha, read.with_alpha(neodp.balanced(read)).alpha)


def test_the_client_copies_such_a_graph(caller: Caller, client: Store, capsys: pytest.CaptureFixture[str]) -> None:
    graph = graph_with(3)
    put(caller, graph)
    names = "key=id,color=vote,alpha=start,preference=order,epsilon=eps,delta=risk"
    words = ["load", "copy", "--from-labels", "Stand der Dinge,NEAR", "--names", names]
    assert main([*words, "--colors", ",".join(graph.colors), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["datasets"] == len(graph)
    copied = client.read("copy")
    read = read_labels(client, LABELS, colors=graph.colors)
    first, second = (
        dict(zip(each.keys.to_pylist(), neodp.extend(each).probabilities.tolist(), strict=True))
        for each in (copied, read)
    )
    assert first == second
    for words, why in [
        (["load", "g", "--from-labels", "Nothing,NEAR"], "has the label 'Nothing'"),
        (["load", "g", "--from-labels", "A,B", "--names", "kee=id"], "the names have 'kee=id'"),
        (["load", "g", "--from-labels", ",B"], "the name of the node is ''"),
        (["load", "g", "--names", "key=id"], "--names is for a graph by its labels"),
        (["load", "g", "n.csv", "--from-labels", "A,B"], "not for tables"),
        (["load", "g"], "which graph?"),
    ]:
        assert main(words) in (1, 2, 3)
        assert why in capsys.readouterr().err


def test_other_names_for_one_of_neodps_own_graphs(caller: Caller, client: Store) -> None:
    """Only its datasets count, whatever other graphs there are, and its colours keep their order."""
    graphs = {"one": neodp.generate.path(5), "two": replace(neodp.generate.path(5), colors=("yes", "no"))}
    for name, graph in graphs.items():
        client.load(name, graph.with_alpha({"2": 0.75, "3": 0.75}))
    for name, graph in graphs.items():
        row = caller.one("CALL neodp.extend.write($name, {writeProperty: 'mine_'})", name=name)
        assert row["nodeCount"] == len(graph)
        assert client.info(name).mechanism is None
        expected = neodp.extend(client.read(name))
        rows = caller("MATCH (d:Dataset {graph: $name}) RETURN d.mine_p AS p ORDER BY d.key", name=name)
        assert [row["p"] for row in rows] == expected.probabilities[:, 0].tolist()
    client.extend("one")
    caller("CALL neodp.boundary.balanced.write('one', {nodeLabel: 'Dataset'})")
    assert client.info("one").mechanism is None  # it was for another alpha
    caller("MATCH (g:DatasetGraph {name: 'one'}) SET g.state = 'loading'")
    assert caller.refusal("CALL neodp.check('one', {nodeLabel: 'Dataset'})").kind == "unfinished"


A = "{nodeLabel: 'A', keyProperty: 'id', relationshipType: 'NEAR'"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("{nodeLabel: 'Nothing'}", "no node has the label 'Nothing'"),
        (f"{A}, colorProperty: 'id'}}", "the property 'id' has more than 127 different values"),
        (f"{A}, colors: ['x']}}", "the colours are x"),
        (f"{A}, colors: 'x'}}", "colors is 'x'"),
        (f"{A}, colorProperty: 'none'}}", "no node with the label 'A' has the property 'none'"),
        (f"{A}, epsilonProperty: 'none'}}", "between nodes with the label 'A' has the property 'none'"),
        ("{nodeLabel: 'A', relationshipType: 'NEAR'}", "no node with the label 'A' has the property 'key'"),
        ("{nodeLabel: 'A', keyProperty: 'id', relationshipType: 'NEER'}", "there is no relationship of type 'NEER'"),
        (f"{A}}}", "epsilon is nan"),
        ("{nodeLabel: 'A', keyProperty: 'twice', relationshipType: 'NEAR'}", "occurs twice"),
        ("{nodeLabel: 'A\\\\u0060'}", "nodeLabel is 'A\\\\u0060'"),
        ("{nodeLabel: ''}", "nodeLabel is ''"),
        ("{nodeLable: 'A'}", "the unknown key 'nodeLable'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(caller: Caller, options: str, why: str) -> None:
    caller("UNWIND range(1, 200) AS i CREATE (:A {id: i, color: i % 2 = 0, twice: 'k'})")
    caller("MATCH (a:A {id: 1}), (b:A {id: 2}) CREATE (a)-[:NEAR {epsilon: 'x'}]->(b)")
    told = caller.refusal(f"CALL neodp.extend.write('mine', {options})")
    assert why in told.message
    assert told.hint
    assert caller.refusal("CALL neodp.eval('mine', ['1'], {nodeLabel: 'A', keyProperty: 'id', engine: 'ball'})").hint
