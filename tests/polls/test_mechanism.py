"""Polls: the closed form against whole graphs, exact privacy, what is known beforehand, and tables of people."""

import heapq
import itertools
import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neodp
from neodp import generate
from neodp.core import ball
from neodp.core.views import Rule
from neodp.data.validation import UNIT
from neodp.errors import GraphError
from neodp.polls import Group, Poll, Threshold, poll, violations
from neodp.polls.costs import TINY, chance, crossing, units
from tests.polls.enumeration import broken

QUERIES = ["majority", "plurality", "threshold:2/3", "threshold:1/5", "threshold:1", "threshold:0"]
EPSILONS = st.one_of(st.sampled_from([0.0, 1e-300, 2.0**-50, 1e-9, 0.1, 1.0, 40.0, 690.0]), st.floats(0.0, 5.0))


def yes_or_no(groups: dict[float, int] | list[Group], query: str = "majority") -> Threshold:
    found = poll([Group(e, n) for e, n in groups.items()] if isinstance(groups, dict) else groups, query)
    assert isinstance(found, Threshold)
    return found


def sides(yes: list[int], sizes: list[int]) -> np.ndarray:
    return np.array([[y, n - y] for y, n in zip(yes, sizes, strict=True)])


def everywhere(p: Threshold) -> dict[str, tuple[float, ...]]:
    """The distribution at every dataset, by the keys of ``generate.counts``."""
    sizes = [g.size for g in p.groups]
    all_counts = itertools.product(*(range(n + 1) for n in sizes))
    return {"-".join(map(str, yes)): p.distribution(sides(list(yes), sizes)) for yes in all_counts}


# --- the mechanism ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_it_is_the_optimum_of_the_whole_graph_of_votes(seed: int) -> None:
    """Up to 12 people with up to 4 epsilons, 0 among them: the balanced optimum on 2^12 datasets, to 1e-12."""
    rng = random.Random(seed)
    people = rng.randint(1, 12) if seed else 12
    levels = [rng.choice([0.0, 0.1, 0.5, 1.0, 3.0, rng.uniform(0.0, 2.0)]) for _ in range(4)]
    epsilon = sorted(rng.choice(levels) for _ in range(people))
    p = yes_or_no({e: epsilon.count(e) for e in set(epsilon)}, QUERIES[seed % len(QUERIES)])
    g = generate.votes(people, epsilon=epsilon, rule=p.needed)
    m = neodp.extend(g.with_alpha(neodp.balanced(g)))
    group = [[x.epsilon for x in p.groups].index(e) for e in epsilon]
    found = everywhere(p)
    for key, p_first, p_second in zip(g.keys.to_pylist(), m.p, m.q, strict=True):
        yes = [0] * len(p.groups)
        for voter, choice in enumerate(key):
            yes[group[voter]] += choice == "1"
        assert found["-".join(map(str, yes))] == pytest.approx((p_first, p_second), rel=1e-12, abs=0.0)


@given(st.dictionaries(EPSILONS, st.integers(1, 3), min_size=1, max_size=4), st.sampled_from(QUERIES))
@settings(max_examples=150)
def test_it_is_private_to_the_last_bit(groups: dict[float, int], query: str) -> None:
    """The audit of the whole counts graph, on the numbers that an answer would be drawn from."""
    p = yes_or_no(groups, query)
    order = sorted(groups)
    g = generate.counts([groups[e] for e in order], epsilon=order, rule=p.needed)
    rows = everywhere(p)
    report = neodp.audit(g, neodp.Mechanism.of(g, np.array([rows[key] for key in g.keys.to_pylist()])))
    assert report.exact
    assert report.violations == 0


@given(st.data())
@settings(max_examples=25)
def test_hundred_thousand_people_are_private_at_neighboring_counts(data: st.DataObject) -> None:
    sizes, levels = [30_000, 10_000, 20_000, 15_000, 25_000], [0.01, 0.1, 0.5, 1.0, 2.0]
    p = yes_or_no(dict(zip(levels, sizes, strict=True)), data.draw(st.sampled_from(QUERIES[:4])))
    yes = [data.draw(st.integers(0, n)) for n in sizes]
    if data.draw(st.booleans()):  # next to the boundary
        yes = [n * p.needed // p.people for n in sizes]
        yes[0] += p.needed - sum(yes) + data.draw(st.integers(-3, 3))
    assert violations(p, sides(yes, sizes)) == []


def as_rule(p: Threshold) -> Rule:
    """The counts graph of a poll, made up as it goes, with the balanced alpha."""
    sizes = [g.size for g in p.groups]

    def counts(key: str) -> np.ndarray:
        return sides(list(map(int, key.split("-"))), sizes)

    def neighbors(key: str) -> list[tuple[str, float]]:
        return [("-".join(map(str, n[:, 0])), e) for n, e in p.neighbors(counts(key))]

    def alpha(key: str) -> tuple[float, float] | None:
        here = p.truth(counts(key))
        across = [e for n, e in p.neighbors(counts(key)) if p.truth(n) != here]
        if not across:
            return None
        true = 1.0 / (1.0 + math.exp(-min(across)))
        return (true, 1.0 - true) if here == 0 else (1.0 - true, true)

    least = 1.0 / (1.0 + math.exp(max(g.epsilon for g in p.groups)))
    return Rule(("yes", "no"), lambda key: p.options[p.truth(counts(key))], neighbors, alpha, (least, least))


def test_ball_search_on_the_rule_finds_the_same() -> None:
    """100,000 people with five epsilons, close votes: a graph of 10^22 datasets, searched from the one that is true."""
    p = yes_or_no(dict.fromkeys((0.2, 0.4, 0.5, 0.8, 1.0), 20_000))
    for yes in ([10_000] * 5, [10_001, 10_000, 10_000, 10_000, 10_000], [10_002, 9_999, 10_000, 9_998, 10_000]):
        found = ball.evaluate(as_rule(p), ["-".join(map(str, yes))]).evaluations[0]
        expected = p.distribution(sides(yes, [20_000] * 5))
        assert tuple(found.probabilities.values()) == pytest.approx(expected, rel=1e-12)


def test_what_is_not_private_is_found() -> None:
    class Loud(Threshold):
        """A unit in the last place more accurate than is allowed, where one person decides."""

        def distribution(self, counts: np.ndarray) -> tuple[float, ...]:
            right, wrong = super().distribution(counts)
            return (1.0 - wrong * 0.999, wrong * 0.999) if right > wrong else (right, wrong)

    loud = Loud((Group(0.5, 3), Group(1.0, 2)), ("yes", "no"), 3)
    (one, *_) = violations(loud, np.array([[1, 2], [2, 0]]))
    assert "beyond epsilon 0.5" in one
    assert violations(poll(loud.groups), np.array([[1, 2], [2, 0]])) == []
    checked, wrong = broken(loud.distribution, [(3, 0.5), (2, 1.0)], 2)
    assert checked == 2 * 2 * (3 * 3 + 4 * 2)  # both answers, both ways
    assert any(each.endswith("in group 0") for each in wrong)


def levels_of(y: Decimal, k: int) -> Decimal:
    """P at a cost, by the definition."""
    return (1 - y.exp() / k) / (k - 1) if y.exp() <= Decimal(k) / 2 else (-y).exp() * k / (4 * (k - 1))


@pytest.mark.parametrize("k", [2, 3, 7, 50])
def test_units_and_their_functions_round_the_safe_way(k: int) -> None:
    """C(E) is the floor of where S = e^eps P, and grows no faster than E; P lies above its value, by 2^-51 at most."""
    rng = random.Random(k)
    with localcontext() as context:
        context.prec = 400
        for e in [0.0, 2.0**-60, 1e-9, 0.3, 1.0, 34.7, 36.0, 300.0, 690.0] + [rng.uniform(0, 40) for _ in range(20)]:
            each = units(e, k)
            assert each == 0 or Fraction(each + k, UNIT) <= Fraction(e) < Fraction(each + k + 1, UNIT)
            even = 1 / ((Decimal(each) / UNIT).exp() + k - 1)
            c = crossing(each, k)
            assert each == c == 0 or levels_of(Decimal(c) / UNIT, k) >= even > levels_of(Decimal(c + 1) / UNIT, k)
            assert 0 <= crossing(each + 1, k) - c <= 1
        for x in [0.0, 0.69, 0.7, 1.0, 1.2, 50.0, 700.0] + [rng.uniform(0.0, 707) for _ in range(40)]:
            exact, p = levels_of(Decimal(int(x * UNIT)) / UNIT, k), Decimal(chance(int(x * UNIT), k))
            assert p * k <= 1
            assert p <= exact * (1 + Decimal(2) ** -51)
            assert p >= min(exact, (1 - Decimal(2) ** -52) / k)
    assert chance(708 * UNIT, k) == chance(10**9 * UNIT, k) == TINY


def test_people_with_epsilon_0_change_nothing() -> None:
    """Two of five have epsilon 0: the other three decide where they can, else it is a coin toss."""
    p = poll([Group(0.0, 2), Group(1.0, 3)])
    for others in range(4):
        rows = {p.distribution(sides([silent, others], [2, 3])) for silent in range(3)}
        assert len(rows) == 1
    assert p.distribution(sides([0, 2], [2, 3])) == (0.5, 0.5)
    assert p.distribution(sides([0, 3], [2, 3]))[0] == pytest.approx(1 / (1 + math.exp(-1)), rel=1e-12)


def test_one_answer_only_is_certain() -> None:
    p = poll([Group(0.5, 4)], "threshold:0")
    assert (p.worst, p.largest_margin, p.margin(sides([0], [4])), p.margin_for(0.9)) == (1.0, 0, None, None)
    assert p.distribution(sides([0], [4])) == (1.0, 0.0)


def test_ties() -> None:
    """More than half is a majority; of a plurality, the option that is named first wins a tie."""
    tie = sides([2], [4])
    groups = [Group(1.0, 4)]
    assert poll(groups).truth(tie) == 1
    assert poll(groups, "plurality", ["tea", "coffee"]).truth(tie) == 0
    assert poll(groups, "threshold:1/2").truth(tie) == 0


# --- plurality --------------------------------------------------------------------------------------------------------


def all_counts(sizes: list[int], k: int) -> list[np.ndarray]:
    """Every way in which people of these groups can choose among k options."""
    rows = [[row for row in itertools.product(range(n + 1), repeat=k) if sum(row) == n] for n in sizes]
    return [np.array(counts) for counts in itertools.product(*rows)]


def cheapest_ways(p: Poll, datasets: list[np.ndarray]) -> dict[bytes, int]:
    """The cost of every dataset by its definition: shortest paths to another answer over the whole graph."""
    k = len(p.options)
    each = {group.epsilon: units(group.epsilon, k) for group in p.groups}
    edges = {d.tobytes(): [(n, e) for n, e in p.neighbors(d)] for d in datasets}
    cost = {
        d.tobytes(): min(
            (crossing(each[e], k) for n, e in edges[d.tobytes()] if p.truth(n) != p.truth(d)), default=10**30
        )
        for d in datasets
    }
    of = {d.tobytes(): d for d in datasets}
    queue = [(c, key) for key, c in cost.items()]
    heapq.heapify(queue)
    while queue:
        c, key = heapq.heappop(queue)
        if c == cost[key]:
            for n, e in edges[key]:
                if p.truth(n) == p.truth(of[key]) and c + each[e] < cost[n.tobytes()]:
                    cost[n.tobytes()] = c + each[e]
                    heapq.heappush(queue, (c + each[e], n.tobytes()))
    return cost


@pytest.mark.parametrize("seed", range(12))
def test_plurality_is_the_cheapest_way_to_another_answer_and_private(seed: int) -> None:
    rng = random.Random(seed)
    k = rng.choice([3, 3, 4])
    sizes = [rng.randint(1, 4 if k == 3 else 2) for _ in range(rng.randint(1, 3))]
    levels = [rng.choice([1e-13, 0.01, 0.2, 0.9, 2.0, 50.0, 400.0, rng.uniform(0.1, 1.0)]) for _ in sizes]
    p = poll([Group(e, n) for e, n in zip(levels, sizes, strict=True)], "plurality", "abcd"[:k])
    datasets = all_counts([group.size for group in p.groups], k)
    cost = cheapest_ways(p, datasets)
    seen: dict[int, list[float]] = {}
    for d in datasets:
        assert p.cost(d) == min(cost[d.tobytes()], 709 * UNIT)
        row = p.distribution(d)
        assert max(row) == row[p.truth(d)]
        margin = p.margin(d)
        assert margin is not None
        seen.setdefault(margin, []).append(max(row))
    assert broken(p.distribution, [(group.size, group.epsilon) for group in p.groups], k)[1] == []
    assert max(seen) <= p.largest_margin
    for margin, found in seen.items():
        assert p.at(margin).worst <= min(found)
    assert p.worst == min(seen[1])


def test_plurality_of_many_people_is_private_at_neighboring_counts() -> None:
    p = poll([Group(e, 20_000) for e in (0.01, 0.1, 0.5, 1.0, 2.0)], "plurality", ["a", "b", "c"])
    close = np.array([[6_700, 6_650, 6_650]] * 5)
    assert (p.truth(close), p.margin(close)) == (0, 126)
    assert p.distribution(close)[1] == p.distribution(close)[2] < p.distribution(close)[0]
    assert violations(p, close) == []
    tie = np.array([[6_700, 6_700, 6_600]] * 5)
    assert (p.truth(tie), p.margin(tie)) == (0, 1)
    assert violations(p, tie) == []


def test_plurality_of_people_alike_is_randomized_response_at_the_boundary() -> None:
    p = poll([Group(math.log(2), 3)], "plurality", ["a", "b", "c"])
    assert p.distribution(np.array([[2, 1, 0]])) == pytest.approx((0.5, 0.25, 0.25), rel=1e-12)
    assert p.distribution(np.array([[3, 0, 0]])) == pytest.approx((0.75, 0.125, 0.125), rel=1e-12)


# --- what is known beforehand -----------------------------------------------------------------------------------------


@given(
    st.dictionaries(st.sampled_from([0.1, 0.4, 1.0, 2.5]), st.integers(1, 4), min_size=1), st.sampled_from(QUERIES[:4])
)
@settings(max_examples=40)
def test_accuracy_by_margin_is_that_of_all_datasets(groups: dict[float, int], query: str) -> None:
    p = poll([Group(e, n) for e, n in groups.items()], query)
    sizes = [g.size for g in p.groups]
    seen: dict[int, list[float]] = {}
    for yes in itertools.product(*(range(n + 1) for n in sizes)):
        counts = sides(list(yes), sizes)
        margin = p.margin(counts)
        assert margin is not None
        seen.setdefault(margin, []).append(p.distribution(counts)[p.truth(counts)])
    assert max(seen) == p.largest_margin
    for row in map(p.at, sorted(seen)):
        assert (row.worst, row.best) == (min(seen[row.margin]), max(seen[row.margin]))
        assert row.even is not None
        assert min(seen[row.margin]) <= row.even <= max(seen[row.margin])
    assert p.worst == min(map(min, seen.values()))
    for accuracy in (0.6, 0.9, 0.99):
        sure = [m for m in seen if min(seen[m]) >= accuracy]
        assert p.margin_for(accuracy) == (min(sure) if sure else None)


def test_the_margin_is_how_many_must_change() -> None:
    p = yes_or_no([Group(0.3, 5), Group(1.0, 4)], "threshold:2/3")
    counts = sides([4, 3], [5, 4])
    assert (p.needed, p.truth(counts), p.margin(counts)) == (6, 0, 2)
    assert p.margin(sides([1, 1], [5, 4])) == 4


def test_groups_in_plain_words() -> None:
    group = Group(math.log(3), 10)
    assert (group.factor, group.belief) == pytest.approx((3.0, 0.75))


@pytest.mark.parametrize(
    ("groups", "query", "options", "message"),
    [
        ([], "majority", ["a", "b"], "nobody takes part; a poll needs at least one person with an epsilon above 0"),
        ([Group(-1.0, 2)], "majority", ["a", "b"], "epsilon is -1.0; give a number from 0 to 690"),
        ([Group(math.nan, 2)], "majority", ["a", "b"], "epsilon is nan; give a number from 0 to 690"),
        ([Group(1.0, 0)], "majority", ["a", "b"], "the group with epsilon 1 has 0 people; give at least one"),
        ([Group(1.0, 1)], "mayority", ["a", "b"], "the query is 'mayority'; did you mean 'majority'?"),
        ([Group(1.0, 1)], "threshold:3/2", ["a", "b"], "the query is 'threshold:3/2'; give majority, plurality, or"),
        ([Group(1.0, 1)], "threshold:1/0", ["a", "b"], "the query is 'threshold:1/0'; give majority, plurality, or"),
        ([Group(1.0, 1)], "majority", ["a"], "the options are a; name at least two different ones"),
        ([Group(1.0, 1)], "majority", ["a", "a"], "the options are a, a; name at least two different ones"),
        ([Group(1.0, 1)], "majority", ["a", "b", "c"], "majority is asked about 3 options; name two"),
        ([Group(1e-17, 1)], "plurality", ["a", "b", "c"], "epsilon is 1e-17; give 0 or at least 3.6e-15"),
    ],
)
def test_no_poll(groups: list[Group], query: str, options: list[str], message: str) -> None:
    with pytest.raises(GraphError) as raised:
        poll(groups, query, options)
    assert str(raised.value).startswith(message)


def test_what_changes_by_a_factor_of_e_to_the_epsilon_is_the_chance_of_an_answer() -> None:
    """One voter, epsilon 1: the chances 0.73 and 0.27, a factor of e; the odds of the answer change by e^2."""
    one = poll([Group(1.0, 1)])
    chances = [one.distribution(np.array([counts]))[0] for counts in ([1, 0], [0, 1])]
    odds = [p / (1 - p) for p in chances]
    assert chances[0] / chances[1] == pytest.approx(one.groups[0].factor) == pytest.approx(math.e)
    assert odds[0] / odds[1] == pytest.approx(math.e**2)
