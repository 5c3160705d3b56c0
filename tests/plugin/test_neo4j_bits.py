"""The plugin gives the very numbers of the Python core: every bit, every count, every verdict."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism
from neodp.core.privacy import EpsilonDelta
from neodp.errors import IncompatibleAlpha
from neodp.store import Store
from tests.plugin.calls import Caller
from tests.problems import KINDS, random_graph

SEEDS = 12
STREAM = (
    "UNWIND $names AS name CALL neodp.extend.stream(name) YIELD key, probabilities, pTrue, distance "
    "RETURN name, key, [color IN $colors | probabilities[color]] AS chances, pTrue, distance"
)


def _extreme(seed: int) -> DatasetGraph:
    """A random graph with epsilons up to 690 and chances down to 2^-1022, balanced or with alpha inside as well."""
    rng = random.Random(f"extreme {seed}")
    n = rng.randint(2, 40)
    pairs = sorted({tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(1, 2 * n))})
    level = [0.0, 5e-324, 1e-300, 1e-17, 1e-3, 0.5, 1.0, 17.0, 200.0, 689.9, 690.0, rng.uniform(0, 690)]
    graph = DatasetGraph.from_columns(
        [f"v{i}" for i in range(n)],
        np.array([rng.randrange(2) for _ in range(n)]),
        np.array([u for u, _ in pairs]),
        np.array([v for _, v in pairs]),
        [rng.choice(level) for _ in pairs],
        [rng.choice([0.0, 0.0, 1e-310, 1e-300, 1e-12, 0.3, 1.0]) for _ in pairs] if rng.random() < 0.5 else 0.0,
        colors=["first", "second"],
    )
    graph = graph.with_alpha(neodp.balanced(graph))
    if rng.random() < 0.5:
        whole = neodp.extend(graph).probabilities.copy()
        keep = graph.given | (np.array([rng.random() for _ in range(n)]) < 0.3)
        whole[~keep] = np.nan
        graph = graph.with_alpha(whole)
    return graph


def _graphs(kind: str) -> dict[str, DatasetGraph]:
    make = _extreme if kind == "extreme" else lambda seed: random_graph(kind, seed)
    return {f"{kind} {seed}": make(seed) for seed in range(SEEDS)}


def _same(a: float, b: float) -> bool:
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def test_one_edge(caller: Caller) -> None:
    """neodp.bound is relax of kernel.py, over the whole range of p, epsilon and delta."""
    rng = random.Random(7)
    p = [0.0, 1.0, 0.5, 2.0**-1022, 1.0 - 2.0**-53]
    p += [rng.random() for _ in range(2000)] + [2.0 ** rng.uniform(-1021, 0) for _ in range(2000)]
    epsilon = [rng.choice([0.0, rng.random(), rng.uniform(0, 690), 2.0 ** rng.uniform(-60, 0)]) for _ in p]
    delta = [rng.choice([0.0, 0.0, rng.random(), 2.0 ** rng.uniform(-1070, 0)]) for _ in p]
    row = caller.one(
        "RETURN [i IN range(0, size($p) - 1) | neodp.bound($p[i], $epsilon[i], $delta[i])] AS bounds",
        p=p,
        epsilon=epsilon,
        delta=delta,
    )
    rule = EpsilonDelta(np.array(epsilon), np.array(delta))
    chance = np.array(p)
    bound = rule.decode(rule.relax(rule.encode(chance, 1.0 - chance), np.arange(len(p))))[0]
    assert row["bounds"] == bound.tolist()


@pytest.mark.parametrize("kind", [*(kind for kind in KINDS if kind != "arbitrary"), "extreme"])
def test_extend_eval_and_check(caller: Caller, client: Store, kind: str) -> None:
    """All datasets of random graphs: by extend, by eval, and what check and stats say of them."""
    graphs = _graphs(kind)
    caller.put(graphs)
    found: dict[str, dict[str, tuple[float, ...]]] = {name: {} for name in graphs}
    for row in caller(STREAM, names=list(graphs), colors=["first", "second"]):
        found[row["name"]][row["key"]] = (*row["chances"], row["pTrue"])
    stats = {
        row["name"]: row
        for row in caller(
            "UNWIND $names AS name CALL neodp.extend.stats(name) "
            "YIELD nodeCount, relationshipCount, minPTrue, meanPTrue, rounded "
            "RETURN name, nodeCount, relationshipCount, minPTrue, meanPTrue, rounded",
            names=list(graphs),
        )
    }
    checks = {
        row["name"]: row
        for row in caller(
            "UNWIND $names AS name CALL neodp.check(name) "
            "YIELD connected, componentCount, boundaryCount, boundaryHit, compatible, rounded "
            "RETURN name, connected, componentCount AS components, boundaryCount AS boundary, "
            "boundaryHit AS boundary_hit, compatible, rounded",
            names=list(graphs),
        )
    }
    for name, graph in graphs.items():
        mechanism, keys = neodp.extend(graph), graph.keys.to_pylist()
        rows = zip(mechanism.p.tolist(), mechanism.q.tolist(), mechanism.p_true.tolist(), strict=True)
        assert found[name] == dict(zip(keys, rows, strict=True)), name
        report = neodp.check(graph)
        for field in ("connected", "components", "boundary", "boundary_hit", "compatible", "rounded"):
            assert checks[name][field] == getattr(report, field), (name, field)
        by_key = mechanism.p_true[np.argsort(keys)]
        assert _same(stats[name]["meanPTrue"], float(by_key.mean())), name
        assert stats[name]["minPTrue"] == mechanism.p_true.min()
        assert stats[name]["rounded"] == len(mechanism.rounded)
        assert (stats[name]["nodeCount"], stats[name]["relationshipCount"]) == (len(graph), graph.edges)
    evaluated = caller(
        "MATCH (d:Dataset) WHERE d.graph IN $names CALL neodp.eval(d.graph, [d.key]) "
        "YIELD key, probabilities, path RETURN d.graph AS name, key, probabilities, path",
        names=list(graphs),
    )
    assert len(evaluated) == sum(map(len, graphs.values()))
    for row in evaluated:
        p, q, _ = found[row["name"]][row["key"]]
        assert row["probabilities"] == {"first": p, "second": q}
        _decides(graphs[row["name"]], row)


def _decides(graph: DatasetGraph, row: dict[str, object]) -> None:
    """Return True if the path that eval names is one of the graph, from a dataset with alpha to the one asked for."""
    path = row["path"]
    assert isinstance(path, list)
    if path:
        assert path[-1] == row["key"]
        assert graph.given[graph.index(path[0])]
        edges = {frozenset((graph.key(u), graph.key(v))) for u, v in zip(graph.source, graph.target, strict=True)}
        assert all(frozenset(step) in edges for step in itertools.pairwise(path))


def test_arbitrary_alpha(caller: Caller) -> None:
    """Incompatible alpha is refused by both, with the same figures where only one pair is to blame."""
    graphs = _graphs("arbitrary")
    caller.put(graphs)
    refusals = 0
    for name, graph in graphs.items():
        row = caller.one("CALL neodp.check($name)", name=name)
        report = neodp.check(graph)
        assert row["compatible"] == report.compatible, name
        if report.compatible is False:
            refusals += 1
            with pytest.raises(IncompatibleAlpha):
                neodp.extend(graph)
            refusal = caller.refusal("CALL neodp.extend.stats($name)", name=name)
            assert refusal.kind == "incompatible_alpha"
            assert refusal.message == row["witness"]["sentence"]
            assert row["witness"]["value"] > row["witness"]["bound"]
    assert 0 < refusals < len(graphs)


def test_balanced(caller: Caller, client: Store) -> None:
    """The balanced alpha, and what the client reads after the plugin has written it."""
    for kind in ("tied", "extreme"):
        graphs = {name: graph.with_alpha(None) for name, graph in _graphs(kind).items()}
        caller.put(graphs)
        for name, graph in graphs.items():
            alpha = neodp.balanced(graph)
            rows = caller("CALL neodp.boundary.balanced.stream($name)", name=name)
            assert caller.one("CALL neodp.boundary.balanced.write($name)", name=name)["boundaryCount"] == len(rows)
            assert {row["key"]: row["alpha"] for row in rows} == {
                key: row.tolist()
                for key, row in zip(graph.keys.to_pylist(), alpha, strict=True)
                if not np.isnan(row[0])
            }
        name = f"{kind} 0"
        read = client.read(name)
        wanted = dict(zip(graphs[name].keys.to_pylist(), neodp.balanced(graphs[name]).tolist(), strict=True))
        np.testing.assert_array_equal(read.alpha, np.array([wanted[key] for key in read.keys.to_pylist()]))


def test_audit(caller: Caller, client: Store) -> None:
    """Verdicts on probabilities that are off by a few units in the last place, and on exact ties."""
    graphs = {name: graph for kind in ("compatible", "tied", "extreme") for name, graph in _graphs(kind).items()}
    caller.put(graphs)
    rng = random.Random(3)
    broken = close = 0
    for name, graph in graphs.items():
        rows = neodp.extend(graph).probabilities.copy()
        for v in range(len(graph)):
            small = int(rows[v, 1] < rows[v, 0])
            if rows[v, small] > 2.0**-1000:
                rows[v, small] *= 1.0 + rng.choice([0, 0, 1, -1, 8, 2**20]) * 2.0**-52
            rows[v, small] = min(rows[v, small], 0.5)
            rows[v, 1 - small] = 1.0 - rows[v, small]
        mechanism = Mechanism.of(graph, rows)
        report = neodp.audit(graph, mechanism, worst=graph.edges)
        client.write(name, mechanism)
        row = caller.one("CALL neodp.audit($name)", name=name)
        assert row["relationshipCount"] == report.edges
        for field in ("checks", "violations", "undecided"):
            assert row[field] == getattr(report, field), (name, field)
        assert not row["stale"]
        assert [edge["tightness"] for edge in row["worst"]] == [edge.tightness for edge in report.worst[:5]]
        whole = caller.one("CALL neodp.audit($name, {worst: $worst})", name=name, worst=graph.edges)
        assert {line for edge in whole["worst"] for line in edge["broken"]} == {
            line for edge in report.worst for line in edge.broken
        }
        broken += row["violations"]
        close += row["undecided"]
    assert broken > 0
    assert close > 0


def test_audit_decides_ties_exactly(caller: Caller, client: Store) -> None:
    """With epsilon 0, 3/4 <= 1/2 + 1/4 holds and the next double does not; doubles alone cannot tell e^eps p either."""
    epsilon = [0.0, 0.0, math.log(2.0)]  # log(2.0) lies just below log 2
    graph = DatasetGraph.from_columns(
        ["a", "b", "c", "d", "e", "f"],
        ["x", "x", "x", "x", "x", "x"],
        ["a", "c", "e"],
        ["b", "d", "f"],
        epsilon,
        [0.25, 0.25, 0.0],
        colors=["x", "y"],
    )
    rows = np.array([[0.75, 0.25], [0.5, 0.5], [0.75, 0.25], [0.5, 0.5], [0.5, 0.5], [0.25, 0.75]])
    rows[3] = [0.5 - 2.0**-54, 0.5 + 2.0**-54]
    mechanism = Mechanism.of(graph, rows)
    caller.put({"ties": graph})
    client.write("ties", mechanism)
    row = caller.one("CALL neodp.audit('ties')")
    report = neodp.audit(graph, mechanism)
    assert (row["violations"], row["undecided"]) == (report.violations, report.undecided)
    assert row["undecided"] > 0
    assert {line for edge in row["worst"] for line in edge["broken"]} == {
        line for edge in report.worst for line in edge.broken
    }
