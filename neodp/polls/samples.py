"""Tables of votes under a prior: all of them with their chances, or a sample."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import Floats
from neodp.polls.mechanism import Plurality
from neodp.polls.prior import Prior

__all__ = ["Sample", "sample", "tables"]

ALL = 20_000
"""The greatest number of tables with which expected accuracy is a sum over all tables, not an estimate."""
SAMPLES = 20_000
"""The greatest number of tables drawn from the prior for an estimate."""
Ints = NDArray[np.int64]


class Sample(NamedTuple):
    """Tables and their chances: all tables, or a sample.

    Attributes
    ----------
    counts : array of int
        The votes, by table, group and option.
    chance : array of float
        The chances of the tables, which add up to 1.
    exact : bool
        True if these are all tables.
    """

    counts: Ints
    chance: Floats
    exact: bool

    @property
    def truth(self) -> Ints:
        """The position of the true answer of each table."""
        found: Ints = np.argmax(self.counts.sum(axis=1), axis=1)
        return found

    @property
    def guess(self) -> float:
        """The chance of the likeliest true answer."""
        return float(np.bincount(self.truth, self.chance).max())

    def part(self, start: int, end: int) -> Sample:
        """Return some of the tables of a sample; if it holds all tables, return it unchanged."""
        if self.exact:
            return self
        chance = self.chance[start:end]
        return Sample(self.counts[start:end], chance / chance.sum(), False)

    @property
    def judged(self) -> Sample:
        """The tables on which mechanisms are evaluated: a fifth of a sample."""
        return self.part(0, len(self.counts) // 5)

    @property
    def learned(self) -> Sample:
        """The tables from which mechanisms are computed: the rest, so that an estimate is not too optimistic."""
        return self.part(len(self.counts) // 5, len(self.counts))


def sample(poll: Plurality, prior: Prior, most: int = SAMPLES) -> Sample:
    """Return all tables with their chances; if there are too many, some drawn from the prior with a fixed seed.

    Examples
    --------
    >>> from neodp.polls import Group, poll
    >>> found = sample(poll([Group(1.0, 2)], "plurality", "abc"), Prior())
    >>> len(found.counts), found.exact, round(float(found.chance.sum()), 12)
    (6, True, 1.0)
    """
    chances, k = prior.chances(poll.options), len(poll.options)
    if tables(poll) <= ALL:
        from scipy.stats import multinomial

        counts, chance = np.zeros((1, 0, k), np.int64), np.ones(1)
        for group in poll.groups:
            each = _compositions(group.size, k)
            law = multinomial(group.size, chances).pmf(each)
            many, new = len(counts), len(each)
            left = np.repeat(counts, new, axis=0)
            counts = np.concatenate([left, np.tile(each, (many, 1))[:, None, :]], axis=1)
            chance = np.multiply.outer(chance, law).reshape(-1)
        return Sample(counts, chance, True)
    rng = np.random.default_rng(1)
    number = int(np.clip(10**7 // (len(poll.groups) * k * k), 500, most))
    drawn = np.stack([rng.multinomial(group.size, chances, number) for group in poll.groups], axis=1)
    return Sample(drawn.astype(np.int64), np.full(number, 1.0 / number), False)


def tables(poll: Plurality) -> int:
    """Return the number of tables."""
    k = len(poll.options)
    return math.prod(math.comb(group.size + k - 1, k - 1) for group in poll.groups)


def _compositions(n: int, k: int) -> Ints:
    """Return all ways to write n as a sum of k whole numbers of at least 0."""
    bars = np.array(list(itertools.combinations(range(n + k - 1), k - 1)), np.int64).reshape(-1, k - 1)
    ends = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + k - 1)])
    return np.diff(ends, axis=1) - 1
