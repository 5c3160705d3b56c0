"""Labels, what one edge does to them, and the compiled pass: the properties that its docstring claims."""

import math
import random
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import neodp
from neodp.compiled import kernel
from neodp.compiled.labels import HALF, SMALLEST

EXACT = Context(prec=80)

epsilons = st.one_of(
    st.sampled_from([0.0, 5e-324, 1e-17, 1e-15, math.log(2), 1.0, 36.0, 50.0, 690.0]),
    st.floats(0.0, 2.0),
    st.floats(0.0, 690.0),
)
deltas = st.one_of(st.just(0.0), st.sampled_from([SMALLEST, 1e-300, 1e-20, 0.1, 1.0]), st.floats(SMALLEST, 1.0))
small = st.one_of(
    st.just(0.0), st.just(SMALLEST), st.floats(SMALLEST, 0.5), st.floats(0.49, 0.5), st.floats(SMALLEST, 1e-290)
)
labels = st.builds(lambda x, sign: sign * (int(np.float64(x).view(np.int64)) - HALF), small, st.sampled_from([-1, 1]))


def value(label: int) -> Fraction:
    """The probability that a label stands for."""
    side = Fraction(float(np.int64(HALF - abs(label)).view(np.float64)))
    return side if label <= 0 else 1 - side


def is_label(k: int) -> bool:
    return abs(k) == HALF or abs(k) <= HALF - 2**52


@given(epsilons)
def test_exp_is_within_its_error_bound(x: float) -> None:
    high, low = kernel.exp_dd(x)
    true = Fraction(EXACT.exp(Decimal(x)))
    assert abs(Fraction(high) + Fraction(low) - true) <= true / 2**96


@given(epsilons)
def test_factor_leaves_room_for_the_rounding_of_a_product(x: float) -> None:
    f, true = kernel.factor(x), Fraction(EXACT.exp(Decimal(x)))
    assert f >= 1.0
    assert f == 1.0 or Fraction(f) * (1 + Fraction(1, 2**53)) <= true
    assert true - Fraction(f) <= true * 4 / 2**53


def test_factor_is_as_great_as_the_precise_exponential_allows() -> None:
    """The quick way to it decides as e^epsilon in double-double does, also where that is close."""
    rng = np.random.default_rng(5)
    several = np.concatenate([rng.random(100_000), rng.random(50_000) * 690, 10.0 ** rng.uniform(-20, 0, 10_000)])
    found = kernel.factors(several)
    for x, f in zip(several.tolist(), found.tolist(), strict=True):
        high, low = kernel.exp_dd(x)
        units = int(np.float64(high).view(np.int64)) - int(np.float64(f).view(np.int64))
        assert f == 1.0 or units == 1 + (low <= 0.0)


@given(labels, epsilons, deltas)
@example(0, 0.0, 0.001)
@example(-HALF, 1.0, 0.0)
@example(HALF, 1.0, 0.0)
@example(HALF - 2**52, 690.0, 0.0)
def test_relax_is_safe(k: int, epsilon: float, delta: float) -> None:
    """p' <= e^eps p + delta and 1 - p <= e^eps (1 - p') + delta, in rational numbers."""
    new = kernel.relax(k, kernel.factor(epsilon), delta)
    assert is_label(new)
    assert new >= k
    grow = max(Fraction(1), Fraction(EXACT.next_minus(EXACT.exp(Decimal(epsilon)))))
    p, p_new = value(k), value(new)
    assert p_new <= grow * p + Fraction(delta)
    assert 1 - p <= grow * (1 - p_new) + Fraction(delta)


@given(labels, labels, epsilons, deltas)
def test_relax_is_monotone_and_self_adjoint(k: int, other: int, epsilon: float, delta: float) -> None:
    """And ``allows`` knows what it allows without carrying it out."""
    f = kernel.factor(epsilon)
    new = kernel.relax(k, f, delta)
    if k <= other:
        assert new <= kernel.relax(other, f, delta)
    for candidate in (new - 1, new, new + 1, other):
        if is_label(candidate):
            assert (candidate <= new) == (-k <= kernel.relax(-candidate, f, delta))
            assert (candidate <= new) == kernel.allows(k, candidate, f, delta)


@given(labels, epsilons, deltas)
def test_relax_loses_almost_nothing(k: int, epsilon: float, delta: float) -> None:
    """Within 1e-15 of U, relatively on either side; absolutely where delta cancels digits."""
    p, q = value(k), 1 - value(k)
    grow = Fraction(EXACT.exp(Decimal(epsilon)))
    most = min(grow * p + Fraction(delta), 1 - (q - Fraction(delta)) / grow, Fraction(1))
    new = value(kernel.relax(k, kernel.factor(epsilon), delta))
    slack = Fraction(1, 10**15)
    lost = most - new
    assert lost <= slack * most
    if delta == 0.0 and epsilon < 30:
        assert lost <= slack * 40 * (1 - most) + Fraction(SMALLEST)


def test_balance_is_the_last_even_label() -> None:
    rng = np.random.default_rng(0)
    epsilon = np.concatenate([[0, 0, 0, 690, 690, 1e-17, math.log(2), 50], rng.exponential(1, 500)])
    delta = np.concatenate([[0, 0.1, 1, 0, 1 - 1e-16, 0, 0, 0], rng.random(500) * (rng.random(500) < 0.5)])
    factor = kernel.factors(epsilon)
    for k, f, d in zip(kernel.balance(factor, delta).tolist(), factor, delta, strict=True):
        assert k <= kernel.relax(-k, f, d)
        assert not is_label(k + 1) or k + 1 > kernel.relax(-(k + 1), f, d)


@pytest.mark.parametrize("seed", range(40))
def test_settle_reaches_the_least_fixed_point(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same labels as relaxing every edge until nothing changes, for any shift."""
    rng = random.Random(seed)
    n, m = 30, 60
    source = np.array([rng.randrange(n) for _ in range(m)], np.int32)
    target = np.array([(u + rng.randrange(1, n)) % n for u in source], np.int32)
    low = rng.choice([0.0, 1e-16, 1e-3, 0.5, 300.0])
    alike = rng.random() < 0.3
    epsilon = np.array([rng.uniform(low, low + 2) for _ in range(1 if alike else m)])
    delta = np.array([rng.choice([0.0, 0.0, 0.05]) for _ in range(m)]) if rng.random() < 0.3 else np.zeros(1)
    factor = kernel.factors(epsilon)
    least = int(factor.min().view(np.int64)) - int(np.float64(1.0).view(np.int64)) - 2
    shift = min(52, least.bit_length() - 1) if least > 0 else 0
    label = np.full(n, HALF)
    for _ in range(4):
        label[rng.randrange(n)] = rng.choice([-HALF, 2**52 - HALF, -(2**50), 0, 2**55, HALF - 2**52])
    expected = label.copy()
    while True:
        before = expected.copy()
        for u, v in ((source, target), (target, source)):
            np.minimum.at(expected, v, kernel.relax_edges(expected[u], factor, delta, kernel.EPSILON_DELTA))
        if (before == expected).all():
            break
    indptr, neighbor, edge = kernel.adjacency(n, source, target, np.ones(m, np.bool_), True)
    first, second = (kernel.spread(x, edge) if len(x) > 1 else x for x in (factor, delta))
    rows = (indptr, neighbor, kernel.NO_LEVELS, first, second)
    by_level = kernel.links(n, source, target, np.ones(m, np.bool_), factor, delta)
    assert len(by_level[2]) == (0 if len(factor) == len(delta) == 1 else 2 * m)
    monkeypatch.setattr(kernel, "MOST_LEVELS", 1)  # more than that: the parameters themselves
    for found, wanted in zip(kernel.links(n, source, target, np.ones(m, np.bool_), factor, delta), rows, strict=True):
        assert np.array_equal(found, wanted)
    for bits in (shift, 52, 40, 8):
        found, again = label.copy(), label.copy()
        kernel.settle(*rows, kernel.EPSILON_DELTA, bits, found, np.flatnonzero(label < HALF))
        kernel.settle(*by_level, kernel.EPSILON_DELTA, bits, again, np.flatnonzero(label < HALF))
        assert (found == expected).all()
        assert (again == expected).all()
    # in two steps: the second starts from labels that are not certain, and only where something changed
    found = np.where(np.arange(n) % 2, label, HALF)
    kernel.settle(*rows, kernel.EPSILON_DELTA, shift, found, np.flatnonzero(found < HALF))
    late = np.flatnonzero(label < found)
    found[late] = label[late]
    kernel.settle(*rows, kernel.EPSILON_DELTA, shift, found, late)
    assert (found == expected).all()


def test_pieces_of_the_edges_are_counted_and_filled_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pieces there are, rows have their edges in the order of the graph, and results do not change."""
    graph = neodp.generate.random_geometric(500, epsilon=(0.1, 2.0), seed=3)
    rows, crossing = graph.adjacency, kernel.differ(graph.color, graph.source, graph.target)
    alpha = neodp.balanced(graph)
    found = neodp.extend(graph.with_alpha(alpha)).probabilities
    assert (crossing == graph.crossing).all()
    assert all((np.diff(edges) > 0).all() for edges in np.split(rows.edge, rows.indptr[1:-1]))
    monkeypatch.setattr(kernel, "pieces", lambda size: [(0, 0), (0, size // 3), (size // 3, size)])
    monkeypatch.setattr(kernel, "WORTH_A_THREAD", 1)
    again = replace(graph)
    for name in rows._fields:
        assert np.array_equal(getattr(rows, name), getattr(again.adjacency, name))
    assert (kernel.differ(graph.color, graph.source, graph.target) == crossing).all()
    assert np.array_equal(neodp.balanced(again), alpha, equal_nan=True)
    assert (neodp.extend(again.with_alpha(alpha)).probabilities == found).all()


@pytest.mark.parametrize("epsilon", [1.0, (0.1, 2.0), "levels"])
def test_vertices_that_lie_apart_get_other_numbers_and_the_same_labels(
    epsilon: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = neodp.generate.random_geometric(2000, epsilon=1.0 if epsilon == "levels" else epsilon, seed=4)  # type: ignore[arg-type]
    if epsilon == "levels":
        graph = replace(graph, epsilon=np.resize([0.5, 1.0, 1.5], graph.edges))
    graph = graph.with_alpha(neodp.balanced(graph))
    assert kernel.numbering(len(graph), graph.source, graph.target) is None
    found = neodp.extend(graph).probabilities
    monkeypatch.setattr(kernel, "SCATTERED", 20)
    number = kernel.numbering(len(graph), graph.source, graph.target)
    assert sorted(number) == list(range(len(graph)))
    far = np.abs(graph.source - graph.target).mean()
    source, target = kernel.renumbered(number, graph.source, graph.target)
    assert np.abs(source - target).mean() < far / 4
    assert (neodp.extend(replace(graph)).probabilities == found).all()
    path = neodp.generate.counts([12, 12, 12])
    assert kernel.numbering(len(path), path.source, path.target) is None


def test_adjacency_lists_every_kept_edge_from_both_ends() -> None:
    source, target = np.array([0, 2, 1], np.int32), np.array([1, 0, 2], np.int32)
    indptr, neighbor, edge = kernel.adjacency(3, source, target, np.array([True, True, False]), True)
    assert indptr.tolist() == [0, 2, 3, 4]
    assert neighbor.tolist() == [1, 2, 0, 0]
    assert edge.tolist() == [0, 1, 0, 1]
