"""The reference implementations agree with each other and with the papers' examples."""

import decimal
import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests import reference
from tests.reference import Problem

LOG2 = math.log(2)
EXAMPLE_3 = Problem(4, [1, 0, 0, 1], [(0, 1, LOG2, 0.0), (1, 2, LOG2, 0.0), (2, 3, LOG2, 0.0)], {0: 0.3, 3: 0.1})


def close(p: list[float] | None, q: list[float] | None) -> bool:
    assert p is not None
    assert q is not None
    return max(abs(x - y) for x, y in zip(p, q, strict=True)) <= 1e-9


def margins(problem: Problem, slack: float = 0.0) -> float:
    """The margin of compatibility, the lesser of both colours, with delta + slack for delta."""
    edges = [(u, v, eps, delta + slack) for u, v, eps, delta in problem.edges]
    loose = Problem(problem.n, problem.color, edges, problem.alpha)
    return min(reference.margin(loose), reference.margin(reference.exchanged(loose)))


def level(rng: random.Random) -> tuple[float, float]:
    """A random (eps, delta)."""
    eps = reference.random_eps(rng, rng.choice(["zero", "tiny", "middling", "large"]), 20.0)
    return eps, rng.choice([0.0, 1e-6, rng.uniform(0, 0.3), rng.random()])


def test_example_3_of_paper_002() -> None:
    expected = [0.3, 0.4, 0.2, 0.1]
    assert reference.extension(EXAMPLE_3) == pytest.approx(expected, abs=1e-12)
    assert reference.uniform_extension(EXAMPLE_3) == pytest.approx(expected, abs=1e-12)
    assert reference.uniform_extension(EXAMPLE_3, bound=reference.induced) == pytest.approx(expected, abs=1e-12)
    assert reference.linear_program(EXAMPLE_3) == pytest.approx(expected, abs=1e-9)
    for bound in (reference.composed, reference.induced):
        assert bound(3, 0.1, LOG2, 0.0) == pytest.approx(0.7, abs=1e-12)
        assert bound(3, 0.3, LOG2, 0.0) == pytest.approx(0.9, abs=1e-12)
    assert reference.path(0.1, [LOG2] * 3) == pytest.approx([0.1, 0.2, 0.4, 0.7], abs=1e-12)


def test_example_1_of_paper_002_is_decided_exactly() -> None:
    """Both mechanisms are tight at e^eps = 2; the float nearest to log 2 is below it, the next one above."""
    for blue, red in ((Fraction(58, 100), Fraction(76, 100)), (Fraction(64, 100), Fraction(73, 100))):
        p = [blue, 1 - red]
        tight = Problem(2, [0, 1], [(0, 1, LOG2, 0.1)])
        assert reference.violations(tight, p) == [(tight.edges[0], 1)]
        assert reference.violations(tight, [p[1], p[0]]) == [(tight.edges[0], 3)]
        assert reference.violations(tight, [1 - p[0], 1 - p[1]]) == [(tight.edges[0], 2)]
        assert reference.violations(tight, [1 - p[1], 1 - p[0]]) == [(tight.edges[0], 4)]
        assert not reference.violations(Problem(2, [0, 1], [(0, 1, math.nextafter(LOG2, 1), 0.1)]), p)


def test_the_suitable_pair_of_paper_002() -> None:
    """Definition 12 and Lemma 10."""
    rng = random.Random(1)
    for _ in range(2000):
        eps, delta = level(rng)
        a, b = sorted((reference.random_value(rng), reference.random_value(rng)))
        for function in (reference.upper, reference.lower):
            assert 0 <= function(a, eps, delta) <= function(b, eps, delta) + 1e-15 <= 1 + 1e-15
        U, L = reference.upper(a, eps, delta), reference.lower(a, eps, delta)
        assert L - 1e-15 <= a <= U + 1e-15
        assert reference.lower(U, eps, delta) <= a + 1e-15 * math.exp(eps)
        assert reference.upper(L, eps, delta) >= a - 1e-15 * math.exp(eps)
        assert abs(U - 1 + reference.lower(1 - a, eps, delta)) <= 1e-15 * math.exp(eps)


def test_the_closed_form_of_paper_002() -> None:
    """Definition 9 is U composed; Corollary 2 is its balanced case."""
    rng = random.Random(2)
    for _ in range(3000):
        eps, delta = level(rng)
        a, d = reference.random_value(rng), rng.randint(0, 20)
        assert reference.induced(d, a, eps, delta) == pytest.approx(reference.composed(d, a, eps, delta), abs=1e-12)
        if 0.01 < eps < 2.5:
            growth = math.exp(eps)
            rest = growth - 1 - delta * (math.exp(eps * (d + 1)) + math.exp(eps * d) - 2)
            right = 1 - rest / (math.exp(eps * d) * (growth + 1) * (growth - 1))
            assert reference.composed(d, (growth + delta) / (growth + 1), eps, delta) == pytest.approx(
                min(1.0, right), abs=1e-12
            )


def test_theorem_3_of_paper_000() -> None:
    rng = random.Random(3)
    for _ in range(300):
        n = rng.randint(1, 12)
        eps = [reference.random_eps(rng, rng.choice(["tiny", "middling", "large"]), 6.0) for _ in range(n)]
        line = Problem(n + 1, [0] * (n + 1), [(i, i + 1, eps[i], 0.0) for i in range(n)])
        a = reference.random_value(rng)
        assert close(reference.strongest(line, 0, a), reference.path(a, eps))


def test_the_strongest_condition_is_the_least_over_all_paths() -> None:
    """Paper 000, Theorem 4, against every simple path."""
    rng = random.Random(4)

    def walk(problem: Problem, trail: list[int], a: float, least: list[float]) -> None:
        least[trail[-1]] = min(least[trail[-1]], a)
        for v, eps, delta in problem.neighbors()[trail[-1]]:
            if v not in trail:
                walk(problem, [*trail, v], reference.upper(a, eps, delta), least)

    for _ in range(150):
        problem = reference.random_problem(rng, largest=7)
        u, a = rng.randrange(problem.n), reference.random_value(rng)
        least = [1.0] * problem.n
        walk(problem, [u], a, least)
        assert reference.strongest(problem, u, a) == least


@pytest.mark.parametrize("uniform", [False, True])
def test_the_references_agree_where_an_extension_exists(uniform: bool) -> None:
    rng = random.Random(5 + uniform)
    for _ in range(110):
        problem = reference.random_problem(rng, mode="compatible", uniform=uniform)
        assert reference.compatible(problem, 1e-12)
        p = reference.extension(problem)
        assert p is not None
        assert close(p, reference.linear_program(problem))
        exchanged = reference.extension(reference.exchanged(problem))
        assert exchanged is not None
        assert close(p, [1 - x for x in exchanged])
        if uniform:
            assert close(p, reference.uniform_extension(problem))
            assert close(p, reference.uniform_extension(problem, bound=reference.induced))


@pytest.mark.parametrize("uniform", [False, True])
def test_the_references_agree_whether_an_extension_exists(uniform: bool) -> None:
    rng = random.Random(7 + uniform)
    tally: Counter[str] = Counter()
    for _ in range(140):
        problem = reference.random_problem(rng, mode="arbitrary", uniform=uniform)
        exists, not_quite = margins(problem), margins(problem, 1e-7)
        if exists < 1e-7 and not_quite > -1e-7:
            tally["tie"] += 1
            continue
        p, best = reference.extension(problem), reference.linear_program(problem)
        found = [p, best]
        if uniform:
            found.append(reference.uniform_extension(problem))
            found.append(reference.uniform_extension(problem, bound=reference.induced))
        if exists > 0:
            tally["exists"] += 1
            assert all(close(p, other) for other in found)
        else:
            tally["none"] += 1
            assert found == [None] * len(found)
    assert min(tally["exists"], tally["none"]) >= 40, tally
    assert tally["tie"] <= 30, tally


def test_extensions_are_private() -> None:
    """Exactly so, once moved by 1e-9 towards the constant mechanism 1/2; not when a free vertex is pushed on."""
    rng = random.Random(9)
    pushed = 0
    for _ in range(150):
        problem = reference.random_problem(rng, mode=rng.choice(["compatible", "arbitrary"]))
        p = reference.extension(problem, 0.0)
        if p is None or min(eps for _, _, eps, _ in problem.edges) < 1e-3:
            continue
        exact = [Fraction(x) + (Fraction(1, 2) - Fraction(x)) / 10**9 for x in p]
        assert not reference.violations(problem, exact)
        for v in set(range(problem.n)) - set(problem.alpha):
            right = p[v] if problem.color[v] == 0 else 1 - p[v]
            if right < 1 - 1e-3:
                better = [Fraction(x) for x in p]
                better[v] += Fraction(1, 2000) if problem.color[v] == 0 else -Fraction(1, 2000)
                assert any(v in edge[:2] for edge, _ in reference.violations(problem, better))
                pushed += 1
    assert pushed >= 50


def test_violations_are_decided_beyond_sixty_digits() -> None:
    eps, q = 0.7, Fraction(1, 8)
    with decimal.localcontext(prec=200):
        tight = Fraction(decimal.Decimal(eps).exp()) * q
    unit = Fraction(1, 10**150)
    pair = Problem(2, [0, 0], [(0, 1, eps, 0.0)])
    assert not reference.violations(pair, [tight - unit, q])
    assert reference.violations(pair, [tight + unit, q]) == [(pair.edges[0], 1)]


def test_violations_at_the_ends() -> None:
    """eps = 0 and the least eps there is; probabilities 0 and 1, which no eps but some delta can leave."""
    small = Fraction(1, 10**300)
    for eps in (0.0, 5e-324):
        pair = Problem(2, [0, 0], [(0, 1, eps, 0.0)])
        half = Fraction(1, 2)
        assert not reference.violations(pair, [half, half])
        assert [i for _, i in reference.violations(pair, [half + small, half])] == [1, 4]
        assert [i for _, i in reference.violations(pair, [half, half + small])] == [2, 3]
    pair = Problem(2, [0, 0], [(0, 1, 5e-324, 0.0)])
    assert not reference.violations(pair, [Fraction(1, 2) + small**2, Fraction(1, 2)])
    for eps, delta, allowed in ((30.0, 0.0, False), (0.0, 1e-3, True)):
        pair = Problem(2, [0, 0], [(0, 1, eps, delta)])
        assert (not reference.violations(pair, [Fraction(0), small])) == allowed
        assert (not reference.violations(pair, [1 - small, Fraction(1)])) == allowed


def test_the_enclosure_of_the_exponential() -> None:
    for eps in (0.0, 5e-324, 1e-12, 0.3, LOG2, 30.0, 700.0):
        low, high = reference.exponential(eps, 60)
        lower, higher = reference.exponential(eps, 200)
        assert 1 <= low <= lower <= higher <= high <= low * (1 + Fraction(1, 10**58))
        assert float(low) == pytest.approx(math.exp(eps), rel=1e-15)


def test_what_is_refused_and_what_is_empty() -> None:
    unhit = Problem(4, EXAMPLE_3.color, EXAMPLE_3.edges, {2: 0.5})  # paper 002, Example 2
    for extend in (reference.extension, reference.uniform_extension, reference.linear_program):
        with pytest.raises(ValueError, match="misses a boundary edge"):
            extend(unhit)
    with pytest.raises(ValueError, match="do not share"):
        reference.uniform_extension(Problem(3, [0] * 3, [(0, 1, 0.1, 0.0), (1, 2, 0.2, 0.0)], {0: 0.5}))
    with pytest.raises(ValueError, match="one probability per vertex"):
        reference.violations(EXAMPLE_3, [Fraction(1, 2)] * 3)
    for color in (0, 1):
        plain = Problem(4, [color] * 4, EXAMPLE_3.edges)
        for extend in (reference.extension, reference.uniform_extension, reference.linear_program):
            assert extend(plain) == [1.0 - color] * 4


def test_random_problems_are_what_they_say() -> None:
    rng = random.Random(10)
    sizes: Counter[int] = Counter()
    seen: Counter[str] = Counter()
    for _ in range(400):
        uniform = rng.random() < 0.3
        problem = reference.random_problem(rng, mode=rng.choice(["compatible", "arbitrary"]), uniform=uniform)
        sizes[problem.n] += 1
        assert len(reference.distances(problem, 0)) == problem.n
        assert len({frozenset(edge[:2]) for edge in problem.edges}) == len(problem.edges)
        assert problem.alpha
        assert problem.hits_boundary()
        assert all(0 <= a <= 1 for a in problem.alpha.values())
        boundary = {v for edge in problem.boundary_edges() for v in edge}
        given = set(problem.alpha)
        seen["whole boundary"] += given == boundary
        seen["not the whole boundary"] += not boundary <= given
        seen["more than the boundary"] += not given <= boundary
        seen["to extend"] += len(given) < problem.n
        seen["delta"] += any(delta > 0 for _, _, _, delta in problem.edges)
        seen["no delta"] += all(delta == 0 for _, _, _, delta in problem.edges)
        seen["eps = 0"] += any(eps == 0 for _, _, eps, _ in problem.edges)
        assert len({edge[2:] for edge in problem.edges}) == 1 or not uniform
    assert set(sizes) == set(range(2, 15))
    assert min(seen.values()) >= 30, seen
    assert reference.random_problem(random.Random(1)) == reference.random_problem(random.Random(1))
