"""The best mechanism for a prior (neodp.core.optimal), beside an independent linear program and exact checks."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import neodp
from neodp import DatasetGraph, NeodpError, generate
from neodp.core import optimal
from neodp.core.inequalities import exact, holds
from neodp.core.optimal import best_rows
from neodp.data.validation import Floats
from tests.core.rainbow.problems import graph_of
from tests.rainbow_reference import random_alpha, random_rainbow


def uniform(graph: DatasetGraph) -> Floats:
    return np.full((len(graph), len(graph.colors)), 1.0 / len(graph.colors))


def assert_private(graph: DatasetGraph, rows: Floats) -> None:
    """Every subset of outputs on every edge, both ways, in rational numbers."""
    distributions = [exact(row) for row in rows]
    assert all(sum(row) == 1 and min(row) >= 0 for row in distributions)
    k = rows.shape[1]
    for e in range(graph.edges):
        ends = (int(graph.source[e]), int(graph.target[e]))
        for u, v in (ends, ends[::-1]):
            for size in range(1, k):
                for outputs in combinations(range(k), size):
                    left, right = (sum((distributions[x][j] for j in outputs), Fraction(0)) for x in (u, v))
                    assert holds(left, right, float(graph.epsilon[e]), float(graph.delta[e])), (e, outputs)


def program(graph: DatasetGraph, weights: Floats) -> float:
    """The greatest expected accuracy, by a dense linear program with every subset of outputs."""
    n, k = len(graph), len(graph.colors)
    rows, limits = [], []
    for e in range(graph.edges):
        for u, v in ((graph.source[e], graph.target[e]), (graph.target[e], graph.source[e])):
            for size in range(1, k):
                for outputs in combinations(range(k), size):
                    row = np.zeros(n * k)
                    for j in outputs:
                        row[u * k + j], row[v * k + j] = 1.0, -math.exp(graph.epsilon[e])
                    rows.append(row)
                    limits.append(graph.delta[e])
    cost = np.zeros(n * k)
    cost[np.arange(n) * k + graph.color] = -weights
    sums = np.kron(np.eye(n), np.ones(k))
    found = linprog(cost, np.array(rows), np.array(limits), sums, np.ones(n), method="highs")
    assert found.status == 0
    return -float(found.fun)


@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_optimum_of_an_independent_program(seed: int) -> None:
    rng = random.Random(seed)
    k = rng.choice([2, 3, 4])
    graph = graph_of(random_rainbow(rng, rng.randint(4, 12), k, mixed=True, delta=rng.choice([0.0, 0.0, 0.02])))
    weights = np.array([rng.random() for _ in range(len(graph))])
    weights /= weights.sum()
    best = best_rows(graph, weights, uniform(graph))
    assert best is not None
    assert best.expected == pytest.approx(program(graph, weights), abs=1e-8)
    assert 0.0 <= best.gap <= 1e-8
    assert_private(graph, best.rows)


def test_on_many_graphs_it_is_certified_private_and_no_worse_than_the_other_methods() -> None:
    """Three to five colours, epsilons that differ, with the alpha of each order fixed and without."""
    better, taken = 0, 0
    for seed in range(100, 160):
        rng = random.Random(seed)
        problem = random_rainbow(rng, rng.randint(6, 40), rng.choice([3, 4, 5]), mixed=True)
        graph = graph_of(problem, random_alpha(rng, problem))
        weights = np.full(len(graph), 1.0 / len(graph))
        line, default = neodp.extend(graph, method="line"), neodp.extend(graph)
        found = neodp.extend(graph, method="optimal")
        assert_private(graph, found.probabilities)
        ends = neodp.boundary.boundary_vertices(graph)
        assert np.array_equal(found.probabilities[ends], line.probabilities[ends])
        assert found.p_true.mean() >= max(line.p_true.mean(), default.p_true.mean()) - 1e-9
        better += found.p_true.mean() > line.p_true.mean() + 1e-4
        taken += found.method == "optimal"
        free = best_rows(graph, weights, uniform(graph))
        assert free is not None
        assert free.gap <= 1e-6
        assert free.expected >= found.p_true.mean() - 1e-9
        assert_private(graph, free.rows)
    assert taken >= 5
    assert better > 30


def test_two_colours_give_what_optimize_gives() -> None:
    for graph in (generate.three_voters(), generate.counts([5, 4], epsilon=[0.2, 1.0])):
        weights = np.full(len(graph), 1.0 / len(graph))
        best = best_rows(graph, weights, uniform(graph))
        assert best is not None
        assert best.expected == pytest.approx(neodp.optimize(graph).expected, abs=1e-9)
        assert best.bound >= neodp.optimize(graph).expected


def test_datasets_that_must_look_alike_have_one_row() -> None:
    colors = ["a", "b", "c", "a"]
    graph = DatasetGraph.from_columns(
        list("uvwx"), colors, [0, 1, 2], [1, 2, 3], [0.0, 1.0, 0.0], colors=["a", "b", "c"]
    )
    best = best_rows(graph, np.full(4, 0.25), uniform(graph))
    assert best is not None
    assert best.rows[0].tolist() == best.rows[1].tolist()
    assert best.rows[2].tolist() == best.rows[3].tolist()
    assert best.expected == pytest.approx(0.5, abs=1e-9)
    assert_private(graph, best.rows)


@pytest.mark.parametrize("epsilon", [1e-3, 0.05, 3.0, 20.0])
def test_epsilons_of_all_sizes(epsilon: float) -> None:
    graph = generate.grid(6, 6, epsilon=epsilon)
    rows = np.arange(36) % 3
    graph = DatasetGraph.from_columns(
        graph.keys, np.sort(rows), graph.source, graph.target, graph.epsilon, colors=["a", "b", "c"]
    )
    best = best_rows(graph, np.full(36, 1 / 36), uniform(graph))
    assert best is not None
    assert best.gap <= 1e-6
    assert_private(graph, best.rows)


def test_inequalities_on_demand_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_rainbow(random.Random(5), 40, 4, mixed=True)
    graph, weights = graph_of(problem), np.full(40, 1 / 40)
    all_at_once = best_rows(graph, weights, uniform(graph))
    monkeypatch.setattr(optimal, "MANY", 0)
    on_demand = best_rows(graph, weights, uniform(graph))
    assert all_at_once is not None
    assert on_demand is not None
    assert on_demand.inequalities < all_at_once.inequalities
    assert on_demand.expected == pytest.approx(all_at_once.expected, abs=1e-8)


def test_interior_points_give_the_same_with_a_small_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with weights as small as those of a large graph."""
    graph = graph_of(random_rainbow(random.Random(8), 60, 3, mixed=True))
    for weights in (np.full(60, 1 / 60), np.array([1.0 - 59e-7] + [1e-7] * 59)):
        by_simplex = best_rows(graph, weights, uniform(graph))
        with monkeypatch.context() as patched:
            patched.setattr(optimal, "FEW", 0)
            inside = best_rows(graph, weights, uniform(graph))
        assert by_simplex is not None
        assert inside is not None
        assert inside.expected == pytest.approx(by_simplex.expected, abs=1e-8)
        assert inside.gap <= 1e-8
        assert_private(graph, inside.rows)


def test_a_graph_without_alpha_has_an_optimal_mechanism_but_no_other() -> None:
    graph = graph_of(random_rainbow(random.Random(3), 20, 3, mixed=True))
    found = neodp.extend(graph, method="optimal")
    assert found.method == "optimal"
    assert neodp.audit(graph, found)
    assert found.path(0) == ([], [])
    with pytest.raises(NeodpError):
        neodp.extend(graph)


def test_a_method_that_does_not_exist_is_named() -> None:
    with pytest.raises(NeodpError, match="there is no method 'best'"):
        neodp.extend(generate.path(3), method="best")  # type: ignore[arg-type]


def test_a_limit_of_work_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "WORK", 10_000)
    monkeypatch.setattr(optimal, "FEW", 100)
    g = generate.plurality(3, 3, epsilon=[0.3, 1.0])
    with pytest.raises(NeodpError, match=r"gave up on a program of [\d,]+ inequalities: .*; take another"):
        neodp.extend(g, method="optimal")
