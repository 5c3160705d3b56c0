"""Weighted pluralities: exactly private, near the linear program over all tables, never below balanced."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_array

from neodp.data.validation import UNIT
from neodp.errors import GraphError
from neodp.polls import Group, Plurality, poll, violations
from neodp.polls import choosing_plurality as module
from neodp.polls.choosing import weighted
from neodp.polls.choosing_plurality import weighted_plurality
from neodp.polls.comparison import preview
from neodp.polls.expected import plurality_accuracy, sampled_accuracy
from neodp.polls.gap_programs import on_all_tables, on_gaps
from neodp.polls.prior import Prior
from neodp.polls.samples import sample
from neodp.polls.weighted_plurality import WeightedPlurality, flip, flips
from tests.polls.enumeration import broken


def plurality(people: list[tuple[int, float]], options: str = "abc") -> Plurality:
    found = poll([Group(epsilon, size) for size, epsilon in people], "plurality", options)
    assert isinstance(found, Plurality)
    return found


def optimum(people: list[tuple[int, float]], k: int) -> float:
    """The linear program over all ways to vote, person by person, when votes are even: nothing of neodp."""
    sizes, levels = zip(*people, strict=True)

    def parts(n: int, k: int) -> list[tuple[int, ...]]:
        return [(n,)] if k == 1 else [(i, *rest) for i in range(n + 1) for rest in parts(n - i, k - 1)]

    tables = list(itertools.product(*(parts(n, k) for n in sizes)))
    place = {table: i for i, table in enumerate(tables)}
    worth, rows = np.zeros((len(tables), k)), []
    for table, i in place.items():
        ways = math.prod(math.factorial(sum(row)) // math.prod(map(math.factorial, row)) for row in table)
        totals = [sum(column) for column in zip(*table, strict=True)]
        worth[i, totals.index(max(totals))] = ways / k ** sum(sizes)
        for g, a, b in itertools.product(range(len(sizes)), range(k), range(k)):
            if a != b and table[g][a]:
                row = list(table[g])
                row[a] -= 1
                row[b] += 1
                j = place[(*table[:g], tuple(row), *table[g + 1 :])]
                rows += [(i * k + o, j * k + o, levels[g]) for o in range(k)]
    less = lil_array((len(rows), worth.size))
    for r, (one, two, epsilon) in enumerate(rows):
        less[r, one], less[r, two] = math.exp(-epsilon), -1.0
    whole = np.kron(np.eye(len(tables)), np.ones(k))
    found = linprog(
        -worth.reshape(-1),
        less.tocsr(),
        np.zeros(len(rows)),
        whole,
        np.ones(len(tables)),
        bounds=(0, 1),
        method="highs",
    )
    return float(-found.fun)


KINDS = ("tables", "gaps", "ordered gaps", "flip")


def of_kind(p: Plurality, kind: str, weights: tuple[int, ...], prior: Prior, reach: int = 40) -> WeightedPlurality:
    known = sample(p, prior)
    if kind == "tables":
        found = on_all_tables(p, known, prior)
    elif kind.endswith("gaps"):
        top = sum(w * group.size for w, group in zip(weights, p.groups, strict=True))
        found, _ = on_gaps(p, known, weights, prior, min(top, reach), ordered=kind == "ordered gaps")
    else:
        found = module._flip(p, known, weights, prior)
    assert found is not None
    assert found.kind == kind
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", ["abc", "abcd"])
def test_every_small_population_is_private_to_the_last_bit(kind: str, options: str) -> None:
    """Every table and every neighbour, in whole numbers."""
    checked = 0
    most = (4, 3) if options == "abc" else (2, 2)
    for sizes in itertools.product(range(most[0] + 1), range(most[1] + 1)):
        people = [(n, e) for n, e in zip(sizes, (0.1, 1.3), strict=True) if n]
        if not people:
            continue
        p = plurality(people, options)
        weights = (1, 4) if len(people) == 2 else (1,)
        found = of_kind(p, kind, weights, Prior())
        assert all(
            sum(found.distribution(counts)) == pytest.approx(1.0, abs=1e-15) for counts in sample(p, Prior()).counts
        )
        inequalities, wrong = broken(found.distribution, people, len(options))
        assert wrong == []
        checked += inequalities
    assert checked > 1_000


@pytest.mark.parametrize(("options", "apart"), [("abc", 1), ("abc", 0), ("abcd", 2), ("abcd", 1)])
def test_options_that_are_alike_are_private_to_the_last_bit(options: str, apart: int) -> None:
    """Every table and every neighbour; where options that are alike change places, so do their chances."""
    p = plurality([(2, 0.1), (2, 1.3)], options)
    known = sample(p, Prior())
    best, found = on_all_tables(p, known, Prior()), on_all_tables(p, known, Prior(), apart)
    assert best is not None
    assert found is not None
    assert sampled_accuracy(p, known).value - 1e-6 <= found.expected <= best.expected + 1e-9
    assert broken(found.distribution, [(2, 0.1), (2, 1.3)], len(options))[1] == []
    for counts in known.counts:
        row, swapped = found.distribution(counts), found.distribution(counts[:, [*range(len(options) - 2), -1, -2]])
        assert (row[-2], row[-1]) == pytest.approx((swapped[-1], swapped[-2]), abs=2.0**-45)


def test_a_program_that_is_too_large_has_options_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three options of 45 tables: 135 variables, or fewer where two are alike. Gaps make up for ties."""
    p = plurality([(1, 0.1), (4, 2.0)])
    best = weighted_plurality(p)
    monkeypatch.setattr(module, "PROGRAM", 100)
    assert module.told_apart(p) == 1
    found = weighted_plurality(p)
    assert isinstance(best, WeightedPlurality)
    assert isinstance(found, WeightedPlurality)
    assert best.expected - 0.005 <= found.expected <= best.expected + 1e-9
    assert found.expected == pytest.approx(sampled_accuracy(found, sample(p, Prior())).value, abs=1e-12)


def test_one_group_has_no_options_that_are_alike() -> None:
    """25 people of epsilon 2.44, four options: .9205 with two of them alike, .93108 with the whole program."""
    found = weighted_plurality(plurality([(25, 2.44)], "abcd"))
    assert isinstance(found, WeightedPlurality)
    assert 0.9310 < found.expected < 0.93109


def test_one_group_has_options_that_are_alike_where_gaps_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six people of epsilon .2, as if the whole program were too large, and that over all gaps as well."""
    p = plurality([(6, 0.2)], "abcd")
    best = of_kind(p, "tables", (), Prior()).expected
    monkeypatch.setattr(module, "PROGRAM", 200)
    monkeypatch.setattr(module, "GAPS", 200)
    assert module.told_apart(p) == 2
    found = weighted_plurality(p)
    assert isinstance(found, WeightedPlurality)
    assert found.kind == "tables"
    assert best - 0.005 <= found.expected <= best + 1e-7
    assert of_kind(p, "ordered gaps", (1,), Prior()).expected < best - 0.005


@pytest.mark.parametrize("kind", ["gaps", "ordered gaps"])
def test_gaps_that_are_cut_off_are_private_too(kind: str) -> None:
    for weights in ((1, 2), (0, 2), (2, 3)):
        p = plurality([(5, 0.4), (4, 1.3)])
        found = of_kind(p, kind, weights, Prior(), 5)
        assert max(max(key) for key in found.rows) == 5
        assert broken(found.distribution, [(5, 0.4), (4, 1.3)], 3)[1] == []


@pytest.mark.parametrize("kind", KINDS)
def test_accuracy_by_margin_is_certain(kind: str) -> None:
    """No table with a margin is answered less accurately than is said of that margin; more is said of greater ones."""
    for people in ([(9, 0.7)], [(3, 0.4), (5, 1.3)]):
        p = plurality(people)
        found = of_kind(p, kind, (1, 2)[: len(people)], Prior(), 8)
        least: dict[int, float] = {}
        for counts in sample(p, Prior()).counts:
            margin = found.margin(counts)
            assert margin is not None
            right = found.distribution(counts)[found.truth(counts)]
            for m in range(1, margin + 1):
                least[m] = min(least.get(m, 1.0), right)
        said = [found.worst_at(m) for m in sorted(least)]
        assert all(each <= least[m] for m, each in zip(sorted(least), said, strict=True))
        assert said == sorted(said)
        if kind == "tables":
            assert said == [least[m] for m in sorted(least)]
        elif len(people) == 1:
            assert said[-1] > 0.7


def test_large_polls_are_private_at_what_is_asked() -> None:
    p = weighted([Group(float(e), 2000) for e in np.linspace(0.2, 2.0, 40)], "plurality", "abc")
    assert isinstance(p, WeightedPlurality)
    assert not p.exact
    rng = np.random.default_rng(2)
    for chances in ((0.34, 0.33, 0.33), (0.8, 0.1, 0.1)):
        counts = rng.multinomial(2000, chances, 40)
        assert violations(p, counts, groups=[0, 1, 20, 39]) == []
        assert min(p.distribution(counts)) >= 2.0**-1022


@pytest.mark.parametrize(
    ("people", "options", "known"),
    [
        ([(1, 0.1), (4, 2.0)], "abc", 0.713),
        ([(5, 1.0)], "abc", 0.674),
        ([(4, 0.5), (4, 2.0)], "abc", 0.665),
        ([(2, 0.3), (2, 1.0)], "abcd", None),
        ([(3, 0.02), (2, 3.0)], "abc", None),
    ],
)
def test_few_tables_reach_the_optimum(people: list[tuple[int, float]], options: str, known: float | None) -> None:
    best = optimum(people, len(options))
    if known is not None:
        assert best == pytest.approx(known, abs=6e-4)
    p = plurality(people, options)
    found = weighted_plurality(p)
    assert isinstance(found, WeightedPlurality)
    assert found.expected == pytest.approx(best, abs=1e-5)
    tables = sample(p, Prior())
    right = [found.distribution(c)[found.truth(c)] for c in tables.counts]
    assert found.expected == pytest.approx(float(tables.chance @ right), abs=1e-12)
    assert found.worst == min(right)
    assert found.expected > sampled_accuracy(p, tables).value


def test_a_thousand_tables_reach_the_optimum() -> None:
    found = weighted_plurality(plurality([(3, 0.1), (3, 1.0), (3, 2.0)]))
    assert isinstance(found, WeightedPlurality)
    assert found.expected == pytest.approx(0.622, abs=6e-4)


@pytest.mark.parametrize(
    "people", [[(6, 0.3), (6, 1.0)], [(8, 0.5), (5, 2.0)], [(2, 0.1), (10, 1.0)], [(3, 0.1), (3, 1.0), (3, 2.0)]]
)
def test_scores_come_close_to_all_tables(monkeypatch: pytest.MonkeyPatch, people: list[tuple[int, float]]) -> None:
    """As if there were too many tables for the program: within .03 of it, and never below balanced."""
    p = plurality(people)
    best = of_kind(p, "tables", (), Prior()).expected
    monkeypatch.setattr(module, "PROGRAM", 0)
    found = weighted_plurality(p)
    assert isinstance(found, WeightedPlurality)
    assert best - 0.03 <= found.expected <= best
    assert found.expected > sampled_accuracy(p, sample(p, Prior())).value


def test_balanced_is_returned_where_nothing_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROGRAM", 0)
    monkeypatch.setattr(module, "GAPS", 0)
    assert type(weighted_plurality(plurality([(5, 1.0)]))) is Plurality


def test_the_greatest_epsilon_there_is() -> None:
    p = weighted([Group(0.3, 1), Group(690.0, 2)], "plurality", "abc")
    assert violations(p, np.array([[1, 0, 0], [0, 1, 1]])) == []
    assert p.distribution(np.array([[0, 0, 1], [0, 2, 0]]))[1] > 1.0 - 1e-6


def test_flip_is_permute_and_flip() -> None:
    """Against the definition: every order of the options, one coin after another."""
    for gaps in ([0, 1, 4], [0, 0, 3, 7], [2, 0]):
        f = [math.exp(-gap / 2.0) for gap in gaps]
        expected = [0.0] * len(gaps)
        orders = list(itertools.permutations(range(len(gaps))))
        for order in orders:
            still = 1.0
            for j in order:
                expected[j] += still * f[j] / len(orders)
                still *= 1.0 - f[j]
        assert flip(gaps, UNIT) == pytest.approx(expected, abs=1e-14)
        rows = np.repeat(np.array([gaps]) / 2.0, len(gaps), axis=0)
        assert flips(rows, np.arange(len(gaps))) == pytest.approx(expected, abs=1e-14)
    many = flip([5 * j for j in range(36)], UNIT // 10)
    assert sum(many) == pytest.approx(1.0, abs=1e-14)
    assert list(many) == sorted(many, reverse=True)
    assert min(flip([0, 10**9, 10**9], UNIT)) == 2.0**-1022


def test_accuracy_group_by_group_is_that_of_the_mechanism() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        k = int(rng.integers(3, 5))
        people = [(int(n), float(e)) for n, e in zip(rng.integers(1, 4, 3), rng.uniform(0.05, 3, 3), strict=True)]
        p = plurality(people, "abcd"[:k])
        for counts in sample(p, Prior()).counts[::37]:
            assert plurality_accuracy(p, counts) == pytest.approx(p.distribution(counts)[p.truth(counts)], abs=1e-12)


def test_many_tables_are_sampled_and_said_to_be() -> None:
    found = preview([Group(0.2, 40), Group(1.0, 40), Group(2.0, 40)], "plurality", "abc")
    assert found.balanced.method == found.weighted.method == "sampled"
    assert found.differ
    assert found.weighted.worst <= found.weighted.adversarial
    assert found.balanced.adversarial > 1 / 3


def test_priors_of_options() -> None:
    p = plurality([(2, 0.5), (3, 1.0)])
    given = Prior.parse("share:a=0.6")
    tables = sample(p, given)
    assert float(tables.chance.sum()) == pytest.approx(1.0)
    assert float(tables.chance @ tables.counts[:, :, 0].sum(axis=1)) == pytest.approx(3.0)
    found = weighted_plurality(p, given)
    assert isinstance(found, WeightedPlurality)
    assert found.expected >= sampled_accuracy(p, tables).value
    for text, message in (
        ("share:0.6", "the prior 'share:0.6' is for two options"),
        ("beta:1,1", "the prior 'beta:1,1' is for two options"),
        ("share:d=0.6", "the prior names the option 'd'"),
        ("share:a=0.6,b=0.6", "do not fit"),
        ("share:a=0.2,b=0.2,c=0.2", "do not fit"),
    ):
        with pytest.raises(GraphError, match=message):
            weighted_plurality(p, text)
