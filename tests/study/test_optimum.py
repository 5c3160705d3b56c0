"""The best boundary for a prior."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.core.symmetry import classes
from neodp.errors import GraphError, UnknownKey
from neodp.study.comparison import Accuracy, compare
from neodp.study.optimum import best_homogeneous, choices, optimize, prior


def direct(graph: DatasetGraph, weights: np.ndarray, floor: float = 0.0) -> float:
    """The optimum of the linear program with every dataset and every inequality, dense."""
    rows, limits = [], []
    for u, v, eps, delta in zip(graph.source, graph.target, graph.epsilon, graph.delta, strict=True):
        for a, b in ((u, v), (v, u)):
            row = np.zeros(len(graph))
            row[a], row[b] = 1.0, -math.exp(eps)
            rows += [row, -row]
            limits += [delta, delta - 1.0 + math.exp(eps)]
    sign = np.where(graph.color == 0, 1.0, -1.0)
    bounds = [(floor, 1.0) if s > 0 else (0.0, 1.0 - floor) for s in sign]
    result = linprog(-sign * weights, np.array(rows), np.array(limits), bounds=bounds, method="highs-ipm")
    return float(weights[sign < 0].sum() - result.fun)


def balanced(graph: DatasetGraph) -> Mechanism:
    return neodp.extend(graph.with_alpha(neodp.balanced(graph)))


def expected(mechanism: Mechanism, weights: np.ndarray) -> float:
    wrong = mechanism.probabilities[np.arange(len(mechanism)), 1 - mechanism.graph.color]
    return 1.0 - float(weights @ wrong)


graphs = st.builds(
    generate.random_graph,
    st.just(12),
    edges=st.integers(11, 30),
    epsilon=st.sampled_from([0.0, 0.3, 2.0, (0.0, 0.4), (0.1, 3.0)]),
    delta=st.sampled_from([0.0, 0.0, 0.05, (0.0, 0.2)]),
    seed=st.integers(0, 10**6),
)


@given(graphs, st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=120)
def test_optimum_is_that_of_the_whole_program_private_and_never_worse_than_balanced(
    g: DatasetGraph, seed: int, some_impossible: bool, fair: bool
) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.random(len(g)) * (rng.random(len(g)) < 0.5 if some_impossible else 1.0) + 1e-12
    weights /= weights.sum()
    even = balanced(g)
    best = optimize(g, weights, fair=fair)
    m = neodp.extend(g.with_alpha(best.alpha))
    floor = float(even.p_true.min()) - 1e-9 if fair else 0.0
    assert best.bound == pytest.approx(direct(g, weights, floor), abs=1e-7)
    assert best.expected == pytest.approx(best.bound, abs=1e-7)
    assert best.expected == pytest.approx(expected(m, weights), abs=1e-12)
    assert best.worst == m.p_true.min()
    assert neodp.audit(g, m).violations == 0
    assert len(m.rounded) == 0
    if fair:
        assert m.p_true.min() >= even.p_true.min()
    if not fair or m.p_true.min() == even.p_true.min():
        assert expected(m, weights) >= expected(even, weights) - 1e-15


def test_strictly_better_than_balanced_on_three_voters() -> None:
    """Fig. 1 of paper 000: 122 and 211 border only on edges of epsilon 1, so they need not share in what 0.5 costs."""
    g = generate.three_voters()
    best, *others = choices(g, prior(g))
    even, same = others
    assert best.expected > even.expected + 0.009 > same.expected
    assert best.worst == even.worst
    first, second = (Accuracy.of(neodp.extend(g.with_alpha(c.alpha)), c.name) for c in (best, even))
    assert compare(first, second).verdict == "first"
    assert {d.key for d in compare(first, second).first_gains} == {"122", "211"}


def test_balanced_is_best_for_one_epsilon_and_colors_alike() -> None:
    g = generate.hypercube(5, epsilon=0.7)
    best, *others = choices(g, prior(g))
    even, same = others
    assert best.expected == pytest.approx(even.expected, abs=1e-12)
    assert same.expected == pytest.approx(even.expected, abs=1e-9)


def test_a_prior_on_one_color_makes_the_answer_constant() -> None:
    g = generate.path(6, epsilon=0.5)
    best = optimize(g, prior(g, {"0": 1.0, "1": 3.0}))
    assert best.expected == 1.0
    m = neodp.extend(g.with_alpha(best.alpha))
    assert m.p.tolist() == [1.0] * 6
    assert neodp.audit(g, m)


def test_votes_are_solved_on_counts() -> None:
    """People of equal epsilon are interchangeable: 2^7 datasets, and one class for each pair of counts."""
    epsilon = [0.2] * 3 + [1.1] * 4
    votes, counts = generate.votes(7, epsilon=epsilon), generate.counts([3, 4], epsilon=[0.2, 1.1])
    best = optimize(votes)
    assert best.classes == len(counts)
    ways = {k: math.comb(3, int(k[0])) * math.comb(4, int(k[2])) for k in counts.keys.to_pylist()}
    assert best.expected == pytest.approx(optimize(counts, prior(counts, ways)).expected, abs=1e-9)
    assert best.expected == pytest.approx(direct(votes, prior(votes)), abs=1e-7)
    assert neodp.audit(votes, neodp.extend(votes.with_alpha(best.alpha)))


def test_classes_keep_apart_what_differs() -> None:
    cube = generate.hypercube(10, epsilon=0.3)
    assert len(np.unique(classes(cube, prior(cube)))) == 11
    some = prior(cube, {"0000000001": 1.0})
    assert len(np.unique(classes(cube, some))) == 20
    path = generate.path(400)
    assert len(np.unique(classes(path, prior(path)))) == 400


def test_no_boundary_and_large_epsilon() -> None:
    alone = generate.path(3, split=3)
    best = optimize(alone)
    assert (best.expected, best.worst, best.classes) == (1.0, 1.0, 0)
    large = generate.random_geometric(60, epsilon=(20.0, 60.0), seed=1)
    for fair in (False, True):
        best = optimize(large, fair=fair)
        assert best.expected >= expected(balanced(large), prior(large))
        assert neodp.audit(large, neodp.extend(large.with_alpha(best.alpha)))


def test_best_homogeneous_beats_a_grid_of_its_kind() -> None:
    g = generate.counts([4, 3], epsilon=[0.3, 0.8], rule=2)
    weights = prior(g, "distance")
    best = best_homogeneous(g, weights)
    for first in np.linspace(0.0, 1.0, 41):
        m = neodp.extend(g.with_alpha(neodp.homogeneous(g, float(first))))
        assert expected(m, weights) <= best.expected + 1e-9


def test_prior_by_distance_counts_every_distance_alike() -> None:
    g = generate.counts([4, 3])
    weights = prior(g, "distance")
    total = {sum(map(int, key.split("-"))): 0.0 for key in g.keys.to_pylist()}
    for key, w in zip(g.keys.to_pylist(), weights, strict=True):
        total[sum(map(int, key.split("-")))] += w
    margins = [total[t] + total[7 - t] for t in range(4)]
    assert margins == pytest.approx([0.25] * 4)


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("flat", GraphError, "there is no prior 'flat'; give 'uniform', 'distance', or a weight per dataset"),
        ({"11": 1.0}, UnknownKey, "a weight is given for '11', which is not a dataset; did you mean '1'?"),
        ({"1": -1.0}, GraphError, "the weight of '1' is -1.0; give finite numbers of at least 0"),
        ({"1": math.nan}, GraphError, "the weight of '1' is nan; give finite numbers of at least 0"),
        ({"1": 0.0}, GraphError, "all weights are 0; give one above 0"),
    ],
)
def test_wrong_priors(how: str | dict[str, float], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        prior(generate.path(4), how)
    assert str(raised.value) == message


def test_more_than_two_colors_have_the_best_alpha_that_is_the_same_for_an_order() -> None:
    """Between the balanced alpha and the best of all mechanisms; its extension reaches what the program says."""
    g = generate.plurality(3, 2, epsilon=[0.3, 1.5])
    best, *others = choices(g, prior(g))
    (even,) = others
    free = neodp.extend(g, method="optimal")
    assert free.optimality is not None
    assert even.expected + 0.005 < best.expected < free.optimality.expected
    assert 0.0 <= best.bound - best.expected < 1e-6
    m = neodp.extend(g.with_alpha(best.alpha))
    assert neodp.audit(g, m)
    assert m.p_true.mean() == pytest.approx(best.expected, abs=1e-9)
    with pytest.raises(GraphError, match="'plurality' has 3 colours, and with more than two, alpha does not"):
        optimize(g, fair=True)


def test_more_than_two_colors_under_a_prior_agree_with_an_independent_program() -> None:
    """A path of six datasets in two orders: the rows of both boundaries, and those behind them, by scipy."""
    orders = [[0, 1, 2]] * 3 + [[1, 2, 0]] * 3
    epsilon = np.array([0.4, 1.1, 0.6, 0.9, 0.2])
    g = neodp.DatasetGraph.from_columns(
        list("abcdef"), [0] * 3 + [1] * 3, np.arange(5), np.arange(1, 6), epsilon, preference=orders, colors=list("xyz")
    )
    weights = prior(g, {"a": 1.0, "c": 2.0, "d": 2.5, "f": 0.5})
    rows, cost = [], np.zeros(18)
    cost[np.arange(6) * 3 + g.color] = -weights
    for e in range(5):
        for u, v in ((e, e + 1), (e + 1, e)):
            for j in range(3):
                row = np.zeros(18)
                row[u * 3 + j], row[v * 3 + j] = 1.0, -np.exp(epsilon[e])
                rows.append(row)
    found = linprog(cost, np.array(rows), np.zeros(len(rows)), np.kron(np.eye(6), np.ones(3)), np.ones(6))
    assert optimize(g, weights).expected == pytest.approx(-found.fun, abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -0.1, 0.1, 0.0], "the weight of '1' is -0.1; give finite numbers from 0 on"),
        ([1.0, math.nan, 0.0, 0.0], "the weight of '1' is nan; give finite numbers from 0 on"),
        ([1.0, math.inf, 0.0, 0.0], "the weight of '1' is inf; give finite numbers from 0 on"),
        ([0.0] * 4, "all weights are 0; give one above 0"),
        ([1.0] * 3, "there are 3 weights for 4 datasets; give one for each dataset"),
    ],
)
def test_weights_that_are_no_prior_are_refused(weights: list[float], message: str) -> None:
    """By all three that take weights; an optimum for such weights would be none."""
    for find in (optimize, best_homogeneous, choices):
        with pytest.raises(GraphError) as raised:
            find(generate.path(4), np.array(weights))
        assert str(raised.value) == message


@pytest.mark.parametrize("scale", [1.0, 4.0, 1e-300, 4e307, 5e-324])
def test_only_the_ratios_of_weights_matter(scale: float) -> None:
    """An expected accuracy is a chance, also where weights do not add up to 1 or their sum is no double."""
    g = generate.path(4, epsilon=[0.5, 1.0, 2.0])
    found = optimize(g, np.full(4, scale))
    assert found.expected == pytest.approx(optimize(g).expected, abs=1e-12)
    assert prior(g, dict.fromkeys("0123", scale)) == pytest.approx([0.25] * 4)
