"""The optimal extension: the papers' numbers, two slow references, and what is refused."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate
from neodp.core.witness import Witness
from neodp.errors import IncompatibleAlpha, UnhitBoundary
from tests import reference
from tests.problems import LOG2, graph_of, path_of_four


def exact(m: Mechanism) -> list[Fraction]:
    return [Fraction(p) if p <= q else 1 - Fraction(q) for p, q in zip(m.p.tolist(), m.q.tolist(), strict=True)]


# --- the papers' examples -----------------------------------------------------------------------------------


def test_example_1_neither_mechanism_dominates() -> None:
    """Paper 002, Example 1: both are (log 2, 0.1)-private, and no utility settles which is better.

    The first is tight; the doubles nearest to log 2, 0.58 and 0.24 need a hair more.
    """
    g = DatasetGraph.from_columns(["1", "2"], ["blue", "red"], ["1"], ["2"], LOG2 + 1e-15, 0.1)
    one = Mechanism.of(g, {"1": [0.58, 0.42], "2": [0.24, 0.76]})
    two = Mechanism.of(g, {"1": [0.64, 0.36], "2": [0.27, 0.73]})
    assert neodp.audit(g, one)
    assert neodp.audit(g, two)
    assert not one.dominates(two)
    assert not two.dominates(one)
    assert one.dominates(one)


def test_example_2_without_a_hitting_set_there_is_no_unique_optimum() -> None:
    """Paper 002, Example 2: two extensions of alpha at v3 alone, neither dominates; extend refuses."""
    g = path_of_four({"v3": 0.5})
    one = Mechanism.of(g, {"v1": 0.5, "v2": 0.75, "v3": 0.5, "v4": 0.25})
    two = Mechanism.of(g, {"v1": 0.125, "v2": 0.25, "v3": 0.5, "v4": 0.25})
    # log 2 as a double lies just below log 2, so the exact audit needs a hair more than it
    roomy = path_of_four({}, epsilon=math.nextafter(LOG2, 1))
    for m in (one, two):
        assert neodp.audit(roomy, m)
    assert not one.dominates(two)
    assert not two.dominates(one)
    with pytest.raises(
        UnhitBoundary, match="the boundary edge 'v1' – 'v2' \\(red, blue\\) has alpha at neither end; give"
    ):
        neodp.extend(g)


def test_example_3_the_farther_source_is_the_tighter() -> None:
    """Paper 002, Example 3."""
    m = neodp.extend(path_of_four({"v1": 0.3, "v4": 0.1}))
    assert m.p == pytest.approx([0.3, 0.4, 0.2, 0.1], abs=1e-15)
    assert m["v2"] == {"blue": m.p[1], "red": m.q[1]}
    assert m.p_true == pytest.approx([0.7, 0.4, 0.2, 0.9], abs=1e-15)


def test_figure_1_three_voters() -> None:
    """Paper 000, Fig. 1: the first voter is better protected only where that vote decides.

    Balanced: the datasets next to a protected edge have e^0.5/(e^0.5 + 1), the other boundary datasets
    e/(e + 1); unanimous ones one step of epsilon 1 beyond the least of their neighbours.
    """
    g = generate.three_voters(epsilon=1.0, deciding=0.5)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    protected, usual = 1 / (math.exp(0.5) + 1), 1 / (math.exp(1.0) + 1)
    wrong = {"121": protected, "221": protected, "112": protected, "212": protected, "211": usual, "122": usual}
    wrong |= {"111": protected / math.e, "222": protected / math.e}
    for key, chance in wrong.items():
        assert 1 - m.p_true[g.index(key)] == pytest.approx(chance)
    alike = generate.three_voters(epsilon=1.0, deciding=1.0)
    assert Mechanism.of(g, neodp.extend(alike.with_alpha(neodp.balanced(alike))).p).dominates(m)


# --- two independent references -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(300))
def test_equals_the_papers_algorithms(seed: int) -> None:
    """Paper 000, Algorithms 1 and 2, carried out literally; heterogeneous epsilon and delta, hitting sets."""
    problem = reference.random_problem(random.Random(seed))
    g = graph_of(problem)
    m = neodp.extend(g)
    expected = reference.extension(problem)
    assert expected is not None
    assert m.p == pytest.approx(expected, abs=1e-9)
    assert neodp.audit(g, m).violations == 0
    assert reference.violations(problem, exact(m)) == []


@pytest.mark.parametrize("seed", range(100))
def test_equals_algorithm_1_of_paper_002(seed: int) -> None:
    """Uniform (epsilon, delta): breadth-first distances and U composed."""
    problem = reference.random_problem(random.Random(seed), uniform=True)
    expected = reference.uniform_extension(problem)
    assert expected is not None
    assert neodp.extend(graph_of(problem)).p == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(150))
def test_equals_the_linear_program(seed: int) -> None:
    """The mechanism that is truthful most often in total, over all private ones that agree with alpha."""
    problem = reference.random_problem(random.Random(1000 + seed), large=3.0)
    expected = reference.linear_program(problem)
    if expected is None:  # the solver's own tolerance, on conditions that are tight
        assert reference.margin(problem) < 1e-7
        return
    assert neodp.extend(graph_of(problem)).p == pytest.approx(expected, abs=1e-9)


def test_compatibility_decisions_agree() -> None:
    """On compatible and incompatible alpha alike, away from ties."""
    decided = {True: 0, False: 0}
    for seed in range(400):
        problem = reference.random_problem(random.Random(5000 + seed), mode="arbitrary")
        if abs(min(reference.margin(problem), reference.margin(reference.exchanged(problem)))) < 1e-9:
            continue
        expected = reference.compatible(problem)
        decided[expected] += 1
        report = neodp.check(graph_of(problem))
        assert report.boundary_hit
        assert report.compatible is expected
        assert bool(report) is expected
        if not expected:
            witness = report.witness
            assert isinstance(witness, Witness)
            assert witness.value > witness.bound
            assert_witness_is_right(problem, witness)
    assert min(decided.values()) > 60


def assert_witness_is_right(problem: reference.Problem, witness: Witness) -> None:
    """Applying U along the witness's path, from the origin's alpha, gives its bound."""
    edges = {frozenset((u, v)): (e, d) for u, v, e, d in problem.edges}
    path = [int(key[1:]) for key in witness.path]
    assert path[0] == int(witness.origin[1:])
    assert path[-1] == int(witness.dataset[1:])
    first = witness.color == "first"
    bound = problem.alpha[path[0]] if first else 1 - problem.alpha[path[0]]
    assert witness.origin_value == pytest.approx(bound)
    for u, v in itertools.pairwise(path):
        bound = reference.upper(bound, *edges[frozenset((u, v))])
    assert witness.bound == pytest.approx(bound, abs=1e-12)
    value = problem.alpha[path[-1]]
    assert witness.value == pytest.approx(value if first else 1 - value)


# --- sources, components, rounding --------------------------------------------------------------------------


def test_alpha_inside_a_color_counts_too() -> None:
    g = generate.path(6, epsilon=1.0)
    balanced = g.with_alpha(neodp.balanced(g))
    lowered = balanced.alpha.copy()
    lowered[0] = [0.6, 0.4]
    m = neodp.extend(g.with_alpha(lowered))
    assert m.p[0] == 0.6
    assert neodp.extend(balanced).dominates(m)


def test_any_hitting_set_of_an_optimal_mechanism_gives_it_back_bit_for_bit() -> None:
    for seed in range(30):
        g = generate.random_graph(40, edges=90, epsilon=(0.0, 2.0), delta=(0.0, 0.05 * (seed % 2)), seed=seed)
        m = neodp.extend(g.with_alpha(neodp.balanced(g)))
        again = neodp.extend(g.with_alpha(m.probabilities))
        assert len(again.rounded) == 0
        assert np.array_equal(again.probabilities, m.probabilities)


def test_a_component_of_one_color_without_alpha_answers_truthfully() -> None:
    g = DatasetGraph.from_columns(
        ["a", "b", "c", "d"], ["red", "blue", "red", "red"], ["a", "c"], ["b", "d"], 1.0, alpha={"a": 0.5}
    )
    m = neodp.extend(g)
    assert m["c"] == {"blue": 0.0, "red": 1.0}
    assert m["d"] == {"blue": 0.0, "red": 1.0}
    report = neodp.check(g)
    assert report
    assert not report.connected
    assert report.components == 2
    assert str(report) == (
        "not connected: 2 parts with no edge between them\n"
        "2 datasets lie on the boundary between answers, and alpha is given where it is needed\n"
        "alpha is compatible: a private mechanism with it exists"
    )


def test_a_component_with_an_unhit_boundary_is_named() -> None:
    g = DatasetGraph.from_columns(
        ["a", "b", "c", "d"], ["red", "blue", "red", "blue"], ["a", "c"], ["b", "d"], 1.0, alpha={"a": 0.5}
    )
    with pytest.raises(
        UnhitBoundary, match=r"edge 'c' – 'd' \(red, blue\) has .* in the component of 'c' \(2 datasets\)"
    ):
        neodp.extend(g)
    report = neodp.check(g)
    assert not report
    assert report.unhit == ("c", "d")
    assert report.compatible is None


def test_one_dataset_alone() -> None:
    g = DatasetGraph.from_columns(["a"], ["yes"], [], [], 1.0, colors=["yes", "no"])
    m = neodp.extend(g)
    assert m["a"] == {"yes": 1.0, "no": 0.0}
    assert neodp.audit(g, m).edges == 0


def test_incompatible_alpha_is_refused_with_both_datasets_the_path_the_bound_and_the_value() -> None:
    g = path_of_four({"v1": 0.9, "v4": 0.01})
    with pytest.raises(IncompatibleAlpha) as caught:
        neodp.extend(g)
    assert str(caught.value) == (
        "alpha at 'v1' makes Pr[blue] 0.9, at most 0.08 is possible: 'v4' has 0.01 and is epsilon 2.07944 away, "
        "along 'v4' – 'v3' – 'v2' – 'v1'; "
        "lower the first or raise the second, or see `neodp.balanced(graph)` for a compatible choice"
    )


def test_a_long_path_in_a_message_is_shortened() -> None:
    n = 30
    g = generate.path(n, split=n, epsilon=0.01, delta=0.001).with_alpha({"0": 0.1, "29": 0.9})
    with pytest.raises(
        IncompatibleAlpha, match=r"epsilon 0.29 and delta 0.029 away, along '0' – '1' – '2' – \(24 more\) –"
    ):
        neodp.extend(g)


@pytest.mark.parametrize("seed", range(60))
def test_alpha_that_is_off_by_rounding_is_rounded_in_and_reported(seed: int) -> None:
    """A mechanism computed in plain doubles, tight everywhere, given as alpha on every dataset."""
    rng = random.Random(seed)
    problem = reference.random_problem(rng, large=5.0)
    values = reference.extension(problem)
    assert values is not None
    noisy = {v: min(1.0, max(0.0, p * (1 + rng.uniform(-1, 1) * 1e-14))) for v, p in enumerate(values)}
    g = graph_of(reference.Problem(problem.n, problem.color, problem.edges, noisy))
    try:
        m = neodp.extend(g)
    except IncompatibleAlpha:  # far down a steep edge, 1e-14 of a large value is a lot of a small one
        assert max(e for _, _, e, _ in problem.edges) > 3 or min(values) < 1e-3 or max(values) > 1 - 1e-3
        return
    assert m.p == pytest.approx(list(noisy.values()), rel=2e-12)
    changed = np.flatnonzero(m.p != g.alpha[:, 0])
    assert set(changed.tolist()) <= set(m.rounded.tolist())
    assert neodp.audit(g, m).violations == 0


def test_rounding_in_is_refused_beyond_a_relative_1e_12() -> None:
    third = 1 / 3
    tight = {"v1": third, "v2": 2 * third * (1 + 5e-13), "v3": 2 * third, "v4": third}
    m = neodp.extend(path_of_four(tight))
    assert m.rounded.tolist() == [1, 2]
    with pytest.raises(IncompatibleAlpha):
        neodp.extend(path_of_four(tight | {"v2": 2 * third * (1 + 5e-12)}))


def test_certainty_that_privacy_forbids_by_less_than_a_double_can_show_is_rounded_in() -> None:
    """Far inside, the optimum is 1 - 1e-20; a user who writes 1 means that."""
    g = generate.path(101, split=50, epsilon=1.0)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    far = g.with_alpha({"49": m.p[49], "50": m.p[50], "0": 1.0})
    again = neodp.extend(far)
    assert again.rounded.tolist() == [0]
    assert 0 < again.q[0] < 1e-20
