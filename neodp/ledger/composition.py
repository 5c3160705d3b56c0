"""The total cost of several answers about the same people.

An answer that keeps (epsilon, delta) for a person lets anyone who sees it learn a bounded amount about that person.
Several answers let them learn more. *Composition* says how much: a pair (E, D) that all answers together keep.

* *Basic composition.* The epsilons add up, and so do the deltas. This bound is always valid, and it is the best
  possible bound if no further delta is granted.
* *Optimal composition* (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016). No mechanism that keeps (eps, delta)
  reveals more than the following game: with chance delta it reveals the person's secret, and otherwise it answers by a
  coin that shows the truth with chance e^eps / (1 + e^eps). So the worst case of several answers is known exactly. The
  *loss* of the answers is the sum of +eps_i or -eps_i, one for each, and together they keep (E, D) iff

      1 - D <= (1 - delta_1) … (1 - delta_n) (1 - T(E)),    T(E) = sum over losses l > E of Pr[l] (1 - e^(E - l)).

  If the epsilons are all different there are 2^n losses. If these are too many, the epsilons are rounded *up* to whole
  multiples of a small step, which can only overstate the cost.

* *Filter* (Rogers, Roth, Ullman and Vadhan 2016; Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). The
  two bounds above differ in one thing: optimal composition needs the epsilons to be fixed before the first answer.
  Whoever chooses the next question after they have seen the last answer can make it fail. A filter decides answer by
  answer whether one more is admitted, and whatever it admits keeps (E, D) together, however the questions were chosen:

      sum of delta_i <= D / 2    and    ( sum of eps_i <= E    or    V / 2 + sqrt(2 ln(2 / D) V) <= E ),
      where V is the sum of eps_i^2; if D is 0, the epsilons must add up to at most E, and all deltas must be 0.

  Why: with chance 1 - D / 2 no answer reveals everything. The loss L of the others grows by steps from -eps_i to eps_i
  whose mean is at most eps_i^2 / 2, so that exp(t L - (t + t^2) V / 2) is a supermartingale for every t > 0. Let v be
  the greatest V with v / 2 + sqrt(2 ln(2 / D) v) <= E. By Ville's inequality with t = sqrt(2 ln(2 / D) / v), the chance
  that ever L >= E while V <= v is at most D / 2; and L never exceeds the sum of the epsilons.

All rounding is such that no figure is below the truth: sums of fractions are exact and rounded up at the end; T has
only positive terms, each with a relative error of at most 1e-9, and is increased by more than that.

References
----------
Kairouz, Oh, Viswanath: The Composition Theorem for Differential Privacy. ICML 2015, arXiv 1311.0776.
Murtagh, Vadhan: The Complexity of Computing the Optimal Composition of Differential Privacy. TCC 2016,
arXiv 1507.03113.
Rogers, Roth, Ullman, Vadhan: Privacy Odometers and Filters: Pay-as-you-Go Composition. NeurIPS 2016, arXiv 1605.08294.
Feldman, Zrnic: Individual Privacy Accounting via a Rényi Filter. NeurIPS 2021, arXiv 2008.11193.
Whitehouse, Ramdas, Rogers, Wu: Fully Adaptive Composition in Differential Privacy. ICML 2023, arXiv 2203.05481.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.data.kinds import checked, wrong_kind
from neodp.data.validation import Floats
from neodp.errors import PrivacyError

__all__ = ["Loss", "Total", "above", "admits", "basic", "compose", "delta_at", "filtered", "least_epsilon"]

ATOMS = 400_000
"""The number of different losses that are kept apart; beyond that, epsilons are rounded up to multiples of a step."""
DIGITS = 4096
"""The number of binary digits kept of a product of chances; it is rounded down, so that the cost is overstated."""
SLACK = 1e-8
"""A relative error that no sum of probabilities in this module reaches."""


class Loss(NamedTuple):
    """The cost of one answer to a person."""

    epsilon: float
    delta: float = 0.0


Losses: TypeAlias = Iterable[Loss] | Mapping[Loss, int]
"""One loss for each answer, or the number of answers with each loss."""


@dataclass(frozen=True)
class Total:
    """The total cost of several answers.

    Attributes
    ----------
    epsilon, delta : float
        The pair that all answers together keep; never below the truth.
    how : str
        The bound that was used: "basic", "optimal" or "filter".
    """

    epsilon: float
    delta: float
    how: str


def basic(losses: Losses) -> Loss:
    """Return the sums of the epsilons and of the deltas, rounded up: basic composition.

    Examples
    --------
    >>> basic([Loss(5.0), Loss(0.25)])
    Loss(epsilon=5.25, delta=0.0)
    """
    known = _counted(losses)
    epsilon = sum((Fraction(loss.epsilon) * n for loss, n in known.items()), Fraction(0))
    return Loss(above(epsilon), min(1.0, above(_sum_of_deltas(known))))


def _sum_of_deltas(known: Counter[Loss]) -> Fraction:
    return sum((Fraction(loss.delta) * n for loss, n in known.items()), Fraction(0))


@checked
def compose(losses: Losses, delta: float = 0.0) -> Total:
    """Return the least epsilon that several answers keep together at a delta, if they were fixed beforehand.

    Parameters
    ----------
    losses : Losses
        One loss for each answer, or the number of answers with each loss.
    delta : float
        The total delta granted. If the answers' own deltas need more than this, they get as much as they need, and the
        result says how much that is.

    Examples
    --------
    Kairouz, Oh and Viswanath: many answers cost far less than their sum, which is 61 here.

    >>> total = compose([Loss(0.1)] * 610, 1e-6)
    >>> total.how, round(total.epsilon, 3)
    ('optimal', 14.155)
    >>> compose([Loss(0.5)] * 3)
    Total(epsilon=1.5, delta=0.0, how='basic')
    """
    known = _counted(losses)
    if not 0.0 <= delta <= 1.0:
        raise PrivacyError(f"delta is {delta!r}", "give a number from 0 to 1")
    plain = basic(known)
    if delta >= plain.delta and delta > 0.0:  # at delta 0, the sum is the optimum
        best = least_epsilon(known, delta)
        if best < plain.epsilon:
            return Total(best, delta, "optimal")
    return Total(plain.epsilon, plain.delta, "basic")


@checked
def admits(losses: Losses, epsilon: float, delta: float) -> bool:
    """Return whether the filter admits several answers, so that all together keep (epsilon, delta) however chosen.

    Examples
    --------
    >>> admits({Loss(0.1): 610}, 16.36, 1e-6), admits({Loss(0.1): 610}, 16.36, 0.0)
    (True, False)
    """
    total = filtered(losses, delta)
    return total.epsilon <= epsilon and total.delta <= delta


@checked
def filtered(losses: Losses, delta: float = 0.0) -> Total:
    """Return the least epsilon at which the filter for a delta admits several answers.

    Parameters
    ----------
    losses : Losses
        One loss for each answer, or the number of answers with each loss.
    delta : float
        The delta of the filter, half of which is for the answers' own deltas. If these need more, the result says how
        much: then no epsilon is great enough.

    Examples
    --------
    >>> filtered([Loss(0.5)] * 3)
    Total(epsilon=1.5, delta=0.0, how='basic')
    >>> total = filtered([Loss(0.1)] * 610, 1e-6)
    >>> total.how, round(total.epsilon, 2)
    ('filter', 16.35)
    """
    known = _counted(losses)
    _require(known)
    if not 0.0 <= delta <= 1.0:
        raise PrivacyError(f"delta is {delta!r}", "give a number from 0 to 1")
    plain = basic(known)
    own = above(2 * _sum_of_deltas(known)) if delta > 0.0 else plain.delta
    if delta == 0.0 or own > delta:
        return Total(plain.epsilon, min(1.0, own), "basic")
    squares = above(sum((Fraction(loss.epsilon) ** 2 * n for loss, n in known.items()), Fraction(0)))
    best = (squares / 2 + math.sqrt(2.0 * math.log(2.0 / delta) * squares)) * (1.0 + SLACK)
    return Total(best, delta, "filter") if best < plain.epsilon else Total(plain.epsilon, delta, "basic")


def least_epsilon(losses: Losses, delta: float) -> float:
    """Return the least epsilon of optimal composition at a delta, rounded up; infinite if delta is too small.

    Examples
    --------
    >>> least_epsilon([Loss(1.0), Loss(1.0)], 0.0)
    2.0
    """
    worst = _Worst.of(losses)
    low, high = 0.0, worst.reach
    if worst.delta(high) > delta:
        return math.inf
    if worst.delta(low) <= delta:
        return low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if worst.delta(middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def delta_at(losses: Losses, epsilon: float) -> float:
    """Return the least delta of optimal composition at an epsilon, rounded up.

    Examples
    --------
    >>> delta_at([Loss(1.0)], 1.0)
    0.0
    >>> round(delta_at([Loss(1.0)], 0.0), 6) == round((math.e - 1) / (math.e + 1), 6)
    True
    """
    return _Worst.of(losses).delta(epsilon)


@dataclass(frozen=True)
class _Worst:
    """The worst case of several answers.

    Attributes
    ----------
    loss, chance : arrays of float
        The losses above 0, never below their true values, and their chances.
    reach : float
        The sum of all epsilons: no loss is greater.
    told : Fraction
        The chance that one of the answers reveals everything.
    """

    loss: Floats
    chance: Floats
    reach: float
    told: Fraction

    @classmethod
    def of(cls, losses: Losses) -> _Worst:
        known = _counted(losses)
        _require(known)
        told = 1 - math.prod((_at_most(1 - Fraction(loss.delta), n) for loss, n in known.items()), start=Fraction(1))
        counts: Counter[float] = Counter()
        for (epsilon, _), n in known.items():
            counts[epsilon] += n if epsilon > 0.0 else 0
        counts = +counts
        many = math.prod(n + 1 for n in counts.values()) > ATOMS
        loss, chance = _on_a_grid(counts) if many else _apart(counts)
        keep = loss > 0.0
        return cls(loss[keep], chance[keep], basic(known).epsilon, told)

    def delta(self, epsilon: float) -> float:
        tail = 0.0
        if epsilon < self.reach:
            beyond = self.loss > epsilon
            tail = float((self.chance[beyond] * -np.expm1(epsilon - self.loss[beyond])).sum())
            tail = min(1.0, tail * (1.0 + SLACK) + len(self.loss) * 2.0**-1022)
        return above(self.told + (1 - self.told) * Fraction(tail))


def _counted(losses: Iterable[Loss] | Mapping[Loss, int]) -> Counter[Loss]:
    """Return how often each loss occurs; refuse what is no loss."""
    known = Counter(losses) if isinstance(losses, Iterable) and not isinstance(losses, str | bytes) else None
    if known is None or not all(isinstance(loss, Loss) for loss in known):
        raise wrong_kind("losses", losses, "Losses, as in [Loss(0.5)]")
    return known


def _require(known: Counter[Loss]) -> None:
    """Refuse losses that are no (epsilon, delta)."""
    if any(not (0.0 <= loss.epsilon < math.inf and 0.0 <= loss.delta <= 1.0) for loss in known):
        raise PrivacyError("a loss is no (epsilon, delta)", "give epsilon of at least 0 and delta from 0 to 1")


def _apart(counts: Counter[float]) -> tuple[Floats, Floats]:
    """Return all losses, each kept apart."""
    loss, chance = np.zeros(1), np.ones(1)
    for epsilon, n in counts.items():
        j = np.arange(n + 1)
        loss = (loss[:, None] + ((2 * j - n) * epsilon)[None, :]).ravel()
        chance = (chance[:, None] * _binomial(n, epsilon)[None, :]).ravel()
    widest = sum(n * epsilon for epsilon, n in counts.items())
    return loss + widest * len(counts) * 2.0**-50, chance  # more than the sums are off


def _on_a_grid(counts: Counter[float]) -> tuple[Floats, Floats]:
    """Return the losses after rounding every epsilon up to a multiple of one step."""
    step = 2.0 * sum(epsilon * n for epsilon, n in counts.items()) / ATOMS
    whole: Counter[int] = Counter()
    for epsilon, n in counts.items():
        whole[math.ceil(Fraction(epsilon) / Fraction(step))] += n
    chance = np.ones(1)
    for width, n in whole.items():
        each = _binomial(n, width * step)
        wider = np.zeros(len(chance) + 2 * width * n)
        for j, p in enumerate(each.tolist()):
            wider[2 * width * j : 2 * width * j + len(chance)] += p * chance
        chance = wider
    reach = (len(chance) - 1) // 2
    loss: Floats = np.arange(-reach, reach + 1, dtype=np.float64) * step + reach * step * 2.0**-50
    return loss, chance


def _binomial(n: int, epsilon: float) -> Floats:
    """Return the chance that j of n coins show the truth, for every j; each has a relative error of at most 1e-9."""
    from scipy.special import gammaln

    j: NDArray[np.int64] = np.arange(n + 1)
    truth, lie = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    ways = gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)
    chance: Floats = np.exp(ways + j * truth + (n - j) * lie)
    return chance


def _at_most(x: Fraction, n: int) -> Fraction:
    """Return x^n for x from 0 to 1, or slightly less if x^n has too many digits."""
    found, power = Fraction(1), x
    while n:
        if n % 2:
            found = _cut(found * power)
        power, n = _cut(power * power), n // 2
    return found


def _cut(x: Fraction) -> Fraction:
    if x.denominator.bit_length() <= DIGITS:
        return x
    return Fraction((x.numerator << DIGITS) // x.denominator, 1 << DIGITS)


def above(x: Fraction) -> float:
    """Return the least double that is not below x."""
    try:
        near = float(x)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= x else math.nextafter(near, math.inf)
