"""The proof of how close a mechanism is to the best (neodp.core.proof), beside an independent linear program."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import neodp
from neodp import Gaussian, NeodpError, generate
from neodp.errors import GraphError, PrivacyError
from tests.core.rainbow.problems import graph_of
from tests.core.test_optimal import program
from tests.rainbow_reference import random_alpha, random_rainbow


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_that_of_an_independent_program_whatever_the_mechanism(seed: int) -> None:
    rng = random.Random(seed)
    graph = graph_of(random_rainbow(rng, rng.randint(4, 12), 2 + seed % 3, mixed=True, delta=0.02 * (seed % 2)))
    weights = np.array([rng.random() for _ in range(len(graph))])
    k = len(graph.colors)
    blind = neodp.Mechanism.of(graph, np.full((len(graph), k), 1.0 / k))
    proof = neodp.optimality(blind, weights)
    assert proof.prior == "given"
    assert proof.expected == pytest.approx(1.0 / k, abs=1e-12)
    assert proof.bound == pytest.approx(program(graph, weights / weights.sum()), abs=1e-8)
    assert neodp.optimality(blind, 3.0 * weights)[:2] == pytest.approx(proof[:2], abs=1e-9)
    if k > 2:
        far = neodp.optimality(neodp.extend(graph, method="distance"), weights)
        assert far.bound == pytest.approx(proof.bound, abs=1e-9)
        assert far.gap > 0.0


def test_with_alpha_the_others_agree_with_it() -> None:
    """The extension of two colours is the best at every dataset; so is that of prefix sums that are private."""
    for graph in (generate.three_voters(), generate.counts([4, 3], epsilon=[0.2, 1.0])):
        even = neodp.extend(graph.with_alpha(neodp.balanced(graph)))
        assert neodp.optimality(even).gap < 1e-9
        assert neodp.optimality(neodp.Mechanism.of(graph, even.probabilities)).gap > 1e-3
    for seed in range(6):
        rng = random.Random(seed)
        problem = random_rainbow(rng, 12, 3, mixed=True)
        found = neodp.extend(graph_of(problem, random_alpha(rng, problem)))
        assert neodp.optimality(found).gap < 1e-8, found.method


def test_what_was_stored_is_not_believed() -> None:
    graph = generate.plurality(2, 2, options=3, epsilon=[0.3, 1.5])
    best = neodp.extend(graph, method="optimal")
    worse = replace(best, probabilities=best.probabilities * 0.75 + 0.25 / 3)
    assert best.optimality is not None
    assert worse.optimality == best.optimality
    proof = neodp.optimality(worse)
    assert proof.expected == pytest.approx(0.75 * best.optimality.expected + 0.25 / 3, abs=1e-12)
    assert proof.bound == pytest.approx(best.optimality.bound, abs=1e-9)


def test_weights_and_kinds_are_refused_by_name() -> None:
    graph = generate.plurality(2, options=3)
    best = neodp.extend(graph, method="optimal")
    for weights, said in (
        ([1.0], r"there are 1 weights for 6 datasets; give one for each dataset"),
        ([1.0, 1.0, -1.0, 1.0, 1.0, 1.0], r"the weight of '.*' is -1.0; give finite numbers from 0 on"),
        ([1.0, 1.0, np.nan, 1.0, 1.0, 1.0], r"the weight of '.*' is nan; give finite numbers from 0 on"),
        ([0.0] * 6, r"all weights are 0; give one above 0"),
    ):
        for call in (lambda w: neodp.optimality(best, w), lambda w: neodp.extend(graph, method="optimal", prior=w)):
            with pytest.raises(GraphError, match=said):
                call(np.array(weights))
    with pytest.raises(NeodpError, match="`mechanism` is a DatasetGraph; give a Mechanism"):
        neodp.optimality(graph)  # type: ignore[arg-type]
    path = generate.path(4)
    soft = neodp.extend(path.with_alpha({"1": 0.6}), Gaussian(1.0))
    with pytest.raises(PrivacyError, match=r"the mechanism keeps Gaussian privacy; only \(epsilon, delta\) is"):
        neodp.optimality(soft)
