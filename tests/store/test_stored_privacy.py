"""A stored mechanism knows how it was found and which privacy notion it keeps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Gaussian, SuitablePair, generate
from neodp.core.privacy import EpsilonDelta
from neodp.errors import GraphError, NoMechanism, PrivacyError, StaleMechanism
from neodp.store import Store
from tests.store.meddling import on_neo4j

Raw = Callable[..., list[list[Any]]]


def path() -> DatasetGraph:
    """Six datasets in a row, with small epsilons, which a Gaussian mechanism does not keep."""
    return generate.path(6, epsilon=0.1).with_alpha({"2": 0.7, "3": 0.4})


def mixed_mu(g: DatasetGraph) -> Gaussian:
    return Gaussian(np.linspace(0.8, 2.0, g.edges))


@pytest.mark.parametrize("per_edge", [False, True])
def test_a_gaussian_mechanism_reads_back_as_gaussian(store: Store, per_edge: bool) -> None:
    store.load("g", path())
    g = store.read("g")
    m = neodp.extend(g, mixed_mu(g) if per_edge else Gaussian(0.8))
    assert neodp.audit(g, m).violations == 0
    store.write("g", m)
    stored = store.mechanism("g")
    assert not stored.stale
    assert isinstance(stored.mechanism.privacy, Gaussian)
    assert np.array_equal(stored.mechanism.privacy.mu, m.privacy.mu)  # type: ignore[attr-defined]
    assert (stored.info.privacy, stored.info.method, stored.mechanism.method) == ("gaussian", "labels", "labels")
    report = neodp.audit(stored.mechanism.graph, stored.mechanism)
    assert (report.violations, report.exact) == (0, False)


def test_the_mu_of_an_edge_goes_to_that_edge(store: Store, raw: Raw) -> None:
    """Whatever the order and direction of the edges in the mechanism's own graph."""
    store.load("g", path())
    g = path()
    flipped = DatasetGraph.from_columns(
        g.keys, g.color, g.target[::-1], g.source[::-1], g.epsilon, alpha=g.alpha, colors=g.colors
    )
    mu = np.arange(1.0, g.edges + 1.0)
    store.write("g", neodp.extend(flipped, Gaussian(mu)))
    ends = zip(flipped.source.tolist(), flipped.target.tolist(), mu.tolist(), strict=True)
    expected = {frozenset((flipped.key(a), flipped.key(b))): x for a, b, x in ends}
    found = raw("MATCH (a:Dataset)-[r:NEIGHBOR]->(b:Dataset) RETURN a.key, b.key, r.mu")
    assert {frozenset((a, b)): x for a, b, x in found} == expected
    assert not store.mechanism("g").stale


@on_neo4j
def test_a_planted_violation_of_mu_is_found(store: Store, raw: Raw) -> None:
    store.load("g", path())
    store.write("g", neodp.extend(store.read("g"), Gaussian(0.8)))
    raw("MATCH (d:Dataset {key: '0'}) SET d.p = 0.999, d.q = 0.001")
    stored = store.mechanism("g").mechanism
    assert neodp.audit(stored.graph, stored).violations > 0


@on_neo4j
@pytest.mark.parametrize("per_edge", [False, True])
def test_a_mu_that_was_changed_past_neodp_makes_the_mechanism_stale(store: Store, raw: Raw, per_edge: bool) -> None:
    store.load("g", path())
    g = store.read("g")
    store.write("g", neodp.extend(g, mixed_mu(g) if per_edge else Gaussian(0.8)))
    if per_edge:
        raw("MATCH (a:Dataset {key: '0'})-[r:NEIGHBOR]-(b:Dataset {key: '1'}) SET r.mu = 3.0")
    else:
        raw("MATCH (g:DatasetGraph) SET g.mechanism_mu = 3.0")
    assert store.mechanism("g").stale


@on_neo4j
def test_an_edge_without_mu_is_named(store: Store, raw: Raw) -> None:
    store.load("g", path())
    g = store.read("g")
    store.write("g", neodp.extend(g, mixed_mu(g)))
    raw("MATCH (a:Dataset {key: '0'}), (b:Dataset {key: '5'}) CREATE (a)-[:NEIGHBOR {epsilon: 2.0, delta: 0.0}]->(b)")
    with pytest.raises(NoMechanism, match=r"edge '0' – '5' of graph 'g' has no mu: it came after the mechanism"):
        store.mechanism("g")


def test_single_datasets_of_a_gaussian_mechanism(store: Store) -> None:
    """The stored mechanism decides how one dataset is answered; a search knows (epsilon, delta) only."""
    store.load("g", path())
    g = store.read("g")
    for privacy in (Gaussian(0.8), mixed_mu(g)):
        m = neodp.extend(g, privacy)
        store.write("g", m)
        keys = g.keys.to_pylist()
        for engine in ("auto", "whole"):
            found = store.evaluate("g", keys, engine=engine, write=True)
            assert {e.key: e.probabilities for e in found.evaluations} == {key: m[key] for key in keys}
        with pytest.raises(GraphError, match="the mechanism of graph 'g' is gaussian; leave the engine out, or take"):
            store.evaluate("g", keys, engine="ball")
    with pytest.raises(
        PrivacyError, match="the mechanism of graph 'g' keeps gaussian privacy, and neodp cannot account for its cost"
    ):
        store.answer("g", "0", "spring")


def test_a_later_mechanism_for_epsilon_and_delta_is_one(store: Store) -> None:
    store.load("g", generate.path(6).with_alpha({"2": 0.6}))
    g = store.read("g")
    store.write("g", neodp.extend(g, mixed_mu(g)))
    store.write("g", neodp.extend(g))
    stored = store.mechanism("g")
    assert isinstance(stored.mechanism.privacy, EpsilonDelta)
    assert (stored.info.privacy, stored.info.mu) == ("epsilon-delta", None)
    assert neodp.audit(stored.mechanism.graph, stored.mechanism)
    assert not stored.stale


def test_the_audit_in_cypher_is_about_epsilon_and_delta_only(store: Store) -> None:
    store.load("g", path())
    store.write("g", neodp.extend(store.read("g"), Gaussian(0.8)))
    assert store.query("privacy_audit", "g").num_rows == 0


@pytest.mark.parametrize("replacing", [False, True])
def test_what_cannot_be_stored_is_refused_and_changes_nothing(store: Store, replacing: bool) -> None:
    store.load("g", generate.path(6).with_alpha({"2": 0.6}))
    g = store.read("g")
    if replacing:
        store.write("g", neodp.extend(g))
    before = store.info("g")
    own = SuitablePair(lambda a: min(2 * a, (1 + a) / 2))
    with pytest.raises(PrivacyError, match=r"a mechanism for a custom pair \(L, U\) cannot be stored.*; .*of\("):
        store.write("g", neodp.extend(g, own))
    other = EpsilonDelta(np.full(g.edges, math.log(3)), np.zeros(g.edges))
    with pytest.raises(PrivacyError, match=r"the mechanism is for an epsilon and a delta other than.* graph 'g'; load"):
        store.write("g", neodp.extend(g, other))
    assert store.info("g") == before


# --- how it was found -------------------------------------------------------------------------------------------


def rainbow_graph() -> DatasetGraph:
    """A graph on which the line and the prefix sums differ."""
    g = DatasetGraph.from_columns(
        ["a", "b", "c"],
        ["x", "x", "y"],
        ["a", "b"],
        ["b", "c"],
        [0.9, 0.4],
        preference=[["x", "y", "z"], ["x", "y", "z"], ["y", "x", "z"]],
        colors=["x", "y", "z"],
    )
    return g.with_alpha({"b": [0.45, 0.35, 0.2], "c": [0.35, 0.45, 0.2]})


@pytest.mark.parametrize("method", ["line", "prefix"])
def test_single_datasets_take_one_extension(store: Store, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    store.load("p", rainbow_graph())
    m = neodp.extend(store.read("p"), method=method)
    store.write("p", m)
    assert store.mechanism("p").mechanism.method == store.mechanism("p").info.method == method
    extended: list[Any] = []
    extend = neodp.rainbow.extend

    def counted(*arguments: Any) -> Any:
        extended.append(arguments)
        return extend(*arguments)

    monkeypatch.setattr(neodp.rainbow, "extend", counted)
    assert store.evaluate("p", ["a"]).evaluations[0].probabilities == m["a"]
    assert len(extended) == 1


@on_neo4j
def test_a_mechanism_of_another_method_is_stale_once_the_method_is_known(store: Store, raw: Raw) -> None:
    store.load("p", rainbow_graph())
    store.write("p", neodp.extend(store.read("p"), method="prefix"))
    raw("MATCH (g:DatasetGraph) SET g.mechanism_method = 'line'")
    with pytest.raises(StaleMechanism):
        store.evaluate("p", ["a"])


@on_neo4j
def test_a_mechanism_written_before_the_method_was_kept_still_counts(store: Store, raw: Raw) -> None:
    store.load("p", rainbow_graph())
    m = neodp.extend(store.read("p"), method="prefix")
    store.write("p", m)
    raw("MATCH (g:DatasetGraph) SET g.mechanism_method = NULL, g.mechanism_privacy = NULL")
    assert store.mechanism("p").mechanism.method == "given"
    assert store.evaluate("p", ["a"]).evaluations[0].probabilities == m["a"]
