"""The cost of several answers together: exact sums, the optimal bound, and figures that are never below the truth."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import PrivacyError
from neodp.ledger.composition import Loss, admits, basic, compose, delta_at, filtered, least_epsilon


def slow_delta(losses: list[Loss], epsilon: float) -> Fraction:
    """The delta of the worst case, over all patterns of truths and lies, in 100 digits."""
    with localcontext(Context(prec=100)):
        kept, tail = Decimal(1), Decimal(0)
        for loss in losses:
            kept *= 1 - Decimal(loss.delta)
        powers = [Decimal(loss.epsilon).exp() for loss in losses]
        for pattern in itertools.product((True, False), repeat=len(losses)):
            p = q = Decimal(1)
            for truth, power in zip(pattern, powers, strict=True):
                p *= (power if truth else 1) / (1 + power)
                q *= (1 if truth else power) / (1 + power)
            tail += max(Decimal(0), p - Decimal(epsilon).exp() * q)
        return Fraction(1 - kept * (1 - tail))


CLOSE = Fraction(1, 10**90)
"""More than the 100 digits are off."""

some_losses = st.lists(
    st.builds(Loss, st.floats(0.0, 5.0), st.sampled_from([0.0, 0.0, 1e-9, 0.01])), min_size=1, max_size=7
)


@given(some_losses, st.floats(0.0, 12.0))
def test_delta_is_that_of_the_worst_case_and_never_below(losses: list[Loss], epsilon: float) -> None:
    found, true = delta_at(losses, epsilon), slow_delta(losses, epsilon)
    assert Fraction(found) >= true - CLOSE
    assert found <= float(true) * (1 + 1e-7) + 1e-12


@given(some_losses, st.sampled_from([0.0, 1e-9, 1e-6, 0.03, 0.3]))
def test_the_least_epsilon_keeps_its_delta(losses: list[Loss], delta: float) -> None:
    epsilon = least_epsilon(losses, delta)
    if math.isinf(epsilon):
        assert slow_delta(losses, basic(losses).epsilon) > Fraction(delta)
        return
    assert slow_delta(losses, epsilon) <= Fraction(delta) + CLOSE
    if epsilon > 1e-6:
        assert float(slow_delta(losses, epsilon * (1 - 1e-6))) > delta * (1 - 1e-6) - 1e-12


def test_equal_epsilons_are_kairouz_oh_viswanath() -> None:
    """Theorem 3.3 of Kairouz, Oh and Viswanath: its (epsilon, delta) pairs, for ten answers of epsilon 0.3."""
    k, e = 10, 0.3
    for i in range(k // 2 + 1):
        formula = (
            sum(math.comb(k, j) * (math.exp((k - j) * e) - math.exp((k - 2 * i + j) * e)) for j in range(i))
            / (1 + math.exp(e)) ** k
        )
        assert delta_at([Loss(e)] * k, (k - 2 * i) * e) == pytest.approx(formula, rel=1e-6, abs=1e-13)


def test_610_answers_of_a_tenth() -> None:
    total = compose([Loss(0.1)] * 610, 1e-6)
    assert total.how == "optimal"
    assert 14.15 < total.epsilon <= 14.16


def test_the_least_of_the_valid_bounds_is_shown() -> None:
    assert compose([Loss(5.0), Loss(0.1)]).epsilon == basic([Loss(5.0), Loss(0.1)]).epsilon == pytest.approx(5.1)
    with_delta = compose([Loss(0.5, 1e-7)] * 3)  # no delta is granted: the answers' own are needed all the same
    assert (with_delta.how, with_delta.epsilon) == ("basic", 1.5)
    assert 3e-7 <= with_delta.delta < 3.1e-7
    assert compose([], 1e-6).epsilon == 0.0
    assert compose([Loss(0.0)] * 5, 0.0).epsilon == 0.0


def test_many_different_epsilons_are_rounded_up_a_little() -> None:
    losses = [Loss(0.1 + i * 1e-4) for i in range(300)]
    low, high = compose([Loss(0.1)] * 300, 1e-6).epsilon, compose([Loss(0.13)] * 300, 1e-6).epsilon
    middle = compose(losses, 1e-6).epsilon
    assert low < middle < high
    assert middle == pytest.approx(compose([Loss(0.11495)] * 300, 1e-6).epsilon, rel=0.02)


@pytest.mark.parametrize("losses", [[Loss(0.1)] * 610, [Loss(0.1)] * 100 + [Loss(0.5)] * 20, [Loss(0.3, 1e-8)] * 50])
def test_googles_accountant_agrees(losses: list[Loss]) -> None:
    """dp-accounting rounds losses up to whole steps of 1e-4: at most a step per answer above ours."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    parts = [
        pld.from_privacy_parameters(common.DifferentialPrivacyParameters(*loss)).self_compose(losses.count(loss))
        for loss in sorted(set(losses))
    ]
    theirs = functools.reduce(lambda one, two: one.compose(two), parts).get_epsilon_for_delta(1e-5)
    ours = compose(losses, 1e-5).epsilon
    assert theirs - 1e-4 * len(losses) - 1e-6 <= ours <= theirs + 1e-6


@pytest.mark.parametrize("loss", [Loss(-1.0), Loss(math.nan), Loss(math.inf), Loss(1.0, 2.0), Loss(1.0, math.nan)])
def test_what_is_no_loss_is_refused(loss: Loss) -> None:
    with pytest.raises(PrivacyError, match=r"a loss is no \(epsilon, delta\)"):
        least_epsilon([loss], 1e-6)
    with pytest.raises(PrivacyError, match=r"delta is nan; give a number from 0 to 1"):
        compose([Loss(1.0)], math.nan)


# --- whoever chooses the next question after the last answer ------------------------------------------------------


def worst_delta(
    base: Fraction, most: int, delta: float, menu: tuple[int, ...], rule: Callable[..., bool] = admits
) -> Fraction:
    """The delta, at epsilon `most` ln(base), of the best of all adversaries who see each answer before the next one.

    They choose multiples of ln(base) from a menu for as long as the rule admits them, whatever was answered; every
    answer is a coin that shows the truth as often as its epsilon allows. All their strategies are enumerated,
    backwards, in rational numbers: with odds of base^width, nothing is rounded but the epsilons that the rule is told,
    and those are rounded in the adversary's favour.
    """
    unit = math.nextafter(math.log(base), 0.0)
    limit = math.nextafter(most * math.log(base), math.inf)
    truth = {width: base**width / (1 + base**width) for width in menu}

    @functools.cache
    def admitted(counts: tuple[int, ...]) -> bool:
        return rule({Loss(width * unit): n for width, n in zip(menu, counts, strict=True) if n}, limit, delta)

    @functools.cache
    def best(counts: tuple[int, ...], loss: int) -> Fraction:
        found = max(Fraction(0), 1 - base ** (most - loss))
        for i, width in enumerate(menu):
            more = (*counts[:i], counts[i] + 1, *counts[i + 1 :])
            if admitted(more):
                p = truth[width]
                found = max(found, p * best(more, loss + width) + (1 - p) * best(more, loss - width))
        return found

    return best((0,) * len(menu), 0)


@pytest.mark.parametrize(
    ("base", "most", "delta", "menu"),
    [
        (Fraction(21, 20), 41, 0.02, (2, 4, 18)),  # epsilon 2.0004, answers of 0.098, 0.195 and 0.878
        (Fraction(6, 5), 11, 0.2, (1, 3)),
        (Fraction(11, 10), 10, 0.05, (1, 3)),  # epsilon 0.953
        (Fraction(6, 5), 5, 0.5, (1, 2)),  # epsilon 0.912
        (Fraction(21, 20), 40, 0.1, (3, 8)),  # epsilon 1.95
    ],
)
def test_no_adaptive_adversary_gets_past_the_filter(
    base: Fraction, most: int, delta: float, menu: tuple[int, ...]
) -> None:
    """Adversaries do get more than a delta of 0, so the filter is put to use, and never more than its own."""
    assert 0 < worst_delta(base, most, delta, menu) <= Fraction(delta)


def test_some_adversary_gets_past_a_bound_for_questions_that_were_fixed_beforehand() -> None:
    """The enumeration finds what it looks for: with the optimal bound as the rule, the delta is exceeded."""

    def fixed(losses: dict[Loss, int], epsilon: float, delta: float) -> bool:
        return delta_at([loss for loss, n in losses.items() for _ in range(n)], epsilon) <= delta

    assert worst_delta(Fraction(6, 5), 11, 0.02, (1, 4, 10), fixed) > Fraction(0.02)


def test_questions_chosen_by_the_answers_before() -> None:
    """Two answers at 0.1, then by what they were 1 at 1.88725, 20 at 0.22341 or 6 at 0.42188: a delta of 0.0331 in all.

    Each of the three plans keeps (2, 0.02), if it was fixed beforehand; the filter does not admit all three.
    """
    plans = {2: (1.88725, 1), 1: (0.22341, 20), 0: (0.42188, 6)}  # by the number of truths
    total = 0.0
    for seen in itertools.product((True, False), repeat=2):
        size, n = plans[sum(seen)]
        losses = [Loss(0.1)] * 2 + [Loss(size)] * n
        assert compose(losses, 0.02).epsilon <= 2.0 + 1e-4
        chance = math.prod(1 / (1 + math.exp(-0.1 if truth else 0.1)) for truth in seen)
        so_far = sum(0.1 if truth else -0.1 for truth in seen)
        for truths in range(n + 1):
            p = 1 / (1 + math.exp(-size))
            loss = so_far + (2 * truths - n) * size
            ways = math.comb(n, truths) * p**truths * (1 - p) ** (n - truths)
            total += chance * ways * max(0.0, -math.expm1(2.0 - loss))
    assert total == pytest.approx(0.0331, abs=1e-4)
    assert not all(admits([Loss(0.1)] * 2 + [Loss(size)] * n, 2.0, 0.02) for size, n in plans.values())


@given(some_losses, st.sampled_from([0.0, 1e-9, 1e-6, 0.03, 0.3]))
def test_the_filter_never_counts_less_than_the_worst_case(losses: list[Loss], delta: float) -> None:
    total = filtered(losses, delta)
    if total.delta <= delta:
        assert slow_delta(losses, total.epsilon) <= Fraction(delta) + CLOSE
        assert admits(losses, total.epsilon, delta)


def test_many_answers_of_many_kinds_are_added_up_at_once() -> None:
    """Ten thousand answers at as many epsilons: a sum, whatever their number."""
    found = filtered([Loss(0.01 + i * 1e-6) for i in range(10_000)], 1e-6)
    assert found.how == "filter"
    assert 8.5 < found.epsilon < 9.5
