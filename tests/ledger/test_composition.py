"""What several answers cost together: exact sums, the optimal bound, and figures that are never below the truth."""

from __future__ import annotations

import functools
import itertools
import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neodp.errors import PrivacyError
from neodp.ledger.composition import Loss, basic, compose, delta_at, least_epsilon


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
