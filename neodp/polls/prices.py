"""The price of privacy: the accuracy that each level's epsilon, and each level's people, are worth.

Let V be the expected accuracy of the weighted poll under the prior. No vote is read.

*The price of an epsilon.* V is the greatest worth of a linear program, and its multipliers say how V changes if all
people of a level had a slightly greater epsilon (:mod:`neodp.polls.chance_programs`): dV / d epsilon, in accuracy per
unit of epsilon. Weights stay the same; over tables there are none, and the price is that of the optimum itself.

*One more person* of a level: the difference between V with and without that person, with the same weights. The question
changes as well: one of 22 people is less than one of 21, and a tie becomes possible.

*Shapley shares.* Let v(S) be the accuracy of the best mechanism that uses only the votes of the levels in S, for a
question that is still about everybody; v of no level is that of the likeliest answer. A level's share is what it adds,
averaged over all orders in which levels can be added one after another:

    share of g = sum over S without g of  |S|! (L - 1 - |S|)! / L!  (v(S and g) - v(S)).

The shares add up to V less the accuracy of the likeliest answer. They are exact: all 2^L programs are solved, if there
are at most SHARED levels. A mechanism that uses S may ignore some of it, so v never falls.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import cast

import numpy as np

from neodp.data.formatting import count
from neodp.data.validation import UNIT
from neodp.errors import GraphError
from neodp.polls.asking import poll, require_heard
from neodp.polls.chance_programs import Priced
from neodp.polls.choosing import best_on_scores
from neodp.polls.choosing_plurality import best_weighted_plurality, flip_rate, told_apart
from neodp.polls.gap_programs import gap_program, gaps_of, tables_program
from neodp.polls.mechanism import Group, Plurality, Threshold
from neodp.polls.prior import Prior
from neodp.polls.samples import Sample, sample, tables
from neodp.polls.score_programs import score_program, window_of
from neodp.polls.scores import score_law
from neodp.polls.weighted_plurality import flips

__all__ = ["LevelPrice", "Prices", "prices"]

LEVELS = 20
"""The greatest number of levels with prices."""
SHARED = 6
"""The greatest number of levels with Shapley shares: 64 programs."""
LARGEST = 60_000
"""The greatest number of tables times options with which one more person is considered."""


@dataclass(frozen=True)
class LevelPrice:
    """The price of one level.

    Attributes
    ----------
    level : str or None
    epsilon : float
    people : int
    per_epsilon : float
        The rate at which the expected accuracy grows with the epsilon of all people of this level.
    one_more : float or None
        The change of the expected accuracy with one more person of this level; None if that is too large a program.
    share : float or None
        The Shapley share of this level in the expected accuracy above guessing; None if there are too many levels.
    """

    level: str | None
    epsilon: float
    people: int
    per_epsilon: float
    one_more: float | None
    share: float | None


@dataclass(frozen=True)
class Prices:
    """The prices of all levels.

    Attributes
    ----------
    expected : float
        The expected accuracy of the weighted poll.
    guess : float
        The accuracy of the likeliest answer, which hears nobody.
    levels : tuple of LevelPrice
        By ascending epsilon.
    estimated : bool
        True if the figures are estimates, from a normal distribution or from tables that were drawn from the prior.
    """

    expected: float
    guess: float
    levels: tuple[LevelPrice, ...]
    estimated: bool


def prices(
    groups: Sequence[Group],
    query: str = "majority",
    options: Sequence[str] = ("yes", "no"),
    prior: str | Prior = "even",
) -> Prices:
    """Return what each level's epsilon, one more person of it, and the level itself are worth in accuracy.

    Parameters
    ----------
    groups, query, options
        As for :func:`neodp.polls.poll`.
    prior : str or Prior
        As in :mod:`neodp.polls.prior`.

    Raises
    ------
    GraphError
        If an argument is invalid, there are too many levels, or the solver gives up.

    Examples
    --------
    >>> found = prices([Group(0.1, 10), Group(1.0, 10), Group(2.0, 11)])
    >>> round(found.expected, 3), round(found.guess, 3)
    (0.781, 0.5)
    >>> [round(each.share, 3) for each in found.levels]
    [0.018, 0.111, 0.152]
    """
    asked, given = poll(groups, query, options), Prior.parse(prior)
    if len(asked.groups) > LEVELS:
        raise GraphError(
            f"there are {count(len(asked.groups), 'level')}", f"prices are for up to {LEVELS}: round epsilons to fewer"
        )
    require_heard(asked)
    everybody = tuple(range(len(asked.groups)))
    valued = _Votes(asked, given) if isinstance(asked, Threshold) else _Choices(cast(Plurality, asked), given)
    now = valued.priced(everybody)
    rates = np.pad(now.per_epsilon, (0, len(everybody) - len(now.per_epsilon)))
    shares = _shapley(valued, now.worth) if len(everybody) <= SHARED else [None] * len(everybody)
    found = []
    for g, group in enumerate(asked.groups):
        more = poll([replace(each, size=each.size + (i == g)) for i, each in enumerate(asked.groups)], query, options)
        then = valued.with_more(more, g)
        gain = None if then is None else then - now.worth
        found.append(LevelPrice(group.level, group.epsilon, group.size, float(rates[g]), gain, shares[g]))
    return Prices(now.worth, valued.guess, tuple(found), valued.estimated)


def _shapley(valued: _Valued, whole: float) -> list[float]:
    """Return the Shapley share of each level."""
    levels = len(valued.groups)
    value: dict[tuple[int, ...], float] = {(): valued.guess}
    for size in range(1, levels + 1):
        for some in combinations(range(levels), size):
            ignoring = max(value[some[:i] + some[i + 1 :]] for i in range(size))
            value[some] = max(whole if size == levels else valued.priced(some).worth, ignoring)
    found = []
    for g in range(levels):
        share = 0.0
        for some in value:
            if g not in some:
                orders = math.factorial(len(some)) * math.factorial(levels - 1 - len(some)) / math.factorial(levels)
                share += orders * (value[tuple(sorted((*some, g)))] - value[some])
        found.append(share)
    return found


class _Valued(ABC):
    """A question, and the greatest expected accuracy of a mechanism that hears some of the levels."""

    groups: tuple[Group, ...]
    guess: float
    estimated: bool

    @abstractmethod
    def priced(self, heard: Sequence[int]) -> Priced:
        """Return the accuracy if these levels are heard, at least one, with its rates of change."""

    @abstractmethod
    def with_more(self, more: object, level: int) -> float | None:
        """Return the accuracy of the poll with one more person of a level; None if that is too much work."""


class _Votes(_Valued):
    """A yes/no question, by scores."""

    def __init__(self, asked: Threshold, prior: Prior) -> None:
        best = best_on_scores(asked, prior)
        self.asked, self.prior, self.groups = asked, prior, asked.groups
        self.of_tables = best.weights == _every_table(asked, range(len(asked.groups)))
        self.weights, law = best.weights, score_law(asked, best.weights, prior)
        self.guess, self.estimated = max(float(law.yes.sum()), float(law.no.sum())), law.approximate

    def priced(self, heard: Sequence[int]) -> Priced:
        return self._priced(self.asked, heard)

    def with_more(self, more: object, level: int) -> float | None:
        return self._priced(cast(Threshold, more), range(len(self.groups))).worth

    def _priced(self, asked: Threshold, heard: Sequence[int]) -> Priced:
        weights = tuple(w if g in heard else 0 for g, w in enumerate(self.weights))
        if self.of_tables:
            weights = _every_table(asked, heard)
        if not any(weights):
            return Priced(self.guess, np.zeros(len(self.groups)))
        law = score_law(asked, weights, self.prior)
        window = (0, int(np.array(weights) @ asked.sizes)) if self.of_tables else window_of(asked, law)
        return _solved(score_program(asked, law, window).prices())


class _Choices(_Valued):
    """A plurality, by tables, gaps or flips."""

    def __init__(self, asked: Plurality, prior: Prior) -> None:
        self.asked, self.prior, self.groups = asked, prior, asked.groups
        self.best = best_weighted_plurality(asked, prior)
        self.known = sample(asked, prior).learned
        self.guess, self.estimated = self.known.guess, not self.known.exact

    def priced(self, heard: Sequence[int]) -> Priced:
        return self._priced(self.asked, self.known, heard)

    def with_more(self, more: object, level: int) -> float | None:
        asked = cast(Plurality, more)
        if self.best.kind == "tables" and tables(asked) * len(asked.options) > LARGEST:
            return None
        known = sample(asked, self.prior) if self.known.exact else self._one_more(level)
        return self._priced(asked, known, range(len(self.groups))).worth

    def _one_more(self, level: int) -> Sample:
        """Return the tables of the sample with one more person, who chooses every option with its chance."""
        chances, k = self.prior.chances(self.asked.options), len(self.asked.options)
        counts = np.repeat(self.known.counts, k, axis=0)
        counts[np.arange(len(counts)), level, np.arange(len(counts)) % k] += 1
        return Sample(counts, np.multiply.outer(self.known.chance, chances).reshape(-1), False)

    def _priced(self, asked: Plurality, known: Sample, heard: Sequence[int]) -> Priced:
        best = self.best
        if best.kind == "tables":
            return _solved(tables_program(asked, known, heard=heard, apart=told_apart(self.asked)).program.prices())
        weights = tuple(w if g in heard else 0 for g, w in enumerate(best.weights))
        if not any(weights):
            return Priced(self.guess, np.zeros(len(self.groups)))
        if best.kind == "flip":
            return self._flipped(asked, known, weights)
        reach = min(best.reach, int(np.array(weights) @ asked.sizes))
        ordered = best.kind == "ordered gaps"
        return _solved(gap_program(asked, known, weights, reach, ordered=ordered).program.prices())

    @staticmethod
    def _flipped(asked: Plurality, known: Sample, weights: tuple[int, ...]) -> Priced:
        """Return the accuracy of permute-and-flip, whose rate is the least epsilon / weight."""
        rate, gaps = flip_rate(asked, weights) / UNIT, gaps_of(known, weights).astype(np.float64)
        binding = min((asked.groups[g].epsilon / w, g) for g, w in enumerate(weights) if w)[1]
        value, above = (
            float(known.chance @ flips(gaps * (each / 2.0), known.truth)) for each in (rate, rate * (1.0 + 1e-6))
        )
        found = np.zeros(len(weights))
        found[binding] = (above - value) / (rate * 1e-6) / weights[binding]
        return Priced(value, found)


def _every_table(asked: Threshold, heard: Sequence[int]) -> tuple[int, ...]:
    """Return weights that tell apart all tables of the groups that are heard."""
    weights, unit = [0] * len(asked.groups), 1
    for g in heard:
        weights[g], unit = unit, unit * (asked.groups[g].size + 1)
    return tuple(weights)


def _solved(found: Priced | None) -> Priced:
    if found is None:
        raise GraphError("the prices cannot be computed: the solver gave up", "ask without prices")
    return found
