"""One (epsilon, delta) on every edge: slow references, exact privacy, and the numbers of paper 003."""

import random
from decimal import Decimal, localcontext

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, generate, rainbow
from neodp.study import closed_forms
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import graph_of, path_of, prefix_sums


@pytest.mark.parametrize("seed", range(60))
def test_uniform_random_graphs_are_private_for_every_set_of_outputs(seed: int) -> None:
    """k = 2 … 5, any delta, alpha down to 1e-12: exact, by the audit and by a checker that tries all subsets."""
    rng = random.Random(seed)
    k, delta = rng.randint(2, 5), rng.choice([0.0, 0.0, 1e-9, rng.uniform(0.0, 0.1)])
    problem = reference.random_rainbow(rng, rng.randint(4, 26), k, mixed=False, delta=delta)
    g = graph_of(problem, reference.random_alpha(rng, problem))
    found = rainbow.extend(g)
    assert found.method == "table"
    assert not reference.violations(problem.edges, found.probabilities.tolist())
    if k > 2:
        report = neodp.audit(g, neodp.extend(g))
        assert report.exact
        assert report.violations == 0
        assert report.checks == 2 * g.edges * (k if delta == 0.0 else 1)


@pytest.mark.parametrize("seed", range(12))
def test_every_prefix_is_the_optimum_of_a_linear_program(seed: int) -> None:
    rng = random.Random(100 + seed)
    k, delta = rng.randint(3, 4), rng.choice([0.0, 0.03])
    problem = reference.random_rainbow(rng, 9, k, mixed=False, delta=delta)
    g = graph_of(problem, reference.random_alpha(rng, problem))
    m = neodp.extend(g)
    alpha = {v: m.probabilities[v].tolist() for v in problem.boundary()}
    for j in range(1, k):
        assert prefix_sums(problem, m, j) == pytest.approx(reference.best_prefix(problem, alpha, j), abs=1e-8)


@pytest.mark.parametrize("seed", range(40))
def test_two_colors_given_as_a_rainbow_equal_the_two_color_extension(seed: int) -> None:
    rng = random.Random(200 + seed)
    problem = reference.random_rainbow(rng, 30, 2, mixed=False, delta=rng.choice([0.0, 0.01]))
    g = graph_of(problem, reference.random_alpha(rng, problem))
    rows = rainbow.extend(g).probabilities
    assert rows == pytest.approx(neodp.extend(g).probabilities, rel=1e-12, abs=0.0)


def test_two_colors_keep_their_path_whatever_their_preference() -> None:
    """A preference says nothing that the colour of two does not: the same bits, and a hitting set is enough."""
    plain = generate.grid(6, 7, epsilon=np.array([0.2, 1.1]))
    plain = plain.with_alpha(neodp.balanced(plain))
    other = np.column_stack([plain.color, 1 - plain.color])
    ordered = DatasetGraph.from_columns(
        plain.keys, plain.color.astype(np.int64), plain.source.astype(np.int64), plain.target.astype(np.int64),
        plain.epsilon, plain.delta, plain.alpha, other, colors=plain.colors,
    )  # fmt: skip
    assert (ordered.crossing == plain.crossing).all()
    assert (neodp.balanced(ordered)[plain.given] == neodp.balanced(plain)[plain.given]).all()
    assert (neodp.extend(ordered).probabilities == neodp.extend(plain).probabilities).all()


@pytest.mark.parametrize("epsilon", [1e-17, 0.001, 0.3, 2.0, 40.0, 690.0])
@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-12, 0.05])
def test_long_paths_with_outputs_of_1e_12_are_exactly_private(epsilon: float, delta: float) -> None:
    """An output of probability 1e-12 or 1e-300 among large ones, thousands of edges from the boundary."""
    alpha: dict[tuple[str, ...], list[float]]
    alpha = {("a", "b", "c", "d"): [1e-12, 0.3, 0.7 - 1e-12, 1e-300], ("b", "d", "a", "c"): [1e-12, 0.3, 0.7, 1e-300]}
    g = path_of(alpha, [1500, 1500], epsilon, delta)
    m = neodp.extend(g)
    report = neodp.audit(g, m)
    assert (report.violations, report.exact) == (0, True)
    rng = random.Random(1)
    some = rng.sample(range(g.edges), 40) + list(range(1490, 1510))
    edges = [(int(g.source[e]), int(g.target[e]), epsilon, delta) for e in some]
    assert not reference.violations(edges, m.probabilities.tolist())
    if delta == 0.0:
        assert (m.probabilities > 0.0).all()


def test_a_tight_balanced_choice_needs_no_rounding_and_is_tight() -> None:
    for epsilon, delta in ((0.7, 0.0), (0.7, 0.01), (1e-3, 1e-9), (30.0, 0.0)):
        g = generate.plurality(7, options=4, epsilon=epsilon, delta=delta)
        m = neodp.extend(g.with_alpha(neodp.balanced(g)))
        report = neodp.audit(g, m)
        assert report.violations == 0
        assert len(m.rounded) == len(m.filled) == 0
        assert report.worst[0].tightness == pytest.approx(1.0, abs=1e-13)


EXAMPLES = [((0.0545, 0.1636), (5, 12)), ((0.1636, 0.0545), (5, 6))]


@pytest.mark.parametrize(("first", "taus"), EXAMPLES)
def test_the_papers_examples(first: tuple[float, float], taus: tuple[int, int]) -> None:
    """Paper 003, Section V: tau_R and tau_B, and the order of the three curves that the text describes."""
    blue, red = first
    assert closed_forms.ternary_thresholds(blue, red, 0.1823) == taus
    rows = rainbow.line([blue, red, 1.0 - blue - red], 30, 0.1823)
    closed = np.array([closed_forms.ternary(i, blue, red, 0.1823) for i in range(30)])
    assert rows == pytest.approx(closed, abs=1e-12)
    ascending = ["".join("BRG"[j] for j in np.argsort(row)) for row in rows]
    described = {(5, 12): ["BRG"] * 6 + ["BGR"] * 3 + ["GBR"] * 3 + ["GRB"] * 18, (5, 6): ["RBG"] * 6 + ["RGB"] * 24}
    assert ascending == described[taus]


@pytest.mark.parametrize("seed", range(50))
def test_the_closed_forms_are_the_recursion(seed: int) -> None:
    """Theorems 4 and 5 and Corollary 1, with tau floored, at random alpha and epsilon."""
    rng = random.Random(seed)
    blue, red = rng.uniform(0.001, 0.6), rng.uniform(0.001, 0.39)
    epsilon = rng.uniform(0.02, 1.5)
    rows = rainbow.line([blue, red, 1.0 - blue - red], 40, epsilon)
    for i in range(40):
        assert closed_forms.ternary(i, blue, red, epsilon) == pytest.approx(rows[i], rel=1e-11, abs=1e-13)


def test_the_morphism_to_lines() -> None:
    """Paper 003, Definition 8 and Theorem 3: datasets of one order and distance are answered alike."""
    rng = random.Random(3)
    problem = reference.random_rainbow(rng, 40, 3, mixed=False)
    g = graph_of(problem, reference.random_alpha(rng, problem))
    order, distance = rainbow.morphism(g)
    assert distance.tolist() == problem.distances()
    m = neodp.extend(g)
    for v in range(len(g)):
        same = (order == order[v]) & (distance == distance[v])
        assert (m.probabilities[same] == m.probabilities[v]).all()
    for u, v in zip(g.source, g.target, strict=True):
        assert abs(distance[u] - distance[v]) <= 1 if order[u] == order[v] else distance[u] == distance[v] == 0


@pytest.mark.parametrize(
    ("alpha", "epsilon"),
    [([1e-9, 0.2, 1e-300, 0.8 - 1e-9], 0.003), ([0.25, 0.25, 0.25, 0.25], 0.0007), ([1e-12, 1e-12, 0.5, 0.5], 0.01)],
)
def test_far_rows_are_what_all_steps_on_the_way_give(alpha: list[float], epsilon: float) -> None:
    """Far rows are reached by leaps; the recursion of the prefix sums in decimals, step by step, agrees."""
    rows = rainbow.line(alpha, 5000, epsilon)
    with localcontext() as context:
        context.prec = 400
        grow = (Decimal(int(rainbow.lengths(np.array([epsilon]), 4)[0])) / 2**50).exp()
        exact = [Decimal(x.numerator) / Decimal(x.denominator) for x in reference.exact(alpha)]
        sums = [sum(exact[:j], Decimal(0)) for j in range(5)]
        for d in range(5000):
            if d % 619 == 0 or d == 1024:
                for p, low, high in zip(rows[d].tolist(), sums[:-1], sums[1:], strict=True):
                    assert abs(p / float(high - low) - 1) < 2e-16 * 2
            sums = [min(s * grow, 1 - (1 - s) / grow) for s in sums]


def test_equal_largest_entries_mean_the_same_in_every_order() -> None:
    """The colours decide, not the ranks, which of two equal entries stands for one minus the rest."""
    off = [0.45, 0.45, 0.1 + 4e-16]
    g = path_of({("b", "a", "c"): off, ("a", "b", "c"): off}, [3, 3], 0.3)
    assert not reference.violations(
        [(int(u), int(v), 0.3, 0.0) for u, v in zip(g.source, g.target, strict=True)],
        neodp.extend(g).probabilities.tolist(),
    )


def test_a_table_reaches_as_far_as_a_graph_and_as_high_as_an_epsilon() -> None:
    """e^(690 d) has no decimal with this exponent long before d is the length of a path in a graph."""
    table = rainbow.Table({(0, 1, 2): [0.0, 0.7, 0.3]}, 690.0)
    assert table.at((0, 1, 2), 10**6) == (0.0, 1.0, 2.0**-1022)
    assert rainbow.Table({(0, 1, 2): [0.5, 0.3, 0.2]}, 690.0).at((0, 1, 2), 10**6)[1:] == (2.0**-1022, 2.0**-1022)
