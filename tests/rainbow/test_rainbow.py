"""More than two colours: the paper's examples, slow references, exact privacy, and what is refused."""

import itertools
import math
import random
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, Mechanism, generate, rainbow
from neodp.errors import GraphError, IncompatibleAlpha, NotPrivate, PrivacyError, UnhitBoundary, UnknownKey
from neodp.study import closed_forms
from tests import rainbow_reference as reference
from tests.rainbow_reference import Rainbow
from tests.reference import exponential

COLORS = tuple("abcdefghijklmnop")


def graph_of(problem: Rainbow, alpha: dict[tuple[int, ...], list[float]] | None = None) -> DatasetGraph:
    u, v, epsilon, delta = (np.array(column) for column in zip(*problem.edges, strict=True))
    keys = [f"v{i}" for i in range(problem.n)]
    given = {keys[i]: alpha[problem.order[i]] for i in problem.boundary()} if alpha else None
    order = np.array(problem.order)
    return DatasetGraph.from_columns(
        keys,
        order[:, 0],
        u.astype(np.int64),
        v.astype(np.int64),
        epsilon,
        delta,
        given,
        order,
        colors=COLORS[: problem.k],
    )


def prefix_sums(problem: Rainbow, m: Mechanism, j: int) -> list[float]:
    """Per dataset, the chance of its best j outputs."""
    rows = m.probabilities.tolist()
    return [sum(rows[v][o] for o in order[:j]) for v, order in enumerate(problem.order)]


# --- one (epsilon, delta) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_uniform_random_graphs_are_private_for_every_set_of_outputs(seed: int) -> None:
    """k = 2 … 5, any delta, alpha down to 1e-12: exact, by the audit and by a checker that tries all subsets."""
    rng = random.Random(seed)
    k, delta = rng.randint(2, 5), rng.choice([0.0, 0.0, 1e-9, rng.uniform(0.0, 0.1)])
    problem = reference.random_rainbow(rng, rng.randint(4, 26), k, mixed=False, delta=delta)
    g = graph_of(problem, reference.random_alpha(rng, problem))
    found = rainbow.extend(g)
    assert found.method == "table"
    assert not reference.violations(problem.edges, found.rows.tolist())
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
    rows = rainbow.extend(g).rows
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


def path_of(
    rows: Mapping[tuple[str, ...], Sequence[float]],
    lengths: list[int],
    epsilon: float = 0.5,
    delta: float = 0.0,
    given: Mapping[str, Sequence[float]] | None = None,
) -> DatasetGraph:
    """A path with stretches of different orders."""
    orders = list(rows)
    preference = [orders[i] for i, length in enumerate(lengths) for _ in range(length)]
    n = sum(lengths)
    keys = [str(i) for i in range(n)]
    g = DatasetGraph.from_columns(
        keys, [p[0] for p in preference], keys[:-1], keys[1:], epsilon, delta, None, [list(p) for p in preference],
        colors=sorted(orders[0]),
    )  # fmt: skip
    ends = {g.key(v): rows[preference[v]] for v in neodp.boundary.boundary_vertices(g)}
    return g.with_alpha({**ends, **(given or {})})


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


# --- the paper --------------------------------------------------------------------------------------------------


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
    """Which of two equal entries stands for one minus the rest goes by the colours, not by the ranks."""
    off = [0.45, 0.45, 0.1 + 4e-16]
    g = path_of({("b", "a", "c"): off, ("a", "b", "c"): off}, [3, 3], 0.3)
    assert not reference.violations(
        [(int(u), int(v), 0.3, 0.0) for u, v in zip(g.source, g.target, strict=True)],
        neodp.extend(g).probabilities.tolist(),
    )


# --- epsilon that differs ------------------------------------------------------------------------------------------


def gap(epsilon: float) -> float:
    """How far the line may lie below the bound of a prefix sum."""
    x = math.exp(-epsilon)
    return (1 - x) ** 2 / (4 * (1 + x))


MIXED = [reference.random_rainbow(random.Random(1000 + s), 6 + s % 20, 3 + s % 3, mixed=True) for s in range(300)]


def test_the_line_is_private_on_hundreds_of_mixed_graphs() -> None:
    """k = 3 … 5: exact, by the audit; a part of them by trying all subsets too."""
    checked = 0
    for seed, problem in enumerate(MIXED):
        g = graph_of(problem, reference.random_alpha(random.Random(seed), problem))
        m = neodp.extend(g)
        assert m.method == "line"
        assert neodp.audit(g, m).violations == 0
        checked += 1
        if seed % 10 == 0:
            assert not reference.violations(problem.edges, m.probabilities.tolist())
    assert checked == 300


def test_prefix_sums_pass_or_are_refused_by_name_and_bound_the_line() -> None:
    passed, refused = 0, []
    for seed, problem in enumerate(MIXED[:150]):
        g = graph_of(problem, reference.random_alpha(random.Random(seed), problem))
        flow = neodp.extend(g)
        try:
            m = neodp.extend(g, method="prefix")
        except NotPrivate as e:
            refused.append(e.message)
            continue
        passed += 1
        assert m.method == "prefix"
        assert not reference.violations(problem.edges, m.probabilities.tolist())
        most = gap(float(g.epsilon.max()))
        for j in range(1, problem.k):
            above = np.array(prefix_sums(problem, m, j)) - np.array(prefix_sums(problem, flow, j))
            assert above.min() >= -1e-12
            assert above.max() <= most + 1e-12
    assert passed > 20
    assert len(refused) > 5
    for message in refused:
        assert re.match(
            r"the largest prefix sums are not private together on \d+ of \d+ edges, such as 'v\d+'", message
        )
        assert re.search(r"Pr\[[a-e]\] is [\d.e-]+ at 'v\d+' and [\d.e-]+ at 'v\d+', beyond epsilon", message)


def test_what_is_refused_is_really_broken() -> None:
    """The edge and outputs of a refusal, recomputed: prefix sums by their recursion in doubles."""
    for seed, problem in enumerate(MIXED[:150]):
        alpha = reference.random_alpha(random.Random(seed), problem)
        try:
            neodp.extend(graph_of(problem, alpha), method="prefix")
        except NotPrivate:
            rows = naive_prefix(problem, alpha)
            slack = [(u, v, e + 1e-9, d) for u, v, e, d in problem.edges]
            assert reference.violations(slack, rows)
            return
    pytest.fail("no refusal was met")


def naive_prefix(problem: Rainbow, alpha: dict[tuple[int, ...], list[float]]) -> list[list[float]]:
    """The largest prefix sums by Bellman and Ford's repeated relaxation, in doubles."""
    sums = [[0.0] * problem.n]
    for j in range(1, problem.k):
        bound = [1.0] * problem.n
        for v in problem.boundary():
            bound[v] = sum(alpha[problem.order[v]][o] for o in problem.order[v][:j])
        for _ in range(problem.n):
            for (u, v, eps, _), swap in itertools.product(problem.edges, (False, True)):
                one, two = (v, u) if swap else (u, v)
                if problem.order[u] == problem.order[v]:
                    bound[two] = min(bound[two], math.exp(eps) * bound[one], 1 - (1 - bound[one]) * math.exp(-eps))
        sums.append(bound)
    sums.append([1.0] * problem.n)
    rows = []
    for v, order in enumerate(problem.order):
        ranked = [sums[j + 1][v] - sums[j][v] for j in range(problem.k)]
        rows.append([max(0.0, ranked[order.index(o)]) for o in range(problem.k)])
    return rows


def test_the_line_solves_its_differential_equation() -> None:
    """Against S e^t up to 1/2 and 1 - (1 - S) e^-t beyond, in decimals, also with tiny outputs at the turn."""
    alpha = [0.3, 1e-12, 0.2 - 1e-12, 1e-300, 0.5 - 1e-13, 1e-13]
    flow = rainbow.Line({tuple(range(6)): alpha})
    for t in (0.0, 1e-13, 0.1, 0.5, math.log(5 / 3), 1.0, 20.0, 600.0):
        units = int(t * 2**50)
        row = flow.at(tuple(range(6)), units)
        with localcontext() as context:
            context.prec = 700
            grow, half = (Decimal(units) / 2**50).exp(), Decimal("0.5")
            rest = sum(Decimal(x) for j, x in enumerate(alpha) if j != 4)
            exact = [Decimal(x) if j != 4 else 1 - rest for j, x in enumerate(alpha)]
            sums = [sum(exact[:j], Decimal(0)) for j in range(7)]
            late = [1 - 1 / (4 * s * grow) if 0 < s < half else 1 - (1 - s) / grow for s in sums]
            mapped = [s * grow if s * grow <= half else end for s, end in zip(sums, late, strict=True)]
            for p, low, high in zip(row, mapped[:-1], mapped[1:], strict=True):
                expected = max(high - low, Decimal(2.0**-1022))
                assert abs(Decimal(p) / expected - 1) < Decimal(2) ** -52


def test_the_distance_on_a_line_does_not_depend_on_the_order_of_summation() -> None:
    rng = random.Random(5)
    for problem in MIXED[:20]:
        g = graph_of(problem, reference.random_alpha(rng, problem))
        shuffled = rng.sample(problem.edges, len(problem.edges))
        again = graph_of(Rainbow(problem.k, problem.order, shuffled), reference.random_alpha(random.Random(1), problem))
        assert (rainbow.distances(g) == rainbow.distances(again)).all()


def test_one_dataset_has_the_bits_of_the_whole_graph() -> None:
    for seed, problem in enumerate([*MIXED[:10], reference.random_rainbow(random.Random(0), 30, 4, mixed=False)]):
        alpha = reference.random_alpha(random.Random(seed), problem)
        g = graph_of(problem, alpha)
        m = neodp.extend(g)
        named = {order: m.probabilities[problem.order.index(order)].tolist() for order in alpha}
        for v in problem.boundary():
            named[problem.order[v]] = m.probabilities[v].tolist()
        one = rainbow.Line(named) if m.method == "line" else rainbow.Table(named, g.epsilon[0])
        where = rainbow.distances(g) if m.method == "line" else rainbow.morphism(g)[1]
        for v in reversed(range(len(g))):
            assert one.at(problem.order[v], int(where[v])) == tuple(m.probabilities[v].tolist())


def test_deltas_that_differ_count_as_the_least_where_epsilon_does_not() -> None:
    g = path_of({("a", "b", "c"): [0.5, 0.3, 0.2], ("b", "a", "c"): [0.4, 0.4, 0.2]}, [4, 4], 0.5)
    mixed = DatasetGraph.from_columns(
        g.keys, g.color.astype(np.int64), g.source.astype(np.int64), g.target.astype(np.int64),
        g.epsilon, np.linspace(0.01, 0.05, g.edges), g.alpha, g.orders[g.order].astype(np.int64), colors=g.colors,
    )  # fmt: skip
    m = neodp.extend(mixed)
    assert m.method == "table"
    assert neodp.audit(mixed, m)
    assert m.p_true.min() >= neodp.extend(g).p_true.min()


# --- alpha --------------------------------------------------------------------------------------------------------


def test_a_boundary_dataset_without_alpha_takes_that_of_its_order() -> None:
    rows: dict[tuple[str, ...], list[float]]
    rows = {("a", "b", "c"): [0.5, 0.3, 0.2], ("b", "a", "c"): [0.3, 0.5, 0.2]}
    full = path_of(rows, [3, 3], 0.7)
    problem = Rainbow(3, [(0, 1, 2)] * 2 + [(1, 0, 2)] * 2, [(0, 2, 0.7, 0.0), (1, 3, 0.7, 0.0), (0, 1, 0.7, 0.0)])
    g = graph_of(problem)
    some = g.with_alpha({"v0": rows["a", "b", "c"], "v3": rows["b", "a", "c"]})
    m = neodp.extend(some)
    assert [g.key(v) for v in m.filled] == ["v1", "v2"]
    assert m["v1"] == m["v0"]
    report = neodp.check(some)
    assert report
    assert report.filled == 2
    assert str(report).endswith("alpha of their order at 2 boundary datasets that have none")
    assert len(neodp.extend(full).filled) == 0


def test_an_order_without_alpha_is_refused_by_name() -> None:
    g = path_of({("a", "b", "c"): [0.5, 0.3, 0.2], ("b", "c", "a"): [0.3, 0.5, 0.2]}, [3, 3])
    with pytest.raises(
        UnhitBoundary, match="no boundary dataset of the order b > c > a has alpha, as on the edge '2' – '3'"
    ):
        neodp.extend(g.with_alpha({"2": [0.5, 0.3, 0.2]}))
    report = neodp.check(g.with_alpha({"2": [0.5, 0.3, 0.2]}))
    assert (report.boundary_hit, report.unhit, report.compatible) == (False, ("2", "3"), None)
    assert not report


def test_alpha_that_differs_within_an_order_is_refused_by_name() -> None:
    problem = Rainbow(3, [(0, 1, 2)] * 2 + [(1, 0, 2)] * 2, [(0, 2, 0.7, 0.0), (1, 3, 0.7, 0.0), (0, 1, 0.7, 0.0)])
    even = [0.4, 0.4, 0.2]
    g = graph_of(problem).with_alpha({"v0": even, "v1": [0.4, 0.35, 0.25], "v2": even, "v3": even})
    said = r"alpha differs within the order a > b > c: Pr\[b\] is 0.35 at 'v1' and 0.4 at 'v0'; give all"
    with pytest.raises(IncompatibleAlpha, match=said):
        neodp.extend(g)
    report = neodp.check(g)
    assert (report.compatible, bool(report)) == (False, False)
    assert isinstance(report.witness, rainbow.Difference)


@pytest.mark.parametrize(
    ("delta", "said"),
    [
        (0.0, r"alpha at '2' makes Pr\[a\] 0.7, at most 0.543656 is possible: '3' has 0.2 and is epsilon 1 away"),
        (0.01, r"alpha at '2' makes Pr\[a or c\] 0.85, at most 0.825485 is possible: '3' has 0.3"),
    ],
)
def test_orders_that_are_too_far_apart_are_refused_with_a_witness(delta: float, said: str) -> None:
    last = [0.7, 0.2, 0.1] if delta == 0.0 else [0.6, 0.15, 0.25]
    other = [0.2, 0.7, 0.1] if delta == 0.0 else [0.22, 0.7, 0.08]
    g = path_of({("a", "b", "c"): last, ("b", "a", "c"): other}, [3, 3], 1.0, delta)
    with pytest.raises(IncompatibleAlpha, match=said):
        neodp.extend(g)
    report = neodp.check(g)
    assert report.compatible is False
    assert isinstance(report.witness, neodp.mechanism.Witness)
    assert report.witness.value > report.witness.bound


def test_alpha_that_is_off_by_rounding_is_rounded_in_and_reported() -> None:
    """Tight to the last digit: 0.6 and 0.3 at epsilon log 2, whose double lies just below log 2."""
    g = path_of({("a", "b", "c"): [0.6, 0.3, 0.1], ("b", "a", "c"): [0.3, 0.6, 0.1]}, [4, 4], math.log(2))
    m = neodp.extend(g)
    assert [g.key(v) for v in m.rounded] == ["3", "4"]
    assert m.probabilities[3] == pytest.approx([0.6, 0.3, 0.1], rel=1e-14)
    assert neodp.audit(g, m)
    assert neodp.check(g).rounded == 2
    off = path_of(
        {("a", "b", "c"): [0.6 + 1e-9, 0.3 - 1e-9, 0.1], ("b", "a", "c"): [0.3, 0.6, 0.1]}, [4, 4], math.log(2)
    )
    with pytest.raises(IncompatibleAlpha):
        neodp.extend(off)


def test_alpha_inside_is_refused_by_name() -> None:
    g = path_of(
        {("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3], given={"0": [0.4, 0.3, 0.3]}
    )
    with pytest.raises(GraphError, match="alpha is given at '0', whose neighbours all have its order; with more"):
        neodp.extend(g)


def test_ties_are_refused_by_name() -> None:
    g = DatasetGraph.from_columns(["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, colors=["a", "b", "c"])
    said = "dataset 'x' of 'graph' has no preference: which of b, c comes after a is open; give every dataset"
    for function in (neodp.extend, neodp.check, neodp.balanced):
        with pytest.raises(GraphError, match=said):
            function(g)


def test_other_conditions_are_for_two_colors() -> None:
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    with pytest.raises(PrivacyError, match="'graph' has 3 colours; with more than two, only"):
        neodp.extend(g, neodp.Gaussian(1.0))


def test_a_component_without_boundary_answers_truthfully() -> None:
    problem = Rainbow(3, [(0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 1, 0)], [(0, 1, 1.0, 0.0), (2, 3, 1.0, 0.0)])
    g = graph_of(problem)
    g = g.with_alpha(neodp.balanced(g))
    assert neodp.extend(g)["v3"] == {"a": 0.0, "b": 0.0, "c": 1.0}
    assert neodp.extend(g, method="line")["v3"] == {"a": 0.0, "b": 0.0, "c": 1.0}
    report = neodp.check(g)
    assert (report.connected, report.components, bool(report)) == (False, 2, True)


# --- the balanced choice -------------------------------------------------------------------------------------------


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


# --- the audit ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(150))
def test_the_audit_decides_as_the_slow_checker_does(seed: int) -> None:
    """Random rows, near ties in the last place, subsets that break where no single output does, up to 16 outputs."""
    rng = random.Random(seed)
    k = rng.choice([3, 3, 4, 5, 7]) if seed else 16
    one = [rng.random() ** 3 for _ in range(k)]
    one = [x / sum(one) for x in one]
    epsilon, delta = rng.choice([0.0, rng.uniform(0.0, 1.0), 300.0]), rng.choice([0.0, 0.0, rng.uniform(0.0, 0.3)])
    two = [x * math.exp(rng.choice([-1, 1]) * min(epsilon, 2.0)) for x in one]
    two = [x / sum(two) for x in two]
    if rng.random() < 0.5:
        two = list(one)
        two[0] = math.nextafter(one[0], rng.choice([0.0, 1.0]))
    g = DatasetGraph.from_columns(
        ["u", "v"], np.array([0, 1]), ["u"], ["v"], epsilon, delta, colors=COLORS[:k],
    )  # fmt: skip
    m = Mechanism.of(g, [one, two])
    rows = m.probabilities.tolist()
    broken = reference.violations([(0, 1, epsilon, delta)], rows) if k < 10 else None
    report = neodp.audit(g, m)
    if broken is not None:
        assert bool(report) == (not broken)
        if delta == 0.0:
            assert report.violations == len([s for _, s in broken if len(s) == 1])


def test_all_65536_sets_of_sixteen_outputs() -> None:
    """On the boundary and beside it, one by one, in whole numbers."""
    rng = random.Random(16)
    weights = [rng.random() ** 4 for _ in range(16)]
    orders = [tuple(COLORS), tuple(reversed(COLORS))]
    rows = {order: [w / sum(weights) for w in weights] for order in orders}
    epsilon, delta = 0.3, 0.02
    g = path_of(rows, [4, 4], epsilon, delta)
    m = neodp.extend(g)
    assert neodp.audit(g, m).violations == 0
    low = exponential(epsilon, 60)[0]
    unit = 2**1074 * low.denominator
    for u, v in ((2, 3), (3, 2), (3, 4), (4, 5)):
        one, two = (reference.exact(m.probabilities[w].tolist()) for w in (u, v))
        left, right = [0], [int(Fraction(delta) * unit)]
        for p, q in zip(one, two, strict=True):
            left += [x + int(p * unit) for x in left]
            right += [x + int(q * unit * low) for x in right]
        assert len(left) == 65536
        assert all(x <= y for x, y in zip(left, right, strict=True))


def test_a_set_of_outputs_breaks_where_no_output_does() -> None:
    g = DatasetGraph.from_columns(["u", "v"], ["a", "b"], ["u"], ["v"], 0.0, 0.15, colors=["a", "b", "c", "d"])
    m = Mechanism.of(g, {"u": [0.35, 0.35, 0.15, 0.15], "v": [0.25, 0.25, 0.25, 0.25]})
    report = neodp.audit(g, m)
    assert report.violations == 2
    assert report.worst[0].broken == (
        "Pr[a or b] is 0.7 at 'u' and 0.5 at 'v', beyond epsilon 0.0 and delta 0.15",
        "Pr[c or d] is 0.5 at 'v' and 0.3 at 'u', beyond epsilon 0.0 and delta 0.15",
    )
    assert report.worst[0].tightness == pytest.approx(0.5 / 0.45)


def test_a_unit_in_the_last_place_is_found() -> None:
    g = path_of({("a", "b", "c"): [0.5, 0.25, 0.25], ("b", "a", "c"): [0.25, 0.5, 0.25]}, [40, 40], 1.0)
    m = neodp.extend(g)
    rows = m.probabilities.copy()
    rows[3, 2] *= 1 + 1e-14
    report = neodp.audit(g, Mechanism.of(g, rows))
    assert report.violations >= 1
    assert "3" in (report.worst[0].source, report.worst[0].target)
    assert report.worst[0].broken[0].startswith("Pr[c] is ")


def test_domination_is_by_the_first_output_that_differs() -> None:
    """Paper 003, Definition 3."""
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    m = neodp.extend(g)
    flow = neodp.extend(g, method="line")
    assert m.dominates(flow)
    assert not flow.dominates(m)
    assert m.dominates(m)


# --- preference ------------------------------------------------------------------------------------------------------


def test_preference_goes_through_csv_parquet_and_networkx(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    g = generate.plurality(4, options=3, epsilon=0.5)
    g = g.with_alpha(neodp.balanced(g))
    nodes, edges = tmp_path / "nodes.csv", tmp_path / "edges.csv"
    g.to_csv(nodes, edges)
    assert "0-0-4,3,0.2" in nodes.read_text().replace('"', "")
    assert "3;1;2" in nodes.read_text()
    back = DatasetGraph.from_csv(nodes, edges, colors=g.colors)
    again = DatasetGraph.from_networkx(g.to_networkx())
    table = {"key": g.keys, "color": pa.array(g.colors).take(pa.array(g.color)), "preference": g.preference_lists()}
    pq.write_table(pa.table(table), tmp_path / "nodes.parquet")
    ends = {name: g.keys.take(pa.array(column)) for name, column in (("source", g.source), ("target", g.target))}
    pq.write_table(pa.table(ends), tmp_path / "edges.parquet")
    third = DatasetGraph.from_parquet(
        tmp_path / "nodes.parquet", tmp_path / "edges.parquet", colors=g.colors, epsilon=0.5
    )
    for other in (back, again, third):
        assert other.preference is not None
        assert (other.preference == g.preference).all()
        assert (neodp.boundary.boundary_vertices(other) == neodp.boundary.boundary_vertices(g)).all()
    assert np.array_equal(back.alpha, g.alpha, equal_nan=True)
    assert (neodp.extend(back).probabilities == neodp.extend(g).probabilities).all()


@pytest.mark.parametrize(
    ("preference", "said"),
    [
        ([["a", "b"], ["b", "a", "c"]], "dataset 'x': the preference is a, b; name each of a, b, c once, best first"),
        ([["a", "b", "b"], ["b", "a", "c"]], "dataset 'x': the preference is a, b, b; name each of a, b, c once"),
        ([["a", "b", "d"], ["b", "a", "c"]], "dataset 'x': the preference is a, b, d; name"),
        ([None, ["a", "b", "c"]], "dataset 'y' has the colour b and prefers a; name its colour first"),
        ([["a", "b", "c"]], "there are 2 datasets and 1 preferences; give one per dataset"),
        (["abc", ["b", "a", "c"]], "dataset 'x': the preference is 'abc'; name each of"),
        (np.array([[0, 1, 3], [1, 0, 2]]), "dataset 'x': the preference is 0, 1, 3; name"),
    ],
)
def test_a_preference_that_is_none_is_refused_by_name(preference: object, said: str) -> None:
    with pytest.raises(GraphError, match=said):
        DatasetGraph.from_columns(
            ["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, preference=preference, colors=["a", "b", "c"]
        )


def test_other_kinds_of_preference(tmp_path: Path) -> None:
    import networkx as nx
    import pyarrow as pa

    graph = nx.Graph()
    graph.add_node("x", color="a", preference=("a", "b", "c"))
    graph.add_node("y", color="b", preference="bac")
    with pytest.raises(GraphError, match="dataset 'y': the preference is 'bac'; name each of"):
        DatasetGraph.from_networkx(graph)
    graph.nodes["y"]["preference"] = ["b", "a", "c"]
    assert DatasetGraph.from_networkx(graph).colors == ("a", "b", "c")
    ends = ["x", "y"], ["a", "b"], ["x"], ["y"], 1.0
    with pytest.raises(GraphError, match="preference is a column of string; give one of lists"):
        DatasetGraph.from_columns(*ends, preference=pa.array(["a;b;c", "b;a;c"]), colors=["a", "b", "c"])
    large = pa.array([["a", "b", "c"], ["b", "a", "c"]], pa.large_list(pa.large_string()))
    assert DatasetGraph.from_columns(*ends, preference=large).crossing.all()
    named = DatasetGraph.from_columns(*ends, preference={"y": ["b", "a", "c"]}, colors=["a", "b", "c"])
    assert named.orders.tolist() == [[0, -1, -1], [1, 0, 2]]


def test_words_that_are_no_method_and_numbers_that_are_no_votes() -> None:
    g = path_of({("a", "b", "c"): [0.4, 0.3, 0.3], ("b", "a", "c"): [0.3, 0.4, 0.3]}, [3, 3])
    with pytest.raises(GraphError, match="there is no method 'sums'; leave it out, or give 'line' or 'prefix'"):
        neodp.extend(g, method="sums")  # type: ignore[arg-type]
    with pytest.raises(GraphError, match=r"the votes are \[3, -1\]; give two numbers or more, each at least 0"):
        rainbow.plurality([3, -1], 1.0)
    with pytest.raises(PrivacyError, match=r"epsilon is -1 and delta 0\.0; give numbers from 0 to 690 and from 0 to 1"):
        rainbow.line([0.5, 0.5], 3, -1)


def test_a_preference_for_nobody_is_refused() -> None:
    with pytest.raises(UnknownKey, match="a preference is given for 'z', which is no dataset"):
        DatasetGraph.from_columns(["x", "y"], ["a", "b"], ["x"], ["y"], 1.0, preference={"z": ["a", "b"]})


def test_many_orders_are_told_apart() -> None:
    orders = list(itertools.permutations(range(5)))
    n = len(orders)
    g = DatasetGraph.from_columns(
        [str(i) for i in range(n)], np.array(orders)[:, 0], np.arange(n - 1), np.arange(1, n), 1.0,
        preference=np.array(orders), colors=COLORS[:5],
    )  # fmt: skip
    assert len(g.orders) == n
    assert (g.orders[g.order] == np.array(orders)).all()
    assert g.crossing.all()
