"""Weighted yes/no polls: exactly private, as accurate as the linear program over all tables, and honest about it."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import betaln, gammaln
from scipy.stats import binom

from neodp.errors import GraphError, NeodpError
from neodp.polls import Group, Poll, Threshold, poll, violations
from neodp.polls.choosing import weighted, weighted_threshold
from neodp.polls.comparison import against, preview
from neodp.polls.expected import balanced_accuracy
from neodp.polls.prior import Prior, binomial
from neodp.polls.score_programs import on_scores, on_tables
from neodp.polls.scores import score_law
from neodp.polls.weighted import Weighted, falling
from tests.polls.enumeration import broken

TABLE = [  # people x epsilon; balanced; weights by ascending epsilon, and what they reach; optimum
    ([(10, 0.1), (10, 1.0), (11, 2.0)], 0.600, (1, 10, 14), 0.7798, 0.7806),
    ([(15, 0.3), (15, 1.0), (15, 2.0)], 0.744, (3, 10, 10), 0.8180, 0.8186),
    ([(20, 0.1), (30, 0.5), (10, 1.0)], 0.626, (1, 5, 8), 0.7591, 0.7597),
    ([(5, 0.1), (10, 0.3), (6, 3.0)], 0.594, (1, 3, 30), 0.7136, 0.7136),
    ([(2, 0.1), (19, 2.0)], 0.802, (1, 20), 0.8869, 0.8869),
    ([(4, 2.0), (1, 0.001)], 0.751, (0, 1), 0.778, 0.778),
    ([(21, 1.0)], 0.873, (1,), 0.8730, 0.8730),
]


def groups_of(people: list[tuple[int, float]]) -> list[Group]:
    return [Group(epsilon, size) for size, epsilon in people]


@pytest.mark.parametrize("size", [0, 1, 7, 1000, 100_000])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.3, 0.5, 0.999, 1.0])
def test_the_binomial_law_is_that_of_scipy(size: int, share: float) -> None:
    found = binomial(size, share)
    assert found == pytest.approx(binom(size, share).pmf(np.arange(size + 1)), rel=1e-9, abs=1e-250)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


def every_table(p: Poll) -> list[np.ndarray]:
    each = itertools.product(*(range(group.size + 1) for group in p.groups))
    return [np.array([[y, group.size - y] for y, group in zip(yes, p.groups, strict=True)]) for yes in each]


def chance(p: Poll, counts: np.ndarray, prior: Prior) -> float:
    """Return how likely a table is, by the definition of the prior alone."""
    if prior.beta is None:
        shares = prior.shares(p.groups)
        each = zip(counts.tolist(), shares, strict=True)
        return math.prod(float(binom.pmf(y, y + n, share)) for (y, n), share in each)
    a, b = prior.beta
    yes, no = counts.sum(axis=0).tolist()
    ways = sum(gammaln(y + n + 1) - gammaln(y + 1) - gammaln(n + 1) for y, n in counts.tolist())
    return math.exp(ways + betaln(a + yes, b + no) - betaln(a, b))


def accuracy(p: Poll, prior: Prior) -> float:
    """Expected accuracy, table by table."""
    return sum(chance(p, counts, prior) * p.distribution(counts)[p.truth(counts)] for counts in every_table(p))


def optimum(p: Threshold, prior: Prior) -> float:
    """The linear program over all tables, written down as it is: no quotient, no rounding, nothing of neodp."""
    tables = list(itertools.product(*(range(group.size + 1) for group in p.groups)))
    place = {table: i for i, table in enumerate(tables)}
    rows, limits = [], []
    for table, i in place.items():
        for g, group in enumerate(p.groups):
            if table[g] < group.size:
                j = place[(*table[:g], table[g] + 1, *table[g + 1 :])]
                for a, b in ((i, j), (j, i)):
                    rows.append(((a, 1.0), (b, -math.exp(group.epsilon))))
                    limits.append(0.0)  # p_a <= e^eps p_b
                    rows.append(((a, -1.0), (b, math.exp(group.epsilon))))
                    limits.append(math.exp(group.epsilon) - 1.0)  # 1 - p_a <= e^eps (1 - p_b)
    matrix = np.zeros((len(rows), len(tables)))
    for r, row in enumerate(rows):
        for column, value in row:
            matrix[r, column] = value
    likely = [chance(p, np.array([[y, g.size - y] for y, g in zip(t, p.groups, strict=True)]), prior) for t in tables]
    sign = np.where([sum(t) >= p.needed for t in tables], 1.0, -1.0)
    found = linprog(-sign * likely, matrix, limits, bounds=(0, 1), method="highs")
    return float(np.sum(np.array(likely)[sign < 0]) - found.fun)


# --- privacy, exactly -------------------------------------------------------------------------------------------------

EPSILONS = (0.05, 0.7, 2.5)
SMALL = [
    [(n, e) for n, e in zip(sizes, EPSILONS, strict=True) if n]
    for sizes in itertools.product(range(5), range(4), (0, 1, 3))
    if any(sizes)
]


@pytest.mark.parametrize("query", ["majority", "threshold:2/3"])
def test_every_small_population_is_private_to_the_last_bit(query: str) -> None:
    """All populations of up to ten people in three levels, every table, every neighbour, in whole numbers."""
    checked = 0
    for people in SMALL:
        p = poll(groups_of(people), query)
        assert isinstance(p, Threshold)
        if not p.largest_margin:
            continue
        for mechanism in (weighted_threshold(p), on_tables(p, Prior()), on_scores(p, _plain(p), Prior())):
            inequalities, wrong = broken(mechanism.distribution, people, 2)
            assert wrong == []
            checked += inequalities
    assert checked > 10_000


def _plain(p: Poll) -> tuple[int, ...]:
    """Some weights: 0 for the first group if there are others, and then 2, 5."""
    return ((0, 2, 5) if len(p.groups) > 1 else (1,))[: len(p.groups)]


@pytest.mark.parametrize("prior", ["even", "share:0.7", "beta:0.5,2", "share:0.99"])
@pytest.mark.parametrize("weights", [(1, 1), (1, 2), (2, 5), (0, 1), (3, 1)])
def test_beyond_the_window_the_closed_form_is_private_too(
    monkeypatch: pytest.MonkeyPatch, weights: tuple[int, int], prior: str
) -> None:
    """With few scores in the program, most tables lie beyond its window on either side."""
    monkeypatch.setattr("neodp.polls.score_programs.SCORES", 8)
    for people in ([(14, 0.3), (16, 1.1)], [(20, 0.01), (12, 3.0)]):
        p = poll(groups_of(people), "threshold:2/5")
        assert isinstance(p, Threshold)
        found = on_scores(p, weights, Prior.parse(prior))
        outside = 0
        for counts in every_table(p):
            outside += not found.low <= found.score(counts) <= found.high
            assert violations(found, counts) == []
        assert outside > 50
        assert found.expected == pytest.approx(accuracy(found, found.prior), abs=1e-12)


def test_falling_rounds_up_and_stays_in_between() -> None:
    for start in (0.5, 0.1, 1e-300, 2.0**-1022):
        for units in (1, 12345, 2**49, 2**50, 10**18, 10**30):
            found = falling(start, units)
            assert 2.0**-1022 <= found <= start
            if units < 2**58 and found > 1e-307:
                assert Fraction(found) >= Fraction(start) * Fraction(math.exp(-units / 2**50)) * (
                    1 - Fraction(1, 2**48)
                )
    assert falling(0.0, 5) == 0.0


def test_a_million_people_in_a_thousand_levels() -> None:
    groups = [Group(float(e), 1000) for e in np.linspace(0.1, 2.0, 1000)]
    p = weighted(groups)
    assert isinstance(p, Weighted)
    assert p.approximate
    balanced = poll(groups)
    assert isinstance(balanced, Threshold)
    assert p.expected > balanced_accuracy(balanced, Prior()).value
    rng = np.random.default_rng(5)
    some = np.sort(rng.choice(1000, 30, replace=False)).tolist()
    for share in (0.5, 0.3, 0.9):
        yes = rng.binomial(1000, share, 1000)
        counts = np.column_stack([yes, 1000 - yes])
        row = p.distribution(counts)
        assert min(row) > 0.0
        assert violations(p, counts, groups=some) == []
        if share != 0.5:
            assert row[p.truth(counts)] > 1 - 1e-9


# --- accuracy ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("people", "balanced", "weights", "reached", "best"), TABLE)
def test_what_is_known_of_seven_populations(
    people: list[tuple[int, float]], balanced: float, weights: tuple[int, ...], reached: float, best: float
) -> None:
    """Balanced, the lattice of scores with given weights, and the optimum over all tables."""
    groups = groups_of(people)
    p = poll(groups)
    assert isinstance(p, Threshold)
    assert balanced_accuracy(p, Prior()).value == pytest.approx(balanced, abs=6e-4)
    assert on_scores(p, weights, Prior()).expected == pytest.approx(reached, abs=6e-4)
    assert preview(groups).weighted.expected == pytest.approx(best, abs=6e-4)


@pytest.mark.parametrize("seed", range(12))
def test_few_tables_reach_the_optimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = [(int(n), float(e)) for n, e in zip(rng.integers(1, 6, 3), np.exp(rng.uniform(-3, 1, 3)), strict=True)]
    query = str(rng.choice(["majority", "threshold:1/3", "threshold:3/4"]))
    prior = Prior.parse(str(rng.choice(["even", "share:0.6", "beta:1,1", "beta:3,2"])))
    p = poll(groups_of(people), query)
    assert isinstance(p, Threshold)
    best = optimum(p, prior)
    found = on_tables(p, prior)
    assert found.expected == pytest.approx(best, abs=1e-6)
    assert accuracy(found, prior) == pytest.approx(found.expected, abs=1e-12)
    facts = preview(groups_of(people), query, prior=prior)
    assert facts.weighted.expected == pytest.approx(best, abs=1e-5)
    assert facts.weighted.expected >= facts.balanced.expected


@pytest.mark.parametrize(
    ("people", "query", "prior"),
    [
        ([(12, 0.1), (9, 0.8), (10, 2.0)], "majority", "even"),
        ([(15, 0.3), (6, 0.9), (5, 0.1)], "threshold:2/3", "share:0.6"),
        ([(16, 0.45), (13, 1.7)], "threshold:2/3", "beta:4,4"),
        ([(4, 0.3), (4, 0.5), (4, 1.0), (3, 1.5)], "majority", "even"),
        ([(15, 0.3), (12, 3.0), (1, 0.1), (1, 1.1)], "majority", "even"),
    ],
)
def test_scores_come_close_to_all_tables(
    monkeypatch: pytest.MonkeyPatch, people: list[tuple[int, float]], query: str, prior: str
) -> None:
    """As if there were too many tables: weights are searched, and lose no more than .002."""
    p = poll(groups_of(people), query)
    assert isinstance(p, Threshold)
    given = Prior.parse(prior)
    best = on_tables(p, given).expected
    tables = math.prod(size + 1 for size, _ in people)  # one more than there may be
    monkeypatch.setattr("neodp.polls.choosing.TABLES", tables - 1)
    found = weighted_threshold(p, given)
    assert isinstance(found, Weighted)
    assert best - 0.002 <= found.expected <= best + 1e-9
    for counts in every_table(p)[:: max(1, len(every_table(p)) // 60)]:
        assert violations(found, counts) == []


def test_two_large_groups_come_close_to_all_tables() -> None:
    """The optimum is that of ``bench.poll_optimum.threshold([(90, 0.1), (90, 2.0)], 91)``.

    Fine weights are needed here: (2, 25) is .0026 below. So what they reach must be summed, not guessed.
    """
    found = weighted(groups_of([(90, 0.1), (90, 2.0)]))
    assert isinstance(found, Weighted)
    assert not found.approximate
    assert 0.7743 - 0.001 <= found.expected <= 0.7743 + 0.0001
    for yes in ([45, 45], [90, 0], [0, 90], [90, 90], [44, 46]):
        assert violations(found, np.array([[y, 90 - y] for y in yes])) == []


@pytest.mark.parametrize("prior", ["even", "share:0.35", "share:low=0.8,high=0.4", "beta:1,1", "beta:0.5,3"])
@pytest.mark.parametrize("query", ["majority", "threshold:1/4"])
def test_expected_accuracy_is_the_sum_over_all_tables(query: str, prior: str) -> None:
    groups = [Group(0.2, 4, "low"), Group(0.9, 3, "high"), Group(2.0, 5, "top")]
    p, given = poll(groups, query), Prior.parse(prior)
    assert isinstance(p, Threshold)
    assert balanced_accuracy(p, given).value == pytest.approx(accuracy(p, given), abs=1e-12)
    for found in (on_tables(p, given), on_scores(p, (1, 3, 7), given), on_scores(p, (0, 1, 1), given)):
        assert found.expected == pytest.approx(accuracy(found, given), abs=1e-12)
    joint = score_law(p, (1, 3, 7), given)
    assert joint.yes.sum() + joint.no.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("prior", ["even", "share:0.52", "beta:1,1", "beta:2,2"])
@pytest.mark.parametrize("weights", [(1, 4, 4), (1, 1, 1), (1, 5, 10)])
def test_the_normal_distribution_is_near_the_sums(prior: str, weights: tuple[int, ...]) -> None:
    p, given = poll([Group(0.2, 120), Group(1.0, 90), Group(2.0, 91)]), Prior.parse(prior)
    assert isinstance(p, Threshold)
    exact, near = score_law(p, weights, given, 10**9), score_law(p, weights, given, work=0)
    assert not exact.approximate
    assert near.approximate
    found = on_scores(p, weights, given)
    by_sum, by_normal = (
        float(joint.yes @ yes + joint.no @ no) for joint in (exact, near) for yes, no in [found.chances(joint.scores)]
    )
    assert by_normal == pytest.approx(by_sum, abs=0.003)


def test_where_the_solver_gives_up_there_is_a_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object) -> None:
        raise NeodpError("the solver gave up", "take the balanced alpha")

    monkeypatch.setattr("neodp.study.optimum._BoundaryProgram.solve", give_up)
    p = weighted([Group(0.001, 3), Group(2.0, 4)])
    assert isinstance(p, Weighted)
    assert p.expected > 0.7
    assert all(not violations(p, np.array([[a, 3 - a], [b, 4 - b]])) for a in range(4) for b in range(5))


def test_balanced_is_returned_where_nothing_is_better() -> None:
    assert type(weighted([Group(1.0, 21)])) is Threshold
    assert type(weighted([Group(1.0, 3)], "threshold:0")) is Threshold
    found = preview([Group(1.0, 21)])
    assert found.weighted is found.balanced
    assert found.gain == 0.0


# --- what is said beforehand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["majority", "threshold:2/3"])
@pytest.mark.parametrize("weights", [None, (1, 2, 5), (0, 1, 2)])
def test_margins_and_the_worst_case_are_those_of_all_tables(query: str, weights: tuple[int, ...] | None) -> None:
    p = poll(groups_of([(4, 0.1), (3, 0.8), (4, 2.0)]), query)
    assert isinstance(p, Threshold)
    found = on_tables(p, Prior()) if weights is None else on_scores(p, weights, Prior())
    right: dict[int | None, list[float]] = {}
    for counts in every_table(p):
        right.setdefault(found.margin(counts), []).append(found.distribution(counts)[found.truth(counts)])
    assert found.worst == pytest.approx(min(map(min, right.values())), rel=1e-12)
    for margin in range(1, found.largest_margin + 1):
        at = found.at(margin)
        assert at.worst == pytest.approx(min(right[margin]), rel=1e-12)
        assert at.best == pytest.approx(max(right[margin]), rel=1e-12)
        assert at.even is not None
        assert at.best is not None
        assert at.worst <= at.even <= at.best
        later = [x for m, values in right.items() if m is not None and m >= margin for x in values]
        assert found.worst_at(margin) == pytest.approx(min(later), rel=1e-12)
    enough = found.margin_for(0.6)
    assert enough is not None
    assert found.worst_at(enough) >= 0.6 > found.worst_at(enough - 1)


def test_where_people_are_many_the_worst_case_is_no_better_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    p = poll(groups_of([(9, 0.1), (8, 0.8), (9, 2.0)]))
    assert isinstance(p, Threshold)
    found = on_scores(p, (1, 4, 9), Prior())
    exact = [found.at(m) for m in range(1, 13)]
    monkeypatch.setattr("neodp.polls.weighted.WORK", 0)
    bounds = on_scores(p, (1, 4, 9), Prior())
    assert bounds._reach is None
    for one, other in zip(exact, (bounds.at(m) for m in range(1, 13)), strict=True):
        assert other.worst <= one.worst + 0.02  # another program, of a normal distribution
        assert other.best is not None


def test_privacy_that_goes_with_the_answer() -> None:
    """The tables are what they say, and a weighted poll is mostly wrong there."""
    found = preview(groups_of([(10, 0.1), (10, 1.0), (11, 2.0)]))
    assert found.differ
    assert found.gain == pytest.approx(0.181, abs=1e-3)
    assert found.balanced.adversarial >= found.balanced.worst >= 0.5
    assert found.weighted.worst <= found.weighted.adversarial < 0.01
    first = found.weighted.against[0]
    assert (first.people, first.epsilon, first.answer) == (16, 1.0, "yes")
    counts = np.array([[10, 0], [6, 4], [0, 11]])
    assert first.right == found.weighted.poll.distribution(counts)[0]
    assert against(poll([Group(1.0, 3)], "threshold:0")) == ()


def test_nothing_beforehand_depends_on_a_vote() -> None:
    """All of it is a function of groups, query, options and prior: twice the same, bit for bit."""
    groups = groups_of([(10, 0.1), (10, 1.0), (11, 2.0)])
    one, two = weighted(groups), weighted(groups[::-1])
    assert isinstance(one, Weighted)
    assert isinstance(two, Weighted)
    assert one.weights == two.weights
    assert np.array_equal(one.first, two.first)


# --- priors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["odd", "share:", "share:0", "share:1.5", "beta:1", "beta:0,1", "beta:a,b", "share:a=x"]
)
def test_a_prior_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(GraphError, match=r"the prior is .*; give even, share:0\.6"):
        Prior.parse(text)


def test_a_prior_must_fit_the_people() -> None:
    groups = [Group(0.2, 4, "low"), Group(0.9, 3, "high")]
    with pytest.raises(GraphError, match="the prior names the level 'hihg'; did you mean 'high'"):
        weighted(groups, prior="share:hihg=0.3")
    with pytest.raises(GraphError, match="the prior names the level 'x'; the people have no named levels"):
        weighted([Group(0.2, 4)], prior="share:x=0.3")
    assert Prior.parse("share:low=0.3").shares(groups).tolist() == [0.3, 0.5]


def test_weights_that_are_none_are_refused() -> None:
    p = poll([Group(0.2, 4)])
    assert isinstance(p, Threshold)
    with pytest.raises(GraphError, match="the weights are"):
        on_scores(p, (0,), Prior())


# --- beta priors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(10, 10, 11), (50, 40, 30), (500, 500, 500), (7000, 1, 0)])
@pytest.mark.parametrize(
    "beta", ["2,3", "1,1", "0.001,0.001", "60000,40000", "1e6,1", "1,1e6", "1e9,1e9", "1e-9,1e9", "1e-9,1e-9"]
)
def test_what_is_expected_under_a_beta_prior_is_a_chance(sizes: tuple[int, ...], beta: str) -> None:
    """It was nan, with warnings, for sharp priors, and for any with 1,500 people."""
    groups = [Group(epsilon, size) for epsilon, size in zip((0.1, 1.0, 2.0), sizes, strict=True) if size]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = preview(groups, prior=f"beta:{beta}")
    assert 0.5 <= found.balanced.expected <= 1.0
    assert found.balanced.expected - 1e-3 <= found.weighted.expected <= 1.0


@pytest.mark.parametrize("sizes", [(10, 10, 11), (50, 40, 30), (500, 500, 500)])
@pytest.mark.parametrize("share", [0.5, 0.55])
def test_a_sharp_beta_prior_is_a_share(sizes: tuple[int, ...], share: float) -> None:
    groups = [Group(epsilon, size) for epsilon, size in zip((0.1, 1.0, 2.0), sizes, strict=True)]
    sharp, fixed = (preview(groups, prior=p) for p in (f"beta:{share * 1e9},{(1 - share) * 1e9}", f"share:{share}"))
    assert sharp.balanced.expected == pytest.approx(fixed.balanced.expected, abs=1e-3)
    assert sharp.weighted.expected == pytest.approx(fixed.weighted.expected, abs=5e-3)


@pytest.mark.parametrize("beta", ["2,3", "0.1,0.1", "100,100", "300,310", "5000,5000"])
def test_many_people_under_a_beta_prior(beta: str) -> None:
    """The exact sums, and what stands for them where there are too many people."""
    many, prior = poll([Group(0.1, 60), Group(1.0, 70), Group(2.0, 60)]), Prior.parse(f"beta:{beta}")
    assert isinstance(many, Threshold)
    exact, normal = (score_law(many, (1, 4, 5), prior, work) for work in (10**12, 0))
    assert (exact.approximate, normal.approximate) == (False, True)
    assert normal.yes.sum() == pytest.approx(exact.yes.sum(), abs=1e-3)
    assert exact.yes.sum() == pytest.approx(prior.totals(190)[96:].sum(), abs=1e-12)
