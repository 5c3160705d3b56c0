"""Alpha chosen by rank."""

import itertools
import math
import random

import pytest

import neodp
from neodp import generate, rainbow
from neodp.errors import GraphError, PrivacyError
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import graph_of, path_of


def test_balanced_is_corollary_2_for_two_colors() -> None:
    g = generate.path(6, epsilon=0.8, delta=0.02)
    assert rainbow.balanced(g)[2:4] == pytest.approx(neodp.balanced(g)[2:4], rel=1e-13)


def test_balanced_falls_by_rank_where_neighbors_exchange_neighboring_ranks() -> None:
    g = path_of({("a", "b", "c"): [1, 0, 0], ("b", "a", "c"): [1, 0, 0], ("b", "c", "a"): [1, 0, 0]}, [2, 2, 2], 0.9)
    x = math.exp(-0.9)
    weights = [1 / (1 + x + x * x), x / (1 + x + x * x), x * x / (1 + x + x * x)]
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    assert m["1"] == pytest.approx(dict(zip("abc", weights, strict=True)), rel=1e-13)
    assert m["4"] == pytest.approx(dict(zip("bca", weights, strict=True)), rel=1e-13)


def test_balanced_is_randomized_response_where_any_output_can_become_the_best() -> None:
    g = generate.plurality(6, options=3, epsilon=0.5, delta=0.01)
    ends = neodp.boundary.boundary_vertices(g)
    row = neodp.balanced(g)[ends[0]][g.orders[g.order[ends[0]]].astype(int)]
    assert tuple(row) == rainbow.randomized_response(3, 0.5, 0.01)
    grow = math.exp(0.5)
    assert row == pytest.approx([(grow + 0.02) / (grow + 2), 0.99 / (grow + 2), 0.99 / (grow + 2)], rel=1e-13)


def test_an_output_that_everybody_ranks_last_is_never_given() -> None:
    g = path_of({("a", "b", "c"): [1, 0, 0], ("b", "a", "c"): [1, 0, 0]}, [3, 3], 1.0)
    assert neodp.extend(g.with_alpha(neodp.balanced(g))).probabilities[:, 2].tolist() == [0.0] * 6


@pytest.mark.parametrize("seed", range(40))
def test_balanced_fits_any_graph_and_is_the_best_choice_by_rank(seed: int) -> None:
    """Compatible as it is; the best output's chance cannot be raised by any compatible weights by rank."""
    rng = random.Random(seed)
    problem = reference.random_rainbow(rng, 14, rng.randint(3, 5), mixed=bool(seed % 2), delta=rng.choice([0.0, 0.02]))
    g = graph_of(problem)
    if not len(neodp.boundary.boundary_vertices(g)):
        return
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    assert len(m.rounded) == 0
    assert not reference.violations(problem.edges, m.probabilities.tolist())
    v = problem.boundary()[0]
    best = [m.probabilities[v, o] for o in problem.order[v]]
    assert all(a >= b * (1 - 1e-12) for a, b in itertools.pairwise(best))
    if g.delta.max() == 0.0:
        rows = {order: [best[order.index(o)] for o in range(problem.k)] for order in set(problem.order)}
        meets = [e for e in problem.edges if problem.order[e[0]] != problem.order[e[1]]]
        for j in range(1, problem.k):  # a little from any one rank to the best breaks privacy, or was 0
            if best[j] < 1e-9:
                continue
            raised = [
                p * (1 + 1e-6) if i == 0 else p * (1 - 1e-6 * best[0] / (1 - best[0])) for i, p in enumerate(best)
            ]
            moved = {o: [raised[o.index(c)] for c in range(problem.k)] for o in rows}
            assert reference.violations(meets, [moved[o] for o in problem.order])


def test_homogeneous_by_rank() -> None:
    g = path_of({("a", "b", "c"): [1, 0, 0], ("b", "a", "c"): [1, 0, 0]}, [3, 3], 1.0)
    assert neodp.homogeneous(g, [0.5, 0.3, 0.2])[3].tolist() == [0.3, 0.5, 0.2]
    assert neodp.homogeneous(g, 0.6)[2] == pytest.approx([0.6, 0.4, 0.0])
    with pytest.raises(PrivacyError, match="two chances are given"):
        neodp.homogeneous(g, 0.5, 0.5)
    with pytest.raises(GraphError, match="and does not add up to 1"):
        neodp.homogeneous(g, [0.5, 0.3, 0.3])
