"""One epsilon on every edge: the table, with a row per order and distance.

Every prefix sum follows the two-colour recursion S_j(d + 1) = U(S_j(d)), where d is the distance, in edges, from the
boundary of the dataset's own order, and U(a) = min(e^eps a + delta, 1 - (1 - a - delta) e^-eps, 1).

*It is the best.* No mechanism exceeds any of these sums, for U bounds the chance of any set of outputs.

*It is private.* As a map of [0, 1] onto itself U has slope e^eps, then e^-eps, then 0 on a last piece of length delta,
and it jumps by delta at 0. An output's probability is the length of its interval [S_{j-1}, S_j], so that for any set A
of outputs

    P'(A) <= e^eps P(A) + delta (the jump)    and    P(A) <= e^eps P'(A) + delta (the flat piece).

Neighbouring datasets of one order have distances that differ by at most 1, hence one row per distance is enough.

Paper 003 proves it for three colours and delta = 0; Gu et al. (2024) for any number of colours and any delta.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neodp import compiled
from neodp.core.rainbow.curves import Curve, Curves
from neodp.core.rainbow.orders import Order
from neodp.core.rainbow.units import DIGITS, FAINT, TINY, context, lengths, lowered, rounded, zeros
from neodp.data.distributions import distribution
from neodp.data.kinds import checked
from neodp.data.validation import MAX_EPSILON, UNIT, Floats
from neodp.errors import GraphError, PrivacyError

__all__ = ["Table", "line"]

LONGEST = 10**7
"""The greatest number of rows of a line."""

BLOCK = 1024
"""The number of rows of a table that are computed at once."""


class Table(Curves):
    """The best mechanism if one (epsilon, delta) holds on every edge: a row per order and distance.

    Parameters
    ----------
    alpha : mapping from orders to distributions
        In the order of the colours; compatible wherever two orders are neighbours.
    epsilon, delta : float

    Examples
    --------
    >>> table = Table({(2, 0, 1): [0.25, 0.25, 0.5]}, np.log(2))
    >>> [round(p, 12) for p in table.at((2, 0, 1), 1)]
    [0.125, 0.125, 0.75]
    """

    def __init__(self, alpha: Mapping[Order, Sequence[float]], epsilon: float, delta: float = 0.0) -> None:
        if not (0.0 <= epsilon <= MAX_EPSILON and 0.0 <= delta <= 1.0):
            raise PrivacyError(
                f"epsilon is {epsilon} and delta {delta}", f"give numbers from 0 to {MAX_EPSILON:g} and from 0 to 1"
            )
        self.epsilon, self.delta = float(epsilon), float(delta)
        super().__init__(alpha)

    def _curve(self, alpha: Sequence[float], exact: Sequence[Fraction]) -> Curve:
        return _Steps(alpha, exact, int(lengths(np.array([self.epsilon]), len(alpha))[0]), self.delta)


@checked
def line(alpha: Sequence[float], n: int, epsilon: float, delta: float = 0.0) -> Floats:
    """Return the best mechanism on the (n, c)-line: distances 0, 1, …, n - 1 from the boundary of one order.

    Every rainbow graph maps onto such lines, one for each order, by ``morphism``, and inherits its best mechanism from
    them.

    Parameters
    ----------
    alpha : sequence of float
        The distribution on the boundary, best output first.
    n : int
        The number of datasets.
    epsilon, delta : float

    Returns
    -------
    array of float, one row per distance, best output first

    References
    ----------
    Paper 003, Definition 7 and Theorem 3.

    Examples
    --------
    >>> line([0.1, 0.3, 0.6], 4, np.log(2)).round(12)
    array([[0.1  , 0.3  , 0.6  ],
           [0.2  , 0.5  , 0.3  ],
           [0.4  , 0.45 , 0.15 ],
           [0.7  , 0.225, 0.075]])
    """
    if len(alpha) < 2:
        raise GraphError(f"alpha has {len(alpha)} entries", "give one per output, at least two")
    row = distribution(alpha)
    if not 0 <= n <= LONGEST:
        raise GraphError(f"n is {n}", f"give a number of rows from 0 to {LONGEST:,}")
    order = tuple(range(len(row)))
    table = Table({order: row.tolist()}, epsilon, delta)
    return table.rows(np.array([order], np.int8), np.zeros(n, np.int32), np.arange(n))


class _Steps(Curve):
    """The map U applied d times to every prefix sum: step by step within blocks, and from block to block at once."""

    def __init__(self, alpha: Sequence[float], exact: Sequence[Fraction], length: int, delta: float) -> None:
        self.context = context(DIGITS + zeros(*exact, Fraction(delta) if delta >= FAINT else 1))
        super().__init__(alpha, exact, self.context)
        self.length = length
        with localcontext(self.context):
            self.grow = (Decimal(length) / UNIT).exp()
            self.delta = lowered(delta, len(alpha), length)
            self.bend = (1 - self.delta) / (self.grow + 1)  # where the slope of U changes
        self.begins = [self.start]
        self.blocks: dict[int, Floats] = {}

    def rows(self, at: NDArray[Any]) -> Floats:
        found = np.empty((len(at), len(self.alpha)))
        with localcontext(self.context):
            for number in np.unique(at // BLOCK).tolist():
                if number not in self.blocks:
                    self.blocks[number] = self._block(number)
                block, mine = self.blocks[number], np.flatnonzero(at // BLOCK == number)
                found[mine] = block[np.minimum(at[mine] - number * BLOCK, len(block) - 1)]
        found[at == 0] = self.alpha
        return found

    def _block(self, number: int) -> Floats:
        """Return the rows of a block, up to one after which nothing changes."""
        chances = self._begin(number)
        rows = [rounded(chances)]
        for _ in range(BLOCK - 1):
            new = self._mapped(chances)
            if new == chances:  # all but the best output are as small as can be
                break
            chances = new
            rows.append(rounded(chances))
        return np.array(rows)

    def _begin(self, number: int) -> list[Decimal]:
        """Return the distribution at which a block begins."""
        if self.delta == 0:
            return self._leap(number * BLOCK)
        while len(self.begins) <= number:
            chances = self.begins[-1]
            for _ in range(BLOCK):
                chances = self._mapped(chances)
            self.begins.append(chances)
        return self.begins[number]

    def _mapped(self, chances: list[Decimal]) -> list[Decimal]:
        """Map every output's interval by U, piece by piece."""
        worse = [Decimal(0)]
        for p in reversed(chances[1:]):
            worse.append(worse[-1] + p)
        better, new = Decimal(0), []
        for p in chances:
            steep = min(max(self.bend - better, Decimal(0)), p)
            flat = min(max(self.delta - worse.pop(), Decimal(0)), p - steep)
            mapped = self.grow * steep + (p - steep - flat) / self.grow
            new.append(max(mapped, TINY) if mapped else mapped)
            better += p
        new[0] += self.delta
        return new

    def _leap(self, steps: int) -> list[Decimal]:
        """Return the distribution after many steps, with delta = 0.

        Outputs below the bend grow by e^eps a step, those above shrink by it, and the one across it takes the rest;
        this continues until those below reach the bend.
        """
        chances = self.start
        while steps and self.length:
            sums = list(itertools.accumulate(chances, initial=Decimal(0)))
            below = sum(s <= self.bend for s in sums) - 1  # how many outputs are below
            if chances[below] < Decimal("1e-20"):  # the one across is too short for the rest to be exact
                chances, steps = self._mapped(chances), steps - 1
                continue
            leap = steps
            if sums[below]:
                leap = min(steps, int((self.bend / sums[below]).ln() * UNIT / self.length) + 1)
            # beyond LONGEST every chance that shrinks is as small as can be, and there is none that grows
            grow = (Decimal(min(leap * self.length, compiled.kernel.LONGEST)) / UNIT).exp()
            new = [p * grow for p in chances[:below]]
            shrunk = [p / grow for p in chances[below + 1 :]]
            rest = 1 - sum(new, Decimal(0)) - sum(shrunk, Decimal(0))
            chances = [*new, rest, *(max(p, TINY) if p else p for p in shrunk)]
            steps -= leap
        return chances
