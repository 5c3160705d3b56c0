"""Polls of every size: finite figures that agree with each other, whatever the epsilons, the levels and the prior."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neodp.errors import GraphError
from neodp.polls import Group, poll
from neodp.polls.comparison import preview
from neodp.polls.expected import balanced_accuracy
from neodp.polls.prior import Prior, binomial

EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 20.0)
PRIORS = ("even", "share:0.01", "share:0.6", "share:0.9", "beta:1,1", "beta:2,3", "beta:0.01,5", "beta:1e-9,1e9")


def groups_of(people: int, levels: int, rng: np.random.Generator) -> list[Group]:
    """Return that many people in at most that many levels."""
    epsilons = rng.choice(EPSILONS, min(levels, people), replace=False).tolist()
    ends = np.sort(rng.permutation(people - 1)[: len(epsilons) - 1]) + 1
    sizes = np.diff([0, *ends.tolist(), people]).tolist()
    return [Group(e, n) for e, n in zip(epsilons, sizes, strict=True)]


def summed(group: Group, needed: int, share: float) -> float:
    """Return the expected accuracy of one group's majority from its definition, a sum over all numbers of votes."""
    found = 0.0
    for yes, chance in enumerate(binomial(group.size, share).tolist()):
        margin = yes - needed + 1 if yes >= needed else needed - yes
        found += chance * (1.0 - math.exp(-group.epsilon * (margin - 1)) / (1.0 + math.exp(group.epsilon)))
    return found


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0, 10.0, 20.0, 690.0])
def test_majorities_of_up_to_two_thousand_people_are_summed_exactly(epsilon: float) -> None:
    """The expectation of e^-(sum of epsilons) underflows from some 1,000 people on; its logarithm does not."""
    for people in (1, 2, 100, 1_080, 1_110, 1_320, 1_960, 1_999, 2_000):
        group = Group(epsilon, people)
        for share in (0.5, 0.9):
            found = balanced_accuracy(poll([group]), Prior.parse(f"share:{share}"))  # type: ignore[arg-type]
            assert found.method == "exact"
            assert found.value == pytest.approx(summed(group, people // 2 + 1, share), abs=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_every_size_to_three_hundred(prior: str) -> None:
    """With a beta prior, whose sums take longer, every eleventh size."""
    rng = np.random.default_rng(5)
    for people in range(1, 301, 11 if prior.startswith("beta") else 1):
        found = balanced_accuracy(poll(groups_of(people, 1 + people % 3, rng)), Prior.parse(prior))  # type: ignore[arg-type]
        assert 0.5 <= found.value <= 1.0  # balanced is nowhere worse than a coin


@pytest.mark.parametrize("prior", PRIORS)
def test_sizes_to_a_million_and_levels(prior: str) -> None:
    rng = np.random.default_rng(6)
    for people in np.unique(np.geomspace(301, 10**6, 4).astype(int)).tolist():
        both = preview(groups_of(people, int(rng.integers(1, 5)), rng), "majority", prior=prior)
        for facts in (both.balanced, both.weighted):
            assert 0.0 <= facts.worst <= 1.0
            assert 0.0 <= facts.expected <= 1.0
        assert both.weighted.expected >= both.balanced.expected - 1e-6


@pytest.mark.parametrize(
    ("groups", "query", "options"),
    [
        ([(0.1, 5), (0.3, 5), (0.7, 5), (1.0, 5), (2.0, 4)], "majority", ("yes", "no")),
        ([(0.1, 15), (1.0, 15), (2.0, 15)], "majority", ("yes", "no")),  # 10 s by the simplex method without a limit
        ([(0.3, 15), (0.5, 15), (1.0, 15)], "threshold:2/3", ("yes", "no")),  # 90 s
    ],
)
def test_a_program_that_takes_long_gives_way_to_scores(
    groups: list[tuple[float, int]], query: str, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small polls whose programs over all tables once took minutes: the work is limited, and what it finds is good."""
    from neodp.core import linear
    from neodp.polls.score_programs import EFFORT

    solved = linear.Program.solve
    work: list[int] = []

    def counted(program: linear.Program, method: linear.Method, iterations: int | None = None) -> linear.Solution:
        result = solved(program, method, iterations)
        work.append(result.iterations * len(program.most))
        return result

    monkeypatch.setattr(linear.Program, "solve", counted)
    both = preview([Group(e, n) for e, n in groups], query, options, prior="share:0.9")
    assert max(work) <= EFFORT
    assert sum(work) <= 2 * EFFORT
    assert both.weighted.expected >= 0.999


@pytest.mark.parametrize("people", [[(0.5, 5), (2.0, 6)], [(0.5, 4), (1.0, 4), (2.0, 3)]])
def test_pluralities_of_few_people_solve_few_programs(
    people: list[tuple[float, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eleven people and four options once took ten seconds; the programs together now have a limited size."""
    from neodp.core import linear
    from neodp.polls.choosing_plurality import INEQUALITIES

    solved = linear.Program.solve
    rows: list[int] = []

    def counted(program: linear.Program, method: linear.Method, iterations: int | None = None) -> linear.Solution:
        rows.append(len(program.most) - len(program.cost))  # without the sums of chances, which are no more
        return solved(program, method, iterations)

    monkeypatch.setattr(linear.Program, "solve", counted)
    both = preview([Group(e, n) for e, n in people], "plurality", "abcd")
    assert 0 < sum(rows) <= INEQUALITIES
    assert both.weighted.expected > both.balanced.expected + 0.1


@pytest.mark.parametrize(
    "group", [Group(1.0, math.nan), Group(math.nan, 3), Group("1", 3), Group(1.0, 2.5), Group(1.0, True), 3]  # type: ignore[arg-type]
)  # fmt: skip
def test_groups_that_cannot_be(group: Group) -> None:
    with pytest.raises(GraphError):
        poll([group])


def test_a_group_with_epsilon_0_is_not_asked() -> None:
    with pytest.raises(GraphError, match="leave it out"):
        preview([Group(0.0, 3), Group(1.0, 3)])
