"""Epsilon that differs between edges: the line, and prefix sums."""

import itertools
import math
import random
import re
from decimal import Decimal, localcontext

import numpy as np
import pytest

import neodp
from neodp import DatasetGraph, rainbow
from neodp.errors import NotPrivate
from tests import rainbow_reference as reference
from tests.core.rainbow.problems import graph_of, path_of, prefix_sums
from tests.rainbow_reference import Rainbow


def gap(epsilon: float) -> float:
    """Return how far the line may lie below the bound of a prefix sum."""
    x = math.exp(-epsilon)
    return (1 - x) ** 2 / (4 * (1 + x))


MIXED = [reference.random_rainbow(random.Random(1000 + s), 6 + s % 20, 3 + s % 3, mixed=True) for s in range(300)]


def test_the_line_is_private_on_hundreds_of_mixed_graphs() -> None:
    """k = 3 … 5: exact, by the audit; a part of them by trying all subsets too."""
    checked = 0
    for seed, problem in enumerate(MIXED):
        g = graph_of(problem, reference.random_alpha(random.Random(seed), problem))
        m = neodp.extend(g, method="line")
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
        flow, best = neodp.extend(g, method="line"), neodp.extend(g)
        try:
            m = neodp.extend(g, method="prefix")
        except NotPrivate as e:
            refused.append(e.message)
            assert best.method == "optimal"
            assert best.optimality is not None
            assert best.optimality.gap < 1e-6
            assert best.p_true.mean() >= flow.p_true.mean()
            continue
        passed += 1
        assert m.method == best.method == "prefix"
        assert (m.probabilities == best.probabilities).all()
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
        m = neodp.extend(g, method="line" if problem in MIXED else None)
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
