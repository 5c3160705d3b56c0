"""More than two colours inside the server: every bit, count, verdict and sentence is that of the Python core."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import Audit, DatasetGraph, Mechanism
from neodp.core.evaluation import Ball
from neodp.errors import NeodpError
from neodp.ledger.account import Limit
from neodp.store import Store
from neodp.store.verbs import Declined
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import graph_of, path_of
from tests.plugin.calls import Caller

SEEDS = (*range(11), 19)
EXTREME = (0.0, 5e-324, 1e-17, 1e-3, 0.5, 17.0, 200.0, 690.0)
STREAM = (
    "UNWIND $names AS name CALL neodp.extend.stream(name) YIELD key, probabilities, pTrue, distance "
    "RETURN name, key, probabilities, pTrue, distance"
)


def _random(seed: int) -> DatasetGraph:
    """A graph of three to five colours: one epsilon or several, with and without delta, small and large chances."""
    rng = random.Random(f"rainbow {seed}")
    delta = rng.choice([0.0, 0.0, 1e-310, 1e-9, 0.02])
    mixed = seed % 2 == 1
    problem = reference.random_rainbow(rng, rng.randint(6, 24), 3 + seed % 3, mixed=mixed, delta=delta)
    if seed % 8 == 7:
        edges = [(u, v, rng.choice(EXTREME), d) for u, v, _, d in problem.edges]
        problem = replace(problem, edges=edges)
    elif seed % 8 == 6:
        epsilon = rng.choice(EXTREME)
        problem = replace(problem, edges=[(u, v, epsilon, rng.choice([d, 2 * d])) for u, v, _, d in problem.edges])
    own = seed % 4 > 1 and seed % 8 < 6
    graph = graph_of(problem, reference.random_alpha(rng, problem) if own else None)
    graph = graph if own else graph.with_alpha(neodp.balanced(graph))
    if seed % 5 == 0:  # one alpha for each order: the others take it
        alpha, seen = graph.alpha.copy(), set()
        for v in np.flatnonzero(graph.given).tolist():
            if graph.order[v] in seen:
                alpha[v] = np.nan
            seen.add(graph.order[v])
        graph = graph.with_alpha(alpha)
    return graph


@pytest.fixture(scope="module")
def graphs() -> dict[str, DatasetGraph]:
    return {f"rainbow {seed}": _random(seed) for seed in SEEDS}


@pytest.fixture(scope="module")
def found(graphs: dict[str, DatasetGraph]) -> dict[str, Mechanism]:
    return {name: neodp.extend(graph) for name, graph in graphs.items()}


def _rows(mechanism: Mechanism) -> dict[str, tuple[dict[str, float], float, int]]:
    """Per key, what the plugin says of a dataset."""
    far = neodp.boundary.distance(mechanism.graph).tolist()
    return {
        key: (chances, own, distance)
        for (key, chances), own, distance in zip(mechanism.items(), mechanism.p_true.tolist(), far, strict=True)
    }


def test_extend_in_all_modes(
    caller: Caller, client: Store, graphs: dict[str, DatasetGraph], found: dict[str, Mechanism]
) -> None:
    """Table and prefix sums are the client's in every bit, streamed and written; what takes a program is declined."""
    assert Counter(mechanism.method for mechanism in found.values()).keys() >= {"table", "prefix", "optimal"}
    caller.put(graphs)
    mine = [name for name, mechanism in found.items() if mechanism.method in ("table", "prefix")]
    streamed: dict[str, dict[str, tuple[dict[str, float], float, int]]] = {name: {} for name in mine}
    for row in caller(STREAM, names=mine):
        streamed[row["name"]][row["key"]] = (row["probabilities"], row["pTrue"], row["distance"])
    for name in graphs:
        if name not in mine:
            refusal = caller.refusal("CALL neodp.extend.write($name)", name=name)
            assert refusal.kind == "client"
            assert "a linear program finds its mechanism" in refusal.message
            assert client.extend(name).engine == "client"
            continue
        mechanism, graph = found[name], client.read(name)
        assert streamed[name] == _rows(mechanism), name
        summaries = [client.extend(name, engine="server", write=write).result for write in (False, True)]
        local = client.extend(name, engine="client", write=False).result
        assert [replace(summary, written=0) for summary in summaries] == [local, local], name
        kept = client.mechanism(name)
        mine_by_key = dict(mechanism)
        assert dict(kept.mechanism) == mine_by_key, name
        assert (kept.info.method, kept.stale) == (mechanism.method, False)
        assert kept.info.fingerprint == neodp.store.records.fingerprint(graph)


def test_check(caller: Caller, client: Store, graphs: dict[str, DatasetGraph]) -> None:
    caller.put(graphs)
    for name in graphs:
        assert client.check(name, engine="server").result == client.check(name, engine="client").result, name


def test_eval_follows_the_method_of_the_stored_mechanism(
    caller: Caller, client: Store, graphs: dict[str, DatasetGraph], found: dict[str, Mechanism]
) -> None:
    """The line, if that is stored: the same distributions and paths at every dataset, whoever evaluates."""
    caller.put(graphs)
    for name, graph in list(graphs.items())[::3]:
        keys = graph.keys.to_pylist()
        if found[name].method in ("table", "prefix"):
            _agree(*(client.evaluate(name, keys, engine=engine) for engine in ("server", "whole")))
        line = neodp.extend(graph, method="line")
        client.extend(name, method="line")
        assert {row["key"]: row["probabilities"] for row in _evaluated(caller, name, keys)} == dict(line), name
        _agree(*(client.evaluate(name, keys, engine=engine) for engine in ("server", "client")))


def _agree(server: Ball, local: Ball) -> None:
    """Two evaluations are the same, but for paths of the same length, of which there may be several."""
    assert (server.proof, server.rounded, server.seen) == (local.proof, local.rounded, local.seen)
    for one, two in zip(server.evaluations, local.evaluations, strict=True):
        assert (one.key, one.color, dict(one.probabilities)) == (two.key, two.color, dict(two.probabilities))
        assert sum(one.epsilons) == pytest.approx(sum(two.epsilons))
        assert len(one.path) == len(two.path)


def _evaluated(caller: Caller, name: str, keys: list[str]) -> list[dict[str, Any]]:
    return caller("CALL neodp.eval($name, $keys) YIELD key, probabilities", name=name, keys=keys)


def test_a_large_graph_takes_the_line(caller: Caller, client: Store) -> None:
    """Beyond 10,000 chances no program is solved: the plugin finds the line, as the client does."""
    stretches = {tuple("abc"): [0.5, 0.3, 0.2], tuple("cab"): [0.3, 0.4, 0.3]}
    graph = path_of(stretches, [1700, 1700])
    rng = random.Random(3)
    graph = replace(graph, epsilon=np.array([rng.choice([0.001, 0.02, 1.5]) for _ in range(graph.edges)]))
    corner = graph.epsilon.copy()
    corner[1699] = 2.0  # the boundary edge
    graph = replace(graph, epsilon=corner)
    # two ways of different lengths around a corner, on which prefix sums are not private together
    source, target = np.append(graph.source, [1650, 1652]), np.append(graph.target, [1652, 1690])
    graph = DatasetGraph.from_columns(
        graph.keys, graph.color, source, target, np.append(graph.epsilon, [0.9, 1.2]), 0.0, graph.alpha,
        graph.preference, colors=graph.colors,
    )  # fmt: skip
    mechanism = neodp.extend(graph)
    client.load("large", graph)
    summary = client.extend("large", engine="server").result
    assert summary.method == mechanism.method
    assert dict(client.mechanism("large").mechanism) == dict(mechanism)


def test_audit(caller: Caller, client: Store, graphs: dict[str, DatasetGraph]) -> None:
    """Verdicts, counts and sentences on distributions that are off by units in the last place, or by more."""
    caller.put(graphs)
    rng = random.Random(5)
    broken = close = 0
    for name, graph in graphs.items():
        rows = neodp.extend(graph, method="line").probabilities.copy()
        for v in range(len(graph)):
            c = rng.randrange(rows.shape[1])
            largest = int(rows[v].argmax())
            if c != largest and rows[v, c] > 2.0**-1000:
                rows[v, c] *= 1.0 + rng.choice([0, 0, 1, -1, 8, 2**20, 2**48]) * 2.0**-52
                rows[v, largest] = 1.0 - sum(x for j, x in enumerate(rows[v].tolist()) if j != largest)
        client.write(name, Mechanism.of(graph, rows))
        server, local = (client.audit(name, engine=engine, worst=100).result.report for engine in ("server", "client"))
        assert _ordered(server) == _ordered(local), name
        broken += server.violations
        close += server.undecided
    assert broken > 0
    assert close > 0


def _ordered(report: Audit) -> Audit:
    """A report with edges that are equally tight in the order of their ends."""
    return replace(report, worst=tuple(sorted(report.worst, key=lambda e: (-e.tightness, e.source, e.target))))


def test_balanced(caller: Caller, client: Store, graphs: dict[str, DatasetGraph]) -> None:
    bare = {name: graph.with_alpha(None) for name, graph in graphs.items()}
    caller.put(bare)
    for name, graph in bare.items():
        alpha = neodp.balanced(graph)
        rows = caller("CALL neodp.boundary.balanced.stream($name)", name=name)
        given = graph.with_alpha(alpha).given
        assert {row["key"]: row["alpha"] for row in rows} == {
            graph.key(v): alpha[v].tolist() for v in np.flatnonzero(given)
        }, name
        caller("CALL neodp.boundary.balanced.write($name)", name=name)
        read = client.read(name)
        assert {read.key(v): read.alpha[v].tolist() for v in np.flatnonzero(read.given)} == {
            row["key"]: row["alpha"] for row in rows
        }


def test_answers_are_the_clients(caller: Caller, client: Store) -> None:
    """One release has one answer, whoever draws it; what is kept, and what it was certified with, is the same."""
    graph = neodp.generate.plurality(4, epsilon=0.5)
    graph = graph.with_alpha(neodp.balanced(graph))
    client.allow("default", Limit(100))
    for name in ("one", "two"):
        client.load(name, graph)
    first = client.answer("one", graph.key(0), "spring", engine="server")
    second = client.answer("two", graph.key(0), "spring", engine="client")
    assert {first.answer, second.answer} <= set(graph.colors)
    assert client.answer("one", graph.key(5), "spring", engine="client") == first
    assert caller.one("CALL neodp.answer('two', $key, 'spring')", key=graph.key(5))["answer"] == second.answer
    for fact in ("levels", "population", "key"):
        assert getattr(first, fact) == getattr(second, fact)
    assert first.command.replace("one", "two") == second.command
    certificates = [client.info(name).certificate for name in ("one", "two")]
    assert certificates[0] == certificates[1]
    assert certificates[0] is not None


def test_answers_are_drawn_from_the_mechanism(caller: Caller, client: Store) -> None:
    """300 answers of one dataset: as often as its chances say, to within five standard deviations."""
    graph = neodp.generate.plurality(2, epsilon=1.0)
    graph = graph.with_alpha(neodp.balanced(graph))
    client.load("g", graph)
    client.allow("default", Limit(1000))
    key, n = graph.key(0), 300
    rows = caller(
        "UNWIND range(1, $n) AS i CALL neodp.answer('g', $key, 'r' + i) YIELD answer RETURN answer", n=n, key=key
    )
    counts = Counter(row["answer"] for row in rows)
    for color, p in neodp.extend(graph)[key].items():
        assert abs(counts[color] - n * p) <= 5 * (n * p * (1 - p)) ** 0.5


def test_a_stored_mechanism_by_a_program_is_the_clients(caller: Caller, client: Store) -> None:
    graph = neodp.generate.plurality(3, epsilon=0.5)
    client.load("g", graph)
    client.write("g", neodp.extend(graph, method="optimal"))  # without alpha, the best of all
    refusal = caller.refusal("CALL neodp.eval('g', [$key])", key=graph.key(0))
    assert (refusal.kind, refusal.hint) == ("client", "use the client")
    assert "was found by the method 'optimal', which the plugin does not have" in refusal.message
    with pytest.raises(Declined, match="which the plugin does not have; use the client"):
        client.evaluate("g", [graph.key(0)], engine="server")
    assert client.audit("g").engine == "server"


def _refused(does: Callable[[], object]) -> tuple[str, str, str]:
    with pytest.raises(NeodpError) as error:
        does()
    return error.value.kind, error.value.message, str(error.value.hint)


def test_faults_are_told_in_the_clients_words(caller: Caller, client: Store) -> None:
    """Faults of a graph with more than two colours: one sentence, the same from both."""
    rows = {tuple("abc"): [0.5, 0.3, 0.2], tuple("bac"): [0.3, 0.5, 0.2], tuple("cab"): [0.35, 0.3, 0.35]}
    graph = path_of(rows, [3, 3, 3], epsilon=0.6)
    faults = {
        "no preference": "MATCH (d:Dataset {key: '4'}) REMOVE d.preference",
        "two orders": "MATCH (d:Dataset {key: '4'}) SET d.preference = ['b', 'a']",
        "another colour first": "MATCH (d:Dataset {key: '4'}) SET d.preference = ['a', 'b', 'c']",
        "no alpha": "MATCH (d:Dataset) WHERE d.key IN ['6', '8'] REMOVE d.alpha",
        "alpha inside": "MATCH (d:Dataset {key: '1'}) SET d.alpha = [0.5, 0.25, 0.25]",
        "alpha apart": "MATCH (d:Dataset {key: '2'}) SET d.alpha = [0.9, 0.05, 0.05]",
        "alpha differs": "MATCH (d:Dataset {key: '5'}) SET d.alpha = [0.3, 0.4, 0.3]",
        "one number": "MATCH (d:Dataset {key: '2'}) SET d.alpha = 0.5",
        "two numbers": "MATCH (d:Dataset {key: '2'}) SET d.alpha = [0.5, 0.5]",
        "no distribution": "MATCH (d:Dataset {key: '2'}) SET d.alpha = [0.5, 0.5, 0.5]",
        "out of range": "MATCH (d:Dataset {key: '2'}) SET d.alpha = [1.5, -0.25, -0.25]",
        "too small": "MATCH (d:Dataset {key: '2'}) SET d.alpha = [0.5, 0.5, 5e-324]",
        "no colour": "MATCH (d:Dataset {key: '2'}) SET d.color = 'x'",
    }
    for what, fault in faults.items():
        client.load("g", graph, replace=True)
        caller(fault)
        server, local = (
            _refused(lambda engine=engine: client.extend("g", engine=engine))  # type: ignore[misc]
            for engine in ("server", "client")
        )
        assert server == local, what
        if what.startswith("alpha") and what != "alpha inside":
            checks = [client.check("g", engine=engine).result for engine in ("server", "client")]
            assert checks[0] == checks[1]
            assert checks[0].compatible is False
    client.load("g", graph, replace=True)
    assert _refused(lambda: client.evaluate("g", ["x"], engine="server"))[0] == "unknown_key"
    ball = caller.refusal("CALL neodp.eval('g', ['1'], {engine: 'ball'})")
    assert (ball.kind, ball.message) == ("graph", "'g' has 3 colours")
    assert _refused(lambda: client.evaluate("g", ["1"], engine="ball"))[1] == ball.message


def test_prefix_sums_that_are_not_private_are_refused_in_the_same_words(caller: Caller, client: Store) -> None:
    """A mechanism that says of itself that it is one of prefix sums, on a graph where these are not private."""
    for seed in range(400):
        rng = random.Random(seed)
        graph = graph_of(reference.random_rainbow(rng, 14, 3, mixed=True))
        graph = graph.with_alpha(neodp.balanced(graph))
        if neodp.extend(graph).method not in ("prefix", "table"):
            break
    client.load("g", graph)
    client.extend("g", method="line")
    caller("MATCH (g:DatasetGraph {name: 'g'}) SET g.mechanism_method = 'prefix'")
    server, local = (
        _refused(lambda engine=engine: client.evaluate("g", [graph.key(0)], engine=engine))  # type: ignore[misc]
        for engine in ("server", "client")
    )
    assert server == local
    assert "are not private together" in server[1]
    with pytest.raises(Declined, match="a linear program finds its mechanism"):
        client.extend("g", engine="server")


def test_rounding_errors_are_rounded_in_alike(caller: Caller, client: Store) -> None:
    """Alpha that breaks an inequality by a rounding error is moved by the same tiny share, to the same doubles."""
    rounded = 0
    for seed in range(12):
        rng = random.Random(f"rounded {seed}")
        k, epsilon = rng.randint(3, 5), rng.uniform(0.1, 2.0)
        problem = reference.random_rainbow(rng, 12, k, mixed=False)
        problem = replace(problem, edges=[(u, v, epsilon, d) for u, v, _, d in problem.edges])
        graph = graph_of(problem)
        alpha = neodp.balanced(graph)
        by_rank = neodp.rainbow.randomized_response(k, epsilon)
        high = [by_rank[0] * (1 + 2.0**-51), *by_rank[1:]]
        graph = graph.with_alpha(neodp.homogeneous(graph, [high[0], *(x * (1 - 2.0**-50) for x in high[1:])]))
        assert alpha.shape == graph.alpha.shape
        client.load(f"g{seed}", graph)
        results = [client.check(f"g{seed}", engine=engine).result for engine in ("server", "client")]
        assert results[0] == results[1]
        if results[0].compatible:
            rounded += results[0].rounded
            client.extend(f"g{seed}", engine="server")
            assert dict(client.mechanism(f"g{seed}").mechanism) == dict(neodp.extend(graph))
    assert rounded > 0
