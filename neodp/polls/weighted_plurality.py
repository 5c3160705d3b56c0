"""The weighted plurality: the private answer to "which of three or more options?" that is most often right.

As in :mod:`neodp.polls.weighted`, group g has a whole number w_g >= 0, and option j the score u_j = sum of w_g n_gj,
where n_gj people of the group choose it. One person who goes from option a to option b takes w_g from u_a and gives
it to u_b. Four kinds of mechanisms are compared with each other and with the balanced one by their expected accuracy
under the prior, and the best is chosen. The choice does not depend on any vote.

*Tables.* If there are few tables, the linear program over all of them is solved. It has a chance per table and option;
the chances of a table add up to 1, and those of one option at neighbouring tables are within e^epsilon. Its solution is
the optimum. If there are too many variables, the options that are named last are treated *alike*: where such options
change places, so do their chances. Sort these options by who chooses them: tables with the same sorted table are one
dataset, with a chance per place, and options that are chosen by the same numbers of people share one. Every step of one
person between two tables is, with the options exchanged, one between sorted tables; so the inequalities of the sorted
tables are those of all tables, and what is private for the former is private for the latter. Averaged over all ways to
exchange the options, any mechanism becomes one of these; it loses accuracy only where they tie.

*Gaps.* The gaps d_j = max u - u_j, cut off at D, say which option leads, and by how much. They form a graph, as the
tables do: its datasets are the gaps that occur, and every step of one person from gaps d to d' makes an edge between
the cut-off gaps of d and of d', with the epsilon of the person. A mechanism that depends only on cut-off gaps is
private for the tables iff it is private on this graph. A step changes a gap by at most 2 w, so gaps above D + 2 w give
the same edges as D + 2 w itself: the graph is finite. Its linear program has some thousand variables. It distinguishes
the options, which matters if there are few people: a tie goes to the option that is named first.

*Ordered gaps.* That graph is symmetric: exchanging options maps it to itself. If there are many people and ties are
rare, one dataset per *sorted* gaps is enough, with chances per place instead of per option, where equal gaps have equal
chances, up to some 2^-52: since there are k! times fewer datasets, finer weights can be used.

*Flip.* Permute-and-flip on the scores (McKenna and Sheldon, 2020): take the options in random order, and answer the
current option with chance f_j = e^(-rate (max u - u_j) / 2), until one is answered. The chance of option j is

    f_j  times the integral from 0 to 1 of the product over i != j of (1 - t f_i) dt.

It is the option with the greatest u_j + X_j, where the X_j are independent and exponential with mean 2 / rate [Ding
and others, 2021]. *It is private.* Let one person take w from u_a and give it to u_b. Given the noise of all others,
option j is answered iff X_j exceeds the greatest of the others' u_i + X_i, less u_j. That bound moves by at most 2 w,
and the chance of exceeding it changes at most by a factor of e^(rate w) <= e^epsilon, where rate is the least
epsilon / w.

Exactness
---------
*Tables and gaps.* A solution becomes whole multiples of 2^-52, for which every single inequality is checked
(:mod:`neodp.polls.chance_programs`). The check decides, not the solver.

*Flip.* With u = 2^-50, an epsilon becomes E = floor(epsilon / u) - 16 - 4 k units, the rate is R, the least floor(E /
w), and the chances are found with 60 digits for exponents R (max u - u_j) u / 2. Their quotients over a step are at
most e^(E u) before they are rounded. Rounding to doubles changes those that are not the largest by a factor within 1
+- 2^-53, if they are no less than the smallest normal double; smaller ones are raised to it (a floor under both does
not enlarge a quotient). The largest, which is at least 1/k, changes by no more than the sum of the other changes, hence
by a factor within 1 +- k 2^-53. If another one is the largest after the step, that holds for it as well. So a
quotient of stored chances is at most e^(E u) (1 + k 2^-51) < e^epsilon.

People of weight 0 have no influence: the answer is the same whatever they choose. :func:`neodp.polls.violations` checks
all kinds at one table and all its neighbours in exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neodp.data.validation import UNIT, Floats
from neodp.polls.costs import TINY
from neodp.polls.mechanism import Counts, Margin, Plurality
from neodp.polls.prior import Prior

__all__ = ["WeightedPlurality", "flip"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WeightedPlurality(Plurality):
    """The weighted poll on which option is chosen most often, by a linear program or by weighted scores.

    Attributes
    ----------
    kind : str
        ``tables``, ``gaps``, ``ordered gaps`` or ``flip``.
    weights : tuple of int
        The amount by which one person of each group moves a score; for tables, all are 1 and ignored.
    reach : int
        The gap D at which gaps are cut off.
    rate : int
        The rate of flip, in units of 2^-50.
    rows : dict
        For tables and gaps, the chances per dataset of the program.
    expected : float
        The expected accuracy under the prior.
    exact : bool
        True if `expected` is a sum over all tables, false if it is an estimate from a sample of tables.
    worst_case : float
        A lower bound on the chance of the true answer at every dataset.
    """

    kind: str
    weights: tuple[int, ...]
    reach: int
    rate: int
    rows: dict[tuple[int, ...], tuple[float, ...]] = field(repr=False)
    expected: float
    exact: bool
    worst_case: float
    prior: Prior

    @property
    def worst(self) -> float:
        """A lower bound on the chance of the true answer at every dataset."""
        return self.worst_case

    def worst_at(self, margin: int) -> float:
        """Return a lower bound on the accuracy of the datasets with this margin or a greater one.

        With margin m, the winner is at least 2 m - 2 votes ahead of every other option: a person who goes over to
        another option makes up for two. Scores are closest if the winner's votes are those of the least weight.
        """
        if self.kind == "tables":
            return min((right for far, right in self._by_margin if far >= margin), default=self.worst_case)
        order = np.argsort(self.weights)
        weight, size = np.array(self.weights)[order], self.sizes[order]
        winners = np.clip((self.people + 2 * margin - 2) // 2 - (np.cumsum(size) - size), 0, size)
        lead = int(weight @ (2 * winners - size))
        if lead <= 0:
            return self.worst_case
        if self.kind == "flip":
            return max(self.worst_case, flip([0, *[lead] * (len(self.options) - 1)], self.rate)[0])
        return min((right for far, right in self._by_margin if far >= min(lead, self.reach)), default=self.worst_case)

    @cached_property
    def _by_margin(self) -> list[tuple[int, float]]:
        """For every dataset of the program, its margin (or the lead of the first score) and its accuracy."""
        found = []
        for key, row in self.rows.items():
            if self.kind == "tables":
                counts = np.array(key).reshape(len(self.groups), -1)
                found.append((self.margin(counts) or self.people, row[self.truth(counts)]))
            else:
                first = key.index(0)
                found.append((min(key[:first] + key[first + 1 :]), row[first]))
        return found

    def at(self, margin: int) -> Margin:
        """Return a lower bound on the accuracy at a margin."""
        return Margin(margin, worst=self.worst_at(margin))

    def distribution(self, counts: Counts) -> tuple[float, ...]:
        """Return the chance of each option at a dataset."""
        if self.kind == "tables":
            return self.rows[tuple(counts.reshape(-1).tolist())]
        score = (np.array(self.weights) @ counts).tolist()
        most = max(score)
        gaps = [most - each for each in score]
        if self.kind == "flip":
            return flip(gaps, self.rate)
        cut = [min(gap, self.reach) for gap in gaps]
        if self.kind == "gaps":
            return self.rows[tuple(cut)]
        order = sorted(range(len(cut)), key=cut.__getitem__)
        row = self.rows[tuple(cut[j] for j in order)]
        found = [0.0] * len(row)
        for j, chance in zip(order, row, strict=True):
            found[j] = chance
        return tuple(found)


def flip(gaps: Sequence[int], rate: int) -> tuple[float, ...]:
    """Return the chances of permute-and-flip for options that lie `gaps` behind the leader.

    All chances but the largest are exact, and the largest is one minus the rest, rounded.

    Examples
    --------
    >>> flip([0, 0], UNIT)
    (0.5, 0.5)
    >>> [round(p, 4) for p in flip([0, 2, 4], UNIT)]
    [0.765, 0.1756, 0.0594]
    """
    k = len(gaps)
    with localcontext(Context(prec=60, Emin=-10_000, Emax=10_000)):
        f = [Decimal(-gap * rate) / Decimal(2 * UNIT) for gap in gaps]
        f = [max(x, Decimal(-2000)).exp() for x in f]
        product = [Decimal(1)]  # the coefficients of the product of all 1 - t f_i
        for x in f:
            product = [a - x * b for a, b in zip([*product, Decimal(0)], [Decimal(0), *product], strict=True)]
        chances = []
        for x in f:
            part = [product[0]]  # without the factor of this one
            for a in product[1:-1]:
                part.append(a + x * part[-1])
            chances.append(x * sum((a / (power + 1) for power, a in enumerate(part)), Decimal(0)))
        row = [max(TINY, float(chance)) for chance in chances]
    largest = max(range(k), key=row.__getitem__)
    rest = math.fsum(x for j, x in enumerate(row) if j != largest)
    row[largest] = max(1.0 - rest, max((x for j, x in enumerate(row) if j != largest), default=0.0))
    return tuple(row)


def flips(gaps: Floats, option: Ints) -> Floats:
    """Return the chance of one option per row under permute-and-flip, in doubles; rows hold exponents rate gap / 2."""
    f, rows = np.exp(-gaps), np.arange(len(gaps))
    at, weight = np.polynomial.legendre.leggauss(f.shape[1] // 2 + 1)
    found = np.zeros(len(gaps))
    for t, w in zip((at + 1.0) / 2.0, weight / 2.0, strict=True):
        factor = 1.0 - t * f
        factor[rows, option] = 1.0
        found += w * np.prod(factor, axis=1)
    chances: Floats = found * f[rows, option]
    return chances
