"""Similarity and neighbours: the numbers, their privacy to the last bit, and what they cost."""

import itertools
import math
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neodp.errors import PrivacyError, UnknownKey
from neodp.stretch import noise
from neodp.stretch.mechanism import Stretching, scalar_product
from neodp.stretch.neighborhoods import nearest, neighbors
from neodp.stretch.profiles import UNIT, Profiles
from neodp.stretch.similarities import STEPS, Cost, Measure, Similarities, similarity
from tests.stretch.odds import worst_odds

EPSILON = 0.7


def profiles(d: Any, v: Any) -> Profiles:
    """From two arrays, one row per user and one column per item."""
    d, v = np.asarray(d, float), np.asarray(v, float)
    users, items = [f"u{i}" for i in range(len(d))], [f"i{i}" for i in range(d.shape[1])]
    u, i = np.nonzero(d)
    return Profiles.from_columns(
        [users[x] for x in u], [items[x] for x in i], d[u, i], v[u, i], users=users, items=items
    )


def random_profiles(n: int, items: int, seed: int, density: float = 0.3) -> Profiles:
    random = np.random.default_rng(seed)
    return profiles(random.random((n, items)) < density, random.choice([0, 0.25, 0.5, 0.9, 1], (n, items)))


def released(p: Profiles, measure: Measure) -> dict[Any, int]:
    """All whole numbers that a table of neighbours adds noise to, by what they are; from the sampler's own input."""
    seen: list[Any] = []

    def spy(values: noise.Whole, scale: float) -> noise.Whole:
        assert scale == noise.scale_of(STEPS, EPSILON)
        seen.append(values.copy())
        return values

    neighbors(p, 1, epsilon=EPSILON, measure=measure, sampler=spy)
    norms = seen.pop(0) if measure == Measure.COSINE else []
    numbers: dict[Any, int] = {("norm", u): int(x) for u, x in enumerate(norms)}
    pairs = [(u, v) for u in range(len(p)) for v in range(u + 1, len(p))]
    numbers |= {pair: int(x) for pair, x in zip(pairs, seen[0], strict=True)}
    return numbers


# --- the numbers ------------------------------------------------------------------------------------------------


def test_without_noise_they_are_the_products_of_stretched_profiles() -> None:
    p = random_profiles(12, 30, 1)
    a = p.stretched.toarray() / UNIT
    assert (abs(a - p.matrix.toarray() * p._sparse(p.weight).toarray()) <= 1 / UNIT).all()
    norm = np.sqrt(np.maximum((a * a).sum(1), np.log(50 * 12) / 2.5))
    for measure, divisor in ((Measure.DOT, 0 * norm + 1), (Measure.COSINE, norm)):
        expected = a @ a.T / divisor / divisor[:, None]
        found = Similarities(p, 2.5, measure, noise.without).among(np.arange(12))
        off = ~np.eye(12, dtype=bool)
        assert np.allclose(found[off], expected[off], rtol=1e-12)
        if measure is not Measure.COSINE:
            one = similarity(p, "u3", "u7", epsilon=2.5, measure=measure, sampler=noise.without)
            assert one == pytest.approx(expected[3, 7], rel=1e-12)


def test_the_cosine_of_item_sets() -> None:
    """Equation 16: common items over the root of the product of the sizes."""
    p = profiles([[1, 1, 1, 1, 0], [0, 0, 1, 1, 1]], np.ones((2, 5)))
    expected = 2 / np.sqrt(4 * 3)
    assert similarity(p, "u0", "u1", epsilon=5, sampler=noise.without) == pytest.approx(expected)


def test_a_norm_that_is_mostly_noise_counts_as_much_as_noise_reaches() -> None:
    """Or noise divided by next to nothing would make the smallest profiles everybody's neighbours."""
    p = profiles([[1, 0, 0, 0], [1, 1, 1, 1]], np.ones((2, 4)))
    least = np.log(50 * 2) / 0.5
    assert similarity(p, "u0", "u1", epsilon=0.5, sampler=noise.without) == pytest.approx(1 / least)
    small = np.zeros((300, 200))
    small[:30] = 1
    near = neighbors(profiles(small, np.ones((300, 200))), 10, epsilon=0.5).neighbor[:30]
    assert (near < 30).mean() > 0.9


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_as_the_general_mechanism(d: list[float], v: list[float]) -> None:
    """The scalar product is the Stretching mechanism of Lemma 4, up to the grids of either."""
    p = profiles([d[:2], d[2:]], [v[:2], v[2:]])
    general = Stretching(scalar_product(2), v, 1.0).release(d, noise.without)
    assert similarity(p, "u0", "u1", epsilon=1.0, measure=Measure.DOT, sampler=noise.without) == pytest.approx(
        general, abs=4 * 2 / UNIT
    )


def test_noise_is_on_every_pair_once_and_symmetric() -> None:
    p = profiles(np.zeros((30, 3)), np.zeros((30, 3)))
    scores = Similarities(p, 0.5).among(np.arange(30))
    assert (scores == scores.T).all()
    assert len(np.unique(scores[np.triu_indices(30, 1)])) == 30 * 29 / 2
    dot = Similarities(p, 0.5, Measure.DOT).between(np.arange(15), np.arange(15, 30))
    assert len(np.unique(dot)) == 225
    assert 0.5 < abs(dot).mean() * 0.5 < 1.6  # the mean of |Laplace(1 / epsilon)| is 1 / epsilon


# --- privacy, exactly -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", list(Measure)[:2])
@given(data=st.data())
def test_each_released_number_keeps_its_item_s_weight(measure: Measure, data: st.DataObject) -> None:
    """The exponents of the noise's mass, as fractions, where an item changes and its weight with it (Theorem 2).

    Every number that the noise is added to is looked at; the privacy of the whole table is the sum.
    """
    part = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
    cells = st.lists(st.lists(part, min_size=3, max_size=3), min_size=4, max_size=4)
    d, v = np.array(data.draw(cells)), np.array(data.draw(cells))
    u, i = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2))
    e, w = d.copy(), v.copy()
    e[u, i], w[u, i] = data.draw(part), data.draw(part)
    one, other = released(profiles(d, v), measure), released(profiles(e, w), measure)
    allowed = Fraction(EPSILON) * Fraction(max(v[u, i], w[u, i]))
    scale = Fraction(noise.scale_of(STEPS, EPSILON))
    losses = {key: abs(one[key] - other[key]) / scale for key in one}
    for key, loss in losses.items():
        assert loss <= (allowed if u in key else 0)
    cost = Cost.of_pairs(3, EPSILON, measure)
    assert sum(losses.values()) <= cost.releases * allowed


@pytest.mark.parametrize(("measure", "releases"), [(Measure.DOT, 3), (Measure.COSINE, 4)])
def test_a_table_costs_what_it_says_and_no_less(measure: Measure, releases: int) -> None:
    """If everybody else has the item at weight 1, one user's item moves every number it goes into by its weight."""
    v = np.ones((4, 1))
    without, with_it = (
        released(profiles([[0], [1], [1], [1]], v), measure),
        released(profiles(np.ones((4, 1)), v), measure),
    )
    loss = sum(abs(with_it[key] - without[key]) for key in without) / Fraction(noise.scale_of(STEPS, EPSILON))
    assert loss == pytest.approx(releases * EPSILON)
    assert neighbors(profiles(np.ones((4, 1)), v), epsilon=EPSILON, measure=measure).cost == Cost(EPSILON, releases)


def test_the_sampler_keeps_the_inequality_and_faults_are_caught() -> None:
    """20,000 real draws of one pair's similarity, with and without an item of weight 0.4."""
    weight = np.array([[0.4, 1.0], [1.0, 1.0]])

    def drawn(item: float, v: Any = weight, faster: float = 1.0) -> Any:
        def sampler(values: noise.Whole, scale: float) -> noise.Whole:
            return noise.secure(values, scale / faster)

        similarities = Similarities(profiles([[item, 1], [1, 1]], v), 1.0, Measure.DOT, sampler)
        return similarities.between(np.array([0]), np.full(20_000, 1))[0]

    assert 0.2 < worst_odds(drawn(1), drawn(0)) <= 0.4
    assert worst_odds(drawn(1, faster=2.0), drawn(0, faster=2.0)) > 0.4
    assert worst_odds(drawn(1, v=np.ones((2, 2))), drawn(0, v=np.ones((2, 2)))) > 0.4


@pytest.mark.parametrize("measure", list(Measure))
def test_weight_0_shows_nothing_at_all(measure: Measure) -> None:
    """Whatever is measured: the same noise gives the same numbers, to the last bit, with such likes and without."""
    d, v = np.ones((3, 4)), np.ones((3, 4))
    v[1] = 0
    v[2, 1:3] = 0
    hidden, without = profiles(d, v), profiles(d * (v > 0), v)
    assert released(hidden, measure) == released(without, measure)
    for one, other in itertools.combinations(("u0", "u1", "u2"), 2):
        with_them, bare = (
            similarity(p, one, other, epsilon=1.0, measure=measure, sampler=noise.without) for p in (hidden, without)
        )
        assert with_them == bare


# --- neighbours -------------------------------------------------------------------------------------------------


def slow_neighbors(p: Profiles, k: int) -> list[list[int]]:
    a = p.stretched.toarray().astype(object)
    found = []
    for u in range(len(p)):
        norm = [max(int((row * row).sum()), STEPS) ** 0.5 for row in a]
        others = sorted((v for v in range(len(p)) if v != u), key=lambda v: (-int((a[u] * a[v]).sum()) / norm[v], v))
        found.append(others[:k])
    return found


@pytest.mark.parametrize("block", [3, 7, 1000])
def test_as_a_slow_loop_finds_them_whatever_the_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("neodp.stretch.neighborhoods"), "BLOCK", block)
    p = random_profiles(23, 40, 5)
    expected = slow_neighbors(p, 4)
    told: list[tuple[str, int, int]] = []
    found = neighbors(p, 4, epsilon=690.0, sampler=noise.without, progress=lambda *news: told.append(news))
    assert found.neighbor.tolist() == expected
    assert told[-1] == ("pairs", 253, 253)
    for u in (0, 11, 22):
        for scores in (True, False):
            one = nearest(p, f"u{u}", 4, epsilon=690.0, scores=scores, sampler=noise.without)
            assert one.neighbor.tolist() == [expected[u]]
            assert np.isnan(one.score).all() == (not scores)


def test_neighbors_are_sorted_by_their_noisy_scores() -> None:
    found = neighbors(random_profiles(40, 20, 2), 10, epsilon=1.0)
    assert (np.diff(found.score, axis=1) <= 0).all()
    assert all(len(set(row)) == 10 and u not in row for u, row in enumerate(found.neighbor.tolist()))


def test_a_seed_repeats_and_the_secure_noise_does_not() -> None:
    p = random_profiles(20, 20, 2)
    one, two = (neighbors(p, 3, epsilon=0.1, sampler=noise.insecure(1)).score for _ in range(2))
    assert (one == two).all()
    three, four = (neighbors(p, 3, epsilon=0.1).score for _ in range(2))
    assert (three != four).any()


def test_ever_more_epsilon_leads_to_the_true_neighbors() -> None:
    p = random_profiles(30, 200, 4)
    exact = neighbors(p, 5, epsilon=690.0, sampler=noise.without).neighbor
    assert (neighbors(p, 5, epsilon=690.0, sampler=noise.secure).neighbor == exact).mean() > 0.9


def test_edge_cases() -> None:
    nobody = Profiles.from_columns([], [])
    assert neighbors(nobody, epsilon=1.0).neighbor.shape == (0, 0)
    alone = Profiles.from_columns(["a"], ["x"])
    found = neighbors(alone, epsilon=1.0)
    assert (found.neighbor.shape, found.cost.releases) == ((1, 0), 1)
    assert nearest(alone, "a", epsilon=1.0).neighbor.shape == (1, 0)
    few = random_profiles(4, 3, 1)
    assert neighbors(few, 10, epsilon=1.0).neighbor.shape == (4, 3)
    empty = profiles([[0, 0], [1, 1], [1, 1]], np.ones((3, 2)))
    assert neighbors(empty, 2, epsilon=1.0, sampler=noise.without).score[0].tolist() == [0.0, 0.0]
    assert (neighbors(empty, 2, epsilon=1.0).score[0] != 0).all()
    blind = profiles(np.ones((3, 2)), np.zeros((3, 2)))
    assert (neighbors(blind, 2, epsilon=1.0, sampler=noise.without).score == 0).all()


def test_what_it_costs() -> None:
    assert Cost.of_pairs(1, 0.5, Measure.COSINE).total == 1.0
    assert Cost.of_pairs(1, 0.5, Measure.DOT).total == 0.5
    p = random_profiles(6, 5, 1)
    for k, scores, measure, expected in (
        (2, False, Measure.COSINE, (2, 2)),
        (2, False, Measure.DOT, (2, 1)),
        (9, False, Measure.COSINE, (5, 2)),
        (2, True, Measure.COSINE, (6, 2)),
        (2, True, Measure.DOT, (5, 1)),
    ):
        found = nearest(p, "u2", k, epsilon=0.25, measure=measure, scores=scores)
        assert (found.cost.releases, found.cost_of_others.releases) == expected


@settings(max_examples=40)
@given(st.floats(1e-3, 3), st.integers(1, 300), st.floats(1e-12, 0.1))
def test_what_it_costs_with_a_delta(epsilon: float, releases: int, delta: float) -> None:
    """Never more than by basic composition or by concentrated privacy; less weight and more delta cost less."""
    cost, rho = Cost(epsilon, releases), releases * epsilon**2 / 2
    found = cost.at(delta)
    assert 0.0 <= found <= cost.total * (1 + 1e-12)
    assert found <= (rho + 2 * np.sqrt(rho * np.log(1 / delta))) * (1 + 1e-9)
    assert cost.at(delta, 0.5) <= found
    assert cost.at(min(2 * delta, 0.5)) <= found
    assert cost.at(delta, 0.0) == 0.0


def test_what_is_refused() -> None:
    p = random_profiles(3, 3, 1)
    with pytest.raises(PrivacyError, match="'u1' is one user; name two"):
        similarity(p, "u1", "u1", epsilon=1.0)
    with pytest.raises(UnknownKey, match="there is no user 'u9' in profile 'profile'"):
        nearest(p, "u9", epsilon=1.0)
    with pytest.raises(PrivacyError, match=r"epsilon is 0.0"):
        neighbors(p, epsilon=0.0)
    with pytest.raises(PrivacyError, match="k is 0; ask for at least 1 neighbour"):
        neighbors(p, 0, epsilon=1.0)


# --- noisy top-k ------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(list(Measure)), st.data())
def test_what_the_proof_of_noisy_top_k_assumes(seed: int, measure: Measure, data: st.DataObject) -> None:
    """One item of the user changes: all numbers move in one direction, by what the scale of the noise covers."""
    random = np.random.default_rng(seed)
    likes, weights = random.random((7, 5)) * (random.random((7, 5)) < 0.7), random.random((7, 5)) ** 3
    seen: list[tuple[Any, float]] = []

    def sampler(values: Any, scale: float) -> Any:
        seen.append((values.copy(), scale))
        return values

    item = data.draw(st.integers(0, 4))
    before = likes[0, item], weights[0, item]
    for value, weight in (before, (data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1)))):
        likes[0, item], weights[0, item] = value, weight
        nearest(profiles(likes, weights), "u0", 2, epsilon=0.3, measure=measure, sampler=sampler)
    (*released, (one, scale)), (*again, (two, _)) = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    assert all((a == b).all() for (a, _), (b, _) in zip(released, again, strict=True))  # the others' norms
    moved = [int(x) for x in two - one]
    assert min(moved) >= 0 or max(moved) <= 0
    v = max(Fraction(before[1]), Fraction(weight))
    assert all(abs(x) / Fraction(scale) <= Fraction(0.3) * v for x in moved)


@cache
def masses(scale: float, reach: int) -> tuple[Any, Any]:
    """All noise up to a reach, and how likely it is."""
    at = np.arange(-reach, reach + 1)
    return at, np.array([float(noise.mass(int(k), scale)) for k in at])


def chance_of_a_list(first: tuple[int, ...], y: tuple[int, ...], scale: float, reach: int) -> float:
    """Pr[the first of y + noise are these, in this order], by sums over noise up to a reach; of equals the earlier."""
    at, mass = masses(scale, reach)
    grid = np.arange(min(y) - reach, max(y) + reach + 1)
    pmf = [np.zeros(len(grid)) for _ in y]
    for t, value in enumerate(y):
        pmf[t][at + value - grid[0]] = mass
    below = [np.cumsum(p) for p in pmf]  # Pr[noisy y_t <= x]

    def under(t: int, other: int, at_most: Any) -> Any:
        """Pr[t stands behind `other`], by where `other` is."""
        return at_most if t > other else np.concatenate([[0.0], at_most[:-1]])

    chance = pmf[first[-1]].copy()
    for t in set(range(len(y))) - set(first):
        chance *= under(t, first[-1], below[t])
    for before, last in zip(first[-2::-1], first[:0:-1], strict=True):
        chance = pmf[before] * under(last, before, np.cumsum(chance))
    return float(chance.sum())


def test_noisy_top_k_by_enumeration() -> None:
    """All lists of 2 of 4, for all moves by up to C = 2 steps in one direction: at most e^(k C / scale)."""
    scale, largest, k = 3.0, 2, 2
    lists = list(itertools.permutations(range(4), k))
    y = (0, 1, 1, 3)
    before = [chance_of_a_list(t, y, scale, 100) for t in lists]
    assert sum(before) == pytest.approx(1.0, abs=1e-12)
    worst = 0.0
    for moves in itertools.product(range(largest + 1), repeat=4):
        after = [chance_of_a_list(t, tuple(a + b for a, b in zip(y, moves, strict=True)), scale, 100) for t in lists]
        worst = max(worst, *(abs(math.log(a / b)) for a, b in zip(after, before, strict=True)))
    assert 0.7 * k * largest / scale < worst <= k * largest / scale + 1e-9
    apart = [chance_of_a_list((t,), (2, 1, 1, -2), scale, 100) for t in range(4)]
    together = [chance_of_a_list((t,), (0, 3, 3, 0), scale, 100) for t in range(4)]
    odds = max(abs(math.log(a / b)) for a, b in zip(apart, together, strict=True))
    assert odds > largest / scale  # moves in both directions would cost more: the direction matters


@pytest.mark.parametrize("measure", list(Measure))
def test_a_measure_as_text_is_that_measure(measure: Measure) -> None:
    """The same norms get noise, and the same is charged, whether a measure is named or given as text."""
    p = random_profiles(6, 12, 3)
    assert released(p, str(measure.value)) == released(p, measure)  # type: ignore[arg-type]
    assert Cost.of_pairs(3, 1.0, str(measure.value)) == Cost.of_pairs(3, 1.0, measure)  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["cosin", "", "COSINE", None, 3])
def test_a_text_that_is_no_measure_is_refused(measure: Any) -> None:
    p = random_profiles(6, 12, 3)
    with pytest.raises(PrivacyError, match=r"give one of dot, cosine$"):
        similarity(p, "u0", "u1", epsilon=1.0, measure=measure)
    with pytest.raises(PrivacyError):
        Cost.of_pairs(3, 1.0, measure)
