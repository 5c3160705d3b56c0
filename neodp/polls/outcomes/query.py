"""Questions with several outcomes, and three private ways to draw one, each person with an epsilon of their own.

Two tables are neighbours if one person answers differently; the edge between them has that person's epsilon. Epsilons
are whole multiples of a unit u = 2^-16, rounded down, so that all numbers below are whole, and nothing else is rounded.

**By distance.** For a possible outcome o of a question let

    D_o = the least total epsilon of people who must answer differently before o is the true outcome,

the distance from the table to the tables whose true outcome is o, or a lower bound of it that has the same two
properties: one person's answer moves every D_o by at most that person's own epsilon (the triangle inequality), and D_o
is 0 for the true outcome. The outcomes are taken in random order, and each is accepted with chance e^(-D_o / 2), until
one is accepted. If every D_o moves by at most a, every chance changes by a factor of at most e^a
(:mod:`neodp.core.permute_and_flip`, with n u = a and gamma = u / 2). Whatever the votes are, no outcome is likelier
than the true one.

**Heard by weight.** Everybody has a weight w_i, at most their epsilon, and the outcomes are judged as if people
counted by their weights: outcome o is behind by B_o, and B_o takes the place of D_o. It is private for the same reason
where one person moves every B_o by at most w_i; :mod:`neodp.polls.outcomes.ranking` has its own proof. With weights
min(epsilon, c), people who ask for much privacy count less than others, but the answer no longer depends on the few
with the least epsilons: it is more often right on average, and can be wrong if answers split by privacy. With
the same weight for all, nobody counts less, and the true outcome is again the likeliest.

**With noise** (counts only). The sum of the weights of those who chose an option moves by at most w_i. It is published
with noise Z, Pr[Z = z] in proportion to e^(-u |z|) for the multiples z of the weights' greatest common divisor, as the
difference of two numbers with Pr[G >= n] = e^(-u n): the chance of every sum changes by a factor of at most e^(w_i)
(:mod:`neodp.polls.outcomes.counting`). Any further computation with the sum costs nothing.

*Accuracy of a distance, known beforehand.* An outcome with D_o >= d is accepted, and hence the answer, with chance at
most e^(-d / 2). So with K outcomes and chance 1 - beta, the answer is the true outcome of a table in which people with
a total epsilon of 2 ln(K / beta) answer differently.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neodp.core.permute_and_flip import draw_outcome, outcome_chances
from neodp.data.validation import Floats
from neodp.polls.mechanism import Group
from neodp.polls.prior import Prior

__all__ = ["UNIT", "How", "Ints", "OutcomeQuery", "certain_distance", "cheapest", "units_of"]

UNIT = 2.0**-16
"""The unit of epsilon."""

Ints: TypeAlias = NDArray[np.int64]
Kind: TypeAlias = Literal["distance", "heard", "noise"]
"""The three ways to draw an outcome."""


def units_of(epsilon: float) -> int:
    """Return an epsilon in whole units, rounded down.

    Examples
    --------
    >>> units_of(0.5), units_of(0.00001)
    (32768, 0)
    """
    return math.floor(Fraction(epsilon) / Fraction(UNIT))


class How(NamedTuple):
    """A mechanism: the way to draw, and the epsilon or weight of each group in units.

    Attributes
    ----------
    kind : "distance", "heard" or "noise"
    units : tuple of int
        Per group, by ascending epsilon.
    """

    kind: Kind
    units: tuple[int, ...]


@dataclass(frozen=True)
class OutcomeQuery(ABC):
    """A question about a table, with its possible outcomes.

    A table is an array of whole numbers: how many people of each group (row) gave each answer (column).

    Attributes
    ----------
    options : tuple of str
        The options that people choose from.
    """

    options: tuple[str, ...]

    @property
    @abstractmethod
    def outcomes(self) -> tuple[str, ...]:
        """The possible answers."""

    @abstractmethod
    def question(self, people: int) -> str:
        """Return the question in words."""

    @abstractmethod
    def truth(self, counts: Ints) -> int:
        """Return the position of the true outcome."""

    @abstractmethod
    def distances(self, counts: Ints, units: Ints) -> Ints:
        """Return the distance to each outcome, in units.

        Parameters
        ----------
        counts : array of int
            The table.
        units : array of int
            The epsilon of each group, in units, ascending.
        """

    @abstractmethod
    def behind(self, counts: Ints, weights: Ints) -> Ints:
        """Return by how much each outcome is behind if people count by their weights, in units."""

    @abstractmethod
    def divided(self, sizes: Ints) -> Iterator[Ints]:
        """Yield tables in which the people with the least epsilons decide the outcome against all others."""

    def error(self, counts: Ints) -> Floats:
        """Return how far each outcome is from the truth; by default 0 for the true one and 1 for the others."""
        found: Floats = np.asarray(np.arange(len(self.outcomes)) != self.truth(counts), np.float64)
        return found

    @property
    def gamma(self) -> Fraction:
        """The rate at which an outcome becomes unlikelier, for each unit by which it is behind."""
        return Fraction(UNIT) / 2

    def off(self, counts: Ints, how: How) -> Ints:
        """Return by how much each outcome is off: its distance, or how far it is behind."""
        units = np.array(how.units, np.int64)
        return self.distances(counts, units) if how.kind == "distance" else self.behind(counts, units)

    def change(self, one: Ints, two: Ints, how: How) -> int:
        """Return by how much an outcome is moved between two tables at most, in units."""
        return int(np.abs(self.off(one, how) - self.off(two, how)).max())

    def example(self, prior: Prior, groups: Sequence[Group]) -> tuple[OutcomeQuery, Floats]:
        """Return the question without anything secret, and the chance of each answer under a prior, by group."""
        if len(self.options) == 2:
            first = prior.shares(groups)
            return self, np.column_stack([first, 1.0 - first])
        return self, np.tile(prior.chances(self.options), (len(groups), 1))

    def draw(self, counts: Ints, how: How) -> int:
        """Draw the position of an outcome, exactly; the number of draws does not depend on the table."""
        gamma = Fraction(UNIT) / 2 if how.kind == "distance" else self.gamma
        return draw_outcome(self.off(counts, how).tolist(), gamma)

    def chances(self, counts: Ints, how: How) -> Floats:
        """Return the chance of each outcome, in doubles: to be shown, not to be drawn from."""
        found: Floats = self.chances_at([counts], how)[0]
        return found

    def chances_at(self, tables: Sequence[Ints], how: How) -> Floats:
        """Return the chance of each outcome at each of some tables, in rows."""
        gamma = Fraction(UNIT) / 2 if how.kind == "distance" else self.gamma
        return outcome_chances(np.stack([self.off(counts, how) for counts in tables]), float(gamma))


def cheapest(people: Ints, units: Ints, number: Ints) -> Ints:
    """Return the sums of epsilon, in units, of so many of the cheapest people.

    Parameters
    ----------
    people : array of int
        How many people of each group there are.
    units : array of int
        The epsilon of each group, ascending.
    number : array of int
        How many of them are needed; no more than there are.

    Examples
    --------
    >>> cheapest(np.array([2, 3]), np.array([1, 10]), np.array([0, 1, 2, 4]))
    array([ 0,  1,  2, 22])
    """
    before = np.concatenate([[0], np.cumsum(people)])
    paid = np.concatenate([[0], np.cumsum(people * units)])
    level = np.clip(np.searchsorted(before, number, side="right") - 1, 0, len(units) - 1)
    found: Ints = paid[level] + (number - before[level]) * units[level]
    return found


def certain_distance(outcomes: int, beta: float = 0.05) -> float:
    """Return the sum of epsilons that a published outcome is off by at most, but for a chance of beta.

    Examples
    --------
    >>> round(certain_distance(5), 2)
    9.21
    """
    return 2.0 * math.log(outcomes / beta)
