"""Other things that one could do: each rival's expected accuracy against a sum over all people, one by one."""

import itertools
import math

import numpy as np
import pytest

from bench.poll_rivals import cut, drawn, least, noise_above, randomized_response, rivals, sampled
from neodp.polls import Group, Threshold, poll
from neodp.polls.comparison import preview
from neodp.polls.prior import Prior

PEOPLE = [Group(0.4, 2), Group(1.5, 3)]
EACH = [0.4, 0.4, 1.5, 1.5, 1.5]


def threshold(query: str = "majority") -> Threshold:
    p = poll(PEOPLE, query)
    assert isinstance(p, Threshold)
    return p


def noise(epsilon: float, reach: int = 400) -> list[tuple[int, float]]:
    fall = math.exp(-epsilon)
    return [(z, (1 - fall) / (1 + fall) * fall ** abs(z)) for z in range(-reach, reach + 1)]


@pytest.mark.parametrize("share", [0.5, 0.6])
def test_counts_by_the_definition(share: float) -> None:
    p, prior = threshold(), Prior.parse(f"share:{share}")
    by_cut = {}
    for epsilon in (0.4, 1.5):
        heard = [e >= epsilon for e in EACH]
        mean = sum(share for h in heard if not h)
        right = 0.0
        for votes in itertools.product((0, 1), repeat=5):
            chance = math.prod(share if v else 1 - share for v in votes)
            counted = sum(v for v, h in zip(votes, heard, strict=True) if h)
            for z, likely in noise(epsilon):
                right += chance * likely * ((counted + z >= math.ceil(3 - mean - 1e-9)) == (sum(votes) >= 3))
        by_cut[epsilon] = right
    assert least(p, prior).expected == pytest.approx(by_cut[0.4], abs=1e-9)
    assert cut(p, prior).expected == pytest.approx(max(by_cut.values()), abs=1e-9)


def test_sampling_by_the_definition() -> None:
    p, best = threshold(), 0.0
    for t in (0.4, 1.5):
        heard = [min(1.0, math.expm1(e) / math.expm1(t)) for e in EACH]
        right = 0.0
        for votes, kept in itertools.product(itertools.product((0, 1), repeat=5), itertools.product((0, 1), repeat=5)):
            chance = 0.5**5 * math.prod(h if k else 1 - h for h, k in zip(heard, kept, strict=True))
            balance = sum(2 * v - 1 for v, k in zip(votes, kept, strict=True) if k)
            says_yes = float(noise_above(np.array([0 - balance]), t / 2)[0])
            right += chance * (says_yes if sum(votes) >= 3 else 1 - says_yes)
        best = max(best, right)
    assert sampled(p, Prior()).expected == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_randomized_response_by_the_definition(share: float) -> None:
    right = 0.0
    for told in itertools.product((0, 1), repeat=5):
        by_truth = [0.0, 0.0]
        for votes in itertools.product((0, 1), repeat=5):
            chance = math.prod(share if v else 1 - share for v in votes)
            for v, r, e in zip(votes, told, EACH, strict=True):
                chance *= (1 if v == r else math.exp(-e)) / (1 + math.exp(-e))
            by_truth[sum(votes) >= 3] += chance
        right += max(by_truth)
    prior = Prior.parse(f"share:{share}")
    assert randomized_response(threshold(), prior).expected == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("query", ["majority", "threshold:2/3"])
def test_none_is_better_than_the_optimum(query: str) -> None:
    """All rivals are private, so the linear program over all tables bounds them."""
    groups = [Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)]
    p = poll(groups, query)
    assert isinstance(p, Threshold)
    best = preview(groups, query).weighted.expected
    found = rivals(p, Prior())
    assert len(found) == 4
    for rival in found:
        assert rival.expected <= best + 1e-9


def test_accuracy_by_how_many_say_yes_adds_up() -> None:
    """Each rival's accuracy by the number of yes, weighted with how likely it is, is the expected accuracy."""
    p = threshold()
    for rival in rivals(p, Prior()):
        assert float(Prior().totals(5) @ rival.right) == pytest.approx(rival.expected, abs=1e-12)


def test_the_least_epsilon_is_what_opendp_draws() -> None:
    p = threshold()
    exact = least(p, Prior()).right
    for yes in (1, 3, 4):
        found = drawn(p, yes, 20_000)
        assert (found if yes >= p.needed else 1 - found) == pytest.approx(exact[yes], abs=0.02)  # 5 deviations
